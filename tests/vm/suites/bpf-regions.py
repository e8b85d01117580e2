#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""bpf-regions - each region that attach-target timed by itself has one window

Usage: tests/vm/suites/bpf-regions.py NAME

Of `attach-target clock` NAME.own has what it printed, and NAME.windows what attach wrote. A window begins while
its program calls the start, and ends while it calls the end. Its parts add up to the ns, and a sleep is one.
"""
import csv
import sys
from collections import defaultdict

own, windows = defaultdict(list), defaultdict(list)
for line in open(sys.argv[1] + ".own"):
    tid, *times = map(int, line.split())
    own[tid].append(times)
for row in csv.DictReader(open(sys.argv[1] + ".windows")):
    w = {k: int(v) for k, v in row.items()}
    assert sum(v for k, v in w.items() if k.endswith("_ns") and k not in ("t0_ns", "response_ns")) == w["response_ns"], w
    windows[w["tid"]].append(w)
assert own.keys() == windows.keys() and len(own) == 2, (own.keys(), windows.keys())
for tid in own:
    assert len(own[tid]) == len(windows[tid]), (len(own[tid]), len(windows[tid]))
    for i, ((before, begun, ending, after), w) in enumerate(zip(own[tid], windows[tid])):
        assert before <= w["t0_ns"] <= begun and ending <= w["t0_ns"] + w["response_ns"] <= after, (before, begun, w, ending, after)
        assert i % 50 or w["errors"] or w["sleep_ns"] > 500000, w
