# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Experiments on this machine, without the module. Part of tests/cli/here.
# shellcheck disable=SC2154

# try_begins DIR OPTION...: an experiment of short runs, with its pid in $pid.
try_begins() {
	local dir=$1
	shift
	TLOB_TRIED_FILE=$dir.tried "$tool" try -c 0 --backend posix --policy other -p 20ms -d 500ms -w none -m 'p50(response)' \
		--dir "$dir" --json "$dir.json" "$@" > "$dir.txt" 2> "$dir.err" &
	pid=$!
}

# try_ends STATUS DIR
try_ends() {
	local status=0
	wait "$pid" || status=$?
	[ $status -eq "$1" ] || { echo "exit $status, not $1"; cat "$2.txt" "$2.err"; return 1; }
	valid "$2.json"
}

try() {
	try_begins "${@:2}"
	try_ends "$1" "$2"
}

# has_result DIR: of one run at least.
has_result() {
	compgen -G "$1/runs/*/*.json" > /dev/null
}

# holds DIR FILTER: of the JSON.
holds() {
	jq -e "$2" "$1.json" > /dev/null || { jq -c .settings "$1.json"; return 1; }
}

# hogged COMMAND...: while a thread of a higher priority takes 15 ms of each 16 ms of CPU 0. Its pid is in
# $hog: stopping it is a setting that helps, whatever else runs here.
hogged() {
	local status=0
	taskset -c 0 chrt -f 90 /usr/bin/python3 -c 'import time
while True:
	end = time.monotonic() + 0.015
	while time.monotonic() < end:
		pass
	time.sleep(0.001)' &
	hog=$!
	echo "$hog" > try.hog
	"$@" || status=$?
	kill -KILL $hog
	wait $hog 2> /dev/null
	return $status
}
# shellcheck disable=SC2016 # the shell of the setting expands it
calm='kill -STOP $(cat try.hog) / kill -CONT $(cat try.hog)'

make_helped() { hogged try 0 "$out/try.helps" --policy fifo:50 --setting "calm: $calm"; }

# A setting that helps is found, sized, and kept with its evidence.
try_helps() {
	local dir=$out/try.helps
	fixture helped || return
	holds "$dir" '.settings[0] | .verdict == "helps" and .keep' || return
	holds "$dir" '.settings[0].conditions[0] | .pairs >= 10 and .tail.by < -0.5 and .tail.upper < 0' || return
	grep -q '^1 of 1 setting helps: calm$' "$dir.txt" && grep -q "to keep: $dir/settings.sh" "$dir.txt" || return
	grep -A 1 '^# calm: helps: p50(response) -' "$dir/settings.sh" | grep -q "^kill -STOP"
}

# What is there already is not measured again.
try_resumes() {
	local dir=$out/try.helps args
	fixture helped || return
	args=(-c 0 --backend posix --policy other -p 20ms -d 500ms -w none -m 'p50(response)' --dir "$dir" --policy fifo:50)
	stat -c '%n %Y.%i' "$dir"/runs/*/*.json | sort > "$dir.before"
	find "$dir/runs" -name 001.json -delete
	exits 1 'give --resume' "$tool" try "${args[@]}" --setting "calm: $calm" || return
	exits 1 'other settings, options, backend, CPUs' "$tool" try "${args[@]}" --resume --setting "other: true / true" || return
	exits 1 'other settings, options, backend, CPUs' "$tool" try "${args[@]}" --resume --setting "calm: true / true" || return
	hogged try 0 "$dir" --policy fifo:50 --resume --setting "calm: $calm" || return
	[ "$(stat -c '%n %Y.%i' "$dir"/runs/*/*.json | sort | comm -23 - "$dir.before" | wc -l)" -eq 2 ]
}

# A setting that makes the run fail is a result, and so is one that another program has made.
try_fails() {
	local dir=$out/try.fails
	rm -rf "$dir"*
	try 0 "$dir" --setting 'bad: echo no such thing >&2; false / true' || return
	holds "$dir" '.settings[0] | .verdict == "fails" and (.evidence | contains("bad: its command failed")) and (.keep | not)' || return
	rm -rf "$dir"*
	echo 1 > "$out/try.file"
	try_begins "$dir" --setting "$out/try.file=0" --setting 'other: true / true'
	# the other program writes until try has seen it
	while ! gone $pid && ! grep -qF 'another program has set it meanwhile' "$dir.err"; do
		[ ! -e "$dir/runs" ] || echo 0 > "$out/try.file"
		sleep 0.01
	done
	kill -INT $pid
	try_ends 3 "$dir" || return
	holds "$dir" '.settings[] | select(.name | endswith("=0")) | .verdict == "not tried" and (.evidence | contains("another program"))' || return
	[ "$(cat "$out/try.file")" = 0 ]
}

# A run waits for another tlob-load, instead of failing with the setting.
try_waits() {
	local dir=$out/try.waits status=0 other
	rm -rf "$dir"*
	"$tool" run -c 0 --backend posix --policy other -w none -p 20ms -d 4s -q --setting 'theirs: touch try.theirs / true' &
	other=$!
	await ended_or $other test -e try.theirs
	try_begins "$dir" --setting 'mine: true / true'
	wait $other || return
	wait "$pid" || status=$?
	[ $status -eq 0 ] || [ $status -eq 3 ] || { echo "exit $status"; cat "$dir.txt" "$dir.err"; return 1; }
	rm try.theirs
	holds "$dir" '.settings[0].verdict != "fails"' && lacks 'run failed' "$dir.err"
}

# The plan changes nothing.
try_plans() {
	local dir=$out/try.plan
	echo 1 > "$out/try.file"
	"$tool" try -c 0 --dry-run --dir "$dir" --setting "$out/try.file=0" --setting 'mine: sh on / sh off' --load "sleep $mark" > "$out/try.plan.txt" || return
	[ "$(cat "$out/try.file")" = 1 ] && [ ! -e "$dir" ] || return
	local line
	for line in "  $out/try.file: 0, back to 1" "  sh on, then sh off" "80 to 320 runs, "; do
		grep -qF "$line" "$out/try.plan.txt" || { echo "no $line in:"; cat "$out/try.plan.txt"; return 1; }
	done
}

# Ctrl-C: what is known is said, and the settings are back.
try_interrupted() {
	local dir=$out/try.signal
	rm -rf "$dir"*
	echo 1 > "$out/try.file"
	try_begins "$dir" --setting "$out/try.file=0"
	await ended_or $pid has_result "$dir"
	kill -INT $pid
	try_ends 3 "$dir" || return
	[ "$(cat "$out/try.file")" = 1 ] && holds "$dir" '.ended_by == "SIGINT"'
}

# What is wrong is said before anything is measured.
try_refused() {
	exits 129 'unknown setting' "$tool" try --setting governer || return
	exits 129 'one of the two commands is empty' "$tool" try --setting 'mine: true / ' || return
	exits 129 'too few for p99.9(response): give -d 4s or more' "$tool" try -d 1s --setting 'mine: true / true' || return
	exits 129 'given twice' "$tool" try --setting vm.swappiness=1 --setting vm.swappiness=2 || return
	exits 129 '1.6 % too high' "$tool" try --margin 2% --setting 'mine: true / true' || return
	local -a two=(-c 0 --setting 'a: true / true' --setting 'b: true / true' --load true)
	exits 1 'the first setting needs 40 runs, 4 min: give --within 228s or more' "$tool" try --within 2m "${two[@]}" || return
	exits 1 'the first setting needs 40 runs' "$tool" try --within 2m --dry-run "${two[@]}" || return
	exits 1 'No such file' "$tool" try -c 0 --setting no.such=1 || return
	echo 0 > "$out/try.file"
	exits 1 'it is already in effect' "$tool" try -c 0 --setting "$out/try.file=0"
}

check_try() {
	if chrt -f 90 true 2> /dev/null; then
		check try_helps try_helps
		check try_resumes try_resumes
	else
		skip try_helps "no permission to run at real-time priority"
		skip try_resumes "no permission to run at real-time priority"
	fi
	check try_fails try_fails
	check try_waits try_waits
	check try_plans try_plans
	check try_interrupted try_interrupted
	check try_refused try_refused
	check try_kills "$top/tests/cli/try-kills" 8
}

check_try
