#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# stop.sh - --stop-on names the window that met its condition first, on four CPUs
#
# Usage (in a guest with four CPUs, as root): sh /stop.sh
#
# Prints what guest.sh prints. Every window of every CPU meets the condition, and their
# grids are 5 ms apart, so the CPUs cross the limit one after the other. All of them
# have before the tool reads its first record. Which one was first, the kernel's trace
# names: it is frozen there. Results for the host go to /out/stop.N.json.
#
# On a busy host a CPU can stand still between t3 and its event, so that another one
# freezes the trace. The window that is named has then ended before the trace's.
# shellcheck disable=SC1091,SC2086,SC2154
. /checks.sh

# in_trace FIELD: of the first window in the trace.
in_trace() {
	sed -n "s/.*tlob_window: .*\<$1=\([0-9]*\).*/\1/p" $dir/trace | head -n 1
}

# in_window FIELD FILE: of the window that stopped the run.
in_window() {
	sed -n "s/.*\"stopped_window\":{[^}]*\"$1\":\([0-9]*\).*/\1/p" "$2"
}

# check_named FILE: sets $cpu and $activation.
check_named() {
	cpu=$(in_window cpu "$1") activation=$(in_window activation "$1")
	is "run $runs, stopped by" "$(sed -n 's/.*"stopped_by":"\([^"]*\)".*/\1/p' "$1")" \
		'wake>1ns'
	[ "$cpu $activation" != "$(in_trace cpu) $(in_trace activation)" ] || return
	[ $(($(in_window t0_ns "$1") + $(in_window response_ns "$1"))) -lt \
	  $(($(in_trace t0) + $(in_trace response))) ] ||
		note "run $runs: the trace begins with CPU $(in_trace cpu), activation $(in_trace activation)"
}

for workload in user kthread; do
	others=0 runs=0
	# CPU 0, whose records are read first, must not always be the one.
	while [ $runs -lt 4 ] || { [ $others -eq 0 ] && [ $runs -lt 16 ]; }; do
		runs=$((runs + 1))
		tlob-load run -c 0-3 --workload $workload --noise-source hooks -p 20ms --align 5ms -w none \
			--stop-on 'wake>1ns' -d 60s -v --trace $dir/trace --json "/out/stop.$workload.$runs.json" \
			> $dir/out 2> $dir/err || note "run $runs: exit $?"
		check_named "/out/stop.$workload.$runs.json"
		[ "$(grep -c "^window that stopped the run: cpu $cpu, activation $activation, expiry" $dir/out)" -eq 1 ] ||
			note "run $runs: the window is not printed once: $(grep '^w.*: cpu' $dir/out)"
		[ "$cpu" = 0 ] || others=$((others + 1))
	done
	[ $others -gt 0 ] || note "CPU 0 was the first in each of $runs runs"
	expect "stop_on.four_cpus.$workload"
done
echo "the end"
