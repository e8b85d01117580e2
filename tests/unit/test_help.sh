#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every subcommand of cmd/ is in the tool's help, and the other way round; so is every
# option of a subcommand in its help.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
tool=$top/tools/tlob-load/tlob-load
bad=0

# same WHAT LEFT RIGHT: two lists of words, LEFT in the source and RIGHT in the help.
same() {
	local word
	for word in $(comm -23 <(sort -u <<< "$2") <(sort -u <<< "$3")); do
		echo "$1: $word is in the source and not in the help" >&2
		bad=1
	done
	for word in $(comm -13 <(sort -u <<< "$2") <(sort -u <<< "$3")); do
		echo "$1: $word is in the help and not in the source" >&2
		bad=1
	done
}

make -s -C "$top/tools/tlob-load"
cd "$top/tools/tlob-load/cmd"
same tlob-load "$(sed -nE 's/^const struct command cmd_([a-z]+) = .*/\1/p' ./*.c)" \
	"$("$tool" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p')"

# options FILE...: the long ones, as getopt_long() gets them
options() {
	sed -nE 's/^[[:blank:]]*\{ "([a-z-]+)",[[:blank:]]*(no|required)_argument.*/--\1/p' "$@"
}

for command in $("$tool" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p'); do
	case $command in
	gate)    files=(compare_options.c) ;;
	restore) continue ;;	# has no table of options
	*)       files=("$command"*.c) ;;
	esac
	same "tlob-load $command" "$(options "${files[@]}")" \
		"$("$tool" "$command" --help | sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z-]+).*/\2/p')"
done
[ $bad -eq 0 ] && echo "help: $("$tool" --help | grep -c '^  [a-z]') subcommands: ok"
exit $bad
