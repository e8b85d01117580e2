#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The results of test_schema have the published schemas, and a damaged one has not.
set -euo pipefail

cd "$(dirname "$0")"
results=$(../../build/unit/test_schema --print)
../schema - <<< "$results" || { echo "FAILED: schema" >&2; exit 1; }
while read -r change; do
	! head -n 1 <<< "$results" | jq -c "$change" | ../schema - > /dev/null || { echo "FAILED: accepted with $change" >&2; exit 1; }
done <<'EOT'
.surplus = null
del(.cpu[0].missed)
.cpu[0].missed = -1
.cpu[0].missed = 1.5
.version = 3
.started = "now"
.kernel = null
.format = "tlob-load attach"
EOT
echo "schema: $(wc -l <<< "$results") results: ok"
