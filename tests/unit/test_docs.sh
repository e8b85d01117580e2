#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Names, keys, ranges and defaults in the documents match the code, and each code block that
# scripts/figures.list names exists.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The headers that the kernel part and the tool share, as a table of facts.
{
	cat <<'EOF'
#include <stdio.h>
#include "parts.h"
#include "ranges.h"
#include "workspec.h"
#define NSEC_PER_USEC 1000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC 1000000000ULL
#define PART(PHASE, NAME, phase, name, meaning) printf("part\t" #phase "." #name "\t" meaning "\n");
int main(void)
{
	unsigned int i;
	TLOB_PARTS(PART)
	for (i = 0; i < TLOB_NR_WORK; i++)
		if (!(tlob_work_kinds[i].flags & TLOB_KIND_USER))
			printf("work\t%s\n", tlob_work_kinds[i].form);
EOF
	# settings that are numbers: ranges and defaults
	tr '\n' ' ' < "$top/kernel/trace/tlob/run/control.c" |
		grep -oP 'TLOB_NUMBER\(\K[a-z]\w*, *[^,()]+, *[^,()]+' |
		sed -E 's/(\w+),\s*([^,]+),\s*([^,]+)/\tprintf("range\\t\1\\t%llu\\t%llu\\n", 0ULL + \2, 0ULL + \3);/'
	sed -n '/^struct tlob_config tlob_config = {/,/^};/p' "$top/kernel/trace/tlob/window/config.c" |
		sed -nE 's/^\t\.(\w+_ns) = ([^T]*),$/\tprintf("default\\t\1\\t%llu\\n", 0ULL + \2);/p'
	echo '}'
} > "$work/facts.c"
cc -Wall -Werror -I "$top/include/uapi" -I "$top/kernel/trace/tlob/split" -o "$work/facts" "$work/facts.c"
"$work/facts" > "$work/facts.txt"

"$top/scripts/figures" --commands > /dev/null
# a demo that fails does not empty the example
printf '#!/bin/sh\necho broken\nexit 2\n' > "$work/make"
chmod +x "$work/make"
if TMPDIR=/tmp PATH=$work:$PATH "$top/scripts/figures" --show "$top/README.md" > "$work/said" 2>&1 || ! grep -q broken "$work/said"; then
	echo "FAILED: figures shows a demo that has failed" >&2
	exit 1
fi
/usr/bin/python3 "$top/tests/unit/docs_check.py" "$top" "$work/facts.txt"
