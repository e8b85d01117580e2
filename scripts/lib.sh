# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What scripts share, in sh and in bash. A script's help is its own header comment: it
# stands below the line with the licence and ends with the first line of code.
#
# May be set before: script, the name in front of messages; failure, the exit status
# of die; deps, the steps of scripts/deps that install what the script needs.
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
