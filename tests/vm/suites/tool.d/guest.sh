#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh - the tests of tests/vm/suites/tool that run inside one guest with two CPUs
#
# Usage (in a guest, as root): sh /guest.sh
#
# Prints "ok NAME", "not ok NAME" or "ok NAME # SKIP why", with lines "# ..." in
# front that say what was found, and "the end" at last. Results for the host go
# to /out: NAME.json, NAME.status (the kernel's file after the run), NAME.hist.
# shellcheck disable=SC1091,SC2034,SC2086,SC2154 # its parts are in the guest, and use what it sets
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

# kept NAME: keep the kernel's counters next to NAME.json.
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

. /options.sh
. /ends.sh
. /backends.sh

# ---- a plan that is carried out, stopped and gone on with ----

# shellcheck disable=SC2016 # the shell that --setup calls expands it
planned() {
	status=0
	(cd $dir && tlob-load plan base tuned --pairs 6 --seed 3 --dir planned --setup 'echo "$1" >> setup.log' -- \
		-c 1 -p 250us -w none -n 3000 --noise-source hooks) > $dir/out 2> $dir/err || status=$?
	# one was worse (2) or too little is known (3), which chance and the host can do
	case $status in 0|2|3) ;; *) note "plan: exit $status" ;; esac
}

planned
is results "$(cd $dir/planned && echo *.json | tr ' ' '\n' | grep -c '^[ab]-00[1-6].json$')" 12
is setups "$(sort $dir/setup.log | uniq -c | tr -s ' ' | tr '\n' ' ')" " 6 base  6 tuned "
grep -q '^[A-Z]*  p99.9(response)' $dir/out || note "no verdict: $(cat $dir/out)"
# nothing that a result says was changed, and nothing is forced
! grep -q FORCED $dir/out || note "forced: $(grep FORCED $dir/out)"
rm $dir/planned/b-001.json
planned
is "setups, again" "$(wc -l < $dir/setup.log)" 13
expect plan_is_carried_out

# ---- without the module ----

if [ $control = $tracing/tlob_load ]; then
	skip no_module "tlob_load is built into this kernel"
	echo "the end"
	exit
elif rmmod tlob_load; then
	before=$(knobs)
	run 77 --backend tlob -c 1 -n 10
	spoke_once
	said 'the module is not installed for Linux'
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
if [ -e $lockdown ] && vm-insmod /vm/modules/*tlob_load.ko && echo integrity > $lockdown; then
	run 77 --backend tlob -c 1 -n 10
	spoke_once
	said 'locked down'
	run 0 -c 1 -n 10 --backend posix
	# programs of BPF may be loaded, if they only read what integrity leaves open
	second=bpf
	tlob-load run --backend bpf -c 1 -n 1 -q 2> $dir/err || second=posix
	run 0 -c 1 -n 10 --json /out/auto.locked_down.json
	is backend "$(json auto.locked_down backend)" $second
	# what can only be read stays open: docs/how-to/secure-boot.md
	grep -q '^state: disabled' $control/status || note "status cannot be read"
	umount ${lockdown%/*}
	run 77 --backend tlob -c 1 -n 10
	said 'locked down'
	mount -t securityfs none ${lockdown%/*}
	# debugfs still opens what can only be read; the module itself does not
	files="monitor_stat waits_records per_cpu/cpu0/hist per_cpu/cpu0/functions_hist"
	for file in $files; do
		cat $control/$file > /dev/null || note "$file cannot be read: integrity"
	done
	echo confidentiality > $lockdown
	for file in $files; do
		! cat $control/$file > /dev/null 2>&1 || note "$file can be read: confidentiality"
	done
	grep -q '^state: disabled' $control/status || note "status cannot be read: confidentiality"
	rmmod tlob_load
	run 77 --backend tlob -c 1 -n 10
	spoke_once
	said 'locked down'
	vm-insmod /vm/modules/*tlob_load.ko 2> /dev/null && note "an unsigned module is loaded"
	[ ! -e $state ] || note "$state is left"
	expect lockdown
else
	skip lockdown "no lockdown in this kernel"
fi
echo "the end"
