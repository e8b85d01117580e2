#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tables of docs/statistics.md are what the simulation says.
set -eu

cd "$(dirname "$0")"
diff <(grep '^|' ../../docs/statistics.md) <(../../build/unit/test_campaigns --tables | grep '^|') ||
	{ echo "FAILED: docs/statistics.md differs from build/unit/test_campaigns --tables" >&2; exit 1; }
echo "statistics: ok"
