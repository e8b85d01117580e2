#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: each backend watches a periodic thread, from before its first activation.
# Then a thread that waits for a mutex with priority inheritance in its epoll loop, two threads that
# wait for the CPU of a third one while an interrupt comes, one that waits for a lock of the kernel's,
# and one that is frozen and stopped.
# /out/BACKEND.events has the kernel's own events, /out/errors what went wrong. /out/*.cost has the
# ns of two wake-ups and two switches, and of a timer with one of each: nothing is watched, another
# thread is, one of both is.
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

# watched BACKEND NAME PROGRAM...: runs it, and attach watches its first thread, or all, from before it begins.
watched() {
	backend=$1 name=$2
	shift 2
	rm -f /go
	mkfifo /go
	"$@" < /go > "/out/$name.said" 2>> /out/errors &
	program=$!
	exec 4> /go
	# shellcheck disable=SC2086 # words
	tlob-load attach --backend "$backend" $threads $program $until --budget 10ms --progress 100ms \
		--windows "/out/$name.windows" --json "/out/$name.json" > "/out/$name.text" 2>&1 4>&- &
	attach=$!
	until grep -q windows "/out/$name.text"; do
		kill -0 $attach || break
		sleep 0.1
	done
	[ "$name" != "$backend.others" ] || echo go | bpf-activations trip > "/out/$name.cost"
	echo go >&4
	exec 4>&-
	[ "$name" != "$backend.disturbed" ] || disturb $program
	wait $program || echo "$name: status $?" >> /out/errors
	wait $attach || echo "$name: attach: status $?" >> /out/errors
}

echo go | bpf-activations trip > /out/none.cost
[ $# -gt 0 ] || set -- tlob bpf
for backend; do
	watched "$backend" "$backend.activations" bpf-activations 200 "/out/$backend.events"
	watched "$backend" "$backend.others" cat
	watched "$backend" "$backend.own" bpf-activations trip
	cp "/out/$backend.own.said" "/out/$backend.own.cost"
	until="--until epoll_wait,read"
	watched "$backend" "$backend.lock" activator lock 20
	until=
	if [ -d /sys/module/tlob_inject ]; then
		threads=--pid
		watched "$backend" "$backend.between" bpf-activations between
		threads=--tid
		watched "$backend" "$backend.kernel" bpf-activations kernel
	fi
	watched "$backend" "$backend.disturbed" activator period 120 5000000 500000
done
truth-target hog hog 40 &
truth-target cycle timerfd > /cycle &
until [ -s /cycle ]; do usleep 10000; done
tlob-load attach --backend bpf --tid "$(cat /cycle)" --budget 2ms -d 500ms -q > /out/soft.text 2>&1
