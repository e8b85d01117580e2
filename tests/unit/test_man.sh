#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What `make install` installs in addition to the programs: manual pages that mandoc accepts and
# that refer to pages that exist; tlob_load(4) names every file of the kernel part.
set -eu
unset DESTDIR PREFIX MANDIR	# of the make that runs this test

# shellcheck source=tests/unit/built.sh
. "$(dirname "$0")/built.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
# make takes no folder whose name has blanks
work=$(mktemp -d /tmp/tlob-unit.XXXXXX)
trap 'rm -rf "$work"' EXIT
bad=0

complain() {
	echo "$*" >&2
	bad=1
}

command -v mandoc > /dev/null || { echo "mandoc is missing: scripts/deps check" >&2; exit 1; }
built tools/tlob-load/tlob-load build/tool/doc/done tools/tlob-lab/tlob-lab build/lab/doc/done
# libtlob.pc is made for each PREFIX
for install in tlob-load tlob-lab "libtlob OUT=$work/libtlob"; do
	# shellcheck disable=SC2086	# words
	make -s -C "$top/tools/"$install install DESTDIR="$work" PREFIX=/usr > "$work/log" 2>&1 ||
		{ cat "$work/log" >&2; exit 1; }
done
man=$work/usr/share/man
pages=("$man"/man1/*.1 "$man"/man4/*.4)
[ ${#pages[@]} -ge 11 ] || complain "only ${#pages[@]} pages are installed"

# mandoc looks for other pages in this system; ours are in $man.
for page in "${pages[@]}"; do
	mandoc -T lint "$page" 2> /dev/null | grep -v 'referenced manual not found' && bad=1
	while read -r name section; do
		case $name in
		tlob*|libtlob) [ -e "$man/man$section/$name.$section" ] ||
			complain "${page##*/} refers to $name($section), which is not installed" ;;
		esac
	done < <(sed -nE 's/^\.(It )?Xr ([^ ]+) ([0-9]).*/\2 \3/p' "$page")
done

# The files of the kernel part, its ioctls and its parameters.
page=$man/man4/tlob_load.4
files=0 requests=0
# shellcheck disable=SC2013,SC2016	# words; backquotes of Markdown
for file in $(sed -nE 's/^\| `([a-z_]+|per_cpu[^`]*)` \| 0[0-7]+ .*/\1/p; /^## Settings/,/^## status/s/^\| `([a-z_]+)` \|.*/\1/p' \
	"$top/docs/reference/kernel-interface.md" | sort -u); do
	case $file in auto|osnoise|hooks|both) continue ;; esac	# values of noise_source
	files=$((files + 1))
	grep -qE "^\.(It )?Pa $file\$" "$page" || complain "tlob_load.4 lacks $file"
done
# shellcheck disable=SC2013	# words
for request in $(grep -oE 'TLOB_IOC_[A-Z_]+' "$top/docs/reference/kernel-interface.md" | sort -u); do
	requests=$((requests + 1))
	[ "$request" = TLOB_IOC_STOP ] || grep -q "^\.Dv $request\b" "$page" || complain "tlob_load.4 lacks $request"
done
[ $((files >= 20 && requests >= 5)) -eq 1 ] || complain "kernel-interface.md: only $files files and $requests ioctls"

for tool in tlob-load tlob-lab; do
	for file in bin/$tool share/bash-completion/completions/$tool \
		share/zsh/site-functions/_$tool share/fish/vendor_completions.d/$tool.fish; do
		[ -s "$work/usr/$file" ] || complain "make install does not install $file"
	done
	make -s -C "$top/tools/$tool" uninstall DESTDIR="$work" PREFIX=/usr
done
left=$(find "$work/usr" -type f | grep -v libtlob | grep -v '/tlob\.h$' || true)
[ -z "$left" ] || complain "make uninstall leaves $left"

make -s -C "$top/tools/tlob-load" install DESTDIR="$work" PREFIX=/usr MANDIR=/opt/man > /dev/null 2>&1
[ -s "$work/opt/man/man1/tlob-load-run.1" ] || complain "make install MANDIR=/opt/man: no page there"
[ $bad -eq 0 ] && echo "man: ${#pages[@]} pages: ok"
exit $bad
