# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The wait profiler by BPF programs. Part of tests/cli/here, which has $top, $out and $tool.
# shellcheck disable=SC2154

# It sleeps 50 times, and prints how often it really slept: a task that is preempted until
# its timer has expired does not.
waits_target() {
	cat > "$out/sleeper.c" <<'END'
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
__attribute__((noinline)) static int inner(int n)
{
	struct timespec ts = { .tv_nsec = 10000000 };

	nanosleep(&ts, NULL);
	return n + 1;
}
__attribute__((noinline)) static int outer(int n) { return inner(n) + 2; }
int main(void)
{
	struct rusage before, after;
	int i, n = 0;

	getrusage(RUSAGE_SELF, &before);
	for (i = 0; i < 50; i++)
		n = outer(n);
	getrusage(RUSAGE_SELF, &after);
	printf("%ld\n", after.ru_nvcsw - before.ru_nvcsw);
	return n != 150;
}
END
	gcc -O2 -fomit-frame-pointer -o "$out/sleeper" "$out/sleeper.c"
}

# What it reports is one stack down to main(), with as many waits. Those whose end the kernel did not
# report are counted, but for the last. A page that was not in memory adds a wait.
waits_bpf() {
	local slept
	waits_target || return
	slept=$("$tool" waits --backend bpf --json "$out/waits.json" --html "$out/waits.html" --folded "$out/waits.folded" -- "$out/sleeper" 2> "$out/waits.txt") ||
		{ cat "$out/waits.txt"; return 1; }
	jq -e --argjson slept "$slept" '.backend == "bpf" and .skipped + .lost_tasks + .lost_stacks == 0 and
		(.tasks | length) == 1 and (.unseen | type) == "number" and .tasks[0].blocked.count + .unseen >= $slept - 1 and (.tasks[0] | .name == "sleeper" and
		(.stacks[0] | .blocked.count <= $slept and .blocked.count * 10 >= $slept * 9 and
			.blocked.total_ns >= .blocked.count * 9000000))' "$out/waits.json" > /dev/null ||
		{ echo "slept $slept"; jq -c '.tasks[] | [.name, .blocked, (.stacks[] | .blocked)]' "$out/waits.json"; return 1; }
	"$tool" report --label waits --html "$out/waits.again.html" "$out/waits.json" && cmp "$out/waits.html" "$out/waits.again.html" || return
	grep -q '^sleeper;.*;main;outer;inner;.*;hrtimer_nanosleep [0-9]*$' "$out/waits.folded" || { cat "$out/waits.folded"; return 1; }
	valid "$out/waits.json"
}

# A thread that waits from before the start to the end has no wait that ended: it is named all the same.
waits_blocked() {
	local pid status=0
	chrt -o 0 sleep "$mark" &
	pid=$!
	await grep -qF '(sleep) S ' /proc/$pid/stat
	"$tool" waits --backend bpf --pid $pid -d 500ms --json "$out/blocked.json" > "$out/blocked.txt" 2>&1 || status=1
	kill $pid
	wait $pid 2> /dev/null
	[ $status -eq 0 ] && grep -q "^blocked since before the start: sleep/$pid" "$out/blocked.txt" &&
		jq -e --argjson pid $pid '.tasks == [] and (.blocked | length == 1 and .[0].tid == $pid and .[0].comm == "sleep")' \
			"$out/blocked.json" > /dev/null && valid "$out/blocked.json" && return
	cat "$out/blocked.txt"
	return 1
}

# A program becomes another one, whose code is at the same addresses: $1 are options of gcc, the
# rest starts it. Each has its own names.
waits_becomes() {
	local options=$1 name
	shift
	cat > "$out/becomes.c" <<'END'
#include <time.h>
#include <unistd.h>
static void nap(int n)
{
	struct timespec ts = { .tv_nsec = 10000000 };

	while (n--)
		nanosleep(&ts, NULL);
}
#ifdef LATER
__attribute__((noinline)) int later_inner(int n) { nap(n); return n + 1; }
__attribute__((noinline)) int later(int n) { return later_inner(n) + 2; }
int main(void) { return later(10) != 13; }
#else
__attribute__((noinline)) int before(int n) { nap(n); return n + 1; }
int main(int n, char **arg) { return before(n + 30) && execv(arg[1], arg + 1); }
#endif
END
	for name in BEFORE LATER; do
		# shellcheck disable=SC2086
		gcc -O2 $options -D$name -o "$out/becomes-$name" "$out/becomes.c" || return
	done
	"$tool" waits --backend bpf --folded "$out/becomes.folded" -- "$@" "$out/becomes-BEFORE" "$out/becomes-LATER" 2> "$out/becomes.txt" || { cat "$out/becomes.txt"; return 1; }
	if ! grep -q ';main;before;' "$out/becomes.folded" || ! grep -q ';main;later;later_inner;' "$out/becomes.folded"; then
		cat "$out/becomes.folded" "$out/becomes.txt"
		return 1
	fi
}

# A library that is loaded after the first waits: its functions have names, and their callers.
waits_dlopen() {
	cat > "$out/later.c" <<'END'
#include <time.h>
__attribute__((noinline)) static int nap(int n)
{
	struct timespec ts = { .tv_nsec = 10000000 };

	nanosleep(&ts, NULL);
	return n + 1;
}
#ifdef LIBRARY
int later(int n) { return nap(n) + 2; }
#else
#include <dlfcn.h>
int main(int argc, char **argv)
{
	int i, n = 0, (*later)(int);
	void *library;

	for (i = 0; i < 20; i++)
		n = nap(n);
	library = dlopen(argv[1], RTLD_NOW);
	if (argc != 2 || !library)
		return 1;
	*(void **)&later = dlsym(library, "later");
	for (i = 0; i < 20; i++)
		n = later(n);
	return n != 80;
}
#endif
END
	gcc -O2 -fomit-frame-pointer -shared -fPIC -DLIBRARY -o "$out/later.so" "$out/later.c" &&
	gcc -O2 -fomit-frame-pointer -o "$out/loads-later" "$out/later.c" || return
	"$tool" waits --backend bpf --folded "$out/later.folded" -- "$out/loads-later" "$out/later.so" 2> "$out/later.txt" || { cat "$out/later.txt"; return 1; }
	if ! grep -q ';main;nap;' "$out/later.folded" || ! grep -q ';main;later;nap;' "$out/later.folded"; then
		cat "$out/later.folded" "$out/later.txt"
		return 1
	fi
}

# holds_programs PID
holds_programs() {
	grep -qs '^prog_id:' /proc/"$1"/fdinfo/*
}

# Nothing stays loaded, at the end or after SIGKILL. Programs go a moment after their owner.
waits_killed() {
	local before pid
	before=$(bpf_programs) || return
	"$tool" waits --backend bpf > /dev/null 2>&1 &
	pid=$!
	await ended_or $pid holds_programs $pid
	! gone $pid || { echo "it ended by itself"; return 1; }
	kill -KILL $pid
	wait $pid 2> /dev/null
	programs_go "$before"
}

# A user with CAP_BPF alone, as setpriv makes one.
perfmon_lacks=(--reuid 65534 --regid 65534 --clear-groups "--inh-caps=-all,+bpf"
	"--ambient-caps=-all,+bpf" "--bounding-set=-all,+bpf")

# One line says who cannot have it, and what it cannot do.
waits_refused() {
	exits 77 '--in-windows needs the module' "$tool" waits --backend bpf --in-windows -d 10ms &&
	exits 129 "cannot observe waits" "$tool" waits --backend posix -d 10ms &&
	exits 129 "two outputs write to $out/same: " "$tool" waits --backend bpf -d 10ms --json "$out/same" --html "$out/same" || return
	[ ! -e "$out/same" ] || { echo "$out/same was written"; return 1; }
	if as nobody true 2> /dev/null; then
		exits 77 'lacks CAP_BPF and CAP_PERFMON, which root has' as nobody "$tool" waits --backend bpf -d 10ms || return
	fi
	if setpriv "${perfmon_lacks[@]}" true 2> /dev/null; then
		exits 77 'BPF programs: lacks CAP_PERFMON' setpriv "${perfmon_lacks[@]}" "$tool" waits --backend bpf -d 10ms || return
	fi
	if unshare -p -f true 2> /dev/null; then
		exits 77 'initial pid namespace' unshare -p -f "$tool" waits --backend bpf -d 10ms || return
	fi
	[ -e /sys/class/misc/tlob ] || exits 77 'not installed' "$tool" waits --backend tlob -d 10ms
}

# What a user may not unwind is no process that has gone.
waits_barred() {
	local other ok=0
	(while :; do sleep 0.05; done) &
	other=$!
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all,+bpf,+perfmon,+syslog \
		--ambient-caps=-all,+bpf,+perfmon,+syslog "$tool" waits --backend bpf -d 2s > "$out/others.txt" 2> "$out/others.err" ||
		ok=1
	kill $other
	wait $other 2> /dev/null
	[ $ok -ne 0 ] || ! grep -q '^[0-9]* user stacks .* programs of other users need CAP_SYS_PTRACE$' "$out/others.txt" || return 0
	cat "$out/others.err" "$out/others.txt"
	return 1
}

# Where memory is limited libdw would end the tool, so it is not asked.
waits_limited() {
	if ! (ulimit -v 1000000; "$tool" waits --backend bpf -d 300ms) > "$out/limited.txt" 2> "$out/limited.err" ||
		! grep -q 'not unwound: .*ulimit -v unlimited' "$out/limited.err" ||
		! grep -q 'not unwound, because memory is limited' "$out/limited.txt"; then
		cat "$out/limited.err" "$out/limited.txt"
		return 1
	fi
}

# 500 threads of a pool, at eight depths, meet at a barrier again and again. What counts is the part
# of the time, so a thread that finds the barrier open changes nothing.
waits_crowd() {
	gcc -O2 -pthread -o "$out/pool" "$top/tests/vm/suites/waits-pool.c" || return 1
	"$tool" waits --backend bpf --json "$out/pool.json" -- "$out/pool" 500 30 2> "$out/pool.txt" || { cat "$out/pool.txt"; return 1; }
	jq -e '(.tasks | length) > 500 and ([.tasks[].stacks[]] |
		([.[] | select(.ends == "unread") | .blocked.total_ns] | add // 0) * 5 < ([.[].blocked.total_ns] | add))' \
		"$out/pool.json" > /dev/null || { head -c 300 "$out/pool.json"; cat "$out/pool.txt"; return 1; }
	grep -q '^pool (501)  ' "$out/pool.txt" || { cat "$out/pool.txt"; return 1; }
}

# More threads than the tool keeps, one after the other. The process says how often they slept.
waits_others() {
	local slept
	cat > "$out/mayfly.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
static void *nap(void *arg)
{
	struct timespec ts = { .tv_nsec = 1000 };

	nanosleep(&ts, NULL);
	return arg;
}
int main(void)
{
	pthread_t thread[8];
	struct rusage used;
	int n, i;

	for (n = 0; n < 72000; n += 8) {
		for (i = 0; i < 8; i++)
			pthread_create(&thread[i], NULL, nap, NULL);
		for (i = 0; i < 8; i++)
			pthread_join(thread[i], NULL);
	}
	getrusage(RUSAGE_SELF, &used);
	printf("%ld\n", used.ru_nvcsw);
	return 0;
}
END
	gcc -O2 -pthread -o "$out/mayfly" "$out/mayfly.c" || return 1
	slept=$("$tool" waits --backend bpf --threshold 1h --json "$out/mayfly.json" -- "$out/mayfly" 2> "$out/mayfly.txt") || { cat "$out/mayfly.txt"; return 1; }
	jq -e --argjson slept "$slept" '.evicted > 0 and .others.tasks == .evicted and .lost_tasks == 0 and
		.others.blocked.count >= .evicted and
		(([.tasks[].blocked.count] | add) + .others.blocked.count | . * 10 >= $slept * 9 and . <= $slept * 1.01 + 1)' \
		"$out/mayfly.json" > /dev/null ||
		{ echo "slept $slept"; jq -c '[.evicted, .others, ([.tasks[].blocked.count] | add)]' "$out/mayfly.json"; return 1; }
	grep -q '^others ([0-9]*) ' "$out/mayfly.txt" || { head -n 3 "$out/mayfly.txt"; return 1; }
	rm "$out/mayfly.json"
}

# Ten processes wait at one place: its debug file is read for one of them.
waits_shared() {
	local pids=() i opened
	cat > "$out/shared.c" <<'END'
#include <time.h>
__attribute__((noinline)) static void nap(void)
{
	struct timespec ts = { .tv_nsec = 5000000 };

	for (;;)
		nanosleep(&ts, NULL);
}
int main(void) { nap(); }
END
	gcc -g -O2 -o "$out/shared" "$out/shared.c" && objcopy --only-keep-debug "$out/shared" "$out/shared.debug" &&
		objcopy --strip-all --add-gnu-debuglink="$out/shared.debug" "$out/shared" || return
	for ((i = 0; i < 10; i++)); do
		"$out/shared" &
		pids+=($!)
	done
	strace -o "$out/shared.opens" -e trace=openat "$tool" waits --backend bpf --json "$out/shared.json" -d 1s \
		--pid "$(IFS=,; echo "${pids[*]}")" > "$out/shared.txt" 2>&1 || { cat "$out/shared.txt"; return 1; }
	kill "${pids[@]}"
	jq -e '[.tasks[] | select(any(.stacks[].frames[]; .name == "nap"))] | length > 5' "$out/shared.json" > /dev/null ||
		{ jq -c '.tasks[].stacks[0].frames | map(.name)' "$out/shared.json"; return 1; }
	opened=$(grep -c '/shared\.debug", .* = [0-9]' "$out/shared.opens")
	[ "$opened" -eq 1 ] || { echo "opened $opened times"; return 1; }
}

# What it has started ends with it, even if it is killed.
waits_command_ends() {
	"$tool" waits --backend bpf --json "$out/ends.json" -- sleep "$mark" > /dev/null 2>&1 &
	sleeps 1 || return
	kill -KILL $!
	none_left
}

check_waits() {
	local why
	if ! why=$("$tool" waits --backend bpf -d 10ms 2>&1); then
		skip waits_bpf "${why##*$'\n'}"
		return
	fi
	check waits_bpf waits_bpf
	check waits_blocked waits_blocked
	check waits_becomes_static waits_becomes "-static -no-pie"
	if setarch -R true 2> /dev/null; then
		check waits_becomes_dynamic waits_becomes -no-pie setarch -R
	else
		skip waits_becomes_dynamic "addresses cannot be the same"
	fi
	check waits_dlopen waits_dlopen
	unsanitized "ASan takes 20 TB of addresses" waits_limited waits_limited
	if setpriv "${perfmon_lacks[@]}" true 2> /dev/null; then
		check waits_barred waits_barred
	else
		skip waits_barred "setpriv gives no capabilities here"
	fi
	check waits_crowd waits_crowd
	check waits_others waits_others
	if has_strace; then
		check waits_shared waits_shared
	else
		skip waits_shared "no strace, or not permitted"
	fi
	check waits_killed waits_killed
	check waits_command_ends waits_command_ends
	check waits_refused waits_refused
}

check_waits
