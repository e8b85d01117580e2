#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# start, together and report of tests/vm/lib.sh: whatever does not end as it should counts as failed.
set -u

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"
# a command of a guest has no blanks
out=$(mktemp -d /tmp/tlob-unit.XXXXXX)
trap 'rm -rf "$out"' EXIT

# the guest is a function that runs its suites here
guest() {
	local name=$1
	while [ "$1" != sh ]; do shift; done
	start "$name" env KMSG=/dev/null sh "$top/tests/vm/suites/several-guest.sh" "${@:3}"
}

# prints OUTPUT STATUS
prints() {
	printf '%b' "$1"
	return "$2"
}

# counts WANTED NAME: what report adds to passed, failed and skipped.
counts() {
	passed=0 failed=0 skipped=0
	report "$2" > "$out/report"
	[ "$passed $failed $skipped" = "$1" ] && return
	echo "FAILED: $2: $passed $failed $skipped, not $1: $(cat "$out/report")" >&2
	exit 1
}

# shellcheck disable=SC2028 # the shell of the guest expands them
echo "printf 'ok 1 - x\nok 2 - y\n1..2\n'" > "$out/passes"
# shellcheck disable=SC2028
echo "printf 'not ok 1 - x\n1..1\n'; exit 1" > "$out/fails"
# shellcheck disable=SC2016 # the shell that it kills expands it
# shellcheck disable=SC2028 # the shell of the guest expands them
echo "printf 'ok 1 - x\n'; kill -KILL \$PPID" > "$out/dies"
echo "BUG: of an earlier run" > "$out/one.dmesg"
{
	start one prints 'ok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP why\n1..3\n' 1
	start no-plan prints 'ok 1 - a\n' 0
	start status prints 'ok 1 - a\n1..1\n' 125
	together 6.1.all 6.1 --smp 2 -- good sh "$out/passes" ++ bad sh "$out/fails" ++ last sh "$out/passes"
	together 6.1.dead 6.1 -- before sh "$out/passes" ++ dying sh "$out/dies" ++ never sh "$out/passes"
	wait
} 2> /dev/null
# two more tests of each: it has a plan, it ends with 0 or 1
counts "3 1 1" one
: > "$out/one.dmesg"
counts "3 2 1" one
counts "2 1 0" no-plan
counts "2 1 0" status
echo fine > "$out/6.1.all.dmesg"
# 5 tests, their plans and ends, and the guest's end and log
counts "12 1 0" 6.1.all
# before has a plan and an end, dying neither, and never not even a test
counts "5 5 0" 6.1.dead
echo "start: ok"
