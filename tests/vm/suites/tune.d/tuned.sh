#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tuned - what --tune and --load change is back at each end, and what --tune is good for
#
# Usage: tuned, as root in a guest with two CPUs
#
# Prints "pass NAME" or "fail NAME" for each test, and "# TEXT".
set -u
# shellcheck source=tests/vm/suites/tune.d/lib.sh
. "${0%/*}/lib.sh"
tracing=/sys/kernel/tracing
load="setsid sleep 86399 & sleep 86399"

serial_comes
route_serial
settings > /before

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
told read_only.named grep -q '"tune_left_out":"[^"]*workqueues 2 (Read-only file system)' /out/ro.json
told read_only.rest grep -q '"tune":"[^"]*irq_affinity [0-9]*, timer_migration 1' /out/ro.json
settings > /after
told read_only.put_back cmp -s /before /after

# With BPF other threads run on the measured CPU as well: they must get into the partition.
tlob-load run --backend bpf -c 1 --tune -n 20 -p 5ms -b 20us -w loops:300000 -q --trace /watched \
	--functions sleep=hrtimer_nanosleep --json /out/watched.json > /log 2>&1
told bpf.watched grep -q 'tlob_budget_exceeded: cpu=1' /watched
told bpf.costs grep -q '"probe_ns": *[1-9]' /out/watched.json

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
kill $serial
timeout=0x$(awk '$3 == "process_timeout" { print $1 }' /proc/kallsyms)
tlob-load doctor -c 1 --all > /doctor 2>&1
told doctor.irq grep -qE '^ *(high|medium|info)? *irq' /doctor
told doctor.timer_migration grep -q 'timer.migration' /doctor
count
told without.interrupts [ "$irqs" -gt 50 ]
told without.wakeups [ "$wakes" -gt 50 ]
told without.timers [ "$timers" -gt 5 ]
irqs_without=$irqs timers_without=$timers
cp /out/r.json /out/without.json
# Events before the settings are made are also counted.
count --tune
told with.interrupts [ $((irqs * 10)) -lt "$irqs_without" ]
told with.wakeups [ "$wakes" -eq 0 ]
told with.timers [ $((timers * 2)) -lt "$timers_without" ]
jq -r '.notes[]' /out/r.json 2> /dev/null | sed 's/^/# /'
