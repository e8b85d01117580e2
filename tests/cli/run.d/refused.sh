# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Pairs that compare refuses or fails on, and what --force changes. Part of
# tests/cli/run, which has $top, $tool, $out, check and exits, and is in $out.
# shellcheck disable=SC2154

# variant FILTER: pairs whose B's are changed by jq; the verdict would be OK.
variant() {
	local i
	mkdir -p variant
	for i in 1 2 3 4 5 6 7 8; do jq -c "$1" pairs/b-$i.json > variant/b-$i.json; done
}

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
check refuses_period refuses '.period_ns = 2000000' 'period: 1ms, but 2ms'
check refuses_budget refuses '.budget_ns = 2000000' 'budget: 1ms, but 2ms'
check refuses_cpus refuses '.cpus = "2-3" | .cpu[0].cpu = 2 | .cpu[1].cpu = 3' 'CPUs: 0-1, but 2-3'
check refuses_machine refuses '.machine = "aarch64"' 'machine: x86_64, but aarch64'
check refuses_backend refuses '.backend = "posix"' 'backend: tlob, but posix'
check refuses_tuning refuses '.tuning.smt = "on"' 'tuning, smt: unknown, but on'
check refuses_host refuses '.host = "other"' 'host: simulated, but other'
check fails_cpu_missing fails 'del(.cpu[1])' 'to measure CPUs 0-1, but has results of CPUs 0'
check fails_lost fails '.workload = "user" | .cpu[0].lost = 5' '5 records were lost'
check fails_merged fails '.runs = 2' 'merged from 2 runs'
check fails_copies exits 1 'are the same run' bash -c "cp pairs/a-1.json copy.json; $tool gate pairs/a-1.json pairs/a-2.json -- copy.json pairs/b-1.json"
check fails_reindented exits 1 'are the same run' bash -c "jq '.notes += [\"edited\"]' pairs/a-1.json > copy.json; $tool gate pairs/a-1.json pairs/a-2.json -- copy.json pairs/b-1.json"
check fails_after_nul exits 1 'contains a NUL' bash -c "{ cat pairs/b-1.json; printf '\\0behind'; } > nul.json; $tool gate pairs/a-1.json -- nul.json"
check fails_no_such_day fails '.started = "2026-02-31T00:00:00Z"' 'started: invalid time'
check fails_no_violation fails '.budget_ns = 10000000000 | .cpu[0].violations = 1' 'cpu[0].violations: but all responses are within the budget'
check fails_stopped fails '.stopped_by = "SIGINT"' 'cut short by SIGINT'
check fails_sums fails '.cpu[0].sum_failures = 1' 'do not add up'
check fails_empty fails '(.cpu[], .all) |= (.windows = 0 | .hist[] |= {n: 0, sum: 0, min: null, max: null, buckets: []}) | del(.cpu[].slices)' 'no window'
check fails_short exits 1 'windows, but CPU 0 has' bash -c "
	for s in a b; do $top/tests/cli/big --cpus 1 --seconds 2 > short-\$s.json; done; $tool gate short-a.json -- short-b.json"

# drift: all of A before all of B
ordered() {
	variant '.started = "2027-01-01T00:00:00Z"'
	exits 3 'all runs of one side came before' "$tool" gate "${before[@]}" -- variant/b-*.json || return
	exits 3 'order of tlob-load plan' "$tool" gate "${before[@]}" -- variant/b-*.json || return
	exits 0 'FORCED   all runs of one side' "$tool" gate --force "${before[@]}" -- variant/b-*.json
}

copies() {
	local i
	mkdir -p copies
	for i in 1 2 3 4 5; do
		jq -c '.deterministic = true | .seed = 1' pairs/a-$i.json > copies/a-$i.json
		jq -c '.deterministic = true | .seed = 1' pairs/b-$i.json > copies/b-$i.json
	done
	exits 1 'copies, not replicates' "$tool" gate copies/a-*.json -- copies/b-*.json
}

check says_ordered ordered
check refuses_copies copies

# Results of two architectures are not added up, and the laboratory does not begin to make them.
architectures() {
	variant '.machine = "aarch64"'
	exits 1 'not the same measurement: machine: x86_64, but aarch64 in variant/b-1.json' "$tool" merge pairs/a-1.json variant/b-1.json -o mixed.json || return
	[ ! -e mixed.json ] || { echo 'merge wrote mixed.json'; return 1; }
	exits 1 '6.12-rt is for x86-64, and 6.12-rt-arm64 for arm64: a path has other instructions there' \
		"$tool" lab -q --dir mixed 6.12-rt 6.12-rt-arm64 || return
	exits 1 '6.12-arm64 is for arm64, and 6.12 for x86-64' "$tool" lab -q --explain --dir mixed 6.12-arm64 6.12 || return
	[ ! -e mixed ] || { echo 'lab has begun'; return 1; }
}
check architectures architectures
