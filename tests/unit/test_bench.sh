#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bench/run: what the fence finds and writes, and what --resume measures again; without a guest.
set -eu

cd "$(dirname "$0")/../.."
/usr/bin/python3 - <<'EOF'
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "bench")
loader = importlib.machinery.SourceFileLoader("bench_run", "bench/run")
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_run", loader))
loader.exec_module(bench)

work = tempfile.TemporaryDirectory()
bench.OUT, bench.FENCE = work.name, os.path.join(work.name, "fence.tsv")
bench.PARTS = dict.fromkeys(["clock", "wake", "taken"], (None, [], lambda out: None))
bench.build = lambda kernel: "Linux of " + kernel
bench.guest = lambda *args, **kwargs: work.name


def run(*words):
    """The exit status, and what is printed."""
    sys.argv = ["bench/run", *words]
    said, status = io.StringIO(), 0
    with contextlib.redirect_stdout(said):
        try:
            bench.main()
        except SystemExit as e:
            status = e.code
    return status, said.getvalue()


def fence(**numbers):
    bench.rows = lambda result: iter(numbers.items())
    return run("--fence")


# the rows that are written are those that pass, up to 5 % or five instructions more
bench.rows = lambda result: iter({"wake.a": 1000.4, "hooks.b": 20}.items())
assert run("--fence", "--write") == (0, f"bench: wrote 2 numbers to {os.path.relpath(bench.FENCE, bench.TOP)}\n")
assert fence(**{"wake.a": 1050, "hooks.b": 25}) == (False, "2 passed, 0 failed\n")
status, said = fence(**{"wake.a": 1051, "hooks.b": 20})
assert status and "not ok - wake.a: 1051, and bench/fence.tsv says 1000 (by no commit): bench/run 6.12-rt wake measures" in said, said
assert "1 passed, 1 failed" in said, said
status, said = fence(**{"wake.a": 1000, "hooks.b": 26})
assert status and "not ok - hooks.b: 26" in said, said
status, said = fence(**{"wake.a": 1000, "start.c": 1})
assert status and "not ok - hooks.b: not measured" in said and "not ok - start.c: 1, and bench/fence.tsv says nothing" in said, said
assert "bench/run 6.12-rt taken measures it whole" in said, said

# a part that is in the file of the same commit is not measured again; each is written at once
commit, made, fails = "abc", [], None


def measure(kernel, name):
    if name == fails:
        raise KeyboardInterrupt
    made.append(name)
    bench.TABLES[name] = [name]
    return {"of": name}


bench.measure, bench.sh = measure, lambda *args: commit + "\n"


def made_by(*words):
    made.clear()
    bench.TABLES.clear()
    with contextlib.suppress(KeyboardInterrupt):
        assert run(*words)[0] == 0
    with open(os.path.join(work.name, "6.12-rt.json"), encoding="ascii") as f:
        result = json.load(f)
    assert set(result["tables"]) == set(result["parts"]), result
    return " ".join(made), " ".join(result["parts"])


fails = "taken"
assert made_by() == ("clock wake", "clock wake")
fails = None
assert made_by("--resume") == ("taken", "clock wake taken")
assert made_by("--resume") == ("", "clock wake taken")
assert made_by("--resume", "6.12-rt", "wake") == ("", "clock wake taken")
assert made_by("6.12-rt", "wake") == ("wake", "wake")
commit = "def"
assert made_by("--resume") == ("clock wake taken", "clock wake taken")
commit = "def-dirty"
assert made_by("--resume") == ("clock wake taken", "clock wake taken")
assert made_by("--resume") == ("clock wake taken", "clock wake taken")

for words, why in ((["--write"], "--write is for --fence"), (["--fence", "6.1"], "leave out"),
                   (["--fence", "--resume"], "leave out"), (["--wrong"], "unknown option --wrong"),
                   (["6.12-rt", "wrong"], "no part wrong: the parts are clock, wake, taken")):
    status, said = run(*words)
    assert isinstance(status, str) and why in status, (words, status)
print("bench: ok")
EOF
