#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tune-guest - what --tune and --load change is back or gone, and what --tune is good for
#
# Usage: tune-guest KILLS, as root in a guest with two CPUs
#
# Prints "pass NAME" or "fail NAME" for each test, and "# TEXT".
set -u
kills=$1
tracing=/sys/kernel/tracing

told() {
	name=$1
	shift
	if "$@"; then echo "pass $name"; else echo "fail $name"; fi
}

# Everything that a run may change, and everything that it starts.
settings() {
	for file in /proc/irq/*/smp_affinity_list /proc/irq/default_smp_affinity /proc/sys/kernel/timer_migration \
		/sys/devices/virtual/workqueue/cpumask /sys/devices/virtual/workqueue/writeback/cpumask \
		/sys/fs/cgroup/cgroup.subtree_control /sys/devices/system/cpu/cpu*/cpuidle/state*/disable; do
		[ ! -e "$file" ] || echo "$file $(cat "$file")"
	done
	find /sys/fs/cgroup -mindepth 1 -type d
	for task in /proc/[0-9]*/cmdline; do
		case $({ tr '\0' ' ' < "$task"; } 2> /dev/null) in
		"sleep 86399"*|"tlob-load run"*) echo "$task $(tr '\0' ' ' < "$task")" ;;
		esac
	done
	[ ! -e /run/tlob-load.state ] || echo "the state file"
}

# An interrupt that goes to the measured CPU only, as a careless driver leaves it.
echo 2 > /proc/irq/4/smp_affinity
settings > /before
load="setsid sleep 86399 & sleep 86399"

# Killed at any moment, its keepers too in each third case. The next start puts back what
# it finds; that is a run or restore, in turn.
seed=12345 n=0 wrong=0 changed=0 keepers=0 whole=0
while [ $n -lt "$kills" ]; do
	n=$((n + 1))
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	tlob-load run -c 1 --tune -d 1h -w none -q --load "$load" --load "$load" > /dev/null 2>&1 &
	pid=$!
	usleep $((seed / 1000 % 900 * 1000))
	if [ $((n % 3)) -eq 0 ]; then
		# The keepers have the command line of the tool, which they were.
		# shellcheck disable=SC2046 # a list
		kill -9 $(for t in /proc/[0-9]*/comm; do
			case $(cat "$t" 2> /dev/null) in tlob-keeper|tlob-load) t=${t%/comm}; echo "${t#/proc/}" ;; esac; done) $pid 2> /dev/null
		keepers=$((keepers + 1))
	else
		kill -9 $pid
	fi
	wait $pid 2> /dev/null
	lines=$(grep -cE '^(file|cgroup) ' /run/tlob-load.state 2> /dev/null)
	[ "${lines:-0}" -eq 0 ] || changed=$((changed + 1))
	! grep -q '^cgroup .*load$' /run/tlob-load.state 2> /dev/null || whole=$((whole + 1))
	if [ $((n % 2)) -eq 0 ]; then
		tlob-load run -c 1 -n 1 -w none -q > /log 2>&1
	else
		tlob-load restore > /log 2>&1
	fi
	# A keeper that lives ends its load by itself; that takes a moment.
	tries=0
	while settings > /after; ! cmp -s /before /after && [ $tries -lt 300 ]; do
		tries=$((tries + 1))
		usleep 10000
	done
	if ! cmp -s /before /after; then
		wrong=$((wrong + 1))
		echo "# kill $n left:"
		diff /before /after | head -n 8 | sed 's/^/# /'
		sed 's/^/# /' /log | head -n 4
	fi
done
echo "# $kills kills: $changed left changes, $whole of these a load, $keepers also hit the keepers; $wrong not mended"
told killed.put_back [ $wrong -eq 0 ]
told killed.had_changes [ $((changed * 2)) -ge "$kills" ]
told killed.had_loads [ $whole -gt 0 ]

# At other ends.
tlob-load run -c 1 --tune -n 20 -w none -q --load "$load" > /log 2>&1
settings > /after
told ended.put_back cmp -s /before /after
tlob-load run -c 1 --tune -d 1h -w none -q --load "usleep 200000; exit 7" > /log 2>&1
told failed.says grep -q 'exit status 7' /log
settings > /after
told failed.put_back cmp -s /before /after
tlob-load run -c 1 --tune -d 1h -w none -q --load "$load" > /log 2>&1 & pid=$!
sleep 2
kill -INT $pid
wait $pid
settings > /after
told interrupted.put_back cmp -s /before /after

# What cannot be written is left out and named; the rest is made and put back.
unshare -m sh -c 'mount -o remount,ro,bind /sys && exec tlob-load run -c 1 --tune -n 20 -w none -q --json /out/ro.json' > /log 2>&1
told read_only.named grep -q 'tune left out: .*workqueues 2 (Read-only file system)' /out/ro.json
told read_only.rest grep -q '"tune":"[^"]*irq_affinity [0-9]*, timer_migration 1' /out/ro.json
settings > /after
told read_only.put_back cmp -s /before /after

# What it is good for: counts on the measured CPU, without and with.
interrupts() { awk '$1 == "4:" { print $3 }' /proc/interrupts; }
hits() { awk '/^ *Hits:/ { print $2 }' "$1"; }
count() {
	for event in sched/sched_wakeup timer/timer_expire_entry; do
		echo '!hist:keys=common_pid' > $tracing/events/$event/trigger 2> /dev/null
	done
	echo "hist:keys=common_pid if target_cpu == 1 && comm == \"usleep\"" > $tracing/events/sched/sched_wakeup/trigger
	echo "hist:keys=common_pid if CPU == 1 && function == $timeout" > $tracing/events/timer/timer_expire_entry/trigger
	irqs=$(interrupts)
	tlob-load run -c 1 "$@" -p 2ms -d 6s -w elapsed:1ms -q --json /out/r.json \
		--load 'while :; do echo x > /dev/ttyS0; usleep 3000; done' --load 'while :; do usleep 1000; done' \
		--load 'while :; do usleep 1500; done' || return
	irqs=$(($(interrupts) - irqs))
	wakes=$(hits $tracing/events/sched/sched_wakeup/hist)
	timers=$(hits $tracing/events/timer/timer_expire_entry/hist)
	echo "# ${*:-without}: interrupts $irqs, foreign wake-ups $wakes, timers of others $timers"
}
timeout=0x$(awk '$3 == "process_timeout" { print $1 }' /proc/kallsyms)
tlob-load doctor -c 1 > /doctor 2>&1
told doctor.irq grep -qE '^ *(high|medium|info)? *irq' /doctor
told doctor.timer_migration grep -q 'timer.migration' /doctor
count
told without.interrupts [ "$irqs" -gt 50 ]
told without.wakeups [ "$wakes" -gt 50 ]
told without.timers [ "$timers" -gt 5 ]
irqs_without=$irqs timers_without=$timers
# What comes before the settings are made is counted, too.
count --tune
told with.interrupts [ $((irqs * 10)) -lt "$irqs_without" ]
told with.wakeups [ "$wakes" -eq 0 ]
told with.timers [ $((timers * 2)) -lt "$timers_without" ]
jq -r '.notes[]' /out/r.json 2> /dev/null | sed 's/^/# /'
