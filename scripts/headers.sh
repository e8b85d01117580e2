# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What fetch-kernel does to a kernel's headers from a newer Debian, whose compiler and C
# library this machine does not have. After lib.sh and apt.sh.

# too_new DIR: the programs below DIR that need a newer C library than this machine's.
too_new() {
	local file
	find "$1" -type f -perm -1 | while read -r file; do
		! ldd "$file" 2>&1 | grep -q 'version .GLIBC_[0-9.]*. not found' || echo "$file"
	done
}

# with_own_library DIR: those programs below DIR/root run with the C library of the suite
# that they come from: each becomes a script that starts it by the loader of that library.
# The way there is relative, so DIR may be moved.
with_own_library() {
	local dir=$1 libc=$1/root/libc file loader way
	too_new "$dir/root/usr/lib" > "$dir/programs"
	[ -s "$dir/programs" ] || return 0
	mkdir "$dir/debs"
	# shellcheck disable=SC2154 # of apt.sh
	(cd "$dir/debs" && apt-get -qq "${apt[@]}" download libc6) || die "download of libc6 failed"
	dpkg -x "$dir"/debs/libc6_*.deb "$libc"
	rm -r "$dir/debs"
	loader=$(find "$libc/usr/lib" -name 'ld-linux*.so.*' -type f)
	[ -n "$loader" ] || die "no loader in libc6"
	while read -r file; do
		way=$(realpath --relative-to="${file%/*}" "${loader%/*}")
		mv "$file" "$file.own"
		# shellcheck disable=SC2016 # the script expands them
		printf '#!/bin/sh\nlib=${0%%/*}/%s\nexec "$lib/%s" --library-path "$lib" "$0.own" "$@"\n' \
			"$way" "${loader##*/}" > "$file"
		chmod 755 "$file"
	done < "$dir/programs"
	! too_new "$dir/root/usr/lib" | grep -qv '\.own$' || die "programs of the headers do not run here"
}

# compiles CC [OPTION]...: whether CC takes the options, and the C source of stdin.
compiles() {
	"$@" -Werror -x c - -c -o /dev/null 2> /dev/null
}

# unset_option HEADERS NAME: in all files that have the configuration.
unset_option() {
	sed -i "s/^CONFIG_$2=.*/# CONFIG_$2 is not set/" "$1/.config"
	sed -i "/^CONFIG_$2=/d" "$1/include/config/auto.conf"
	sed -i "/^#define CONFIG_$2 /d" "$1/include/generated/autoconf.h"
}

# fit_compiler HEADERS CROSS: if the compiler that HEADERS ask for is not here, CROSSgcc
# takes its place, and the options go that the kernel's compiler had and this one has not.
# They say what may stand in a source; structures are the same with and without them.
fit_compiler() {
	local headers=$1 cc=$2gcc wanted version
	wanted=$(sed -n 's/^CC = .*)\(gcc-[0-9]*\)$/\1/p' "$headers/.kernelvariables")
	# without any compiler build-module will say so
	if [ -z "$wanted" ] || command -v "$2$wanted" > /dev/null || ! command -v "$cc" > /dev/null; then
		return 0
	fi
	sed -i "s/^\(CC = .*)\)$wanted\$/\1gcc/" "$headers/.kernelvariables"
	version=$("$cc" -dumpfullversion | awk -F. '{ print $1 * 10000 + $2 * 100 + $3 }')
	sed -i -E "s/^(CONFIG_|#define CONFIG_)(GCC_VERSION[= ]).*/\1\2$version/" "$headers/.config" \
		"$headers/include/config/auto.conf" "$headers/include/generated/autoconf.h"

	echo 'struct s { int n; int a[] __attribute__((__counted_by__(n))); };' | compiles "$cc" ||
		unset_option "$headers" CC_HAS_COUNTED_BY
	echo 'struct s { int n; int *a __attribute__((__counted_by__(n))); };' | compiles "$cc" ||
		unset_option "$headers" CC_HAS_COUNTED_BY_PTR
	echo 'void f(int n) { __attribute__((__assume__(n))); }' | compiles "$cc" ||
		unset_option "$headers" CC_HAS_ASSUME
	echo 'char tag[][4] __attribute__((__nonstring__)) = { };' | compiles "$cc" ||
		unset_option "$headers" CC_HAS_MULTIDIMENSIONAL_NONSTRING
	compiles "$cc" -fmin-function-alignment=16 < /dev/null ||
		unset_option "$headers" CC_HAS_MIN_FUNCTION_ALIGNMENT
	compiles "$cc" -finline-stringops=memset < /dev/null ||
		unset_option "$headers" CC_OPT_INLINE_MEMSET
}
