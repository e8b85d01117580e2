# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# checks.sh - what the scripts that run in the guests of tests/vm/suites/tool have in common
#
# They note what is wrong and give a verdict over it:
#
#	is "the sum" "$sum" 4
#	expect arithmetic
#
# $dir is where a command's output is, as out and err, $status its exit status, and $pid
# the one in the background.
# shellcheck disable=SC2034 # who includes it uses them
tracing=/sys/kernel/tracing
control=$tracing/tlob_load
[ -d $control ] || control=/sys/kernel/debug/tlob_load
state=/run/tlob-load.state
dir=/tmp/work
status=0
pid=
why=
mkdir -p /run $dir

note() {
	why="$why$*
"
}

# expect NAME: the verdict over what was noted since the last one.
expect() {
	if [ -z "$why" ]; then
		echo "ok $1"
	else
		printf '%s' "$why" | head -n 20 | sed 's/^/# /'
		[ ! -s "$dir/err" ] || head -n 5 "$dir/err" | sed 's/^/# stderr: /'
		echo "not ok $1"
	fi
	why=
}

skip() {
	echo "ok $1 # SKIP $2"
}

# is WHAT FOUND WANTED
is() {
	[ "$2" = "$3" ] || note "$1: '$2', not '$3'"
}

# said TEXT: the last run must have said it on stderr, in one line of its own.
said() {
	grep -q -- "$1" "$dir/err" || note "no '$1' in: $(head -n 3 "$dir/err")"
}

# cut_by NAME out|err: the outcome there, whose lines break anywhere, says what ended the run.
cut_by() {
	tr -s ' \n' ' ' < "$dir/$2" | grep -q "cut short by $1" || note "$2: not said that $1 stopped it"
}

# spoke_once: an error is exactly one line on stderr and nothing on stdout.
spoke_once() {
	[ "$(wc -l < "$dir/err")" -eq 1 ] || note "$(wc -l < "$dir/err") lines on stderr"
	[ ! -s "$dir/out" ] || note "something on stdout"
}

# wait_for COMMAND...: for ten minutes and more, which only a failure takes
wait_for() {
	tries=12000
	until "$@" 2>/dev/null; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		usleep 50000
	done
}

# cut_off MS: SIGTERM to the one in the background after that time. It may end by it, or
# well, or with a reason.
cut_off() {
	usleep $(($1 * 1000))
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	# 143: before it caught signals
	case $status in 0|1|143) ;; *) note "after $1 ms: exit $status: $(cat $dir/err)" ;; esac
}

# ends STATUS: the run in the background does, with STATUS.
ends() {
	status=0
	wait "$pid" || status=$?
	[ $status -eq "$1" ] || note "exit $status, not $1: $(head -n 3 "$dir/err")"
}
