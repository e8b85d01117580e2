#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""docs_check - compare names, keys, ranges and defaults in the documents with the code

Usage: docs_check.py TOP FACTS      (test_docs.sh makes FACTS)
"""
import glob
import json
import os
import re
import sys

TOP, FACTS = sys.argv[1:]
KERNEL = "kernel/trace/tlob/"
REFERENCE = "docs/reference/kernel-interface.md"
RESULT = "docs/reference/result.md"
FUNCTION = re.compile(r"^(?:\w[\w \t*]*?)(\w+)\([^;{}]*\)\n{\n(.*?)^}", re.M | re.S)
STRING = r'"(?:[^"\\]|\\.)*"'

checks = 0
bad = False


def same(what, code, docs, order=False):
    """The names in the code, at least one, are the names in the document."""
    global checks, bad
    code, docs = list(code), list(docs)
    checks += 1
    said = []
    if not code:
        said = ["nothing found in the code: has its form changed?"]
    said += [f"{name} is in the code, not in the document" for name in code if name not in docs]
    said += [f"{name} is in the document, not in the code" for name in docs if name not in code]
    said += [f"{name} occurs twice in the document" for name in dict.fromkeys(docs) if docs.count(name) > 1]
    if not said and order and code != docs:
        said = ["another order than in the code"]
    for why in said:
        print(f"FAILED: {what}: {why}", file=sys.stderr)
        bad = True


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def sources():
    return sorted(os.path.relpath(path, TOP) for path in glob.glob(f"{TOP}/{KERNEL}*/*.c"))


def section(path, heading):
    """What follows a heading, up to the next one of its level or above."""
    level = len(heading) - len(heading.lstrip("#"))
    match = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{level}}} |\Z)", read(path),
                      re.M | re.S)
    if not match:
        sys.exit(f"FAILED: {path} has no heading {heading}")
    return match[1]


def table(text, first, number=0):
    """The rows of a table whose header begins with FIRST, as lists of cells."""
    tables = re.findall(rf"^\| {re.escape(first)} \|.*\n\|[-|]+\n((?:\|.*\n)*)", text, re.M)
    if len(tables) <= number:
        sys.exit(f"FAILED: no table {number} with the column {first}")
    return [[cell.strip() for cell in row.strip("|").split(" |")]
            for row in tables[number].splitlines()]


def names(rows):
    """What the first cells have in `code`."""
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row[0])]


def strings(text):
    return "".join(one[1:-1] for one in re.findall(STRING, text)).replace("\\n", "\n")


def array(path, name):
    """The strings of an array of names."""
    return re.findall(r'"(\w+)"', re.search(rf"{name}\[\] = {{(.*?)}}", read(path), re.S)[1])


facts = {}
with open(FACTS, encoding="utf-8") as lines:
    for line in lines:
        kind, *words = line.rstrip("\n").split("\t")
        facts.setdefault(kind, []).append(words)


def check_parts():
    rows = table(section("docs/explanation/split.md", "## The parts"), "part")
    same("split.md, parts", [f"{name}: {meaning}" for name, meaning in facts["part"]],
         [f"{names([row])[0]}: {row[1]}" for row in rows], order=True)


def check_settings():
    control = read(KERNEL + "run/control.c")
    text = section(REFERENCE, "## Settings")
    rows = {names([row])[0]: row for row in table(text, "file")}
    settings = re.findall(r'TLOB_(?:NUMBER|FLAG|CHOICE)\(([a-z]\w*)|{ \.name = "(\w+)"', control)
    same("kernel-interface.md, settings", [a or b for a, b in settings], rows, order=True)
    same("kernel-interface.md, ranges",
         [f"{name}: {low} … {high}" for name, low, high in facts["range"]],
         [f"{name}: {low.replace(' ', '')} … {high.replace(' ', '')}"
          for name, _, _ in facts["range"]
          for low, high in re.findall(r"^([\d ]*\d) … ([\d ]*\d)", rows[name][1])])
    same("kernel-interface.md, defaults", [f"{name}: {value}" for name, value in facts["default"]],
         [f"{name}: {rows[name][2]}" for name, _ in facts["default"]])
    same("kernel-interface.md, noise_source", array(KERNEL + "run/control.c", "tlob_source_names"),
         names(table(text, "`noise_source`")))
    same("kernel-interface.md, work", [form for form, in facts["work"]],
         re.findall(r"^    ([a-z:]+(?:[TN]|,ws=SIZE)?)", text, re.M))


def check_files():
    created = []
    for path in sources():
        text = read(path)
        created += [f"per_cpu/cpuN/{name} 0600" for name in re.findall(r'\.file = "(\w+)"', text)]
        for cpu, rows in re.findall(r"tlob_file_entry tlob_\w*?(cpu_)?files\[\] = {(.*?)\n};", text, re.S):
            created += [f"{'per_cpu/cpuN/' if cpu else ''}{name} {mode}"
                        for name, mode in re.findall(r'{ "(\w+)", (0\d+), ', rows)]
    rows = table(section(REFERENCE, "## Overview"), "file")
    same("kernel-interface.md, files",
         ["settings 0600"] + created,
         [f"{(names([row]) or ['settings'])[0]} {row[1]}" for row in rows])
    same("kernel-interface.md, ioctls",
         re.findall(r"#define (TLOB_IOC_\w+)\s+_IO", read("include/uapi/linux/tlob.h")),
         set(re.findall(r"\bTLOB_IOC_\w+", read(REFERENCE))))
    same("kernel-interface.md, parameters",
         [name for path in sources() for name in
          re.findall(r"^module_param(?:_named)?\((\w+)", read(path), re.M)],
         names(table(section(REFERENCE, "## Module"), "parameter")))


class Printed:
    """What a show function and those that it calls print: the formats, in their order."""

    def __init__(self, function):
        self.functions = {}
        self.text = ""
        shows = {}
        for path in sources():
            self.functions.update(FUNCTION.findall(read(path)))
            shows.update(re.findall(r"(tlob_\w+_room) = {[^}]*\.show = (\w+),", read(path)))
        # what "(*room)->show(m)" stands for, in the order of the list
        rooms = re.findall(r"&(tlob_\w+_room),", read("kernel/trace/trace_tlob_load.c"))
        self.functions["show"] = " ".join(f"{shows[room]}(m)" for room in rooms if room in shows)
        self.walk(self.functions.get(function, ""))

    def walk(self, body):
        for name, arguments in re.findall(r"\b(\w+)\(((?:[^()]|\([^()]*\))*)", body):
            if name == "seq_putc":
                self.text += "\n" * (r"'\n'" in arguments)
            elif name in ("seq_printf", "seq_puts"):
                # where a condition chooses, the first
                self.text += strings(re.search(rf"(?:{STRING}\s*)+|$", arguments)[0])
            elif name in self.functions and re.search(r"\bm\b", arguments):
                self.walk(self.functions[name])


def check_status():
    code = {}
    for line in Printed("tlob_status_show").text.split("\n"):
        if match := re.match(r"(\w+)(%d)?:", line):
            code["cpuN" if match[2] else match[1]] = re.findall(r" (\w+)=", line)
    text = section(REFERENCE, "## status")
    example = {}
    for line in re.findall(r"^    (.*)", text, re.M):
        key, _, rest = line.partition(":")
        example[re.sub(r"^cpu\d+$", "cpuN", key)] = rest.strip()
    same("kernel-interface.md, example of status", code, example, order=True)
    same("kernel-interface.md, lines of status", code, names(table(text, "line")), order=True)
    tables = {"cpuN": 0, "monitor": 1, "enable_bits": 2, "waits": 3}
    same("kernel-interface.md, lines of status with fields", [key for key in code if code[key]],
         tables)
    for key, number in tables.items():
        same(f"kernel-interface.md, example of status, {key}", code.get(key, []),
             re.findall(r"(\w+)=", example.get(key, "")), order=True)
        same(f"kernel-interface.md, fields of {key}", code.get(key, []),
             names(table(text, "field", number)))
    words = "".join(strings(read(path)) for path in sources())
    for key in "unavailable_because", "notes":
        said = example.get(key, "").split("; ")
        same(f"kernel-interface.md, example of status, {key}",
             [s if s in words else "(other words)" for s in said], said)


def check_monitor_stat():
    code = ["hits"] + array(KERNEL + "monitor/bindings.c", "tlob_binding_count_names")
    text = section(REFERENCE, "## monitor_stat")
    same("kernel-interface.md, monitor_stat", code, names(table(text, "field")), order=True)
    same("kernel-interface.md, example of monitor_stat", code, re.findall(r"(\w+)=\d", text),
         order=True)


def check_tracepoints():
    code = []
    for path in "window/events.h", "monitor/monitor_events.h":
        for event, body in re.findall(r"TRACE_EVENT\((\w+),.*?TP_STRUCT__entry\((.*?)\n\t\),",
                                      read(KERNEL + path), re.S):
            for kind, arguments in re.findall(
                    r"\b(__field|__array|__string|TLOB_PARTS)\(([^)]*)\)", body):
                words = [word.strip() for word in arguments.split(",")] + [""]
                field = {"TLOB_PARTS": "all parts", "__string": words[0]}.get(kind, words[1])
                code.append(f"{event}: {field}")
    docs = []
    for row in table(section(REFERENCE, "## Tracepoints"), "event"):
        said = row[2].replace("all parts as wake_irq_delay … work_hw", "all parts")
        said = said.replace("the parts so far", "all parts")
        for field in re.sub(r" \([^)]*\)", "", said).replace(" and ", ", ").split(", "):
            docs.append(f"{names([row])[0].partition(':')[2]}: {field}")
    same("kernel-interface.md, tracepoints", code, docs)


def inner(defs, schema):
    """The keys of an object within an object."""
    schema = schema.get("anyOf", [schema])[0]
    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    return schema["properties"]


def check_inner(what, schema, root, rows, keys):
    """A row's meaning names the keys of the object that its key has."""
    for row in rows:
        for key in set(names([row])) & set(keys):
            said = re.findall(r"`(\w+)`", row[1])
            code = inner(root["$defs"], schema["properties"][key])
            same(f"{what}, {key}", code, [name for name in said if name in code])


def check_results():
    """The sentences of a row against the object that its key has; test_fields has the keys."""
    run = json.loads(read("docs/reference/result.schema.json"))
    check_inner("result.md, a window", run["$defs"]["window"], run,
                table(section(RESULT, "## A window in `worst`"), "key"),
                ("largest", "delayed_by"))
    check_inner("result.md, attached", run["$defs"]["attached"], run,
                table(section(RESULT, "## `attached`"), "key"), ("start", "stop", "process"))


def check_comparison():
    keys = {}
    sources = "compare_forms.c", "function_shift.c"
    for function, body in FUNCTION.findall("".join(read(f"tools/tlob-load/decide/compare/{name}") for name in sources)):
        for target, key in re.findall(r'\bput_?\w*\(&?b, (\w+), "(\w+)"', body):
            where = keys.setdefault("compare_json" if target == "to" else function, [])
            if key not in where:
                where.append(key)
    text = read("docs/reference/comparison.md")
    for number, function in enumerate(("compare_json", "put_decision", "compare_put_side",
                                        "put_function_shift", "put_values_of")):
        same(f"comparison.md, keys of {function}()", keys.get(function, []),
             names(table(text, "key", number)))
    body = dict(FUNCTION.findall(read("tools/tlob-load/decide/history/gate_render.c")))
    for number, function in (5, "json"), (6, "put_screen"):
        same(f"comparison.md, keys of {function}() with a history",
             re.findall(r'\bput_\w*\(&?b, o, "(\w+)"', body[function]),
             names(table(text, "key", number)), order=True)


def check_doctor():
    """The document against the schema; tests/cli/here has the tool's output against it."""
    schema = json.loads(read("docs/reference/doctor.schema.json"))
    text = section("docs/reference/doctor.md", "## The JSON")
    same("doctor.md, the object", schema["properties"], names(table(text, "key")), order=True)
    same("doctor.md, a rule", schema["$defs"]["check"]["properties"], names(table(text, "key", 1)),
         order=True)
    statuses = names(table(section("docs/reference/doctor.md", "## What a rule can come to"), "status"))
    same("doctor.md, statuses", schema["$defs"]["check"]["properties"]["status"]["enum"], statuses)


def check_glossary():
    words = [word.strip()
             for row in re.findall(r"^\| ([^|]+) \|", read("docs/reference/glossary.md"), re.M)
             for word in row.split(",") if word != "word"]
    same("glossary.md", dict.fromkeys(words), words)


check_parts()
check_settings()
check_files()
check_status()
check_monitor_stat()
check_tracepoints()
check_results()
check_comparison()
check_doctor()
check_glossary()
if bad:
    sys.exit(1)
print(f"docs: {checks} lists: ok")
