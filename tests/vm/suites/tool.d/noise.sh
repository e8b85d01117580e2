#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# noise.sh - the tests of tests/vm/suites/tool about noise of known kind, and about what
# the table on a terminal costs
#
# Usage (in a deterministic guest with one CPU and tlob_inject, as root): sh /noise.sh
#
# Prints as guest.sh does. Each kind of noise is made several times, at another place of
# the window each time. The work fills most of the period, so one of them at least falls
# into it, and its window is the worst. Results for the host go to /out: table.*.json.
# shellcheck disable=SC1091,SC2034,SC2086,SC2154 # its parts are in the guest, and use what it sets
. /checks.sh

plan=/sys/kernel/debug/tlob_inject/plan
mount -t debugfs none /sys/kernel/debug 2> /dev/null

sh /sized.sh || note "a run of sized.sh failed"
sh /works.sh || note "a run of works.sh failed"
expect sized.runs

measuring() {
	[ "$(cat $control/enable)" = 1 ] && grep -q '^cpu.* windows=[1-9]' $control/status
}

# inject KIND NS: four of them, 37 ms apart. The clock has a resolution of 10 ms here, and
# next to the workload this shell has a seventh of the CPU, so the first comes late.
inject() {
	sed "s/\.//; s/ .*//; s/^0*//; s/\$/0000000/" /proc/uptime > $dir/now	# no octal number
	lines=$(for n in 1 2 3 4; do
		echo "$1 $(($(cat $dir/now) + 500000000 + n * 37000000)) $2"
	done)
	echo "$lines" > $plan || note "no plan"	# one write: the next one would disarm it
}

# stops: the run for 30 ms, as Ctrl-Z does. Its thread waits for an expiry, mostly.
stops() {
	kill -STOP "$pid"
	usleep 30000
	kill -CONT "$pid"
}

# outcome NAME TEXT COMMAND RUN_OPTION...: the first line of a run during which COMMAND
# makes noise says TEXT.
outcome() {
	name=$1 text=$2 command=$3
	shift 3
	tlob-load run --noise-source hooks -d 2s --json "/out/noise.$name.json" "$@" > $dir/out 2> $dir/err &
	pid=$!
	wait_for measuring || note "no windows: $(cat $dir/err)"
	$command
	wait $pid || note "exit $?"
	tr '\n' ' ' < $dir/out | sed 's/  */ /g' > $dir/line
	grep -q "^[0-9 ]* of [0-9 ]* windows over [0-9]* [mu]s.*; worst [0-9.]* ms on CPU 0: $text" $dir/line ||
		note "no '$text': $(cut -c -200 $dir/line)"
	expect "noise.$name"
}

busy='-p 20ms -w spin:17ms -b 17500us'
outcome irq '[0-9]* % in interrupts' 'inject irq 2500000' $busy
outcome nmi '[0-9]* % in NMIs' 'inject nmi 2500000' $busy
outcome thread '[0-9]* % while inject_thread (pid [0-9]*) ran' 'inject thread 2500000' $busy
case $(uname -v) in
*PREEMPT_RT*) skip noise.softirq "softirqs run in threads that wait for the workload" ;;
*)            outcome softirq '[0-9]* % in softirqs' 'inject softirq 2500000' $busy ;;
esac
outcome irq_delay '[>0-9]* % waiting for the timer interrupt while inject_irqsoff (pid [0-9]*) ran' \
	'inject irqsoff 25000000' -p 20ms -w none -b 1ms
outcome stopped '[>0-9]* % stopped by a signal or a debugger' stops -p 20ms -w spin:1ms -b 5ms
outcome work '[>0-9]* % in its own work.*the work takes 2 ms, and the budget is 1 ms: every window must exceed it' \
	: -p 20ms -w spin:2ms -b 1ms
outcome missed '.*missed: [0-9 ]* of [0-9 ]* expiries (50 %).*the work takes 1.5 ms, and the period is 1 ms: expiries must be missed RT throttling is on' \
	: -p 1ms -w spin:1500us

# The same run with the table on a terminal and without it, twice.
for n in 1 2; do
	for how in off table; do
		progress=
		[ $how = table ] || progress='--progress off'
		guest-helper pty tlob-load run -n 4000 --warm-up 100 --seed 1 -v --noise-source hooks $progress \
			--json "/out/table.$how.$n.json" > "$dir/pty.$how" 2>&1 || note "$how: exit $?"
	done
done
[ "$(grep -c 'cpu windows  viol' $dir/pty.table)" -ge 15 ] || note "$(grep -c 'cpu windows' $dir/pty.table) tables"
! grep -q 'cpu windows  viol' $dir/pty.off || note "a table with --progress off"
expect table.drawn

# Kernel threads: the table is made of their records, the result of the kernel's histograms.
guest-helper pty tlob-load run -n 1000 --workload kthread --noise-source hooks \
	--json /out/table.kthread.json > $dir/pty.kthread 2>&1 || note "exit $?"
[ "$(grep -c 'cpu windows  viol' $dir/pty.kthread)" -ge 3 ] || note "no tables"
# on the same line what takes the table away
grep -q 'OK: 1 0[0-9]* windows within 1 ms; worst ' $dir/pty.kthread || note "no outcome: $(tail -n 22 $dir/pty.kthread | head -n 1)"
expect table.kthread

# page NAME RUN_OPTION...: the same as NAME: of bench/run.
page() {
	name=$1
	shift
	tlob-load run -n 300 --warm-up 20 --seed 1 -w none -q --json "/out/page.$name.json" "$@" || note "$name: exit $?"
}
for workload in kthread user; do
	page tlob-$workload-hooks --workload $workload --noise-source hooks
	[ ! -d $tracing/osnoise ] || page tlob-$workload-osnoise --workload $workload --noise-source osnoise
done
for backend in bpf posix; do
	page tlob-user-$backend --backend $backend
done
expect page.runs
echo "the end"
