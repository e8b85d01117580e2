# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034,SC2086,SC2154 # guest.sh, which reads this, has the variables
#
# options.sh - a part of guest.sh: what a run is asked for

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
# more work than runtime: at the next wake-up the thread has to wait for more
run 0 -c 1 --workload kthread --policy deadline:200us/1ms/1ms -w spin:500us -p 1ms -b 900us -n 50 -q --json /out/deadline.json
grep -q '"limited_by": *"its own runtime 200us/1ms"' /out/deadline.json || note "$(grep -o '"limited_by[^,]*' /out/deadline.json)"
grep -q '"flags": *\[[^]]*"throttled"' /out/deadline.json || note "no window is throttled"
grep -q 'the work takes more than the runtime' /out/deadline.json || note "no note"
expect policy.kthread.throttled

run 0 -c 0-1 --align 300us -n 8 -q --json /out/align.json
kept align
expect align

run 0 -c 1 --phase 700us -n 8 -q --json /out/phase.json
kept phase
is phase_ns "$(json phase phase_ns)" 700000
run 0 -c 1 --seed 3 -n 8 -q --json /out/seed.json
is phase_ns "$(cat $control/phase_ns)" "$(json seed phase_ns)"
run 0 -c 1 -n 8 -q
is phase_ns "$(cat $control/phase_ns)" none
expect phase

run 0 -c 1 -n 50 --warm-up 10 -q --json /out/warm_up.json
kept warm_up
is windows "$(first warm_up windows)" 50
is warm_up "$(first warm_up warm_up)" 10
grep -q '^cpu1: .* windows=60 ' $control/status || note "the kernel counts $(grep ^cpu1 $control/status)"
expect warm_up.windows

run 0 -c 1 -d 300ms -q --json /out/duration.json
kept duration
# Nothing else ends it, and how much later it ends is the host's affair.
[ "$(json duration duration_ns)" -ge 300000000 ] || note "ran $(json duration duration_ns) ns"
expect duration

run 0 -c 0-1 -n 100 --hist /out/hist.hist --json /out/hist.json -q
kept hist
expect hist

run 0 -c 1 -n 10 --hist - --quiet
head -c 1 $dir/out | grep -q '#' || note "no histogram on stdout"
expect hist.stdout

run 0 -c 1 -n 10 --quiet
is "bytes of --quiet" "$(cat $dir/out $dir/err | wc -c)" 0
expect quiet

run 0 -c 1 -n 10
grep -q '^OK: 10 windows within 1 ms; worst .* on CPU 1$\|^[0-9]* of 10 windows over 1 ms\|^10 windows within 1 ms, but' $dir/out ||
	note "no outcome: $(head -n 1 $dir/out)"
! grep -q '^.\{81\}' $dir/out || note "more than 80 columns"
[ ! -s $dir/err ] || note "stderr is not empty"
expect text.page

run 0 -c 1 -n 10 -v
grep -q '^worst window' $dir/out || note "no table"
grep -q 'overhead  [0-9.]*us per window.* timer interrupts' $dir/out || note "no overhead"
[ ! -s $dir/err ] || note "stderr is not empty"
expect text.user

run 0 -c 1 -n 10 --workload kthread -v
grep -q 'overhead  [0-9.]*us per window.* timer interrupts' $dir/out || note "no overhead"
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
start -c 1 --dma-latency 5us -q
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

# The activation that stopped NAME.
stopped_at() {
	sed -n 's/.*"stopped_window":{[^}]*"activation":\([0-9]*\).*/\1/p' "/out/$1.json"
}

# trace_ends NAME: the last event of tlob_load is of that activation. Three marks are, too.
trace_ends() {
	grep -q 'sched_switch:' "/out/$1.trace" || note "no sched_switch"
	at=$(stopped_at "$1")
	[ -n "$at" ] || note "stopped by $(json "$1" stopped_by)"
	is "marks in the trace" "$(grep -c "tracing_mark_write: tlob-load: activation $at: " "/out/$1.trace")" 3
	grep 'tlob_window: \|tlob_budget_exceeded: ' "/out/$1.trace" | tail -n 1 |
		grep -q " \(activation\|tag\)=$at " || note "activation $at is not the last of the trace: $(grep -c tlob_window: "/out/$1.trace") windows, $(grep tlob_ "/out/$1.trace" | tail -n 1)"
}

# The last event of CPU 1: another CPU may record one while this one freezes the trace.
last_here() {
	grep '\[001\]' "/out/$1.trace" | grep -v tracing_mark_write | tail -n 1
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
			--trace "/out/$name.trace" -e sched:sched_switch --json "/out/$name.json"
		kept "$name"
		trace_ends "$name"
		[ $warm_up != 0 ] || last_here "$name" | grep -q tlob_budget_exceeded || note "the violation is not the last event"
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

# whole STATUS ARG...: as run, without a missed expiry: that fails an assertion of its own, and no
# message names what is tested. A busy host misses some, so again until there is none.
whole() {
	noted=$why
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		why=$noted
		run "$@" --json /out/assert.json
		[ "$(first assert missed)" != 0 ] || break
	done
	rm -f /out/assert.json
}

whole 0 -c 1 -p 10ms -n 100 -q --assert 'max(response)<10s' --assert 'windows==100' --assert 'p50(wake)>1ns'
expect assert.pass
whole 2 -c 1 -p 10ms -n 100 -q --assert 'max(response)<10s' --assert 'min(response)<1us'
spoke_once
said 'min(response)'
expect assert.fail
run 3 -c 1 -n 50 -q --workload kthread -w none --assert 'max(work.hw)<1000s'
spoke_once
said 'not measured here'
expect assert.unmeasured
