#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tests/check: each test of the tree is in one of its lists, each list has the one before, and a
# piece that fails is final, flaky or neither, as its help says. tests/about: each says what it proves.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

for list in check ci all nightly; do
	"$top/tests/check" --list $list > "$work/$list"
	sort "$work/$list" | uniq -d > "$work/twice"
	[ ! -s "$work/twice" ] || fail "$list has twice: $(cat "$work/twice")"
done
# has SMALL LARGE
has() {
	local left
	left=$(comm -23 <(sort "$work/$1") <(sort "$work/$2"))
	[ -z "$left" ] || fail "$2 lacks of $1: $left"
}
has check ci
has ci all
has all nightly
"$top/.ci/run" --list | cmp -s - "$work/ci" || fail ".ci/run has not the list ci"

# wanted LIST: the pieces on stdin are there.
wanted() {
	sort > "$work/wanted"
	[ -s "$work/wanted" ] || fail "nothing is wanted of $1"
	has wanted "$1"
}
cd "$top/tests"
./about > "$work/about" || fail "files do not say what they prove: $(awk 'NF < 2' "$work/about")"
find unit -maxdepth 1 -printf '%f\n' | sed -n 's,^\(test_.*\)\.c$,unit/\1,p; s,^\(test_.*\.sh\)$,unit/\1,p' | wanted check
find fuzz -maxdepth 1 -printf '%f\n' | sed -n 's,^\(fuzz_.*\)\.c$,fuzz/\1,p' | wanted check
cli/run --list | sed 's,^,cli/,' | wanted ci
cli/run --list | grep -vx costs | sed 's,^,cli/,' | wanted check
cli/here --list | sed 's,^,here/,' | wanted ci
vm/run --list 6.12-rt | awk '$3 == "c" { print "guest/" $1 "/" $2 }' | wanted check
vm/run --list 6.12-rt | awk '$3 == "q" { print "guest/" $1 "/" $2 }' | wanted ci
vm/run --list | awk '{ print "guest/" $1 "/" $2 }' | wanted all
# no guest in real time is in make check
grep '^guest/' "$work/check" | grep -vxFf <(vm/run --list 6.12-rt | awk '$3 == "c" { print "guest/" $1 "/" $2 }') &&
	fail "these guests depend on a clock"

# each group of tests of the guests is in a guest of make check-all or of make check-debug
sed -n 's/^#define GROUP\t"\(.*\)"$/\1/p' vm/programs/guest/*.c | sort -u > "$work/groups"
[ -s "$work/groups" ] || fail "no groups in tests/vm/programs/guest"
sed -e '/^#/d' vm/debug > "$work/guests"
sed -n '/^start_one()/,/^}/p; /^start_two()/,/^}/p; /^! *chosen turns/,/^$/p' vm/run >> "$work/guests"
while read -r group; do
	grep -q "[ (]$group\([ .)]\|$\)" "$work/guests" || fail "no guest runs the group $group"
done < "$work/groups"

# what moves a guest's memory is in its archive
for pads in 0 2; do
	"$top/scripts/vm-initrd" --pad $pads -- true > "$work/initrd"
	[ "$(grep -ao 'vm/pad[0-9]' "$work/initrd" | wc -l)" -eq $pads ] || fail "--pad $pads is not in the archive"
done

# The command ends once it has seen that it stood still.
status=0
"$top/tests/pauses" --every 0.05 timeout 600 /usr/bin/python3 -c '
import sys, time
before = time.monotonic()
while time.monotonic() - before < 0.15:
    before = time.monotonic()
    time.sleep(0.001)
sys.exit(7)' 2> "$work/said" || status=$?
case $status in
7)   grep -q '^pauses: [1-9][0-9]* stops of 200 ms$' "$work/said" || fail "pauses: $(cat "$work/said")" ;;
77)  echo "ok 1 - ci.pauses # SKIP $(cat "$work/said")" ;;
*)   fail "pauses: exit $status: $(cat "$work/said")" ;;
esac

# The pinned kernel, and what stands in its place, are taken as they are; another one is not.
mkdir -p "$work/tree/tests/vm" "$work/tree/build/kernels/6.1" "$work/bin"
cp -r "$top/scripts" "$work/tree"
cp -r "$top/tests/vm/kernels" "$work/tree/tests/vm"
printf '#!/bin/sh\nexit 1\n' | tee "$work/bin/apt-get" > "$work/bin/apt-cache"
chmod +x "$work/bin"/*
pin=$(awk '$1 == "6.1" { print $2 }' "$top/tests/vm/kernels/pinned")
# fetched STATUS VERSION [UNPINNED]
fetched() {
	local status=0
	echo "$2" > "$work/tree/build/kernels/6.1/version"
	echo "${3-}" > "$work/tree/build/kernels/6.1/unpinned"
	PATH=$work/bin:$PATH "$work/tree/scripts/fetch-kernel" --pinned 6.1 > "$work/said" 2>&1 || status=$?
	[ $status -eq "$1" ] || fail "pinned, $2 instead of ${3:-nothing}: exit $status: $(cat "$work/said")"
}
fetched 0 "${pin#linux-image-}" "$pin"
[ ! -e "$work/tree/build/kernels/6.1/unpinned" ] || fail "the pinned kernel is called unpinned"
fetched 0 6.1.0-999-amd64 "$pin"
fetched 1 6.1.0-999-amd64 linux-image-6.1.0-1-amd64
fetched 1 6.1.0-999-amd64

# What another one has fetched meanwhile stays: it may be built against by now.
meanwhile=$work/tree/build/kernels/6.1
rm "$meanwhile/version"
exec 8> "$meanwhile.lock"
flock 8
PATH=$work/bin:$PATH "$work/tree/scripts/fetch-kernel" 6.1 8>&- > "$work/said" 2>&1 &
until [ "$(pgrep -c -f -x 'flock 9' -P $!)" -eq 1 ]; do
	kill -0 $! 2> /dev/null || fail "fetch-kernel does not wait for another one: $(cat "$work/said")"
	sleep 0.1
done
echo 6.1.0-999-amd64 > "$meanwhile/version"
exec 8>&-
{ wait $! && [ "$(cat "$work/said")" = 6.1.0-999-amd64 ]; } || fail "a kernel of another one: $(cat "$work/said")"

/usr/bin/python3 - "$top/tests/check" "$work" <<'PYTHON'
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import sys
import time

loader = importlib.machinery.SourceFileLoader("check", sys.argv[1])
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
sys.modules["check"] = check
loader.exec_module(check)
work = pathlib.Path(sys.argv[2])
# of the run that this test is in
os.environ.pop("TLOB_PAD", None)
check.TOP, check.OUT, check.FLAKY, check.NIGHTS = work, work / "out", work / "flaky.tsv", work / "nightly.tsv"
check.OUT.mkdir()
check.lines_of = lambda command: ["0123abc"]


def run(*pieces, rerun=True, night=False):
    check.FLAKY.unlink(missing_ok=True)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = check.Runner(list(pieces), 2, rerun, night).run()
    flaky = check.FLAKY.read_text().splitlines()[1:] if check.FLAKY.exists() else []
    return status, said.getvalue(), flaky


def piece(name, command, **more):
    for mark in work.glob("mark.*"):
        mark.unlink()
    return check.Piece(name, command, **more)


def expect(what, holds):
    if not holds:
        sys.exit(f"FAILED: {what}")


def gone(pid):
    """It ends, within ten minutes; somebody may still have to wait for it."""
    try:
        for _ in range(6000):
            if not pathlib.Path("/proc", pid, "cmdline").read_bytes():
                return True
            time.sleep(0.1)
        return False
    except OSError:
        return True


def once(mark="a", said="not ok 1 - some.test"):
    """Fails the first time only."""
    return f"[ -e '{work}/mark.{mark}' ] || {{ touch '{work}/mark.{mark}'; echo '{said}'; exit 1; }}"


status, said, flaky = run(piece("one", once()))
expect(f"passes again: {said}", not status and len(flaky) == 1 and flaky[0].startswith("one: some.test\t0123abc\t0\t"))
expect(f"flaky.tsv is printed: {said}", "passed twice" in said and said.endswith("1 passed, 0 failed, 0 skipped\n"))
status, said, flaky = run(piece("one", once()), rerun=False)
expect("--no-rerun", status and not flaky)

status, said, flaky = run(piece("one", "exit 1"), piece("two", "true"))
expect(f"a failure: {said}", status and not flaky and "FAILED one" in said and "tests/check --no-rerun 'one'" in said)
expect(f"sums: {said}", said.endswith("1 passed, 1 failed, 0 skipped\n"))

pad = '[ "${TLOB_PAD-}" = 7 ]'
status, said, flaky = run(piece("guest", pad, kernel="k"))
expect(f"bytes decide: {said}", not status and "another pad" in flaky[0])
expect("no guest has no pad", run(piece("unit", pad))[0])
# the layout decides: it fails at the other pad
status, said, flaky = run(piece("guest", once() + ' || exit 1; [ "${TLOB_PAD-}" != 7 ]', kernel="k"))
expect(f"fails with the other pad: {said}", status and not flaky)

for report in ("ERROR: AddressSanitizer: heap-use-after-free", "a.c:3:5: runtime error: signed", "BUG: KASAN: use",
               "WARNING: possible circular locking dependency detected", '"sum_failures":1',
               "    not ok - 6.12-rt.one has a clean kernel log"):
    expect(f"final: {report}", run(piece("one", once(said=report)))[0])
expect("no sum fails", not run(piece("one", once(said='"sum_failures":0')))[0])

four = [piece(f"p{n}", once(n)) for n in range(4)]
expect("four are too many", run(*four)[0])
expect("three are not", not run(*[piece(f"p{n}", once(n)) for n in range(3)])[0])

status, said, flaky = run(piece("fetched", "exit 1", when=check.BUILD, soft=True), piece("arm", "exit 1", needs="fetched"),
                          piece("two", "true"))
expect(f"soft: {said}", not status and "skip  arm: fetched failed" in said and said.endswith("1 passed, 0 failed, 1 skipped\n"))
status, said, flaky = run(piece("build", "exit 1", when=check.BUILD), piece("two", f"touch '{work}/mark.Z'"))
expect("nothing runs where nothing is built", status and not (work / "mark.Z").exists())
expect("no test", run(piece("build", "true", when=check.BUILD))[0])

kernel = work / "build/kernels/k"
kernel.mkdir(parents=True)
(kernel / "unpinned").touch()
status, said, flaky = run(piece("guest", "exit 1", kernel="k"), piece("two", "true"))
expect(f"another kernel: {said}", not status and "not the pinned one" in flaky[0])

status, said, flaky = run(piece("c", "echo '[  PASSED  ] 3 test(s).'"), piece("s", "echo '2 passed, 0 failed, 1 skipped'"),
                          piece("w", "true"), piece("k", "echo 'ok 1 - a.b # SKIP no such CPU'"))
expect(f"counts: {said}", said.endswith("6 passed, 0 failed, 2 skipped\n") and "skipped: a.b: no such CPU" in said)
expect("a child that is left goes", not run(piece("one", f"sleep 987654321 & echo $! > '{work}/pid'"))[0] and
       gone((work / "pid").read_text().strip()))
run(piece("one", "exit 1"), piece("two", "true"), night=True)
status, said, flaky = run(piece("one", "true"), piece("two", "true"), night=True)
expect(f"nights: {said}", "  F." in said and "  one\n" in said and "  two\n" not in said)
PYTHON
echo "ci: ok"
