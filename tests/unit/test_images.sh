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
grep -qx 'config BR2_PACKAGE_TLOB_LOAD' "$top/contrib/buildroot/tlob-load/Config.in" || fail "Config.in has no option"

# Yocto: the name has the version, and the licence is the file that is here.
recipe=$top/contrib/yocto/tlob-load_$version.bb
[ -e "$recipe" ] || fail "no ${recipe#"$top/"}"
grep -q "COPYING;md5=$(md5sum < "$top/COPYING" | cut -d ' ' -f 1)\"" "$recipe" || fail "the sum of COPYING differs"

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
