#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in a guest with two CPUs: CPU 1 sends nmis to CPU 0 at random moments while the
# backend bpf measures there, and most of the time runs a program or is about to. tlob_load
# is not loaded. Prints "pass NAME" or "fail NAME"; /out/storm.json is the result.
set -u
plan=/sys/kernel/debug/tlob_inject/plan
online=/sys/devices/system/cpu/cpu1/online
nmis=20000

verdict() {
	name=$1
	shift
	if "$@"; then echo "pass $name"; else echo "fail $name"; fi
}

# QEMU with a thread for each CPU may lose what the kernel patches while both run. So
# CPU 1 comes (maxcpus=1) when the programs are attached, and goes before they leave.
tlob-load run --backend bpf --cpus 0 --noise-source hooks --period 200us --work spin:50us -d 600s --quiet \
	--json /out/storm.json 2> /tmp/err &
run=$!
tries=0
until grep -qs '^tlob/0$' /proc/$run/task/*/comm; do
	tries=$((tries + 1))
	[ $tries -lt 6000 ] || { echo "# it does not begin: $(cat /tmp/err)"; echo "fail begins"; exit; }
	sleep 0.1
done
sleep 1
echo 1 > $online
taskset 2 sh -c "echo 'storm $nmis 2000' > $plan"
verdict injects test $? -eq 0
echo 0 > $online
kill -INT $run
wait $run
verdict run_ends test $? -eq 0
grep '^storm ' $plan > /out/storm
verdict is_whole test "$(cut -d ' ' -f 2 /out/storm)" = $nmis
