# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Builds of the tool with fewer libraries, another C library and for another machine.
# Part of tests/cli/here, which has $top, $out and $tool.
# shellcheck disable=SC2154

# libc and json-c are all that it needs. Not optimised, as below: it is about what compiles.
make_posix_tool() {
	make -s -j"$(nproc)" -C "$top/tools/tlob-load" BACKENDS=posix CFLAGS='-O0 -Werror' OBJDIR="$out/obj" OUT="$out/tlob-load.posix"
}
posix_only() {
	fixture posix_tool || return
	! ldd "$out/tlob-load.posix" | grep -vE 'vdso|libjson-c|libc\.|libm\.|ld-linux|libpthread' || return
	"$out/tlob-load.posix" run -n 100 -q --json "$out/only.json" && counts "$out/only.json" 100 &&
	exits 1 'top needs a terminal' "$out/tlob-load.posix" top -n 1 &&
	exits 77 'built without' "$out/tlob-load.posix" attach /bin/true --start a --stop b -b 1ms &&
	exits 77 'built without' "$out/tlob-load.posix" waits -d 10ms &&
	exits 77 ': make deps, then make' "$out/tlob-load.posix" run --backend tlob
}

# Where only json-c is there, make finds it out, and says what the others lack.
# elsewhere COMPILER AR CFLAGS [RUNNER]: a static file for another C library or machine.
elsewhere() {
	local cc=$1 ar=$2 cflags="-O0 -Werror $3" run=${4:-} dir=$out/$1 PKG_CONFIG_LIBDIR
	mkdir -p "$dir"
	PKG_CONFIG_LIBDIR=$("$top/scripts/build-json-c" "$cc") || return
	export PKG_CONFIG_LIBDIR
	make -s -j"$(nproc)" -C "$top/tools/tlob-load" CC="$cc" CFLAGS="$cflags" LDFLAGS=-static \
		OBJDIR="$dir/obj" OUT="$dir/tlob-load" 2> "$dir/said" || { cat "$dir/said"; return 1; }
	grep '^tlob-load: backends posix; left out tlob and attach: no libtracefs .*; left out bpf: no ' "$dir/said" ||
		{ cat "$dir/said"; return 1; }
	# shellcheck disable=SC2086 # no word where there is no runner
	foreign_works "$dir" $run "$dir/tlob-load" && foreign_library "$dir" "$cc" "$ar" "$cflags" $run
}

# foreign_works DIR TOOL...: it measures, reads and adds up as the tool of this machine does.
foreign_works() {
	local dir=$1
	shift
	[ "$("$@" --version | head -n 1)" = "$("$tool" --version)" ] || return
	"$@" version | grep '^built without the backend bpf: lacked .*libbpf' || return
	"$@" run --backend posix -n 200 -w none --json "$dir/1.json" > "$dir/table" || return
	cat "$dir/table"
	grep -q '^mean   response ' "$dir/table" && counts "$dir/1.json" 200 || return
	valid "$dir/1.json" || return
	exits 77 'built without libtracefs' "$@" run --backend tlob || return
	diff <("$@" report "$dir/1.json") <("$tool" report "$dir/1.json") || return
	jq -c '.seed = 1 | .run_id |= (explode | reverse | implode)' "$dir/1.json" > "$dir/2.json"
	"$@" merge "$dir/1.json" "$dir/2.json" -o "$dir/sum.json" &&
	"$tool" merge "$dir/1.json" "$dir/2.json" -o "$dir/native.json" &&
	diff <(jq 'del(.command)' "$dir/sum.json") <(jq 'del(.command)' "$dir/native.json")
}

# foreign_library DIR COMPILER AR CFLAGS [RUNNER]: a program with budgets runs.
foreign_library() {
	make -s -C "$top/tools/libtlob" CC="$2" AR="$3" CFLAGS="$4" OUT="$1/libtlob" || return
	${5:+"$5"} "$1/libtlob/tlob-budget" 3 | grep -x '[0-9]* windows, [0-9]* over their budget'
}

# A tool with libc and json-c says the same, but for what zlib unpacks.
doctor_posix_only() {
	fixture posix_tool || return
	doctor self "$tool" doctor -q --json - && cp "$out/doctor.out" "$out/doctor.self.json" || return
	doctor self "$out/tlob-load.posix" doctor -q --json - || return
	diff <(jq -c '.checks[] | select(.source | contains("kernel-configuration")) | .id' "$out/doctor.out" | sort) \
		<(jq -c '.checks[] | select(.source | contains("kernel-configuration")) | .id' "$out/doctor.self.json" | sort) || return
	if [ -r /proc/config.gz ] && [ ! -r "/boot/config-$(uname -r)" ]; then
		jq -e '.checks[] | select(.id == "heavy_debug") | .status == "unknown" and (.found | contains("without zlib"))' \
			"$out/doctor.out" || { jq -c '.checks[] | select(.id == "heavy_debug")' "$out/doctor.out"; return 1; }
	fi
}

check posix_only posix_only
check doctor.posix_only doctor_posix_only
if [ -z "$(command -v musl-gcc)" ] || [ -z "$(command -v cmake)" ]; then
	skip musl "no musl-gcc or no cmake on this machine: scripts/deps check"
else
	# musl has no headers of the kernel: this machine's
	check musl elsewhere musl-gcc ar "-idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch)"
fi
# NAME TRIPLET RUNNER CFLAGS: on an i486 64-bit atomics are calls
while read -r name triplet run flags; do
	if [ -z "$(command -v "$triplet-gcc")" ] || [ -z "$(command -v cmake)" ] || [ -z "$(command -v "$run")" ]; then
		skip "$name" "no $triplet-gcc, cmake or $run on this machine: scripts/deps check"
	else
		check "$name" elsewhere "$triplet-gcc" "$triplet-ar" "$flags" "$run"
	fi
done <<'END'
arm64 aarch64-linux-gnu qemu-aarch64
riscv64 riscv64-linux-gnu qemu-riscv64
armhf arm-linux-gnueabihf qemu-arm
i386 i686-linux-gnu qemu-i386 -march=i486
END
