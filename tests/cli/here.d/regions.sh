# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Regions of programs by BPF. Part of tests/cli/here, which has $top, $out and $tool.
# shellcheck disable=SC2015,SC2154

make_target() {
	local source=$top/tests/vm/suites/tool.d/attach-target.c
	gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -pthread -o "$out/target" "$source" &&
	gcc -O2 -D_GNU_SOURCE -pthread -static -o "$out/target.static" "$source" &&
	gcc -O2 -D_GNU_SOURCE -pthread -static-pie -o "$out/target.static-pie" "$source" &&
	{ ! command -v musl-gcc > /dev/null || musl-gcc -O2 -D_GNU_SOURCE -pthread -o "$out/target.musl" "$source"; }
}

# region CODE NAME OPTION... -- MODE...: attach ends with CODE. Leaves NAME.json, .windows and .txt. The
# program is target, or $program.
region() {
	local code=$1 status=0
	fixture target || return
	file=$out/regions.$2
	shift 2
	"$tool" attach --backend bpf "${program-$out/target}" --start region_start --stop region_end -q \
		--json "$file.json" --windows "$file.windows" "$@" > "$file.own" 2> "$file.txt" || status=$?
	[ $status -eq "$code" ] || { echo "exit $status, not $code"; cat "$file.txt"; return 1; }
	! [ -s "$file.json" ] || valid "$file.json"
}

# has FILTER: of the result. .seen is the windows with those that were not measured, as where a kernel hid a switch.
has() {
	jq -e ".all as \$all | \$all | .seen = .windows + (.unmeasured // 0) | $1" "$file.json" > /dev/null ||
		{ echo "not $1"; jq -c '.all | del(.hist, .quantiles, .os)' "$file.json"; return 1; }
}

# says PART: in its first lines.
says() {
	tr -s ' \n' ' ' < "$file.txt" | grep -qF -- "$1" || { echo "no '$1' in:"; cat "$file.txt"; return 1; }
}

# Each pass of the program has one window, which lies inside of it by the program's own clock. Parts add up
# to the ns. Interrupts and switches are in them: little is inexact.
regions_exact() {
	region 0 clock -b 100s -- clock 3000 || return
	has '.seen == 6000 and .lost == 0 and .sum_failures == 0 and .starts == 6000 and
		(.inexact + (.unmeasured // 0)) * 100 < .windows' &&
	"$top/tests/vm/suites/bpf-regions.py" "$file"
}

# A call inside of a window is a part of it, and ends nothing.
regions_recursive() {
	region 0 recursive -b 100s --assert 'windows==20' --assert 'min(response)>=5ms' -- recursive 20 5 || return
	has '.seen == 20 and .nested == 60 and .starts == 80 and (.left // 0) == 0' && says 'OK: 20 windows'
}

# What longjmp() has left is no window: the next start begins anew, and nothing can be asserted.
regions_left() {
	region 3 left -b 100s --assert 'violations==0' -- leave 30 || return
	has '.seen == 20 and .left == 10 and .nested == 10' &&
	says 'UNDECIDED 1 assertion: 20 windows within' && says 'but windows left before their stop: 10' || return
	# one that was over its budget before it was known to be left is no violation
	region 0 late -b 100ms -- leave 3 500 || return
	has '.seen == 2 and .left == 1 and .missed == 0 and .open == null' || return
	region 0 again -b 100s -- nested 5 || return
	has '.seen == 1 and .left == 4 and .nested == null'
}

# A region that ends on another thread is none: neither its start nor its stop has the other.
regions_of_two_threads() {
	region 3 two -b 100s --assert 'violations==0' -- hand_over 20 || return
	[ ! -s "$file.windows" ] || [ "$(wc -l < "$file.windows")" -le 2 ] || { cat "$file.windows"; return 1; }
	has '.left == 19 and .unmatched == 20' && says 'windows left before their stop: 19, stops without a start: 20'
}

# An exec ends the windows of its process, and those of the new program have their own. The exec of
# another thread, which gets the first one's tid, ends the first one's as well.
regions_exec() {
	region 0 exec -b 100s --assert 'windows==5' -- exec 5 1 || return
	has '.seen == 5 and .cut == 1 and .starts == 6' || return
	region 0 exec_thread -b 100s --assert 'windows==5' -- exec_thread 5 1 || return
	has '.seen == 5 and .cut == 2 and .starts == 7'
}

# A process that exits or is killed in its region: that window is cut, and missed if it was over.
regions_cut() {
	region 0 cut -b 1ms -- exit 30 || return
	has '.windows == 0 and .cut == 1 and .missed == 1' && says 'cut off' || return
	region 0 killed -b 100s -d 1s -- hang || return
	has '.windows == 0 and .cut == 1 and .missed == 0'
}

# Other processes with the same file are counted, or with --all are watched like the first.
regions_fork() {
	region 0 fork -b 100s -- fork 5 1 || return
	has '.seen == 5 and .others == 5 and .starts == 10' &&
	says 'windows of 1 other process that executes the file: 5' || return
	region 0 all -b 100s --all -- fork 5 1 || return
	has '.seen == 10 and (.others // 0) == 0'
}

# Threads come and go, more of them than there are slots.
regions_of_many_threads() {
	region 0 spawn -b 100s -- spawn 3000 0 || return
	has '.starts == 3000 and .lost == 0 and .windows > 1024' || return
	echo "# $(jq -r '"\(.all.windows) threads, \(.all.no_slot // 0) without a slot, in \(.duration_ns / 1e6 | floor) ms"' "$file.json")" >&3
}

# As fast as a program can: what the ring had no room for is counted.
regions_many() {
	region 0 many -b 100s -- spin 100000 0 || return
	has '.seen + .lost == 100000 and .starts == 100000 and .sum_failures == 0' || return
	echo "# $(jq -r '"\(.all.windows) windows, \(.all.lost) lost, in \(.duration_ns / 1e6 | floor) ms"' "$file.json")" >&3
}

# However the program is linked, with a library, and at each location of a static probe.
regions_files() {
	local program linked
	for linked in static static-pie musl; do
		program=$out/target.$linked
		[ $linked != musl ] || [ -e "$program" ] || { echo "# no musl-gcc" >&3; continue; }
		region 0 $linked -b 100s -- threads 5 1 && has '.seen == 10 and .lost == 0' || { echo "$linked"; return 1; }
	done
	program=$out/target
	region 0 library -b 100s -l "$(ldd "$program" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')" --start usleep --stop getppid \
		-- libc 5 1 && has '.seen == 5' || return
	region 0 probes -b 100s --start target:begin --stop target:end -- probes 9 1 && has '.seen == 9' &&
	says 'target:begin' && says 'and 1 more'
}

# attached OPTION...: to the process $pid, until it has windows, and then it is interrupted.
attached() {
	local attach status=0
	file=$out/regions.running
	"$tool" attach --backend bpf -p "$pid" --start region_start --stop region_end -b 100s --progress 100ms --json "$file.json" \
		"$@" > "$file.txt" 2>&1 &
	attach=$!
	await ended_or $attach grep -qE ' [1-9][0-9]* windows' "$file.txt"
	kill -INT $attach
	wait $attach || status=$?
	[ $status -eq 0 ] || { echo "exit $status"; cat "$file.txt"; return 1; }
}

# A running process, whose file is gone, or in a mount namespace of its own. A thread that was inside as it
# began has a stop more than starts, and at the end it may be inside again: that says nothing.
regions_running() {
	local status=0
	fixture target || return
	cp "$out/target" "$out/gone"
	"$out/gone" forever 30 > "$out/gone.own" &
	pid=$!
	await grep -q region "$out/gone.own"
	rm "$out/gone"
	attached --assert 'windows>0' && has '.windows > 0 and .unmatched == null and .left == null' || status=1
	kill -KILL $pid
	wait $pid 2> /dev/null
	[ $status -eq 0 ] && can_mount || return $status
	# shellcheck disable=SC2016
	unshare -m sh -c 'mkdir -p "$1/inside" && mount -t tmpfs none "$1/inside" && cp "$1/target" "$1/inside" &&
		exec "$1/inside/target" forever 30' sh "$out" > "$out/inside.own" &
	pid=$!
	await grep -q region "$out/inside.own"
	attached && has '.windows > 0' || status=1
	kill -KILL $pid
	wait $pid 2> /dev/null
	return $status
}

# A violation is known before the region ends, with what the thread does then.
regions_open() {
	local attach
	fixture target || return
	file=$out/regions.open
	"$tool" attach --backend bpf "$out/target" --start region_start --stop region_end -b 10ms --json "$file.json" -- hang \
		> "$file.own" 2> "$file.txt" &
	attach=$!
	await ended_or $attach grep -q 'still open; .*until then: sleep ' "$file.txt"
	kill -INT $attach
	wait $attach || { cat "$file.txt"; return 1; }
	has '.missed == 1 and .cut == 1' && jq -e '.worst[0] | .parts["work.sleep"] * 10 > .response_ns * 9' "$file.json" > /dev/null
}

# Where a breakpoint takes CAP_SYS_ADMIN, what lacks it is said.
regions_of_nobody() {
	local status=0
	fixture target || return
	install -m 755 "$out/target" "$own" || return
	set -- "$tool" attach --backend bpf "$own/target" --start region_start --stop region_end -b 1s -q --assert 'windows==3' -- sleep 3 1
	with ,+bpf,+perfmon,+syslog "$@" > "$out/nobody" 2>&1 || status=$?
	[ $status -eq 0 ] || grep -q 'permission denied: run as root, or with CAP_SYS_ADMIN' "$out/nobody" ||
		{ cat "$out/nobody"; return 1; }
	with ,+sys_admin,+syslog "$@"
}

# The longest wait of a window has its stack.
regions_waits() {
	region 0 waits -b 1ms --waits -- lock 20 10 || return
	jq -e '.waits and ([.worst[] | .wait | select(.) | [.frames[]?.name]] |
		(map(select(any(.[]; . == "futex_lock_pi") and any(.[]; . == "main"))) | length) * 2 > length)' "$file.json" > /dev/null ||
		{ jq -c '.worst[] | [.parts["work.sleep"], .wait]' "$file.json"; return 1; }
}

make_keys() {
	gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -pthread -o "$out/keys" "$top/tests/cli/here.d/keys.c"
}

# keyed CODE NAME OPTION... -- MODE...: the same, of requests.
keyed() {
	local program=$out/keys
	fixture keys || return
	region "$1" "keys.$2" --start request_begins --stop request_ends "${@:3}"
}

# A request begins on one thread and ends on another. Its key is an argument, a register, or what a function returns.
regions_of_keys() {
	local key
	for key in arg1 arg2 goroutine; do
		keyed 0 "$key" -b 100s --key "$key" --assert 'windows>=30' --inexact 10% -- queue 40 3 &&
		has '.seen == 40 and .starts == 40 and .lost == 0 and .sum_failures == 0 and
			(.left // 0) + (.unmatched // 0) + (.nested // 0) == 0' &&
		"$top/tests/cli/here.d/keys.py" "$file" 3 && says "key $key" || { echo "$key"; return 1; }
	done
	keyed 0 made -b 100s --start make_request --key ret,arg1 -- made 40 3 &&
	"$top/tests/cli/here.d/keys.py" "$file" 3
}

# On one thread a window has what it has without a key: a sleep is a sleep, and calls inside are a part of it.
regions_of_keys_on_one_thread() {
	keyed 0 one -b 100s --key arg1 --inexact 10% -- one 20 5 || return
	awk -F, 'NR > 1 && !$15 && ($10 < 5000000 || $12 < 1 || $16 != $1 || $17) { print; bad = 1 } END { exit bad || NR != 21 }' "$file.windows" ||
		return
	keyed 0 recursive -b 100s --key arg1 --inexact 10% -- recursive 10 && has '.nested == 30 and .starts == 40' || return
	# two at a time
	keyed 0 pairs -b 100s --key arg2 --inexact 10% -- two 20 &&
	has '.seen == 40 and .left == null and .sum_failures == 0'
}

# What does not pair decides nothing: a key that is open already, an end without a begin, no end.
regions_of_keys_unpaired() {
	keyed 3 again -b 100s --key arg1 --assert 'violations==0' -- again 10 &&
	has '.seen == 1 and .left == 9' && says 'windows left before their stop: 9' || return
	keyed 1 ends -b 100s --key arg1 -- ends 10 && has '.windows == 0 and .unmatched == 10' || return
	keyed 3 exec -b 100s --key arg1 --assert 'violations==0' --inexact 10% -- exec 5 1 &&
	has '.seen == 5 and .unfinished == 1' && says 'windows without an end: 1'
}

# Keys that never end are late when their budget is over, and are counted when there is no room.
regions_of_keys_endless() {
	keyed 0 endless -b 10ms --key arg1 -- endless 10 1000 &&
	has '.windows == 0 and .missed == 10 and .open == 10 and .starts == 10' && says 'all between threads' || return
	jq -e '.worst | length == 10 and all(.elsewhere_ns <= .parts["work.sleep"] and
		(.parts | add) == .response_ns and .begun_by == .tid)' "$file.json" > /dev/null || return
	"$tool" report "$file.json" | grep -q 'between threads' || return
	keyed 1 full -b 100s --key arg1 -- endless 5000 1 &&
	has '.unfinished == 4096 and .no_slot == 904 and .starts == 5000' && says '4096 keys: 904'
}

# What cannot be is one line.
regions_refused() {
	fixture target || return
	exits 129 'needs the module' "$tool" attach --backend bpf "$out/target" --start region_start --stop region_end -b 1ms --functions @locks
}

if ! has_bpf; then
	skip regions "$bpf_lacks"
else
	check regions_exact regions_exact
	check regions_recursive regions_recursive
	check regions_left regions_left
	check regions_of_two_threads regions_of_two_threads
	check regions_exec regions_exec
	check regions_cut regions_cut
	check regions_fork regions_fork
	check regions_of_many_threads regions_of_many_threads
	check regions_many regions_many
	check regions_files regions_files
	check regions_running regions_running
	check regions_open regions_open
	check regions_of_keys regions_of_keys
	check regions_of_keys_on_one_thread regions_of_keys_on_one_thread
	check regions_of_keys_unpaired regions_of_keys_unpaired
	check regions_of_keys_endless regions_of_keys_endless
	if waits_lack=$("$tool" waits --backend bpf -d 10ms 2>&1); then
		check regions_waits regions_waits
	else
		skip regions_waits "$waits_lack"
	fi
	check regions_refused regions_refused
	if [ "$(id -u)" -eq 0 ] && setpriv --bounding-set=-all,+bpf true 2> /dev/null; then
		check regions_of_nobody regions_of_nobody
	else
		skip regions_of_nobody "no permission to become nobody with capabilities"
	fi
fi
