#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: regions of attach-target by BPF. /out/NAME.json, .windows, .own (what the program
# printed), .text and .status of each. /out/*.cost has the ns of a region, of a start and of an end:
# without breakpoints, where another process is watched, and watched.
set -u
program='attach-target'

# region NAME OPTION... -- MODE...
region() {
	name=$1
	shift
	tlob-load attach --backend bpf $program --start region_start --stop region_end --budget 100s -q \
		--json "/out/$name.json" --windows "/out/$name.windows" "$@" > "/out/$name.own" 2> "/out/$name.text"
	echo $? > "/out/$name.status"
}

region exact -- clock 1000
region recursive --assert 'violations==0' -- recursive 20 5
region left --assert 'violations==0' -- leave 30
region two --assert 'violations==0' -- hand_over 20
region exec -- exec 5 1
region exec_thread -- exec_thread 5 1
region cut -- exit 30
region fork -- fork 5 1
region all --all -- fork 5 1
region many -- spin 20000 0
region lock --budget 1ms -- lock 5 10
attach-target cost 1000 > /out/without.cost
attach-target forever 10 > /forever &
other=$!
until [ -s /forever ]; do sleep 0.1; done
tlob-load attach --backend bpf --pid $other --start region_start --stop region_end --budget 100s --progress 100ms > /beside 2>&1 &
attach=$!
until grep -q windows /beside; do kill -0 $attach || break; sleep 0.1; done
attach-target cost 1000 > /out/others.cost
kill -INT $attach
wait $attach || { echo "others: attach: $?"; cat /beside; } >> /out/errors
kill -KILL $other
region own -- cost 1000
cp /out/own.own /out/own.cost
region key_own --key arg1 -- cost 1000
cp /out/key_own.own /out/key.cost
program=keys
for key in arg1 goroutine; do
	region key_$key --start request_begins --stop request_ends --key $key -- queue 40 3
done
region key_ret --start make_request --stop request_ends --key ret,arg1 -- made 40 3
region key_again --start request_begins --stop request_ends --key arg1 --assert 'violations==0' -- again 10
