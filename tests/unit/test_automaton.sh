#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/automaton: automaton.h and the picture match docs/explanation/tlob.dot, and
# --check notices a change of one of the three.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
header=kernel/trace/tlob/split/automaton.h

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# copy: a tree with only the files that the script needs.
copy() {
	rm -rf "$work/tree"
	mkdir "$work/tree"
	(cd "$top" && cp --parents scripts/automaton docs/explanation/tlob.{dot,svg} $header "$work/tree")
}

# refused SED FILE WORDS: --check fails with WORDS after this change of FILE.
refused() {
	local status=0
	copy
	cp "$work/tree/$2" "$work/before"
	sed -i "$1" "$work/tree/$2"
	! cmp -s "$work/before" "$work/tree/$2" || fail "$1 changes nothing in $2"
	"$work/tree/scripts/automaton" --check 2> "$work/said" || status=$?
	[ $status -eq 1 ] || fail "$1 in $2: exit $status"
	grep -qF -- "$3" "$work/said" || fail "$1 in $2: $(cat "$work/said")"
}

"$top/scripts/automaton" --check || fail "run scripts/automaton"
dot=docs/explanation/tlob.dot
refused 's/"running" -> "sleeping"/"running" -> "waiting"/' $dot "$header is not what"
refused 's/"budget_expired\\nwakeup"/"budget_expired"/' $dot "$header is not what"
refused 's/doublecircle/circle/' $dot "$header is not what"
refused 's/"sleep"/"stop"/' $dot "running has stop already"
refused 's/-> "waiting"/-> "wating"/' $dot "no state, or not used: ['wating']"
refused '/__init_unmonitored" ->/d' $dot "no state, or not used: ['None']"
refused 's/ -> / - /' $dot "not understood"
refused '0,/\[switch_in_tlob\] = INVALID_STATE/s//[switch_in_tlob] = running_tlob/' $header "$header is not what"
refused '/switch_in_tlob,$/d' $header "$header is not what"
refused '/^\/\* The end of what/d' $header "no marks"
refused 's/>preempt</>wakeup</' docs/explanation/tlob.svg "does not show"
refused 's/running&#45;&gt;sleeping/sleeping\&#45;\&gt;running/' docs/explanation/tlob.svg "does not show"
status=0
"$top/scripts/automaton" --chekc 2> /dev/null || status=$?
[ $status -eq 129 ] || fail "--chekc: exit $status"
echo "automaton: ok"
