#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The top Makefile with and without kernel headers: what is built and installed, and
# what it says about the rest. The directories below it are made up.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
# make takes no folder whose name has blanks
work=$(mktemp -d /tmp/tlob-unit.XXXXXX)
trap 'rm -rf "$work"' EXIT
# What runs this test may be a make with options of its own.
unset MAKEFLAGS MAKELEVEL KERNELRELEASE KDIR DESTDIR

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

mkdir -p "$work"/{tools/{tlob-load,libtlob,tlob-lab},kernel,headers}
cp "$top/Makefile" "$work"
mkdir "$work/scripts"
cp "$top"/scripts/{demo-here,lib.sh} "$work/scripts"
printf '#!/bin/sh\necho "measured with $# arguments"\n' > "$work/tools/tlob-load/tlob-load"
chmod 755 "$work/tools/tlob-load/tlob-load"
for dir in tools/{tlob-load,libtlob,tlob-lab}; do
	# shellcheck disable=SC2016 # for make
	printf 'all:\n\ttouch built\ninstall: all\n\ttouch "$(DESTDIR)/%s"\nuninstall:\n' "${dir##*/}" > "$work/$dir/Makefile"
done
# shellcheck disable=SC2016 # for make
printf 'modules:\n\ttouch "$(M)/tlob_load.ko"\n' > "$work/headers/Makefile"

# makes STATUS ARG...: a new build, of kernel 9.8.7.
makes() {
	local status=0 wanted=$1
	shift
	rm -rf "$work/dest" "$work"/tools/*/built "$work/kernel/tlob_load.ko"
	mkdir "$work/dest"
	make -C "$work" KERNELRELEASE=9.8.7 DESTDIR="$work/dest" "$@" > "$work/said" 2>&1 || status=$?
	[ "$wanted" = 0 ] && wanted='^0$' || wanted='^[1-9]'
	grep -q "$wanted" <<< $status || fail "make $*: exit $status: $(cat "$work/said")"
}

# has FILE..., lacks FILE...
has() {
	local file
	for file; do [ -e "$work/$file" ] || fail "no $file: $(cat "$work/said")"; done
}
lacks() {
	local file
	for file; do [ ! -e "$work/$file" ] || fail "$file: $(cat "$work/said")"; done
}

# left_out: one line says so, the last one of make's work, and what to install.
left_out() {
	[ "$(grep -c 'left out the module' "$work/said")" = 1 ] || fail "not said once: $(cat "$work/said")"
	grep -v '^make' "$work/said" | tail -n 1 |
		grep -qF "left out the module tlob_load: no kernel headers in $work/none: install linux-headers-9.8.7, or set KDIR=" || fail "not said: $(cat "$work/said")"
}

tools='tools/tlob-load/built tools/libtlob/built'
# shellcheck disable=SC2086 # words
for jobs in '' -j4; do
	makes 0 $jobs KDIR="$work/headers"
	has $tools kernel/tlob_load.ko
	! grep 'left out' "$work/said" || fail "nothing was left out"
	makes 0 $jobs KDIR="$work/none"
	has $tools
	lacks kernel/tlob_load.ko
	left_out

	makes 0 $jobs KDIR="$work/headers" install
	lacks tools/tlob-lab/built
	has dest/tlob-load dest/libtlob dest/lib/modules/9.8.7/updates/tlob_load.ko
	makes 0 $jobs KDIR="$work/none" install
	has dest/tlob-load dest/libtlob
	lacks dest/lib
	left_out

	makes 0 $jobs install-lab
	has $tools tools/tlob-lab/built dest/tlob-lab
	lacks dest/tlob-load

	makes 2 $jobs KDIR="$work/none" module
	lacks $tools
	grep -q "^no kernel headers in $work/none: install linux-headers-9.8.7" "$work/said" || fail "module: $(cat "$work/said")"
done

# Kbuild would keep the objects of another kernel, or of the same one configured anew.
other_kernel() {
	touch "$work/kernel/run.o"
	makes 0 KDIR="$1" module
	lacks kernel/run.o
	touch "$work/kernel/run.o"
	makes 0 KDIR="$1" module
	has kernel/run.o
}
cp -r "$work/headers" "$work/headers2"
other_kernel "$work/headers2"
mkdir -p "$work/headers2/include/generated"
echo '#define CONFIG_SMP 1' > "$work/headers2/include/generated/autoconf.h"
other_kernel "$work/headers2"

# KDIR alone says for which kernel it is, and uninstall knows them all.
mkdir -p "$work/headers/include/config"
echo 9.8.6-rt > "$work/headers/include/config/kernel.release"
makes 0 KDIR="$work/headers" install
make -C "$work" DESTDIR="$work/dest" KDIR="$work/headers" install > "$work/said" 2>&1 || fail "install: $(cat "$work/said")"
has dest/lib/modules/{9.8.7,9.8.6-rt}/updates/tlob_load.ko
mkdir "$work/dest/lib/modules/9.8.7/updates/dkms"
touch "$work/dest/lib/modules/9.8.7/updates/dkms/tlob_load.ko.xz"
make -C "$work" DESTDIR="$work/dest" uninstall > "$work/said" 2>&1 || fail "uninstall: $(cat "$work/said")"
lacks dest/lib/modules/{9.8.7,9.8.6-rt}/updates/tlob_load.ko
has dest/lib/modules/9.8.7/updates/dkms/tlob_load.ko.xz
# nor may its module be beside that of DKMS
! make -C "$work" DESTDIR="$work/dest" KERNELRELEASE=9.8.7 KDIR="$work/headers" install > "$work/said" 2>&1 ||
	fail "installed beside DKMS's"
grep -q "^DKMS has installed $work/dest/lib/modules/9.8.7/updates/dkms/tlob_load.ko.xz: make dkms-remove first" "$work/said" ||
	fail "DKMS: $(cat "$work/said")"

# The machine itself: only the tool, which then runs without arguments.
makes 0 KDIR="$work/none" demo-here
has tools/tlob-load/built
lacks tools/libtlob/built kernel/tlob_load.ko
grep -q '^measured with 0 arguments' "$work/said" || fail "demo-here: $(cat "$work/said")"

# A module that does not build is an error, and not left out.
printf 'modules:\n\tfalse\n' > "$work/headers/Makefile"
makes 2 KDIR="$work/headers"
makes 2 KDIR="$work/headers" install
echo "make: ok"
