#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The built programs show their help in each way that people ask for it.
set -eu

# shellcheck source=tests/unit/built.sh
. "$(dirname "$0")/built.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
bad=0 n=0

complain() {
	echo "$*" >&2
	bad=1
}

built tools/tlob-load/tlob-load tools/tlob-lab/tlob-lab
# misused SAID ARG...: usage, and what is said of it
misused() {
	local part=$1 said status=0
	shift
	said=$("$tool" "$@" 2>&1) || status=$?
	if [ $status -ne 129 ] || [[ $said != "$name: "*"$part"* || $said == *help*help* ]]; then
		complain "$name $*: exit $status: $said"
	fi
}

for name in tlob-load tlob-lab; do
	tool=$top/tools/$name/$name
	mapfile -t commands < <("$tool" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p')
	n=$((n + ${#commands[@]}))
	for way in help --help -h; do
		[ "$("$tool" $way)" = "$("$tool" --help)" ] || complain "$name $way is not $name --help"
	done
	# All of it, with the commands and the exit codes.
	all=$("$tool" --help=all) || complain "$name --help=all: exit $?"
	for part in "${commands[@]}" --version 'Exit codes'; do
		grep -qw -e "$part" <<< "$all" || complain "$name --help=all lacks $part"
	done
	[ $name = tlob-lab ] || grep -q SIGPIPE <<< "$all" || complain "$name --help=all lacks SIGPIPE"
	misused 'did you mean run?' runn
	misused 'did you mean --version?' --verson
	misused "options follow a command, as in $name run -d" -d 10s
	misused "options follow a command, as in $name run --duration" --duration 10s
	misused "($name run --help)" run --no-such-option
	for way in version --version -V; do
		[ "$("$tool" $way)" = "$name $(cat "$top/VERSION")" ] || complain "$name $way is not the version"
	done

	for command in "${commands[@]}"; do
		[ "$("$tool" help "$command")" = "$("$tool" "$command" --help)" ] ||
			complain "$name help $command is not $name $command --help"
	done
done
[ $n -gt 15 ] || complain "only $n commands"
[ "$("$tool")" = "$("$tool" --help)" ] || complain "tlob-lab alone is not tlob-lab --help"
[ $bad -eq 0 ] && echo "help: $n subcommands: ok"
exit $bad
