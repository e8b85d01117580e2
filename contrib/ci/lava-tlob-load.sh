#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# lava-tlob-load - a run of tlob-load as test cases of LAVA
#
# Usage: lava-tlob-load.sh BACKEND PERIOD WORK DURATION ASSERTIONS
#
# ASSERTIONS are conditions of --assert, separated by blanks. Each becomes a test case;
# the 99th percentile and the maximum of wake and response become measurements. Without
# lava-test-case, which LAVA puts on the device, it prints what it would report. Needs jq.
set -u

[ $# -eq 5 ] || { echo "usage: lava-tlob-load.sh BACKEND PERIOD WORK DURATION ASSERTIONS" >&2; exit 129; }

report() {
	if command -v lava-test-case > /dev/null; then
		lava-test-case "$@"
	else
		echo "lava-test-case $*"
	fi
}

# a test job's verdict is that of its cases
command -v jq > /dev/null || {
	echo "lava-tlob-load.sh: jq is missing: install it on the device" >&2
	report tlob-load-run --result fail
	exit 1
}
result=$(mktemp)
trap 'rm -f "$result"' EXIT

set -f
# shellcheck disable=SC2086	# its words are conditions, which have no blanks
set -- "$1" "$2" "$3" "$4" $5
backend=$1 period=$2 work=$3 duration=$4
shift 4
for condition; do
	set -- "$@" --assert "$condition"
	shift
done
status=0
tlob-load run --backend "$backend" -p "$period" -w "$work" -d "$duration" -q --json "$result" "$@" || status=$?

case $status in
0|2) report tlob-load-run --result pass ;;
3)   report tlob-load-run --result unknown ;;
77)  report tlob-load-run --result skip; exit 0 ;;
*)   report tlob-load-run --result fail; exit 0 ;;
esac

# what the tool did not decide passes nothing
measured=pass
[ "$status" -ne 3 ] || measured=unknown

# A name of LAVA has letters, digits, dashes and underscores.
jq -r '.assertions[]? | [(.condition | gsub("[^A-Za-z0-9]+"; "-") | ltrimstr("-") | rtrimstr("-")),
	if .holds then "pass" elif .holds == false then "fail" else "unknown" end] | @tsv' "$result" |
while read -r name outcome; do
	report "$name" --result "$outcome"
done
jq -r '.all | ("wake", "response") as $m | (["p99", .quantiles[$m].p99], ["max", .hist[$m].max]) |
	select(.[1] != null and (.[1] | type) == "number") | [$m + "-" + .[0], .[1] / 1000] | @tsv' "$result" |
while read -r name us; do
	report "$name" --result "$measured" --measurement "$us" --units us
done
