#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# docs/how-to/history.md has the tables of test_history_rates --tables: as many rows, with the same
# headers, and the last one to the digit. All of them would take a minute.
set -eu

cd "$(dirname "$0")/../.."
page=docs/how-to/history.md
row=$(build/unit/test_history_rates --row)
grep -qxF "$row" $page || { echo "FAILED: $page lacks the row: $row" >&2; exit 1; }
headers=0
while read -r header; do
	headers=$((headers + 1))
	grep -qxF "$header" $page || { echo "FAILED: $page lacks the header: $header" >&2; exit 1; }
done < <(sed -nE 's/.*"(\| [^"]*\|)\\n".*/\1/p' tests/unit/test_history_rates.c)
[ $headers -ge 1 ] || { echo "FAILED: no headers in test_history_rates.c" >&2; exit 1; }
[ -n "$row" ] || { echo "FAILED: test_history_rates --row prints nothing" >&2; exit 1; }
[ "$(sed -n '/^## How often it is wrong/,/^## [^H]/p' $page | grep -cE '^\| [0-9.]+ % ')" -eq 7 ] ||
	{ echo "FAILED: $page has other than seven rows" >&2; exit 1; }
echo "history: ok"
