# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Hosts compared. Part of tests/cli/run, which has $top, $tool, $out, check and exits, and is in $out.
# shellcheck disable=SC2154

# Nine hosts from eight runs of a and one that is half as slow again; files, packed files and lines.
fleet_named() {
	local i evil='<b>h8'
	mkdir -p fleet packed
	for i in 1 2 3 4 5 6 7 8; do
		jq -c --arg h "h$i" '.host = $h | .tuning = {smt: "off"}' pairs/a-$i.json > fleet/$i.json
	done
	jq -c --arg h "$evil" '.host = $h | .tuning = {smt: "on"}' pairs/c-1.json > fleet/9.json
	exits 2 '1 of 9 hosts is slower than the others: <b>h8' "$tool" fleet --html fleet.html fleet || return
	grep -qF '&lt;b&gt;h8' fleet.html && ! grep -qF '<b>h8' fleet.html || return
	exits 2 '' "$tool" fleet --json fleet.json fleet || return
	/usr/bin/python3 -W ignore -c 'import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))' "$top/docs/reference/fleet.schema.json" fleet.json || return
	jq -e --arg h "$evil" '.groups[0].differences == [{fact: "smt", usual: "off", hosts: 8, others: {($h): "on"}}]' fleet.json || return
	gzip -c fleet/9.json > packed/9.json.gz && cp fleet/[1-8].json packed || return
	diff <("$tool" fleet fleet) <("$tool" fleet packed) && diff <("$tool" fleet fleet) <(cat fleet/*.json | "$tool" fleet -)
}

# merge takes the same: a folder, packed files, lines of stdin, also among files.
merge_lines() {
	local sum='del(.command)'
	"$tool" merge pairs/a-[1-4].json | jq -c "$sum" > merged.json || return
	mkdir -p merging && cp pairs/a-[1-3].json merging && gzip -c pairs/a-4.json > merging/a-4.json.gz || return
	diff merged.json <("$tool" merge merging | jq -c "$sum") &&
		diff merged.json <(jq -c . pairs/a-[1-4].json | "$tool" merge - | jq -c "$sum") &&
		diff merged.json <(jq -c . pairs/a-[23].json | "$tool" merge pairs/a-1.json - pairs/a-4.json | jq -c "$sum") || return
	exits 1 'line 2 of stdin and pairs/a-2.json are the same' "$tool" merge - pairs/a-2.json < <(jq -c . pairs/a-[12].json) &&
		exits 1 'line 1 of stdin: cut off after 2 bytes' "$tool" merge - <<< '{' &&
		exits 1 'line 1 of stdin: not a text' "$tool" merge - < <(printf '{}\0\n') &&
		exits 1 'cannot read stdin: Is a directory' "$tool" merge - < . &&
		exits 1 'no result' "$tool" merge - < /dev/null
}

# Across hosts a sum is as large as one result, and a sum of sums is the sum.
merge_across() {
	local numbers='{windows: .all.windows, cpus: [.cpu[] | {cpu, host, windows, hist}], worst: [.worst[] | {host, response_ns}], noise, runs}'
	mkdir -p across
	for i in 1 2 3 4; do
		jq -c --arg h "h$i" '.host = $h' pairs/a-$i.json > across/$i.json
	done
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

# Sixteen hosts, one in memory at a time: less than the 29 MiB of the input, and less time than jq parses it in.
scale() {
	"$top/tests/cli/big" --cpus 16 --hosts 16 > hosts.jsonl
	# shellcheck disable=SC2016 # the inner shell expands it
	within 0.45 28 hosts.jsonl -- bash -c 'exec "$0" merge --across-hosts -o sixteen.json - < hosts.jsonl' "$tool" &&
		within 0.3 28 hosts.jsonl -- bash -c 'exec "$0" fleet --json sixteen-hosts.json - < hosts.jsonl' "$tool" || return
	jq -e '.runs == 16 and (.cpu | length) == 16' sixteen.json && jq -e '.hosts | length == 16' sixteen-hosts.json || return
	rm hosts.jsonl
}

fleet_refused() {
	exits 0 'cannot tell: 7 hosts with equal settings at most, and 8 are needed' "$tool" fleet fleet/[1-7].json &&
		exits 1 'was given before: it would count twice' "$tool" fleet fleet/1.json fleet/1.json &&
		exits 1 'is the sum of several' "$tool" fleet <(jq -c '.host = null' small.json) &&
		exits 1 'damaged: gzip cannot read it' "$tool" fleet <(head -c 500 packed/9.json.gz) &&
		exits 129 'give files or folders' "$tool" fleet
}

check fleet.named fleet_named
check fleet.refused fleet_refused
check merge.lines merge_lines
check merge.across merge_across
check merge.packed merge_packed
check fleet.scale scale
