#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/in-tree on a tree of a few files: it adds the right files, a second run
# changes nothing, and --remove leaves nothing behind.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
linux=$work/linux

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

mkdir -p "$linux/tools/testing/selftests" && touch "$linux/tools/testing/selftests/lib.mk"
mkdir -p "$linux/kernel/trace/rv" "$linux/include/uapi/linux"
cat > "$linux/kernel/trace/Kconfig" <<'END'
if FTRACE
source "kernel/trace/rv/Kconfig"
endif # FTRACE
END
cat > "$linux/kernel/trace/Makefile" <<'END'
obj-$(CONFIG_TRACING) += trace.o
obj-$(CONFIG_RV) += rv/

libftrace-y := ftrace.o
END
mkdir -p "$linux/include/linux" "$linux/Documentation/trace/rv" "$linux/tools/verification/models"
echo 'void rv_react(struct rv_monitor *monitor, const char *msg, ...);' > "$linux/include/linux/rv.h"
printf '   %s\n' monitor_wip.rst monitor_wwnr.rst monitor_sched.rst > "$linux/Documentation/trace/rv/index.rst"
cp -a "$linux" "$work/before"

"$top/scripts/in-tree" "$linux"
for file in kernel/trace/trace_tlob_load.c kernel/trace/tlob/window/window.c include/uapi/linux/tlob.h; do
	cmp "$top/$file" "$linux/$file" || fail "$file is not the same"
done
cmp "$top/docs/explanation/tlob.dot" "$linux/tools/verification/models/tlob.dot" || fail "the model is missing in RV"
cmp "$top/docs/explanation/monitor_tlob.rst" "$linux/Documentation/trace/rv/monitor_tlob.rst" || fail "the page is missing in RV"
printf '   %s\n' monitor_wip.rst monitor_wwnr.rst monitor_tlob.rst monitor_sched.rst |
	diff - "$linux/Documentation/trace/rv/index.rst" || fail "RV's index is wrong"

# every object of the list has its source, and every source is in the list
MAKEFLAGS='' make -s --no-print-directory -f - -C "$linux/kernel/trace" srctree=../.. CONFIG_TRACING=y CONFIG_TLOB_LOAD=m CONFIG_TLOB_LOAD_{MONITOR,BITS,WAITS,FUNCTIONS,KUNIT_TEST,RV}=y all > "$work/objects" <<'END'
include Makefile
all:
	@echo $(obj-m) $(tlob_load-y)
END
(cd "$linux/kernel/trace" && echo tlob_load.o trace_tlob_load.o tlob/*/*.c) | tr ' ' '\n' | grep -v kunit_ | sed 's/\.c$/.o/' | sort > "$work/wanted"
tr ' ' '\n' < "$work/objects" | sort | diff "$work/wanted" - || fail "the objects do not match the sources"

cp -a "$linux" "$work/once"
"$top/scripts/in-tree" "$linux"
diff -r "$work/once" "$linux" || fail "a second run changes something"
[ ! "$linux/kernel/trace/tlob/ring/ring.c" -nt "$work/once/kernel/trace/tlob/ring/ring.c" ] || fail "a second run rewrites an unchanged file"

# files that the project no longer has are removed, and the products of a build
touch "$linux/kernel/trace/tlob/gone.c"
"$top/scripts/in-tree" "$linux"
[ ! -e "$linux/kernel/trace/tlob/gone.c" ] || fail "a file of an older version stays"
touch "$linux/kernel/trace/tlob/ring/ring.o" "$linux/kernel/trace/tlob_load.ko" "$linux/kernel/trace/.tlob_load.ko.cmd"
"$top/scripts/in-tree" --remove "$linux"
diff -r "$work/before" "$linux" || fail "--remove leaves something"
"$top/scripts/in-tree" --remove "$linux"
diff -r "$work/before" "$linux" || fail "a second --remove changes something"

# a tree with a tlob of its own in RV keeps that
for file in Documentation/trace/rv/monitor_tlob.rst tools/verification/models/tlob.dot; do
	echo theirs | tee "$work/before/$file" > "$linux/$file"
done
echo '   monitor_tlob.rst' | tee -a "$work/before/Documentation/trace/rv/index.rst" >> "$linux/Documentation/trace/rv/index.rst"
"$top/scripts/in-tree" "$linux"
for dir in Documentation tools/verification; do
	diff -r "$work/before/$dir" "$linux/$dir" || fail "their files in RV are changed"
done
"$top/scripts/in-tree" --remove "$linux"
diff -r "$work/before" "$linux" || fail "--remove takes what is theirs"
# nor is a model without that page ours
sed -i '/monitor_tlob/d' "$linux/Documentation/trace/rv/index.rst"
rm "$linux/Documentation/trace/rv/monitor_tlob.rst"
"$top/scripts/in-tree" "$linux"
grep -q theirs "$linux/tools/verification/models/tlob.dot" || fail "their model is changed"
"$top/scripts/in-tree" --remove "$linux"
rm "$linux/tools/verification/models/tlob.dot"

# an older RV is left alone, and a tree without RV works
for api in 'void (*react)(char *msg);' ''; do
	echo "$api" > "$linux/include/linux/rv.h"
	[ -n "$api" ] || rm -r "$linux/include/linux" "$linux/Documentation" "$linux/tools/verification"
	rm -rf "$work/before"
	cp -a "$linux" "$work/before"
	"$top/scripts/in-tree" "$linux"
	[ -z "$(find "$linux/Documentation" "$linux/tools/verification" -name '*tlob*' 2> /dev/null)" ] || fail "files of RV in a tree whose RV cannot use them"
	"$top/scripts/in-tree" --remove "$linux"
	diff -r "$work/before" "$linux" || fail "--remove leaves something without RV"
done

# a directory that is no tree is an error, and so are two actions
rm "$linux/kernel/trace/Kconfig"
status=0
"$top/scripts/in-tree" "$linux" 2> /dev/null || status=$?
[ $status -eq 1 ] || fail "no tree: exit $status"
status=0
"$top/scripts/in-tree" --build --remove "$linux" 2> /dev/null || status=$?
[ $status -eq 129 ] || fail "--build --remove: exit $status"
echo "in-tree: ok"
