#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: a thread of known size in each window, without a module. /out/bpf.thread.base.json
# has the least size, /out/bpf.thread.sizes.json up to 200 us more, /out/errors what went wrong.
set -u
tick=$(bpf-noise tick)
mount -t tracefs tracefs /sys/kernel/tracing 2> /dev/null

# run NAME OPTION...: as bpf-guest.sh has it. The noise has a higher priority.
run() {
	name=$1
	shift
	tlob-load run --backend bpf --cpus 0 --policy fifo:50 --period "${tick}ns" --phase 1ms \
		--work loops:30000 --warm-up 4 --quiet --json "/out/$name.json" "$@" 2>> /out/errors ||
		echo "$name: status $?" >> /out/errors
}

for more in 0 200000; do
	name=bpf.thread.base
	[ $more = 0 ] || name=bpf.thread.sizes
	bpf-noise 30000 $more 2>> /out/errors &
	noise=$!
	run $name --windows 400 --seed 1
	# a futex may time out 50 us late
	[ $more = 0 ] || run beside --windows 50 --budget 100us --timeline --trace /out/beside.trace
	kill $noise
	wait
done
# a function of the kernel keeps the CPU
bpf-noise poll 2>> /out/errors &
noise=$!
tlob-load run --backend bpf --cpus 0 --period 2ms --budget 300us --warm-up 2 --windows 100 --quiet \
	--json /out/late.json 2>> /out/errors || echo "late: status $?" >> /out/errors
kill $noise
wait
tlob-load run --backend bpf --cpus 0 -n 1 --functions x=vfs_read --quiet 2> /out/functions.said
echo $? >> /out/functions.said
tlob-load waits --backend bpf -d 100ms > /dev/null 2> /out/waits.said
echo $? >> /out/waits.said
# what a run changes is back
cat /proc/sys/kernel/timer_migration > /out/timer_migration
