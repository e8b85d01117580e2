# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Report's other forms: rows, CSV, Markdown, what a person calls the results. Part of
# tests/cli/run.
# shellcheck disable=SC2154

fixture day day2 small minute pairs || return

# Several threads read the CPUs: the first wrong one is named, and the sum is the same.
by_threads() {
	jq -c '.cpu[40].windows = -1 | .cpu[41].windows = -2 | .cpu[63].cpu = 62' day.json > wrong.json || return
	exits 1 'wrong.json: cpu[40].windows: ' "$tool" merge wrong.json || return
	jq -c '.cpu[63].cpu = 62' day.json > wrong.json || return
	exits 1 'wrong.json: cpu: 62 stands there twice' "$tool" merge wrong.json || return
	"$tool" merge day.json day2.json > threads.json || return
	taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')" "$tool" merge day.json day2.json | cmp - threads.json
}
check by_threads by_threads

# What a person calls the results: of run, of report, else the file; and the kernels where they differ.
legend() {
	"$tool" report -o legend.html "$@" && dom legend.html &&
		grep -o '</svg>wake[^<]*</button>' dom.html | sed 's/^.*wake, //; s/<.*//' | head -n 2 | paste -sd '|'
}
labels() {
	mkdir -p named elsewhere
	jq -c '.label = "smt <off>"' small.json > named/r.json || return
	jq -c '.kernel = "6.12.94-rt #1 SMP" | .seed = 3' small.json > elsewhere/r.json || return
	local kernel
	kernel=$(jq -r '.kernel | split(" ")[0]' small.json)
	diff <(legend named/r.json small.json; legend --label A --label B named/r.json small.json
		legend named/r.json elsewhere/r.json; legend small.json elsewhere/r.json) - <<-EOF || return
	smt &lt;off&gt;|small.json
	A|B
	smt &lt;off&gt; ($kernel)|elsewhere/r.json (6.12.94-rt)
	small.json ($kernel)|r.json (6.12.94-rt)
	EOF
	"$tool" report -f md named/r.json | grep -qxF '## smt \<off\>' || return
	"$tool" report -f text named/r.json | grep -q ' workload, label smt <off>, ' || return
	exits 129 '--label is given 2 times for 1 result' "$tool" report --label A --label B small.json || return
	exits 129 'a line of CSV has --commit' "$tool" report -f csv --label A small.json
}
check labels labels

# More results than share a plot have a row each: the one that is far off comes first, then the late one.
make_rows() {
	fixture attach || return
	local first
	mkdir -p rows
	cp pairs/a-?.json rows
	jq -c '.cpu[0].violations = 7 | .budget_ns = 1000' pairs/a-3.json > rows/late.json
	for first in rows/a-?.json; do jq -c '.budget_ns = 1000' "$first" > rows/x && mv rows/x "$first"; done
	jq -c '.budget_ns = 1000' pairs/c-1.json > rows/slow.json
	jq -c '.budget_ns = 1000 | .partial = true | .seed = 77 | .label = "<img src=x>"' pairs/a-2.json > rows/partial.json
	page rows.html rows/*.json || return
	diff <(names_of rows.html | sed -n '1,2p;$=') - <<-EOF || return
	rows/slow.json
	rows/late.json
	11
	EOF
	shows rows.html 'class="verdict bad">1 of 11 results exceeded the budget; 1 in doubt; 1 outlier, the furthest rows/slow.json' \
		'&lt;img src=x&gt;<span class="unsure"> this was written before the run had ended' || return
	drawn rows.html 1 '<td class="bad"[^>]*>\+4[0-9.]* %<' && drawn rows.html 11 '<svg class="strip"' && only_text rows.html || return
	# a few, if they are asked for; three have no outlier, however far it is
	page few-rows.html --rows pairs/a-1.json pairs/a-2.json pairs/c-1.json || return
	shows few-rows.html 'class="verdict good">3 results within the budget; no outliers' || return
	[ "$(names_of few-rows.html | head -n 1)" = pairs/c-1.json ] || return
	# names in a file, also of attach; names of another setting are judged by themselves
	printf '%s\n' pairs/a-?.json pairs/a-1.json attach/a-?.json | page list.html --files-from - || return
	shows list.html 'each is compared with results of its own setting' '>work to done in prog, budget 1s' 'class="unsure">pairs/a-1.json is the same run as pairs/a-1.json'
}

# A quantile of too few windows is marked and has no number; without a window it has no row.
rows_unresolved() {
	"$top/tests/cli/big" --cpus 1 --seconds 1 | jq -c '(.cpu[], .all) |= (.hist[] |= {n: 2, sum: 2000, min: 1000, max: 1000, buckets: [[1000, 2]]} | .windows = 2 | .due = 2) |
		.worst = [] | .cpu[].slices = null' > two-windows.json || return
	jq -c '(.cpu[], .all) |= (.windows = 0 | .due = 0 | .hist[] |= {n: 0, sum: 0, min: null, max: null, buckets: []}) | .worst = [] | .cpu[].slices = null' small.json > no-windows.json
	page unresolved.html --rows two-windows.json no-windows.json small.json || return
	of_data unresolved.html '[.many.rows[] | select(.name == "two-windows.json") | .["p99", "p99.9", "wake"]] == [null, null, null]' &&
		of_data unresolved.html '.many.rows[] | select(.name == "no-windows.json") | .max_ns == null' && shows unresolved.html 'data-words="too few windows for this quantile"'
}

check rows fixture rows
for width in 320 768 1280; do check "rows_fit.$width" with rows fits rows.html $width; done
check rows_fit.paper with rows fits_paper rows.html
check rows_shown with rows shot rows.html rows.png 1700
check rows_unresolved rows_unresolved
check too_many_for_text exits 129 'a page of HTML' "$tool" report --rows -f md small.json
# What says nothing good is not green in a row, and not "OK" alone in Markdown: doubted EDIT WORDS.
doubted() {
	jq -c "$1" small.json > doubted.json || return
	page doubted.html --rows doubted.json small.json || return
	shows doubted.html 'class="verdict bad">none of 2 results exceeded the budget; 1 in doubt; no outliers' || return
	[ "$(names_of doubted.html | head -n 1)" = doubted.json ] && shows doubted.html "doubted.json<span class=\"unsure\"> $2" || return
	"$tool" report -f md doubted.json > doubted.md && grep -qF -- "$3" doubted.md
}
rows_doubted() {
	doubted '.stopped_by = "SIGTERM <b>"' 'the run was cut short' '; cut short by SIGTERM \<b\>.' || return
	grep -q '^60 000 windows' doubted.md || return
	doubted '.partial = true' 'this was written before the run had ended' '; but this was written before the run had ended' || return
	doubted '.all.sum_failures = 3 | .cpu[0].sum_failures = 3' 'parts do not add up' 'whose parts do not add up: 3' || return
	doubted '.workload = "user" | .all.lost = 5 | .cpu[0].lost = 5' 'windows were lost' 'records lost: 5' || return
	doubted '(.cpu[], .all) |= (.windows = 0 | .due = 0 | .hist[] |= {n: 0, sum: 0, min: null, max: null, buckets: []}) | .worst = [] | .cpu[].slices = null' \
		'no window was measured' 'no window was measured' || return
	# a failed assertion is no doubt
	jq -c '.assertions = [{condition: "max(wake)<1us", holds: false, value: 2000, found: "2us"}]' small.json > failed.json || return
	page failed.html --rows failed.json small.json || return
	shows failed.html 'class="verdict bad">2 results within the budget; 1 FAILED an assertion; no outliers' 'failed.json<span class="bad"> FAILED 1 assertion</span>'
}
check rows_doubted rows_doubted
check markdown exits 0 '| 0 | 60000 |' "$tool" report -f md small.json
check text exits 0 'tlob-load  kthread workload' "$tool" report -f text small.json
check report_of_nothing exits 129 'no result' "$tool" report
# html: each command that makes a page writes it to --html; report's older option has the same page
html() {
	"$tool" report -o by-output.html small.json && "$tool" report --html by-html.html small.json &&
		cmp by-output.html by-html.html
}

check html html
check html_is_no_table exits 129 'for --format md give --output FILE' "$tool" report --html page.html -f md small.json
check html_is_no_csv exits 129 '--html and --append' "$tool" report --html page.html --append page.csv small.json
check output_of_run exits 129 'by --html FILE' "$tool" run --output page.html
check output_of_waits exits 129 'by --html FILE' "$tool" waits --output page.html

csv() {
	rm -f series.csv
	"$tool" report --append series.csv --commit 'v1,"x"' small.json || return
	"$tool" report --append series.csv --commit v2 small.json || return
	[ "$(wc -l < series.csv)" -eq 3 ] || { cat series.csv; return 1; }
	/usr/bin/python3 -c '
import csv
rows = list(csv.DictReader(open("series.csv")))
assert [r["commit"] for r in rows] == ["v1,\"x\"", "v2"], rows
assert all(int(r["windows"]) == 60000 and int(r["wake_p99_ns"]) > 1000 for r in rows), rows
assert all(None not in r and None not in r.values() for r in rows), rows'
}

at_once() {
	local i
	rm -f series.csv
	for i in 1 2 3 4 5 6 7 8; do "$tool" report --append series.csv --commit c$i small.json & done
	wait
	[ "$(wc -l < series.csv)" -eq 9 ] || { wc -l series.csv; return 1; }
	[ "$(cut -d, -f2 series.csv | sort -u | wc -l)" -eq 9 ]
}

other_columns() {
	printf 'a,b\n1,2\n' > other.csv
	exits 1 'other columns' "$tool" report --append other.csv small.json || return
	[ "$(wc -l < other.csv)" -eq 2 ] || return
	"$tool" report --append cut.csv small.json && truncate -s -1 cut.csv || return
	exits 1 'ends in a partial line' "$tool" report --append cut.csv small.json
}

doubtful() {
	jq -c '.stopped_by = "SIGINT"' small.json > stopped.json
	page stopped.html stopped.json && drawn stopped.html 1 'class="verdict bad"[^<]*cut short' || return
	jq -c '(.cpu[], .all) |= (.windows = 0 | .due = 0 | .hist[] |= {n: 0, sum: 0, min: null, max: null, buckets: []}) | .worst = [] | .cpu[].slices = null' small.json > empty.json
	page empty.html empty.json && shows empty.html 'class="verdict bad">no window' && drawn empty.html 0 '<svg' || return
	# one without windows does not take the plots from the others
	page half.html empty.json small.json && shows half.html 'class="verdict bad">no window' && drawn half.html 2 'aria-label="(quantiles|histogram)"'
}

check page_says_doubt doubtful
check csv_other_columns other_columns
check csv csv
check csv_at_once at_once

# Text on a terminal, the page anywhere else, and what is named in both.
on_a_terminal() {
	/usr/bin/python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$tool" report "$@" < /dev/null
}
terminal_text() {
	"$tool" report -f text small.json > wanted.txt && on_a_terminal small.json | tr -d '\r' > said.txt || return
	lacks -F '<html' said.txt && grep -qF "$(sed -n 3p wanted.txt)" said.txt || return
	on_a_terminal -f html small.json | grep -qi '<!doctype html>' && "$tool" report small.json | grep -qi '<!doctype html>'
}
check terminal_text terminal_text
from_stdin() {
	"$tool" report -f text small.json > wanted.txt
	"$tool" report -f text - < small.json | cmp - wanted.txt
}
check report_stdin from_stdin
check help_far exits 129 "unknown command 'foo' (tlob-load --help)" "$tool" help foo
