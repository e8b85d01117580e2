#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: the workload on all of its CPUs, and what that takes. Prints
# "cpus N bytes_per_cpu B used_kib U enable_us T"; the result goes to /out. A us of
# the writer is a thousand instructions.
set -e
c=/sys/kernel/debug/tlob_load
[ -d $c ] || c=/sys/kernel/tracing/tlob_load
n=$(grep -c ^processor /proc/cpuinfo)
# what is mapped for the module: rings and histograms, each but its guard page
used() {
	awk '/tlob_(ring|hist|run|prepare)/ { sum += $2 - 4096 } END { print int(sum / 1024) }' /proc/vmallocinfo
}

echo kthread > $c/workload
echo "0-$((n - 1))" > $c/cpus
echo hooks > $c/noise_source
echo none > $c/work
echo 20000000 > $c/period_ns
cpu-of sh -c "echo 1 > $c/enable" 2> /tmp/cpu
used=$(used)
bytes=$(awk '$1 == "bytes_per_cpu:" { print $2 }' $c/status)
echo 0 > $c/enable
echo "cpus $n bytes_per_cpu $bytes used_kib $used enable_us $(awk '{ print $2 }' /tmp/cpu)"

tlob-load run --cpus "0-$((n - 1))" --workload kthread --noise-source hooks --period 20ms --budget 1s \
	--work spin:10us -d 1s --quiet --json /out/many.json

[ "$n" != 8 ] || tlob-test monitor_race.reader_of_a_run_beside_a_hog
