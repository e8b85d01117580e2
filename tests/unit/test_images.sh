#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# contrib/buildroot, yocto and rpm: they are of this version, and what they run builds and installs
# in a plain make. Buildroot and bitbake are not here, so make and sh stand for them.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
version=$(cat "$top/VERSION")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "images: $*" >&2
	exit 1
}

# Buildroot: its function that makes a package prints the commands here.
cat > "$work/Makefile" <<'END'
TOPDIR := /buildroot
TARGET_DIR := /target
TARGET_MAKE_ENV := LANG=C
TARGET_CONFIGURE_OPTS = CC=cross-gcc PKG_CONFIG=cross-pkg-config
generic-package =
include $(MK)
$(TREE)/build: ; $(TLOB_LOAD_BUILD_CMDS)
$(TREE)/install: ; $(TLOB_LOAD_INSTALL_TARGET_CMDS)
.PHONY: $(TREE)/build $(TREE)/install
print: ; @echo $(TLOB_LOAD_VERSION) $(TLOB_LOAD_LICENSE_FILES) $(TLOB_LOAD_DEPENDENCIES)
END
recipe=$top/contrib/buildroot/tlob-load/tlob-load.mk
said=$(make -s -f "$work/Makefile" MK="$recipe" print) || fail "tlob-load.mk: $said"
[ "$said" = "$version COPYING host-pkgconf json-c" ] || fail "tlob-load.mk: $said"
for goal in build install; do
	said=$(make -n -f "$work/Makefile" MK="$recipe" TREE="$top" "$top/$goal" 2>&1) || fail "tlob-load.mk $goal: $said"
	[[ $said == *"-C $top/tools/tlob-load BACKENDS=posix PREFIX=/usr"* ]] || fail "tlob-load.mk $goal: $said"
done
[[ $said == *'DESTDIR="/target" install'* ]] || fail "tlob-load.mk install: $said"

# Its option: it can be had with what it names, and with nothing less. Else Buildroot would select a
# package that does not build.
/usr/bin/python3 - "$top/contrib/buildroot/tlob-load/Config.in" "$work/Config.in" <<'END' || fail "Config.in"
import sys
from kconfiglib import Kconfig
needs = ["USE_MMU", "TOOLCHAIN_HAS_THREADS_NPTL", "TOOLCHAIN_HAS_ATOMIC", "TOOLCHAIN_HAS_SYNC_4"]
with open(sys.argv[2], "w") as f:
    for name in needs:
        f.write('config BR2_%s\n\tbool "%s"\n\tdefault y\n' % (name, name))
    f.write('config BR2_PACKAGE_JSON_C\n\tbool "json-c"\n\tdepends on BR2_TOOLCHAIN_HAS_SYNC_4\n')
    f.write('source "%s"\n' % sys.argv[1])
config = Kconfig(sys.argv[2])
ours = config.syms["BR2_PACKAGE_TLOB_LOAD"]
ours.set_value("y")
assert ours.str_value == config.syms["BR2_PACKAGE_JSON_C"].str_value == "y" and not config.warnings, config.warnings
for name in needs:
    config.syms["BR2_" + name].set_value("n")
    assert ours.str_value == "n", name
    config.syms["BR2_" + name].set_value("y")
END

# Yocto: the name has the version, and the licence is the file that is here. Its variables and functions
# are the shell's, but for the blanks around =. Nothing is built yet where the objects go.
recipe=$top/contrib/yocto/tlob-load_$version.bb
[ -e "$recipe" ] || fail "no ${recipe#"$top/"}"
grep -q "COPYING;md5=$(md5sum < "$top/COPYING" | cut -d ' ' -f 1)\"" "$recipe" || fail "the sum of COPYING differs"
sed -E 's/^([A-Z_]+) \??= "/\1="/; /^FILES:/d' "$recipe" > "$work/recipe"
# shellcheck disable=SC2016 # in that shell
said=$(cd "$top" && sh -euc '
	inherit() { :; }
	oe_runmake() { eval "make -n OBJDIR=/none $EXTRA_OEMAKE \"\$@\""; }
	PV=$2 TOPDIR=/yocto/build D=/image prefix=/usr BUILD_CC=here-gcc CC="cross-gcc --sysroot=/sys" CFLAGS="-O2 -g1" LDFLAGS=-Wl,-O1
	. "$1"
	echo "$LICENSE from $SRC_URI"
	oe_runmake
	do_install' sh "$work/recipe" "$version" 2>&1) || fail "the recipe: $said"
for part in "GPL-2.0-only from file:///yocto/build/../tlob-load/tlob-load-$version.tar.gz" '"/image/usr/bin/tlob-load"' \
	'cross-gcc --sysroot=/sys .* -O2 -g1 -MMD' 'cross-gcc .* -Wl,-O1 -o tlob-load' 'here-gcc .* -DTLOB_MANUAL '; do
	grep -q -e "$part" <<< "$said" || fail "the recipe does not run: $part"
done

# RPM: as rpm reads it.
spec=$top/contrib/rpm/tlob-load.spec
if [ -n "$(command -v rpmspec)" ]; then
	said=$(HOME=$work rpmspec -q --srpm --qf '%{name} %{version} %{license}' "$spec") || fail "the spec: $said"
	[ "$said" = "tlob-load $version GPL-2.0-only" ] || fail "the spec: $said"
else
	echo "images: the spec was not read: no rpmspec (Debian: rpm)"
	grep -qx "Version: *$version" "$spec" || fail "the spec has another version"
fi
echo "images: ok"
