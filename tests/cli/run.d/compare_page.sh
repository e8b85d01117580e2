# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The page of compare and gate. Part of tests/cli/run.
# shellcheck disable=SC2154

fixture minute pairs || return

# The page says what the terminal does, and has a dot for each pair and each metric but events, whose counts are in the table.
make_gate_page() {
	exits 2 '' "$tool" gate --html gate.html -m 'p99(response)' -m 'p50(wake)' -m miss-rate "${before[@]}" -- pairs/c-*.json
}

compare_page() {
	local i
	alone_on_page gate.html || return
	dom gate.html || return
	[ "$(grep -o '<title>pair [1-8]: A ' dom.html | sort | uniq -c | awk '{ print $1 }' | sort -u)" = 2 ] || { echo pairs; return 1; }
	drawn gate.html 4 '<title>CPU [01]: median ' || return
	shows gate.html 'class="verdict bad">REGRESSION p99(response), p50(wake); 8 pairs' 'wake.sched</abbr>' || return
	drawn gate.html 1 '<td class="good"[^>]*>OK</td><td[^>]*>miss-rate<' || return
	# the legend has only what the plots show
	drawn gate.html 0 'dot at the edge' || return
	"$tool" compare --html ok.html --margin 10% "${before[@]}" -- pairs/b-*.json > ok.txt || return
	shows ok.html 'class="verdict good">OK p99.9(response): A 225.279us, B 223.231us: -0.91 %' || return
	# where it is INCONCLUSIVE, the same command as on the terminal
	shows few.html 'class="verdict unsure">INCONCLUSIVE ' '<p class="next"><span class="dim">next </span>tlob-load plan --pairs 7, into a new --dir, else as before: the fewest' || return
	# also of one metric among several
	mkdir -p some
	for i in 1 2 3 4 5 6 7 8; do
		jq -c --slurpfile b pairs/b-$i.json '.cpu[].hist.irq = $b[0].cpu[0].hist.irq' pairs/c-$i.json > some/b-$i.json
	done
	exits 2 '' "$tool" gate --html some.html -m 'p99(response)' -m 'p50(irq)' --margin 1% "${before[@]}" -- some/b-*.json || return
	drawn some.html 1 '<p class="next"><span class="dim">next </span>tlob-load plan --pairs 8, into a new --dir, else as before, with --margin 3.13%'
}

# 64 CPUs, and a quantile that is missed in three pairs of five.
make_wide_page() {
	local i
	mkdir -p wide
	for i in 1 2 3 4 5; do
		jq -c --argjson i $i '.seed = $i | .started = "2026-01-0\($i)T00:00:00Z"' minute.json > wide/a-$i.json
		jq -c --argjson i $i '.seed = $i + 50 | .started = "2026-01-0\($i)T00:05:01Z" |
			if $i > 2 then (.cpu[7], .all) |= (.missed = 6000 | .due += 6000) else . end' minute.json > wide/b-$i.json
	done
	exits 3 '' "$tool" gate -q -m 'p99.9(response)' --margin 5% --html wide.html wide/a-*.json -- wide/b-*.json
}

compare_many_cpus() {
	drawn wide.html 64 '<title>CPU [0-9]*: median ' && drawn wide.html 1 '<circle class="dot bad"[^>]*><title>CPU 7: median without bound' || return
	drawn wide.html 3 '<circle class="dot bad"[^>]*><title>pair [345]: A [^ ]*, B missed, missed on one side' && shows wide.html 'A red dot at the edge: missed'
}

# One run that is ten times as slow does not flatten the others: its pair is at the edge.
compare_outlier() {
	derive outlier.json 12 10 || return
	compared 3 --html outlier.html "${before[@]}" -- outlier.json pairs/b-[2-8].json > /dev/null || return
	drawn outlier.html 1 '<circle class="dot far"' && drawn outlier.html 1 '<circle class="dot far"[^>]*><title>pair 1:' &&
		shows outlier.html 'A hollow dot at the edge lies farther out' && drawn outlier.html 0 '>\+50 %<' || return
	# nor those of the CPUs, of which each has a part of that run
	drawn outlier.html 2 '<title>CPU [01]: median [^<]*, pairs from [^<]* to \+[0-9]{3} %<' && drawn outlier.html 0 '<text[^>]*>\+[0-9]{3,} %<'
}

# Texts of results, and names of files.
compare_hostile() {
	local i evil='"><img src=x onerror=alert(1)><script>alert(1)</script>'$'\e''[2J'
	mkdir -p hostile
	for i in 1 2 3 4 5; do
		jq -c --arg e "$evil" '(.command, .kernel, .machine, .host, .policy, .label, .backend_because) = $e | .tuning.smt = $e' \
			pairs/a-$i.json > "hostile/a<b>&'$i.json"
		jq -c --arg e "$evil" '(.command, .kernel, .machine, .host, .policy, .label) = $e + "2" | .tuning = {smt: ($e + "2"), other: $e}' \
			pairs/b-$i.json > "hostile/b\"$i.json"
	done
	compared 3 -q --force --vary smt,policy --html evil.html hostile/a*.json -- hostile/b*.json || return
	drawn evil.html 1 'policy: [^<]* in A, ' && shows evil.html '<dt>forced' && alone_on_page evil.html && only_text evil.html
}

make_few_page() { exits 3 '' "$tool" gate --html few.html pairs/a-[123].json -- pairs/b-[123].json; }
make_compare_light() { fixture wide_page && shot wide.html compare.png 1240; }
make_compare_dark() { fixture wide_page && shot wide.html compare-dark.png 1240 --blink-settings=preferredColorScheme=0; }
check compare_page with gate_page,few_page compare_page
check compare_many_cpus with wide_page compare_many_cpus
check compare_outlier compare_outlier
for page in gate few wide; do
	for width in 320 768 1280; do check "compare_fits.$page.$width" with ${page}_page fits $page.html $width; done
done
for page in gate wide; do check "compare_fits.$page.paper" with ${page}_page fits_paper $page.html; done
check compare_acts with gate_page acts gate.html
check compare_printed with gate_page printed gate.html 'How it was compared' 'miss-rate'
check compare_light fixture compare_light
check compare_dark fixture compare_dark
check compare_pictures_differ with compare_light,compare_dark differ compare.png compare-dark.png
check compare_page_is_safe compare_hostile
