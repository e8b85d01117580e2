# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For test_*.sh that look at what make has built. They build nothing in its folders: several of
# them run side by side.

# built FILE...: they exist, below the top of the tree.
built() {
	local file top
	top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
	for file; do
		[ -e "$top/$file" ] && continue
		echo "FAILED: $file is missing: run make -C tests/unit check, or make -C tests/unit all built" >&2
		exit 1
	done
}
