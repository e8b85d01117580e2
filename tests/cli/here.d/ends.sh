# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# How a run ends, and what it leaves: signals, checkpoints, verdicts. Part of tests/cli/here.
# shellcheck disable=SC2015,SC2154

# Assertions in the forms that CI systems read: two hold, one fails, one is undecided.
ci_output() {
	# p1 is not missed, unless nearly all is
	local junit=$out/ci.xml ktap=$out/ci.ktap md=$out/ci.md json=$out/ci.json status=0
	echo old > "$junit"
	"$tool" run --backend posix -n 400 -w none -q --junit "$junit" --ktap "$ktap" --markdown "$md" --json "$json" \
		--assert 'windows>1' --assert 'max(wake)<1ns' --assert 'p99.999(wake)<1s' --assert 'p1(wake)<1h' 2> /dev/null || status=$?
	[ $status -eq 2 ] || { echo "exit $status"; return 1; }
	grep -qx 'not ok 3 max(wake)<1ns' "$ktap" && [ "$(head -n 1 "$md")" = '## tlob-load: FAILED 1 assertion' ] || { cat "$ktap" "$md"; return 1; }
	grep -qF 'failures="1" errors="1"' "$junit" && xmllint --noout "$junit" && valid "$json" &&
		jq -e '[.assertions[].holds] == [true, false, null, true]' "$json"
}

# One window less than p99 needs decides nothing, and is no pass in any output.
undecided() {
	local of=$out/undecided
	exits 3 'assertion undecided: p99(wake)<1h: no data' "$tool" run -q --backend posix -n 298 --warm-up 0 -c "$cpu" -p 10ms -w none \
		--json "$of.json" --junit "$of.xml" --markdown "$of.md" --assert 'p99(wake)<1h' --assert 'windows>1' || return
	jq -e '[.assertions[].holds] == [null, true]' "$of.json" && grep -qF 'failures="0" errors="1"' "$of.xml" &&
		[ "$(head -n 1 "$of.md")" = '## tlob-load: UNDECIDED 1 assertion' ] &&
		[ "$("$tool" report -f rt-tests "$of.json" | jq .return_code)" -eq 1 ] &&
		"$tool" report -f md "$of.json" | grep -q '^UNDECIDED 1 assertion: '
}

# writes PID FOLDER: it has a file there open.
writes() {
	readlink /proc/"$1"/fd/* | grep -qF "$2"
}

# old NAME...: files of an earlier run. all_gone NAME...: none of them is there.
old() {
	local name
	for name; do echo old > "$out/verdict/$name" || return; done
}
all_gone() {
	local name
	for name; do
		[ ! -e "$out/verdict/$name" ] || { echo "$name is still there: $(head -c 100 "$out/verdict/$name")"; return 1; }
	done
}

# No output of a run that was not made; the old one of that name goes, but not for a wrong command line.
failed_outputs() {
	local dir=$out/verdict all=(r.json r.html r.xml r.ktap r.md r.hist r.csv r.timeline) to
	to=(--json "$dir/r.json" --html "$dir/r.html" --junit "$dir/r.xml" --ktap "$dir/r.ktap" --markdown "$dir/r.md"
		--hist "$dir/r.hist" --samples "$dir/r.csv" --timeline-json "$dir/r.timeline")
	rm -rf "$dir" && mkdir "$dir" && old "${all[@]}" || return
	exits 129 "'1parsec'" "$tool" run --backend posix -p 1parsec "${to[@]}" || return
	exits 129 'each its own file' "$tool" run --backend posix -n 10 -w none -q --junit "$dir/r.xml" --json "$dir/r.xml" || return
	[ "$(cat "$dir"/* | sort -u)" = old ] && [ "$(find "$dir" -type f | wc -l)" -eq ${#all[@]} ] || return
	exits 1 'CPU 4095' "$tool" run --backend posix -c 4095 -n 10 -q "${to[@]}" && all_gone "${all[@]}" && old "${all[@]}" || return
	exits 77 'kthread' "$tool" run --backend posix --workload kthread -n 10 -q "${to[@]}" && all_gone "${all[@]}" && old "${all[@]}" || return
	# interrupted in its warm-up: its files have no name yet
	"$tool" run --backend posix -p 1s -w none --warm-up 1000 -q "${to[@]}" 2> /dev/null &
	pid=$!
	await ended_or $pid writes $pid "$dir/"
	kill -INT $pid
	wait $pid && return 1
	all_gone "${all[@]}" && old r.json r.html r.xml r.windows || return
	exits 1 'process 4194303 does not exist' "$tool" attach --pid 4194303 -b 1ms --json "$dir/r.json" --html "$dir/r.html" --junit "$dir/r.xml" \
		--windows "$dir/r.windows" && all_gone r.json r.html r.xml r.windows && old r.json r.html r.folded || return
	exits 1 '4194303' "$tool" waits --pid 4194303 --json "$dir/r.json" --html "$dir/r.html" --folded "$dir/r.folded" && all_gone r.json r.html r.folded
}

# stopped PID: all of its threads.
stopped() {
	[ "$(sed -nE 's/^State:\t(.).*/\1/p' /proc/"$1"/task/*/status | sort -u)" = T ]
}

# The whole time of the stop is in one window of each CPU, or missed.
sigstop() {
	local before
	background -p 1ms -b 10ms -d 1h -q --json "$out/stopped.json" || return
	kill -STOP "$pid"
	await stopped "$pid" || return
	sleep 0.5	# or longer
	before=$(switches "$pid" | sort -n | tail -n 1)
	kill -CONT "$pid"
	threads "$pid" $((before + 20)) || return
	kill -INT "$pid"
	wait "$pid" || { echo "exit $?: $(cat "$out/bg.err")"; return 1; }
	jq -e '.worst[0].response_ns >= 400000000 and
		all(.cpu[]; .missed >= 400 and .violations >= 1 and .hist.response.max >= 400000000)' "$out/stopped.json" ||
		{ jq -c '.worst[0].response_ns, (.cpu[] | [.windows, .missed])' "$out/stopped.json"; return 1; }
	[[ $("$tool" report "$out/stopped.json") == *'% stopped by a signal'* ]] || { jq -c '.worst[0]' "$out/stopped.json"; return 1; }
}

# Nothing is left to restore, and no half of a file.
sigkill() {
	rm -f "$out"/killed*
	background -d 1h -q --json "$out/killed.json" || return
	kill -KILL "$pid"
	wait "$pid" 2> /dev/null
	[ ! -e "$TLOB_STATE_FILE" ] || { echo "a state file"; return 1; }
	[ "$(find "$out" -name '*killed*' | wc -l)" -eq 0 ] || { find "$out" -name '*killed*'; return 1; }
}

# spins PID: its measuring thread has had 200 ms of CPU time.
spins() {
	local task
	for task in /proc/"$1"/task/*; do
		[[ $(cat "$task/comm") != tlob/* ]] || [ "$(cut -d ' ' -f 1 "$task/schedstat")" -lt 200000000 ] || return 0
	done 2> /dev/null
	return 1
}

# Work that takes hours: what is cut off counts as missed.
cut_off() {
	local status=0
	"$tool" run --backend posix --policy other -c "$cpu" -p 1s -b 1s -w spin:1h -d 10h -q --json "$out/cut.json" 2> "$out/bg.err" &
	pid=$!
	await ended_or $pid spins $pid
	kill -INT $pid
	wait $pid || status=$?
	cat "$out/bg.err"
	[ $status -eq 1 ] && grep -q 'no window was measured' "$out/bg.err"
}

# What a killed run leaves can be read, says what it is, and counts for nothing.
checkpoint() {
	local kept=$out/checkpoint.json
	"$tool" run --backend posix -w none -q --checkpoint 1s --json "$kept" &
	pid=$!
	until_is '.partial and .all.windows > 1200' "$kept" $pid || return
	kill -KILL $pid
	wait $pid 2> /dev/null
	valid "$kept" || return
	"$tool" report -f text "$kept" | grep -q '^partial  this was written before the run had ended' || return
	exits 1 'partial: it was written before the run had ended' "$tool" gate "$kept" -- "$kept" &&
	exits 1 'partial: it was written before the run had ended' "$tool" merge "$kept" -o "$out/merged.json" || return
	jq -e '.all as $a | $a.windows == ([.cpu[].slices.at[].windows] | add) and $a.unaccounted == 0 and
		$a.due == $a.startup + $a.windows + $a.missed' "$kept" || { jq -c '.all | del(.hist)' "$kept"; return 1; }
	"$tool" run --backend posix -w none -q --checkpoint 1s -n 1500 --json "$kept" &&
		jq -e '.partial == false and .all.windows == 1500 * (.cpu | length)' "$kept"
}

# No checkpoint that fails ends the run: not at a limit, which is lifted, and not without the folder, which comes back.
checkpoint_fails() {
	local dir=$out/checkpoints
	rm -rf "$dir" "$dir.away"
	mkdir "$dir" && ulimit -S -f 4 && background -q --checkpoint 1s --json "$dir/r.json" || return
	until_said 2 "cannot write $dir/r.json: File too large" && prlimit --pid "$pid" --fsize=unlimited: &&
		until_is .partial "$dir/r.json" "$pid" && mv "$dir" "$dir.away" &&
		until_said 3 "cannot write $dir/r.json: No such file or directory" || return
	kill -STOP "$pid"
	mv "$dir.away" "$dir"
	kill -INT "$pid"
	kill -CONT "$pid"
	wait "$pid" && jq -e '.partial == false and .stopped_by == "SIGINT"' "$dir/r.json"
}

# The end of a run that cannot be written leaves its checkpoint, which says that it is partial.
checkpoint_stays() {
	local kept=$out/checkpoint.json
	background -q --checkpoint 1s --json "$kept" --html "$kept.html" && until_is .partial "$kept" "$pid" &&
		echo old > "$kept.html" && prlimit --pid "$pid" --fsize=4096: || return
	kill -INT "$pid"
	wait "$pid" && return 1
	jq -e .partial "$kept" > /dev/null && [ ! -e "$kept.html" ]
}

# Clocks of a machine that sleeps for two seconds a moment after a measurement began, and whose timers wait for ticks.
make_clocks() {
	gcc -O2 -Wall -Wextra -Werror -shared -fPIC -o clocks.so -x c - <<-'END'
	#define _GNU_SOURCE
	#include <sys/syscall.h>
	#include <time.h>
	#include <unistd.h>

	int clock_gettime(clockid_t id, struct timespec *ts)
	{
		static int readings;
		int ret = (int)syscall(SYS_clock_gettime, id, ts);

		if (id == CLOCK_BOOTTIME && readings++ > 5)
			ts->tv_sec += 2;
		return ret;
	}

	int clock_getres(clockid_t id, struct timespec *ts)
	{
		int ret = (int)syscall(SYS_clock_getres, id, ts);

		if (id == CLOCK_MONOTONIC)
			ts->tv_nsec = 4000000;
		return ret;
	}
	END
}

# clocks NAME WORDS...: the command is cut short by the suspend, and has said what the timers are like.
clocks() {
	local json=$out/clocks.$1.json status=0
	shift
	fixture clocks || return
	LD_PRELOAD=$out/clocks.so "$tool" "$@" --json "$json" > "$out/clocks.txt" 2> "$out/clocks.err" || status=$?
	[ $status -eq 1 ] && grep -q 'timers wait for a tick, each 4 ms' "$out/clocks.err" &&
		grep -q 'cut short by a suspend of the machine' "$out/clocks.err" &&
		tr -s ' \n' ' ' < "$out/clocks.txt" | grep -q '; cut short by a suspend of the machine' || { cat "$out"/clocks.{err,txt}; return 1; }
	[ ! -s "$json" ] || jq -e '.stopped_by == "a suspend of the machine" and .timer_resolution_ns == 4000000 and
		any(.notes[]; contains("timers wait for a tick"))' "$json"
}

alone() {
	"$tool" > "$out/alone" 2> "$out/alone.err" &
	pid=$!
	threads $pid || return
	kill -INT $pid
	wait $pid || { cat "$out/alone.err"; return 1; }
	cat "$out/alone"
	grep -q 'work none, period 1ms' "$out/alone" && tr -s ' \n' ' ' < "$out/alone" | grep -q '; cut short by SIGINT'
}

check ci_output ci_output
check undecided undecided
check failed_outputs failed_outputs
check sigstop sigstop
check sigkill sigkill
check cut_off cut_off
check checkpoint checkpoint
check checkpoint_stays checkpoint_stays
check checkpoint_fails checkpoint_fails
check alone alone
check clocks_posix clocks posix run --backend posix -d 1h
if has_bpf; then
	check clocks_bpf clocks bpf run --backend bpf -d 1h
	check clocks_attach clocks attach attach --backend bpf --tid $$ -b 1ms -d 1h
else
	skip clocks_bpf "$bpf_lacks"
	skip clocks_attach "$bpf_lacks"
fi
