# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034,SC2086,SC2154 # guest.sh, which reads this, has the variables
#
# ends.sh - a part of guest.sh: how a run ends, or does not begin, and what it leaves

# ---- signals ----

for workload in user kthread; do
	for signal in INT TERM HUP; do
		name=$workload.SIG$signal
		start -c 1 --workload $workload --json "/out/$name.json" --hist "/out/$name.hist" --trace "/out/$name.trace"
		kill -$signal $pid
		ends 0
		kept "$name"
		is stopped_by "$(json "$name" stopped_by)" SIG$signal
		cut_by SIG$signal out
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

# What a killed run leaves is a result up to its last checkpoint.
for workload in user kthread; do
	partial() {
		grep -q '"partial":true' /out/checkpoint.$workload.json 2> /dev/null
	}
	start -c 1 --workload $workload -q --checkpoint 1s --json /out/checkpoint.$workload.json
	wait_for partial || note "no checkpoint"
	kept checkpoint.$workload
	kill -KILL $pid
	wait $pid 2> /dev/null
	tlob-load restore > $dir/out 2>&1 || note "restore: $(cat $dir/out)"
	tlob-load report -f text /out/checkpoint.$workload.json | grep -q '^partial' || note "report does not say it"
	restored
	expect "checkpoint.$workload"
done

# At any moment: whatever has happened by then is taken back. The shell has made
# the job ignore SIGINT; SIGTERM ends a run that does not catch it yet.
for ms in 0 10 20 40 60 80 120 160; do
	tlob-load run -c 1 -q --trace /out/any.trace --json /out/any.json > $dir/out 2> $dir/err &
	pid=$!
	cut_off $ms
	restored
	rm -f /out/any.*
done
expect signal.any_moment

run 1 -c 64 -n 10
spoke_once
run 1 -c 1 --housekeeping 64 -n 10
spoke_once
restored
expect cpus.missing

# ---- what is in the way ----

guest-helper nobody tlob-load run --backend tlob -c 1 -n 10 > $dir/out 2> $dir/err
is exit $? 77
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
rmdir /out/directory
restored
expect output.unwritable

echo old > /out/keep
run 2 -c 1 -n 10 -q --json /out/keep --assert 'windows<1'
grep -q '^{' /out/keep || note "a failed assertion loses the result"
echo old > /out/keep
run 1 -c 1 -n 10 -q --json /out/keep --hist /nowhere/f
[ ! -e /out/keep ] || note "the file of an earlier run passes for that of one that failed"
rm -f /out/keep
expect output.replaced

echo 1 > $control/enable
run 1 -c 1 -n 10
spoke_once
said 'in progress'
[ "$(cat $control/enable)" = 1 ] || note "the foreign run was ended"
echo 0 > $control/enable
restored
expect foreign_run

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
		ls -d $tracing/instances/tlob-load.* > /dev/null 2>&1 || note "no instance"
		[ $osnoise = no ] || [ "$(knobs)" != "$before" ] || note "nothing was changed"
		kill -KILL $pid
		wait $pid 2>/dev/null
		[ -e $state ] || note "the state file is gone already"
		if [ $by = restore ]; then
			tlob-load restore > $dir/out 2> $dir/err || note "restore: exit $?"
		else
			run 0 -c 1 -n 10 -q
		fi
		said 'restored [0-9]* setting'
		restored
		is "half a file" "$(find /out -name 'killed.*')" ""
		expect "killed.$workload.$by"
	done
done
tlob-load restore > $dir/out 2> $dir/err || note "exit $?"
grep -q 'nothing to restore' $dir/out || note "said: $(cat $dir/out $dir/err)"
expect restore.nothing

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
		grep -q "the $tracer tracer is already in use, by the trace instance foreign" /out/foreign.json ||
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
