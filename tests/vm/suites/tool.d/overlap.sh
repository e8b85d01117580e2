# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2086,SC2154 # beside.sh, which reads this, has the variables
#
# overlap.sh - a part of beside.sh: rtla before, during and after a run, in either order

if ! grep -qw osnoise $tracing/available_tracers; then
	skip overlap "no osnoise tracer in this kernel"
	return
fi

knobs() {
	cat $tracing/osnoise/options $tracing/osnoise/cpus 2> /dev/null
}

# restored: osnoise is as it was, and nothing is left to restore.
restored() {
	is "osnoise options and cpus" "$(knobs)" "$before"
	is instances "$(ls $tracing/instances)" ""
	[ ! -e $state ] || note "$state is left: $(cat $state)"
}

# rtla_start ARG...: $rtla in the background, up to its tracer.
rtla_start() {
	$rtla "$@" > $dir/rtla 2>&1 &
	rtla_pid=$!
	wait_for rtla_traces || note "$rtla $*: does not trace: $(head -n 3 $dir/rtla)"
}

rtla_traces() {
	for instance in "$tracing/instances"/*; do
		case $instance in
		*/tlob-load*) continue ;;
		esac
		! grep -q '^timerlat\|^osnoise' "$instance/current_tracer" || return 0
	done
	return 1
}

# rtla_ends: it does, by itself. measured: it has, on CPU 1.
rtla_ends() {
	wait $rtla_pid || note "$rtla: exit $?: $(head -n 3 $dir/rtla)"
}

measured() {
	awk '$1 == "count:" { for (i = 2; i <= NF; i++) n += $i } END { exit !n }' $dir/rtla
}

# rtla_works: with each of its tracers.
rtla_works() {
	for works in timerlat osnoise; do
		$rtla $works hist -c 1 -d 1s > $dir/rtla 2>&1 || note "$rtla $works: exit $?: $(head -n 3 $dir/rtla)"
		measured || note "$rtla $works measured nothing: $(tail -n 5 $dir/rtla)"
	done
}

# run_ends: the run in the background, by SIGINT, as it should.
run_ends() {
	kill -INT $pid
	ends 0
}

noted='osnoise/[a-z]* changed during the run\|also used osnoise'
source=osnoise
grep -q OSNOISE_WORKLOAD $tracing/osnoise/options 2> /dev/null || source=hooks
before=$(knobs)

for rtla in rtla rtla-newest; do
	if ! command -v $rtla > /dev/null; then
		skip overlap.$rtla "there is no $rtla: scripts/deps bench has rtla, scripts/fetch-source 7 the source of the newest"
		continue
	fi
	rtla_works
	restored
	expect overlap.$rtla.before

	start overlap -c 1
	is noise_source "$(sed -n 's/^noise_source: //p' $control/status)" $source
	run_ends
	restored
	rtla_works
	restored
	expect overlap.$rtla.after

	# with hooks none disturbs another
	start overlap -c 1 --noise-source hooks
	is "knobs during a run with hooks" "$(knobs)" "$before"
	rtla_works
	run_ends
	! grep -q "$noted" /out/$name.json || note "a note about osnoise"
	restored
	expect overlap.$rtla.hooks

	# rtla first: the run takes hooks, and either may end first
	for tool in timerlat osnoise; do
		for first in rtla run; do
			rtla_start $tool hist -c 1 -d 15s
			start overlap.$rtla.$tool.$first -c 1
			is noise_source "$(sed -n 's/^noise_source: //p' $control/status)" hooks
			more_windows 50
			if [ $first = rtla ]; then
				rtla_ends
				run_ends
			else
				run_ends
				rtla_ends
			fi
			measured || note "$rtla $tool measured nothing"
			[ $source = hooks ] || grep -q 'tracer is already in use, by the trace instance' /out/$name.json ||
				note "no note about it"
			restored
			expect overlap.$rtla.$tool.rtla_begins.${first}_ends_first
		done
	done

	[ $source = osnoise ] || continue

	# the run first: the kernel refuses timerlat
	start overlap -c 1
	$rtla timerlat hist -c 1 -d 1s > $dir/rtla 2>&1
	! measured || note "$rtla timerlat measured"
	run_ends
	restored
	expect overlap.$rtla.timerlat.run_begins

	# osnoise has no threads as long as the run continues, unless rtla brings them back
	for first in rtla run; do
		seconds=4
		[ $first = rtla ] || seconds=15
		start overlap.$rtla.begun.$first -c 1
		rtla_start osnoise hist -c 1 -d ${seconds}s
		reason='also used osnoise: its threads measured nothing'
		grep -qw NO_OSNOISE_WORKLOAD $tracing/osnoise/options || reason='osnoise/options changed during the run, by the trace instance'
		if [ $first = rtla ]; then
			rtla_ends
			run_ends
		else
			run_ends
			rtla_ends
		fi
		grep -q "$reason" /out/$name.json || note "no note '$reason'"
		case $first,$reason in
		rtla,also*) ! measured || note "$rtla measured without threads" ;;
		*)          measured || note "$rtla measured nothing: $(tail -n 5 $dir/rtla)" ;;
		esac
		[ $first = rtla ] || tlob-load restore > $dir/out 2> $dir/err || note "restore: exit $?"
		restored
		expect overlap.$rtla.osnoise.run_begins.${first}_ends_first
	done

	# a run that is killed, alone and next to rtla
	start overlap.killed -c 1
	kill -KILL $pid
	wait $pid 2> /dev/null
	tlob-load restore > $dir/out 2> $dir/err || note "restore: exit $?"
	restored
	expect overlap.$rtla.killed

	start overlap.killed -c 1
	rtla_start osnoise hist -c 1 -d 15s
	kill -KILL $pid
	wait $pid 2> /dev/null
	rtla_ends
	tlob-load restore > $dir/out 2> $dir/err || note "restore: exit $?"
	restored
	rtla_works
	restored
	expect overlap.$rtla.killed.beside
done

if [ $source = hooks ]; then
	skip overlap.saved "osnoise has no options in this kernel"
	return
fi

# ---- a user that saves what the run had set, and puts it back, as rtla does from 6.14 on ----

user_begins() {
	saved=$(cat $tracing/osnoise/cpus)
	mkdir $tracing/instances/user
	echo OSNOISE_WORKLOAD > $tracing/osnoise/options
	echo 0 > $tracing/osnoise/cpus
	echo osnoise > $tracing/instances/user/current_tracer
}

user_ends() {
	echo nop > $tracing/instances/user/current_tracer
	echo NO_OSNOISE_WORKLOAD > $tracing/osnoise/options
	echo "$saved" > $tracing/osnoise/cpus
	rmdir $tracing/instances/user
}

for killed in no yes; do
	echo 0 > $tracing/osnoise/cpus	# does not cover CPU 1
	start overlap.saved.$killed -c 1
	is "cpus during the run" "$(cat $tracing/osnoise/cpus)" 0-1
	user_begins
	if [ $killed = yes ]; then
		more_windows 20
		kill -KILL $pid
		wait $pid 2> /dev/null
		tlob-load restore > $dir/out 2> $dir/err && note "restore says that all is done"
	else
		run_ends
		grep -q 'osnoise/options changed during the run, by the trace instance user' /out/$name.json ||
			note "no reason in the result"
	fi
	said 'the trace instance user uses osnoise, and may put NO_OSNOISE_WORKLOAD back'
	said 'the trace instance user uses osnoise, and may put 0-1 back'
	is "its options" "$(grep -cw OSNOISE_WORKLOAD $tracing/osnoise/options)" 1
	is "its cpus" "$(cat $tracing/osnoise/cpus)" 0
	# a run meanwhile leaves all as it is
	tlob-load run -q -c 1 -n 10 > $dir/out 2> $dir/err || note "run meanwhile: exit $?"
	is "its cpus after a run" "$(cat $tracing/osnoise/cpus)" 0
	user_ends
	is "brought back" "$(grep -c NO_OSNOISE_WORKLOAD $tracing/osnoise/options)" 1
	tlob-load restore > $dir/out 2> $dir/err || note "restore: exit $?"
	said 'restored 2 settings that an earlier run'
	is "cpus after all" "$(cat $tracing/osnoise/cpus)" 0
	echo "${before##*[!0-9,-]}" > $tracing/osnoise/cpus
	restored
	expect overlap.saved.killed_$killed
done
