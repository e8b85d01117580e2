#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# docs/development/HACKING.md is true: its rooms are the rooms of tests/lint/layers and
# tests/lint/kernel-layers in the same order, and each function it names is defined in the
# file that it names.
set -eu

cd "$(dirname "$0")/../.."
page=docs/development/HACKING.md
bad=0

# A row of the table is a room of the list; main.c is above all.
# shellcheck disable=SC2016 # the backquotes are the page's
in_page=$(sed -n '/^## The rooms of the tool/,/^## The rooms of the kernel/s/^| `\([a-z]*\)` |.*/\1/p' "$page")
in_lint=$(sed -n "/^rooms='/,/'\$/{s/^rooms='//;s/'\$//;p}" tests/lint/layers | xargs -n1)
if [ -z "$in_page" ] || [ "$in_page" != "$in_lint" ]; then
	echo "the rooms of $page differ from tests/lint/layers:" >&2
	diff <(echo "$in_page") <(echo "$in_lint") >&2 || :
	bad=1
fi

# shellcheck disable=SC2016
in_page=$(sed -n '/^## The rooms of the kernel part/,/^## One/s/^| \(`[^|]*\)|.*/\1/p' "$page" | tr -d '`' | sed 's/ *$//')
in_lint=$(sed -n "/^rooms='/,/'\$/{s/^rooms='//;s/'\$//;p}" tests/lint/kernel-layers)
if [ -z "$in_page" ] || [ "$in_page" != "$in_lint" ]; then
	echo "the rooms of $page differ from tests/lint/kernel-layers:" >&2
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
