#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What `tlob-lab explain` writes as JSON is what its schema says, and adds up: each function's
# instructions are the window's.
set -eu

cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
EXPLAIN_SAMPLES=$work ../../build/unit/test_explain > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
../schema "$work"/[12].json
/usr/bin/python3 -E - "$work"/[12].json <<'EOF'
import json, sys

for path in sys.argv[1:]:
    explanation = json.load(open(path))
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
print(f"explain: {len(sys.argv) - 1} explanations: ok")
EOF
