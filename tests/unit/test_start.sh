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

# several suites in one guest: the guest is a function that runs them here
guest() {
	local name=$1
	while [ "$1" != sh ]; do shift; done
	start "$name" env KMSG=/dev/null sh "$top/tests/vm/suites/several-guest.sh" "${@:3}"
}
cat > "$out/passes" <<'END'
printf 'ok 1 - x\nok 2 - y\n1..2\n'
END
cat > "$out/fails" <<'END'
printf 'not ok 1 - x\n1..1\n'
exit 1
END
cat > "$out/dies" <<'END'
printf 'ok 1 - x\n'
kill -KILL $PPID
END
together 6.1-x.all 6.1-x --smp 2 -- good sh "$out/passes" ++ bad sh "$out/fails" ++ last sh "$out/passes"
together 6.1-x.dead 6.1-x -- before sh "$out/passes" ++ dying sh "$out/dies" ++ never sh "$out/passes"
wait
[ "${suites[6.1-x.all]}" = "6.1-x.good 6.1-x.bad 6.1-x.last " ] || fail "suites: ${suites[6.1-x.all]}"
echo fine > "$out/6.1-x.all.dmesg"
# 5 tests, their plans and ends, and the guest's end and log
counts "12 1 0" 6.1-x.all
[ "$(cat "$out/6.1-x.bad.status")" = 1 ] || fail "the status of a suite"
[ "$(cat "$out/6.1-x.bad.tap")" = $'not ok 1 - x\n1..1' ] || fail "the output of a suite"
# 3 tests; before has a plan and an end, dead neither, and never not even a test
counts "5 5 0" 6.1-x.dead
grep -q 'not ok - 6.1-x.dying has its plan' "$out/report" || fail "a death is not missed: $(cat "$out/report")"
grep -q 'not ok - 6.1-x.never has ended' "$out/report" || fail "what never ran is not missed: $(cat "$out/report")"
echo "start: ok"
