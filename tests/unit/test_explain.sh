#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What `lab --explain` writes as JSON is what its schema says, and adds up: each function's
# instructions are the window's.
set -eu

cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
EXPLAIN_SAMPLES=$work ../../build/unit/test_explain > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
/usr/bin/python3 -E - ../../docs/reference/explanation.schema.json "$work"/[12].json <<'EOF'
import json, sys
from jsonschema import Draft202012Validator

schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
for path in sys.argv[2:]:
    explanation = json.load(open(path))
    validator.validate(explanation)
    for key in schema["required"]:
        lacking = {k: v for k, v in explanation.items() if k != key}
        assert not validator.is_valid(lacking), f"valid without {key}"
    for phase in "wake", "work":
        for side, of in enumerate(explanation["sides"]):
            net = sum(f["net"][side] for f in explanation[phase]["functions"])
            assert net == explanation[phase]["instructions"][side], f"{phase}: {net} instructions"
            assert net == sum(w[f"{phase}_instructions"] for w in of["windows"]), f"{phase}: another sum"
    for f in explanation["wake"]["functions"]:
        for side in range(len(explanation["sides"])):
            of_parts = sum(n[side] for n in f["net_of_part"].values())
            assert of_parts == f["net"][side], f
    for side in explanation["sides"]:
        for window in side["windows"]:
            assert sum(window["wake_parts_ns"].values()) == window["wake_ns"], window
            assert window["wake_ns"] == window["asleep_ns"] + window["wake_instructions"], window
print(f"explain: {len(sys.argv) - 2} explanations, {len(schema['required'])} keys: ok")
EOF
