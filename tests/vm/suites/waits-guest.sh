#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: see waits. Its files go to /out.
run() {
	name=$1
	shift
	tlob-load waits --json "/out/$name.json" --folded "/out/$name.folded" -- "$@" 2> "/out/$name.txt"
	echo "$name $?"
}
run cpp /bin/waits-target
run bash /bin/bash -c 'for i in 1 2 3; do sleep 0.03; done; true'
run python /usr/bin/python3 -S -E /sleep.py
tlob-load waits -d 200ms --threshold 10us --json /out/all.json > /out/all.txt 2>&1
echo "all $?"
tlob-load waits --kernel -n 1 --folded - -d 100ms > /out/kernel.folded 2>/dev/null
echo "kernel $?"
grep '^waits: ' /sys/kernel/debug/tlob_load/status > /out/status 2>/dev/null ||
	grep '^waits: ' /sys/kernel/tracing/tlob_load/status > /out/status
