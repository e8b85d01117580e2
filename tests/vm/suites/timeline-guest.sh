#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: each backend measures the same injected interruptions, with
# timelines. /out/BACKEND.* has what it wrote, /out/errors what went wrong.
set -u
tick=$(bpf-inject tick)

# run BACKEND NAME OPTION...: 30 windows after the warm-up.
run() {
	backend=$1 name=$2
	shift 2
	tlob-load run --backend "$backend" --cpus 0 --period "${tick}ns" --phase 1ms --warm-up 6 \
		--work loops:100000 --timeline --json "/out/$name.json" "$@" > "/out/$name.text" 2>> /out/errors ||
		echo "$name: status $?" >> /out/errors
}

for backend in tlob bpf; do
	bpf-inject plan irq 60000 20000 thread 130000 50000 nmi 220000 30000 2>> /out/errors &
	injecting=$!
	run "$backend" "$backend.mixed" --windows 30 --budget 50us -v --timeline-json "/out/$backend.trace.json"
	run "$backend" "$backend.stop" --windows 1000 --stop-on 'work.nmi>20us' -v
	kill $injecting
	wait
	# an irq in a thread, which it cuts in two
	bpf-inject plan thread 60000 50000 irq 80000 20000 2>> /out/errors &
	injecting=$!
	run "$backend" "$backend.nested" --windows 30 -v
	kill $injecting
	wait
done
# a kernel thread has no other way to its timelines than the ring
tlob-load run --cpus 0 --workload kthread --work spin:100us --windows 30 --timeline --quiet \
	--json /out/kthread.json 2>> /out/errors || echo "kthread: status $?" >> /out/errors
# what cannot have timelines says so
! tlob-load run --cpus 0 --backend posix --timeline -n 1 2> /out/posix.err || echo "posix did it" >> /out/errors
! tlob-load run --cpus 0 --timeline --noise-source osnoise -n 1 2> /out/osnoise.err ||
	echo "osnoise did it" >> /out/errors
