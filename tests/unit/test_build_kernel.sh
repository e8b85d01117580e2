#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/build-kernel NAME PATCH: a patch that does not fit, or whose build has ended early, is in no
# later kernel. The source is three files, and the kernel is all of them.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache PATH=$work/bin:$PATH
source=$XDG_CACHE_HOME/tlob-load/source/6.12

fail() {
	echo "FAILED: $*: $(cat "$work/said")" >&2
	exit 1
}

mkdir -p "$work"/{bin,tests/vm} "$source/linux/scripts/kconfig"
cp -r "$top/scripts" "$work"
cp -r "$top/tests/vm/kernels" "$work/tests/vm"
echo linux-source=1 > "$source/package"
touch "$source/linux/Kbuild"
for file in a b c; do echo $file > "$source/linux/$file"; done
printf '#!/bin/sh\n' > "$source/linux/scripts/kconfig/merge_config.sh"
chmod +x "$source/linux/scripts/kconfig/merge_config.sh"
cat > "$work/bin/make" <<'END'
#!/bin/bash
work=$(dirname "$0")/.. out=${3#O=}
mkdir -p "$out/arch/x86/boot" "$out/include/config"
cp "$work/tests/vm/kernels/small.config" "$out/.config"
echo 6.12 > "$out/include/config/kernel.release"
cat "$2"/? > "$out/arch/x86/boot/bzImage"
[ ! -e "$work/kill" ] || { rm "$work/kill"; kill -KILL $PPID; }
END
chmod +x "$work/bin/make"
printf -- '--- x/%s\n+++ x/%s\n@@ -1 +1 @@\n-%s\n+%s\n' a a a mine b b other mine > "$work/half.patch"
printf -- '--- x/%s\n+++ x/%s\n@@ -1 +1 @@\n-%s\n+%s\n' a a a mine > "$work/killed.patch"
printf -- '--- x/%s\n+++ x/%s\n@@ -1 +1 @@\n-%s\n+%s\n' c c c mine > "$work/last.patch"
printf -- '--- x/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n--- /dev/null\n+++ x/d\n@@ -0,0 +1 @@\n+d\n' > "$work/files.patch"

# builds STATUS PATCH
builds() {
	local status=0
	# a shell of its own says "Killed"
	("$work/scripts/build-kernel" 6.12-small "$work/$2.patch"; exit) > "$work/said" 2>&1 || status=$?
	[ $status -eq "$1" ] || fail "$2: exit $status, not $1"
}

builds 0 files
grep -qx d "$work/build/kernels/6.12-small-files/vmlinuz" || fail "a file is not added"
builds 1 half
grep -q 'half.patch does not fit the source of 6.12-small' "$work/said" || fail "not said"
touch "$work/kill"
builds 137 killed
builds 0 last
printf '%s\n' a b mine | diff - "$work/build/kernels/6.12-small-last/vmlinuz" || fail "it has another patch"
diff -r "$source/linux" "$XDG_CACHE_HOME/tlob-load/kernels/6.12-small/linux" || fail "the source has a patch"
echo "build-kernel: ok"
