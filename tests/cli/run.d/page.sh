# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Report's page: what it shows, that it fits, and that foreign names stay text. Part of
# tests/cli/run.
# shellcheck disable=SC2154

fixture day day2 small minute pairs || return

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
	[ -s control.out ] && no_escape control.out
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
	[ "$(dom evil.html && grep -oE 'class="late" d="M' dom.html | wc -l)" -eq 2 ] || { echo 'no row of violations'; return 1; }
	only_text evil.html
}

check page fixture day_page
check page_of_two fixture two_page
page_has_plots() {
	drawn two.html 3 'aria-label="(quantiles|histogram|shift by quantile)"'
}
check page_has_plots with two_page page_has_plots
for width in 320 768 1280; do
	check "fits.$width" with day_page fits day.html $width
	check "two_fit.$width" with two_page fits two.html $width
done
check fits.paper with day_page fits_paper day.html
check two_fit.paper with two_page fits_paper two.html
# The page says what became of --assert, which a sum of runs does not know.
asserted() {
	jq -c '.assertions = [{condition: "p99(wake)<1us", holds: false, value: 2000, found: "2us on CPU 0 <b>"},
		{condition: "miss-rate<1%", holds: true, value: 0, found: "0 %"}]' small.json > asserted.json && valid asserted.json &&
		page asserted.html asserted.json || return
	shows asserted.html 'class="verdict bad">FAILED 1 assertion' 'FAILED</span> p99(wake)&lt;1us <span class="dim">2us on CPU 0 &lt;b&gt;<' 'holds</span> miss-rate&lt;1%' || return
	"$tool" report -f md asserted.json > asserted.md && grep -qxF -- '- **FAILED**: p99(wake)\<1us, found 2us on CPU 0 \<b\>' asserted.md || return
	jq -c '.started = "2026-02-02T00:00:00Z" | .seed = 8' asserted.json > asserted2.json
	"$tool" merge asserted.json asserted2.json -o asserted3.json && page asserted3.html asserted3.json && lacks -q FAILED asserted3.html
}
check page_has_assertions asserted
# A plot for each CPU; of several hosts those with the longest responses.
multiples() {
	drawn day.html 64 '<svg class="cpu"' && drawn small.html 0 '<svg class="cpu"' && drawn hosts.html 128 '<svg class="cpu"' || return
	shows hosts.html 'The 128 of 192 CPUs with the longest responses' || return
	shows late.html '<span class="bad">CPU 1</span>' '<span class="">CPU 0</span>'
}
make_multiples() {
	hosts 3 && "$tool" merge --files-from hosts/3.list -o hosts3.json && page hosts.html hosts3.json && page small.html small.json || return
	jq -c '.budget_ns = 1000 | .cpu[1].violations = 3' pairs/a-1.json > late.json && page late.html late.json
}
check multiples with day_page,multiples multiples
for width in 320 768 1280; do check "few_cpus_fit.$width" with multiples fits late.html $width; done
# The stacks of tlob-lab explain, and what two of them differ in.
flames() {
	printf 'idle;asm_timer;fire 30\nidle 5\n' > a.folded
	printf 'boot;asm_timer;fire 50\n' > b.folded
	"$tool" report -o flames.html --stacks a.folded --stacks b.folded small.json && fits flames.html 320 &&
		shows flames.html '<title>fire: 30 → 50  (+20)</title>' && acts flames.html || return
	! "$tool" report -o flames2.html --stacks small.json small.json 2> flames.said && grep -q 'small.json: line 1' flames.said
}
check page_has_flames flames
# Times in functions of the worst windows, a row for each set that was called.
worst_functions() {
	with_sets small.json '[["lock", "*mutex*", 12, "wake"], ["alloc", "k*", 3, "irq"]]' | jq -c '
		{calls: 0, probes_ns: 0, unreturned: 0, net_ns: 0, max_ns: 0, longest: null, parts: {}} as $none |
		.worst[0].functions = {missed: 0, sets: {alloc: $none, lock: ($none + {calls: 3, probes_ns: 2223,
			net_ns: 900, max_ns: 500, longest: "<b>&spin", parts: {"work.on_cpu": 900}})}}' > called.json &&
		page called.html called.json && only_text called.html || return
	drawn called.html 1 '>func[.][a-z]*</td>' &&
		drawn called.html 1 '>func.lock</td><td[^>]*>3</td><td[^>]*>900ns</td><td[^>]*>2.22us</td><td[^>]*>500ns</td><td[^>]*>&lt;b&gt;&amp;spin<'
}
check page_has_worst_functions worst_functions
check page_of_hosts_is_safe hostile_hosts
check texts_have_no_control no_control

# A page of one CPU, and of very many, which a browser draws within 2 s of CPU time.
make_thousand() {
	"$top/tests/cli/big" --cpus 1024 --seconds 60 > thousand.json && "$tool" report -o thousand.html thousand.json
}
sizes() {
	"$tool" report -o small.html small.json || return
	stat -c '%n %s' small.html thousand.html
	[ "$(stat -c %s small.html)" -le 75000 ] && [ "$(stat -c %s thousand.html)" -le 2000000 ] || return
	sed -n '/<noscript>/,/<.noscript>/p' small.html | grep -q '60 000 windows within 1 ms' && drawn thousand.html 128 '<svg class="cpu"'
}
check page_sizes with thousand sizes
# What a hand does on a page: tests/cli/hand.html.
by_hand() {
	local said
	"$tool" report -o hands.html pairs/a-1.json || return
	said=$(said hands.html hand.html 1280)
	[ "$said" = 'all of it works' ] || { echo "$said"; return 1; }
}
check page_by_hand by_hand
