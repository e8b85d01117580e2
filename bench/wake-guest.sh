#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: each tool in turn measures the same 1 ms wake-up. Raw ns,
# one a line, go to /out/NAME.wake and .irq, other results next to them. With SHORT set a tenth of it,
# and no peers.
set -u
t=/sys/kernel/tracing
n=3000
[ -z "${SHORT-}" ] || n=300

# timerlat KIND OPTION: KIND is thread or user-ret
echo 0 > $t/tracing_on
echo 0 > $t/osnoise/cpus
echo 1000 > $t/osnoise/timerlat_period_us
echo 0 > $t/osnoise/stop_tracing_us
echo 16384 > $t/buffer_size_kb
timerlat() {
	echo > $t/trace
	echo "$1" > $t/osnoise/options
	echo timerlat > $t/current_tracer
	echo 1 > $t/tracing_on
	if [ "$1" = NO_OSNOISE_WORKLOAD ]; then
		timerlat-user $n
	else
		sleep 3.2
	fi
	echo 0 > $t/tracing_on
	grep timer_latency $t/trace > /tmp/trace
	echo nop > $t/current_tracer
	awk '/context +thread/ { for (i = 1; i < NF; i++) if ($i == "timer_latency") print $(i + 1) }' /tmp/trace |
		tail -n $n > "/out/$2.wake"
	awk '/context +irq/ { for (i = 1; i < NF; i++) if ($i == "timer_latency") print $(i + 1) }' /tmp/trace |
		tail -n $n > "/out/$2.irq"
	awk '/context +user-ret/ { for (i = 1; i < NF; i++) if ($i == "timer_latency") print $(i + 1) }' /tmp/trace |
		tail -n $n > "/out/$2.return"
}
if [ -z "${SHORT-}" ]; then
	timerlat OSNOISE_WORKLOAD timerlat-kthread
	timerlat NO_OSNOISE_WORKLOAD timerlat-user
fi
echo OSNOISE_WORKLOAD > $t/osnoise/options
echo 4 > $t/buffer_size_kb

# has PROGRAM: it may be one of another architecture than the guest's, and not be here.
has() {
	[ -n "$(command -v "$1")" ]
}

! has cyclictest || cyclictest -q -N -m -p 95 -i 1000 -l $n -a 0 -t 1 -h 30000 > /out/cyclictest.txt

# floor SUFFIX
floor() {
	for workload in kthread user; do
		windows $workload floor $n > /tmp/windows || exit 1
		awk -v out="/out/floor-$workload$1" '{
			print $1 > (out ".wake")
			if ($3) print $3 > (out ".first")
		}' /tmp/windows
	done
}
floor ""

# Without a trace: its recorder of command lines adds 114 instructions to each wake-up.
c=/sys/kernel/debug/tlob_load
mkdir $t/instances/wake
echo NO_OSNOISE_WORKLOAD > $t/osnoise/options
echo 0 > $t/osnoise/cpus
for source in hooks osnoise; do
	[ $source = hooks ] || echo osnoise > $t/instances/wake/current_tracer
	for workload in kthread user; do
		name=tlob-$workload-$source
		windows $workload $source $n > /tmp/windows || exit 1
		awk -v out="/out/$name" '{
			print $1 > (out ".wake")
			print $2 > (out ".irq")
			if ($3) print $3 > (out ".first")
		}' /tmp/windows
		# of all windows, the warm-up's too
		sed -n 's/^cpu0:.* windows=\([0-9]*\) .* overhead_ns=\([0-9]*\).*/\1 \2/p' $c/status |
			awk '{ if ($1) print int($2 / $1 + .5) }' > "/out/$name.after"
	done
done
# what osnoise's own hooks add
floor -osnoise
echo nop > $t/instances/wake/current_tracer
rmdir $t/instances/wake

# Their records have no file to read. With a seed the result has each value.
for backend in bpf posix; do
	tlob-load run --backend $backend --cpus 0 --work none --seed 1 --windows $n --quiet --json /out/$backend.json ||
		exit 1
done
