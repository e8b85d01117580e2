# SPDX-License-Identifier: GPL-2.0
"""
Which functions a guest executes between two readings of its clock, by the plugin of `tlob-lab explain`
(docs/reference/explain.md). That command takes the module's windows; this takes what it leaves out: other
backends, and the time after a window.
"""
import bisect
import collections
import os
import re
import subprocess

WINDOWS = 300

# A sleep in clock_nanosleep(). t2 is the first reading of the clock in user space, and t3 the scheduler's as the
# thread sleeps again.
SLEEP = {"arm": "default_idle_call", "fire": "hrtimer_wakeup",
         "begin": "syscall_exit_to_user_mode", "end": "do_nanosleep"}


class Functions:
    """Names of addresses: SYMBOLS is a copy of /proc/kallsyms, MAPS one of /proc/PID/maps, or missing."""

    def __init__(self, symbols, maps, programs):
        self.symbols = read_symbols(symbols)
        self.maps, self.programs, self.known = [], programs, {}
        if os.path.exists(maps):
            with open(maps, encoding="ascii") as f:
                for span, _, offset, _, _, *path in map(str.split, f):
                    start, end = (int(word, 16) for word in span.split("-"))
                    self.maps.append((start, end, int(offset, 16), os.path.basename(path[0]) if path else ""))

    def of_program(self, name):
        """Its functions, or none: then it is one itself."""
        if name not in self.known:
            path = self.programs.get(name)
            listed = subprocess.run(["nm", "--defined-only", path], check=True, text=True, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL).stdout if path else ""
            found = (line.split() for line in listed.splitlines())
            self.known[name] = sorted((int(words[0], 16), words[2]) for words in found
                                      if len(words) == 3 and words[1] in "tTwW")
        return self.known[name]

    def name(self, address):
        if address >> 63:
            name = self.symbols[bisect.bisect_right(self.symbols, (address, "\xff")) - 1][1]
            return re.sub(r"^bpf_prog_[0-9a-f]{16}_(.*?)( \[bpf\])?$", r"\1 [BPF program]", name)
        for start, end, offset, file in self.maps:
            if start <= address < end:
                of = self.of_program(file)
                at = bisect.bisect_right(of, (address - start + offset, "\xff")) - 1
                return f"{of[at][1]} [{file}]" if at >= 0 else f"[{file.strip('[]')}]"
        return "[user]"


def read_symbols(path):
    """Sorted (address, name) of functions; the name of one in a module ends with the module's."""
    with open(path, encoding="ascii") as f:
        found = map(str.split, f)
        return sorted((int(address, 16), " ".join(name)) for address, kind, *name in found
                      if kind in "tTwW" and not name[0].startswith(("__pfx_", "__cfi_")))


def write_marks(path, marks, symbols):
    address = {name.split()[0]: at for at, name in symbols}
    with open(path, "w", encoding="ascii") as f:
        for mark, name in marks.items():
            f.write(f"{mark} {address[name]:x}\n")
        f.write(f"windows {WINDOWS}\n")


def read_executed(path):
    """The window with the median number of instructions: [(address, instructions)] up to t2, and up to t3."""
    segments, paths, windows = [], [], []
    with open(path, encoding="ascii") as f:
        for kind, *words in map(str.split, f):
            if kind == "segment":
                segments.append((int(words[0], 16), int(words[2])))
            elif kind == "path":
                paths.append(words)
            elif kind == "window":
                windows.append((int(words[1]) + int(words[2]), int(words[0])))
    windows.sort()
    up_to, seen = {}, []
    for word in paths[windows[(len(windows) - 1) // 2][1]]:
        if word[0] == "t":
            up_to[word], seen = seen, []
            continue
        number, _, times = word.partition("*")
        address, count = segments[int(number)]
        seen.append((address, count * int(times or 1)))
    return up_to["t1"] + up_to["t2"], up_to["t3"]


def executed(vm, symbols, out, marks, command, programs):
    """
    Runs COMMAND in a guest: VM are the words of scripts/vm. SYMBOLS are those of an earlier boot. PROGRAMS has
    the files of programs in the guest, by name. Returns {function: instructions} up to t2, and from there to t3.
    """
    os.makedirs(out, exist_ok=True)
    write_marks(f"{out}/marks", marks, symbols)
    # BPF programs have symbols while they are loaded
    script = f"{command} & sleep 1; cp /proc/$!/maps /proc/kallsyms /out; kill $!; wait $! || :"
    subprocess.run([*vm, "--out", out, "--plugin",
                    f"build/tlob-plugin/tlob-plugin.so,marks={out}/marks,out={out}/executed",
                    "--", "sh", "-c", script], check=True, stdout=subprocess.DEVNULL)
    functions = Functions(f"{out}/kallsyms", f"{out}/maps", programs)
    result = []
    for steps in read_executed(f"{out}/executed"):
        result.append(collections.Counter())
        for address, count in steps:
            result[-1][functions.name(address)] += count
    return result


def difference(more, less, fewest):
    """
    What MORE has beyond LESS: [(function, instructions)], the largest first, without those of fewer than
    FEWEST; then two rows with their sum, and with the sum of all.
    """
    found = {name: more[name] - less[name] for name in more.keys() | less.keys() if more[name] != less[name]}
    rows = sorted(((name, n) for name, n in found.items() if abs(n) >= fewest), key=lambda row: (-row[1], row[0]))
    rest = [n for n in found.values() if abs(n) < fewest]
    return rows, (f"{len(rest)} others", sum(rest)), ("all", sum(found.values()))
