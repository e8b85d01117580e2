# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# A line for each host, and the sum of hosts. Part of tests/cli/run.
# shellcheck disable=SC2154

fixture small pairs || return

# Nine hosts from runs of a and one that is half as slow again, three of each: files, packed files and lines.
evil="<b>h8"
make_hosts() {
	local i k
	mkdir -p hosts packed
	for k in 1 2 3; do
		for i in 1 2 3 4 5 6 7 8; do
			jq -c --arg h "h$i" --argjson k $k '.host = $h | .boot_id = (if $k < 3 then "one" else "two" end) | .tuning = {smt: "off"} | .seed += 1000 * $k' \
				pairs/a-$(((i + k) % 8 + 1)).json > hosts/$i-$k.json
		done
		jq -c --arg h "$evil" '.host = $h | .boot_id = null | .tuning = {smt: "on"}' pairs/c-$k.json > hosts/9-$k.json || return
		gzip -c hosts/9-$k.json > packed/9-$k.json.gz
	done
	cp hosts/[1-8]-?.json packed
}

# row NAME: the line of a host in hosts.out, its columns joined by one blank.
row() { grep -F "$1 " hosts.out | grep -v '^settings' | tr -s ' '; }

# The slowest comes first; medians, boots, the spread and the counts are those of its runs.
hosts_table() {
	"$tool" report --hosts hosts > hosts.out || return
	[ "$(sed -n '/^host  /{n;p}' hosts.out | cut -d' ' -f1)" = "$evil" ] || { cat hosts.out; return 1; }
	if ! grep -x '9 hosts, 27 runs' hosts.out || ! grep -x 'settings  smt: off on 8; <b>h8: on' hosts.out; then cat hosts.out; return 1; fi
	row h1 | grep -E '^h1 3 2 ' && row "$evil" | grep -E '^<b>h8 3 - ' || return
	local windows
	windows=$(jq -s 'map(.all.windows + .all.missed) | add' hosts/1-?.json) || return
	[ "$(row h1 | sed 's/.* of //; s/ //g')" = "$windows" ] || { row h1; return 1; }
	"$tool" report --hosts hosts/1-1.json > hosts.out && row h1 | grep -E "^h1 1 1 [^ ]+ [^ ]+ [^ ]+ 1\.00 " || return
	diff <("$tool" report --hosts hosts) <("$tool" report --hosts packed) && diff <("$tool" report --hosts hosts) <(cat hosts/*.json | "$tool" report --hosts -)
}

# A quantile among the missed expiries is no time, and slower than any.
hosts_missed() {
	local i
	mkdir -p missed && cp hosts/*.json missed || return
	for i in 1 2; do
		jq -c '.cpu |= map(.missed += 1000 | .due += 1000) | .all.missed += 2000 | .all.due += 2000 | .seed += 100' hosts/2-$i.json > missed/2-$i.json || return
	done
	"$tool" report --hosts missed > hosts.out || return
	[ "$(sed -n '/^host  /{n;p}' hosts.out | cut -d' ' -f1)" = h2 ] || { cat hosts.out; return 1; }
	row h2 | grep -E '^h2 3 2 [0-9.]+[mun]s missed missed - ' || { row h2; return 1; }
	lacks -qE 'inf|nan' hosts.out
}

# Without windows nothing is known. Other settings are another group; a policy that was not had is said.
hosts_groups() {
	{
		jq -c 'def none: .windows = 0 | .due = 0 | .hist |= map_values({n: 0, sum: 0, min: 0, max: 0, buckets: []});
			.cpu |= map(none) | .all |= none' hosts/1-1.json
		jq -c '.policy = "other" | .policy_asked = "fifo:95"' hosts/2-1.json
		jq -c '.kernel = "9.9"' hosts/3-1.json hosts/4-1.json
	} | "$tool" report --hosts - > hosts.out || return
	row h1 | grep -qx 'h1 1 1 - - - - - - 0 of 0' || { cat hosts.out; return 1; }
	if [ "$(grep -cE '^[12] hosts?, [12] runs?$' hosts.out)" != 3 ] || ! grep -q '^but .*fifo:95' hosts.out ||
	   ! tr '\n' ' ' < hosts.out | tr -s ' ' | grep -q 'Linux 9.9'; then
		cat hosts.out
		return 1
	fi
}

# Machines that share a name are told apart by their machine_id, and by a number.
hosts_same_name() {
	local i
	mkdir -p same
	for i in 1 2 3; do
		jq -c --arg i $i '.host = "localhost" | .machine_id = $i | .seed += 300' hosts/$i-1.json > same/$i.json || return
	done
	"$tool" report --hosts same > hosts.out
	[ "$(grep -o '^localhost\( ([23])\)\?' hosts.out | sort | tr '\n' ,)" = 'localhost,localhost (2),localhost (3),' ] || { cat hosts.out; return 1; }
	"$tool" report --hosts --anonymize same hosts > hosts.out && lacks -qE "localhost|h[1-8]" hosts.out
}

# A name that would move the cursor.
hosts_no_control() {
	jq -c --arg h $'h9\e[2J\xc2\x9b\a\tx' '.host = $h' hosts/9-1.json | "$tool" report --hosts - hosts/1-1.json > control.out || return
	grep -qE '^h9\\x1b\[2J\\xc2\\x9b\\x07\\x09x  ' control.out || { cat -v control.out; return 1; }
	no_escape control.out
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

hosts_refused() {
	exits 1 'was given before: it would count twice' "$tool" report --hosts hosts/1-1.json hosts/1-1.json &&
		exits 1 'is the sum of several' "$tool" report --hosts <(jq -c '.host = null' small.json) &&
		exits 1 'partial: it was written before' "$tool" report --hosts <(jq -c '.partial = true' hosts/1-1.json) &&
		exits 1 'damaged: gzip cannot read it' "$tool" report --hosts <(head -c 500 packed/9-1.json.gz) &&
		exits 1 'no result: give the results of hosts' "$tool" report --hosts - < /dev/null &&
		exits 129 '--hosts prints a table of text' "$tool" report --hosts --html hosts.html hosts &&
		exits 129 'no result: give the files to show' "$tool" report --hosts
}

check hosts.table with hosts hosts_table
check hosts.missed with hosts hosts_missed
check hosts.groups with hosts hosts_groups
check hosts.same_name with hosts hosts_same_name
check hosts.no_control with hosts hosts_no_control
check hosts.refused with hosts hosts_refused
check merge.lines merge_lines
check merge.across with across merge_across
check merge.packed with across merge_packed
