# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Validations of this machine, without the module: the phases and the end, not how good the machine is. Part of tests/cli/here, which has $top, $out and $tool.
# shellcheck disable=SC2154

# quietly COMMAND...: succeeds in one of five tries. A hypervisor may stop this machine for half a
# second, real-time threads as well: then a phase misses half of its expiries, and the verdict is right.
quietly() {
	local try said
	for try in 1 2 3 4 5; do
		said=$("$@" 2>&1) && return
	done
	echo "the last of $try tries:"
	echo "$said"
	return 1
}

# validate STATUS DIR OPTION...: with that exit status.
validate() {
	local wanted=$1 dir=$2 status=0
	shift 2
	"$tool" validate -c 0 -p 20ms -b 10s -w none -d 400ms --dir "$dir" --json "$dir.json" --html "$dir.html" "$@" \
		> "$dir.txt" 2> "$dir.err" || status=$?
	[ $status -eq "$wanted" ] || { echo "exit $status, not $wanted"; cat "$dir.txt" "$dir.err"; return 1; }
	schema_holds validation "$dir.json"
}

# validate_fit BACKEND: a budget of ten seconds is kept anywhere, but an expiry may be missed.
validate_fit() {
	local dir=$out/validate.fit.$1
	rm -rf "$dir"*
	validate 0 "$dir" --backend "$1" --miss 0.5 --load "sleep $load_mark" --load ": ; sleep $load_mark" || return
	jq -e '.verdict == "fit" and ([.phases[].state] == ["done", "done", "done", "done"]) and .worst.cpu == 0 and
		all(.phases[]; .kept and .of >= 15 and .episodes_per_hour_95 > 0 and (.upper_95 > 0 or .over == 0)) and .worst.findings != null' "$dir.json" > /dev/null ||
		{ cat "$dir.json"; return 1; }
	# the results are results of run, and the text names no other file
	# shellcheck disable=SC2046 # the shell expands it
	"$tool" report $(sed -n 's/^results  \(.*\), for report and compare$/\1/p' "$dir.txt") > /dev/null || return
	jq -e '.load | startswith("sleep ") and contains(" + : ; sleep")' "$dir/4-all.json" > /dev/null || { jq .load "$dir/4-all.json"; return 1; }
	grep -q '<p class="verdict good">FIT: ' "$dir.html" && grep -q '<h2>The worst load and its main offender</h2>' "$dir.html" || return
	none_left "$load_mark"
}

# A budget that nothing can keep.
validate_not_fit() {
	local dir=$out/validate.not
	rm -rf "$dir"*
	validate 2 "$dir" --backend posix --policy other -w elapsed:1ms -b 500us --load "sleep $load_mark" || return
	jq -e '.verdict == "not fit" and .phases[2].state == "skipped" and all(.phases[0, 1]; .kept == false and .over >= 15)' "$dir.json" > /dev/null
}

# A load that ends is missing, and so is all together; the next start measures what is missing.
validate_resumed() {
	local dir=$out/validate.resumed args
	rm -rf "$dir"*
	args=(--backend posix --miss 0.5 --load "sleep $load_mark" --load "[ -e $dir.there ] && sleep $load_mark")
	validate 1 "$dir" "${args[@]}" || return
	jq -e '.verdict == "undecided" and [.phases[].state] == ["done", "done", "missing", "missing"] and
		(.phases[2].because | startswith("its run failed"))' "$dir.json" > /dev/null || { cat "$dir.json"; return 1; }
	stat -c %Y.%i "$dir/1-idle.json" > "$dir.before"
	touch "$dir.there"
	exits 1 'give --resume' "$tool" validate -c 0 -p 20ms -b 10s -w none -d 400ms --dir "$dir" "${args[@]}" || return
	exits 1 'other options, CPUs, kernel or boot arguments' "$tool" validate -c 0 -p 30ms -b 10s -w none -d 400ms --dir "$dir" --resume "${args[@]}" || return
	# nor are results of another kernel: the machine was booted again in between
	exits 1 'other options, CPUs, kernel or boot arguments' setarch --uname-2.6 "$tool" validate -c 0 -p 20ms -b 10s -w none -d 400ms --dir "$dir" --resume "${args[@]}" || return
	validate 0 "$dir" --resume "${args[@]}" || return
	stat -c %Y.%i "$dir/1-idle.json" | diff "$dir.before" -
}

# Ctrl-C in the second phase: the run ends, the rest is missing, and nothing stays.
validate_interrupted() {
	local dir=$out/validate.cut pid tries status=0
	rm -rf "$dir"*
	"$tool" validate -c 0 -p 20ms -w none -d 400ms --backend posix --miss 0.5 --dir "$dir" --json "$dir.json" \
		--load "touch $dir.begun; sleep $load_mark" -- -d 1s > "$dir.txt" 2>&1 & pid=$!
	for ((tries = 0; tries < 6000; tries++)); do
		[ ! -e "$dir.begun" ] || break
		sleep 0.01
	done
	kill -TERM $pid
	wait $pid || status=$?
	[ $status -eq 1 ] || { echo "exit $status"; cat "$dir.txt"; return 1; }
	schema_holds validation "$dir.json" || return
	jq -e '.verdict == "undecided" and .ended_by == "SIGTERM" and [.phases[].state] == ["done", "missing", "skipped"]' "$dir.json" > /dev/null ||
		{ cat "$dir.json"; return 1; }
	grep -q 'with --resume' "$dir.txt" || { cat "$dir.txt"; return 1; }
	[ -z "$(find "$dir" -name '*.part')" ] || { echo "a part stays"; return 1; }
	none_left "$load_mark"
}

# SIGKILL: the run that it has started also ends, and --resume can continue at once.
validate_killed() {
	local dir=$out/validate.killed pid tries args
	rm -rf "$dir"*
	args=(--backend posix --policy other --miss 0.5)
	"$tool" validate -c 0 -p 20ms -b 10s -w none -d 1h --dir "$dir" "${args[@]}" > "$dir.txt" 2>&1 & pid=$!
	for ((tries = 0; tries < 6000; tries++)); do
		! pgrep -f "run .*$dir/" > /dev/null || break
		sleep 0.01
	done
	pgrep -f "run .*$dir/" > /dev/null || { echo "no run has begun"; cat "$dir.txt"; return 1; }
	kill -KILL $pid
	wait $pid 2> /dev/null
	for ((tries = 0; tries < 6000; tries++)); do
		pgrep -f "run .*$dir/" > /dev/null || return 0
		sleep 0.01
	done
	pgrep -af "run .*$dir/"
	pkill -f "run .*$dir/"
	return 1
}

# A validation that fails leaves no verdict of an earlier one behind, one that is refused leaves it alone.
validate_stale() {
	local dir=$out/validate.stale args
	rm -rf "$dir"*
	args=(--backend posix --policy other -w elapsed:1ms -b 500us --load "sleep $load_mark")
	validate 2 "$dir" "${args[@]}" || return
	exits 1 'give --resume' "$tool" validate -c 0 -p 20ms -b 10s -w none -d 400ms --dir "$dir" --json "$dir.json" --html "$dir.html" "${args[@]}" || return
	[ -e "$dir.json" ] && [ -e "$dir.html" ] && [ -e "$dir/1-idle.json" ] || return
	"$tool" validate -c 0 -p 20ms -w none -d 400ms --dir "$dir/new" --json "$dir.json" --html "$dir.html" \
		"${args[@]}" --on-violation signal:USR1:999999999 2> "$dir.err" && return 1
	grep -q 'does not run even without a load' "$dir.err" && [ ! -e "$dir.json" ] && [ ! -e "$dir.html" ]
}

# signal:SIG is for the process that started validate, and for none that takes its place.
validate_starter() {
	local dir=$out/validate.starter args tries
	rm -rf "$dir"*
	# long enough for the starter to end in the second phase
	args=(-c 0 -p 20ms -b 10s -w none -d 3s --backend posix --policy other --miss 0.5 --dir "$dir" --on-violation signal:CONT)
	# of the first process of a namespace none is known
	! unshare -Urpf true 2> /dev/null || exits 1 'signal:CONT: it would go to init' unshare -Urpf "$tool" validate "${args[@]}" || return
	# shellcheck disable=SC2016 # the inner shell expands it
	bash -c 'begun=$1; shift; "$@" & for ((n = 0; n < 3000; n++)); do [ ! -e "$begun" ] || exit; sleep 0.01; done' - "$dir.begun" "$tool" validate "${args[@]}" \
		--json "$dir.json" --load "touch $dir.begun; sleep $load_mark" --load ": ; sleep $load_mark" > "$dir.txt" 2>&1
	for ((tries = 0; tries < 3000; tries++)); do
		[ ! -e "$dir.json" ] || break
		sleep 0.01
	done
	jq -e '[.phases[].state] == ["done", "done", "missing", "missing"] and
		(.phases[2].because | contains("has ended, and signal:CONT is for it"))' "$dir.json" > /dev/null || { cat "$dir.txt"; return 1; }
}

# SIGKILL leaves the directory of a search: restore removes it at once, and not before. The run
# that was measuring ends by itself, and may put its result there meanwhile.
search_killed() {
	local dir=$out/search.killed pid tries
	rm -rf "$dir"
	mkdir "$dir"
	TMPDIR=$dir "$tool" search -q --budget 500us --miss 0.1 -- --backend posix --policy other -c 0 -p 1ms -w spin:10us &
	pid=$!
	for ((tries = 0; tries < 3000; tries++)); do
		! pgrep -P $pid > /dev/null || break
		sleep 0.01
	done
	TMPDIR=$dir "$tool" restore || return
	[ -n "$(ls "$dir")" ] || { echo "no search has a directory"; kill $pid; return 1; }
	kill -KILL $pid
	wait $pid 2> /dev/null
	for ((tries = 0; tries < 100; tries++)); do
		TMPDIR=$dir "$tool" restore || return
		[ -n "$(ls "$dir")" ] || return 0
		sleep 0.1
	done
	ls -R "$dir"
	return 1
}

# Neither does a search that fails.
search_stale() {
	echo old > "$out/search.json" && echo old > "$out/search.html" || return
	exits 1 /nonexistent/ env TMPDIR=/nonexistent "$tool" search --budget 500us --miss 0.1 --json "$out/search.json" --html "$out/search.html" \
		-- --cpus 0 -p 1ms -w spin:10us || return
	[ ! -e "$out/search.json" ] && [ ! -e "$out/search.html" ]
}

check_validate() {
	check validate_fit quietly validate_fit posix
	check validate_not_fit validate_not_fit
	check validate_resumed quietly validate_resumed
	check validate_interrupted quietly validate_interrupted
	check validate_killed validate_killed
	check validate_starter quietly validate_starter
	check validate_stale validate_stale
	check search_killed search_killed
	check search_stale search_stale
	check search_lists exits 129 '--functions=list, --help and --version are not for search' "$tool" search --budget 500us --miss 0.1 -- --cpus 0 -w spin:10us --functions list
	check search_help exits 129 'are not for search' "$tool" search --budget 500us --miss 0.1 -- --cpus 0 -w spin:10us --help
	check validate_lists exits 129 '--functions=list' "$tool" validate -c 0 --miss 0.1 -d 10s -- --functions list
	check validate_too_short exits 129 'give -d 30s or more' "$tool" validate -c 0 -d 10s --miss 1e-4
	check validate_files exits 129 'each phase would write the same file' "$tool" validate -c 0 -- --json x
	if "$tool" run --backend bpf -c 0 -n 1 -w none -q > /dev/null 2>&1; then
		check validate_bpf quietly validate_fit bpf
	else
		skip validate_bpf "no backend bpf here"
	fi
}
