#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# culprit.sh FEW WAY...: runs in the guest. Functions of known names keep the CPU, and each way
# measures. /out/WAY/HOW.WHERE.json and .text have each result, /out/errors what went wrong.
# FEW: only these WAY.HOW.WHERE, where it is not empty.
set -u
few=$1
shift
[ -e /dev/tlob_inject_keep ] || mount -t devtmpfs devtmpfs /dev

# options_of WAY
options_of() {
	case $1 in
	bpf)     echo --backend bpf ;;
	hooks)   echo --backend tlob --noise-source hooks ;;
	osnoise) echo --backend tlob --noise-source osnoise --workload kthread ;;
	esac
}

# left_out WAY.HOW.WHERE
left_out() {
	[ -n "$few" ] && ! echo "$few" | grep -qwF "$1"
}

# keep WAY HOW WHERE [OPTION]...: for longer than a tick
keep() {
	way=$1
	name=$2.$3
	! left_out "$way.$name" || return
	culprit-keep "$2" "$3" 12000000 2>> /out/errors &
	keeping=$!
	shift 3
	# shellcheck disable=SC2046 # several words
	tlob-load run $(options_of "$way") --cpus 0 --period 2ms --budget 300us --warm-up 2 --windows 60 \
		--json "/out/$way/$name.json" "$@" > "/out/$way/$name.text" 2>> /out/messages ||
		echo "$way $name: status $?: $(cat /out/messages)" >> /out/errors
	kill $keeping
	wait
}

for way; do
	mkdir "/out/$way"
	# an action has its window's place
	# shellcheck disable=SC2016 # the shell of the action expands it
	keep "$way" preempt call --on-violation 'shell:echo "$TLOB_WINDOW_FUNCTION $TLOB_WINDOW_ENTRY" >> /out/'"$way"'/acts'
	keep "$way" irqlock call
	[ "$way" != osnoise ] || continue
	for where in fault exit softirq; do
		keep "$way" preempt $where
	done
	keep "$way" irqs call
	[ "$way" = bpf ] || continue
	keep bpf lock call
	for where in work thread fault; do
		keep bpf lock $where
	done
	keep bpf preempt work
	keep bpf preempt thread
	keep bpf irqlock work
done

# activates PRIORITY WORK_NS: sets thread, which sleeps until times, every 2 ms
activates() {
	echo go | culprit-keep fifo "$1" activator period 100000 2000000 "$2" > /dev/null 2>> /out/errors &
	thread=$!
}

# attached HOW WHERE [OPTION]...: the same by attach, of a thread that works for 50 us.
# WHERE call.long: for 120 us. When a wait for half of the budget is late, a stack would make it a violation.
# call.second: a thread of a higher priority comes first, so it is the one that leaves the CPU. Both are watched.
attached() {
	! left_out "attach.$1.$2" || return
	culprit-keep "$1" "${2%.*}" 12000000 2>> /out/errors &
	keeping=$!
	work=50000 first='' watched=''
	case $2 in
	*.long)   work=120000 ;;
	*.second) activates 60 50000; first=$thread watched="--comm activator" ;;
	esac
	activates 50 $work
	watched=${watched:---tid $thread}
	name=$1.$2
	shift 2
	# shellcheck disable=SC2086 # an option and its value
	tlob-load attach $watched --until clock_nanosleep --budget 300us \
		-d 400ms -v --json "/out/attach/$name.json" "$@" > "/out/attach/$name.text" 2>> /out/errors ||
		echo "attach $name: status $?" >> /out/errors
	# shellcheck disable=SC2086 # perhaps none
	kill $keeping $thread $first
	wait
}

mkdir /out/attach
# shellcheck disable=SC2016 # the shell of the action expands it
attached preempt call --on-violation 'shell:echo "$TLOB_WINDOW_FUNCTION $TLOB_WINDOW_ENTRY" >> /out/attach/acts'
attached preempt call.long
attached preempt call.second
attached irqlock call
attached irqs call

# the addresses are hidden: no names, and one note
echo 2 > /proc/sys/kernel/kptr_restrict
mkdir /out/hidden
culprit-keep preempt call 12000000 2>> /out/errors &
keeping=$!
tlob-load run --backend bpf --cpus 0 --period 2ms --budget 300us --warm-up 2 --windows 60 \
	--json /out/hidden/preempt.json > /dev/null 2>> /out/hidden/errors ||
	echo "hidden: status $?" >> /out/errors
kill $keeping
wait
