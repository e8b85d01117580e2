# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Hosts compared. Part of tests/cli/run.
# shellcheck disable=SC2154

fixture small pairs || return

# Nine hosts from runs of a and one that is half as slow again, three of each: files, packed files and lines.
evil="<b>h8"
make_fleet() {
	local i k
	mkdir -p fleet packed
	for k in 1 2 3; do
		for i in 1 2 3 4 5 6 7 8; do
			jq -c --arg h "h$i" --argjson k $k '.host = $h | .tuning = {smt: "off"} | .seed += 1000 * $k' \
				pairs/a-$(((i + k) % 8 + 1)).json > fleet/$i-$k.json
		done
		jq -c --arg h "$evil" '.host = $h | .tuning = {smt: "on"}' pairs/c-$k.json > fleet/9-$k.json || return
		gzip -c fleet/9-$k.json > packed/9-$k.json.gz
	done
	cp fleet/[1-8]-?.json packed
}
fleet_named() {
	exits 2 '1 of 9 hosts is slower than the others: <b>h8' "$tool" fleet --html fleet.html fleet || return
	grep -qF '&lt;b&gt;h8' fleet.html && lacks -qF '<b>h8' fleet.html || return
	exits 2 '' "$tool" fleet --json fleet.json fleet || return
	valid fleet.json || return
	jq -e --arg h "$evil" '.groups[0].differences == [{fact: "smt", usual: "off", hosts: 8, others: {($h): "on"}}]' fleet.json || return
	[ "$("$tool" fleet fleet)" = "$("$tool" fleet fleet | cat -s)" ] || return
	diff <("$tool" fleet fleet) <("$tool" fleet packed) && diff <("$tool" fleet fleet) <(cat fleet/*.json | "$tool" fleet -)
}

# A quantile among the missed expiries is no time: of a host, and of one run of another. p50 is one.
fleet_missed() {
	local i lose='.cpu |= map(.missed += 1000 | .due += 1000) | .all.missed += 2000 | .all.due += 2000 | .seed += 100'
	mkdir -p missed && cp fleet/[1-8]-?.json missed || return
	for i in 1 2 3; do
		jq -c ".host = \"h9\" | $lose" fleet/1-$i.json > missed/9-$i.json
	done
	jq -c "$lose" fleet/2-2.json > missed/2-2.json || return
	exits 2 '1 of 9 hosts is slower than the others: h9 (p99(wake) missed)' "$tool" fleet --json missed.json --html missed.html missed || return
	"$tool" fleet missed > missed.out
	grep -xE 'h9 +p99\(wake\) +missed +- +[0-9.e-]+' missed.out && grep '^apart     h2: 1 of 3 runs: p99.*) missed, not in its others$' missed.out || return
	grep -qE '<td style="background:rgba\(210,60,40,0.70\)">missed' missed.html && lacks -qE 'inf|nan|3600s' missed.html || return
	jq -e '.groups[0].hosts[0].quantiles | (.["p99(wake)"] | .ns == null and .ratio == null and .z == null and .p < 0.003) and .["p50(wake)"].ns > 0' missed.json || return
	valid missed.json
}

# Without irq, as with the backend posix, no host has its quantiles: they name nobody.
fleet_no_irq() {
	jq -c '(.cpu[], .all) |= (.hist.irq = {n: 0, sum: 0, min: 0, max: 0, buckets: []})' fleet/*.json > no-irq.jsonl || return
	exits 2 '1 of 9 hosts is slower than the others: <b>h8' "$tool" fleet - < no-irq.jsonl &&
		exits 0 'no host is slower than the others' "$tool" fleet - < <(head -n 24 no-irq.jsonl)
}

# One run is no evidence, however slow it is: neither of each host, nor of one among others with three.
fleet_one_run() {
	exits 3 'cannot tell: no host has more than 1 run: 3 of each are needed' "$tool" fleet --html once.html fleet/?-1.json || return
	grep -q 'cannot tell: no host has more than 1 run: 3 of each are needed' once.html || return
	exits 0 'no host is slower than the others' "$tool" fleet --json once.json fleet/[1-8]-?.json fleet/9-1.json || return
	"$tool" fleet fleet/[1-8]-?.json fleet/9-1.json | grep -qx 'apart     <b>h8: 1 run: too few to name it' || return
	jq -e --arg h "$evil" '.groups[0].hosts | all(.[]; (.p == null) == (.host == $h)) and length == 9' once.json && valid once.json
}

# Machines that share a name are told apart by their machine_id, and by a number.
fleet_same_name() {
	local i
	mkdir -p same && cp fleet/[1-8]-?.json same || return
	for i in 1 2 3; do
		jq -c --arg i $i '.host = "localhost" | .machine_id = $i | .tuning.smt = "value " + $i | .seed += 300' fleet/$i-1.json > same/local-$i.json
	done
	exits 0 'value 2 on localhost (2);' "$tool" fleet --json same.json same || return
	jq -e '.groups[0].differences[0].others == {"localhost": "value 1", "localhost (2)": "value 2", "localhost (3)": "value 3"}' same.json
}

# Hosts without windows say nothing, however many there are.
fleet_no_windows() {
	jq -c 'def none: .windows = 0 | .due = 0 | .hist |= map_values({n: 0, sum: 0, min: 0, max: 0, buckets: []});
		.cpu |= map(none) | .all |= none' fleet/[1-8]-?.json > none.jsonl || return
	exits 3 'cannot tell: fewer than 8 of 8 hosts with equal settings have enough windows: measure longer' "$tool" fleet --html none.html - < none.jsonl &&
		grep -q 'cannot tell: fewer than 8 hosts have enough windows' none.html
}

# A slow host is not named by runs that had not the policy that was to be used.
fleet_policy_refused() {
	jq -c '.policy = "other" | .policy_asked = "fifo:95"' fleet/[1-9]-?.json > refused.jsonl || return
	exits 3 'cannot tell: measured with policy other, because fifo:95 was not permitted' "$tool" fleet --json refused.json --html refused.html - < refused.jsonl || return
	"$tool" fleet - < refused.jsonl | grep -q '^under     policy other, spin:200us every 1 ms' || return
	jq -e '.verdict == "cannot tell" and .groups[0].decided == false and (.groups[0].conditions | startswith("policy other")) and (.groups[0].lowered | length == 1)' refused.json &&
		grep -q 'cannot tell: measured with policy other' refused.html
}

# The name of a host, also of one that is named, and as a key of JSON.
fleet_no_control() {
	local evil=$'h9\e[2J\xc2\x9b\a\tx'
	local k
	mkdir -p control && cp fleet/[1-8]-?.json control || return
	for k in 1 2 3; do
		jq -c --arg h "$evil" '.host = $h' fleet/9-$k.json > control/9-$k.json
	done
	exits 2 '' "$tool" fleet --json control.json control || return
	"$tool" fleet control > control.out
	grep -qE '^h9\\x1b\[2J\\xc2\\x9b\\x07\\x09x  p' control.out || { cat -v control.out; return 1; }
	no_escape control.out && no_escape control.json && jq -e '.groups[0].differences[0].others | keys ==
		["h9\\x1b[2J\\xc2\\x9b\\x07\\x09x"]' control.json
}

# merge takes the same: a folder, packed files, lines of stdin, also among files.
merge_lines() {
	local sum='del(.command)'
	"$tool" merge pairs/a-[1-4].json | jq -c "$sum" > merged.json || return
	mkdir -p merging && cp pairs/a-[1-3].json merging && gzip -c pairs/a-4.json > merging/a-4.json.gz || return
	diff merged.json <("$tool" merge merging | jq -c "$sum") &&
		diff merged.json <(jq -c . pairs/a-[1-4].json | "$tool" merge - | jq -c "$sum") &&
		diff merged.json <(jq -c . pairs/a-[23].json | "$tool" merge pairs/a-1.json - pairs/a-4.json | jq -c "$sum") || return
	exits 1 'line 2 of stdin and pairs/a-2.json have a run in common' "$tool" merge - pairs/a-2.json < <(jq -c . pairs/a-[12].json) &&
		exits 1 'line 1 of stdin: cut off after 2 bytes' "$tool" merge - <<< '{' &&
		exits 1 'line 1 of stdin: not a text' "$tool" merge - < <(printf '{}\0\n') &&
		exits 1 'cannot read stdin: Is a directory' "$tool" merge - < . &&
		exits 1 'no result' "$tool" merge - < /dev/null
}

# Across hosts a sum is as large as one result, and a sum of sums is the sum.
make_across() {
	local i
	mkdir -p across
	for i in 1 2 3 4; do
		jq -c --arg h "h$i" '.host = $h' pairs/a-$i.json > across/$i.json || return
	done
}
merge_across() {
	local numbers='{windows: .all.windows, cpus: [.cpu[] | {cpu, host, windows, hist}], worst: [.worst[] | {host, response_ns}], noise, runs}'
	"$tool" merge across -o apart.json && "$tool" merge --across-hosts across | jq -c . > across.json || return
	"$tool" merge --across-hosts across/[12].json > across-12.json && "$tool" merge --across-hosts across/[34].json > across-34.json || return
	jq -e --slurpfile apart apart.json '[.cpu[].cpu] == [0, 1] and .host == null and all(.cpu[]; .host == null) and
		.all.windows == $apart[0].all.windows and .all.hist == $apart[0].all.hist and ([.worst[].host] | unique) == ["h1", "h2", "h3", "h4"] and
		.cpu[1].windows == ([$apart[0].cpu[] | select(.cpu == 1) | .windows] | add)' across.json || return
	diff <(jq -c "$numbers" across.json) <("$tool" merge --across-hosts across-12.json across-34.json | jq -c "$numbers")
}

# Two files of one size that gzip made differ behind a NUL.
merge_packed() {
	mkdir -p zipped
	gzip -nc across/1.json > zipped/1.json.gz && gzip -nc across/2.json > zipped/2.json.gz || return
	local size=$(($(stat -c %s zipped/1.json.gz) + $(stat -c %s zipped/2.json.gz)))
	truncate -s $size zipped/1.json.gz zipped/2.json.gz && cp zipped/1.json.gz zipped/3.json.gz || return
	"$tool" merge zipped/[12].json.gz | jq -e '.runs == 2' || return
	exits 1 'zipped/1.json.gz and zipped/3.json.gz are the same' "$tool" merge zipped
}

fleet_refused() {
	exits 3 'cannot tell: 7 hosts with equal settings at most, and 8 are needed' "$tool" fleet fleet/[1-7]-?.json &&
		exits 1 'was given before: it would count twice' "$tool" fleet fleet/1-1.json fleet/1-1.json &&
		exits 1 'is the sum of several' "$tool" fleet <(jq -c '.host = null' small.json) &&
		exits 1 'damaged: gzip cannot read it' "$tool" fleet <(head -c 500 packed/9-1.json.gz) &&
		exits 129 'give files or folders' "$tool" fleet
}

check fleet.named with fleet fleet_named
check fleet.missed with fleet fleet_missed
check fleet.one_run with fleet fleet_one_run
check fleet.no_irq with fleet fleet_no_irq
check fleet.same_name with fleet fleet_same_name
check fleet.no_windows with fleet fleet_no_windows
check fleet.no_control with fleet fleet_no_control
check fleet.policy_refused with fleet fleet_policy_refused
check fleet.refused with fleet fleet_refused
check merge.lines merge_lines
check merge.across with across merge_across
check merge.packed with across merge_packed
