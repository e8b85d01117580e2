# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Merge and report read: files that are whole, cut off, copied, too large or not ours. Part of
# tests/cli/run.
# shellcheck disable=SC2016,SC2154

fixture day small minute pairs || return

is_itself() {
	"$tool" merge small.json > merged.json || return
	jq -S 'del(.command)' small.json > is.json && [ -s is.json ] || return
	diff is.json <(jq -S "del(.command, .conditions, .lowered, .all, .cpu[].quantiles)" merged.json | jq -S --slurpfile s small.json '. + {all: $s[0].all}')
}

adds_up() {
	"$tool" merge pairs/a-?.json -o sum.json || return
	valid sum.json || return
	[ "$(jq .all.windows sum.json)" = "$(jq -s 'map(.all.windows) | add' pairs/a-?.json)" ] || { echo windows; return 1; }
	# jq's numbers are too short for it
	/usr/bin/python3 -c '
import json, sys
def wake(name):
    return sum(cpu["hist"]["wake"]["sum"] for cpu in json.load(open(name))["cpu"])
sys.exit(wake(sys.argv[1]) != sum(map(wake, sys.argv[2:])))' sum.json pairs/a-?.json || { echo sum; return 1; }
	[ "$(jq -c '[.all.hist.wake.buckets[][1]] | add' sum.json)" = "$(jq .all.windows sum.json)" ] || { echo buckets; return 1; }
}

truncated() {
	local size bytes
	size=$(stat -c %s small.json)
	for bytes in 0 1 100 $((size / 2)) $((size - 2)); do
		head -c "$bytes" small.json > cut.json
		exits 1 cut.json "$tool" report -f text cut.json || return
		exits 1 cut.json "$tool" gate small.json -- cut.json || return
	done
}

# not_renamed: the old file stays when the new one cannot be made.
not_renamed() {
	echo before > keep.json
	exits 1 '' "$tool" merge small.json nothing.json -o keep.json || return
	[ "$(cat keep.json)" = before ] || { echo "keep.json was written"; return 1; }
	[ -z "$(find . -name '.*tmp')" ] || { echo "a temporary file was left"; return 1; }
}

# foreign_links: in a directory that everybody may write, somebody else's link does not choose which
# file is replaced.
foreign_links() {
	mkdir -p shared behind && chmod 1777 shared && echo before > behind/theirs.json &&
		ln -sfn ../behind/theirs.json shared/link.json && chown -h nobody shared/link.json || return
	exits 1 'cannot write shared/link.json: Permission denied' "$tool" merge small.json -o shared/link.json || return
	[ "$(cat behind/theirs.json)" = before ] || { echo "the file behind the link was replaced"; return 1; }
	chown -h "$(id -u)" shared/link.json && "$tool" merge small.json -o shared/link.json && valid behind/theirs.json
}

# A FIFO that nobody writes to is no input, and a file that is too large is not read first.
no_input() {
	rm -f fifo.json && mkfifo fifo.json && truncate -s 100G sparse.json || return
	exits 1 'fifo.json' "$tool" report fifo.json || return
	(ulimit -v 600000; exits 1 'sparse.json: File too large' "$tool" report sparse.json)
}

# behind_links: a link stays, and the file behind it is replaced as a whole, also where there is none
# yet. What is open already, as /dev/stdout, is written in place.
behind_links() {
	mkdir -p behind && ln -sfn behind/file.json link.json && ln -sfn link.json links.json || return
	echo before > behind/file.json
	exits 1 'nothing.json: No such' "$tool" merge small.json nothing.json -o links.json || return
	[ "$(cat behind/file.json)" = before ] || { echo "the file behind the link was truncated"; return 1; }
	"$tool" merge small.json -o links.json && [ -L link.json ] && [ -L links.json ] && valid behind/file.json || return
	rm behind/file.json
	"$tool" merge small.json -o link.json && [ -L link.json ] && valid behind/file.json || return
	exits 129 'two outputs write to' "$tool" compare --json links.json --html behind/file.json small.json -- small.json || return
	ln -sfn /proc/self/fd/1 open.json && "$tool" merge small.json -o open.json > opened.json && valid opened.json &&
		[ -L open.json ] || return
	# also what is added to, and not replaced
	ln -sfn /proc/self/fd/1 open.csv && "$tool" report --append open.csv small.json > opened.csv && [ -L open.csv ] &&
		head -n 1 opened.csv | grep -q '^time,commit,'
}

# What could not be named at the end is found before anything is read.
never_named() {
	local long
	printf -v long 'x%.0s' {1..300}
	exits 1 'File name too long' "$tool" merge small.json nothing.json -o "$long.json" || return
	exits 1 'Too many levels' bash -c 'ln -sfn loop loop; "$0" merge small.json nothing.json -o loop' "$tool"
}

if [ "$(id -u)" -eq 0 ]; then
	check foreign_links foreign_links
else
	skip foreign_links "only root can give a link to another user"
fi
check no_input no_input
check schema valid small.json pairs/a-1.json
check day_is_small [ "$(stat -c %s day.json)" -lt $((16 << 20)) ]
check merge_of_one is_itself
check merge_adds_up adds_up

make_sum40() { hosts 40 && "$tool" merge --files-from hosts/40.list -o hosts/sum40; }

# Every CPU is there, and the sum is the sum of the parts.
every_host() {
	jq -e '(.cpu | length) == 40 * 64 and .host == null and .runs == 40 and
		.all.windows == ([.cpu[].windows] | add) and .all.hist.wake.n == .all.windows and
		([.all.hist.wake.buckets[][1]] | add) == .all.windows and
		([.cpu[].host] | unique | length) == 40 and (.worst | length) == 16 and all(.worst[]; .host | startswith("host"))' \
		hosts/sum40 > /dev/null || return
	# the histograms of one CPU and of the last
	diff <(jq -c '.cpu[3].hist, .cpu[63].hist' hosts/1.json) \
		<(jq -c '.cpu[] | select(.host == "host1" and (.cpu == 3 or .cpu == 63)).hist' hosts/sum40)
}

# What the tool wrote it reads, also where that is more than it takes from a file of unknown size. A file that gzip made
# of blanks grows a thousand times.
large_is_read() {
	local size
	size=$(stat -c %s hosts/sum40)
	[ "$size" -gt $((64 << 20)) ] || { echo "the sum has only $size bytes"; return 1; }
	"$tool" report -f text hosts/sum40 > large.txt && gzip -1c hosts/sum40 > large.json.gz &&
		"$tool" report -f text large.json.gz | cmp large.txt || return
	rm large.json.gz
	{ cat small.json && head -c 65M /dev/zero | tr '\0' ' '; } | gzip -1c > blanks.json.gz || return
	exits 1 'blanks.json.gz: File too large' "$tool" report blanks.json.gz && rm blanks.json.gz
}

from_list() {
	hosts 2 || return
	"$tool" merge hosts/1.json hosts/2.json -o two.json && "$tool" merge --files-from - -o two2.json < hosts/2.list || return
	cmp <(jq -c 'del(.command)' two.json) <(jq -c 'del(.command)' two2.json) || return
	echo hosts/2.json | "$tool" merge hosts/1.json --files-from - -o two3.json || return
	cmp <(jq -c 'del(.command)' two.json) <(jq -c 'del(.command)' two3.json)
}

# The sum of two hosts is also a result.
two_hosts() {
	sed 's/"host":"simulated"/"host":"other"/' pairs/a-1.json > other-host.json
	"$tool" merge pairs/a-2.json other-host.json -o two-hosts.json && valid two-hosts.json || return
	"$tool" report -f text two-hosts.json | grep -q '^worst window: cpu . of \(simulated\|other\), ' || return
	"$tool" merge two-hosts.json pairs/a-3.json -o three.json && valid three.json || return
	jq -e '.runs == 3 and (.cpu | length) == 4 and ([.worst[].host] | unique) == ["other", "simulated"]' three.json
}

check merge_files_from from_list
check merge_two_hosts two_hosts
check merge_empty_list exits 129 'the list is empty' "$tool" merge --files-from /dev/null
check merge_no_list exits 1 '--files-from nowhere: No such file' "$tool" merge --files-from nowhere
check merge_every_host with sum40 every_host
check large_is_read with sum40 large_is_read
check merge_of_works exits 1 'work: spin:200us, but spin:1us in other.json' \
	bash -c "jq -c '.work = \"spin:1us\" | .seed = 7' small.json > other.json; \"\$0\" merge small.json other.json" "$tool"
check truncated truncated
check missing exits 1 'nothing.json: No such file' "$tool" merge nothing.json
check atomic not_renamed
check atomic_behind_links behind_links
check never_named never_named
check merge_run_of_sum exits 1 'of-two.json and pairs/a-2.json have a run in common: the windows would count twice' \
	bash -c '"$0" merge pairs/a-1.json pairs/a-2.json -o of-two.json && "$0" merge of-two.json pairs/a-2.json' "$tool"
check merge_twice exits 1 'the windows would count twice' bash -c 'cp small.json same.json; "$0" merge small.json same.json' "$tool"
check full_disk_is_said exits 1 'cannot write to stdout: No space left on device' bash -c '"$0" help > /dev/full' "$tool"
# A form that is longer than the buffer of its stream, too.
long_output_full() {
	local form i
	for i in {1..400}; do cp small.json "long-$i.json"; done
	for form in csv md text json; do
		exits 1 'cannot write the output: No space left on device' \
			bash -c '"$0" report -f "$1" --files-from <(ls long-*.json) > /dev/full' "$tool" $form || return
	done
	rm long-*.json
	exits 1 'cannot write /dev/full: No space left on device' "$tool" merge small.json -o /dev/full || return
	exits 1 'cannot write /dev/full: No space left on device' "$tool" report -o /dev/full small.json
}
check full_disk_is_named long_output_full

# Samples of which the end is missing, in the middle of a row.
samples_cut() {
	awk 'BEGIN { print "cpu,time_ns,irq_ns,wake_ns,response_ns,verdict"
		for (i = 0; i < 20000; i++) printf "0,%d,%d,%d,%d,ok\n", i, i % 97, i % 97 + i % 89, i % 97 + 1000 }' > whole.csv
	head -c -5 whole.csv > short.csv && gzip -c whole.csv > whole.csv.gz && head -c -2000 whole.csv.gz > short.csv.gz || return
	exits 1 'short.csv is cut short, or damaged' "$tool" report --samples short.csv || return
	exits 1 'short.csv.gz is cut short, or damaged' "$tool" report --samples short.csv.gz || return
	"$tool" report --samples whole.csv.gz > whole.html
}
check samples_cut samples_cut
check full_disk exits 1 'cannot write stdout' bash -c '"$0" merge small.json > /dev/full' "$tool"
