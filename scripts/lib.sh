# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What scripts share, in sh and in bash. A script's help is its own header comment: it
# stands below the line with the licence and ends with the first line of code.
#
# May be set before: script, the name in front of messages; failure, the exit status
# of die; deps, the steps of scripts/deps that install what the script needs; objects, the
# folder of to_compile.
objects=${objects:-}
script=${script:-${0##*/}}

# usage: the script's header comment.
usage() {
	sed -n '3,${/^#/!q;s/^# \{0,1\}//;p;}' "$0" | sed '1{/^$/d;}'
}

# misused TEXT: the command line is wrong.
misused() {
	echo "$script: $*; $0 -h prints the usage" >&2
	exit 129
}

# die TEXT
die() {
	echo "$script: $*" >&2
	exit "${failure:-1}"
}

# need PROGRAM...: all of them exist.
need() {
	for program; do
		[ -n "$(command -v "$program")" ] || die "$program is missing: run scripts/deps${deps:+ $deps}"
	done
}

# arch_of KERNEL: the architecture of a kernel by that name, as the kernel names it. These
# two are all that there are.
arch_of() {
	case $1 in
	*-arm64)  echo arm64 ;;
	*)        echo x86_64 ;;
	esac
}

# watched WHAT HOW COMMAND [ARG]...: runs COMMAND, which prints nothing that matters unless it fails.
# Every two seconds a line says WHAT is done, since when, and how far it is: what HOW prints, which gets
# a file that is as old as the command, and its seconds.
watched() (
	what=$1 how=$2
	shift 2
	log=$(mktemp) && trap 'rm -f "$log" "$log.began"' EXIT && trap 'exit 1' HUP INT TERM
	touch "$log.began"
	"$@" > "$log" 2>&1 &
	began=$(date +%s) last=0
	while sleep 0.2 && kill -0 $! 2> /dev/null; do
		now=$(($(date +%s) - began))
		[ "$now" -ge $((last + 2)) ] || continue
		last=$now
		echo "$what, $now s: $("$how" "$log.began" "$now")"
	done
	wait $! || { cat "$log" >&2; exit 1; }
)

# to_compile DIR: how many files make has to compile there into $objects. What make -n prints has also
# those that are there: it does not do what would tell it that nothing has changed.
to_compile() {
	mkdir -p "$objects"
	files=$(make -n -C "$1" 2> /dev/null | grep -cE '[[:space:]]-c[[:space:]]' || :)
	missing=$((files - $(find "$objects" -name '*.o' | wc -l)))
	[ "$missing" -le 10 ] || files=$missing
}

# compiles BEGAN SECONDS: for watched, of the $files that come into $objects.
compiles() {
	done=$(find "$objects" -name '*.o' -newer "$1" | wc -l)
	echo "$done of $files files$([ "$done" -eq 0 ] || echo ", $(($2 * (files - done) / done)) s left")"
}
