#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: attach watches a periodic thread, from before its first activation.
# Then a thread that waits for a mutex with priority inheritance in its epoll loop, two threads that
# wait for the CPU of a third one while an interrupt comes, one that waits for a lock of the kernel's,
# one that is frozen and stopped, one whose clock is set while it sleeps, and threads that live for 5 ms.
# /out/activations.events has the kernel's own events, /out/errors what went wrong. /out/*.cost has the
# ns of two wake-ups and two switches, and of a timer with one of each: nothing is watched, another
# thread is, also with --waits, one of both is.
set -u
mount -t tracefs tracefs /sys/kernel/tracing 2> /dev/null
mkdir /groups && mount -t cgroup2 cgroup2 /groups && mkdir /groups/one || echo "no cgroup2" >> /out/errors
until='' threads=--tid

# disturb PID: 200 ms frozen, 100 ms in peace, 200 ms stopped.
disturb() {
	echo "$1" > /groups/one/cgroup.procs
	sleep 0.1
	echo 1 > /groups/one/cgroup.freeze
	sleep 0.2
	echo 0 > /groups/one/cgroup.freeze
	sleep 0.1
	kill -STOP "$1"
	sleep 0.2
	kill -CONT "$1"
}

# watched NAME PROGRAM...: runs it, and attach watches its first thread, or all, from before it begins.
watched() {
	name=$1
	shift
	rm -f /go
	mkfifo /go
	"$@" < /go > "/out/$name.said" 2>> /out/errors &
	program=$!
	exec 4> /go
	# shellcheck disable=SC2086 # words
	tlob-load attach --backend bpf $threads $program $until --budget 10ms --progress 100ms \
		--windows "/out/$name.windows" --json "/out/$name.json" > "/out/$name.text" 2>&1 4>&- &
	attach=$!
	until grep -q windows "/out/$name.text"; do
		kill -0 $attach || break
		sleep 0.1
	done
	case $name in
	others|waits) echo go | bpf-activations trip > "/out/$name.cost" ;;
	esac
	echo go >&4
	exec 4>&-
	case $name in
	disturbed) disturb $program ;;
	set)       sleep 0.5; date -s "@$(($(date +%s) + 3))" > /dev/null ;;
	esac
	wait $program || echo "$name: status $?" >> /out/errors
	wait $attach || echo "$name: attach: status $?" >> /out/errors
}

echo go | bpf-activations trip > /out/none.cost
watched activations bpf-activations 200 /out/activations.events
# who else is chosen is asked in each switch
threads=--pid
watched others cat
threads=--tid
# before 5.17 there are no waits
if tlob-load waits --backend bpf -d 10ms > /dev/null 2>&1; then
	until=--waits
	watched waits cat
	until=
fi
watched own bpf-activations trip
cp /out/own.said /out/own.cost
threads="--rt --pid"
watched jobs activator jobs 4 1000000
threads=--tid
until="--until epoll_wait,read"
watched lock activator lock 20
until=
if [ -d /sys/module/tlob_inject ]; then
	threads=--pid
	watched between bpf-activations between
	threads=--tid
	watched kernel bpf-activations kernel
fi
watched disturbed activator period 120 5000000 500000
watched set activator realtime 2
truth-target hog hog 40 &
truth-target cycle timerfd > /cycle &
until [ -s /cycle ]; do usleep 10000; done
tlob-load attach --backend bpf --tid "$(cat /cycle)" --budget 2ms -d 500ms -q > /out/soft.text 2>&1
