# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Runs of the backend posix, as this user, as nobody and as root of a user namespace. Part of tests/cli/here.
# shellcheck disable=SC2015,SC2154

measures() {
	as "$1" "$tool" run --backend posix -n 200 -p 500us -w spin:20us --warm-up 5 -q --json - > "$out/$1.json" || return
	counts "$out/$1.json" 200 && valid "$out/$1.json" || return
	# whether the memory is locked or not: what the threads use was touched before
	jq -e 'all(.findings.counters[]; .page_faults == 0)' "$out/$1.json" > /dev/null ||
		{ jq -c '[.notes, [.findings.counters[].page_faults]]' "$out/$1.json"; return 1; }
	jq -r -f "$top/tests/vm/suites/tool.d/result.jq" "$out/$1.json" > "$out/wrong" && [ ! -s "$out/wrong" ] || { cat "$out/wrong"; return 1; }
}

# A condition on a part, and what only the module can do.
cannot() {
	mkdir -p "$own/cannot" && chmod 1777 "$own/cannot" || return
	local option
	for option in '--workload kthread' "--trace $own/cannot/t" '--noise-source both' '--idle-state 0' \
		'--stop-on work.irq>1us' '--assert max(irq)<1us' '--assert p99(wake.sched)<1us'; do
		# shellcheck disable=SC2086 # words
		exits 77 "the backend posix cannot do this" as "$1" "$tool" run --backend posix -n 10 $option || return
	done
	[ ! -e "$own/cannot/t" ] || { echo "a trace was begun"; return 1; }
}

# The reason says what to do, and comes before any other complaint.
no_module() {
	exits 77 'tlob_load' as "$1" "$tool" run --backend tlob -n 10 &&
	exits 77 'not tlob: ' as "$1" "$tool" run --workload kthread -n 10 &&
	exits 77 '--backend tlob: ' as "$1" "$tool" attach --backend tlob "$tool" --start main --stop knobs_restore -b 1ms &&
	exits 77 'attach --functions needs the module: ' as "$1" "$tool" attach "$tool" --start main --stop knobs_restore -b 1ms --functions @locks &&
	as "$1" "$tool" run -n 10 -q --json - > "$out/auto.json" || return
	# only root has bpf here, where the kernel and the build allow it
	jq -e --arg who "$1" '(.backend == "posix" and (.backend_because | contains("; not bpf: ")) or
		(.backend == "bpf" and $who == "self")) and
		(.backend_because | startswith("not tlob: ") and contains("tlob_load"))' "$out/auto.json"
}

# The documentation's measurements without the module, each for a second. 2: an assertion failed on a
# busy machine; 3: a second is too short for it; 77: this one lacks what the line needs. Another status is a wrong line.
documented() {
	local line status found=0
	while read -r line; do
		found=$((found + 1)) status=0
		(cd "$out" && eval "\"\$tool\" ${line#tlob-load} -d 1s -q" < /dev/null) || status=$?
		case $status in
		0|2|3|77) ;;
		*) echo "$line: status $status"; return 1 ;;
		esac
	done < <(sed -nE ':a; /\\$/ { N; s/\\\n//; ba }; s/^    (tlob-load run .*--backend (bpf|posix))/\1/p' \
		"$top"/docs/{explanation/bpf,how-to/functions,how-to/without-module}.md)
	[ $found -ge 4 ] || { echo "$found lines"; return 1; }
}

# Nothing is opened for writing but the result, and the names of its own threads;
# nothing is mounted.
touches_nothing() {
	local dir=$own/touched
	mkdir -p "$dir"
	# a file for each thread: two calls at a time would be cut in pieces
	TLOB_STATE_FILE=$dir/state strace -ff -qq -o "$out/strace" -e trace=openat,open,creat,mount,unlink,rename,mkdir,sethostname,adjtimex \
		"$tool" run --backend posix -n 50 -q --json "$dir/traced.json" || return
	cat "$out"/strace.* | grep -qF "\"$dir/" || { echo "no call was seen"; return 1; }
	# shellcheck disable=SC2016 # a pattern
	if grep -vE 'O_RDONLY|\+\+\+|---|"/proc/self/task/[0-9]+/comm"' "$out"/strace.* | grep -vF "\"$dir/"; then
		echo "these touch something"
		return 1
	fi
}

# What may lock no memory has touched the code that its threads may enter: the tool, the C library and
# the loader.
code_is_there() {
	local pid user=() status=0
	[ "$(id -u)" -ne 0 ] || user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	(ulimit -l 64; exec "${user[@]}" "$tool" run --backend posix -c "$cpu" -w none -p 10ms -d 1h --progress 100ms) > began 2>&1 &
	pid=$!
	await test -s began
	awk '/^[0-9a-f]+-/ { code = $2 == "r-xp" && $6 ~ /(tlob-load|libc[.-][^\/]*|ld-linux[^\/]*)$/; name = $6 }
		/^Size:/ { size = $2 }
		/^Rss:/ && code { seen++; if ($2 < size) { print name, $2, "of", size, "KB"; bad = 1 } }
		END { exit bad || seen < 3 }' "/proc/$pid/smaps" || status=1
	kill -TERM $pid
	wait $pid || status=1
	return $status
}

# A build chroot has no sysfs: posix measures the CPUs that the process may use.
without_sysfs() {
	unshare -m sh -c 'mount -t tmpfs none /sys &&
		exec taskset -c 0 setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' sh "$tool" run -n 50 -w none "$@"
}

no_sysfs() {
	local condition
	without_sysfs -q --json - > "$out/no-sysfs.json" || return
	jq -e '.backend == "posix" and .cpus == "0" and
		(.backend_because | contains("libbpf") or contains("not bpf: /sys is not mounted"))' "$out/no-sysfs.json" > /dev/null ||
		{ jq -c '[.backend, .cpus, .backend_because]' "$out/no-sysfs.json"; return 1; }
	# A lower priority changes what the numbers mean: it is said even without -v.
	without_sysfs 2> "$out/no-sysfs.err" || return
	grep -q '^tlob-load: policy other, because fifo:95 is not permitted.*rtprio 99.*CAP_SYS_NICE' "$out/no-sysfs.err" ||
		{ cat "$out/no-sysfs.err"; return 1; }
	# nor does a condition decide anything then, unless that policy was asked for
	jq -e '.policy == "other" and .policy_asked == "fifo:95"' "$out/no-sysfs.json" > /dev/null || return
	for condition in 'violations<1000' 'violations>1000'; do
		exits 3 "assertion undecided: $condition: measured with policy other, because fifo:95 was not permitted" without_sysfs -q --assert "$condition" || return
	done
	without_sysfs -q --policy other --assert 'violations<1000'
}

stops() {
	"$tool" run --backend posix -b 1us --stop-on 'violations>0' -d 1h -q --json "$out/stop.json" &&
	jq -e '.stopped_by == "violations>0" and .all.violations > 0' "$out/stop.json" &&
	"$tool" run --backend posix -p 1ms --stop-on 'wake>1ns' -d 1h -q --json "$out/stop.json" &&
	# no window after that one is in anything
	jq -e '.all.hist.response.max == .worst[0].response_ns and
	       all(.cpu[]; .windows <= 1 and .due == .startup + .warm_up + .warm_up_missed + .windows + .missed)' "$out/stop.json"
}

# Windows lie in the slices of the run, wherever the clock of the container is.
time_namespace() {
	local ahead
	for ahead in 100000 -$(($(cut -d . -f 1 /proc/uptime) / 2)); do
		unshare --time --monotonic $ahead --fork "$tool" run --backend posix -n 300 -w none -q --json "$out/timens.json" || return
		jq -e '.duration_ns as $d | all(.cpu[].slices; .slice_ns < $d and (.at | length) > 1)' "$out/timens.json" > /dev/null ||
			{ jq -c '[.duration_ns, (.cpu[].slices | .slice_ns, (.at | length))]' "$out/timens.json"; return 1; }
	done
}

# The limit on real-time threads is raised as far as the user may, and what is left is said.
time_limit() {
	exits 0 'RLIMIT_RTTIME is 900000000 us' prlimit --rttime=500:900000000 "$tool" run --backend posix -n 20 -w spin:900us -q
}

# The sum of two runs has what the kernel counted in both.
mixed() {
	fixture one || return
	jq -c '.seed = 1 | .run_id |= (explode | reverse | implode)' "$out/one.json" > "$out/other.json" &&
	"$tool" merge "$out/one.json" "$out/other.json" -o "$out/merged.json" &&
	jq -e '.all.windows == 2 * $one[0].all.windows and
		.all.os.voluntary_switches == 2 * $one[0].all.os.voluntary_switches' --slurpfile one "$out/one.json" "$out/merged.json"
}

make_one() { "$tool" run --backend posix -n 200 -p 500us -w spin:20us -q --json one.json; }

shown() {
	fixture one || return
	local format
	for format in html md csv text; do
		"$tool" report -f $format -o "$out/page" "$out/one.json" || return
		# all of a page but its script
		! sed '/^<script>$/,$d' "$out/page" | grep -niE '\bnan\b|\binf\b' || return
	done
	! grep -E '^ +(irq|[0-9]+ +irq) +0\.' "$out/page" || return
	"$tool" report -o "$out/page.html" "$out/one.json" && page_says "$out/page.html"
}

# The page of a result without parts shows the two phases, what the operating system
# counted, and what a cause needs; nothing of what is not known.
page_says() {
	shows "$1" '<b>wake</b></abbr>' '<b>work</b></abbr>' 'data-words="work ' 'a cause needs the backend tlob or bpf' \
		'as the operating system counts' 'Local timer interrupts' || return
	# an empty bar, and a row or a curve of t1
	lacks -oE '<div class="bar"[^>]*></div>|<td data-name="">irq<|class="line irq"|on_cpu' dom.html
}

# The page that a run writes at its end is the one that report makes of its result.
html_of_run() {
	"$tool" run --backend posix -n 50 -q --json "$out/html.json" --html "$out/html.html" &&
		"$tool" report --label run --html "$out/html.again.html" "$out/html.json" &&
		cmp "$out/html.html" "$out/html.again.html"
}

# narrow COMMAND...: on a terminal of 60 columns no line is longer, so none is broken within a word.
narrow() {
	/usr/bin/python3 - "$@" <<'END'
import fcntl, os, pty, re, struct, sys, termios
pid, fd = pty.fork()
if not pid:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
try:
    while part := os.read(fd, 65536):
        said += part
except OSError:
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
lines = re.sub("\033\\[[0-9;]*m", "", said.decode()).splitlines()
wide = [line for line in lines if len(line) > 60]
if not status and len(lines) >= 5 and not wide:
    sys.exit(0)
print(sys.argv[2:], "exit", status, *(wide or lines), sep="\n")
sys.exit(1)
END
}

narrow_pages() {
	local command
	for command in run attach waits top report compare gate plan validate try doctor merge restore; do
		if ! narrow "$tool" $command --help || ! narrow "$tool" $command --help=all; then
			echo "$command"
			return 1
		fi
	done
	narrow "$tool" help && narrow "$tool" run --backend posix -n 50 --progress off
}

for who in self nobody userns; do
	if [ $who != self ] && ! as $who true 2> /dev/null; then
		skip "$who" "$([ "$(id -u)" -eq 0 ] && echo 'not possible in this container' || echo 'only root can become another user')"
		continue
	fi
	check "$who.measures" measures $who
	check "$who.cannot" cannot $who
	if [ -e /sys/class/misc/tlob ]; then
		skip "$who.no_module" "the module is loaded here"
	else
		check "$who.no_module" no_module $who
	fi
done
check documented documented
check code_is_there code_is_there
if has_strace; then
	unsanitized "ASan makes the folder of its reports" touches_nothing touches_nothing
else
	skip touches_nothing "no strace, or not permitted"
fi
if can_mount; then
	check no_sysfs no_sysfs
else
	skip no_sysfs "only root can mount"
fi
check stops stops
check policy exits 129 'unknown backend' "$tool" run --backend magic
check one_file exits 129 'two outputs write to -:' "$tool" run --backend posix -n 10 --json - --hist -
if unshare --time --monotonic 1 --fork true 2> /dev/null; then
	check time_namespace time_namespace
else
	skip time_namespace "no time namespaces, or not permitted"
fi
if prlimit --rttime=500:900000000 "$tool" run --backend posix --policy fifo:1 -n 1 -w none -q 2> /dev/null; then
	check time_limit time_limit
else
	skip time_limit "no real-time policy here"
fi
check mixed mixed
check shown shown
check html_of_run html_of_run
check narrow_pages narrow_pages
