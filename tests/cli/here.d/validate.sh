# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Validations of this machine, without the module: the phases and the end, not how good the machine is. Part of tests/cli/here.
# shellcheck disable=SC2154

# validate STATUS DIR OPTION...: with that exit status. An expiry is missed only if the machine stands still
# for a whole period, so however often that is for 200 ms, none is.
validate() {
	local wanted=$1 dir=$2 status=0
	shift 2
	"$tool" validate -c 0 -p 500ms -b 10s -w none -d 3s --dir "$dir" --json "$dir.json" --html "$dir.html" "$@" \
		> "$dir.txt" 2> "$dir.err" || status=$?
	[ $status -eq "$wanted" ] || { echo "exit $status, not $wanted"; cat "$dir.txt" "$dir.err"; return 1; }
	valid "$dir.json"
}

# validate_fit BACKEND: a budget of ten seconds is kept anywhere.
validate_fit() {
	local dir=$out/validate.fit.$1
	rm -rf "$dir"*
	validate 0 "$dir" --backend "$1" --load "sleep $mark" --load ": ; sleep $mark" || return
	jq -e '.verdict == "fit" and ([.phases[].state] == ["done", "done", "done", "done"]) and .worst.cpu == 0 and
		all(.phases[]; .kept and .of >= 4 and .over == 0 and .episodes_per_hour_95 > 0) and .worst.findings != null' "$dir.json" > /dev/null ||
		{ cat "$dir.json"; return 1; }
	# the results are results of run, and the text names no other file
	# shellcheck disable=SC2046 # the shell expands it
	"$tool" report $(sed -n 's/^results  \(.*\), for report and compare$/\1/p' "$dir.txt") > /dev/null || return
	jq -e '.load | startswith("sleep ") and contains(" + : ; sleep")' "$dir/4-all.json" > /dev/null || { jq .load "$dir/4-all.json"; return 1; }
	shows "$dir.html" '<p class="verdict good">FIT: ' '<h2>The worst window and its main offender</h2>' || return
	grep -q '^CPUs 0: 4 runs of 3 s, 12 s in all; results in ' "$dir.err" || { cat "$dir.err"; return 1; }
	none_left
}

# A budget that nothing can keep.
validate_not_fit() {
	local dir=$out/validate.not
	rm -rf "$dir"*
	validate 2 "$dir" --backend posix --policy other -p 4ms -w elapsed:1ms -b 500us --load "sleep $mark" || return
	jq -e '.verdict == "not fit" and .phases[2].state == "skipped" and all(.phases[0, 1]; .kept == false and .over >= 15)' "$dir.json" > /dev/null
}

# A load that ends is missing, and so is all together; the next start measures what is missing.
validate_resumed() {
	local dir=$out/validate.resumed args
	rm -rf "$dir"*
	args=(--backend posix --load "sleep $mark" --load "[ -e $dir.there ] && sleep $mark")
	validate 3 "$dir" "${args[@]}" || return
	jq -e '.verdict == "undecided" and [.phases[].state] == ["done", "done", "missing", "missing"] and
		(.phases[2].because | startswith("its run failed"))' "$dir.json" > /dev/null || { cat "$dir.json"; return 1; }
	stat -c %Y.%i "$dir/1-idle.json" > "$dir.before"
	touch "$dir.there"
	exits 1 'give --resume' "$tool" validate -c 0 -p 500ms -b 10s -w none -d 3s --dir "$dir" "${args[@]}" || return
	exits 1 'other options, CPUs, kernel or boot arguments' "$tool" validate -c 0 -p 600ms -b 10s -w none -d 3s --dir "$dir" --resume "${args[@]}" || return
	# nor are results of another kernel: the machine was booted again in between
	exits 1 'other options, CPUs, kernel or boot arguments' setarch --uname-2.6 "$tool" validate -c 0 -p 500ms -b 10s -w none -d 3s --dir "$dir" --resume "${args[@]}" || return
	validate 0 "$dir" --resume "${args[@]}" || return
	stat -c %Y.%i "$dir/1-idle.json" | diff "$dir.before" -
}

# Ctrl-C in the second phase: the run ends, the rest is missing, and nothing stays.
validate_interrupted() {
	local dir=$out/validate.cut pid status=0
	rm -rf "$dir"*
	# the load of the second phase sends it
	"$tool" validate -c 0 -p 4ms -w none -d 3s --backend posix --miss 0.5 --dir "$dir" --json "$dir.json" \
		--load "until [ -s validate.cut.pid ]; do sleep 0.01; done; kill -TERM \$(cat validate.cut.pid); sleep $mark" -- -d 3s > "$dir.txt" 2>&1 &
	pid=$!
	echo $pid > "$dir.pid"
	wait $pid || status=$?
	[ $status -eq 3 ] || { echo "exit $status"; cat "$dir.txt"; return 1; }
	valid "$dir.json" || return
	jq -e '.verdict == "undecided" and .ended_by == "SIGTERM" and [.phases[].state] == ["done", "missing", "skipped"]' "$dir.json" > /dev/null ||
		{ cat "$dir.json"; return 1; }
	grep -q 'with --resume' "$dir.txt" || { cat "$dir.txt"; return 1; }
	grep -q '^a machine with 25 % over the budget or missed is fit in 95 % with runs of about 3 s, or 17 s if they come in episodes of 50$' "$dir.txt" ||
		{ cat "$dir.txt"; return 1; }
	[ -z "$(find "$dir" -name '*.part')" ] || { echo "a part stays"; return 1; }
	none_left
}

# measuring_below PID: the run that the tool has started, once it measures.
measuring_below() {
	local run
	run=$(pgrep -P "$1" -x tlob-load) && slept "$run" 20 && echo "$run"
}

# SIGKILL: the run that it has started also ends, and --resume can continue at once.
validate_killed() {
	local dir=$out/validate.killed pid run args
	rm -rf "$dir"*
	args=(--backend posix --policy other --miss 0.5)
	"$tool" validate -c 0 -p 4ms -b 10s -w none -d 1h --dir "$dir" "${args[@]}" > "$dir.txt" 2>&1 & pid=$!
	await ended_or $pid measuring_below $pid
	run=$(measuring_below $pid) || { echo "no run has begun"; cat "$dir.txt"; return 1; }
	kill -KILL $pid
	wait $pid 2> /dev/null
	await gone "$run"
}

# A validation that fails leaves no verdict of an earlier one behind, one that is refused leaves it alone.
validate_stale() {
	local dir=$out/validate.stale args
	rm -rf "$dir"*
	args=(--backend posix --policy other -w elapsed:1ms -b 500us --load "sleep $mark")
	validate 2 "$dir" "${args[@]}" || return
	exits 1 'give --resume' "$tool" validate -c 0 -p 500ms -b 10s -w none -d 3s --dir "$dir" --json "$dir.json" --html "$dir.html" "${args[@]}" || return
	[ -e "$dir.json" ] && [ -e "$dir.html" ] && [ -e "$dir/1-idle.json" ] || return
	"$tool" validate -c 0 -p 4ms -w none -d 1s --dir "$dir/new" --json "$dir.json" --html "$dir.html" \
		"${args[@]}" --on-violation signal:USR1:999999999 2> "$dir.err" && return 1
	grep -q 'does not run even without a load' "$dir.err" && [ ! -e "$dir.json" ] && [ ! -e "$dir.html" ]
}

# What doctor refuses is said once, and leaves nothing behind.
validate_no_cpu() {
	local dir=$out/validate.cpu
	rm -rf "$dir"
	exits 1 'is offline or does not exist' "$tool" validate -c 8191 --miss 0.1 -d 10s --dir "$dir" && [ ! -e "$dir" ]
}

# finished FILE: the JSON is whole.
finished() {
	jq -e . "$1" > /dev/null 2>&1
}

# signal:SIG is for the process that started validate, and for none that takes its place.
validate_starter() {
	local dir=$out/validate.starter args pid
	rm -rf "$dir"*
	# the load of the second phase ends the starter when its run, which must find it, has begun
	args=(-c 0 -p 4ms -b 10s -w none -d 3s --backend posix --policy other --miss 0.5 --dir "$dir" --on-violation signal:CONT)
	# of the first process of a namespace none is known
	! unshare -Urpf true 2> /dev/null || exits 1 'signal:CONT: it would go to init' unshare -Urpf "$tool" validate "${args[@]}" || return
	# shellcheck disable=SC2016 # the inner shell expands it
	bash -c 'echo $$ > "$1"; shift; "$@" & wait' - "$dir.pid" "$tool" validate "${args[@]}" \
		--json "$dir.json" --load "sleep 1; kill \$(cat validate.starter.pid); sleep $mark" --load ": ; sleep $mark" > "$dir.txt" 2>&1
	await finished "$dir.json" || return
	jq -e '[.phases[].state] == ["done", "done", "missing", "missing"] and
		(.phases[2].because | contains("has ended, and signal:CONT is for it"))' "$dir.json" > /dev/null || { cat "$dir.txt"; return 1; }
}

check_validate() {
	check validate_fit validate_fit posix
	check validate_not_fit validate_not_fit
	check validate_resumed validate_resumed
	check validate_interrupted validate_interrupted
	check validate_killed validate_killed
	check validate_starter validate_starter
	check validate_stale validate_stale
	check validate_no_cpu validate_no_cpu
	check validate_too_short exits 129 'has 10 000 expiries on each CPU, which cannot show a share below 0.0001 with 95 % confidence: give -d ' "$tool" validate -c 0 -d 10s --miss 1e-4
	if "$tool" run --backend bpf -c 0 -n 1 -w none -q > /dev/null 2>&1; then
		check validate_bpf validate_fit bpf
	else
		skip validate_bpf "no backend bpf here"
	fi
}

check_validate
