# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The chain behind a late cycle, by BPF programs. Part of tests/cli/here, which has $top, $out and $tool.
# shellcheck disable=SC2015,SC2154

# caught LINK [OPTION]...: attach watches 50 late cycles of chains.c. Leaves LINK.json and .txt in $out; sets
# file.
caught() {
	local link=$1 chains ok=0
	file=$out/chains.$link
	shift
	fixture chains || return
	rm -f "$file".*
	mkfifo "$file.go"
	"$out/chains" "$link" 50 < "$file.go" > "$file.tid" &
	chains=$!
	exec 4> "$file.go"
	await ended_or $chains test -s "$file.tid"
	"$tool" attach --backend bpf --tid "$(cat "$file.tid")" --until clock_nanosleep -b 2ms --progress 100ms \
		--json "$file.json" "$@" > "$file.txt" 2>&1 4>&- &
	attach=$!
	await ended_or $attach grep -qsE 'windows|over 2ms' "$file.txt"
	echo yes >&4
	exec 4>&-
	wait $attach || ok=$?
	wait $chains || ok=$?
	[ $ok -eq 0 ] || cat "$file.txt"
	return $ok
}

# blames NAME KIND [OTHER]: in most chains the task NAME has most of the wait, by that kind, and behind OTHER.
# Segments add up to their wait in all. No chain says that "second" computed, which it did for 0.2 ms, unless
# the machine stood still.
blames() {
	jq -e --arg name "$1" --arg kind "$2" --arg other "${3-}" '
		[.worst[] | select(.wait.ns > 1000000)] | length >= 10 and
		all(.[].wait; (.chain | map(.ns) | add) == .ns) and
		([.[].wait.chain | group_by([.name, .kind]) | max_by(map(.ns) | add) | max_by(.ns) |
			select(.name == $name and .kind == $kind and ($other == "" or .other.name == $other))] |
			length) * 2 > length and
		all(.[] | select(.response_ns < 20000000) | .wait; .ns as $ns |
			([.chain[] | select(.name == "second" and .kind == "run") | .ns] | add // 0) * 2 < $ns)' "$file.json" > /dev/null && return
	jq -c '.worst[] | .wait | [.ns, [.chain[]? | [.name, .kind, .ns, .until, .other.name]]]' "$file.json"
	return 1
}

# says TEXT: lines of most late windows have it, a regular expression; and report prints the sentence of the summary.
says() {
	local n of
	of=$(grep -cE ' > 2ms:' "$file.txt")
	n=$(grep -E ' > 2ms:' "$file.txt" | grep -cE "$1")
	[ $((n * 2)) -gt "$of" ] && return
	echo "$n of $of lines have '$1'"
	cat "$file.txt"
	return 1
}

# The one that was late is named, not the one that woke the thread, however they talk to each other.
chains_of_links() {
	local link fifo='( \(FIFO 10\))?'
	for link in pipe eventfd socket epoll futex semaphore signal tcp cpus; do
		caught $link && blames first run && says "first/[0-9]+$fifo computed, then woke second/[0-9]+, which woke it" ||
			{ echo "by $link"; return 1; }
	done
	valid "$file.json"
}

# A plain mutex has no owner that the kernel knows. A relay has it for a moment in between.
chains_of_mutex() {
	caught mutex && blames first run && says 'first/[0-9]+( \(FIFO 10\))? computed, then woke second/[0-9]+, which woke it'
}

# The first one could not run. Only with priorities.
chains_of_hog() {
	caught hog && blames first wait hog && says 'first/[0-9]+ \(FIFO 10\) waited for a CPU behind hog/[0-9]+ \(FIFO 30\), then woke second'
}

# The second one slept by itself.
chains_of_nap() {
	caught nap && blames second sleep && says 'second/[0-9]+( \(FIFO 10\))? slept until its timer expired, then woke it' &&
	jq -e '[.worst[].wait.chain[]? | select(.kind == "sleep") | .until] | index("timer")' "$file.json" > /dev/null
}

# vfork() waits for the child, which is another one each time.
chains_of_child() {
	caught child && blames child run && says ' ms: child/[0-9]+( \(FIFO 20\))? computed, then woke it'
}

# Without it the waker is named, as it was.
chains_off() {
	caught pipe --chain off && says 'woken by second/' &&
	jq -e 'all(.worst[].wait; .chain == null)' "$file.json" > /dev/null || return
	exits 129 "perhaps" "$tool" attach --tid $$ -b 1ms --chain perhaps
}

# -v has a line for each segment, and report the same sentence.
chains_shown() {
	caught pipe -v &&
	grep -qE '^ +[0-9.]+us +[0-9.]+us  (first|second)/[0-9]+.* computed$' "$file.txt" || { cat "$file.txt"; return 1; }
	"$tool" report --format text "$file.json" | grep -q 'then woke second' ||
		{ "$tool" report --format text "$file.json"; return 1; }
	jq -c '.worst |= [.[] | select(.wait.chain | length > 1 and any(.[]; .name == "first" and .kind == "run" and .ns > 3000000))][:1]' "$file.json" > "$file.one.json" &&
		"$tool" report --html "$out/chains.html" "$file.one.json" && grep -q 'then woke second' "$out/chains.html" || return
	if command -v chromium > /dev/null; then
		# a row for each task, with what it did where in the wait
		shows "$out/chains.html" 'Behind its longest wait' '>computed</span>' &&
			grep -qE 'data-words="first/[0-9]+( \(FIFO 10\))? computed at [^ ]+ for ' dom.html ||
			{ grep -oE 'data-words="[^"]*of the wait"' dom.html; return 1; }
	fi
}

# profiled LINK OPTION...: five times what waits says of chains.c, in LINK.0.json to LINK.4.json. {} in an option is
# its number.
profiled() {
	local link=$1 i pid ok=0
	fixture chains || return
	shift
	"$out/chains" "$link" 1000000 < /dev/null > "$out/waits.$link.tid" &
	pid=$!
	await ended_or $pid test -s "$out/waits.$link.tid"
	for i in 0 1 2 3 4; do
		"$tool" waits --backend bpf "${@//\{\}/$pid}" -d 300ms --json "$out/waits.$link.$i.json" > "$out/waits.$link.$i.txt" 2>&1 ||
			{ cat "$out/waits.$link.$i.txt"; ok=1; }
	done
	kill $pid
	wait $pid 2> /dev/null
	return $ok
}

# behind LINK NAME KIND [OTHER]: most of its profiles say that the task NAME had most of the longest wait of "watched".
# Segments add up in all, and none says that "second" computed for most of it, unless the machine stood still.
behind() {
	jq -es --arg name "$2" --arg kind "$3" --arg other "${4-}" '
		def most: group_by([.name, .kind]) | max_by(map(.ns) | add) | max_by(.ns);
		all(.[].tasks[].longest // empty; (.chain | map(.ns) | add) == .ns) and
		([.[].tasks[] | select(.name == "watched") | .longest] | length == 5 and
		([.[] | .chain | most | select(.name == $name and .kind == $kind and ($other == "" or .other.name == $other))] | length) >= 3 and
		all(.[] | select(.ns < 20000000) | .chain | most; .name != "second" or .kind != "run"))' "$out/waits.$1".?.json > /dev/null && return
	jq -c '.tasks[] | [.name, .longest]' "$out/waits.$1".?.json
	return 1
}

# waits says it of the longest wait of each task, in JSON and in text; not without chains.
chains_of_waits() {
	profiled pipe --pid {} && behind pipe first run || return
	grep -qE '^ +behind the longest' "$out/waits.pipe.1.txt" || { cat "$out/waits.pipe.1.txt"; return 1; }
	valid "$out/waits.pipe.1.json" &&
	profiled mutex --pid {} && behind mutex first run && profiled nap --pid {} && behind nap second sleep || return
	if chrt -f 30 true 2> /dev/null; then
		profiled hog --pid {} && behind hog first wait hog || return
	fi
	profiled pipe --pid {} --chain off &&
	jq -e 'all(.tasks[]; .longest == null)' "$out/waits.pipe.1.json" > /dev/null && no grep -q behind "$out/waits.pipe.1.txt"
}

# had LINK NAME KIND [OTHER]: of the path of "watched" NAME had by far the most of the time that it did not rest or
# compute itself. The rows add up to the time, which is the whole measurement.
had() {
	jq -e --arg name "$2" --arg kind "$3" --arg other "${4-}" '
		.critical | (.rows | map(.ns) | add) == .ns and .ns >= 400000000 and
		(.rows | map(select(.name != "watched")) | group_by([.name, .kind, .other.name]) | max_by(map(.ns) | add) |
			.[0].name == $name and .[0].kind == $kind and ($other == "" or .[0].other.name == $other))' "$out/path.$1.json" > /dev/null && return
	jq -c '.critical.rows[]' "$out/path.$1.json"
	return 1
}

# on_path LINK NAME KIND [OTHER]: the same of both: a thread, and its process of three.
on_path() {
	local pid tid ok=0
	fixture chains || return
	"$out/chains" "$1" 1000000 < /dev/null > "$out/path.tid" &
	pid=$!
	await ended_or $pid test -s "$out/path.tid"
	tid=$(cat "$out/path.tid")
	"$tool" waits --critical "$tid" -d 500ms --json "$out/path.$1.json" --html "$out/path.$1.html" > "$out/path.$1.txt" 2>&1 && had "$@" &&
		"$tool" report --label waits --html "$out/path.again.html" "$out/path.$1.json" && cmp "$out/path.$1.html" "$out/path.again.html" &&
		grep -qE "^who had the time of watched/$tid, " "$out/path.$1.txt" && valid "$out/path.$1.json" || ok=1
	[ $ok -eq 0 ] || cat "$out/path.$1.txt"
	# of the process somebody always has the time
	"$tool" waits --critical $pid -d 500ms --json "$out/path.all.json" > "$out/path.all.txt" 2>&1 &&
		jq -e --argjson pid $pid '.critical | .pid == $pid and (.rows | map(.ns) | add) == .ns and
			([.rows[] | select(.kind == "unknown") | .ns] | add // 0) * 2 < .ns' "$out/path.all.json" > /dev/null || { cat "$out/path.all.txt"; ok=1; }
	kill $pid
	wait $pid 2> /dev/null
	return $ok
}

# Who had the time of a thread that waits for others in each cycle.
chains_of_path() {
	on_path pipe first run && on_path mutex first run && on_path nap second sleep || return
	if chrt -f 30 true 2> /dev/null; then
		on_path hog first wait hog || return
	fi
	exits 129 "leave --chain off out" "$tool" waits --critical $$ --chain off -d 10ms &&
	exits 129 "number of one process" "$tool" waits --critical 1,2 -d 10ms &&
	exits 77 "--critical needs BPF" "$tool" waits --critical $$ --backend tlob -d 10ms
}

make_chains() {
	gcc -O2 -Wall -Wextra -Werror -o "$out/chains" "$top/tests/cli/here.d/chains.c" -lpthread
}

if ! has_bpf; then
	skip chains "$bpf_lacks"
elif [ "$(uname -r | cut -d. -f1)" -lt 6 ]; then
	skip chains "chains need Linux 5.18"
else
	check chains_of_links chains_of_links
	check chains_of_mutex chains_of_mutex
	if chrt -f 30 true 2> /dev/null; then
		check chains_of_hog chains_of_hog
	else
		skip chains_of_hog "no permission for SCHED_FIFO"
	fi
	check chains_of_nap chains_of_nap
	check chains_of_child chains_of_child
	check chains_off chains_off
	check chains_shown chains_shown
	if [ "$(uname -m)" = x86_64 ]; then
		check chains_of_waits chains_of_waits
		check chains_of_path chains_of_path
	else
		skip chains_of_waits "waits by BPF work on x86-64 only"
		skip chains_of_path "waits by BPF work on x86-64 only"
	fi
fi
