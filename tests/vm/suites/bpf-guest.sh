#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: each backend measures the same injected interruptions.
# /out/BACKEND.KIND.base.json has them with the least size, /out/BACKEND.KIND.sizes.json
# with up to 200 us more, /out/errors what went wrong.
set -u
tick=$(bpf-inject tick)
kinds='irq softirq nmi thread irqsoff' call=__x64_sys_getppid with_functions='tlob bpf'
[ "$(uname -m)" != aarch64 ] || kinds='irq softirq thread irqsoff' call=__arm64_sys_getppid with_functions=bpf

# run BACKEND NAME: 400 windows after the warm-up. The work is a number of
# instructions, which an interruption does not shorten. With a seed the result has each
# value.
run() {
	tlob-load run --backend "$1" --noise-source hooks --cpus 0 --period "${tick}ns" --phase 1ms \
		--work loops:30000 --warm-up 4 --windows 400 --seed 1 --quiet --json "/out/$2.json" 2>> /out/errors
}

# sized BACKEND KIND
sized() {
	# in the work, or with irqs off across the expiry
	offset=30000 least=0
	[ "$2" != irqsoff ] && [ "$2" != steal ] || offset=-60000 least=70000
	for more in 0 200000; do
		name=$1.$2.base
		[ $more = 0 ] || name=$1.$2.sizes
		bpf-inject "$2" $offset $least $((least + more)) 2>> /out/errors &
		injecting=$!
		run "$1" "$name" || echo "$name: status $?" >> /out/errors
		kill $injecting
		wait
	done
}

for backend in tlob bpf; do
	for kind in $kinds; do
		sized $backend "$kind"
	done
done
# a fake clock of stolen time, which BPF programs find on arm64
if [ "$(uname -m)" = aarch64 ]; then
	echo 'steal 1' > /sys/kernel/debug/tlob_inject/plan
	sized bpf steal
	echo 'steal 0' > /sys/kernel/debug/tlob_inject/plan
fi
# the same functions with both: 100 system calls, and the timer at each expiry
mount -t tracefs tracefs /sys/kernel/tracing 2> /dev/null
functions() {
	backend=$1
	shift
	tlob-load run --backend "$backend" --noise-source hooks --cpus 0 --period "${tick}ns" --phase 1ms \
		--work syscall:100 --warm-up 4 --windows 100 --quiet "$@" 2>> /out/errors ||
		echo "$backend functions: status $?" >> /out/errors
}
for backend in $with_functions; do
	functions "$backend" --json "/out/$backend.functions.json" --functions "sys=$call" \
		--functions 'timer=hrtimer_interrupt,__hrtimer_run_queues'
done
functions bpf --json /out/bpf.plain.json
# the work sleeps in the same function as the backend bpf, which waits for the expiry
for backend in $with_functions; do
	functions "$backend" --work sleep:1ms --json "/out/$backend.sleep.json" --functions nap=hrtimer_nanosleep
done
for set in 'many=*mutex*,hrtimer_*,vfs_*' 'never=do_exit' 'rcu=raise_softirq'; do
	tlob-load run --backend bpf --cpus 0 -n 1 --functions "$set" --quiet 2>> /out/refused
	echo "$set: $?" >> /out/refused
done
# violations, reported when the budget is over
tlob-load run --backend bpf --cpus 0 --period 2ms --budget 150us --work spin:200us --windows 500 --quiet \
	--json /out/violations.json --trace /out/violations.trace 2>> /out/errors
# what a backend changes is back, and nothing stays attached
cat /proc/sys/kernel/timer_migration > /out/timer_migration
