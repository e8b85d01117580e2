#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# docs/development/HACKING.md is true: its folders are those of tests/lint/layers in
# the same order, and each function it names is defined in the file that it names.
set -eu

cd "$(dirname "$0")/../.."
page=docs/development/HACKING.md
bad=0

# A row of the table is a row of the list; main.c is above all.
# shellcheck disable=SC2016 # the backquotes are the page's
in_page=$(sed -n '/^## The rule of layers/,/^## One/{/^| `main.c`/d;s/^| \(`[^|]*\)|.*/\1/p}' "$page" | tr -d '`' | sed 's/ *$//')
in_lint=$(sed -n "/^layers='/,/'\$/{s/^layers='//;s/'\$//;p}" tests/lint/layers)
if [ -z "$in_page" ] || [ "$in_page" != "$in_lint" ]; then
	echo "the folders of $page differ from those of tests/lint/layers:" >&2
	diff <(echo "$in_page") <(echo "$in_lint") >&2 || :
	bad=1
fi

# A definition begins in the first column; calls are indented, prototypes end with ;
functions=0
# shellcheck disable=SC2016
while read -r name file; do
	functions=$((functions + 1))
	[ -f "$file" ] || { echo "$page: $file does not exist" >&2; bad=1; continue; }
	grep -E "^[a-z].*\b$name\(" "$file" | grep -v ';$' > /dev/null || { echo "$page: $file does not define $name()" >&2; bad=1; }
done < <(sed -n 's/^|.*| `\([a-z_0-9]*\)()` | `\([^`]*\)` |$/\1 \2/p' "$page")
[ $functions -ge 20 ] || { echo "$page: $functions functions in its table, at least 20 expected" >&2; bad=1; }

[ $bad -eq 0 ] || { echo "FAILED: hacking" >&2; exit 1; }
echo "hacking: ok ($functions functions)"
