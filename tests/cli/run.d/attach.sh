# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Results of attach: merge, report, gate, page. Part of
# tests/cli/run, which has $top, $tool, $out, check and exits, and is in $out.
# shellcheck disable=SC2154

# as_attach SCALE N: the run on stdin as a result of attach: its responses on the first CPU
# are the times of the region, SCALE times as long, and N ns more in all, so that it is no copy.
# A power of two keeps buckets whole.
as_attach() {
	jq -c --argjson by "$1" --argjson more "$2" '.cpu[0] as $c | ($c.hist.response | .sum = .sum * $by + $more | .min *= $by | .max *= $by |
			.buckets |= map([.[0] * $by, .[1]])) as $h |
		{n: 0, sum: 0, min: null, max: null, buckets: []} as $none |
		{format: "tlob-load attach", version: 1, started, duration_ns, command: "tlob-load attach prog", kernel,
		machine, host: null, boot_id: null, machine_id: null, run_id: null, backend: null, deterministic: false, file: "/opt/prog", debug_file: null,
		start: {place: "work", offset: 4096}, stop: {place: "done", offset: 4200}, budget_ns: 1000000000,
		process: {pid: 42, program: "/opt/prog", started: true, ended: true, exit_status: 0, signal: null},
		all: false, began_ns: 1, clock_resolution_ns: 1, stopped_by: null, notes: ["<b>a note"], windows: $h.n, violations: 0, cut: 0, open: 0, unfinished: 0,
		lost: 0, starts: $h.n, nested: 0, no_slot: 0, unmatched: 0, others: 0, other_processes: 0, inexact: 0,
		sum_failures: 0, adjusted_ns: 0, clock_steps: 0, errors: 0, unavailable: ["hw"],
		hist: {elapsed: $h, running: $h, irq: $none, softirq: $none, nmi: $none, waiting: $none, sleeping: $none},
		worst: [], noise: {evicted: 0, names: []}}'
}

attach_results() {
	local i
	mkdir -p attach
	for i in 1 2 3 4 5 6 7 8; do
		as_attach 1 $i < pairs/a-$i.json > attach/a-$i.json && as_attach 1 $i < pairs/b-$i.json > attach/b-$i.json &&
			as_attach 2 $i < pairs/c-$i.json > attach/c-$i.json || return
	done
	(cd "$top/tests/unit" && "$top/build/unit/test_schema" "$out"/attach/*.json)
}

attach_report() {
	local format
	for format in text md csv html; do
		"$tool" report -f $format attach/a-1.json > attach/report.$format || return
	done
	grep -q '/opt/prog from work (0x1000) to done (0x1068), budget 1s' attach/report.text || { cat attach/report.text; return 1; }
	grep -q '^| elapsed | ' attach/report.md || { cat attach/report.md; return 1; }
	grep -qF '> \<b\>a note' attach/report.md || { cat attach/report.md; return 1; }
	grep -q 'work to done in prog' attach/report.csv || { cat attach/report.csv; return 1; }
	grep -q '<td>elapsed<td' attach/report.html && ! grep -q '<b>a note' attach/report.html || return
	xmllint --html --noout attach/report.html 2>&1 | grep -v 'Tag .* invalid' | grep error && return 1
	exits 1 'make a page of each' "$tool" report -f html attach/a-1.json pairs/a-1.json
}

# Plots with the budget, the parts as a bar, no number without windows, and no words of a run.
# Its page says what became of --assert.
attach_asserted() {
	jq -c '.assertions = [{condition: "p99(elapsed)<1us", holds: false, value: 2000, found: "2us <b>"},
		{condition: "violations<9", holds: true, value: 0, found: "0"}]' attach/a-1.json > attach/asserted.json &&
		(cd "$top/tests/unit" && "$top/build/unit/test_schema" "$out/attach/asserted.json") &&
		page attach/asserted.html attach/asserted.json || return
	grep -q 'class="verdict bad">FAILED 1 assertion' attach/asserted.html &&
	grep -qF 'FAILED</span> p99(elapsed)&lt;1us <span class="dim">found 2us &lt;b&gt;<' attach/asserted.html &&
		grep -q 'holds</span> violations&lt;9' attach/asserted.html &&
		"$tool" report -f md attach/asserted.json > attach/asserted.md &&
		grep -qxF -- '- **FAILED**: p99(elapsed)\<1us, found 2us \<b\>' attach/asserted.md
}

attach_page() {
	page attach.html attach/a-1.json && page attach-two.html attach/a-1.json attach/c-1.json || return
	[ "$(grep -c '<svg class="plot" data-kind' attach.html)" -eq 2 ] || { echo plots; return 1; }
	[ "$(grep -c '<svg class="plot" data-kind' attach-two.html)" -eq 3 ] || { echo plots of two; return 1; }
	grep -q '<text class="mark".*budget 1s' attach.html && grep -q 'class="verdict good">OK: 20 000 windows within 1 s' attach.html || return
	grep -q 'title="running [^"]*100.0 %' attach.html && grep -q 'data-name="elapsed"' attach.html || return
	grep -q 'data-name="elapsed, c-1.json"' attach-two.html || return
	! grep -oE 'on_cpu|>wake<|data-name="(wake|response)' attach.html || return
	jq -c '.windows = 0 | .starts = 0 | .hist[] |= {n: 0, sum: 0, min: null, max: null, buckets: []}' attach/a-1.json > attach/none.json
	page attach-none.html attach/none.json && grep -q 'no window was seen' attach-none.html && ! grep -q '<svg class="plot"' attach-none.html
}

attach_hostile() {
	jq -c --arg e '"><img src=x onerror=alert(1)><script>'$'\e''[2J' '(.command, .kernel, .machine, .file, .start.place, .stop.place, .process.program) = $e |
		.stopped_by = $e | .notes = [$e]' attach/a-1.json > attach/evil.json
	"$tool" report -o attach-evil.html attach/evil.json attach/a-1.json || return
	sed '/^<script>$/,$d' attach-evil.html > evil.body
	! grep -noE '<(img|script)' evil.body && ! LC_ALL=C grep -nP '[\x00-\x09\x0b-\x1f\x7f]' attach-evil.html
}

# What differs between regions is refused; a program in another directory is the same.
attach_differs() {
	jq -c '.stop.place = "later"' attach/b-1.json > attach/other.json
	exits 1 'work: work to done in prog, but work to later in prog' "$tool" gate attach/a-1.json -- attach/other.json || return
	exits 1 'work: ' "$tool" compare attach/a-1.json -- pairs/b-1.json || return
	exits 1 'wake was not measured' "$tool" compare -m 'p50(wake)' attach/a-[1-5].json -- attach/b-[1-5].json || return
	exits 1 'only report, compare and gate take those' "$tool" merge attach/a-1.json attach/a-2.json || return
	jq -c '.file = "/tmp/prog"' attach/b-1.json > attach/moved.json
	exits 3 INCONCLUSIVE "$tool" gate attach/a-1.json -- attach/moved.json
}

# plan does not start attach, so no advice sends people there.
attach_advice() {
	local i
	mkdir -p attach/later
	for i in 1 2 3 4 5 6 7 8; do
		jq -c ".started = \"2026-02-0${i}T00:00:00Z\"" attach/b-$i.json > attach/later/b-$i.json || return
	done
	exits 3 'tlob-load attach 5 times on each side in turn, else as before: the' "$tool" gate --html attach/few.html \
		attach/a-[123].json -- attach/b-[123].json &&
	grep -qF '</span> tlob-load attach 5 times on each side in turn, else as before: the fewest' attach/few.html &&
	exits 3 'tlob-load attach 8 times on each side in turn: drift then' "$tool" gate --json attach/late.json \
		attach/a-*.json -- attach/later/b-*.json &&
	jq -e '.metrics[0].because | contains("make the runs of both in turn")' attach/late.json > /dev/null &&
	exits 3 'tlob-load plan --pairs 7, else as before' "$tool" gate pairs/a-[123].json -- pairs/b-[123].json
}

if check attach_results attach_results; then
	if check rows rows; then
		for width in 320 768 1280; do check "rows_fit.$width" fits rows.html $width; done
		check rows_fit.paper fits_paper rows.html
		check rows_shown shot rows.html rows.png 1700
	fi
	check rows_unresolved rows_unresolved
	check attach_report attach_report
	if check attach_page attach_page; then
		for width in 320 768 1280; do check "attach_fit.$width" fits attach-two.html $width; done
		check attach_fit.paper fits_paper attach-two.html
		check attach_shown shot attach-two.html attach.png 1240
	fi
	check attach_page_is_safe attach_hostile
	check attach_page_has_assertions attach_asserted
	check attach_ok exits 0 'OK' "$tool" gate --margin 10% -m 'p50(response)' attach/a-*.json -- attach/b-*.json
	check attach_regression exits 2 'REGRESSION' "$tool" gate --margin 10% attach/a-[1-8].json -- attach/c-*.json
	check attach_part exits 2 'REGRESSION' "$tool" gate --margin 10% -m 'p99(work.on_cpu)' attach/a-[1-8].json -- attach/c-*.json
	check attach_advice attach_advice
	check attach_differs attach_differs
fi
