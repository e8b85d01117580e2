#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# start and report of tests/vm/lib.sh: what an earlier run has left goes, directories
# of the same name stay, and what a command printed and how it ended is counted.
set -u

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# suite OUTPUT STATUS: prints OUTPUT and ends so.
suite() {
	printf '%b' "$1"
	return "$2"
}

mkdir "$out/one.d"
echo "not ok 1 - before" > "$out/one.tap"
echo "BUG: before" > "$out/one.dmesg"
{
	start one suite 'ok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP why\n1..3\n' 1
	start two suite 'ok 1 - a\n' 0
	start three suite 'ok 1 - a\n1..1\n' 125
	wait
} 2> "$out/said"
[ ! -s "$out/said" ] || fail "start says: $(cat "$out/said")"
[ -d "$out/one.d" ] || fail "a directory is gone"
[ ! -e "$out/one.dmesg" ] || fail "a log of an earlier run stays"
[ "${names[*]}" = "one two three" ] || fail "names: ${names[*]}"

# counts WANTED NAME: what report adds to the totals.
counts() {
	passed=0 failed=0 skipped=0
	report "$2" > "$out/report"
	[ "$passed $failed $skipped" = "$1" ] || fail "$2: $passed $failed $skipped, not $1: $(cat "$out/report")"
}
# its own tests, and two more: that it has a plan, and its status
counts "3 1 1" one
counts "2 1 0" two
grep -q 'not ok - two has its plan' "$out/report" || fail "a plan is not missed"
counts "2 1 0" three
grep -q 'not ok - three ends with 0 or 1, not 125' "$out/report" || fail "a status is not seen"
: > "$out/one.dmesg"
counts "3 2 1" one
echo "start: ok"
