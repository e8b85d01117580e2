#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test_statistics.sh [--all]: tables of statistics.md and history.md with the same headers have rows of
# docs/explanation/error-rates.txt, in its order, and that file has the rows that the simulations
# print. With --all, for minutes, it also has their numbers; the programs' own tests check goals.
set -eu
export LC_ALL=C			# numbers with a point

cd "$(dirname "$0")/../../docs/explanation"
rates=error-rates.txt
bad=0
failed() {
	echo "FAILED: $*" >&2
	bad=1
}
names() {
	grep '^|' | cut -d '|' -f 2
}

if [ "${1:-}" = --all ]; then
	diff <(grep '^|' $rates) <(../../tests/unit/tables | grep '^|') ||
		failed "docs/explanation/$rates differs from what tests/unit/tables prints"
else
	diff <(names < $rates) <(../../tests/unit/tables 20 | names) ||
		failed "docs/explanation/$rates has other rows than tests/unit/tables prints"
fi

# The rows of a table end with the first other line.
shown=0
mapfile -t headers < <(grep -B 1 '^|---' $rates | grep -v '^|*--')
for header in "${headers[@]}"; do
	of_page=$(awk -v h="$header" '$0 == h { on = 1 } !/^\|/ { on = 0 } on' statistics.md ../how-to/history.md)
	of_rates=$(awk -v h="$header" '$0 == h { on = 1 } !/^\|/ { on = 0 } on' $rates)
	[ -n "$of_page" ] || continue
	shown=$((shown + 1))
	if [ "$(wc -l <<< "$of_page")" -lt 4 ] ||
	   ! diff <(echo "$of_page") <(grep -Fxf <(echo "$of_page") <<< "$of_rates"); then
		failed "a page has other or too few rows below $header"
	fi
done
[ $shown -ge 1 ] || failed "the pages have no table of the ${#headers[@]} in $rates"
[ $bad -eq 0 ] || exit 1
echo "statistics: ok"
