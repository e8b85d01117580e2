#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: the cost of reading, and lost records. Writes lines
# "READER PERIOD-us SECONDS WINDOWS LOST CPU-us RSS-KiB" to /out/readers: the
# windows that the reader got, its CPU time and its largest memory. With SHORT set half of it, and no
# peers.
set -u
t=/sys/kernel/tracing
c=/sys/kernel/debug/tlob_load

# report READER PERIOD SECONDS WINDOWS LOST: adds the last line of cpu-of.
report() {
	echo "$* $(sed -n 's/^cpu-of: //p' /tmp/err)" >> /out/readers
}

# tool WORKLOAD PERIOD SECONDS: with kernel threads its process only reads; with
# user threads its time is also the workload's.
tool() {
	cpu-of tlob-load run --cpus 0 --workload "$1" --noise-source hooks --period "$2us" --work none \
		-d "$3s" --quiet --json "/out/$1.json" --assert 'windows>0' 2> /tmp/err || { cat /tmp/err; exit 1; }
	# the first counters of the file are those of all CPUs
	report "tlob-$1" "$2" "$3" \
		"$(sed 's/.*"all":{"windows":\([0-9]*\).*/\1/' "/out/$1.json")" \
		"$(sed 's/.*"all":{[^{]*"lost":\([0-9]*\).*/\1/' "/out/$1.json")"
}

# No ring is opened: the kernel's histograms are read once, at the end.
histograms() {
	echo kthread > $c/workload
	echo 0 > $c/cpus
	echo "${1}000" > $c/period_ns
	echo none > $c/work
	echo hooks > $c/noise_source
	echo 1 > $c/enable
	sleep "$2"
	cpu-of cat $c/per_cpu/cpu0/hist > /tmp/hist 2> /tmp/err
	grep bytes $c/status > /out/memory
	echo 0 > $c/enable
	report histograms "$1" "$2" "$(sed -n 's/^response n=\([0-9]*\).*/\1/p' /tmp/hist)" 0
}

# rtla reads the raw events of its own instance. This version does not report lost
# events, so the count comes from the trace buffer.
rtla_hist() {
	cpu-of rtla timerlat hist -c 0 -p "$1" -d "$2" -P f:95 > /tmp/rtla 2> /tmp/err &
	sleep "$2"
	lost=$(awk '/^overrun:/ { print $2 }' $t/instances/timerlat_hist/per_cpu/cpu0/stats)
	wait $!
	report rtla "$1" "$2" "$(awk '$1 == "count:" { print $3 }' /tmp/rtla)" "$lost"
}

# 50 us is the shortest period
lengths="2 6"
[ -z "${SHORT-}" ] || lengths="1 2"
for seconds in $lengths; do
	tool kthread 50 "$seconds"
	tool user 50 "$seconds"
	histograms 50 "$seconds"
done
# 100 us is timerlat's shortest period. Its start takes long and varies. The
# difference between a short and a long run is the reading.
[ -n "${SHORT-}" ] || { rtla_hist 100 2; rtla_hist 100 30; }
