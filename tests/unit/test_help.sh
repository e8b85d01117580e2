#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The built tool shows its help in each way that people ask for it, and the manual pages
# and the completion have the options of --help=all.
set -eu

# shellcheck source=tests/unit/built.sh
. "$(dirname "$0")/built.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
tool=$top/tools/tlob-load/tlob-load
doc=$top/build/tool/doc
bad=0

complain() {
	echo "$*" >&2
	bad=1
}

# same WHAT LEFT RIGHT: two lists of words, LEFT in the help and RIGHT elsewhere.
same() {
	local word
	for word in $(comm -23 <(sort -u <<< "$2") <(sort -u <<< "$3")); do
		complain "$1: $word is only in --help=all"
	done
	for word in $(comm -13 <(sort -u <<< "$2") <(sort -u <<< "$3")); do
		complain "$1: $word is not in --help=all"
	done
}

built tools/tlob-load/tlob-load build/tool/doc/done
mapfile -t commands < <("$tool" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p')
[ ${#commands[@]} -gt 8 ] || complain "tlob-load --help: ${#commands[@]} commands"

for way in help --help -h; do
	[ "$("$tool" $way)" = "$("$tool" --help)" ] || complain "tlob-load $way is not tlob-load --help"
done
# All of it, with the commands and the exit codes.
all=$("$tool" --help=all) || complain "tlob-load --help=all: exit $?"
for part in "${commands[@]}" --version 'Exit codes' SIGPIPE; do
	grep -qw -e "$part" <<< "$all" || complain "tlob-load --help=all lacks $part"
done
# misused SAID ARG...: usage, and what is said of it
misused() {
	local part=$1 said status=0
	shift
	said=$("$tool" "$@" 2>&1) || status=$?
	if [ $status -ne 129 ] || [[ $said != *"$part"* ]]; then
		complain "tlob-load $*: exit $status: $said"
	fi
}
misused 'did you mean run?' runn
misused 'did you mean --version?' --verson
misused 'options follow a command, as in tlob-load run -d' -d 10s
for way in version --version -V; do
	[ "$("$tool" $way)" = "tlob-load $(cat "$top/VERSION")" ] || complain "tlob-load $way is not the version"
done

# What the tables for bash say is a part of the file that is installed.
bash_options() {
	bash -c '. "$1"; _tlob_load_options "$2"' - "$doc/complete.bash" "$1" | tr ' ' '\n' | grep -e '^--'
}

for command in "${commands[@]}"; do
	[ "$("$tool" help "$command")" = "$("$tool" "$command" --help)" ] ||
		complain "tlob-load help $command is not tlob-load $command --help"
	options=$("$tool" "$command" --help=all | sed -nE 's/^  (-[a-zA-Z], |    )(--[a-z-]+).*/\2/p')
	[ -n "$options" ] || complain "tlob-load $command --help=all: no options"
	same "man tlob-load-$command" "$options" \
		"$(sed -nE '/^\.It.* Fl \\-/{ s/^\.It.* Fl \\-([a-z\-]+).*/--\1/; s/\\//g; p }' "$doc/man1/tlob-load-$command.1")"
	same "completion of bash, $command" "$options" "$(bash_options "$command")"
	same "completion of zsh, $command" "$options" \
		"$(sed -n "/^\t$command) specs/,/) ;;/p" "$doc/complete.zsh" | grep -oE -- '--[a-z][a-z-]*(=-?|\}|[[:punct:]])' | sed -E 's/[^a-z]+$//' | grep -vx -- --help=all)"
	same "completion of fish, $command" "$options" \
		"$(sed -nE "s/^complete .*__tlob_load_in \"$command\"' -l ([a-z-]+).*/--\1/p" "$doc/complete.fish")"
done
[ $bad -eq 0 ] && echo "help: ${#commands[@]} subcommands: ok"
exit $bad
