#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/deps with programs that are made up: what each step asks for, that a system
# which has everything is left alone, and what is said where there is no apt-get.
set -eu
unset MAKEFLAGS MAKELEVEL

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
export work			# for those programs
trap 'rm -rf "$work"' EXIT
bin=$work/bin
sh=$(command -v sh)
mkdir "$bin"

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# program NAME TEXT...: a shell script in the only directory of the PATH.
program() {
	printf '#!%s\n' "$sh" > "$bin/$1"
	printf '%s\n' "${@:2}" >> "$bin/$1"
	chmod +x "$bin/$1"
}

# debian: there are packages. $work/have lists those that are installed, $work/calls
# what was asked of apt-get.
debian() {
	rm -f "$bin"/* "$work/have" "$work/calls"
	: > "$work/have"
	: > "$work/calls"
	ln -s "$(command -v dirname)" "$(command -v sed)" "$(command -v grep)" "$bin"
	program id 'echo 0'
	# shellcheck disable=SC2016 # for that shell
	program dpkg-query 'shift 3' 'status=0' 'for p; do' \
		'	if grep -qxF "$p" "$work/have"; then echo "installed $p"; else status=1; fi' 'done' 'exit $status'
	# shellcheck disable=SC2016
	program apt-get 'echo "$*" >> "$work/calls"' '[ "$2" = install ] || [ "$1" = -qy ] || exit 0' \
		'shift 7; for p; do echo "$p" >> "$work/have"; done'
}

# deps STATUS STEP...: what it prints is in $work/out and $work/err.
deps() {
	local status=0 wanted=$1
	shift
	PATH=$bin "$sh" "$top/scripts/deps" "$@" > "$work/out" 2> "$work/err" < /dev/null || status=$?
	[ $status -eq "$wanted" ] || fail "deps $*: exit $status, not $wanted: $(cat "$work/out" "$work/err")"
}

# installs STEP: what it installs on a bare system, sorted, to $work/STEP.
installs() {
	debian
	deps 0 "$1"
	grep -q '^-q update ' "$work/calls" || fail "$1: no update of the lists"
	grep -q -- '--no-install-recommends' "$work/calls" || fail "$1: also recommended packages"
	sort "$work/have" > "$work/$1"
	[ -z "$(uniq -d "$work/$1")" ] || fail "$1: twice: $(uniq -d "$work/$1")"
	# and then it has everything
	: > "$work/calls"
	program id 'echo 1000'
	deps 0 "$1"
	[ ! -s "$work/calls" ] || fail "$1: a system that has everything is not left alone: $(cat "$work/calls")"
	[ -z "$(cat "$work/out" "$work/err")" ] || fail "$1: speaks of nothing: $(cat "$work/out" "$work/err")"
}

steps='build demo bench check debug lint dkms arm64 packages sites all'
for step in $steps; do
	installs "$step"
done

# has STEP PACKAGE..., lacks STEP PACKAGE...
has() {
	local step=$1 package
	shift
	for package; do grep -qxF "$package" "$work/$step" || fail "$step lacks $package"; done
}
lacks() {
	local step=$1 package
	shift
	for package; do ! grep -qxF "$package" "$work/$step" || fail "$step has $package"; done
}
within() {
	[ -z "$(comm -23 "$work/$1" "$work/$2")" ] || fail "$2 lacks what $1 has: $(comm -23 "$work/$1" "$work/$2")"
}

has build make gcc libtracefs-dev
lacks build qemu-system-x86 gnuplot-nox
has demo qemu-system-x86 busybox-static gcc
lacks demo chromium clang-tidy stress-ng gnuplot-nox rtla debootstrap libcmocka-dev flex
has check chromium stress-ng gnuplot-nox libcmocka-dev
lacks check clang-tidy debootstrap flex rtla
has lint clang-tidy shellcheck cppcheck
lacks lint chromium qemu-system-x86
has bench rtla qemu-system-x86
lacks bench chromium
has debug flex
has dkms debootstrap
lacks dkms gcc
has arm64 qemu-system-arm gcc-aarch64-linux-gnu
lacks debug qemu-system-arm
has packages podman debootstrap gcc-aarch64-linux-gnu libbz2-dev qemu-system-x86
lacks packages chromium clang-tidy slurmd
has sites slurmd slurmctld munge podman jq
within check arm64
for step in demo lint; do within build $step; done
for step in bench check packages; do within demo $step; done
within check debug
for step in $steps; do within "$step" all; done

# what a step has, without installing it
debian
deps 0 --list build
[ "$(sort "$work/out")" = "$(cat "$work/build")" ] || fail "--list build: $(cat "$work/out")"
[ ! -s "$work/calls" ] || fail "--list installs"

debian
deps 0 lint demo
[ "$(sort "$work/have")" = "$(sort -u "$work/lint" "$work/demo")" ] || fail "two steps are not both"
deps 129 nonsense
deps 129 demo nonsense
grep -q 'no step nonsense' "$work/err" || fail "an unknown step: $(cat "$work/err")"
debian
deps 0
[ "$(sort "$work/have")" = "$(cat "$work/build")" ] || fail "no step is not build"

# who may not, and what fails
debian
program id 'echo 1000'
deps 1 demo
grep -q 'run as root to install: .*qemu-system-x86' "$work/err" || fail "not root: $(cat "$work/err")"
[ ! -s "$work/calls" ] || fail "not root, and apt-get is called"
debian
program apt-get 'exit 100'
deps 1 demo
grep -q 'apt-get failed' "$work/err" || fail "apt-get fails: $(cat "$work/err")"
grep -q '^  qemu-system-x86_64 .*(Debian: qemu-system-x86)$' "$work/err" || fail "no list: $(cat "$work/err")"
debian
program apt-get 'exit 0'
deps 1 dkms
grep -q 'still missing: .*debootstrap' "$work/err" || fail "installs nothing: $(cat "$work/err")"

# another distribution
debian
rm "$bin/dpkg-query" "$bin/apt-get"
deps 1 build
[ ! -s "$work/out" ] || fail "not on stderr: $(cat "$work/out")"
grep -q 'there is no apt-get' "$work/err" || fail "another distribution: $(cat "$work/err")"
! grep -q 'not found' "$work/err" || fail "another distribution: $(cat "$work/err")"
[ "$(grep -c '^  ' "$work/err")" = "$(wc -l < "$work/build")" ] || fail "not all are listed: $(cat "$work/err")"
for name in make depmod pkg-config clang llvm-strip; do program $name 'exit 0'; done
# a compiler that finds every header but this one
# shellcheck disable=SC2016 # in that program
program gcc 'case $1 in -print-*) echo /libiberty.a ;; *) ! grep -q numa.h ;; esac'
deps 1 build
sed -n 's/^  \(<numa.h>\) .*(Debian: libnuma-dev)$/\1/p' "$work/err" | grep -qx '<numa.h>' || fail "numa.h is not listed: $(cat "$work/err")"
[ "$(grep -c '^  ' "$work/err")" = 1 ] || fail "others are listed: $(cat "$work/err")"
program gcc 'echo libiberty.a'
deps 1 build
[ "$(sed -n 's/^  \([^ ]*\) .*/\1/p' "$work/err")" = libiberty.a ] || fail "not only libiberty.a: $(cat "$work/err")"
program gcc 'echo /libiberty.a'
deps 0 build
[ ! -s "$work/err" ] || fail "nothing is missing: $(cat "$work/err")"
deps 1 demo
grep -q '^  qemu-system-x86_64 ' "$work/err" || fail "no QEMU: $(cat "$work/err")"

# each target asks for its own
while read -r target step; do
	make -s -n -C "$top" "$target" 2> "$work/err" > "$work/out" || :
	[ "$(grep -m 1 scripts/deps "$work/out")" = "scripts/deps $step" ] || fail "make $target: $(cat "$work/out" "$work/err")"
done <<'END'
demo demo
lint lint
check check
check-debug debug
soak debug
check-dkms dkms
bench bench
END
echo "deps: ok"
