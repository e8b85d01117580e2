#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each command line of README and docs is one that the tool, the scripts and the Makefile take.
# Nothing is measured: the tool reads all options before --help, and tlob-lab continues up to its
# first script, which is another one here. What is not tried is counted by its reason.
set -eu

# shellcheck source=tests/unit/built.sh
. "$(dirname "$0")/built.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

built tools/tlob-load/tlob-load tools/tlob-lab/tlob-lab
# a tree for tlob-lab: it has fetched nothing, and the plugin
mkdir -p "$work/scripts" "$work/build/tlob-plugin"
for script in fetch-kernel build-module build-tool build-revision take-kernel vm; do
	printf '#!/bin/sh\necho reached\nexit 7\n' > "$work/scripts/$script"
done
chmod +x "$work"/scripts/*
touch "$work/build/tlob-plugin/tlob-plugin.so"
cd "$work"
exec /usr/bin/python3 - "$top" <<'PYTHON'
import collections
import glob
import os
import re
import shlex
import subprocess
import sys

TOP = sys.argv[1]
TOOL = f"{TOP}/tools/tlob-load/tlob-load"
LAB = f"{TOP}/tools/tlob-lab/tlob-lab"
FIRST = re.compile(r"(?:[A-Z_]+=\S* )*(?:tlob-l(?:oad|ab) [a-z]|make\b|(?:\.\./)*scripts/[a-z])")
tried = collections.Counter()
left = collections.Counter()
bad = 0


def said(*argv, **kind):
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", **kind)
    return done.returncode, done.stdout


def lines(path):
    """(number, line) of the code blocks; what a backslash continues is one line."""
    number, begun = 0, ""
    for line in open(path, encoding="utf-8"):
        number += 1
        line = line.rstrip("\n")
        if not begun and not line.startswith("    "):
            continue
        begun = f"{begun} {line.strip()}".strip()
        if begun.endswith("\\"):
            begun = begun[:-1]
            continue
        yield number, begun
        begun = ""


def commands(line):
    """The simple commands of a line, as lists of words without redirections."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    words, skip = [], False
    for word in lexer:
        if set(word) <= set("|&;()"):
            yield words
            words = []
        elif set(word) <= set("<>&") or skip:
            skip = not skip
        else:
            words.append(word)
    yield words


def try_tool(words):
    command, rest = words[1], words[2:]
    if "..." in words or "…" in words:
        left["has ... for the reader's own words"] += 1
        return None
    if words[0] == "tlob-lab":
        status, text = said(LAB, *words[1:], env={**os.environ, "TLOB_TREE": os.getcwd()})
        tried["tlob-lab up to its first script"] += 1
        # a file or tree of the reader is looked for before the first script
        own = "--image" in words or "--tree" in words or any("/" in word or "@" in word for word in rest)
        return None if status == 1 and (": reached: " in text or own) else text
    if any("$" in word for word in rest):
        left["has a variable of its script"] += 1
        return None
    cut = rest.index("--") if "--" in rest else len(rest)
    if command in ("compare", "gate"):
        # behind a result nothing is an option
        cut = next(i for i, word in enumerate(rest) if word.endswith(".json") and rest[i - 1] != "--json")
    status, text = said(TOOL, command, *rest[:cut], "--help", *rest[cut:])
    tried["options of the tool"] += 1
    if not status and cut < len(rest) and command in ("plan", "validate"):
        status, text = said(TOOL, "run", *rest[cut + 1:], "--help")
    return text if status else None


def try_make(words):
    goals = [w for w in words[1:] if not w.startswith("-") and "=" not in w]
    if "-C" in words or any("=" in w and "/" in w for w in words):
        left["make in another directory, or for another kernel"] += 1
        return None
    tried["goals of the Makefile"] += 1
    for goal in goals:
        if goal in ("headers", "bzImage"):
            left["a goal of Linux"] += 1
        elif goal not in GOALS and f"{goal.split('-')[0]}-%" not in GOALS:
            return f"no goal {goal}"
    return None


def try_script(words):
    name = words[0][words[0].index("scripts/"):]
    if not os.access(f"{TOP}/{name}", os.X_OK):
        return f"no script {name}"
    tried["options of scripts"] += 1
    own = words[1:words.index("--")] if "--" in words else words[1:]
    usage = open(f"{TOP}/{name}", encoding="utf-8").read()
    for word in own:
        if word.startswith("--") and word.split("=")[0] not in usage:
            return f"{name} has no {word}"
    return None


GOALS = set(re.findall(r"^([\w%-]+):", open(f"{TOP}/Makefile", encoding="utf-8").read(), re.M))
COMMANDS = {tool: set(re.findall(r"^  ([a-z]+)  ", said(program, "--help")[1], re.M))
            for tool, program in {"tlob-load": TOOL, "tlob-lab": LAB}.items()}
for path in [f"{TOP}/README.md"] + sorted(glob.glob(f"{TOP}/docs/**/*.md", recursive=True)):
    for number, line in lines(path):
        if not FIRST.match(line) and not re.search(r"(?:&&|;) *(?:tlob-load|tlob-lab|make|scripts/)", line):
            continue
        try:
            parts = list(commands(line))
        except ValueError:
            left["a part of a longer quotation"] += 1
            continue
        for words in parts:
            while words and re.match(r"[A-Za-z_]+=", words[0]):
                words = words[1:]
            why = None
            if not words:
                continue
            if words[0] in COMMANDS and len(words) > 1:
                if words[1] not in COMMANDS[words[0]]:
                    # a sentence of an output, or the names of a table
                    left["no subcommand"] += 1
                    continue
                why = try_tool(words)
            elif words[0] == "make":
                why = try_make(words)
            elif "scripts/" in words[0]:
                why = try_script(words)
            if why:
                print(f"FAILED: {os.path.relpath(path, TOP)}:{number}: {shlex.join(words)}: {why.strip()}",
                      file=sys.stderr)
                bad = 1
for reason, n in left.items():
    print(f"# not tried: {n}, {reason}")
# the forms of lines may change, but the documentation is full of them
if sum(tried.values()) < 100 or len(tried) < 4:
    print(f"FAILED: few lines were found: {dict(tried)}", file=sys.stderr)
    bad = 1
print("commands: " + ", ".join(f"{n} {what}" for what, n in tried.items()) + ("" if bad else ": ok"))
sys.exit(bad)
PYTHON
