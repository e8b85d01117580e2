# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Report's page: what it shows, that it fits, and that foreign names stay text. Part of
# tests/cli/run, which has $top, $tool, $out, check and exits, and is in $out.
# shellcheck disable=SC2154

# alone_on_page FILE: nothing is fetched, and nothing runs but the page's own script.
alone_on_page() {
	! grep -nEio '(src|href)="(https?:)?//|@import|url\(|<script[^>]|javascript:| on[a-z]+=' "$1" || return
	[ "$(grep -c '<script>' "$1")" -eq 1 ] || return
	! LC_ALL=C grep -nP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|<img|<b>&' "$1"
}

page() {
	local file=$1
	shift
	"$tool" report -o "$file" "$@" && alone_on_page "$file"
}

# no_escape FILE...: nothing in it moves a terminal's cursor, by a byte or by a character of two.
no_escape() {
	! LC_ALL=C grep -nP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$@" > control.found ||
		{ cat -v control.found; return 1; }
}

# Each text of a result moves the cursor, by a byte or by a character of two.
no_control() {
	local key format
	for key in command kernel machine host backend backend_because workload noise_source work policy policy_changed \
		cpus housekeeping stopped_by trace_file unavailable_because; do
		jq -c --arg key $key '.[$key] = "\u001b[2J\u009b2J\u0007"' small.json > control.json
		for format in html md csv text; do
			# csv refuses a run that was stopped, or that measured other CPUs, and says so
			"$tool" report -f $format control.json > control.out 2>&1 ||
				[ $format = csv ] || { cat -v control.out; return 1; }
			no_escape control.out || { echo "$key in $format"; return 1; }
		done
	done
	jq -c '.tuning = {"\u001b[2J\u009b2J": 5}' small.json > control.json
	"$tool" report control.json > control.out 2>&1 && { echo accepted; return 1; }
	! LC_ALL=C grep -P '\x1b|\xc2[\x80-\x9f]' control.out | cat -v | grep .
}

hostile() {
	jq -c '.command = "<script>alert(1)</script>" | .notes = ["<b>&\"", "\u001b[31m"] |
		.worst[0].largest = {kind: "irq", id: 1, name: "<img src=x>", ns: 5, phase: "wake"}' small.json > hostile.json
	page hostile.html hostile.json || return
	! grep -n '<img\|<b>&\|'$'\e' hostile.html
}

# What --dump-tasks saw has names of functions.
tasks_no_control() {
	local function='"f\u001b[2J\u009b\u0007"'
	jq -c ".worst[0].tasks = [{cpu: 0, pid: 5, prio: 10, name: $function, function: $function}]" small.json > control.json
	"$tool" report -f text control.json > control.out || return
	grep -qF 'in f\x1b[2J\xc2\x9b\x07' control.out && no_escape control.out
}

# A sum of two hosts with every text hostile, whose heat map has a row of violations.
hostile_hosts() {
	local i evil='<img src=x>"<b>&<script>alert(1)</script>'$'\e''[2J' short='<b>&"'$'\e''[2J'
	for i in 1 2; do
		jq -c --arg e "$evil" --arg s "$short" --arg host "$evil$i" '(.command, .kernel, .machine, .label, .policy,
			.policy_changed, .housekeeping, .backend_because, .noise_source, .stopped_by) = $e | .host = $host |
			.notes = [$e] | .tags = {rack: $e} | .tuning = {smt: $e, processor: $e} | .budget_ns = 1000 |
			(.cpu[], .all).violations = 3 | .noise.names = [{kind: "irq", id: 3, name: $s, windows: 3, total_ns: 500, max_ns: 300}] |
			.worst[] |= (.largest = {kind: "irq", id: 1, name: $s, ns: 5, phase: "wake"} | .delayed_by.name = $s)' \
			pairs/a-$i.json > evil-$i.json
	done
	"$tool" merge evil-1.json evil-2.json -o evil.json && page evil.html evil.json || return
	[ "$(grep -c '<rect class="late".*3 violations' evil.html)" -ge 4 ] || { echo 'no row of violations'; return 1; }
	sed '/<script>$/,$d' evil.html > evil.body	# its own script is the last element
	! grep -noE '<(img|script|b>&)' evil.body
}

# shot PAGE FILE WIDTH OPTION...: a picture by a browser, in which there is something.
shot() {
	local page=$1 file=$2 width=$3
	shift 3
	rm -f "$file"
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars "$@" \
		--user-data-dir="$out/browser" --screenshot="$out/$file" --window-size="$width,1400" "file://$out/$page" \
		> browser.log 2>&1 || { cat browser.log; return 1; }
	# a picture of one colour packs to next to nothing
	[ "$(stat -c %s "$file")" -gt 20000 ] || { echo "$file has $(stat -c %s "$file") bytes"; return 1; }
}

# said PAGE SCRIPT WIDTH: what the script, which is appended to the page, writes there.
said() {
	cat "$1" "$top/tests/cli/$2" > said.html
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
		--user-data-dir="$out/browser" --window-size="$3,1400" --dump-dom "file://$out/said.html" 2> browser.log |
		grep -Pzo '<pre id="said">\K[^<]*' | tr -d '\0'
}

# fits PAGE WIDTH: nothing is wider than the screen, and no two words of a plot overlap.
fits() {
	local said
	said=$(said "$1" layout.html "$2")
	[ "$said" = fits ] || { echo "${said:-$(tail -n 3 browser.log)}"; return 1; }
}

# copied PAGE RESULT: its button copies the Markdown of the result, to the byte.
copied() {
	"$tool" report -f md "$2" > wanted.md || return
	diff wanted.md <(said "$1" copy.html 1280 | /usr/bin/python3 -c 'import html, sys
sys.stdout.write(html.unescape(sys.stdin.read()))') || { tail -n 3 browser.log; return 1; }
}

differ() {
	! cmp -s "$1" "$2"
}

# fits_paper PAGE: the same with the rules for print, on the width of A4 without its margins.
fits_paper() {
	sed 's/@media print{/@media all{/' "$1" > paper.html
	! cmp -s paper.html "$1" && fits paper.html 718
}

# printed PAGE WORD...: it becomes a PDF, which has the words.
printed() {
	local page=$1 word
	shift
	rm -f page.pdf
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$out/browser" \
		--print-to-pdf="$out/page.pdf" "file://$out/$page" > browser.log 2>&1 || { cat browser.log; return 1; }
	pdftotext page.pdf page.txt || return
	for word; do grep -qF "$word" page.txt || { echo "no $word"; return 1; }; done
	! grep -F 'Copy as Markdown' page.txt
}

# timed: a result with timelines for six worst windows, part after part. Noise has a name
# that must do no harm; the second timeline was lost.
timed() {
	jq -c '.started = "2026-02-01T00:00:00Z" | .seed = 7 | .worst |= ([range(6) as $i | .[0] | .activation += $i |
		.parts["wake.irq"] += 2000 | .parts["wake.sched"] -= 2000] | map(.timeline = {start_ns: 0, not_kept: 0, spans: [
		foreach (.parts | to_entries[] | select(.value > 0)) as $p (0; . + $p.value;
			{part: $p.key, end_ns: .} + if $p.key | test("irq$|nmi|thread") then {id: 25, name: "<img src=x>"} else {} end)]}) |
		.[1].timeline = null)' small.json > timed.json
	page timed.html timed.json
}

# All lists are there without a script; names are escaped; and what was lost says so.
timed_page() {
	local n
	n=$(jq '[.worst[:8][].timeline | values] | length' timed.json)
	[ "$n" -eq 5 ] && [ "$(grep -c '<details class="spans" open>' timed.html)" -eq "$n" ] || return
	! grep -q '<img' timed.html && grep -q 'whose timeline was lost' timed.html && ! grep -q 'class="spans"' two.html
}

# full FILE: as many violations as are kept, with as many spans as are kept, of long names.
full() {
	jq -c '.cpu |= map(.violations = 2) | .worst |= [range(64) as $i | .[0] | .cpu = $i | .activation += $i |
		.flags = ["violation"] | .wake_ns = 320000 | .response_ns = 2240000 |
		.parts |= (map_values(0) + {"wake.irq": 160000, "wake.sched": 160000, "work.irq": 960000, "work.on_cpu": 960000}) |
		.timeline = {start_ns: 0, not_kept: 0, spans: [range(64) | (. % 2) as $odd | if . < 32
			then {part: ["wake.irq", "wake.sched"][$odd], end_ns: ((. + 1) * 10000)}
			else {part: ["work.irq", "work.on_cpu"][$odd], end_ns: (320000 + (. - 31) * 60000)} end |
			if $odd == 0 then . + {id: 25, name: "<<<<<<<<<<<<<<<"} else . end]}]' "$1"
}

# The page says what it has no room for, in a result and in an overlay of two.
full_page() {
	full day.json > full.json && full day2.json > full2.json && page full.html full.json &&
		page full2.html full.json full2.json && valid full.json || return
	[ "$(grep -c '<details class="spans" open>' full.html)" -eq 8 ] && [ "$(grep -c '<details class="spans">' full.html)" -eq 8 ] &&
		grep -q 'no room for 48 more windows' full.html && [ "$(grep -c 'no room for 56 more windows' full2.html)" -eq 2 ] || return
	"$tool" report -f text full.json > full.text && [ "$(grep -c '^in order: cpu' full.text)" -eq 5 ] &&
		grep -q 'have the timelines of 58 more violations' full.text
}

# A sum has the timelines of its windows, and what compares results does not look at them.
timed_merge() {
	"$tool" merge timed.json small.json -o timed2.json &&
		jq -e '[.worst[] | has("timeline")] | any and (all | not)' timed2.json > /dev/null &&
		"$tool" report -f text timed.json | grep -q 'img src=x.*irq 25' &&
		"$tool" report -f md timed.json > /dev/null &&
		"$tool" compare timed.json -- small.json > /dev/null
}

# In print the lists are open, which a script had closed.
timed_print() {
	printed timed.html 'What happened in them' && [ "$(grep -c 'img src=x' page.txt)" -ge 5 ]
}

same_as_no_other() {
	! cmp -s light.png dark.png && ! cmp -s light.png narrow.png && ! cmp -s light.png two.png
}

check page page day.html day.json
check page_of_two page two.html day.json day2.json
check page_has_plots [ "$(grep -c '<svg class="plot" data-kind' two.html)" -eq 3 ]
for width in 320 768 1280; do
	check "fits.$width" fits day.html $width
	check "two_fit.$width" fits two.html $width
done
check fits.paper fits_paper day.html
check two_fit.paper fits_paper two.html
check printed printed day.html 'CPU 63' 'mean response' 'How it was measured'
check timed timed
check timed_page timed_page
check timed_schema valid timed.json
check timed_merge timed_merge
check timed_print timed_print
for width in 320 1280; do
	check "timed_fits.$width" fits timed.html $width
done
check timed_fits.paper fits_paper timed.html
# The page says what became of --assert, which a sum of runs does not know.
asserted() {
	jq -c '.assertions = [{condition: "p99(wake)<1us", holds: false, value: 2000, found: "2us on CPU 0 <b>"},
		{condition: "miss-rate<1%", holds: true, value: 0, found: "0 %"}]' small.json > asserted.json && valid asserted.json &&
		page asserted.html asserted.json || return
	grep -q 'class="verdict bad">FAILED 1 assertion' asserted.html || return
	grep -qF 'FAILED</span> p99(wake)&lt;1us <span class="dim">found 2us on CPU 0 &lt;b&gt;<' asserted.html && grep -q 'holds</span> miss-rate&lt;1%' asserted.html || return
	"$tool" report -f md asserted.json > asserted.md && grep -qxF -- '- **FAILED**: p99(wake)\<1us, found 2us on CPU 0 \<b\>' asserted.md || return
	jq -c '.started = "2026-02-02T00:00:00Z" | .seed = 8' asserted.json > asserted2.json
	"$tool" merge asserted.json asserted2.json -o asserted3.json && page asserted3.html asserted3.json && ! grep -q FAILED asserted3.html
}
check page_has_assertions asserted
# A plot for each CPU; of several hosts those with the longest responses.
multiples() {
	[ "$(grep -o '<svg class="cpu"' day.html | wc -l)" -eq 64 ] || return
	[ "$(grep -o '<use href="#cpus0"/>' day.html | wc -l)" -eq 63 ] || return
	! grep -q '<svg class="cpu"' small.html || return
	grep -q 'The 128 of 192 CPUs with the longest responses' hosts.html && [ "$(grep -o '<svg class="cpu"' hosts.html | wc -l)" -eq 128 ] || return
	grep -q '<span class="bad">CPU 1</span>' late.html && grep -q '<span>CPU 0</span>' late.html
}
multiples_pages() {
	hosts 3 && "$tool" merge --files-from hosts/3.list -o hosts3.json && page hosts.html hosts3.json && page small.html small.json || return
	jq -c '.budget_ns = 1000 | .cpu[1].violations = 3' pairs/a-1.json > late.json && page late.html late.json && multiples
}
check multiples multiples_pages
for width in 320 768 1280; do check "few_cpus_fit.$width" fits late.html $width; done
# The stacks of lab --explain, and what two of them differ in.
flames() {
	printf 'idle;asm_timer;fire 30\nidle 5\n' > a.folded
	printf 'boot;asm_timer;fire 50\n' > b.folded
	"$tool" report -o flames.html --stacks a.folded --stacks b.folded small.json && fits flames.html 320 &&
		grep -qF '<title>fire: 30 -&gt; 50 (+20)</title>' flames.html || return
	! "$tool" report -o flames2.html --stacks small.json small.json 2> flames.said && grep -q 'small.json: line 1' flames.said
}
check page_has_flames flames
check full_page full_page
check page_is_small [ "$(stat -c %s full.html)" -lt 1000000 ]
check overlay_is_small [ "$(stat -c %s full2.html)" -lt 1000000 ]
check page_is_safe hostile
check page_of_hosts_is_safe hostile_hosts
# with names that must be escaped
check copied copied hostile.html hostile.json
check texts_have_no_control no_control
check tasks_have_no_control tasks_no_control
check light shot day.html light.png 1240
check dark shot day.html dark.png 1240 --blink-settings=preferredColorScheme=0
check narrow shot day.html narrow.png 420
check two shot two.html two.png 1240
check pictures_differ same_as_no_other
check report_is_quick within 3 100 day.json -- "$tool" report -o day.html day.json
check compare_is_quick within 5 100 day.json day2.json -- "$tool" compare day.json -- day2.json
