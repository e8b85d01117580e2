# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Compare, whose other name is gate: the verdicts, and how they read on a screen. Part of
# tests/cli/run.
# shellcheck disable=SC2154

fixture small pairs || return

check gate_ok exits 0 'OK  p99.9(response): A 225.279us, B 223.231us: -0.91 %' "$tool" gate "${before[@]}" -- pairs/b-*.json
# A run that was slow for a moment is named with that moment; others are not.
compare_bursts() {
	jq -c '.cpu[0].slices.at[10] |= (.response = [[196608, .windows - 200], [6291456, 200]] | .response_max_ns = 7000000)' \
		pairs/b-1.json > burst.json || return
	"$tool" compare "${before[@]}" -- burst.json pairs/b-[2-8].json | tr -s '\n ' ' ' > burst.txt
	grep -q 'the slowest windows of 1 of 16 runs came together; those of burst.json in 1 of 63 slices, from 3.2s after its begin' burst.txt ||
		{ cat burst.txt; return 1; }
	"$tool" compare "${before[@]}" -- pairs/b-[1-8].json > none.txt && lacks 'came together' none.txt
}
check compare_bursts compare_bursts

# The mechanism of the probes and the patterns are foreign.
functions_no_control() {
	local format
	with_sets pairs/a-1.json '[["lock", "rt\u001b[2J\u009b", 1, "wake"]]' |
		jq -c '.functions.mechanism = "fp\u001b[2J\u009b\u0007<b>&"' > control.json || return
	for format in text md html; do
		"$tool" report -f $format control.json > control.out || return
		grep -q 'fp\\*x1b' control.out || return
		no_escape control.out || { echo "in $format"; return 1; }
		[ $format = text ] || lacks -n '[^\\]<b>&' control.out || return
	done
}

# Times in functions are on the terminal, in JSON, in Markdown and on the page; sets are found by
# their names, and names of other functions are not compared. They never change the verdict.
compare_functions() {
	local i sets='[["lock", "rt_spin_lock", 1, "wake"], ["alloc", "@alloc", 30, "irq"]]'
	mkdir -p sets
	for i in 1 2 3 4 5 6 7 8; do
		with_sets pairs/a-$i.json "$sets" > sets/a-$i.json || return
		with_sets pairs/c-$i.json "$sets" > sets/b-$i.json || return
		# in the other order, and with other functions in one
		with_sets pairs/c-$i.json '[["alloc", "@alloc", 30, "irq"], ["lock", "mutex_lock", 1, "wake"]]' > sets/c-$i.json || return
		with_sets pairs/b-$i.json "${sets/30/31}" > sets/d-$i.json || return
	done
	valid sets/a-1.json || return
	compared 2 --json sets.json --markdown sets.md --html sets.html sets/a-*.json -- sets/b-*.json > sets.txt || return
	grep -qE '^func.lock +[0-9.]+ +[0-9.]+ +\+[0-9.]+ +[0-9.]+ +[0-9.]+ +\+[0-9.]+$' sets.txt || { cat sets.txt; return 1; }
	[ "$(wc -L < sets.txt)" -le 80 ] || return
	# the sets have the times of wake and irq
	jq -e '. as $c | .functions | map(.name) == ["lock", "alloc"] and all(.comparable and .because == null and .calls == {a: 3, b: 3, shift: 0}) and
		(.[0].mean_ns | .shift == $c.shift.wake.mean[1] and .a == $c.shift.wake.mean[0]) and
		(.[1].p99_ns | .shift == $c.shift.irq.p99[1]) and .[0].max_ns.b > .[0].p99_ns.b' sets.json > jq.log || { cat jq.log; return 1; }
	[ "$(grep -cE '^\| func\.(lock|alloc) \| (calls|mean|p99|max) \|' sets.md)" -eq 8 ] || { cat sets.md; return 1; }
	alone_on_page sets.html || return
	drawn sets.html 1 '>func.alloc</td><td[^>]*>calls</td><td[^>]*>3.000</td><td[^>]*>3.000</td><td[^>]*>0</td>' || return
	# the same verdict as without them, and no metric
	[ "$("$tool" compare "${before[@]}" -- pairs/c-*.json | head -n 1)" = "$(head -n 1 sets.txt)" ] || return
	exits 129 'times in functions are shown, but not compared' "$tool" gate -m 'p99(func.lock)' sets/a-*.json -- sets/b-*.json || return
	exits 1 'functions: ' "$tool" compare sets/a-*.json -- sets/c-*.json || return
	compared 2 --vary functions --json sets.json --html sets.html sets/a-*.json -- sets/c-*.json > sets.txt || return
	grep -qx 'func.lock is not comparable: its patterns differ' sets.txt || { cat sets.txt; return 1; }
	shows sets.html '<p class="dim">func.lock is not comparable: its patterns differ</p>' || return
	jq -e '. as $c | .functions | .[0].comparable == false and .[0].mean_ns.shift == null and .[0].mean_ns.b > 0 and
		(.[1] | .comparable and .mean_ns.shift == $c.shift.irq.mean[1])' sets.json > jq.log || { cat jq.log; return 1; }
	exits 0 'func.alloc is not comparable: the numbers of functions that match differ' "$tool" compare sets/a-*.json -- sets/d-*.json
}
check functions_have_no_control functions_no_control
check compare_functions compare_functions
check compare_exits_2 exits 2 'REGRESSION' "$tool" compare "${before[@]}" -- pairs/c-*.json
check gate_named exits 0 'at most' "$tool" gate --margin 4% "${before[@]}" -- pairs/b-*.json
# A takes half or twice of B's time: how many pairs it would take is said.
make_noise() {
	local i
	mkdir -p noise
	for i in 1 2 3 4 5 6 7 8; do
		derive noise/a-$i.json $((100 + i)) $((i % 2 ? 4 : 1))
		derive noise/b-$i.json $((300 + i)) 2 || return
	done
}
noise() {
	exits 3 'not even 400 pairs are enough with this spread' "$tool" gate noise/a-*.json -- noise/b-*.json || return
	exits 3 '; equal sides need about ' "$tool" gate --margin 40% noise/a-*.json -- noise/b-*.json
}

# A verdict about the median of the wake-ups says nothing about responses that take half as long
# again: a line does. With both named, or as slow in wake-ups, there is nothing to add.
moved_elsewhere() {
	local i
	mkdir -p moved
	for i in 1 2 3 4 5 6 7 8; do
		jq -c --slurpfile c pairs/c-$i.json '.cpu |= [range(length) as $k | .[$k] | .hist.response = $c[0].cpu[$k].hist.response]' \
			pairs/b-$i.json > moved/b-$i.json || return
	done
	screen moved 0 "$tool" gate -m 'p50(wake)' --json moved.json --markdown moved.md --html moved.html "${before[@]}" -- moved/b-*.json || return
	jq -e '.moved | length == 1 and (.[0] | .metric == "response" and .effect > 0.45 and .effect < 0.55 and .medians[1] / .medians[0] > 1.45)' moved.json || return
	grep -q '^- Also: no --metric is about it, but p[0-9.]*(response) got worse: +5' moved.md || { cat moved.md; return 1; }
	shows moved.html 'also </span>no --metric is about it' || return
	"$tool" gate -m 'p50(wake)' "${before[@]}" -- pairs/b-*.json > none.txt && lacks '^also' none.txt || return
	compared 2 -m 'p50(wake)' "${before[@]}" -- pairs/c-*.json > none.txt && lacks '^also' none.txt
}

# Each form says under which conditions it was measured. Without the policy that was to be used there is no verdict.
policy_refused() {
	local i
	mkdir -p refused
	for i in 1 2 3 4 5 6 7 8; do
		jq -c '.policy = "other" | .policy_asked = "fifo:95"' pairs/a-$i.json > refused/a-$i.json || return
		jq -c '.policy = "other" | .policy_asked = "fifo:95"' pairs/c-$i.json > refused/c-$i.json || return
	done
	valid refused/a-1.json || return
	local why='measured with policy other, because fifo:95 was not permitted' status=0
	"$tool" gate --json refused.json --markdown refused.md --html refused.html --junit refused.xml --ktap refused.ktap \
		refused/a-*.json -- refused/c-*.json > refused.txt || status=$?
	[ $status -eq 3 ] || { cat refused.txt; return 1; }
	for i in md html xml ktap; do
		if ! grep -q "$why" refused.$i || ! grep -q 'policy other, spin:200us every 1 ms, budget' refused.$i; then
			echo "not in $i"
			return 1
		fi
	done
	tr -s ' \n' ' ' < refused.txt | grep -q "because $why" || return
	grep -q '^under  *policy other, spin:200us every 1 ms, budget' refused.txt && grep -q '^but  *policy other' refused.txt || return
	jq -e --arg why "$why" '.verdict == "INCONCLUSIVE" and (.metrics[0].because | startswith($why)) and
		(.conditions | startswith("policy other, spin:200us every 1 ms")) and .lowered == ["policy other, because fifo:95 was not permitted"]' refused.json || return
	exits 2 'REGRESSION' "$tool" gate --force refused/a-*.json -- refused/c-*.json || return
	# asked for, it is a condition like others
	for i in 1 2 3 4 5 6 7 8; do
		jq -c 'del(.policy_asked)' refused/a-$i.json > refused/d-$i.json && jq -c 'del(.policy_asked)' refused/c-$i.json > refused/e-$i.json || return
	done
	exits 2 'REGRESSION' "$tool" gate refused/d-*.json -- refused/e-*.json
}

# Sides whose runs are not equally long, or hold other limits of idle states, and times of a clock that was not set.
settings_of_runs() {
	variant '.dma_latency = "0us"' && valid variant/b-1.json &&
		exits 1 'dma_latency: none, but 0us in variant/b-1.json' "$tool" gate "${before[@]}" -- variant/b-*.json || return
	variant '.duration_ns = 60000000000' &&
		exits 3 'a longer run meets more, and gets warmer; duration: 20s, but 60s in variant/b-1.json' \
			"$tool" gate -q --junit /proc/self/fd/1 "${before[@]}" -- variant/b-*.json &&
		exits 3 '--vary duration if the length' "$tool" compare --markdown /proc/self/fd/1 "${before[@]}" -- variant/b-*.json &&
		exits 0 'FORCED   a longer run meets more' "$tool" gate --force "${before[@]}" -- variant/b-*.json &&
		exits 0 'duration: 20s in A, 60s in B' "$tool" gate --vary duration "${before[@]}" -- variant/b-*.json || return
	variant '.started = "1970-01-01T00:00:05Z"' &&
		exits 3 'began before 2020' "$tool" gate -q --junit /proc/self/fd/1 "${before[@]}" -- variant/b-*.json &&
		exits 0 'OK' "$tool" gate --force "${before[@]}" -- variant/b-*.json
}

# That runs were made in a guest is said beside each verdict.
virtual_machine() {
	local of_guest='.notes += ["this is a virtual machine: all times include delays by its host"]' why='measured in a virtual machine'
	variant "$of_guest" &&
		"$tool" compare --json guest.json --html guest.html --markdown guest.md "${before[@]}" -- variant/b-*.json > guest.txt || return
	grep -q "^but  *$why" guest.txt && data guest.html | grep -q "$why" && grep -q "$why" guest.md || return
	jq -e --arg why "$why" '.lowered | any(startswith($why))' guest.json || return
	"$tool" report --hosts variant/b-*.json | grep -q "^but  *$why"
}

# -v has what the screen has not: bounds, margins and misses.
screen_is_part() {
	"$tool" gate -v -m 'p50(wake)' -m 'p99(wake)' "${before[@]}" -- pairs/c-*.json > whole.txt
	grep -q '^margin  ' whole.txt && grep -q '^misses ' whole.txt && grep -q 'with .* % confidence' whole.txt
}

# Names of files are foreign text.
backquotes() {
	# shellcheck disable=SC2016 # it is not to be expanded
	local name='`touch executed`'"'"'".json'
	cp small.json "$name"
	rm -f executed
	page quotes.html "$name" small.json || return
	[ ! -e executed ] && shows quotes.html 'touch executed'
}

# Runs of 1000 windows: their p99.6 is the fourth largest of them.
brief() {
	local i=0 scale
	mkdir -p brief
	for scale in 0.96 1.04 0.97 1.03 0.965 1.04 1.035 0.955; do
		i=$((i + 1))
		"$top/tests/cli/big" --cpus 1 --seconds 1 --scale $scale |
			jq -c --argjson n $i '.seed = $n | .started = "2026-01-0\($n)T00:00:02Z"' > brief/a-$i.json
		"$top/tests/cli/big" --cpus 1 --seconds 1 |
			jq -c --argjson n $i '.seed = $n + 20 | .started = "2026-01-0\($n)T00:00:0\($n % 2 * 4)Z"' > brief/b-$i.json
	done
	screen longer 3 "$tool" gate -m 'p99.6(wake)' --margin 3.2% brief/a-*.json -- brief/b-*.json || return
	# three of B's runs, which are a third slower than all of A
	for i in 1 4 6; do
		"$top/tests/cli/big" --cpus 1 --seconds 1 --scale 1.4 |
			jq -c --argjson n $i '.seed = $n + 40 | .started = "2026-01-0\($n)T00:00:0\($n % 2 * 4)Z"' > brief/b-$i.json
	done
	screen some 3 "$tool" gate -m 'p99(wake)' --margin 20% brief/a-*.json -- brief/b-*.json
}

# The first look needs ten pairs.
looks_regression() {
	local i
	mkdir -p looks
	for i in 9 10; do
		derive looks/a-$i.json $((10 * i)) "0.9$i" && derive looks/c-$i.json $((10 * i + 3)) 1.5 || return
	done
	exits 2 'certain after 10 pairs, 20 runs of 80' "$tool" gate --sequential "${before[@]}" looks/a-*.json -- pairs/c-*.json looks/c-*.json
}

# Runs that are missing are the worst of their side: of B they take back an OK, of A a REGRESSION.
cut_short() {
	local why='as the worst of their side they could change the verdict'
	exits 0 OK "$tool" gate --cut-short 8,0 "${before[@]}" -- pairs/b-*.json || return
	exits 3 "cut short, 0 of A and 1 of B: $why" "$tool" gate -v --cut-short 0,1 "${before[@]}" -- pairs/b-*.json || return
	exits 2 REGRESSION "$tool" gate --cut-short 0,8 "${before[@]}" -- pairs/c-*.json || return
	exits 3 "cut short, 4 of A and 0 of B: $why" "$tool" gate -v --cut-short 4,0 "${before[@]}" -- pairs/c-*.json
}

# The largest of more windows is larger by itself: no verdict, whatever is varied. Of equally many there is one.
largest() {
	exits 0 ', each the largest of 40 000' "$tool" gate -m 'max(response)' "${before[@]}" -- pairs/b-*.json || return
	exits 2 'max(response): A ' "$tool" gate -m 'max(response)' "${before[@]}" -- pairs/c-*.json || return
	variant '(.cpu[], .all) |= (.missed = 5000 | .due += 5000)' || return
	exits 3 'the largest of more windows is larger by' "$tool" gate -m 'max(irq)' --vary duration "${before[@]}" -- variant/b-*.json || return
	variant '.cpu |= .[:1] | .cpus = "0" | .all = (.cpu[0] | del(.cpu))' || return
	exits 3 'the worst of more CPUs is worse by itself: 2 CPUs, but 1 in' "$tool" gate -v --vary cpus -m 'p50(wake)' "${before[@]}" -- variant/b-*.json
}

# What a hypervisor took is a condition of the runs: it is named, with a doubt where the sides differ in it.
stolen() {
	local i
	mkdir -p stolen
	for i in 1 2 3 4 5 6 7 8; do
		jq -c '(.cpu[] | .hist) |= (."wake.steal" = .wake)' pairs/a-$i.json > stolen/a-$i.json || return
		jq -c '(.cpu[] | .hist) |= (."wake.steal" = .wake)' pairs/b-$i.json > stolen/b-$i.json || return
	done
	exits 0 OK "$tool" gate --margin 10% --json stolen.json stolen/a-*.json -- stolen/b-*.json || return
	jq -e '.lowered | length == 1 and (.[0] | test("^a hypervisor took [0-9.]+ % of the time in runs of A, [0-9.]+ % of B \\(medians\\)$"))' stolen.json ||
		{ jq .lowered stolen.json; return 1; }
	exits 0 OK "$tool" gate --margin 10% --json stolen.json pairs/a-[1-8].json -- stolen/b-*.json || return
	jq -e '.lowered | length == 1 and (.[0] | test("^a hypervisor took 0 % .*: a difference may be the host.s$"))' stolen.json ||
		{ jq .lowered stolen.json; return 1; }
	"$tool" gate --margin 10% --json stolen.json pairs/a-[1-8].json -- pairs/b-[1-8].json > none.txt
	jq -e '.lowered | length == 0' stolen.json
}

check gate_noise with noise noise
check screen_longer_and_some brief
check screen_regression screen regression 2 "$tool" gate "${before[@]}" -- pairs/c-*.json
check screen_several screen several 2 "$tool" gate -m 'p50(wake)' -m 'p99(wake)' -m 'es99(wake)' -m miss-rate "${before[@]}" -- pairs/c-*.json
check screen_ok screen ok 0 "$tool" gate --margin 10% "${before[@]}" -- pairs/b-*.json
check screen_few screen few 3 "$tool" gate pairs/a-[123].json -- pairs/b-[123].json
check screen_margin screen margin 3 "$tool" gate --margin 1% "${before[@]}" -- pairs/b-*.json
check screen_noise with noise screen noise 3 "$tool" gate noise/a-*.json -- noise/b-*.json
check screen_worst_runs with noise screen noisiest 3 "$tool" gate --margin 10% noise/a-*.json -- noise/b-*.json
check screen_is_part_of_all screen_is_part
check screen_moved_elsewhere moved_elsewhere
check policy_refused policy_refused
check stolen_time stolen
check settings_of_runs settings_of_runs
check virtual_machine virtual_machine
check page_backquotes backquotes
check uneven exits 129 'results before -- and 2 after it' "$tool" gate pairs/a-[123].json -- pairs/b-[12].json
check twice exits 1 'given twice' "$tool" gate pairs/a-1.json -- pairs/a-1.json
check looks_regression looks_regression
check looks_go_on exits 3 'continue to 10 pairs' "$tool" gate --sequential "${before[@]}" -- pairs/c-*.json
check cut_short cut_short
check largest largest
