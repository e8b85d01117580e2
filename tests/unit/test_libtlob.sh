#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# libtlob as its users get it: installed, found by pkg-config, linked shared and static,
# from C and C++; and the cost of tlob_enabled().
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
# make takes no folder whose name has blanks
work=$(mktemp -d /tmp/tlob-unit.XXXXXX)
trap 'rm -rf "$work"' EXIT
usr=$work/usr

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# as where there is no libc.a
# shellcheck disable=SC2016 # for that shell
printf '#!/bin/sh\ncase " $* " in *" -static "*) exit 1 ;; esac\nexec cc "$@"\n' > "$work/cc"
chmod +x "$work/cc"
make -s -C "$top/tools/libtlob" CC="$work/cc" OUT="$work/out" PREFIX="$usr" DESTDIR="$work/dest" install > "$work/log" 2>&1 ||
	{ cat "$work/log"; fail "make install failed"; }
mv "$work/dest$usr" "$usr"
export PKG_CONFIG_PATH=$usr/lib/pkgconfig
[ "$(pkg-config --modversion libtlob)" = "$(cat "$top/VERSION")" ] || fail "pkg-config has another version"
read -ra flags <<< "$(pkg-config --cflags --libs libtlob)"

# Only symbols that begin with tlob_ are exported, with a version; the link has the soname.
symbols=$(nm -D --defined-only "$usr/lib/libtlob.so" | awk '$2 == "T" { print $3 }')
[ -n "$symbols" ] || fail "the library has no symbols"
! grep -vE '^tlob_[a-z_]*@@LIBTLOB_0\.1$' <<< "$symbols" || fail "other symbols are exported"
objdump -p "$usr/lib/libtlob.so" | grep -q 'SONAME *libtlob.so.0' || fail "the soname is not libtlob.so.0"

# The example, with either library, and as C++.
example=$top/tools/libtlob/examples/budget.c
cc -Wall -Wextra -Werror -o "$work/shared" "$example" "${flags[@]}"
cc -Wall -Wextra -Werror -static -o "$work/static" "$example" "${flags[@]}"
cat > "$work/cxx.cc" <<'END'
#include <cstdio>
#include <tlob.h>
int main()
{
	tlob_task_window w;
	int err = tlob_open(), begun = tlob_begin(1000, 0), ended = tlob_end(), windows = 0;
	windows += begun == 0 && ended >= 0;
	windows += tlob_begin(1000, 0) == 0 && tlob_end_window(&w) >= 0;
	std::printf("%d windows, %d\n", windows, err);
	tlob_close();
	return windows ? 0 : 2;
}
END
c++ -Wall -Wextra -Werror -o "$work/cxx" "$work/cxx.cc" "${flags[@]}"
for program in shared static cxx; do
	status=0
	LD_LIBRARY_PATH=$usr/lib "$work/$program" 3 1000 10 2> "$work/err" > "$work/said" || status=$?
	# with the module loaded the example may succeed
	[ -e /dev/tlob ] || [ $status = 2 ] || fail "$program ends with $status"
	grep -q ' windows, ' "$work/said" || fail "$program prints no windows"
done

# All files of a program share one word, in C and in C++.
echo '#include <tlob.h>
void *site(void); void *site(void) { return &tlob_site; }' > "$work/a.c"
echo '#include <tlob.h>
void *site(void); int main(void) { return site() != &tlob_site; }' > "$work/b.c"
cc -Werror -o "$work/two" "$work/a.c" "$work/b.c" "${flags[@]}"
LD_LIBRARY_PATH=$usr/lib "$work/two" || fail "each file has a word of its own"

# A load and a branch, in an object of a program and in one of a shared library. The
# comparison between them neither loads nor branches.
echo '#include <tlob.h>
extern void listened(void); void probe(void); void probe(void) { if (tlob_enabled()) listened(); }' > "$work/probe.c"
if [ "$(uname -m)" = x86_64 ]; then
	for pic in -fno-pic -fPIE -fPIC; do
		cc -O2 $pic -fcf-protection=none "-I$usr/include" -c -o "$work/probe.o" "$work/probe.c"
		# the instructions up to the first return: those that run while the monitor is off
		code=$(objdump -d --no-show-raw-insn "$work/probe.o" |
			awk '/^ +[0-9a-f]+:/ { sub(/^[^:]*:[ \t]*/, ""); print } /\tret|^ret/ { exit }')
		[ "$(grep -cE '\(|0x0,%e' <<< "$code")" = 1 ] || fail "$pic: more than one load: $code"
		[ "$(grep -cE '^j' <<< "$code")" = 1 ] || fail "$pic: more than one branch: $code"
		[ "$(wc -l <<< "$code")" -le 4 ] || fail "$pic: too long: $code"
	done
fi

make -s -C "$top/tools/libtlob" OUT="$work/out" PREFIX="$usr" DESTDIR="$work/de st" install uninstall > "$work/log" 2>&1
[ -d "$work/de st$usr/lib" ] || fail "DESTDIR ends at a blank"
[ -z "$(find "$work"/de* ! -type d)" ] || fail "uninstall leaves something behind"
# only root can run ldconfig
mkdir "$work/bin"
printf '#!/bin/sh\nexit 1\n' > "$work/bin/ldconfig"
printf '#!/bin/sh\necho 1000\n' > "$work/bin/id"
chmod +x "$work"/bin/*
PATH=$work/bin:$PATH make -s -C "$top/tools/libtlob" OUT="$work/out" PREFIX="$work/home" install uninstall > "$work/log" 2>&1 ||
	{ cat "$work/log"; fail "a user cannot install it"; }
echo "# libtlob: installed, linked, removed; tlob_enabled() is a load and a branch"
