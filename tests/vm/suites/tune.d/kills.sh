#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kills - SIGKILL at random moments of runs with --tune and --load
#
# Usage: kills COUNT SEED, as root in a guest with two CPUs
#
# The moments are random in the time that a run of this boot took to begin, to end, and to be
# put back: so each phase is hit, on a slow host as well. The list in the state file shows
# afterwards which it was. Prints "pass NAME" or "fail NAME" for each test, "# TEXT", and
# "hit PHASE COUNT" for each phase.
set -u
# shellcheck source=tests/vm/suites/tune.d/lib.sh
. "${0%/*}/lib.sh"
kills=$1 seed=$2
state=/run/tlob-load.state
enable=/sys/kernel/debug/tlob_load/enable
load="setsid sleep 86399 & sleep 86399"
phases='begin settings partition load measuring end_load put_back restoring'
for phase in $phases; do eval "$phase=0"; done

# now: centiseconds since the boot, in $up; without a process.
now() {
	read -r up _ < /proc/uptime
	up=${up%.*}${up#*.}
}

# random LIMIT: sleeps for a part of LIMIT centiseconds.
random() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	usleep $((seed / 1000 % ($1 * 10) * 1000))
}

start() {
	tlob-load run -c 1 --tune -d 1h -w none -q --load "$load" --load "$load" > /dev/null 2> /started &
	pid=$!
}

# measures: waits until the run measures. Fails if it does not within ten minutes.
measures() {
	now
	until=$((up + 60000))
	while read -r on < $enable && [ "$on" != 1 ] && [ "$up" -lt $until ]; do now; done
	[ "$on" = 1 ]
}

# find_phase ENDING: what the killed run was at, in $phase.
find_phase() {
	files=0 partition_is=no load_is=no measuring_is=no
	while read -r kind path; do
		case $kind$path in
		file*/enable*)  measuring_is=yes ;;
		file*|irq*)     files=$((files + 1)) ;;
		cgroup*.load)   load_is=yes ;;
		cgroup*)        partition_is=yes ;;
		esac
	done 2> /dev/null < $state
	case $1$load_is$measuring_is$partition_is in
	yesyes*)     phase=end_load ;;
	yes*)        phase=put_back ;;
	noyesyes*)   phase=measuring ;;
	noyes*)      phase=load ;;
	nononoyes)   phase=partition ;;
	*)           phase=settings; [ $files -gt 0 ] || phase=begin ;;
	esac
}

# next_start N: a run or restore, in turn, in the background; its process is $pid.
next_start() {
	if [ $(($1 % 2)) -eq 0 ]; then
		tlob-load run -c 1 -n 1 -w none -q > /log 2>&1 &
	else
		tlob-load restore > /log 2>&1 &
	fi
	pid=$!
}

# kill_it: without a warning. True if it was still there.
kill_it() {
	kill -9 $pid 2> /dev/null
	wait $pid 2> /dev/null
	[ $? -eq 137 ]
}

kill_with_keepers() {
	all=
	for task in /proc/[0-9]*/comm; do
		comm=
		{ read -r comm < "$task"; } 2> /dev/null
		task=${task%/comm}
		case $comm in tlob-load|tlob-keeper) all="$all ${task#/proc/}" ;; esac
	done
	# shellcheck disable=SC2086 # a list
	kill -9 $pid $all 2> /dev/null
	wait $pid 2> /dev/null
}

serial_comes
route_serial
settings > /before

# How long it takes here: the least of three, since a busy host stretches one now and then.
to_begin=999999 to_end=999999 to_restore=999999
# least NAME FROM: the time since FROM, if that is less.
least() {
	now
	eval "[ \$$1 -le $((up - $2)) ] || $1=$((up - $2 + 1))"
}
for round in 1 2 3; do
	now; from=$up
	start
	measures || { echo "# no run measures here ($round)"; sed 's/^/# /' /started; exit 1; }
	least to_begin "$from"
	now; from=$up
	kill -INT $pid
	wait $pid
	least to_end "$from"
	start; measures; kill_it
	now; from=$up
	tlob-load restore > /log 2>&1
	least to_restore "$from"
done
echo "# a run begins in ${to_begin}0 ms, ends in ${to_end}0 ms, is put back in ${to_restore}0 ms"
memory() { sed -n 's/^MemAvailable: *//p' /proc/meminfo; }
memory_before=$(memory)

# mended N: waits for the keepers, which end their loads by themselves, and compares.
mended() {
	tries=0
	while settings > /after; ! cmp -s /before /after && [ $tries -lt 12000 ]; do
		tries=$((tries + 1))
		usleep 10000
	done
	cmp -s /before /after && return
	wrong=$((wrong + 1))
	echo "# kill $1 ($phase) left:"
	diff /before /after | head -n 8 | sed 's/^/# /'
	sed 's/^/# /' /log | head -n 4
}

# Of five kills three are on the way to the measurement or in it, one is at the end, and one in
# the start that puts back. Each third takes the keepers along.
n=0 wrong=0 keepers=0 late=0
while [ $n -lt "$kills" ]; do
	n=$((n + 1))
	ending=no
	start
	if [ $((n % 5)) -eq 3 ]; then
		measures
		kill -INT $pid
		random $to_end
		ending=yes
	else
		random $((to_begin * 5 / 4))
	fi
	if [ $((n % 3)) -eq 0 ]; then
		kill_with_keepers
		keepers=$((keepers + 1))
	else
		kill_it
	fi
	if [ $ending = yes ] && [ ! -e $state ]; then
		late=$((late + 1))
		phase=over
	else
		find_phase $ending
		eval "$phase=\$(($phase + 1))"
	fi
	if [ $((n % 5)) -eq 4 ] && [ -e $state ]; then
		next_start 1
		random $to_restore
		kill_it && [ -e $state ] && phase=restoring && restoring=$((restoring + 1))
	fi
	next_start $((n / 5))
	wait $pid
	mended $n
done
echo "# $kills kills, $late of them after the end, $keepers also of the keepers; $wrong not mended"
echo "# memory available: $memory_before before, $(memory) after"
for phase in $phases; do eval "echo hit $phase \$$phase"; done
told killed.put_back [ $wrong -eq 0 ]
