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
		exits 1 'no result' "$tool" merge - < /dev/null
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
