# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Runs of the backend bpf. Part of tests/cli/here.
# shellcheck disable=SC2015,SC2154

# The exact split by BPF programs: the parts of each window add up, whatever the host does.
exact() {
	"$tool" run --backend bpf -n 2000 -p 500us -w spin:20us --warm-up 5 -q --json - > "$out/bpf.json" || return
	jq -e '.backend == "bpf" and all(.cpu[]; .windows + .lost == 2000 and .sum_failures == 0 and .unaccounted == 0 and
		.due == .startup + .windows + .missed + .warm_up + .warm_up_missed and
		(.hist["wake.irq_delay"].n == .hist.wake.n))' "$out/bpf.json" > /dev/null ||
		{ jq -c '.cpu[] | del(.hist)' "$out/bpf.json"; return 1; }
	jq -r -f "$top/tests/vm/suites/tool.d/result.jq" "$out/bpf.json" > "$out/wrong" && [ ! -s "$out/wrong" ] || { cat "$out/wrong"; return 1; }
	echo "# bpf: $(jq '.all.windows' "$out/bpf.json") windows, $(jq '.all.inexact' "$out/bpf.json") inexact" >&3
}

stolen_ticks() {
	awk '$1 == "cpu" { print $9 }' /proc/stat
}

# Where a hypervisor steals, /proc/stat has all that the windows have, to two ticks of each CPU. It counts at ticks, so
# each CPU has some before it is read.
stolen() {
	local before after
	before=$(stolen_ticks)
	"$tool" run --backend bpf -n 1000 -p 1ms -w spin:900us -q --json "$out/stolen.json" || return
	"$tool" run --backend posix -n 50 -p 1ms -w spin:500us -q || return
	after=$(stolen_ticks)
	jq -e --argjson ticks $((after - before)) --argjson hz "$(getconf CLK_TCK)" '
		[.cpu[].hist | .["wake.steal"].sum, .["work.steal"].sum] | add <= ($ticks + length) * 1000000000 / $hz' \
		"$out/stolen.json" > /dev/null || { jq -c '.cpu[].hist | .["wake.steal"], .["work.steal"]' "$out/stolen.json"; return 1; }
	echo "# stolen: $((after - before)) ticks" >&3
}

# The window that stopped a run is its first sentence, and its lines of the trace are those between the marks.
stopped_here() {
	local json=$out/stop.json trace=$out/stop.trace
	"$tool" run --backend bpf -c "$cpu" -d 60s -w spin:100us --stop-on 'wake>1us' --json "$json" \
		--trace "$trace" -e sched:sched_switch > "$out/stop.txt" || return
	tr -s ' \n' ' ' < "$out/stop.txt" | grep -q "^1 of $(jq .all.windows "$json") windows\? met wake>1us and stopped the run: wake .* on CPU $cpu, due at $(
		jq -r '.stopped_window.t0_ns | "\(. / 1000000000 | floor).\(. / 1000 % 1000000 + 1000000 | floor | tostring[1:])"' "$json"): " ||
		{ head -n 3 "$out/stop.txt"; return 1; }
	jq -r '.stopped_window | "tlob-load: activation \(.activation): " + ("expiry", "wake-up", "end")' "$json" > "$out/stop.wanted"
	grep -o 'tlob-load: activation .*' "$trace" | diff "$out/stop.wanted" - || return
	jq -e --arg lines "$(grep -n 'tlob-load: activation' "$trace" | sed -n '1s/:.*//p;$s/:.*//p' | paste -sd ' ')" '
		($lines | split(" ")) as [$a, $b] | any(.notes[]; . == "trace: its lines \($a) to \($b) are of the window that stopped the run")' "$json" > /dev/null ||
		{ jq -c .notes "$json"; return 1; }
}

# A trace without a violation is no empty file, and not without a word. What it cannot have is refused.
# The kernel's events and the violations stand in one trace, in the order of their times, and a filter holds.
bpf_trace() {
	local times=$out/wake.times
	if ! "$tool" run --backend bpf -c "$cpu" -n 300 -b 20us -w spin:100us -q --json "$out/wake.json" \
		--trace "$out/wake.txt" -e 'sched:sched_switch/prev_prio < 100/' -e irq_vectors --trace-size 4M; then
		return 1
	fi
	grep -q '^# violations of the budget 20us: tlob_budget_exceeded$' "$out/wake.txt" || { head -n 5 "$out/wake.txt"; return 1; }
	grep '^ ' "$out/wake.txt" | grep -oE ' [0-9]+\.[0-9]{6}: ' | tr -d ' :' > "$times"
	[ "$(wc -l < "$times")" -eq "$(grep -c '^ ' "$out/wake.txt")" ] && sort -c -n "$times" || return
	[ "$(grep -c ': tlob_budget_exceeded: ' "$out/wake.txt")" -gt 0 ] && grep -q ': local_timer_entry: ' "$out/wake.txt" || return
	grep -q ': sched_switch: .*prev_prio=4 ' "$out/wake.txt" || { echo "no switch of the measured thread"; return 1; }
	grep ': sched_switch: ' "$out/wake.txt" > "$out/wake.switches" && lacks -vE 'prev_prio=[0-9]{1,2} ' "$out/wake.switches" || return
	untraced || { echo "an instance is left"; return 1; }
	exits 1 'parse_error: Field not found' "$tool" run --backend bpf -n 1 -q --trace "$out/wake.txt" -e 'sched:sched_switch/nonsense < 1/' &&
	exits 1 "event 'sched:nonsense' does not exist" "$tool" run --backend bpf -n 1 -q --trace "$out/wake.txt" -e 'sched:nonsense/a == 1/' &&
	exits 129 'put it between slashes' "$tool" run -n 1 --trace "$out/wake.txt" -e 'sched:sched_switch/prev_prio < 100' &&
	exits 129 'give --trace FILE' "$tool" run -n 1 --trace-size 1M
}

# beside PRIORITY FILTER: the last CPU is another real-time task's whenever it is not the measured thread's. The run ends before
# that task does, and FILTER holds of its result.
beside() {
	local other ok=0
	# shellcheck disable=SC2016 # for that shell
	taskset -c "$cpu" chrt -f "$1" bash -c 'while [ $SECONDS -lt 600 ]; do :; done' &
	other=$!
	"$tool" run --backend bpf -c "$cpu" -b 20us -w spin:100us -n 300 -q --json "$out/beside.json" --trace "$out/beside.txt" || ok=$?
	kill $other 2> /dev/null || { echo "it ended with the other task"; ok=1; }
	wait $other 2> /dev/null
	[ $ok -eq 0 ] || return
	jq -e --argjson lines "$(grep -c ': tlob_budget_exceeded: ' "$out/beside.txt")" "$2" "$out/beside.json" > /dev/null ||
		{ jq -c '.notes, .all.violations' "$out/beside.json"; return 1; }
}

# A task of a lower priority neither hides the violations nor keeps the run from its end. One that leaves no
# room below the measured thread does, and a note says so.
# shellcheck disable=SC2016 # for jq
bpf_watch_beside() {
	beside 50 '$lines * 2 > .all.violations and all(.notes[]; contains("was not watched") | not)' &&
	beside 94 '$lines == 0 and any(.notes[]; contains("was not watched (another real-time task had it)"))'
}

# A reader that is too slow for the queue loses violations, and the trace counts them.
bpf_watch_counts() {
	local pid reader stracer lines dropped ok=0
	"$tool" run --backend bpf -c "$cpu" -p 100us -b 1us -w none -n 60000 -q --json "$out/lost.json" --trace "$out/lost.txt" &
	pid=$!
	threads $pid && reader=$(grep -lx tlob-read /proc/$pid/task/*/comm) || return
	reader=${reader%/comm}
	strace -p "${reader##*/}" -o "$out/lost.strace" -e inject=clock_nanosleep:delay_exit=500000 2> /dev/null &
	stracer=$!
	wait $pid || ok=1
	wait $stracer 2> /dev/null
	[ $ok -eq 0 ] || return
	lines=$(grep -c ': tlob_budget_exceeded: ' "$out/lost.txt")
	dropped=$(sed -n 's/^# \([0-9]*\) more were dropped$/\1/p' "$out/lost.txt")
	jq -e --argjson all "$((lines + ${dropped:-0}))" '$all <= .all.violations and $all * 4 > .all.violations * 3' "$out/lost.json" > /dev/null ||
		{ echo "$lines lines, ${dropped:-no} dropped"; jq -c '.notes, .all.violations' "$out/lost.json"; return 1; }
}

# on_copy COMMAND...: with a file of its own in place of timer_migration, which other runs here may change.
# shellcheck disable=SC2016 # for that shell
on_copy=(unshare -m sh -c 'mount --bind "$0" /proc/sys/kernel/timer_migration && exec "$@"' "$out/timer_migration")

# Nothing stays attached or changed, whenever the tool is killed: at a call of bpf(2), or while it measures.
bpf_killed() {
	local before call status pid changed=0
	before=$(bpf_programs) && echo 1 > "$out/timer_migration" || return
	for call in 1 20 40 60 80; do
		status=0
		"${on_copy[@]}" strace -f -o "$out/killed.$call" -e trace=bpf -e "inject=bpf:signal=SIGKILL:when=$call" \
			"$tool" run --backend bpf -n 100 -w none -q --json /dev/null || status=$?
		[ $call -gt 40 ] || [ $status -eq 137 ] || { echo "status $status at call $call"; return 1; }
		[ "$(cat "$out/timer_migration")" = 1 ] || changed=$((changed + 1))
		"${on_copy[@]}" "$tool" restore || return
		[ "$(cat "$out/timer_migration")" = 1 ] || { echo "timer_migration stays $(cat "$out/timer_migration")"; return 1; }
	done
	"${on_copy[@]}" "$tool" run --backend bpf -w none -q --json /dev/null &
	pid=$!
	threads $pid || return
	[ "$(cat "$out/timer_migration")" = 0 ] || { echo "timer_migration was not changed"; return 1; }
	kill -KILL $pid
	wait $pid 2> /dev/null
	"${on_copy[@]}" "$tool" restore && [ "$(cat "$out/timer_migration")" = 1 ] && programs_go "$before" &&
		"$tool" run --backend bpf -n 10 -w none -q
}

# The verifier is interrupted in twelve loads of a program, more than libbpf tries. A command opens its object once more.
make_stops() {
	gcc -O2 -Wall -Wextra -Werror -shared -fPIC -o stops.so -x c - -ldl <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <errno.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/syscall.h>
	#include <linux/bpf.h>

	long syscall(long nr, long a, long b, long c, long d, long e, long f)
	{
		static long (*real)(long, ...);
		static int stops = 12;
		const union bpf_attr *attr = (const void *)b;

		if (!real)
			real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
		if (nr != SYS_bpf || a != BPF_PROG_LOAD || !stops ||
		    strncmp(attr->prog_name, getenv("STOPS_AT"), BPF_OBJ_NAME_LEN - 1))
			return real(nr, a, b, c, d, e, f);
		stops--;
		errno = EAGAIN;
		return -1;
	}
	END
}

# stopped PROGRAM COMMAND...
stopped() {
	STOPS_AT=$1 LD_PRELOAD=$out/stops.so "$tool" "${@:2}" > "$out/stopped" 2>&1 || { cat "$out/stopped"; return 1; }
}

bpf_stopped() {
	local other status=0
	fixture stops || return
	stopped sched_switch run --backend bpf -n 10 -w none -q && stopped sched_waking waits --backend bpf -d 10ms || return
	while sleep 0.01; do :; done &
	other=$!
	stopped sched_switch attach --backend bpf --tid $other -b 1s -d 1s || status=1
	kill $other
	return $status
}

functions_stopped() {
	fixture stops && stopped enter_0 run --backend bpf -n 10 -w none -q --functions sys=__x64_sys_getppid
}

# Ctrl-C while programs are loaded, or attached: one line says so, and none is left.
bpf_interrupted() {
	local before call
	before=$(bpf_programs) || return
	for call in 30 60; do	# of bpf(2)
		exits 1 'SIGINT came while loading the BPF programs: nothing was measured' strace -o "$out/interrupted.$call" -e trace=bpf \
			-e "inject=bpf:signal=SIGINT:when=$call" "$tool" run --backend bpf -w none -q -d 1h || return
	done
	lacks BPF_RAW_TRACEPOINT_OPEN "$out/interrupted.30" || { echo "a program was attached"; return 1; }
	programs_go "$before"
}

bpf_container() {
	local caps=,+bpf,+perfmon
	container $caps "$tool" run --backend bpf -n 50 -w none -q --json "$out/container.json" || return
	jq -e '.backend == "bpf" and .policy == "other" and any(.notes[]; contains("memory is not locked")) and
		any(.notes[]; contains("timer_migration could not be set"))' "$out/container.json" > /dev/null ||
		{ jq -c '[.policy, .notes]' "$out/container.json"; return 1; }
	container $caps,+sys_nice,+ipc_lock "$tool" run --backend bpf -n 50 -w none -q --json "$out/container.json" || return
	jq -e '.policy == "fifo:95" and all(.notes[]; contains("memory") | not)' "$out/container.json" > /dev/null ||
		{ jq -c '[.policy, .notes]' "$out/container.json"; return 1; }
	exits 77 'root of this container or user namespace lacks CAP_BPF' container '' "$tool" run --backend bpf -n 1 &&
	exits 77 '--idle-state needs root' container $caps "$tool" run --backend bpf --idle-state 0 -n 1 &&
	exits 77 'lacks CAP_BPF and CAP_PERFMON, which root has' as nobody "$tool" run --backend bpf -n 1 -q
}

# Each command by BPF works with exactly the capabilities that its page names, and says what it lacks.
bpf_rights() {
	local bpf=,+bpf,+perfmon shown other status=0
	# shellcheck disable=SC2016 # of awk
	shown=$(with $bpf awk '/ hrtimer_wakeup$/ { print $1 !~ /^0*$/ }' /proc/kallsyms)
	with $bpf "$tool" run --backend bpf -n 50 -w none -q || return
	# shellcheck disable=SC2016 # for that shell
	# late timers are known without addresses of the kernel
	with $bpf sh -c 'while sleep 0.01; do :; done & "$0" attach --backend bpf --tid $! -b 1s -d 1s --json -; status=$?; kill $!; exit $status' \
		"$tool" > "$out/rights.json" 2> "$out/rights" || { cat "$out/rights"; return 1; }
	jq -e '.all | .windows > 0 and (.unavailable | index("wake.irq_delay") | not)' "$out/rights.json" > /dev/null ||
		{ jq -c '.all | [.windows, .unavailable]' "$out/rights.json"; return 1; }
	while sleep 0.01; do :; done &
	other=$!
	exits 1 "/proc/$other/exe: permission denied: run as root, or with CAP_SYS_PTRACE" \
		with $bpf,+syslog "$tool" attach --backend bpf --tid $other -b 1s -d 1s &&
	with $bpf,+syslog,+sys_ptrace "$tool" attach --backend bpf --tid $other -b 1s -d 1s > "$out/rights" 2>&1 || status=1
	# wait4() of x86-64, and of arm64
	with $bpf,+syslog,+sys_ptrace "$tool" attach --backend bpf --tid $other --until 61,260 -b 1s -d 1s > "$out/rights.until" 2>&1 ||
		{ cat "$out/rights.until"; status=1; }
	with $bpf,+syslog,+sys_ptrace "$tool" waits --backend bpf --pid $other --json - -d 1s > "$out/rights.json" || status=1
	kill $other
	[ $status -eq 0 ] && lacks CAP_SYSLOG "$out/rights" || { cat "$out/rights"; return 1; }
	# the callers of another user's program
	jq -e 'any(.tasks[].stacks[]; .ends == "whole" or .ends == "cut")' "$out/rights.json" || return
	[ "$shown" -eq 1 ] || exits 77 '(CAP_SYSLOG needed)' with $bpf "$tool" waits --backend bpf -d 10ms || return
	with $bpf,+syslog "$tool" waits --backend bpf -d 10ms
}

# The refusal names a backend that is available here, if one can do it.
bpf_can() {
	exits 77 'the backend bpf can' "$tool" run --backend posix -n 10 --assert 'max(irq)<1us' &&
		exits 77 'the backend tlob can' "$tool" run --backend posix -n 10 --workload kthread
}

# functions_by_bpf ARG...: 100 windows of 10 calls of getppid.
functions_by_bpf() {
	"$tool" run --backend bpf -n 100 -p 2ms -w syscall:10 --warm-up 5 -q --json "$out/functions.json" \
		--functions sys=__x64_sys_getppid
}

# Each call is there, and in no window is more time in the set than in its parts.
functions_exact() {
	functions_by_bpf || return
	jq -e '.functions.mechanism == "fentry" and (.all | .sum_failures == 0 and .functions.lost == 0 and
			.functions.sets.sys.calls == 10 * .windows) and
		all(.worst[]; .parts as $parts | .functions.sets.sys.parts | to_entries | all(.value <= $parts[.key]))' \
		"$out/functions.json" > /dev/null || { jq -c '.functions, .all.functions' "$out/functions.json"; return 1; }
}

if has_bpf; then
	check exact exact
	check stolen stolen
	check stopped_here stopped_here
	check bpf_trace bpf_trace
	check bpf_stopped bpf_stopped
	if [ "$(nproc)" -gt 1 ] && chrt -f 95 true 2> /dev/null; then
		check bpf_watch_beside bpf_watch_beside
		if has_strace; then check bpf_watch_counts bpf_watch_counts; else skip bpf_watch_counts "no strace, or not permitted"; fi
	else
		skip bpf_watch_beside "one CPU, or no real-time priority"
	fi
	if has_strace && can_mount; then
		check bpf_killed bpf_killed
	else
		skip bpf_killed "no strace, or no mount, or not permitted"
	fi
	if has_strace; then
		check bpf_interrupted bpf_interrupted
	else
		skip bpf_interrupted "no strace, or not permitted"
	fi
	[ -d /sys/module/tlob_load ] || check bpf_can bpf_can
	# A machine may hide the list of functions, or refuse programs at them. Then it is in words.
	if functions_lack=$(functions_by_bpf 2>&1) || ! grep -q -e '--functions: .*: .*' <<< "$functions_lack"; then
		check functions.exact functions_exact
		check functions.stopped functions_stopped
	else
		skip functions.exact "$(grep -m 1 -e '--functions' <<< "$functions_lack")"
	fi
	if with ,+bpf,+perfmon,+syslog,+sys_ptrace true 2> /dev/null; then
		check bpf_rights bpf_rights
	else
		skip bpf_rights "only root can give capabilities"
	fi
	if container ,+bpf true 2> /dev/null; then
		unsanitized "ASan lets no memory be locked" bpf_container bpf_container
	else
		skip bpf_container "only root can take capabilities away"
	fi
else
	skip exact "$bpf_lacks"
fi
