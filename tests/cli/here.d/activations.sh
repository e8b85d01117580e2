# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Activations of threads by BPF programs. Part of tests/cli/here, which has $top, $out and $tool.
# shellcheck disable=SC2015,SC2154

# Before other threads, where that is permitted: each activation is on time then, mostly.
ahead=(chrt -f 20)
"${ahead[@]}" true 2> /dev/null || ahead=(env)

# started NAME OPTIONS MODE...: the activator runs in MODE under attach with these words of
# OPTIONS; the last one takes its pid. Returns when attach watches it, and its first activation
# may begin. Sets file, activator and attach. Leaves NAME.own, .windows, .json and .txt.
started() {
	local options=$2
	file=$out/activations.$1
	fixture activator || return
	shift 2
	rm -f "$file".*
	mkfifo "$file.go"
	"${ahead[@]}" "$out/activator" "$@" < "$file.go" > "$file.own" &
	activator=$!
	exec 4> "$file.go"
	# shellcheck disable=SC2086
	"${ahead[@]}" "$tool" attach --backend bpf --progress 100ms --windows "$file.windows" \
		--json "$file.json" --html "$file.html" $options $activator > "$file.txt" 2>&1 4>&- &
	attach=$!
	await ended_or $attach grep -q windows "$file.txt"
	echo yes >&4
	exec 4>&-
}

# ended: both have ended well.
ended() {
	local ok=0
	wait "$attach" || ok=$?
	wait "$activator" || ok=$?
	[ $ok -eq 0 ] || cat "$file.txt"
	return $ok
}

# watched NAME OPTIONS MODE...: the same to the end.
watched() {
	started "$@" && ended
}

# explained NAME: all activations of NAME lie in its windows, by the program's own clock,
# in each one at least: more only where the thread came too late to sleep. Sums are exact, and
# the counts are those of the result. A window begins when the timer was due, or later only
# where that was before the thread slept. Some kernels do not report a few switches, more of them
# on a busy host. attach cannot notice each, so some activations may be without a window; in a
# guest, tests/vm/suites/bpf allows none.
explained() {
	/usr/bin/python3 - "$out/activations.$1" <<-'END'
	import csv, json, sys
	from bisect import bisect
	name = sys.argv[1]
	result = json.load(open(name + ".json"))
	own = [tuple(map(int, line.split())) for line in open(name + ".own")]
	windows = [{k: int(v) for k, v in row.items()} for row in csv.DictReader(open(name + ".windows"))]
	parts = [k for k in windows[0] if k.endswith("_ns") and k not in ("t0_ns", "response_ns")]
	assert own and len(parts) == 8, (len(own), parts)
	for w in windows:
	    assert sum(w[p] for p in parts) == w["response_ns"], w
	    w["end_ns"] = w["t0_ns"] + w["response_ns"]
	for a, b in zip(windows, windows[1:]):
	    assert a["end_ns"] <= b["t0_ns"], (a, b)
	within, unseen, i = 0, 0, 0
	for due, began, ended in own:
	    while i < len(windows) and windows[i]["end_ns"] < ended:
	        i += 1
	    assert i < len(windows), (due, began, ended)
	    unseen += windows[i]["t0_ns"] > began
	    within += windows[i]["t0_ns"] == due
	assert unseen * 10 < len(own), (unseen, result["all"]["errors"])
	assert own[0][0] == own[0][1] or within * 2 > len(own), within
	starts = [w["t0_ns"] for w in windows]
	merged = len(own) - len({starts[bisect(starts, began) - 1] for due, began, ended in own})
	assert result["backend"] == "bpf" and result["all"]["sum_failures"] == result["all"]["lost"] == 0, result["all"]["lost"]
	all = result["all"]
	assert len(windows) == all["windows"] + all.get("cut", 0) + all.get("unmeasured", 0), (len(windows), all)
	assert all.get("unmeasured", 0) == sum(w["errors"] > 0 for w in windows), all
	thread = result["attached"]["activations"]["threads"][0]
	assert thread["gaps"] <= all.get("unmeasured", 0) and (len(windows) - thread["wake"]["n"]) * 10 < len(windows), thread
	print(len(own), "activations,", len(windows), "windows,", within, "from the expiry,", merged, "merged,", unseen, "unseen;",
	      result["all"]["errors"], "errors")
	END
}

# proved NAME OPTIONS MODE...: watched, and explained; says so.
proved() {
	local said
	watched "$@" || return
	said=$(explained "$1") || return
	echo "# $1: $said" >&3
}

# A program's own clock lies inside of its windows: nearly all begin with the expiry of the timer.
# One that sleeps 10000 times a second loses none.
activations_bpf() {
	proved period '--budget 2ms --tid' period 1000 1000000 50000 || return
	jq -e '.attached.activations.threads | length == 1 and (.[0] | .comm == "activator" and
		(.windows as $n | any(.woken_by[]; .name == "timer" and .count * 10 >= $n * 8)) and
		(.period_ns == null or (.period_ns - 1000000 | fabs) < 20000) and
		([.interval.buckets[] | select(.[0] > 980000 and .[0] < 1010000) | .[1]] | add) * 2 > .interval.n)' \
		"$out/activations.period.json" > /dev/null ||
		{ jq -c '.attached.activations.threads[] | [.comm, .woken_by, .period_ns, .interval.n]' "$out/activations.period.json"; return 1; }
	valid "$out/activations.period.json" &&
	"$tool" report --label attach --html "$out/activations.again.html" "$out/activations.period.json" &&
	cmp "$out/activations.period.html" "$out/activations.again.html" || return
	proved fast '--budget 2ms --tid' period 20000 100000 10000
}

# A thread that moves in each of its activations has whole windows: all its time is charged.
activations_move() {
	proved move '--budget 20ms --tid' move 200 4000000 100000
}

# The task that had the CPU longest is named, and not the last one. A pause of the host may fall into
# the moments of the last one, or of another task.
activations_chain() {
	proved chain '--budget 1ms --tid' chain 50 10000000 2000000 || return
	jq -e '[.worst[].largest | select(.kind == "thread") | .name] |
		(map(select(. == "hog")) | length) * 2 > length and (map(select(. == "blip")) | length) < 4' "$file.json" > /dev/null ||
		{ jq -c '.worst[].largest' "$file.json"; return 1; }
	tr -s ' \n' ' ' < "$file.txt" | grep -qE 'while hog( \(pid [0-9]*\))? ran' || { cat "$file.txt"; return 1; }
}

# A wait for a mutex lies inside, as work.sleep, except with a --until that names futex. The lock has
# priority inheritance, and its holder sleeps 2 ms of each activation.
activations_until() {
	local name
	proved lock '--budget 1s --until epoll_wait,read --tid' lock 50 || return
	watched rule '--budget 1ms --tid' lock 50 || return
	for name in lock rule; do
		jq -e '.all.hist["work.sleep"].sum >= 25 * 2000000' "$out/activations.$name.json" > /dev/null ||
			{ jq -c '.all.hist["work.sleep"]' "$out/activations.$name.json"; return 1; }
	done
	jq -e 'any(.worst[].flags[]; . == "lock")' "$file.json" > /dev/null || { jq -c '.worst[].flags' "$file.json"; return 1; }
	tr -s ' \n' ' ' < "$file.txt" | grep -q 'sleeping for a lock' || { cat "$file.txt"; return 1; }
	watched any '--budget 1s --until epoll_wait,read,futex --tid' lock 50 || return
	jq -se 'map(.all) | .[0].unclear == null and .[0].hist["work.sleep"].sum * 10 < .[1].hist["work.sleep"].sum' \
		"$out/activations.any.json" "$out/activations.lock.json" > /dev/null ||
		{ jq -c '.all | [.unclear, .hist["work.sleep"].sum]' "$out/activations.any.json" "$out/activations.lock.json"; return 1; }
}

# Who held the lock is said, and who ended that wait, though the thread has slept for longer once. On a busy
# host the mutex may be free when the thread comes, or the plain sleep be most of an activation.
activations_nap() {
	watched nap '--budget 1ms --until epoll_wait,read --tid' nap 50 || return
	jq -e --argjson tid "$activator" 'def most(of): (map(select(of)) | length) * 2 > length;
		.worst | all(.[]; .held_by.tid != $tid) and most(.held_by) and
		(map(select(.flags | any(. == "lock"))) | most(.held_by and .wait.woken_by.tid == .held_by.tid))' \
		"$file.json" > /dev/null ||
		{ jq -c '.worst[] | [.flags, .held_by, .wait, .parts["work.sleep"]]' "$file.json"; return 1; }
}

# Of a program of Go it is never known what its threads sleep for.
activations_go() {
	local pid
	fixture activator || return
	objcopy --add-section .gopclntab=/etc/hostname "$out/activator" "$out/activator.go" || return
	"$out/activator.go" period 1000 5000000 < <(echo yes) > /dev/null &
	pid=$!
	"$tool" attach --backend bpf --progress off --tid $pid -b 1s -d 1s --json "$out/go.json" > "$out/go.txt" 2>&1 || { cat "$out/go.txt"; return 1; }
	kill $pid
	wait $pid 2> /dev/null
	jq -e '.all | .windows > 0 and .unclear == .windows' "$out/go.json" > /dev/null || { cat "$out/go.txt"; return 1; }
}

# An exec of the only thread changes nothing. A thread that comes later is found, and where it exits
# inside of an activation, that one is cut.
activations_life() {
	proved exec '--budget 1s --tid' exec 200 || return
	[ "$(wc -l < "$out/activations.exec.own")" -eq 400 ] || { echo "no exec"; return 1; }
	watched exit '--budget 1s --pid' exit 100 20000000 || return
	jq -e '(.attached.activations.threads | length == 2 and any(.[]; .windows >= 50)) and (.all | .cut >= 1 and
		.starts == .windows + .unmeasured + .cut + .open + .lost + .unfinished + .no_slot)' "$out/activations.exit.json" > /dev/null ||
		{ jq -c '[(.all | .cut, .starts, .windows), (.attached.activations.threads[] | [.tid, .windows])]' "$out/activations.exit.json"; return 1; }
}

# all_jobs NAME: of the activations of NAME's jobs nearly all lie in windows of "job", and none was lost. A kernel
# may hide a few switches.
all_jobs() {
	/usr/bin/python3 - "$out/activations.$1" <<-'END'
	import csv, json, sys
	from bisect import bisect
	name = sys.argv[1]
	own = sorted(tuple(map(int, line.split())) for line in open(name + ".own"))
	windows = sorted((int(w["t0_ns"]), int(w["response_ns"])) for w in csv.DictReader(open(name + ".windows")))
	all = json.load(open(name + ".json"))["all"]
	found = 0
	for due, began, ended in own:
	    i = bisect(windows, (began, 1 << 64)) - 1
	    found += i >= 0 and sum(windows[i]) >= ended
	print(found, "of", len(own), "activations of jobs")
	assert len(own) == 200 and found * 10 > len(own) * 9, found
	assert all["lost"] == 0 and not all.get("no_slot"), all
	END
}

# A thread that lives for 5 ms takes a slot itself, as it begins: of a process; by the name that it gives itself;
# in children.
activations_jobs() {
	local said
	watched jobs '--budget 1s --pid' jobs 4 1000000 && said=$(all_jobs jobs) || { echo "$said"; return 1; }
	echo "# of a process: $said" >&3
	watched named '--budget 1s --comm job --pid' jobs 4 1000000 && said=$(all_jobs named) || { echo "$said"; return 1; }
	echo "# named so: $said" >&3
	file=$out/activations.forks
	rm -f "$file".*
	mkfifo "$file.go"
	"${ahead[@]}" "$out/activator" forks 4 1000000 < "$file.go" > "$file.own" &
	activator=$!
	exec 4> "$file.go"
	"${ahead[@]}" "$tool" attach --backend bpf --progress 100ms --budget 1s --comm '[h-j]?b*' --windows "$file.windows" \
		--json "$file.json" > "$file.txt" 2>&1 4>&- &
	attach=$!
	await ended_or $attach grep -q windows "$file.txt"
	echo yes >&4
	exec 4>&-
	wait $activator
	kill -INT $attach
	wait $attach && said=$(all_jobs forks) || { echo "$said"; cat "$file.txt"; return 1; }
	echo "# in children, by name: $said" >&3
}

# Nothing wakes a thread any more: no activation is late, and an assertion on the interval fails. It has lasted
# for 100 ms at least.
activations_stall() {
	local status=0
	started stall "--budget 10s --assert violations==0 --assert max(interval)<100ms --assert max(interval)<1000s --tid" \
		stall 50 1000000 || return
	await test -s "$file.own"
	sleep 0.2
	kill -INT "$attach"
	wait "$attach" || status=$?
	kill "$activator"
	wait "$activator" 2> /dev/null
	[ $status -eq 2 ] && jq -e '.all.violations == 0 and .all.hist.interval.max >= 100000000 and (.assertions | map(.holds)) == [true, false, true]' "$file.json" > /dev/null ||
		{ echo $status; jq -c '.assertions, .all.hist.interval' "$file.json"; cat "$file.txt"; return 1; }
	valid "$file.json" || return
	tr -s ' ' < "$file.txt" | grep -q '^interval ' || { cat "$file.txt"; return 1; }
}

# Beside a thread that works, another one waits throughout: a note and the JSON have it, with where.
activations_blocked() {
	local status=0
	started blocked '--budget 10s --pid' blocked 20 5000000 || return
	await test -s "$file.own"
	kill -INT "$attach"
	wait "$attach" || status=$?
	kill "$activator"
	wait "$activator" 2> /dev/null
	[ $status -eq 0 ] || { cat "$file.txt"; return 1; }
	jq -e --argjson pid "$activator" '.all.windows > 0 and (.attached.blocked | length == 1 and (.[0] | .tid == $pid and .comm == "activator" and
			(.function == null or (.function | startswith("futex"))))) and
		any(.notes[]; startswith("blocked since before the start: activator/\($pid)"))' "$file.json" > /dev/null ||
		{ jq -c '.attached.blocked, .notes' "$file.json"; return 1; }
	valid "$file.json"
}

deadline=(chrt -d --sched-runtime 2000000 --sched-deadline 900000000 --sched-period 1000000000 0)

# Without --budget a SCHED_DEADLINE thread has its own deadline. Another one has none.
activations_deadline() {
	local pid
	file=$out/activations.deadline
	"${deadline[@]}" sleep "$mark" &
	pid=$!
	await grep -qF '(sleep) S ' /proc/$pid/stat
	"$tool" attach --backend bpf --progress off --tid $pid -d 500ms > "$file.txt" 2>&1
	kill $pid
	wait $pid 2> /dev/null
	grep -q 'budget 900ms, the deadline' "$file.txt" || { cat "$file.txt"; return 1; }
	exits 129 'only of SCHED_DEADLINE threads' "$tool" attach --backend bpf --pid $$ -d 500ms
}

# A thread that exits is no thread of the kernel, which has no file either: its activations are kept.
activations_leave() {
	local kthreadd
	watched leave '--budget 1s --until clock_nanosleep --tid' leave 50 || return
	jq -e '.attached.process.ended and .all.windows >= 25' "$file.json" > /dev/null || { jq -c '[.attached.process, .all.windows]' "$file.json"; return 1; }
	! kthreadd=$(pgrep -x kthreadd) || "$tool" attach --backend bpf --tid "$kthreadd" --until read -b 1ms -d 1s 2>&1 |
		grep -q "^tlob-load: --until: thread $kthreadd is a kernel thread"
}

# A stopped thread sleeps inside of its activation, which is over its budget before it ends. An action
# then gets its process: kill takes 0 for the group of the caller.
activations_stop() {
	# 2000 activations of 50 ms: it ends when it is killed, or after the stop
	started stop "--budget 300ms --on-violation shell:env>>activations.stop.env;cat>>activations.stop.window --tid" \
		period 2000 50000000
	await ended_or "$attach" grep -qE ' [1-9][0-9]* windows' "$file.txt"
	kill -STOP "$activator"
	await ended_or "$attach" grep -q 'still open; .* until then: .*sleep ' "$file.txt"
	kill -CONT "$activator"
	await ended_or "$attach" test -s "$file.window"
	kill -INT "$attach"
	wait "$attach" || { cat "$file.txt"; return 1; }
	kill "$activator"
	grep -q 'still open; .* until then: .*sleep ' "$file.txt" || { cat "$file.txt"; return 1; }
	[ "$(grep -o '^TLOB_WINDOW_PID=.*' "$file.env" | sort -u) $(jq .pid "$file.window" | sort -u)" = "TLOB_WINDOW_PID=$activator $activator" ] ||
		{ grep ^TLOB_WINDOW "$file.env"; jq -c '[.tid, .pid]' "$file.window"; return 1; }
	jq -e '.all.violations + .all.missed >= 1 and (.worst[0] | .parts["work.sleep"] * 2 > .response_ns)' "$file.json" > /dev/null ||
		{ jq -c '[.all.violations, .worst[0]]' "$file.json"; return 1; }
}

# sees_none PART OPTION...: no window, and the reason has PART.
sees_none() {
	local part=$1 status=0
	shift
	"$tool" attach --backend bpf --progress off -b 1ms -d 1s "$@" > /dev/null 2> "$out/none.err" || status=$?
	[ $status -eq 1 ] && grep -qF "tlob-load: no window was seen: $part" "$out/none.err" &&
		{ [ "$part" = "${part% found; }" ] || grep -qF "${part% found; } yet: those that start later" "$out/none.err"; } && return
	echo "exit $status"
	cat "$out/none.err"
	return 1
}

# Threads that are not there did neither sleep nor run: a warning at the beginning and the error say what
# was looked for. A thread that waits for all of the time is named.
activations_of_none() {
	local pid ok=0
	chrt -o 0 sleep "$mark" &
	pid=$!
	await ended_or $pid grep -qF '(sleep) S ' /proc/$pid/stat
	sees_none 'no threads named zzz-nobody* found; ' --comm 'zzz-nobody*' &&
	sees_none "no real-time threads of process $pid found; " --pid $pid --rt &&
	sees_none "blocked since before the start: sleep/$pid" --pid $pid --json "$out/none.json" || ok=1
	jq -e --argjson pid $pid '.attached.blocked | length == 1 and .[0].tid == $pid' "$out/none.json" > /dev/null || ok=1
	kill $pid
	wait $pid 2> /dev/null
	return $ok
}

# The first thread of a process has ended, and with it the file of /proc/PID: another one is watched.
activations_led() {
	local pid tid said status=0
	/usr/bin/python3 -c 'if True:
		import ctypes, threading, time
		threading.Thread(target=lambda: [time.sleep(0.005) for _ in range(1000000)]).start()
		ctypes.CDLL(None).pthread_exit(None)' &
	pid=$!
	await grep -q zombie /proc/$pid/status
	tid=$(find /proc/$pid/task -mindepth 1 -maxdepth 1 ! -name $pid -printf %f)
	said=$("$tool" attach --backend bpf --tid "$tid" -b 10s -d 1s --json - 2> /dev/null) || status=1
	jq -e --argjson pid $pid '.attached.process.pid == $pid' <<< "$said" > /dev/null || { jq -c .attached.process <<< "$said"; status=1; }
	kill -KILL $pid
	wait $pid 2> /dev/null
	return $status
}

# The longest wait of a window has its stack, and a rest is in no window. Where it was no longer than the
# wake-up of a busy host, another one may be.
activations_waits() {
	watched waits '--budget 1ms --waits --tid' lock 50 || return
	jq -e '.waits and ([.worst[] | .wait | select(.) | [.frames[]?.name]] |
		(map(select(any(.[]; . == "futex_lock_pi") and any(.[]; . == "main"))) | length) * 2 > length and
		all(.[]; all(.[]; test("epoll") | not)))' "$file.json" > /dev/null ||
		{ jq -c '.worst[] | [.parts["work.sleep"], .wait]' "$file.json"; return 1; }
	jq -e 'all(.worst[]; .wait == null or .wait.ns <= .parts["work.sleep"])' "$file.json" > /dev/null || return
	grep -qE '; longest wait [^ ]* in .*, (woken by |.*, then woke )' "$file.txt" || { cat "$file.txt"; return 1; }
	valid "$file.json" || return
	# a sleep that is no lock, and longer than each wait for one
	watched waits_nap '--budget 1ms --until epoll_wait,read --waits --tid' nap 50 || return
	jq -e '[.worst[] | .wait | select(.) | [.frames[]?.name]] |
		(map(select(any(.[]; test("nanosleep")))) | length) * 2 > length' "$file.json" > /dev/null ||
		{ jq -c '.worst[] | [.parts["work.sleep"], .wait]' "$file.json"; return 1; }
}

# A stop interrupts each wait of 30 ms, which then continues by restart_syscall(). What it was, a rest in a
# call of --until, it still is: two activations for each wait.
activations_restarted() {
	watched restarted '--budget 1s --until poll,ppoll --tid' restarted 40 || return
	jq -e '.all | .windows >= 60 and .sum_failures == 0' "$file.json" > /dev/null || { jq -c '.all | [.windows, .cut]' "$file.json"; return 1; }
}

# A thread that runs as attach comes has its first activation after its next rest, at most one each 400 ms.
activations_begun() {
	local status=0
	fixture activator || return
	file=$out/activations.begun
	echo yes | "$out/activator" period 1000 400000000 300000000 > /dev/null &
	activator=$!
	sleep 0.6
	"$tool" attach --backend bpf --progress off --tid $activator -b 10s -d 3s --windows "$file.windows" --json "$file.json" > "$file.txt" 2>&1 ||
		{ cat "$file.txt"; status=1; }
	kill $activator
	wait $activator 2> /dev/null
	[ $status -eq 0 ] || return
	/usr/bin/python3 - "$file" <<-'END'
	import csv, json, sys
	result = json.load(open(sys.argv[1] + ".json"))
	starts = [int(w["t0_ns"]) for w in csv.DictReader(open(sys.argv[1] + ".windows"))]
	# each one begins at the expiry of its timer
	assert len({start % 400000000 for start in starts}) == 1, starts
	assert len(starts) <= result["duration_ns"] / 400000000 + 1, starts
	END
}

# Two threads on two CPUs wake each other all the time, and are found after they began: each activation has
# its waker, and its time adds up. The kernel hides a few switches: not measured.
activations_pass() {
	watched pass '--budget 1s --inexact 100% --pid' pass 50000 || return
	jq -e '(.all | .sum_failures == 0 and .windows > 1000) and (.attached.activations.threads | length >= 2 and
		(map(select(.comm == "activator")) | all(.[]; (.windows as $n | [.woken_by[] | select(.name == "activator" or .name == "unknown") | .count] |
			add * 10 >= $n * 9) and any(.woken_by[]; .name == "activator"))))' "$file.json" > /dev/null ||
		{ jq -c '(.all | del(.hist, .quantiles, .os)), (.attached.activations.threads[] | [.comm, .windows, .woken_by])' "$file.json"; return 1; }
}

# What is wrong with the command line or with the machine is one line.
activations_refused() {
	local kthreadd
	exits 77 "the module watches regions, not threads: use --backend bpf" "$tool" attach --backend tlob --tid $$ -b 1ms -d 1s &&
	exits 1 "no such thread" "$tool" attach --backend bpf --tid 4194303 -b 1ms -d 1s || return
	! kthreadd=$(pgrep -x kthreadd) || exits 1 'no process gets it by default here: name the process' "$tool" attach --backend bpf \
		--tid "$kthreadd" -b 1ms -d 1s --on-violation signal:USR1 || return
	if unshare -p -f true 2> /dev/null; then
		exits 77 'initial pid namespace' unshare -p -f "$tool" attach --backend bpf --comm none -b 1ms -d 1s || return
	fi
	if as nobody true 2> /dev/null; then
		exits 77 'attach: threads are watched by BPF: ' as nobody "$tool" attach --comm none -b 1ms -d 1s || return
	fi
}

# A group with 5 ms in each 100 ms, by cgroup v2 or v1. Sets group.
limited_group() {
	local name=tlob-test-$$
	group=/sys/fs/cgroup/$name
	if grep -qsw cpu /sys/fs/cgroup/cgroup.subtree_control; then
		mkdir "$group" && echo 5000 100000 > "$group/cpu.max"
	else
		group=/sys/fs/cgroup/cpu/$name
		[ -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us ] && mkdir "$group" &&
			echo 100000 > "$group/cpu.cfs_period_us" && echo 5000 > "$group/cpu.cfs_quota_us"
	fi
}

# in_group WORK [OPTION]...: attach watches a thread in it that works WORK ns each 300 ms. Leaves $file.json and .txt.
in_group() {
	local status=0 work=$1
	shift
	fixture activator && limited_group || return
	file=$out/activations.limited
	rm -f "$file.go"
	mkfifo "$file.go"
	(echo $BASHPID > "$group/cgroup.procs" && exec taskset -c "$cpu" "$out/activator" period 10 300000000 "$work") \
		< "$file.go" > "$file.own" &
	activator=$!
	exec 4> "$file.go"
	"$tool" attach --backend bpf --tid $activator --progress 100ms -b 60ms --json "$file.json" "$@" > "$file.txt" 2>&1 4>&- &
	attach=$!
	await ended_or $attach grep -q windows "$file.txt"
	echo yes >&4
	exec 4>&-
	ended || status=1
	rmdir "$group"
	[ $status -eq 0 ] || cat "$file.txt"
	return $status
}

# The thread is throttled in each of its works, which take 150 ms; busy tasks on its CPU are not the cause.
activations_limited() {
	in_group 150000000 && grep -q 'throttled for' "$file.txt" || { cat "$file.txt"; return 1; }
	jq -e --arg name "${group##*/}" '(.limited_by | startswith("group /\($name) has 5ms per 100ms (cpu.")) and
		.nr_throttled >= 5 and (.cpu_limits | contains("5ms per 100ms")) and
		any(.causes.list[]; .name == "throttled" and .windows >= 5)' "$file.json" ||
		{ jq -c '[.limited_by, .nr_throttled, .causes]' "$file.json"; return 1; }
}

# It is throttled twice in its work, for less than 100 ms each time; in most a real-time task has its CPU after that.
activations_after_limit() {
	local hog status=0
	taskset -c "$cpu" chrt -f 5 python3 -c 'import time
while True:
    at = time.thread_time()
    while time.thread_time() < at + .6:
        pass
    time.sleep(.1)' &
	hog=$!
	in_group 12000000 || status=$?
	kill -KILL $hog
	wait $hog 2> /dev/null
	[ $status -eq 0 ] && jq -e '.nr_throttled >= 5 and
		any(.worst[].largest; .name == "python3" and .ns > 400000000) and
		all(.worst[].largest; .name != "throttled" or .ns < 400000000)' "$file.json" ||
		{ jq -c '.worst[] | [.response_ns, .largest]' "$file.json"; cat "$file.txt"; return 1; }
}

make_activator() {
	gcc -O2 -Wall -Wextra -Werror -o "$out/activator" "$top/tests/cli/here.d/activator.c" -lpthread
}

if ! has_bpf; then
	skip activations "$bpf_lacks"
else
	check activations_bpf activations_bpf
	if [ "$(nproc)" -gt 1 ]; then
		check activations_move activations_move
	else
		skip activations_move "one CPU only: no thread can move"
	fi
	if [ "${ahead[0]}" = chrt ]; then
		check activations_chain activations_chain
	else
		skip activations_chain "no permission for SCHED_FIFO"
	fi
	check activations_until activations_until
	check activations_nap activations_nap
	check activations_go activations_go
	check activations_life activations_life
	check activations_jobs activations_jobs
	check activations_stall activations_stall
	check activations_blocked activations_blocked
	if "${deadline[@]}" true 2> /dev/null; then
		check activations_deadline activations_deadline
	else
		skip activations_deadline "no permission for SCHED_DEADLINE"
	fi
	check activations_leave activations_leave
	check activations_led activations_led
	check activations_stop activations_stop
	check activations_of_none activations_of_none
	check activations_restarted activations_restarted
	check activations_begun activations_begun
	if [ "$(nproc)" -gt 1 ]; then
		check activations_pass activations_pass
	else
		skip activations_pass "one CPU only"
	fi
	if waits_lack=$("$tool" waits --backend bpf -d 10ms 2>&1); then
		check activations_waits activations_waits
	else
		skip activations_waits "$waits_lack"
	fi
	if ! limited_group 2> /dev/null || ! rmdir "$group"; then
		skip activations_limited "no group with a limit on CPU time can be made"
		skip activations_after_limit "no group with a limit on CPU time can be made"
	else
		check activations_limited activations_limited
		if [ "$(printf '%s\n' 6.6 "$(uname -r)" | sort -V | head -n 1)" != 6.6 ]; then
			skip activations_after_limit "before 6.6 a group has no clock of its limit"
		elif [ "${ahead[0]}" = chrt ]; then
			check activations_after_limit activations_after_limit
		else
			skip activations_after_limit "no permission for SCHED_FIFO"
		fi
	fi
	check activations_refused activations_refused
fi
