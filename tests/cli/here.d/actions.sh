# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What is done at a violation and at the end. Part of tests/cli/here.
# shellcheck disable=SC2154

# violates ARG...: 200 windows over their budget, on the last CPU only. Its result is $out/act.json.
violates() {
	# shellcheck disable=SC2086
	${act_by-} "$tool" run --backend "${act_backend:-posix}" --policy other -c "$cpu" -p 1ms -b 1us -w none -n 200 -q \
		--json "$out/act.json" "$@"
}

# acted FILTER: the counts in $out/act.json add up, and FILTER holds of them.
acted() {
	jq -e ".actions | .met == .taken + .busy + .limited + .not_run and ($1)" "$out/act.json" > /dev/null ||
		{ jq -c '.actions, .notes' "$out/act.json"; return 1; }
}

noted() {
	jq -e --arg text "$1" '.notes | any(contains($text))' "$out/act.json" > /dev/null || { jq -c .notes "$out/act.json"; return 1; }
}

# The window comes as JSON and as variables, in the order of the actions, and elsewhere.
act_shell() {
	rm -f "$out"/act.[we]*
	violates --on-violation "shell:cat > act.window; env > act.env; taskset -cp \$\$ > act.where" \
		--on-violation "shell:jq .activation > act.which; cat act.window > act.worked" --at-most 1/1d || return
	acted '.taken == 1 and .failed == 0 and .killed == 0 and .met == 200' || return
	cmp "$out/act.window" "$out/act.worked" || return
	jq -e --argjson cpu "$cpu" '.cpu == $cpu and (.flags | index("violation")) and .response_ns > .budget_ns' \
		"$out/act.window" > /dev/null || { cat "$out/act.window"; return 1; }
	local variable
	for variable in "ACTIVATION=$(cat "$out/act.which")" "RESPONSE_NS=$(jq .response_ns "$out/act.window")" 'CONDITION=violations>0'; do
		grep -qx "TLOB_WINDOW_$variable" "$out/act.env" || { grep ^TLOB "$out/act.env"; return 1; }
	done
	if grep '^TLOB_' "$out/act.env" | grep -v '^TLOB_WINDOW_\|^TLOB_STATE_FILE='; then
		echo "these could configure a nested tlob-load"
		return 1
	fi
	lacks -qE "[ ,-]${cpu}\$|: ${cpu}[,-]" "$out/act.where" || { cat "$out/act.where"; return 1; }
	# nor if it is also a housekeeping CPU
	violates --housekeeping all --on-violation "shell:taskset -cp \$\$ > act.where" --at-most 1/1d || return
	lacks -qE "[ ,-]${cpu}\$|: ${cpu}[,-]" "$out/act.where" || { cat "$out/act.where"; return 1; }
}

# A result with actions is in the schema, can be read, and adds up.
act_result() {
	violates --on-violation 'shell:true' || return
	valid "$out/act.json" || return
	cp "$out/act.json" "$out/act.1.json"
	violates --on-violation 'shell:true' || return
	"$tool" merge -o "$out/act.sum.json" "$out/act.1.json" "$out/act.json" || return
	jq -e --slurpfile one "$out/act.1.json" --slurpfile two "$out/act.json" \
		'.actions.met == 400 and .actions.taken == $one[0].actions.taken + $two[0].actions.taken' \
		"$out/act.sum.json" > /dev/null || { jq -c .actions "$out/act.sum.json"; return 1; }
}

# What it started is killed with it, also what ignores a signal.
act_hangs() {
	violates --on-violation "shell:trap '' TERM; setsid sleep $mark & sleep $mark" --action-wait 50ms &&
		acted '.taken == 1 and .busy == 199 and .killed == 1' && noted '1 still ran and was killed' && none_left
}

act_fails() {
	violates --on-violation "shell:echo one >&2; echo no luck >&2; exit 3" && acted '.taken >= 1 and .failed == .taken' &&
		noted 'exit status 3: no luck' &&
	violates --on-violation 'shell:/no/such/program' && acted '.taken >= 1 and .failed == .taken' &&
		noted 'exit status 127' &&
	violates --on-violation "shell:kill -9 \$\$" && noted 'signal 9'
}

act_floods() {
	violates --on-violation "shell:yes out$mark & yes err$mark >&2" --action-wait 50ms &&
		acted '.taken == 1 and .killed == 1' && await no pgrep -f "^yes (out|err)$mark"
}

# A process that has gone gets nothing, and the run continues; one that never was is an error.
act_signal() {
	local pid got=act.got
	rm -f "$got"
	# one signal ends it
	bash -c "trap 'echo got >> $got; exit' USR1; echo ready > $got; while :; do sleep 0.01; done" &
	pid=$!
	await grep -qs ready "$got" || return
	# 3000 windows: long enough for the second action to begin
	violates --on-violation "signal:USR1:$pid" -n 3000 --on-violation "shell:while kill -0 $pid 2> /dev/null; do sleep 0.01; done" || return
	acted '.taken >= 2 and .failed >= 1' && noted 'No such process' && wait $pid || return
	grep -q got "$got" || { echo "no signal came"; return 1; }
	exits 1 "process $pid: No such process" violates --on-violation "signal:USR1:$pid"
}

# The condition of --stop-on is the one of the actions; `continue` takes its stop away.
act_stop() {
	violates --on-violation stop --on-violation "shell:cat > act.window" || return
	acted '.met == 1 and .taken == 1' || return
	jq -e --slurpfile w "$out/act.window" '.stopped_window.activation == $w[0].activation and .all.windows == 1' "$out/act.json" ||
		return
	violates --stop-on 'wake>1ns' --on-violation "shell:echo \$TLOB_WINDOW_CONDITION > act.window" &&
		grep -qx 'wake>1ns' "$out/act.window" && jq -e '.stopped_by == "wake>1ns"' "$out/act.json" &&
	violates --stop-on 'wake>1ns' --on-violation continue --on-violation 'shell:true' &&
		acted '.met == 200' && jq -e '.stopped_by == null and .all.windows == 200' "$out/act.json" &&
	violates --stop-on 'wake>1h' --on-violation continue --on-violation 'shell:true' && acted '.met == 0 and .taken == 0'
}

# Without a CPU for them they come after the run.
act_later() {
	"$tool" run --backend posix --policy other -c all -b 1us -w none -n 100 -q --action-wait 60s --json "$out/act.json" \
		--on-violation "shell:jq -c .activation >> act.later" && acted '.taken == 16 and .failed == 0' &&
		noted 'after the run: all CPUs were measured' && [ "$(wc -l < "$out/act.later")" -eq 16 ]
}

# More violations than anything could be done at: no window is lost, and each is counted.
act_storm() {
	"$tool" run --backend posix -c "$cpu" -p 50us -b 1us -w none -n 20000 -q --json "$out/act.json" --on-violation 'shell:true' || return
	acted '.taken >= 1' || return
	jq -e '.actions.met == .all.violations and .all.lost == 0' "$out/act.json" > /dev/null ||
		{ jq -c '.actions, (.all | [.windows, .violations, .lost])' "$out/act.json"; return 1; }
}

act_at_end() {
	rm -f "$out/act.end"
	violates --on-end "shell:jq .all.windows > act.end; jq .all.windows act.json >> act.end" || return
	[ "$(tr '\n' ' ' < "$out/act.end")" = '200 200 ' ] || { cat "$out/act.end"; return 1; }
	exits 1 'exit status 4: no' violates --on-end 'shell:echo no >&2; exit 4' &&
	exits 1 'still ran after 50ms' violates --action-wait 50ms --on-end "shell:sleep $mark" && none_left &&
	jq -e 'has("actions") | not' "$out/act.json"
}

# A tool that is killed takes what it started with it.
act_killed() {
	local pid missing=0
	violates -n 1000000 --on-violation "shell:setsid sleep $mark & sleep $mark" &
	pid=$!
	sleeps 2 || missing=1
	pkill -KILL -P "$pid" -x tlob-load 2> /dev/null || kill -KILL $pid
	wait $pid 2> /dev/null
	none_left && return $missing
}

# Somebody kills the process that takes the actions: what is not run is counted.
act_runner_killed() {
	violates --on-violation "shell:kill -KILL \$PPID" && acted '.taken == 1 and .failed == 1 and .killed == 0' &&
		noted 'the process that takes the actions has ended'
}

# With stdin and stdout closed the runner still sees the end of the tool.
act_closed() {
	local status=0
	act_by='timeout -k 1 600' violates --on-violation "shell:: $mark" <&- >&- 2> "$out/act.closed" || status=$?
	echo "exit $status"
	cat "$out/act.closed"
	! pkill -KILL -f "$mark" && [ $status -eq 0 ]
}

# Nor does it wait for what it may not kill: 6 s are enough to become another user: it says which process that is.
act_kept() {
	local status=0
	act_by='timeout -k 1 600 setpriv --bounding-set=-kill --inh-caps=-kill' violates --action-wait 6s \
		--on-violation "shell:exec setpriv --reuid=65534 --clear-groups sleep $mark" 2> "$out/act.kept" || status=$?
	pkill -KILL -f "$mark"
	cat "$out/act.kept"
	[ $status -eq 0 ] && acted '.taken == 1 and .failed == 1 and .killed == 0' && noted 'has not ended after SIGKILL' &&
		grep -qE '^tlob-load: pid [0-9]+, which .* kill it as root$' "$out/act.kept"
}

# One that stays is no fault of the next, which is killed: with all CPUs measured, they come at the end.
act_kept_once() {
	local once=$out/act.once status=0
	rm -rf "$once"
	act_by='timeout -k 1 600 setpriv --bounding-set=-kill --inh-caps=-kill' violates -c all --action-wait 6s --at-most 2/1d \
		--on-violation "shell:mkdir act.once && exec setpriv --reuid=65534 --clear-groups sleep $mark; exec sleep $mark" 2> "$out/act.kept" || status=$?
	pkill -KILL -f "$mark"
	cat "$out/act.kept"
	[ $status -eq 0 ] && acted '.taken == 2 and .failed == 1 and .killed == 1'
}

act_refused() {
	exits 129 'give --trace FILE' violates --on-violation trace &&
	exits 129 'contradict each other' violates --on-violation stop --on-violation continue &&
	exits 129 'without it a run does not stop' violates --on-violation continue &&
	exits 129 'give shell:COMMAND' violates --on-end stop &&
	exits 129 'give one' violates --at-most 1/1s &&
	exits 129 'is cut short has no verdict' "$tool" validate -c "$cpu" -- --on-violation stop
}

# Each phase has its own; signal:SIG is for the process that started validate.
act_validate() {
	local got=act.validate status=0
	rm -rf "$got"*
	bash -c "trap 'echo got > $got' USR2; \"\$@\" & while kill -0 \$! 2> /dev/null; do wait; done" bash "$tool" validate --backend posix -c "$cpu" -b 1us -d 2s \
		--miss 0.5 --load 'sleep 100000' --dir "$got.d" -q --on-violation signal:USR2 --on-end "shell:jq .all.windows >> $got.ends" \
		--at-most 1/1d > "$got.out" 2>&1 || status=$?
	if [ ! -e "$got" ] || [ "$(wc -l < "$got.ends")" -ne 2 ]; then
		echo "exit $status"
		cat "$got.out"
		return 1
	fi
}

# --on-violation trace: each file has its window, and the trace begins anew behind it.
act_trace() {
	local n
	rm -f "$out"/act.trace*
	violates -b 20us -w spin:100us -n 3000 -e sched --trace "$out/act.trace" --on-violation trace --at-most 2/1d || return
	acted '.taken == 2 and .failed == 0' || return
	for n in 1 2; do
		sed -n 's/^# window: //p' "$out/act.trace.$n" | jq -e '.flags | index("violation")' > /dev/null || { head -n 3 "$out/act.trace.$n"; return 1; }
		grep -q ': sched_switch: ' "$out/act.trace.$n" || return
	done
	[ ! -e "$out/act.trace.3" ] && grep -q ': sched_switch: ' "$out/act.trace" &&
		lacks -qxF -f <(grep ': sched_switch: ' "$out/act.trace.1") "$out/act.trace.2"
}

# Nor does somebody else's link choose which file a trace replaces.
act_trace_link() {
	rm -rf "$out/shared" && mkdir -m 1777 "$out/shared" && echo before > "$out/act.theirs" &&
		ln -s ../act.theirs "$out/shared/trace.1" && chown -h nobody "$out/shared/trace.1" || return
	violates -b 20us -w spin:100us -n 3000 -e sched --trace "$out/shared/trace" --on-violation trace --at-most 1/1d || return
	acted '.taken == 1 and .failed == 1' && noted 'Permission denied' && [ "$(cat "$out/act.theirs")" = before ]
}

# full_disk ARG...: violates with $out/full, where files can be made, but have no room.
full_disk() {
	local status=0
	mkdir -p "$out/full"
	rm -f "$out/act.json"
	mount -t tmpfs -o size=64k none "$out/full" || return
	! cat /dev/zero > "$out/full/filled" 2> "$out/full.err" || return
	violates "$@" 2> "$out/full.err" || status=$?
	find "$out/full" -type f ! -name filled > "$out/full.list"
	umount "$out/full"
	cat "$out/full.err"
	return $status
}

# A full disk fails the action, says so, and takes no window.
act_full_disk() {
	full_disk -n 3000 --on-violation "shell:cat > full/late" --at-most 2/1d && acted '.taken == 2 and .failed == 2' &&
		noted 'No space left on device' && jq -e '.all.windows == 3000' "$out/act.json"
}

# Nor is a part of a trace left, which would pass for the whole.
act_full_disk_trace() {
	full_disk -b 20us -w spin:100us -n 3000 -e sched --trace "$out/full/act.trace" --on-violation trace \
		--on-violation "shell:true" --at-most 2/1d
	acted '.taken == 2 and .failed == 2' && noted 'No space left on device' &&
		jq -e '.all.windows == 3000' "$out/act.json" && [ ! -s "$out/full.list" ]
}

check_actions() {
	local test
	if [ "$(nproc)" -lt 2 ]; then
		skip actions "one CPU only: none is left for the actions"
		return
	fi
	for test in shell result hangs fails floods signal stop later storm at_end killed runner_killed closed refused validate; do
		check "act_$test" "act_$test"
	done
	if setpriv --reuid=65534 --clear-groups true 2> /dev/null; then
		check act_kept act_kept
		check act_kept_once act_kept_once
	else
		skip act_kept_once "only root can become another user"
		skip act_kept "only root can become another user"
	fi
	if can_mount; then
		check act_full_disk act_full_disk
	else
		skip act_full_disk "only root can mount"
	fi
	if has_bpf; then
		act_backend=bpf
		for test in shell hangs stop trace; do
			check "act_bpf_$test" "act_$test"
		done
		if can_mount; then
			check act_bpf_full_disk_trace act_full_disk_trace
			check act_bpf_trace_link act_trace_link
		else
			skip act_bpf_full_disk_trace "only root can mount"
		fi
	fi
}

check_actions
