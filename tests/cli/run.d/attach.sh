# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Results of attach: merge, report, gate, page. Part of
# tests/cli/run.
# shellcheck disable=SC2154

fixture pairs attach || return

attach_report() {
	local format
	for format in text md csv html; do
		"$tool" report -f $format attach/a-1.json > attach/report.$format || return
	done
	grep -q '/opt/prog from work (0x1000) to done (0x1068), budget 1s' attach/report.text || { cat attach/report.text; return 1; }
	grep -q '^| response | ' attach/report.md || { cat attach/report.md; return 1; }
	grep -qF '> \<b\>a note' attach/report.md || { cat attach/report.md; return 1; }
	grep -q 'work to done in prog' attach/report.csv || { cat attach/report.csv; return 1; }
	drawn attach/report.html 2 '<td[^>]*>response</td>' && only_text attach/report.html && lacks -q '<b>a note' dom.html || return
	exits 1 'make a page of each' "$tool" report -f html attach/a-1.json pairs/a-1.json
}

# Plots with the budget, the parts as a bar, no number without windows, and no words of a run.
# Its page says what became of --assert.
attach_asserted() {
	jq -c '.assertions = [{condition: "p99(response)<1us", holds: false, value: 2000, found: "2us <b>"},
		{condition: "violations<9", holds: true, value: 0, found: "0"}]' attach/a-1.json > attach/asserted.json &&
		valid "$out/attach/asserted.json" &&
		page attach/asserted.html attach/asserted.json || return
	shows attach/asserted.html 'class="verdict bad">FAILED 1 assertion' 'FAILED</span> p99(response)&lt;1us <span class="dim">2us &lt;b&gt;<' 'holds</span> violations&lt;9' &&
		"$tool" report -f md attach/asserted.json > attach/asserted.md &&
		grep -qxF -- '- **FAILED**: p99(response)\<1us, found 2us \<b\>' attach/asserted.md
}

attach_page() {
	drawn attach-two.html 3 'aria-label="(quantiles|histogram|shift by quantile)"' && drawn attach.html 2 'aria-label="(quantiles|histogram)"' || return
	shows attach.html '>budget 1s<' 'class="verdict good">OK: 20 000 windows within 1 s' && drawn attach.html 1 '100.0 %: [^"]*"' || return
	shows attach-two.html 'response, c-1.json' || return
	# what was watched
	jq -c '(.attached | .all) = true | .attached.debug_file = "/opt/prog.debug"' attach/a-1.json > attach/all.json && page attach-all.html attach/all.json || return
	dom attach-all.html && tr -d '\n' < dom.html | sed 's/<[^>]*>/ /g; s/  */ /g' > facts.txt
	grep -qF 'start work stop done in /opt/prog symbols of /opt/prog.debug program /opt/prog process 42, and others' facts.txt || return
	shows attach.html '>42<' || return
	jq -c '.cpu[0] |= (.windows = 0 | .starts = 0 | .hist[] |= {n: 0, sum: 0, min: null, max: null, buckets: []})' attach/a-1.json > attach/none.json
	page attach-none.html attach/none.json && shows attach-none.html 'no window was seen' && drawn attach-none.html 0 'aria-label="quantiles"'
}

attach_hostile() {
	jq -c --arg e '"><img src=x onerror=alert(1)><script>'$'\e''[2J' '(.command, .kernel, .machine, .work, (.attached | .file, .start.place, .stop.place, .process.program)) = $e |
		.stopped_by = $e | .notes = [$e]' attach/a-1.json > attach/evil.json
	"$tool" report -o attach-evil.html attach/evil.json attach/a-1.json || return
	alone_on_page attach-evil.html && only_text attach-evil.html
}

# What differs between regions is refused; a program in another directory is the same.
attach_differs() {
	jq -c '.work = "work to later in prog"' attach/b-1.json > attach/other.json
	exits 1 'work: work to done in prog, but work to later in prog' "$tool" gate attach/a-1.json -- attach/other.json || return
	exits 1 'work: ' "$tool" compare attach/a-1.json -- pairs/b-1.json || return
	exits 1 'wake was not measured' "$tool" compare -m 'p50(wake)' attach/a-[1-5].json -- attach/b-[1-5].json || return
	exits 1 'a result of attach: merge adds up those of run' "$tool" merge attach/a-1.json attach/a-2.json || return
	jq -c '.attached.file = "/tmp/prog"' attach/b-1.json > attach/moved.json
	exits 3 INCONCLUSIVE "$tool" gate attach/a-1.json -- attach/moved.json
}

# plan does not start attach, so no advice sends people there.
attach_advice() {
	local i
	mkdir -p attach/later
	for i in 1 2 3 4 5 6 7 8; do
		jq -c ".started = \"2026-02-0${i}T00:00:00Z\"" attach/b-$i.json > attach/later/b-$i.json || return
	done
	exits 3 'tlob-load attach 5 times on each side, in random order' "$tool" gate --html attach/few.html \
		attach/a-[123].json -- attach/b-[123].json &&
	shows attach/few.html '</span>tlob-load attach 5 times on each side, in random order, else as before: the fewest' &&
	exits 3 'tlob-load attach 8 times on each side, in random order' "$tool" gate --json attach/late.json \
		attach/a-*.json -- attach/later/b-*.json &&
	jq -e '.metrics[0].because | contains("came mostly before the other side")' attach/late.json > /dev/null &&
	exits 3 'tlob-load plan --pairs 7, into a new --dir, else as before' "$tool" gate pairs/a-[123].json -- pairs/b-[123].json
}

# also in the other parts that have results of attach
check attach_results fixture attach
check attach_report attach_report
make_attach_page() { page attach.html attach/a-1.json && page attach-two.html attach/a-1.json attach/c-1.json; }
check attach_page with attach_page attach_page
for width in 320 768 1280; do check "attach_fit.$width" with attach_page fits attach-two.html $width; done
check attach_fit.paper with attach_page fits_paper attach-two.html
check attach_shown with attach_page shot attach-two.html attach.png 1240
check attach_page_is_safe attach_hostile
check attach_page_has_assertions attach_asserted
check attach_ok exits 0 'OK' "$tool" gate --margin 10% -m 'p50(response)' attach/a-*.json -- attach/b-*.json
check attach_regression exits 2 'REGRESSION' "$tool" gate --margin 10% attach/a-[1-8].json -- attach/c-*.json
check attach_part exits 2 'REGRESSION' "$tool" gate --margin 10% -m 'p99(work.on_cpu)' attach/a-[1-8].json -- attach/c-*.json
check attach_advice attach_advice
check attach_differs attach_differs
