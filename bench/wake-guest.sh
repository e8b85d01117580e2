#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: each tool in turn measures the same 1 ms wake-up. Raw ns,
# one a line, go to /out/NAME.wake and .irq, other results beside them.
set -u
t=/sys/kernel/tracing
n=3000

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
}
timerlat OSNOISE_WORKLOAD timerlat-kthread
timerlat NO_OSNOISE_WORKLOAD timerlat-user
echo OSNOISE_WORKLOAD > $t/osnoise/options
echo 4 > $t/buffer_size_kb

cyclictest -q -N -m -p 95 -i 1000 -l $n -a 0 -t 1 > /out/cyclictest.txt

# The trace has each window's exact wake; recording it lies outside the windows.
for workload in kthread user; do
	for source in osnoise hooks; do
		name=tlob-$workload-$source
		tlob-load run --cpus 0 --period 1ms --work none --workload $workload --noise-source $source \
			-n $n --warm-up 20 --quiet --trace /tmp/trace --json "/out/$name.json" || exit 1
		grep ' tlob_window: ' /tmp/trace > /tmp/windows
		sed -n 's/.* wake=\([0-9]*\).*/\1/p' /tmp/windows | tail -n $n > "/out/$name.wake"
		sed -n 's/.* irq_latency=\([0-9]*\).*/\1/p' /tmp/windows | tail -n $n > "/out/$name.irq"
	done
done
