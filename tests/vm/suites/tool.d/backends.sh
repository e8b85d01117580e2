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

# every_user: root, a user and a user namespace, with the module. What posix does for them and cannot
# do, and what is said without the module, is tested in tests/cli/here.d/posix.sh.
every_user() {
	for who in root nobody userns; do
		if [ $who = userns ] && ! guest-helper nobody unshare -U -r true 2>/dev/null; then
			skip "backend.loaded.$who" "no user namespaces for users in this kernel"
			continue
		fi
		outside > $dir/outside.before
		as $who run --backend posix -c 0-1 -n 100 -w spin:20us -q --json -
		is "posix, status" $status 0
		cp $dir/out "/out/posix.$who.json"
		outside | cmp -s - $dir/outside.before || note "posix: something outside has changed"
		as $who run -c 1 -n 100 -w none --noise-source auto -q --json -
		is "auto, status" $status 0
		cp $dir/out "/out/auto.$who.json"
		as $who run --backend tlob -c 1 -n 10 -q
		if [ $who = root ]; then
			is "tlob, status" $status 0
			is backend "$(json auto.$who backend)" tlob
			is reason "$(json auto.$who backend_because)" null
			rm /out/auto.$who.json
		else
			is "tlob, status" $status 77
			spoke_once
			said 'run as root'
			# only root has bpf
			is backend "$(json auto.$who backend)" posix
			grep -q '"backend_because":"not tlob: [^"]*run as root' /out/auto.$who.json || note "no reason in the JSON"
		fi
		restored
		expect backend.loaded.$who
	done
}
every_user
