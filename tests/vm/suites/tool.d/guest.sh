#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh - the tests of tests/vm/suites/tool that run inside one guest with two CPUs
#
# Usage (in a guest, as root): sh /guest.sh
#
# Prints "ok NAME", "not ok NAME" or "ok NAME # SKIP why", with lines "# ..." in
# front that tell what was found, and "the end" at last. Results for the host go
# to /out: NAME.json, NAME.status (the kernel's file after the run), NAME.hist.
# shellcheck disable=SC1091,SC2034 # its parts are in the guest, and use what it sets
tracing=/sys/kernel/tracing
control=$tracing/tlob_load
[ -d $control ] || control=/sys/kernel/debug/tlob_load
state=/run/tlob-load.state
dir=/tmp/work
status=0
pid=
mkdir -p /run $dir

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

. /options.sh
. /ends.sh

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
grep -q '2 pairs cannot decide' $dir/out || note "no reason"
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
	# what can only be read stays open: docs/how-to/secure-boot.md
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
