# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Pairs that compare refuses or fails on, and what --force changes. Part of
# tests/cli/run.
# shellcheck disable=SC2016,SC2154

fixture small pairs || return

refuses() {
	local filter=$1 part=$2
	variant "$filter"
	exits 1 "$part" "$tool" gate "${before[@]}" -- variant/b-*.json || return
	exits 0 "FORCED" "$tool" gate --force "${before[@]}" -- variant/b-*.json
}

# fails FILTER PART: an error, and --force makes no difference.
fails() {
	variant "$1"
	exits 1 "$2" "$tool" gate --force "${before[@]}" -- variant/b-*.json
}

check refuses_work refuses '.work = "spin:1us"' 'work: spin:200us, but spin:1us'
check refuses_tuning refuses '.tuning.smt = "on"' 'tuning, smt: unknown, but on'
check refuses_host refuses '.host = "other"' 'host: simulated, but other'
check fails_cpu_missing fails 'del(.cpu[1])' 'have measured CPUs 0-1, but has results for CPUs 0'
check fails_lost fails '.workload = "user" | .cpu[0].lost = 5' '5 records were lost'
check fails_merged fails '.runs = 2' 'merged from 2 runs'
# Another run may have equal numbers, and a copy keeps its run_id.
equal_numbers() {
	jq -c '.run_id = "1"' pairs/a-1.json > copy.json && jq -c '.run_id = "1" | .cpu[0].errors = 1' pairs/a-1.json > edited.json || return
	exits 1 'copy.json and edited.json are the same run' "$tool" gate copy.json pairs/a-2.json -- edited.json pairs/b-1.json || return
	"$tool" gate pairs/a-1.json pairs/a-2.json -- copy.json pairs/b-1.json > said 2>&1
	grep -q '^INCONCLUSIVE' said && lacks -q 'the same run' said
}
check equal_numbers equal_numbers
check fails_reindented exits 1 'are the same run' bash -c "jq '.notes += [\"edited\"]' pairs/a-1.json > copy.json; \"\$0\" gate pairs/a-1.json pairs/a-2.json -- copy.json pairs/b-1.json" "$tool"
check fails_after_nul exits 1 'contains a NUL' bash -c '{ cat pairs/b-1.json; printf "\0behind"; } > nul.json; "$0" gate pairs/a-1.json -- nul.json' "$tool"
check fails_no_such_day fails '.started = "2026-02-31T00:00:00Z"' 'started: invalid time'
check fails_no_violation fails '.budget_ns = 10000000000 | .cpu[0].violations = 1' 'cpu[0].violations: but all responses are within the budget'
check fails_stopped fails '.stopped_by = "SIGINT"' 'cut short by SIGINT'
check fails_sums fails '.cpu[0].sum_failures = 1' 'do not add up'
check fails_empty fails '(.cpu[], .all) |= (.windows = 0 | .due = 0 | .hist[] |= {n: 0, sum: 0, min: null, max: null, buckets: []}) | .cpu[].slices = null' 'no window'
check fails_short exits 1 'windows, but CPU 0 has' bash -c '
	for s in a b; do "$1/tests/cli/big" --cpus 1 --seconds 2 > short-$s.json; done; "$0" gate short-a.json -- short-b.json' "$tool" "$top"

# More pairs than a comparison has room for.
too_many() {
	mapfile -t many < <(yes pairs/a-1.json | head -401)
	exits 129 '401 pairs: give at most 400' "$tool" compare "${many[@]}" -- "${many[@]}"
}
check too_many too_many

# drift: all of A before all of B
ordered() {
	variant '.started |= sub("2026"; "2027")'
	exits 3 'the runs of one side came mostly before' "$tool" gate "${before[@]}" -- variant/b-*.json || return
	"$tool" gate "${before[@]}" -- variant/b-*.json | tr -s '\n ' ' ' |
		grep -qF 'it makes the runs in random order; tlob-load compare --history DIR judges one night by those before' || return
	exits 0 'FORCED   the runs of one side' "$tool" gate --force "${before[@]}" -- variant/b-*.json
}

# A and B in turn: what makes every second run slower is an effect of B.
in_turn() {
	local i
	mkdir -p turn
	for i in 1 2 3 4 5 6 7 8; do
		jq -c ".started = \"2026-03-0${i}T00:00:00Z\"" pairs/a-$i.json > turn/a-$i.json &&
			jq -c ".started = \"2026-03-0${i}T00:10:00Z\"" pairs/c-$i.json > turn/c-$i.json || return
	done
	exits 3 'A came first in each pair, so what drifts' "$tool" gate turn/a-*.json -- turn/c-*.json &&
		exits 3 '(--force compares' "$tool" gate turn/a-*.json -- turn/c-*.json &&
		exits 2 'FORCED   A came first in each pair' "$tool" gate --force turn/a-*.json -- turn/c-*.json || return
	# one pair the other way round
	jq -c '.started = "2026-03-05T00:20:00Z"' pairs/a-5.json > turn/a-5.json
	exits 2 'REGRESSION' "$tool" gate turn/a-*.json -- turn/c-*.json
}

copies() {
	local i
	mkdir -p copies
	for i in 1 2 3 4 5; do
		jq -c '.deterministic = true | .seed = 1' pairs/a-$i.json > copies/a-$i.json
		jq -c '.deterministic = true | .seed = 1' pairs/b-$i.json > copies/b-$i.json
	done
	exits 1 'copies/a-1.json and copies/a-2.json counted instructions with the same seed: they are copies' "$tool" gate copies/a-*.json -- copies/b-*.json || return
	sed -i 's/"seed":1,/"seed":null,/' copies/*.json
	exits 1 'a-1.json counted instructions without --seed: such runs are copies' "$tool" gate copies/a-*.json -- copies/b-*.json
}

check says_ordered ordered
check says_in_turn in_turn
check refuses_copies copies

# The laboratory does not begin to make results of two architectures.
architectures() {
	exits 1 '6.12-rt is for x86-64, and 6.12-rt-arm64 for arm64: their instructions cannot be compared' \
		"$lab" run -q --dir mixed 6.12-rt 6.12-rt-arm64 || return
	exits 1 '6.12-arm64 is for arm64, and 6.12 for x86-64' "$lab" explain -q --dir mixed 6.12-arm64 6.12 || return
	[ ! -e mixed ] || { echo 'lab has begun'; return 1; }
}
check architectures architectures

# A copy is a copy, whenever it claims to have begun.
other_times() {
	local i
	for i in 1 2 3; do jq -c ".started = \"2026-03-0${i}T00:00:00Z\"" pairs/b-1.json > copy-$i.json; done
	exits 1 'copy-1.json and copy-2.json are the same run' "$tool" gate pairs/a-[123].json -- copy-[123].json
}
check other_times other_times

# boots FILTER: eight pairs on boots; $i and $side are for the filter.
boots() {
	local i side
	mkdir -p boots
	for side in a b; do
		for i in 0 1 2 3 4 5 6 7; do
			jq -c --argjson i $i --arg side $side ".boot_id = $1" pairs/$side-$((i + 1)).json > boots/$side-$i.json || return
		done
	done
}

# What runs of a boot share is no replicate: pairs within boots are, else the boots.
# shellcheck disable=SC2016 # jq expands it
share_boots() {
	boots '"one"' && exits 0 ', on this boot' "$tool" gate boots/a-*.json -- boots/b-*.json || return
	boots '($i / 2 | floor | tostring)' && exits 0 'OK  p99.9' "$tool" gate boots/a-*.json -- boots/b-*.json || return
	boots '$side + ($i / 2 | floor | tostring)' || return
	exits 3 'runs that share a boot count as one' "$tool" gate boots/a-*.json -- boots/b-*.json || return
	exits 3 'or 7 boots of each side' "$tool" gate boots/a-*.json -- boots/b-*.json || return
	"$tool" gate --html boots.html --json boots.json boots/a-*.json -- boots/b-*.json > /dev/null
	shows boots.html 'boots/a-0.json and 1 more of its boot' && jq -e '.pairs == 4 and .one_boot == false and (.metrics[0].a | length) == 4' boots.json > /dev/null || return
	boots '(if $side == "a" then "a\($i % 3)" else "b\($i % 2)" end)' || return
	exits 3 '8 runs a side of 3 boots of A' "$tool" gate boots/a-*.json -- boots/b-*.json || return
	"$tool" gate --json boots.json boots/a-*.json -- boots/b-*.json > /dev/null
	jq -e '.pairs == 2 and (.metrics[0].a | length) == 2' boots.json > /dev/null || return
	boots '(if $side == "a" then "a\($i % 4)" else "b\($i % 2)" end)' || return
	exits 1 'the runs of A share 4 boots, the runs of B 2' "$tool" gate boots/a-*.json -- boots/b-*.json || return
	exits 1 '(--force counts each run)' "$tool" gate boots/a-*.json -- boots/b-*.json || return
	exits 0 'each run counts as if' "$tool" gate --force boots/a-*.json -- boots/b-*.json
}
check share_boots share_boots

# Results come through pipes, which cannot be read twice.
pipes() {
	exits 3 '1 pair cannot decide' "$tool" gate <(cat pairs/a-1.json) -- <(cat pairs/b-1.json) || return
	"$tool" report -f text /dev/stdin < small.json | grep -q 'kthread workload' || return
	"$tool" report -f text <(cat small.json) | grep -q 'kthread workload'
}
check reads_pipes pipes

# A cell that begins like a formula is a text.
formula() {
	jq -c '.host = "=1+1" | .work = "@SUM(A1)"' small.json > formula.json
	"$tool" report -f csv formula.json | grep -qF ",'=1+1,'@SUM(A1),"
}
check csv_without_formulas formula

# What a file says of itself does nothing to a terminal.
hostile_reason() {
	jq -c '(.cpu[], .all) |= (.unavailable = ["wake.irq_delay", "wake.irq", "wake.softirq", "wake.nmi", "wake.thread", "wake.sched", "wake.steal", "work.on_cpu",
		"work.irq", "work.softirq", "work.nmi", "work.thread", "work.sleep", "work.steal", "work.hw"] | .hist |= {irq, wake, response}) |
		.unavailable_because = "a\u001b[2J\u202eb" | .worst = []' small.json > hostile.json
	"$tool" report -f text hostile.json > hostile.txt || return
	grep -qF 'not measured  irq, and all parts of wake and response: a\x1b[2J\xe2\x80\xaeb' hostile.txt
}
check hostile_reason hostile_reason
