#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The published schema is right for other validators: python3-jsonschema accepts the
# results of test_schema, and rejects each of them without one of its keys.
set -eu

cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SCHEMA_SAMPLES=$work/samples ../../build/unit/test_schema > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
/usr/bin/python3 - ../../docs/reference/result.schema.json "$work/samples" <<'EOF'
import json, sys
from jsonschema import Draft202012Validator

schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
checked = 0
for line in open(sys.argv[2]):
    result = json.loads(line)
    for error in validator.iter_errors(result):
        sys.exit(f"FAILED: {error.message[:200]} at {list(error.path)}")
    for key in schema["required"]:
        less = {k: v for k, v in result.items() if k != key}
        if validator.is_valid(less):
            sys.exit(f"FAILED: valid without {key}")
    checked += 1
if checked < 3:
    sys.exit(f"FAILED: only {checked} samples")
print(f"validator: {checked} results, {len(schema['required'])} keys: ok")
EOF
