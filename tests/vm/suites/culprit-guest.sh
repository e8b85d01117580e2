#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: functions of known names keep the CPU, and the backend bpf measures.
# /out/HOW.WHERE.json and .text have each result, /out/errors what went wrong.
set -u
[ -e /dev/tlob_inject_keep ] || mount -t devtmpfs devtmpfs /dev

# keep HOW WHERE [OPTION]...: for longer than a tick
keep() {
	culprit-keep "$1" "$2" 12000000 2>> /out/errors &
	keeping=$!
	name=$1.$2
	shift 2
	tlob-load run --backend bpf --cpus 0 --period 2ms --budget 300us --warm-up 2 --windows 150 \
		--json "/out/$name.json" "$@" > "/out/$name.text" 2>> /out/errors ||
		echo "$name: status $?" >> /out/errors
	kill $keeping
	wait
}

# an action has its window's place
# shellcheck disable=SC2016 # the shell of the action expands it
keep preempt call --on-violation 'shell:echo "$TLOB_WINDOW_FUNCTION $TLOB_WINDOW_ENTRY" >> /out/acts'
keep lock call
for where in work thread fault; do
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
