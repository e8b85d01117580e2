# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What several parts of tests/cli/here use. A part is in $out, and has $top, check, skip, exits, await and
# fixture of tests/cli/lib.sh, $own, a folder that anybody may read, and $mark, a time to sleep that no other run has.
# shellcheck disable=SC2015,SC2034,SC2154

# shellcheck source=tests/cli/pages.sh
. "$top/tests/cli/pages.sh"

# the last CPU that this process may use
cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
# nobody cannot read this tree
install -m 755 "$tool" "$own" || exit
tool=$own/tlob-load

# as WHO COMMAND...: nobody cannot read this tree, so the tool is in $own.
as() {
	local who=$1
	shift
	case $who in
	self)   "$@" ;;
	nobody) (cd / && setpriv --reuid=65534 --regid=65534 --clear-groups "$@") ;;
	userns) (cd / && setpriv --reuid=65534 --regid=65534 --clear-groups unshare -Ur "$@") ;;
	esac
}

# with CAPABILITIES COMMAND...: nobody, with these and no others.
with() {
	local caps=-all$1
	shift
	(cd / && setpriv --reuid=65534 --regid=65534 --clear-groups "--inh-caps=$caps" "--ambient-caps=$caps" "--bounding-set=$caps" "$@")
}

# exits CODE PART COMMAND...: it ends with CODE, and PART is in the one line it says.
exits() {
	local code=$1 part=$2 said status=0
	shift 2
	said=$("$@" 2>&1 < /dev/null) || status=$?
	[ $status -eq "$code" ] || { echo "exit $status, not $code: $said"; return 1; }
	[[ $said == *"$part"* ]] || { echo "no '$part' in: $said"; return 1; }
	[ "$(wc -l <<< "$said")" -eq 1 ] || { echo "more than one line: $said"; return 1; }
}

sleeping() {
	[ "$(pgrep -cfx "sleep $mark")" -ge "$1" ]
}

# sleeps N: so many processes `sleep $mark` run, at least.
sleeps() {
	await sleeping "$1"
}

# none_left: no `sleep $mark` runs, or those that were killed go.
none_left() {
	await no pgrep -fx "sleep $mark" > /dev/null
}

# gone PID: it is no process, or a dead one.
gone() {
	[[ $(sed -nE 's/^State:\t(.).*/\1/p' "/proc/$1/status" 2> /dev/null) == [ZX]* || ! -e /proc/$1 ]]
}

# Every CPU has its windows; more expiries than the time has room for cannot be. A thread
# that comes to its sleep after the expiry does not sleep; its response was longer than a period.
counts() {
	jq -e --argjson n "$2" '.backend == "posix" and .noise_source == "none" and .all.lost == 0 and
		(.period_ns as $p | .duration_ns as $d | all(.cpu[];
			.windows == $n and .sum_failures == 0 and (.unavailable | length) == 15 and
			.unaccounted == 0 and .due == .startup + .windows + .missed + .warm_up + .warm_up_missed and
			.due - .startup <= $d / $p + 1 and
			.hist.irq.n == 0 and (.hist | keys | length) == 3 and
			.os.voluntary_switches >= 0.9 * ($n - .violations) and .overhead_ns > 0))' "$1" > /dev/null ||
		{ jq -c '[.backend, .duration_ns, (.cpu[] | [.windows, .missed, .os])]' "$1"; return 1; }
}

# switches PID: how often each of its measuring threads, which are named tlob/, has slept, a line each.
switches() {
	local task
	for task in /proc/"$1"/task/*; do
		[[ $(cat "$task/comm") != tlob/* ]] || sed -n 's/^voluntary_ctxt_switches:\t//p' "$task/status"
	done 2> /dev/null
}

slept() {
	local each
	each=$(switches "$1") && [ -n "$each" ] && [ "$(sort -n <<< "$each" | head -n 1)" -ge "$2" ]
}

# threads PID [N]: each of its threads has slept N times, so it measures: once in each window.
threads() {
	await ended_or "$1" slept "$1" "${2-20}" && ! gone "$1" || { echo "it ended"; return 1; }
}

# ended_or PID COMMAND...
ended_or() {
	local pid=$1
	shift
	gone "$pid" || "$@"
}

# background ARG...: a run with its pid in $pid. Not in $(...): it must be waited for.
background() {
	"$tool" run --backend posix -w none "$@" > "$out/bg.out" 2> "$out/bg.err" &
	pid=$!
	threads $pid
}

# until_is FILTER FILE PID: the process replaces the file, and ends only after that.
until_is() {
	until jq -e "$1" "$2" > /dev/null 2>&1; do
		kill -0 "$3" 2> /dev/null || { echo "it ended before $1"; return 1; }
		sleep 0.1
	done
}

# until_said N PART: the run of background has so many such lines, and goes on.
until_said() {
	until [ "$(grep -cF -- "$2" "$out/bg.err")" -ge "$1" ]; do
		kill -0 "$pid" || { echo "it ended before $1 '$2': $(cat "$out/bg.err")"; return 1; }
		sleep 0.1
	done
}

# untraced: this run's trace instance is gone; those of others go.
untraced() {
	await no compgen -G '/sys/kernel/tracing/instances/tlob-load.*' > /dev/null
}

has_bpf() {
	bpf_lacks=$("$tool" run --backend bpf -n 1 -w none -q 2>&1)
}

# Where it traces a program, LeakSanitizer cannot.
strace() {
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 command strace "$@"
}

has_strace() {
	strace -o /dev/null true 2> /dev/null
}

can_mount() {
	unshare -m mount -t tmpfs none /sys 2> /dev/null
}

# Root of a container has uid 0, and of the capabilities those that it was given. It changes
# no setting, and takes priority and locked memory as far as they are permitted.
container() {
	local bounding=$1
	shift
	prlimit --memlock=65536 -- setpriv --bounding-set="-all$bounding" --inh-caps=-all "$@"
}

# bpf_programs: the number of each BPF program that the kernel has, a line each; fails where they may not be listed.
bpf_programs() {
	python3 -c '
import ctypes, platform, struct, sys
bpf = {"x86_64": 321, "aarch64": 280}[platform.machine()]
libc = ctypes.CDLL(None, use_errno=True)
last = 0
while True:
    attr = ctypes.create_string_buffer(struct.pack("IIII", last, 0, 0, 0))
    if libc.syscall(bpf, 11, attr, 16):	# BPF_PROG_GET_NEXT_ID
        sys.exit(ctypes.get_errno() != 2)
    last = struct.unpack_from("II", attr)[1]
    print(last)'
}

# programs_gone ID...: the kernel has none of them, but such as some process here holds: those are another one's.
programs_gone() {
	local id now
	now=$(bpf_programs) || return
	for id; do
		! grep -qx "$id" <<< "$now" || grep -qsx "prog_id:	$id" /proc/[0-9]*/fdinfo/* || return
	done
}

# programs_go BEFORE: what was loaded since then by nothing that still runs. The kernel frees programs after a grace period.
programs_go() {
	local new
	new=$(comm -13 <(sort <<< "$1") <(bpf_programs | sort)) || return
	# shellcheck disable=SC2086 # a list
	await programs_gone $new
}

# doctor WHO TOOL ARG...: its exit status is in $status; 0, 1 and 2 are outcomes.
doctor() {
	local who=$1
	shift
	status=0
	as "$who" "$@" > "$out/doctor.out" 2> "$out/doctor.err" || status=$?
	if [ "$status" -gt 2 ] || [ -s "$out/doctor.err" ]; then
		echo "exit $status"
		cat "$out/doctor.err"
		return 1
	fi
}
