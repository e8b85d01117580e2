# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What tests/vm/run and tests/vm/debug share: guests that print TAP, several at a
# time, and the report of what became of them. Sets top and out.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$top/build/vm-tests
# "PART GUEST USER SYSTEM" for each guest of a suite, seconds of CPU time. Several runs may go on.
spent=${TLOB_SPENT:-$out/spent.$$}
export TLOB_SPENT=$spent
# shellcheck source=scripts/lib.sh
. "$top/scripts/lib.sh"
passed=0 failed=0 skipped=0
splat='WARNING:|BUG:|BUG |Oops|scheduling while atomic|sleeping function called|rcu.*(stall|self-detected)|Call Trace|general protection|soft lockup|hung_task|blocked for more than|UBSAN:|INFO: trying to register|turning off the locking'

# one_kernel [ARG]...: the command line of a suite; sets kernel.
one_kernel() {
	case ${1-} in
	-h|--help)  usage; exit 0 ;;
	''|-*)      misused "no KERNEL" ;;
	esac
	[ $# -eq 1 ] || misused "one KERNEL at a time"
	kernel=$1
}

# A suite that prints TAP by these ends with finish. prefix is in front of each name.
number=0 prefix=

# result WHAT CONDITION...: what it prints says why.
result() {
	local what=$1
	shift
	number=$((number + 1))
	if "$@"; then
		echo "ok $number - $prefix$what"
	else
		echo "not ok $number - $prefix$what"
		failed=$((failed + 1))
	fi
}

# check WHAT COMMAND...: the same, but what it prints is shown only if it fails.
check() {
	local what=$1 said status=0
	shift
	said=$("$@" 2>&1) || status=$?
	[ $status -eq 0 ] || head -n 20 <<< "$said" | sed 's/^/# /'
	result "$what" test $status -eq 0
}

# fits FILE...: each has the schema of its format.
fits() {
	local said
	said=$("$top/tests/schema" "$@" 2>&1) || { head -n 20 <<< "$said" | sed 's/^/# /'; return 1; }
}

# skip WHAT WHY
skip() {
	number=$((number + 1))
	echo "ok $number - $prefix$1 # SKIP $2"
}

# told FILE N: results that a guest printed, N lines "pass NAME" and "fail NAME".
told() {
	local verdict of
	while read -r verdict of; do
		case $verdict in
		\#)	 echo "# $of" ;;
		pass|fail) result "$of" test "$verdict" = pass ;;
		esac
	done < "$1"
	result "all_$2" test "$(grep -cE '^(pass|fail) ' "$1")" = "$2"
}

# finish: the plan. Fails if a test did.
finish() {
	echo "1..$number"
	[ $failed -eq 0 ]
}

# has_modules KERNEL: the modules of the tests are built for it.
has_modules() {
	[ -e "$top/build/modules/$1/tests/modules/inject/tlob_inject.ko" ]
}

# option KERNEL NAME: CONFIG_NAME of a kernel, y, m or nothing.
option() {
	sed -n "s/^CONFIG_$2=//p" "$top/build/kernels/$1/headers/include/config/auto.conf"
}

# is_built KERNEL: scripts/build-kernel builds it; no distribution has it.
is_built() {
	"$top/scripts/build-kernel" --list | grep -qxF -- "$1"
}

# programs_of KERNEL: the directory of the programs that run in its guests.
programs_of() {
	case $(arch_of "$1") in
	arm64)  echo "$top/build/arm64/vm-tests" ;;
	*)      echo "$out" ;;
	esac
}

# libtlob_of KERNEL: the directory of the library.
libtlob_of() {
	case $(arch_of "$1") in
	arm64)  echo "$top/build/arm64/libtlob" ;;
	*)      echo "$top/build/libtlob" ;;
	esac
}

# built_for KERNEL COMMAND...: with the compiler and the libraries of its architecture.
built_for() {
	case $(arch_of "$1") in
	arm64)  "$top/scripts/cross" arm64 "${@:2}" ;;
	*)      "${@:2}" ;;
	esac
}

# replayed FILE [BYTES]: what a terminal of 80x24 shows after a recording, or its first BYTES.
# Each has its own server: one that ends would disturb the next one.
replayed() {
	local i server=tlob-vm.$$.${2:-whole}
	tmux -f /dev/null -L "$server" new-session -d -x 80 -y 24 \
		"stty -opost; head -c ${2:-$(wc -c < "$1")} '$1'; printf '\033]2;played\007'; exec sleep 600" || return
	for ((i = 0; i < 300; i++)); do
		[ "$(tmux -L "$server" display-message -p '#{pane_title}')" != played ] || break
		sleep 0.2
	done
	tmux -L "$server" capture-pane -p
	tmux -L "$server" kill-server
}

# compiled_for KERNEL ARG...: by that compiler. No folder's name is in what it makes: see --pad of
# scripts/vm.
compiled_for() {
	# shellcheck disable=SC2016 # in that environment
	built_for "$1" sh -c 'exec ${CC:-gcc} "$@"' sh -O2 -Wall -Wextra -Werror "-ffile-prefix-map=$top=." "${@:2}"
}

# build_programs ARCH: those that run in its guests, the tool and the library.
build_programs() {
	"$top/scripts/build-tool" "$1" && built_for "-$1" make -s -C "$top/tests/vm" out="$(programs_of "-$1")"
}

# prepare KERNEL: fetches or builds it, and builds the modules for it, if they are for such a kernel.
prepare() {
	local kernel=$1 version dir dirs=(kernel tests/modules/inject)
	version=$("$top/scripts/fetch-kernel" "$kernel") || exit 1
	echo "$kernel: Linux ${version##*$'\n'}"
	[[ $kernel != 5.10* ]] || return 0
	if [ "$(option "$kernel" TLOB_LOAD)" = y ]; then
		dirs=(tests/modules/inject)
		echo "    tlob_load is built in: no test loads or unloads it"
	fi
	for dir in "${dirs[@]}"; do
		"$top/scripts/build-module" "$kernel" "$top/$dir" > "$out/build.$kernel.log" 2>&1 || { cat "$out/build.$kernel.log"; exit 1; }
	done
}

# vm GUEST ARG...: scripts/vm ARG..., with its CPU time in the table at the end.
vm() {
	local TIMEFORMAT="${guests_of:-$kernel.${0##*/}} $1 %U %S"
	shift
	{ time "$top/scripts/vm" "$@" 2>&3; } 3>&2 2>> "$spent"
}

# start NAME COMMAND...: in the background, at most so many at a time. Leaves
# $out/NAME.tap, .err, .status, .seconds, and .cpu: seconds of CPU time.
names=() running=0 lanes=${LANES:-3}
start() {
	local name=$1
	shift
	names+=("$name")
	rm -f "$out/$name".{tap,err,status,seconds,cpu,dmesg}
	[ $running -lt "$lanes" ] || { wait -n; running=$((running - 1)); }
	(
		status=0 began=$SECONDS
		export guests_of=$name
		TIMEFORMAT='%U %S'
		{ time "$@" >> "$out/$name.tap" 2> "$out/$name.err" < /dev/null || status=$?; } 2> "$out/$name.cpu"
		echo $status > "$out/$name.status"
		echo $((SECONDS - began)) > "$out/$name.seconds"
	) &
	running=$((running + 1))
}

# clocked NAME COMMAND...: a guest, and again if its clock was wrong. On a busy host the
# kernel may calibrate the TSC wrongly against QEMU's PIT: the guest's time then runs
# ten times too fast, and every time-out comes early. And once again if it died by QEMU's own
# defect, which scripts/vm recognises.
clocked() {
	local name=$1 status died=no
	shift
	for _ in 1 2 3; do
		status=0
		: > "$out/$name.tap"
		"$@" || status=$?
		if grep -qs 'PIT calibration deviates' "$out/$name.dmesg"; then
			echo "the guest's clock was wrong: once more" >&2
		elif [ $status -eq 125 ] && [ $died = no ] && grep -qs 'a known defect of QEMU' "$out/$name.err"; then
			echo "QEMU's own defect: once more" >&2
			died=yes
		else
			break
		fi
	done
	return $status
}

# Seconds for a guest. On two idle CPUs the longest takes three minutes; under a load of
# ten, five to ten times that. A test that waits in vain does so for ten minutes.
patience=3600

# Options of a guest that come before its own modules.
first=()

# guest NAME KERNEL OPTIONS... -- COMMAND...: TAP from one guest.
guest() {
	local name=$1 kernel=$2 modules=("${first[@]}") programs
	programs=$(programs_of "$kernel")
	shift 2
	[ "$(option "$kernel" TLOB_LOAD)" = y ] ||
		modules+=(--module "$top/build/modules/$kernel/kernel/tlob_load.ko")
	start "$name" clocked "$name" "$top/scripts/vm" "$kernel" --timeout "$patience" --dmesg "$out/$name.dmesg" --file "$programs/tlob-test" \
		--file "$programs/tlob-target" --file "$programs/tlob-32bit" \
		"${modules[@]}" --module "$top/build/modules/$kernel/tests/modules/inject/tlob_inject.ko" "$@"
}

# together NAME KERNEL OPTIONS... -- SUITE COMMAND... [++ SUITE COMMAND...]...: suites of
# tests in one guest, one after the other. Each has a report of its own, as if it had
# been started as KERNEL.SUITE; the guest's is of its end and its kernel log.
declare -A suites=()
together() {
	local name=$1 kernel=$2 options=() arg next=yes
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	for arg; do
		if [ $next = yes ]; then
			suites[$name]+="$kernel.$arg "
			rm -f "$out/$kernel.$arg".{tap,err,status,seconds,cpu,dmesg}
		fi
		next=no
		[ "$arg" != ++ ] || next=yes
	done
	guest "$name" "$kernel" "${options[@]}" --file "$top/tests/vm/suites/several-guest.sh:/several.sh" \
		-- "${wrap[@]}" sh /several.sh "$@"
}
# what runs a guest's command there
wrap=()

# take_apart NAME: what several-guest.sh printed there, into the files of each suite. One
# that the guest did not come to has an empty file, and no status.
take_apart() {
	local suite
	for suite in ${suites[$1]}; do
		: > "$out/$suite.tap"
	done
	awk -v prefix="$out/${1%.*}." '
		/^@@ [^ ]+ begins$/ { file = prefix $2 ".tap"; next }
		/^@@ [^ ]+ ends [0-9]+$/ { print $4 > (prefix $2 ".status"); file = ""; next }
		file { print >> file }' "$out/$1.tap"
}

# verdict WHAT CONDITION...: one more test, of the guest as a whole.
verdict() {
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "    not ok - $what"
	fi
}

# without_others_races FILE: a kernel log without the data races in which no function of
# this module takes part: KCSAN finds some of the kernel's own in every guest. A function
# takes part if it makes one of the two accesses, by itself or by a helper that works on
# its caller's data. One that only calls the kernel, which then races with itself, does
# not. Our reading of the clock meets one: ktime_get_mono_fast_ns() reads a latch while it
# is written, and then reads again. And tlob_word_try() locks a page by the kernel's inline
# function, with an atomic access, while gup_put_folio() reads the page's node from the same
# word, plainly: those bits never change. A report stands between two lines of 66 "=", as those
# of KASAN do.
without_others_races() {
	awk '
		{ line = FNR ": " $0 "\n" }
		index($0, "==================================================================") {
			inside = !inside
			if (!inside && (mine || !race))
				printf "%s", text
			text = race = mine = latch = access = ""
			next
		}
		!inside { printf "%s", line; next }
		{ text = text line }
		/BUG: KCSAN/ {
			race = 1
			latch = /ktime_get_mono_fast_ns/ && /timekeeping_update/
			lock = /data-race in gup_put_folio \/ tlob_word_try( |$)/
			mine = !latch && !lock && /data-race in .*tlob_/
			next
		}
		/(read|write)[^,]* to 0x/ { access = 1; marked = /\(marked/; next }
		access && /tlob_.*\+0x/ && !latch && !(lock && marked) { mine = 1 }
		# a helper: the next frame is asked
		access && !/ _*(mem|str|copy|rb|list|hlist|llist|refcount|raw|kasan|tsan)[a-z_]*[0-9]*\+0x/ { access = 0 }
		END { printf "%s", text }' "$1"
}

# Where a warning came from is "at FILE:LINE FUNCTION", in 7.x "FILE:LINE at FUNCTION".
# without_warning PLACE FRAME: stdin without warnings of the kernel's own at PLACE, with FRAME
# on the stack; both are regular expressions. No function of this module may be on it.
without_warning() {
	awk -v place="$1" -v frame="$2" '
		/-\[ cut here \]-/ { inside = 1 }
		!inside { print; next }
		{ text = text $0 "\n" }
		/WARNING:/ { at = $0; sub(/ at /, " ", at); other = other || at !~ place }
		/BUG|Oops|UBSAN|KASAN|KCSAN|ODEBUG|INFO:|\[tlob_load\]|turning off the locking/ { other = 1 }
		$0 ~ frame { found = 1 }
		/--\[ end trace / {
			if (other || !found)
				printf "%s", text
			other = found = text = inside = ""
		}
		END { printf "%s", text }'
}

# without_fair_server: those of the scheduler of 6.12 and later. Each run queue has a fair
# server there, a deadline entity. When a CPU goes offline, its bandwidth may be taken from
# a run queue that does not have it.
without_fair_server() {
	without_warning ' kernel/sched/deadline[.]c:[0-9]+ inactive_task_timer[+]' inactive_task_timer
}

# without_killed_mkdir: those about a process that is killed while it makes an instance of the
# tracing directory: the kernel gives its ring buffer no pages then, warns, and removes what
# there was.
without_killed_mkdir() {
	without_warning ' kernel/trace/ring_buffer[.]c:[0-9]+ trace_rb_cpu_prepare[+]' ' instance_mkdir[+]'
}

# without_last_put: those of PREEMPT_RT before 6.17. A task that waits for a spinning lock
# drops the last reference to the lock's owner, and frees it with another such lock (fixed by
# "sched: Do not call __put_task_struct() on rt if pi_blocked_on is set").
without_last_put() {
	without_warning ' kernel/locking/spinlock_rt[.]c:[0-9]+ rt_spin_lock[+]' ' (rtlock|rt_mutex)_slowlock[a-z_.]*[+]'
}

# without_lost_affinity: those of the scheduler, on PREEMPT_RT mostly. A task may not migrate
# while it holds a spinning lock. When its CPU goes offline meanwhile, the kernel widens its
# mask without a request to move it, and migrate_enable() warns that it finds none.
without_lost_affinity() {
	without_warning ' kernel/sched/core[.]c:[0-9]+ affine_move_task[+]' ' migrate_enable[+]'
}

# without_kept_call: those of fprobe on the function graph, from 6.14 on. The kernel marks each
# hooked call with bit 0, which is also the first of 16 indices of users. A call that sleeps until
# fprobe has come and gone so often that it gets this index returns to it without data. Events
# of fprobe in tracefs, switched off and on 16 times, give the same without this module.
without_kept_call() {
	without_warning ' kernel/trace/fprobe[.]c:[0-9]+ fprobe_return[+]' ' ftrace_return_to_handler[+]'
}

# without_debugfs_race: stdin without the warnings of a race that debugfs has with every
# module's unload. delete_module() drops the last reference, and then marks the module as
# going. An open between the two finds neither, and debugfs takes that for files left
# behind. Such a report lists the module as going, tlob_load(O-); with files left
# behind it would be gone. Reports of two CPUs may be mixed: then each must be one.
without_debugfs_race() {
	awk '
		/-\[ cut here \]-/ { depth++ }
		!depth { print; next }
		{ text = text $0 "\n" }
		/WARNING:/ && !/ fs\/debugfs\/file\.c:[0-9]+ (at )?(open|full)_proxy_open\+/ { other = 1 }
		/BUG|Oops|UBSAN|KASAN|KCSAN|ODEBUG|INFO:|turning off the locking/ { other = 1 }
		/WARNING:/ { warnings++ }
		/ tlob_load\([A-Z]*-\)/ { going++ }
		/--\[ end trace / && !--depth {
			if (other || going < warnings)
				printf "%s", text
			text = other = warnings = going = ""
		}
		END { printf "%s", text }'
}

# Where allocations fail on purpose, some callers print a stack, and the kernel's own
# event code warns: only the rest counts there.
clean_log() {
	local hits wanted=$splat
	case $1 in
	*.fault.dmesg) wanted='WARNING: (?=.* at )(?!.*\bkernel/trace/trace_events\.c)|BUG:|BUG |Oops|WARNING: (possible|suspicious)|KASAN|UBSAN:|general protection|turning off the locking|memory leaks' ;;
	esac
	hits=$(without_others_races "$1" | without_debugfs_race | without_fair_server | without_killed_mkdir |
		without_last_put | without_lost_affinity | without_kept_call | grep -P "$wanted")
	[ -z "$hits" ] || { echo "$hits" | head -n 20 | sed 's/^/    /'; return 1; }
	[ -s "$1" ] || { echo "    $1 is empty"; return 1; }
}

# tally NAME: add its TAP to the totals and show what matters.
tally() {
	local name=$1 tap=$out/$1.tap ok not skip took=
	[ ! -e "$out/$name.seconds" ] || took=" ($(took "$name"))"
	ok=$(grep -cE '^ok ' "$tap")
	skip=$(grep -cE '^ok .* # SKIP' "$tap")
	not=$(grep -cE '^not ok ' "$tap")
	echo "$name: $((ok - skip)) passed, $not failed, $skip skipped$took"
	grep -vE '^(TAP version|1\.\.|ok [0-9]+ - [^#]*$)' "$tap" | sed 's/^/    /'
	passed=$((passed + ok - skip)) skipped=$((skipped + skip)) failed=$((failed + not))
	# a guest that died in the middle has no plan
	verdict "$name has its plan" grep -qE '^1\.\.[1-9]' "$tap"
}

# took NAME: so much time.
took() {
	echo "$(cat "$out/$1.seconds" 2>/dev/null) s, $(awk '{ sum = $1 + $2 } END { printf "%.0f", sum }' "$out/$1.cpu" 2>/dev/null) s of CPU time"
}

# report NAME: what has become of it, and of its suites.
report() {
	local name=$1 suite status
	if [ -n "${suites[$name]-}" ]; then
		take_apart "$name"
		for suite in ${suites[$name]}; do
			tally "$suite"
			verdict "$suite has ended" test -s "$out/$suite.status"
		done
		echo "$name: the guest of the $(wc -w <<< "${suites[$name]}") suites above ($(took "$name"))"
	else
		tally "$name"
	fi
	status=$(cat "$out/$name.status" 2>/dev/null || echo none)
	verdict "$name ends with 0 or 1, not $status" [ "$status" = 0 -o "$status" = 1 ]
	[ ! -e "$out/$name.dmesg" ] || verdict "$name has a clean kernel log" clean_log "$out/$name.dmesg"
	[ "$status" = 0 ] || [ "$status" = 1 ] || sed 's/^/    /' "$out/$name.err"
}

# cpu_table: "PART SECONDS" for all that was started, with the guests of each part.
cpu_table() {
	local name
	for name in "${names[@]}"; do
		sed "s/^/$name - /" "$out/$name.cpu"
	done | cat - "$spent" | awk '
		BEGIN { printf "%-28s %s\n", "part", "CPU seconds" }
		$2 == "-" { n[$1] += $3 + $4; all += $3 + $4; next }
		{ guests[$1] = guests[$1] sprintf(" %s %.0f", $2, $3 + $4) }
		END {
			for (name in n)
				printf "%-28s %11.0f %s\n", name, n[name], guests[name] | "sort -k 2nr"
			close("sort -k 2nr")
			printf "%-28s %11.0f\n", "all", all
		}'
}

# summary: of all that was started. Fails if a test did.
summary() {
	cpu_table
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ] && [ $passed -gt 0 ]
}
