#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: the workload next to loads that nothing was tuned for. One JSON
# a load goes to /out; tests/vm/suites/stress looks at them. Arguments: seconds of each,
# and how many windows it must have: on a busy host it continues for ten times as long.
seconds=${1:-10} least=${2:-100}
echo -1 > /proc/sys/kernel/sched_rt_runtime_us

# windows FILE: of all CPUs, which come first. 0: the run failed, and wrote no file.
windows() {
	[ -s "$1" ] || echo 0
	[ ! -s "$1" ] || tr ',{' '\n' < "$1" | sed -n 's/^"windows":\([0-9]*\).*/\1/p' | head -n 1
}

# load NAME COMMAND...: next to user threads, then next to kernel threads.
load() {
	name=$1
	shift
	for workload in user kthread; do
		"$@" > /tmp/load 2>&1 &
		pid=$!
		for duration in $seconds $((seconds * 10)); do
			status=0
			tlob-load run --cpus 1 --housekeeping 0 --period 1ms --budget 1s --work spin:50us --workload $workload \
				-d "${duration}s" --quiet --json "/out/$name.$workload.json" || status=$?
			[ "$(windows "/out/$name.$workload.json")" -le "$least" ] || break
		done
		[ "$status" -eq 0 ] || echo "not ok $name.$workload: status $status"
		kill $pid 2> /dev/null || { echo "not ok $name: the load ended early"; head -n 5 /tmp/load; }
		wait $pid 2> /dev/null
		killall hackbench stress-ng 2> /dev/null
		echo "ran $name $workload"
	done
}

# Forty tasks: next to eighty, the tool takes ten times as long to start as to measure.
load hackbench hackbench -l 100000000 -g 1
load cyclic stress-ng --cyclic 2 --cyclic-policy rr -t 1000
load timer stress-ng --timer 2 --timer-freq 2000 -t 1000
load hrtimers stress-ng --hrtimers 2 -t 1000
load sched stress-ng --schedpolicy 2 -t 1000
load fork stress-ng --fork 2 -t 1000
