#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# docs/explanation/error-rates.txt has the tables of the simulation, and the tables of
# statistics.md with the same headers have rows of it, in its order.
set -eu

cd "$(dirname "$0")/../../docs/explanation"
rates=error-rates.txt
bad=0
printed() {
	../../build/unit/test_campaigns --tables
	../../build/unit/test_episodes --tables
	../../build/unit/test_search --tables
}

diff <(grep '^|' $rates) <(printed | grep '^|') ||
	{ echo "FAILED: docs/explanation/$rates differs from build/unit/test_campaigns, test_episodes and test_search, each with --tables" >&2; bad=1; }

# The rows of a table end with the first other line.
mapfile -t headers < <(grep -B 1 '^|---' $rates | grep -v '^|*--')
for header in "${headers[@]}"; do
	of_page=$(awk -v h="$header" '$0 == h { on = 1 } !/^\|/ { on = 0 } on' statistics.md)
	of_rates=$(awk -v h="$header" '$0 == h { on = 1 } !/^\|/ { on = 0 } on' $rates)
	if [ "$(wc -l <<< "$of_page")" -lt 7 ] ||
	   ! diff <(echo "$of_page") <(grep -Fxf <(echo "$of_page") <<< "$of_rates"); then
		echo "FAILED: statistics.md has other or too few rows below $header" >&2
		bad=1
	fi
done
[ "${#headers[@]}" -eq 6 ] || { echo "FAILED: ${#headers[@]} tables in $rates, 6 expected" >&2; bad=1; }
# Drawn by hand, because minutes of CPU time are behind it: the rows of the page are in its file.
of_page=$(awk '/^## Which setting helps/ { on = 1; next } /^## / { on = 0 } on && /^[|]/' statistics.md)
if [ "$(wc -l <<< "$of_page")" -lt 10 ] || grep -vxFf try-rates.txt <<< "$of_page"; then
	echo "FAILED: statistics.md has these rows, or too few, but not try-rates.txt" >&2
	bad=1
fi
# plan says what so many pairs find: twice the median margin, and in how many percent.
for pairs in 10 20 30 40; do
	row=$(awk -F ' *[|] *' -v n=$pairs '$2 == "runs differ by 10 %" && $3 == n {
		printf "{ %d, %d, %.0f }", n, $6, $9 }' $rates)
	grep -qF "$row" ../../tools/tlob-load/lab/plan.c ||
		{ echo "FAILED: tools/tlob-load/lab/plan.c lacks '$row' of $rates" >&2; bad=1; }
done
[ $bad -eq 0 ] || exit 1
echo "statistics: ok"
