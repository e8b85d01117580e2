# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The formats of others, by the readers in tests/formats. Part of tests/cli/run, which has $top,
# $tool, $out, check and exits, and is in $out.
# shellcheck disable=SC2154

fixture small minute pairs || return

# export_as FORMAT FILE [OPTION]...: it is written, and right.
export_as() {
	local format=$1 file=$2
	shift 2
	"$tool" report -f "$format" "$@" "$file" > "formats/out.$format" || return
	"$top/tests/formats/check" "$format" "formats/out.$format" "$file" || { echo "$format of $file"; return 1; }
}

# Missed expiries, assertions, tags and names that try to end a quotation.
make_formats() {
	# shellcheck disable=SC1003 # a backslash at its end
	local evil='"} 1\n<b>\\'
	mkdir -p formats
	jq -c --arg e "$evil" '.host = $e | .tags = {rack: $e, job: "7"} | .assertions = [
		{condition: "p99(wake)<1us", holds: false, value: 9000, found: $e}, {condition: "missed==0", holds: true, value: 0, found: "0"}] |
		(.cpu[0], .all) |= (.missed = 1000 | .due += 1000 | .over.n = 1000 | .over.of += 1000)' small.json > formats/run.json
	as_attach 1 1 < pairs/a-1.json | jq -c '.tags = {rack: "b7"} | .host = "h"' > formats/attach.json
	jq -c '.cpu[].host = "h1" | .host = null | .tags = {rack: "b7"} | .cpu += [.cpu[] | .host = "h2"] |
		(.all | .windows, .due, .over.of, (.hist[] | .n, .sum, .buckets[][1])) *= 2 | .runs = 2' small.json > formats/merged.json
	"$tool" gate -q --json formats/compare.json "${before[@]}" -- pairs/c-*.json
	jq -cn '{format: "tlob-load validation", version: 1, verdict: "not fit", phases: [
		{name: "idle", state: "done", kept: true, response_max_ns: 90000}, {name: "@cpu", state: "done", kept: false, response_max_ns: 1500000},
		{name: "@gpu", state: "skipped", kept: null, response_max_ns: null}]}' > formats/validate.json
}

formats_read() {
	local format file
	for file in run attach merged compare validate; do
		export_as openmetrics formats/$file.json || return
	done
	# from a pipe, which can be read once
	for file in run attach compare; do
		"$tool" report -f openmetrics formats/$file.json > formats/once &&
			"$tool" report -f openmetrics <(cat formats/$file.json) | cmp - formats/once || return
	done
	for format in wake irq; do
		export_as rt-tests formats/run.json --metric $format || return
	done
	! cmp -s formats/out.rt-tests <("$tool" report -f rt-tests formats/run.json)
}

# Readers take a return code of 0 for a pass.
formats_in_doubt() {
	local change
	for change in '.partial = true' '.stopped_by = "SIGINT"' '.policy = "other" | .policy_asked = "fifo:95"' \
		'.assertions = [{condition: "p99.9(wake)<1us", holds: null, value: null, found: "no data"}]'; do
		jq -c "$change" small.json > doubt.json || return
		"$tool" report -f rt-tests doubt.json | jq -e '.return_code == 1' || return
		"$tool" report -f openmetrics doubt.json | grep -qx 'tlob_load_last_run_in_doubt 1' || return
	done
	"$tool" report -f rt-tests small.json | jq -e '.return_code == 0' || return
	"$tool" report -f openmetrics small.json | grep -qx 'tlob_load_last_run_in_doubt 0'
}

# What a number holds for, and what lowers it, is in each format.
formats_conditions() {
	local under='fifo:95, spin:200us every 1 ms, budget 1 ms, CPUs 0, backend tlob, dma_latency 0us, tuned: governor 2, load @io on CPUs 1'
	local but='["parts are inexact in less than 1 % of the windows","a run failed 1 assertion","a run left 1 assertion undecided"]'
	jq -c '.dma_latency = "0us" | .tune = "governor 2" | .load = "@io" | .load_cpus = "1" | (.cpu[0], .all) |= (.inexact = 5) |
		.run_id = "r" | .assertions = [{condition: "max(wake)<1us", holds: false, value: 9, found: "9ns"},
		{condition: "p99.9(wake)<1us", holds: null, value: null, found: "no data"},
		{condition: "missed==0", holds: true, value: 0, found: "0"}]' small.json > result.json && export_as openmetrics result.json || return
	"$tool" report -f json result.json | jq -e --arg u "$under" --argjson b "$but" '.conditions == $u and .lowered == $b' || return
	"$tool" report -f rt-tests result.json | jq -e --arg u "$under" --argjson b "$but" '.conditions == $u and .lowered == $b and .return_code == 2' || return
	grep -qxF 'tlob_load_last_run_lowered{reason="a run left 1 assertion undecided"} 1' formats/out.openmetrics || return
	"$tool" report -f csv result.json | grep -qF ",\"$under\",parts are inexact in less than 1 % of the windows; a run failed 1 assertion; a run left 1 assertion undecided," || return
	# the recipe, of a file that the tool has written
	"$tool" report -f json result.json > kcidb.json && mv kcidb.json result.json &&
		eval "$(sed -n '/^    jq --arg build/,/report.kcidb.json$/p' "$top/docs/how-to/other-formats.md")" || return
	jq -e --arg u "$under" '[.tests[].status] == ["FAIL", "ERROR", "PASS"] and all(.tests[]; .misc.conditions == $u)' report.kcidb.json
}

# A name of a verdict is a value or a key.
formats_no_control() {
	jq -cn '{format: "tlob-load validation", version: 1, verdict: "not fit", phases: [
		{name: "a\u001b[2J\u009b\u0007", state: "done", kept: false, response_max_ns: 90000}]}' > control.json
	"$tool" report -f openmetrics control.json > control.out || return
	grep -q 'a[^ ]*2J' control.out && no_escape control.out
}

formats_refused() {
	exits 1 'cyclictest has no region' "$tool" report -f rt-tests formats/attach.json &&
		jq -c '(.cpu[], .all) |= (.windows = 0 | .due = 0 | .hist[] |= {n: 0, sum: 0, min: null, max: null, buckets: []}) | .worst = [] | .cpu[].slices = null' small.json > nothing.json &&
		exits 1 'nothing.json: no window was measured' "$tool" report -f rt-tests nothing.json &&
		exits 1 'is a verdict: cyclictest has none' "$tool" report -f rt-tests formats/compare.json &&
		jq -c '.version = 9' formats/compare.json > other.json &&
		exits 1 'other.json: the file has version 9, but this tlob-load reads version 3' "$tool" report -f openmetrics other.json &&
		exits 129 'take one result' "$tool" report -f openmetrics small.json minute.json &&
		exits 129 'name the result with run --tag' "$tool" report -f openmetrics --label x small.json &&
		exits 129 '--metric is for --format rt-tests' "$tool" report -f openmetrics --metric irq small.json &&
		exits 1 'verdict: unknown' "$tool" report -f openmetrics <(jq -c '.verdict = "fine"' formats/compare.json)
}

# What breaks a rule is found: the readers are not blind.
formats_seen() {
	export_as openmetrics formats/run.json || return
	! "$top/tests/formats/check" openmetrics <(sed '0,/le="0.0002"} /s//&9/' formats/out.openmetrics) formats/run.json 2> /dev/null &&
		! "$top/tests/formats/check" openmetrics <(grep -v '^# HELP tlob_load_missed' formats/out.openmetrics) formats/run.json 2> /dev/null &&
		! "$top/tests/formats/check" rt-tests <("$tool" report -f rt-tests pairs/a-1.json) pairs/a-2.json 2> /dev/null
}

# Each text that a user or a host gave, in every form, of a run and of attach; and what may stay stays.
make_anonymize() {
	fixture formats || return
	local each='.host = "h-secret" | .command = "x > /home/secret" | .boot_id = "b-secret" | .run_id = "r-secret" | .tags = {rack: "secret"} |
		.notes = ["see secret"] | .noise.names = [{kind: "thread", id: 7, name: "t-secret", windows: 1, total_ns: 9, max_ns: 9},
		{kind: "thread", id: 8, name: "ktimers/1", windows: 1, total_ns: 9, max_ns: 9}, {kind: "irq", id: 9, name: "eth7", windows: 1, total_ns: 9, max_ns: 9}]'
	jq -c "$each"' | .label = "l-secret" | .trace_file = "/secret.txt" | .tuning = {kernel_arguments: "ip=secret", smt: "off"} |
		.worst[0].delayed_by = {pid: 7, name: "t-secret", idle_state: null} | .load = "./secret" | .load_cpus = "0" |
		.assertions = [{condition: "missed==0", holds: true, value: 0, found: "0"}]' small.json > formats/named.json
	as_attach 1 1 < pairs/a-1.json | jq -c "$each"' | .file = "/opt/secret" | .process.program = "secret" | .start.place = "f_secret" |
		.stop.place = "g_secret" | .worst[].name = "t-secret"' > formats/named-attach.json
}

anonymize_forms() {
	local file format
	for file in named named-attach; do
		for format in html md text json openmetrics; do
			"$tool" report -f $format formats/$file.json | grep -q secret || { echo "$format of $file never has a name"; return 1; }
			"$tool" report --anonymize -f $format formats/$file.json > formats/out.anonymous || return
			lacks -o '.\{0,20\}secret.*' formats/out.anonymous || { echo "$format of $file"; return 1; }
		done
	done
	"$tool" report --anonymize -f text formats/named.json > formats/out.anonymous
	grep -q ktimers/1 formats/out.anonymous && grep -q eth7 formats/out.anonymous || return
	"$tool" merge --anonymize formats/named.json <(jq -c ".load = \"./secret\" | .load_cpus = \"0\"" small.json) > formats/out.anonymous && lacks -q secret formats/out.anonymous || return
	# equal names stay equal, and a result without names is written as it was read
	"$tool" report --anonymize -f json formats/named.json | jq -e '.worst[0].delayed_by.name == .noise.names[0].name and .host != .boot_id and
		.tuning.smt == "off" and .assertions[0].value == 0' || return
	"$tool" report -f json formats/run.json | jq -c . > formats/again.json
	cmp formats/again.json <("$tool" report -f json formats/again.json | jq -c .) && jq -e '.assertions | length == 2' formats/again.json
}

anonymize_refused() {
	exits 129 '--anonymize is not for CSV' "$tool" report --anonymize -f csv small.json &&
		exits 129 'leave out --samples and --stacks' "$tool" report --anonymize --samples x.csv small.json &&
		exits 1 'is a verdict: --anonymize is for results' "$tool" report --anonymize -f openmetrics formats/compare.json
}

check formats.files fixture formats
check formats.read with formats formats_read
check formats.no_control formats_no_control
check formats.in_doubt formats_in_doubt
check formats.conditions formats_conditions
check formats.refused with formats formats_refused
check formats.seen with formats formats_seen
check anonymize.files fixture anonymize
check anonymize.forms with anonymize anonymize_forms
check anonymize.refused with formats anonymize_refused
