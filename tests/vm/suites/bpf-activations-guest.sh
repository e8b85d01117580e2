#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: each backend watches a periodic thread, from before its first activation.
# /out/BACKEND.events has the kernel's own events, /out/errors what went wrong. Then what the
# BPF programs cost: /out/costs.
set -u
mount -t tracefs tracefs /sys/kernel/tracing 2> /dev/null
activations() {
	rm -f /go
	mkfifo /go
	bpf-activations 200 "/out/$1.events" < /go 2>> /out/errors &
	watched=$!
	exec 4> /go
	tlob-load attach --backend "$1" --tid $watched --budget 10ms --progress 100ms \
		--windows "/out/$1.windows" --json "/out/$1.activations.json" > "/out/$1.text" 2>&1 &
	attach=$!
	until grep -q windows "/out/$1.text"; do
		kill -0 $attach || break
		sleep 0.1
	done
	echo go >&4
	exec 4>&-
	wait $watched || echo "$1 activations: status $?" >> /out/errors
	wait $attach || echo "$1 attach: status $?" >> /out/errors
}
for backend in tlob bpf; do
	activations $backend
done
