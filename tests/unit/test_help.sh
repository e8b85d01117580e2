#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The built tool shows its help in each way that people ask for it.
set -eu

# shellcheck source=tests/unit/built.sh
. "$(dirname "$0")/built.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
tool=$top/tools/tlob-load/tlob-load
bad=0

complain() {
	echo "$*" >&2
	bad=1
}

built tools/tlob-load/tlob-load
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
	if [ $status -ne 129 ] || [[ $said != *"$part"* || $said == *help*help* ]]; then
		complain "tlob-load $*: exit $status: $said"
	fi
}
misused 'did you mean run?' runn
misused 'did you mean --version?' --verson
misused 'options follow a command, as in tlob-load run -d' -d 10s
for way in version --version -V; do
	[ "$("$tool" $way)" = "tlob-load $(cat "$top/VERSION")" ] || complain "tlob-load $way is not the version"
done

for command in "${commands[@]}"; do
	[ "$("$tool" help "$command")" = "$("$tool" "$command" --help)" ] ||
		complain "tlob-load help $command is not tlob-load $command --help"
done
[ $bad -eq 0 ] && echo "help: ${#commands[@]} subcommands: ok"
exit $bad
