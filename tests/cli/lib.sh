# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What tests/cli/run and tests/cli/here share: the environment, the parts, and the tests.
#
# Set before it is sourced: kind, the folder in build and the first word of each name; parts, the
# folder with the part files. A part is a process of its own. It is the reaper of all that its
# tests start, however often that has forked, so nothing outlives the test that started it.
# shellcheck disable=SC2154

# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/../../scripts/lib.sh"

top=$(cd "$(dirname "$0")/../.." && pwd)
tool=$top/tools/tlob-load/tlob-load
# shellcheck disable=SC2034 # the parts use it
lab=$top/tools/tlob-lab/tlob-lab
[ "${SANITIZED-}" != 1 ] || tool=$top/build/sanitized/tlob-load

# plain_environment: nothing of the caller's changes what a program prints.
plain_environment() {
	local name
	for name in $(compgen -e); do
		case $name in
		TLOB_BUILT) ;;
		TLOB_*|LC_*|GIT_*|LANGUAGE|COLUMNS|LINES|NO_COLOR|MAKEFLAGS|MFLAGS|MAKELEVEL|MAKEOVERRIDES|CDPATH|GREP_*|JQ_COLORS|LS_COLORS|POSIXLY_CORRECT|TMUX|BASH_ENV|ENV)
			unset "$name" ;;
		esac
	done
	export LC_ALL=C.UTF-8 LANG=C.UTF-8 TZ=UTC0 TERM=xterm-256color GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
	umask 022
}

# part_names: in the order of their files. What begins with _ is for several parts.
part_names() {
	local file
	for file in "$parts"/[a-z]*.sh; do
		basename "$file" .sh
	done
}

# programs: they are there. TLOB_BUILT=1: whoever set it has built them.
programs() {
	[ "${TLOB_BUILT-}" != 1 ] || [ ! -x "$tool" ] || [ ! -x "$lab" ] || return 0
	make -s -C "$top" lab ${SANITIZED:+sanitized}
}

# reported: what a sanitizer has written, however the program that it ended was called.
reported() {
	[ "${SANITIZED-}" = 1 ] && cat "$own"/reports/* 2> /dev/null && rm -f "$own"/reports/*
}

# valid FILE...: each has the schema of its format.
valid() {
	"$top/tests/schema" "$@"
}

# as_reaper COMMAND...: orphans below it become its children (PR_SET_CHILD_SUBREAPER), and it gets
# SIGTERM when this shell is gone (PR_SET_PDEATHSIG).
as_reaper() {
	/usr/bin/python3 -c 'import ctypes, os, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(36, 1, 0, 0, 0) or libc.prctl(1, signal.SIGTERM, 0, 0, 0):
    sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
# mounts of a test, 0x20000 CLONE_NEWNS and 0x44000 MS_REC|MS_PRIVATE, are gone with the part
os.geteuid() or libc.unshare(0x20000) or libc.mount(b"none", b"/", None, 0x44000, None)
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE):
    signal.signal(number, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}

# running: the children of this shell, orphans of tests among them, as "PID COMMAND LINE".
running() {
	local pid state
	for pid in $(pgrep -P $$); do
		[ "$pid" -ne $BASHPID ] || continue
		state=$(sed -nE 's/^State:\t(.).*/\1/p' "/proc/$pid/status" 2> /dev/null)
		[[ $state == [ZX] || -z $state ]] || echo "$pid $(tr '\0' ' ' < "/proc/$pid/cmdline")"
	done 2> /dev/null
}

# ends_all: SIGKILL to all that still runs below this shell. The children of what it kills become
# its own, so it looks again.
ends_all() {
	local left looks
	for ((looks = 0; looks < 6000; looks++)); do
		left=$(running)
		[ -n "$left" ] || return 0
		cut -d ' ' -f 1 <<< "$left" | xargs -r kill -KILL 2> /dev/null
		sleep 0.01
	done
}

# left_behind: what runs and does not end by itself either. What is in the middle of its end has time.
left_behind() {
	local looks left
	for ((looks = 0; looks < 3000; looks++)); do
		left=$(running)
		[ -n "$left" ] || return 1
		sleep 0.1
	done
	printf 'it left these running:\n%s\n' "$left"
}

# named NAME: it was asked for, and gets the next number.
named() {
	# shellcheck disable=SC2053
	[[ $1 == $only ]] || return 1
	number=$((number + 1))
}

# check NAME COMMAND...: what it prints says why. It runs in a shell of its own, with a process group
# of its own; what that leaves running fails it, and is killed.
check() {
	local name=$1 ok=1
	shift
	named "$name" || return 0
	set -m
	(set +m; "$@") < /dev/null > "$out/.said" 2>&1 3>> "$out/.notes" &
	set +m
	wait $! || ok=0
	[ $ok -eq 0 ] || ! left_behind >> "$out/.said" || ok=0
	ends_all
	! reported >> "$out/.said" || ok=0
	# what a killed measurement has changed
	[ $ok -eq 1 ] || [ ! -e "$TLOB_STATE_FILE" ] || "$tool" restore >> "$out/.said" 2>&1
	[ ! -s "$out/.notes" ] || cat "$out/.notes"
	: > "$out/.notes"
	if [ $ok -eq 1 ]; then
		echo "ok $number - $kind.$name"
		return 0
	fi
	head -n 20 "$out/.said" | cut -c 1-400 | sed 's/^/# /'
	echo "not ok $number - $kind.$name"
	failed=$((failed + 1))
	return 1
}

# skip NAME WHY
skip() {
	named "$1" || return 0
	skipped=$((skipped + 1))
	echo "ok $number - $kind.$1 # SKIP $2"
}

# unsanitized WHY NAME COMMAND...: check, but not with SANITIZED=1.
unsanitized() {
	if [ "${SANITIZED-}" = 1 ]; then
		skip "$2" "$1"
	else
		check "${@:2}"
	fi
}

# await COMMAND...: until it succeeds. The limit ends a hang, and is no measure: ten minutes or more.
await() {
	local looks
	for ((looks = 0; looks < 12000; looks++)); do
		! "$@" || return 0
		sleep 0.05
	done
	echo "never: $*"
	return 1
}

# no COMMAND...: it fails. A bare ! in the middle of a function decides nothing.
no() {
	! "$@"
}

# lacks GREP_ARGUMENT...: grep reads what it is given, and finds nothing. ! grep also passes without the file.
lacks() {
	local status=0
	grep "$@" || status=$?
	[ $status -eq 1 ]
}

# fixture NAME...: what make_NAME makes, in the folder of the part, once.
fixture() {
	local one
	for one; do
		[ ! -e "$out/.made/$one" ] || continue
		(cd "$out" && "make_$one") || { echo "the fixture $one was not made"; return 1; }
		touch "$out/.made/$one"
	done
}

# of_part PART PATTERN NUMBER: its tests, numbered after NUMBER. What they came to is in $out/.counts.
of_part() {
	part=$1 only=$2 number=$3 failed=0 skipped=0
	out=$top/build/$kind/$part
	# a number that no other run on this machine has, in seconds of a sleep: always as long
	# shellcheck disable=SC2034 # tests use it
	printf -v mark '86%07d%04d' $$ $((RANDOM % 10000))
	rm -rf "$out"
	mkdir -p "$out/.made" "$out/home" || exit
	: > "$out/.notes"
	exec 3>&1
	own=$(mktemp -d) || exit
	chmod 755 "$own"
	if [ "${SANITIZED-}" = 1 ]; then
		mkdir -m 1777 "$own/reports" || exit	# of other users as well
		export ASAN_OPTIONS=log_path=$own/reports/asan:exitcode=99:verify_asan_link_order=0
		export UBSAN_OPTIONS=log_path=$own/reports/ubsan:exitcode=99:print_stacktrace=1
	fi
	trap 'ends_all; [ ! -e "$TLOB_STATE_FILE" ] || "$tool" restore; rm -rf "$own"' EXIT
	trap 'exit 1' HUP INT TERM
	unset TLOB_BUILT
	export TLOB_STATE_FILE=$out/killed.state TMUX_TMPDIR=$own
	cd "$out" || exit
	# shellcheck source=/dev/null
	. "$parts/_shared.sh" && . "$parts/$part.sh"
	echo "$number $failed $skipped" > "$out/.counts"
}

# suite ARG...: the command line of both.
suite() {
	local one asked=() was status=0
	number=0 failed=0 skipped=0
	plain_environment
	case ${1-} in
	-h|--help)  usage; exit 0 ;;
	--list)     [ $# -eq 1 ] || misused "--list is alone"; part_names; exit 0 ;;
	--of-part)  shift; of_part "$@"; exit ;;
	-*)         misused "unknown option $1" ;;
	esac
	[ $# -gt 0 ] || mapfile -t asked < <(part_names)
	for one; do
		if [ ! -e "$parts/${one%%/*}.sh" ] || [[ $one = _* ]]; then
			misused "no part ${one%%/*}: $0 --list prints their names"
		fi
		asked+=("$one")
	done
	programs || exit 1
	for one in "${asked[@]}"; do
		was=$number
		rm -f "$top/build/$kind/${one%%/*}/.counts"
		[[ $one == */* ]] || one+='/*'
		status=0
		# not in the foreground: a signal to this shell ends it at once
		as_reaper /bin/bash "$0" --of-part "${one%%/*}" "${one#*/}" "$number" &
		wait $! || status=$?
		if ! read -r number one_failed one_skipped 2> /dev/null < "$top/build/$kind/${one%%/*}/.counts"; then
			number=$((was + 1)) one_failed=1 one_skipped=0
			echo "not ok $number - $kind.${one%%/*} # the part ended with status $status"
		elif [ "$number" -eq "$was" ]; then
			die "no test is named $one"
		fi
		failed=$((failed + one_failed)) skipped=$((skipped + one_skipped))
	done
	echo "1..$number"
	[ "$skipped" -gt 0 ] || [ "$kind" = here ] || skipped=''
	echo "$((number - failed - skipped)) passed, $failed failed${skipped:+, $skipped skipped}"
	[ "$failed" -eq 0 ]
}

# exits CODE PART COMMAND...: it ends with CODE, and PART is in what it says.
exits() {
	local code=$1 part=$2 said status=0
	shift 2
	said=$("$@" 2>&1) || status=$?
	[ $status -eq "$code" ] || { echo "exit $status, not $code: $said"; return 1; }
	[[ $said == *"$part"* ]] || { echo "no '$part' in: $said"; return 1; }
}
