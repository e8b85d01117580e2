#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tables of docs/explanation/statistics.md are those of the simulation.
set -eu

cd "$(dirname "$0")"
diff <(grep '^|' ../../docs/explanation/statistics.md) <(../../build/unit/test_campaigns --tables | grep '^|') ||
	{ echo "FAILED: docs/explanation/statistics.md differs from build/unit/test_campaigns --tables" >&2; exit 1; }
echo "statistics: ok"
