# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# backends.sh - a part of guest.sh: who can have which backend, and what posix leaves alone
# shellcheck disable=SC2086,SC2154 # words; what guest.sh sets

# as WHO ARG...: tlob-load ARG... as root, as nobody, or as root of a user namespace
as() {
	who=$1
	shift
	status=0
	case $who in
	root)   tlob-load "$@" > $dir/out 2> $dir/err || status=$? ;;
	nobody) guest-helper nobody tlob-load "$@" > $dir/out 2> $dir/err || status=$? ;;
	userns) guest-helper nobody unshare -U -r tlob-load "$@" > $dir/out 2> $dir/err || status=$? ;;
	esac
}

# All that a run with posix must leave as it was.
outside() {
	cat /proc/mounts
	knobs
	ls $tracing/instances /run
	cat $control/enable $control/status /proc/sys/kernel/timer_migration 2>/dev/null
	cat /sys/devices/system/cpu/cpu*/cpuidle/state*/disable 2>/dev/null
}

# posix WHO NAME: it measures, and touches nothing.
posix() {
	outside > $dir/outside.before
	as "$1" run --backend posix -c 0-1 -n 100 -w spin:20us -q --json -
	is "posix, status" $status 0
	[ ! -s $dir/err ] || note "posix spoke"
	outside | cmp -s - $dir/outside.before || note "posix: something outside has changed"
	cp $dir/out "/out/posix.$2.json"
	is backend "$(json "posix.$2" backend)" posix
	is reason "$(json "posix.$2" backend_because)" null
	is windows "$(first "posix.$2" windows)" 200
	case $1 in
	root) is policy "$(json "posix.$2" policy)" fifo:95 ;;
	*)    is policy "$(json "posix.$2" policy)" other
	      grep -q 'limits.conf.*setcap' "/out/posix.$2.json" || note "no way to real-time priority" ;;
	esac
}

# refuses WHO: what posix cannot do is refused with one line, before anything runs.
refuses() {
	for cannot in '--workload kthread' "--trace $dir/t" '--noise-source hooks' '--idle-state 0' \
		'--stop-on irq>1us' '--stop-on work.irq>1us' '--assert max(wake.thread)<1us'; do
		as "$1" run --backend posix -c 1 -n 10 $cannot
		is "$cannot" $status 77
		spoke_once
		said 'the backend posix cannot do this'
	done
	[ ! -e $dir/t ] || note "a trace was begun"
}

# every_user NAME WHY: root, a user and a user namespace; WHY is why not tlob.
every_user() {
	for who in root nobody userns; do
		if [ $who = userns ] && ! guest-helper nobody unshare -U -r true 2>/dev/null; then
			skip "backend.$1.$who" "no user namespaces for users in this kernel"
			continue
		fi
		posix $who "$1.$who"
		refuses $who
		# only root has bpf, where kernel and build allow it
		second=posix
		as $who run --backend bpf -c 1 -n 1 -q
		[ $status -ne 0 ] || second=bpf
		[ $second = posix ] || is "who has bpf" $who root
		as $who run -c 1 -n 100 -w none --noise-source auto -q --json -
		is "auto, status" $status 0
		cp $dir/out "/out/auto.$1.$who.json"
		as $who run --backend tlob -c 1 -n 10 -q
		if [ "$1.$who" = loaded.root ]; then
			is "tlob, status" $status 0
			is backend "$(json "auto.$1.$who" backend)" tlob
			is reason "$(json "auto.$1.$who" backend_because)" null
			rm "/out/auto.$1.$who.json"
		else
			is "tlob, status" $status 77
			spoke_once
			said "$2"
			is backend "$(json "auto.$1.$who" backend)" $second
			grep -q "\"backend_because\":\"not tlob: [^\"]*$2" "/out/auto.$1.$who.json" || note "no reason in the JSON"
			as $who run --workload kthread -c 1 -n 10
			is "kthread, status" $status 77
			said "$2"
		fi
		restored_if_there
		expect "backend.$1.$who"
	done
}

# The files of the module are there only while it is.
restored_if_there() {
	[ ! -e $control/enable ] || restored
}

every_user loaded 'run as root'

# Alone, without arguments.
tlob-load > $dir/out 2> $dir/err &
pid=$!
wait_for enabled || note "not enabled"
kill -INT $pid
ends 0
grep -q '^stopped by  SIGINT' $dir/out || note "no table: $(head -n 3 $dir/out $dir/err)"
grep -q 'work none, period 1ms' $dir/out || note "other settings: $(head -n 3 $dir/out)"
grep -q 'CPUs 1, backend' $dir/out || note "other CPUs: $(head -n 3 $dir/out)"
restored
expect backend.alone
