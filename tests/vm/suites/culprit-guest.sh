#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: functions of known names keep the CPU, and the backend bpf measures.
# /out/HOW.WHERE.json and .text have each result, /out/errors what went wrong.
set -u
[ -e /dev/tlob_inject_keep ] || mount -t devtmpfs devtmpfs /dev

# keep HOW WHERE: for longer than a tick
keep() {
	culprit-keep "$1" "$2" 12000000 2>> /out/errors &
	keeping=$!
	tlob-load run --backend bpf --cpus 0 --period 2ms --budget 300us --warm-up 2 --windows 150 \
		--json "/out/$1.$2.json" > "/out/$1.$2.text" 2>> /out/errors ||
		echo "$1 $2: status $?" >> /out/errors
	kill $keeping
	wait
}

for where in call work thread fault; do
	keep preempt $where
	keep lock $where
done
keep irqlock call
keep irqlock work
keep irqs call

# the addresses are hidden: no names, and one note
echo 2 > /proc/sys/kernel/kptr_restrict
mkdir /out/hidden
culprit-keep preempt call 12000000 2>> /out/errors &
keeping=$!
tlob-load run --backend bpf --cpus 0 --period 2ms --budget 300us --warm-up 2 --windows 100 \
	--json /out/hidden/preempt.json > /dev/null 2>> /out/hidden/errors ||
	echo "hidden: status $?" >> /out/errors
kill $keeping
wait
