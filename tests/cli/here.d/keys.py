#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""keys - each request that keys.c timed by itself has one window

Usage: tests/cli/here.d/keys.py NAME MS

NAME.own has what `keys queue N MS` printed, and NAME.windows what attach wrote. Parts add up to the ns. In most
windows the first thread's MS of computing is there, and so is the second one's sleep, which is not elsewhere; MS 0: not tested.
"""
import csv
import sys

own = [tuple(map(int, line.split())) for line in open(sys.argv[1] + ".own")]
windows = [{k: int(v) for k, v in row.items()} for row in csv.DictReader(open(sys.argv[1] + ".windows"))]
ms = int(sys.argv[2]) * 1000000
assert len(own) == len(windows), (len(own), len(windows))
known = 0
for (nr, first, second, begins, begun, handed, taken, ends, ended), w in zip(own, windows):
    assert sum(v for k, v in w.items() if k.endswith("_ns") and k not in ("t0_ns", "response_ns")) == w["response_ns"], w
    assert begins <= w["t0_ns"] <= begun and ends <= w["t0_ns"] + w["response_ns"] <= ended, (nr, begins, begun, ends, ended, w)
    assert (w["begun_by"], w["tid"]) == (first, second) and w["elsewhere"] <= w["sleep_ns"], (nr, first, second, w)
    # as one thread had it until it was handed over, and nobody until it was taken
    known += w["on_cpu_ns"] >= ms * 9 // 10 and w["sleep_ns"] >= ms and w["elsewhere"] < ms // 2
assert not ms or known * 2 > len(own), (known, len(own))
