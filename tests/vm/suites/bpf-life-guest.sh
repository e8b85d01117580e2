#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in a guest with two CPUs: what happens to a run of the backend bpf from outside.
# Prints "pass NAME" or "fail NAME". Messages of the tool go to /out/messages. With the argument
# "plain" there is no run with functions.
set -u
json=/tmp/result.json
migration=/proc/sys/kernel/timer_migration
online=/sys/devices/system/cpu/cpu1/online
abi=__x64
[ "$(uname -m)" != aarch64 ] || abi=__arm64

verdict() {
	name=$1
	shift
	if "$@"; then echo "pass $name"; else echo "fail $name"; fi
}

# run ARG...: in the background; its pid is $run.
run() {
	rm -f $json
	tlob-load run --backend bpf --cpus 1 --housekeeping 0 --period 2ms --work spin:200us --quiet --json $json \
		"$@" 2> /tmp/err &
	run=$!
}

# measuring: its thread has begun.
measuring() {
	tries=0
	until grep -qs '^tlob/1$' /proc/$run/task/*/comm && [ "$(cat $migration)" = 0 ]; do
		tries=$((tries + 1))
		[ $tries -lt 6000 ] || { echo "# it does not begin: $(cat /tmp/err)"; return 1; }
		sleep 0.1
	done
	sleep 0.5
}

# ended STATUS: the run ends with it.
ended() {
	wait $run
	status=$?
	cat /tmp/err >> /out/messages
	[ $status -eq "$1" ] || { echo "# status $status, not $1: $(cat /tmp/err)"; return 1; }
}

thread() {
	for task in /proc/"$run"/task/*; do
		[ "$(cat "$task/comm")" != tlob/1 ] || echo "${task##*/}"
	done
}

# counter NAME: of all CPUs, whose object comes first in the result.
counter() {
	grep -o "\"$1\": *[0-9][0-9]*" $json | head -n 1 | sed 's/.*: *//'
}

# nothing_left: no program is loaded, every knob is back.
nothing_left() {
	[ "$(cat $migration)" = 1 ] || { echo "# timer_migration is $(cat $migration)"; return 1; }
	[ ! -e /run/tlob-load.state ] || { echo "# a state file"; return 1; }
	programs=$(grep -l '^prog_id:' /proc/[0-9]*/fdinfo/* 2> /dev/null | wc -l)
	[ "$programs" = 0 ] || { echo "# $programs BPF programs are held"; return 1; }
}

run -d 3s; measuring
verdict quiet_ends ended 0
verdict quiet_adds_up test "$(counter sum_failures)" = 0
verdict quiet_nothing_left nothing_left

run -d 600s; measuring
kill -STOP "$run"; sleep 1; kill -CONT "$run"; sleep 1; kill -INT "$run"
verdict stopped_ends ended 0
verdict stopped_adds_up test "$(counter sum_failures)" = 0
verdict stopped_is_missed test "$(counter missed)" -ge 400

run -d 600s; measuring
taskset -p 1 "$(thread)" > /dev/null
verdict migrated_fails ended 1
verdict migrated_says_so grep -q 'the thread was migrated' /tmp/err
verdict migrated_nothing_left nothing_left

run -d 600s; measuring
echo 0 > $online
verdict offline_fails ended 1
verdict offline_says_so grep -q 'CPU 1 going offline' /tmp/err
echo 1 > $online
verdict offline_nothing_left nothing_left

# Violations are reported when the budget is over. On a busy host the watcher may come too
# late; the guest that counts instructions has the share. Each window is over its budget.
run -n 500 --budget 150us --trace /tmp/trace
verdict violations_end ended 0
reported=$(grep -c "tlob_budget_exceeded: cpu=" /tmp/trace)
verdict violations_reported test "$reported" -ge 1 -a "$reported" -le "$(counter violations)"
echo "# $(counter violations) violations, $reported of them reported when the budget was over"
verdict violations_are_all test "$(counter violations)" -eq 500

# Functions in which tasks of the measured CPU sleep, move and die.
functions() {
	mount -t tracefs tracefs /sys/kernel/tracing 2> /dev/null
	(while :; do (taskset 3 sh -c 'sleep 0.02; ls /bin > /dev/null; kill -9 $$') & sleep 0.1; done) 2> /dev/null &
	load=$!
	run -n 600 --functions 'task=kernel_clone,do_wait,schedule,do_nanosleep,vfs_read' \
		--functions 'wake=try_to_wake_up' --functions "sys=${abi}_sys_nanosleep,${abi}_sys_clock_nanosleep"
	verdict functions_end ended 0
	kill $load
	verdict functions_add_up test "$(counter sum_failures)" = 0
	verdict functions_called grep -q '"task":{"calls":[1-9]' $json
	verdict functions_nothing_left nothing_left
}
[ "${1-}" = plain ] || functions

for i in 1 2 3 4 5; do
	run -d 600s
	sleep $i.$((i * 17 % 10))
	kill -9 $run
	wait $run 2> /dev/null
done
tlob-load restore > /dev/null 2>> /out/messages
verdict killed_nothing_left nothing_left
