#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh - the tests of tests/vm/tool that run inside one guest with two CPUs
#
# Usage (in a guest, as root): sh /guest.sh
#
# Prints "ok NAME", "not ok NAME" or "ok NAME # SKIP why", with lines "# ..." in
# front that tell what was found, and "the end" at last. Results for the host go
# to /out: NAME.json, NAME.status (the kernel's file after the run), NAME.hist.
tracing=/sys/kernel/tracing
control=$tracing/tlob_load
[ -d $control ] || control=/sys/kernel/debug/tlob_load
state=/run/tlob-load.state
dir=/tmp/work
status=0
pid=
mkdir -p /run $dir

# shellcheck disable=SC1091 # exists in the guest
. /checks.sh

# run STATUS ARG...: tlob-load run ARG... must exit with STATUS. Where the source
# does not matter, $quick spares the start of the osnoise tracer.
quick=
run() {
	want=$1
	shift
	status=0
	# shellcheck disable=SC2086 # two words or none
	tlob-load run $quick "$@" > $dir/out 2> $dir/err || status=$?
	[ $status -eq "$want" ] || note "run $*: exit $status, not $want"
}

# kept NAME: keep the kernel's counters beside NAME.json.
kept() {
	cp $control/status "/out/$1.status"
}

# json NAME KEY: the first value of KEY in /out/NAME.json.
json() {
	sed -n "s/.*\"$2\":\(\"[^\"]*\"\|[^,}]*\).*/\1/p" "/out/$1.json" | tr -d '"'
}

# first KEY in NAME: sed takes the last one, this the first (that is, of "all").
first() {
	tr ',{' '\n' < "/out/$1.json" | sed -n "s/^\"$2\":\([0-9]*\).*/\1/p" | head -n 1
}

# start ARG...: a run in the background, up to its first windows.
start() {
	tlob-load run "$@" > $dir/out 2> $dir/err &
	pid=$!
	wait_for enabled || note "run $*: not enabled: $(cat $dir/err)"
}

enabled() {
	[ "$(cat $control/enable)" = 1 ] &&
		grep -q '^cpu.* windows=[1-9]' $control/status
}

knobs() {
	cat $tracing/osnoise/options $tracing/osnoise/cpus 2>/dev/null
}

# restored: nothing that the tool changes is other than at the start.
restored() {
	is enable "$(cat $control/enable)" 0
	is "osnoise options and cpus" "$(knobs)" "$before"
	is instances "$(ls $tracing/instances)" "$instances"
	[ ! -e $state ] || note "$state is left"
	[ ! -e $state.new ] || note "$state.new is left"
	is "left in /out" "$(find /out -name '.?*')" ""
}

before=$(knobs)
instances=$(ls $tracing/instances)
osnoise=no
grep -qw osnoise $tracing/available_tracers && osnoise=yes

# ---- every option does what it says ----

for workload in user kthread; do
	for work in none spin:50us elapsed:50us loops:2000 mem:chase,ws=64K \
		    mem:chase,ws=64K,n=500 mem:stream,ws=64K,n=2,node=0; do
		name=$workload.$(echo "$work" | tr ':,=' '...')
		run 0 -c 1 --workload $workload -w "$work" -n 20 -q --json "/out/$name.json"
		kept "$name"
		is work "$(json "$name" work | cut -c 1-4)" "$(echo "$work" | cut -c 1-4)"
		expect "work.$name"
	done
	quick='--noise-source hooks'
	for policy in fifo:1 rr:50 other; do
		name=$workload.$(echo $policy | tr ':' '.')
		run 0 -c 1 --workload $workload --policy $policy -n 20 -q --json "/out/$name.json"
		kept "$name"
		expect "policy.$name"
	done
	quick=
done

case $osnoise in
yes)	sources='osnoise hooks both' ;;
*)	sources='hooks'
	for source in osnoise both; do
		run 77 -c 1 -n 10 --noise-source $source
		spoke_once
		said 'no osnoise tracer'
		restored
		expect "noise_source.$source.refused"
	done ;;
esac
for source in $sources; do
	for workload in user kthread; do
		name=$workload.source.$source
		run 0 -c 1 --workload $workload --noise-source "$source" -n 100 -q --json "/out/$name.json"
		kept "$name"
		is noise_source "$(json "$name" noise_source)" "$source"
		[ "$source" != both ] || grep -q 'largest difference' "/out/$name.json" || note "no difference"
		restored
		expect "noise_source.$name"
	done
done

quick='--noise-source hooks'
run 0 -c 1 --workload kthread --policy deadline:500us/1ms/1ms -n 20 -q
expect policy.kthread.deadline

run 0 -c 0-1 --align 300us -n 8 -q --json /out/align.json
kept align
expect align

run 0 -c 1 -n 50 --warm-up 10 -q --json /out/warm_up.json
kept warm_up
is windows "$(first warm_up windows)" 50
is warm_up "$(first warm_up warm_up)" 10
grep -q '^cpu1: .* windows=60 ' $control/status || note "the kernel counts $(grep ^cpu1 $control/status)"
expect warm_up.windows

run 0 -c 1 -d 300ms -q --json /out/duration.json
kept duration
ns=$(json duration duration_ns)
if [ "$ns" -lt 300000000 ] || [ "$ns" -ge 1300000000 ]; then
	note "ran $ns ns"
fi
expect duration

run 0 -c 0-1 -n 100 --hist /out/hist.hist --json /out/hist.json -q
kept hist
expect hist

run 0 -c 1 -n 10 --json - --quiet
head -c 1 $dir/out | grep -q '{' || note "no JSON on stdout"
is lines "$(wc -l < $dir/out)" 1
[ ! -s $dir/err ] || note "--quiet spoke"
expect json.stdout

run 0 -c 1 -n 10 --hist - --quiet
head -c 1 $dir/out | grep -q '#' || note "no histogram on stdout"
expect hist.stdout

run 0 -c 1 -n 10 --quiet
is "bytes of --quiet" "$(cat $dir/out $dir/err | wc -c)" 0
expect quiet

run 0 -c 1 -n 10
grep -q '^worst window' $dir/out || note "no table"
grep -q 'overhead  [0-9.]*us after each window.* timer interrupts' $dir/out || note "no overhead"
[ ! -s $dir/err ] || note "stderr is not empty"
expect text.user

run 0 -c 1 -n 10 --workload kthread
grep -q 'overhead  [0-9.]*us after each window.* timer interrupts' $dir/out || note "no overhead"
expect text.kthread

run 77 -c 1 -n 10 --idle-state 0
spoke_once
said cpuidle
restored
expect idle_state.unsupported

holds_latency() {
	for fd in "/proc/$pid/fd"/*; do
		[ "$(readlink "$fd")" != /dev/cpu_dma_latency ] || return 0
	done
	return 1
}
start -c 1 --dma-latency 5 -q
holds_latency || note "it is not held"
is latency "$(od -An -t d4 -N 4 /dev/cpu_dma_latency | tr -d ' ')" 5
kill -INT $pid
ends 0
start -c 1 --dma-latency off -q
! holds_latency || note "off holds it"
kill -INT $pid
ends 0
expect dma_latency

# CPUs of the threads: the tool on 0, its worker on 1
start -c 1 --housekeeping 0 -q --json /out/housekeeping.json
worker=$(grep -l '^tlob/1$' /proc/$pid/task/*/comm | cut -d / -f 5)
is "CPUs of the tool" "$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/$pid/status)" 0
is "CPUs of the worker" "$(sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$pid/task/$worker/status")" 1
kill -INT $pid
ends 0
kept housekeeping
is housekeeping "$(json housekeeping housekeeping)" 0
is cpus "$(json housekeeping cpus)" 1
expect housekeeping

if [ -e /sys/fs/cgroup/cgroup.procs ]; then
	mkdir -p /sys/fs/cgroup/domain /sys/fs/cgroup/threaded
	start -c 1 --cgroup domain -q
	is cgroup.procs "$(cat /sys/fs/cgroup/domain/cgroup.procs)" $pid
	kill -INT $pid
	ends 0
	echo threaded > /sys/fs/cgroup/threaded/cgroup.type
	start -c 1 --cgroup /sys/fs/cgroup/threaded -q
	worker=$(grep -l '^tlob/1$' /proc/$pid/task/*/comm | cut -d / -f 5)
	is cgroup.threads "$(cat /sys/fs/cgroup/threaded/cgroup.threads)" "$worker"
	kill -INT $pid
	ends 0
	run 1 -c 1 --cgroup nowhere -n 10
	spoke_once
	restored
	expect cgroup
else
	skip cgroup "no cgroup v2"
fi

# ---- --stop-on and the trace ----

quick=

# The activation that "stopped_by" of NAME tells of.
stopped_at() {
	sed -n 's/.*"stopped_by":"[^"]*activation \([0-9]*\))".*/\1/p' "/out/$1.json"
}

# trace_ends NAME: the last event of tlob_load is of that activation.
trace_ends() {
	grep -q 'sched_switch:' "/out/$1.trace" || note "no sched_switch"
	at=$(stopped_at "$1")
	[ -n "$at" ] || note "stopped by $(json "$1" stopped_by)"
	grep 'tlob_window: \|tlob_budget_exceeded: ' "/out/$1.trace" | tail -n 1 |
		grep -q " \(activation\|tag\)=$at " || note "activation $at is not the last of the trace: $(grep -c tlob_window: "/out/$1.trace") windows, $(grep tlob_ "/out/$1.trace" | tail -n 1)"
}

# The last event of CPU 1: another CPU may record one while this one freezes the trace.
last_here() {
	grep '\[001\]' "/out/$1.trace" | tail -n 1
}

for workload in user kthread; do
	# The drain may be late: the kernel must have frozen the trace by then.
	for warm_up in 0 7; do
		name=$workload.stop.metric.$warm_up
		run 0 -c 1 --workload $workload --warm-up $warm_up --stop-on 'wake > 1ns' -d 20s -q \
			--trace "/out/$name.trace" -e sched:sched_switch --json "/out/$name.json"
		kept "$name"
		trace_ends "$name"
		last_here "$name" | grep -q tlob_window || note "the window is not the last event"
		is violator "$(stopped_at "$name")" "$(sed -n 's/.*tlob_window: .* activation=\([0-9]*\) .* flags=0x\(0\|40\|2\|42\) .*/\1/p' "/out/$name.trace" | head -n 1)"
		restored
		expect "stop_on.$name"

		name=$workload.stop.violation.$warm_up
		run 0 -c 1 --workload $workload --warm-up $warm_up -b 30us -w spin:60us --stop-on 'violations>0' -d 20s -q \
			--trace "/out/$name.trace" -e sched:sched_switch --print-stack --json "/out/$name.json"
		kept "$name"
		trace_ends "$name"
		grep -q 'tlob_stack: .* <- [a-z_]*+0x' "/out/$name.trace" || note "no frames in tlob_stack"
		[ $warm_up != 0 ] || last_here "$name" | grep -q tlob_stack || note "the stack is not the last event"
		restored
		expect "stop_on.$name"
	done
done

run 0 -c 1 -n 20 -q --trace /out/plain.trace
is "windows in the trace" "$(grep -c 'tlob_window: ' /out/plain.trace)" 20
expect trace.whole

run 1 -c 1 -n 20 -q --trace /out/none.trace -e nosuch:event
spoke_once
said nosuch
[ ! -e /out/none.trace ] || note "a trace was written"
restored
expect trace.unknown_event

run 77 -c 1 -d 5s -w loops:1000 --stop-on 'work.hw>1us'
spoke_once
restored
expect stop_on.unmeasured.hw
if grep -q '^unavailable:.*wake.softirq' /out/user.none.status; then
	run 77 -c 1 -d 5s --workload kthread --stop-on 'wake.softirq>1us'
	spoke_once
	restored
	expect stop_on.unmeasured.softirq
else
	skip stop_on.unmeasured.softirq "this kernel measures it"
fi

# ---- assertions ----

quick='--noise-source hooks'

run 0 -c 1 -n 200 -q --assert 'max(response)<10s' --assert 'windows==200' --assert 'p50(wake)>1ns'
expect assert.pass
run 2 -c 1 -n 200 -q --assert 'max(response)<10s' --assert 'min(response)<1us'
spoke_once
said 'min(response)'
expect assert.fail
run 2 -c 1 -n 50 -q --assert 'p99.9(wake)<1000s'
spoke_once
expect assert.no_data
run 2 -c 1 -n 50 -q --workload kthread -w none --assert 'max(work.hw)<1000s'
spoke_once
expect assert.unmeasured

# ---- signals ----

for workload in user kthread; do
	for signal in INT TERM HUP; do
		name=$workload.SIG$signal
		start -c 1 --workload $workload --json "/out/$name.json" --hist "/out/$name.hist" --trace "/out/$name.trace"
		kill -$signal $pid
		ends 0
		kept "$name"
		is stopped_by "$(json "$name" stopped_by)" SIG$signal
		grep -q "stopped by  SIG$signal" $dir/out || note "no table"
		[ -s "/out/$name.hist" ] || note "no histogram"
		[ -s "/out/$name.trace" ] || note "no trace"
		restored
		expect "signal.$name"
	done
	start -c 1 --workload $workload
	kill -USR1 $pid
	table() {
		grep -q '^cpu  windows' $dir/err
	}
	wait_for table || note "no table on stderr"
	[ ! -s $dir/out ] || note "something on stdout"
	[ "$(cat $control/enable)" = 1 ] || note "it has ended the run"
	kill -INT $pid
	ends 0
	expect "signal.$workload.SIGUSR1"

	# in the calibration: before enable, or with no window yet. It keeps CPU 1.
	taskset -p 1 $$ > /dev/null
	tlob-load run -c 1 --workload $workload -w loops:4000000000 -p 1s -b 100s > $dir/out 2> $dir/err &
	pid=$!
	wait_for test -e $state || note "no state file"
	usleep 400000
	kill -INT $pid
	ends 1
	taskset -p 3 $$ > /dev/null
	spoke_once
	restored
	expect "signal.$workload.calibrating"
done

# At any moment: whatever has happened by then is taken back. The shell has made
# the job ignore SIGINT, so it is SIGTERM that ends what does not catch it yet.
for ms in 0 10 20 40 60 80 120 160; do
	tlob-load run -c 1 -q --trace /out/any.trace --json /out/any.json > $dir/out 2> $dir/err &
	pid=$!
	usleep $((ms * 1000))
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	# 143: before it caught signals
	case $status in 0|1|143) ;; *) note "after $ms ms: exit $status: $(cat $dir/err)" ;; esac
	restored
	rm -f /out/any.*
done
expect signal.any_moment

guest-helper pty tlob-load run -c 1 -d 200ms > $dir/pty 2>&1 || note "exit $?"
grep -q 's  windows [0-9]*  violations' $dir/pty || note "no live line on a terminal"
grep -q '^worst window' $dir/pty || note "no table"
guest-helper pty tlob-load run -c 1 -d 200ms -q > $dir/pty 2>&1 || note "exit $?"
[ ! -s $dir/pty ] || note "--quiet shows a live line"
run 0 -c 1 -d 200ms
[ ! -s $dir/err ] || note "a live line without a terminal"
expect live_line

# ---- usage ----

usage() {
	status=0
	tlob-load "$@" > $dir/out 2> $dir/err || status=$?
	[ $status -eq 129 ] || note "'$*': exit $status"
	spoke_once
	! grep -q 'help.*help' $dir/err || note "'$*': two hints at the help"
}
usage
usage nonsense
usage restore now
while read -r line; do
	# shellcheck disable=SC2086 # words are what it is about
	usage run $line
done <<-END
	--bogus
	-x
	surplus
	-c
	-c x
	--housekeeping x
	-p 1
	-p 1us
	-p 2s
	-b 1ns
	-b 2h
	-w nonsense
	-w spin
	-w mem:chase
	--workload other
	--policy fifo
	--policy fifo:0
	--policy fifo:100
	--policy deadline:1/2/3
	--policy deadline:2ms/1ms/1ms --workload kthread
	-d 10
	-d 1us
	-n 0
	-n x
	--warm-up -1
	--warm-up 1000001
	--noise-source none
	--align 2s
	--hw-threshold 1ns
	--idle-state 10
	--dma-latency 5us
	--dma-latency -2
	--stop-on wake
	--stop-on wake>50
	--stop-on max(wake)>50us
	--stop-on missed>0
	--assert wake<50us
	--assert p101(wake)<50us
	--assert windows<5us
	-e sched
	--print-stack
	-e a/b --trace t
	--trace=
	--json=
	--json f --hist f
	--quiet=yes
END
restored
expect usage

run 1 -c 64 -n 10
spoke_once
run 1 -c 1 --housekeeping 64 -n 10
spoke_once
restored
expect cpus.missing

for words in --help 'run --help' 'run -q -h' 'restore --help' --version 'run --version'; do
	# shellcheck disable=SC2086 # words
	tlob-load $words >> $dir/out || note "$words: exit $?"
done
grep -q 'trace.txt' $dir/out || note "no text of the help"
expect help

# ---- what is in the way ----

guest-helper nobody tlob-load run -c 1 -n 10 > $dir/out 2> $dir/err
is exit $? 1
spoke_once
said root
guest-helper nobody tlob-load restore > $dir/out 2> $dir/err
is "exit of restore" $? 0
expect not_root

mkdir -p /out/directory
for option in --json --hist --trace; do
	for file in /nowhere/f /out/directory /proc/f; do
		run 1 -c 1 -n 10 $option $file
		spoke_once
		said "$file"
	done
	run 1 -c 1 -n 10 -q $option /dev/full
	spoke_once
done
for option in --help --version 'run --help' 'restore --help'; do
	# shellcheck disable=SC2086 # a command and its option
	tlob-load $option > /dev/full 2> $dir/err
	is "exit of $option" $? 1
	spoke_once
done
rmdir /out/directory
restored
expect output.unwritable

echo old > /out/keep
run 2 -c 1 -n 10 -q --json /out/keep --assert 'windows<1'
grep -q '^{' /out/keep || note "a failed assertion loses the result"
echo old > /out/keep
run 1 -c 1 -n 10 -q --json /out/keep --hist /nowhere/f
is "the old file" "$(cat /out/keep)" old
rm /out/keep
# a link is written through, as /dev/stdout is one
ln -s $dir/target /out/link
run 0 -c 1 -n 10 -q --json /out/link
[ -L /out/link ] || note "the link is gone"
grep -q '^{' $dir/target || note "nothing came through the link"
rm /out/link
ln -s /proc/self/fd/1 $dir/stdout
run 0 -c 1 -n 10 -q --json $dir/stdout
[ -L $dir/stdout ] || note "the link to stdout is gone"
grep -q '^{' $dir/out || note "nothing came to stdout"
expect output.replaced

echo 1 > $control/enable
run 1 -c 1 -n 10
spoke_once
said 'in progress'
[ "$(cat $control/enable)" = 1 ] || note "the foreign run was ended"
echo 0 > $control/enable
restored
expect foreign_run

start -c 1 -q
tlob-load run -c 0 -n 10 > $dir/out 2> $dir/err2
is "exit of the second" $? 1
grep -q "another tlob-load is running (pid $pid)" $dir/err2 || note "said: $(cat $dir/err2)"
tlob-load restore > $dir/out 2> $dir/err2
is "exit of restore" $? 1
[ "$(cat $control/enable)" = 1 ] || note "the first run was ended"
kill -INT $pid
ends 0
restored
expect second_tool

# ---- killed runs ----

quick=

# Poison: options and CPUs that are not the default must come back as they were.
if [ $osnoise = yes ]; then
	echo PANIC_ON_STOP > $tracing/osnoise/options 2>/dev/null || echo OSNOISE_PREEMPT_DISABLE > $tracing/osnoise/options
	echo 0 > $tracing/osnoise/cpus
	before=$(knobs)
fi
for workload in user kthread; do
	for by in restore run; do
		start -c 1 --workload $workload --trace /out/killed.trace --json /out/killed.json -q
		[ -s $state ] || note "no state file"
		[ -d $tracing/instances/tlob-load ] || note "no instance"
		[ $osnoise = no ] || [ "$(knobs)" != "$before" ] || note "nothing was changed"
		kill -KILL $pid
		wait $pid 2>/dev/null
		[ -e $state ] || note "the state file is gone already"
		if [ $by = restore ]; then
			tlob-load restore > $dir/out 2> $dir/err || note "restore: exit $?"
		else
			run 0 -c 1 -n 10 -q
		fi
		said 'took back'
		restored
		is "half a file" "$(find /out -name 'killed.*')" ""
		expect "killed.$workload.$by"
	done
done
tlob-load restore > $dir/out 2> $dir/err || note "exit $?"
grep -q 'nothing to restore' $dir/out || note "said: $(cat $dir/out $dir/err)"
expect restore.nothing

# A state file that lists what some other kill has left, osnoise's options too.
mkdir -p $tracing/instances/tlob-load
echo poison > $dir/knob
{
	echo "tlob-load-state 1"
	echo "owner 999999 1"
	echo "instance $tracing/instances/tlob-load"
	printf 'file %s\t%s\n' $dir/knob mended
	printf 'file %s\t%s\n' $dir/gone anything
	if [ $osnoise = yes ]; then
		printf 'file %s\t%s\n' $tracing/osnoise/options OSNOISE_WORKLOAD
		printf 'file %s\t%s\n' $tracing/osnoise/cpus 0
	fi
} > $state
if [ $osnoise = yes ]; then
	echo NO_OSNOISE_WORKLOAD > $tracing/osnoise/options
	echo 1 > $tracing/osnoise/cpus
fi
run 0 -c 1 -n 10 -q
is knob "$(cat $dir/knob)" mended
restored
expect killed.stale_state

echo nonsense > $state
run 1 -c 1 -n 10
spoke_once
is "the damaged file" "$(cat $state)" nonsense
rm $state
restored
: > $state
run 0 -c 1 -n 10 -q
restored
expect killed.damaged_state

ln -s $dir/knob $state
run 1 -c 1 -n 10
rm $state
echo "tlob-load-state 1" > $state
chmod 666 $state
run 1 -c 1 -n 10
rm $state
expect state.not_ours

# ---- somebody else's tracer ----

if [ $osnoise = yes ]; then
	for tracer in osnoise timerlat; do
		mkdir $tracing/instances/foreign
		echo NO_OSNOISE_WORKLOAD > $tracing/osnoise/options
		echo 1 > $tracing/osnoise/cpus
		echo $tracer > $tracing/instances/foreign/current_tracer
		was=$(knobs)
		run 0 -c 1 -n 10 -q --json /out/foreign.json
		is noise_source "$(json foreign noise_source)" hooks
		grep -q "the $tracer tracer is active in the trace instance foreign" /out/foreign.json ||
			note "no note about it"
		run 1 -c 1 -n 10 --noise-source osnoise
		spoke_once
		said foreign
		is "its tracer" "$(cat $tracing/instances/foreign/current_tracer)" $tracer
		is "its knobs" "$(knobs)" "$was"
		echo nop > $tracing/instances/foreign/current_tracer
		rmdir $tracing/instances/foreign
		echo OSNOISE_WORKLOAD > $tracing/osnoise/options
		echo 0 > $tracing/osnoise/cpus
		restored
		expect "foreign_tracer.$tracer"
	done
else
	skip foreign_tracer "no osnoise tracer in this kernel"
fi

# ---- a plan that is carried out, stopped and gone on with ----

# shellcheck disable=SC2016 # the shell that --setup calls expands it
planned() {
	status=0
	(cd $dir && tlob-load plan base tuned --pairs 2 --seed 3 --dir planned --setup 'echo "$1" >> setup.log' --run -- \
		-c 1 -p 250us -w none -n 3000 --noise-source hooks) > $dir/out 2> $dir/err || status=$?
	[ $status -eq 0 ] || note "plan --run: exit $status"
}

planned
is results "$(cd $dir/planned && echo *.json) " "a-001-1.json a-001-2.json a-002-1.json a-002-2.json b-001.json b-002.json "
is setups "$(sort $dir/setup.log | uniq -c | tr -s ' ' | tr '\n' ' ')" " 4 base  2 tuned "
grep -q '^INCONCLUSIVE  p99.9(response)' $dir/out || note "no verdict: $(cat $dir/out)"
grep -q '2 pairs decide nothing' $dir/out || note "no reason"
rm $dir/planned/b-001.json
planned
is "setups, again" "$(wc -l < $dir/setup.log)" 7
expect plan_is_carried_out

# ---- without the module ----

if [ $control = $tracing/tlob_load ]; then
	skip no_module "tlob_load is built into this kernel"
	echo "the end"
	exit
elif rmmod tlob_load; then
	before=$(knobs)
	run 77 -c 1 -n 10
	spoke_once
	said 'module is not loaded'
	[ ! -e $state ] || note "$state is left"
	is "osnoise options and cpus" "$(knobs)" "$before"
	is instances "$(ls $tracing/instances)" "$instances"
else
	note "rmmod failed"
fi
expect no_module

# ---- lockdown, which nothing but a reboot ends ----

lockdown=/sys/kernel/security/lockdown
[ -e $lockdown ] || mount -t securityfs none ${lockdown%/*}
if [ -e $lockdown ] && insmod /vm/modules/*tlob_load.ko && echo integrity > $lockdown; then
	run 77 -c 1 -n 10
	spoke_once
	said 'locked down'
	# what can only be read stays open: docs/secure-boot.md
	grep -q '^state: disabled' $control/status || note "status cannot be read"
	umount ${lockdown%/*}
	run 77 -c 1 -n 10
	said 'locked down'
	mount -t securityfs none ${lockdown%/*}
	rmmod tlob_load
	run 77 -c 1 -n 10
	spoke_once
	said 'locked down'
	insmod /vm/modules/*tlob_load.ko 2> /dev/null && note "an unsigned module is loaded"
	[ ! -e $state ] || note "$state is left"
	expect lockdown
else
	skip lockdown "no lockdown in this kernel"
fi
echo "the end"
