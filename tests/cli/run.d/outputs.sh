# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What compare and gate write: JUnit, KTAP, Markdown, JSON, CSV, the page; misses. Part of
# tests/cli/run.
# shellcheck disable=SC2154

fixture pairs || return

junit() {
	exits 2 '' "$tool" gate -q --junit gate.xml --ktap gate.ktap --markdown gate.md --json gate.json \
		--append gate.csv --commit abc -m 'p99(response)' -m miss-rate "${before[@]}" -- pairs/c-*.json || return
	xmllint --noout gate.xml || return
	[ "$(xmllint --xpath 'string(/testsuites/testsuite/@tests)' gate.xml)" = 2 ] || return
	[ "$(xmllint --xpath 'string(/testsuites/testsuite/@failures)' gate.xml)" = 1 ] || return
	[ "$(xmllint --xpath 'string(//testcase[failure]/@name)' gate.xml)" = 'p99(response)' ] || return
	grep -qx 'KTAP version 1' gate.ktap && grep -qx '1..2' gate.ktap || return
	grep -qx 'not ok 1 p99(response)' gate.ktap && grep -qx 'ok 2 miss-rate' gate.ktap || return
	grep -q '^## tlob-load: REGRESSION' gate.md || return
	jq -e '.verdict == "REGRESSION" and .pairs == 8 and (.metrics | length) == 2 and
		.metrics[0].effect > 0.4 and .metrics[0].lower <= .metrics[0].effect and
		(.metrics[0].a | length) == 8 and .misses.b.late == 0 and .metrics[1].events.b == {late: 0, expiries: 320000, episodes: 0, longest: 0} and .shift.wake.mean[1] > 0' gate.json > jq.log || { cat jq.log; return 1; }
	[ "$(grep -c ',abc,' gate.csv)" -eq 8 ] && [ "$(wc -l < gate.csv)" -eq 17 ]
}

# A comparison notes all that weakens its runs; the report of a run that goes on says so.
noted() {
	local side i
	mkdir -p noted
	for side in a b; do
		for i in 1 2 3 4 5 6 7 8; do
			jq -c --argjson odd "$([ $side$i = b3 ] && echo true || echo false)" '.workload = "kthread" | if $odd then
				.kernel = "6.12.1-other" | .cpu[0].inexact = 4 | .all.inexact = 4 | .cpu[0].lost = 5 | .all.lost = 5
				else . end' pairs/$side-$i.json > noted/$side-$i.json || return
		done
	done
	"$tool" compare -q --cut-short 0,1 --json noted.json noted/a-*.json -- noted/b-*.json
	jq -r '.lowered[], .notes[]' noted.json | diff - <(cat <<-'EOF'
	parts are inexact in less than 1 % of the windows
	one side ran on several kernels: noted/b-3.json differs from the first
	the runs of a pair did not follow each other: are the files in the order of their pairs?
	5 records were lost: worst windows and names may be incomplete, histograms of kernel threads are not
	1 run has inexact windows
	runs failed or were cut short, 0 of A and 1 of B: each counts as the worst of its side
	EOF
	) || return
	jq -c '.partial = true' pairs/a-1.json > partial.json && "$tool" report -o partial.html partial.json &&
		data partial.html | jq -e '.results[0].lowered == ["a run had not ended when its result was written"]'
}
check noted noted

# The release of a kernel, which text has without -v.
compare_no_control() {
	variant '.kernel = "6.12\u001b[2J\u009b\u0007 b"'
	"$tool" compare "${before[@]}" -- variant/b-*.json > control.out || return
	grep -qxF 'B        6.12\x1b[2J\xc2\x9b\x07' control.out && no_escape control.out
}

# Two builds of one release are told apart by what comes after it; -v has that always.
compare_builds() {
	variant '.kernel = "6.12.0-simulated #2"'
	"$tool" compare "${before[@]}" -- variant/b-*.json > builds.out || return
	[ "$(grep -cE '^A +6.12.0-simulated #1$|^B +6.12.0-simulated #2$' builds.out)" -eq 2 ] || { cat builds.out; return 1; }
	"$tool" compare -v "${before[@]}" -- pairs/b-*.json | grep -qE '^A and B +6.12.0-simulated #1$'
}
check compare_builds compare_builds

# A judgement that fails leaves no verdict of an earlier one behind.
stale() {
	"$tool" gate -q --junit stale.xml --ktap stale.ktap --html stale.html "${before[@]}" -- pairs/b-*.json || return
	head -c 1000 pairs/b-8.json > cut.json
	exits 1 cut.json "$tool" gate -q --junit stale.xml --ktap stale.ktap --html stale.html "${before[@]}" -- pairs/b-[1-7].json cut.json || return
	[ ! -e stale.xml ] && [ ! -e stale.ktap ] && [ ! -e stale.html ] || return
	# two results of waits, one of them no result
	echo '{"format":"tlob-load waits","version":1' > cut.json
	echo old > stale.old
	exits 1 cut.json "$tool" compare --html stale.old cut.json -- cut.json && [ ! -e stale.old ]
}

# An output that is an input, or two that are one.
overwritten() {
	cp pairs/b-1.json precious.json
	exits 129 'is one of the inputs' "$tool" gate --json precious.json "${before[@]}" -- precious.json pairs/b-[2-8].json || return
	exits 129 'is one of the inputs' "$tool" gate --html precious.json "${before[@]}" -- precious.json pairs/b-[2-8].json || return
	cmp precious.json pairs/b-1.json || return
	ln -sf link.json link1 && ln -sf link.json link2 && : > link.json
	exits 129 'each its own file' "$tool" gate --json link1 --junit link2 "${before[@]}" -- pairs/b-*.json || return
	exits 129 'each its own file' "$tool" gate --json - --junit - "${before[@]}" -- pairs/b-*.json
}

# The same for what reads results and decides nothing, also behind a link.
results_overwritten() {
	local said='precious.json is one of the inputs: give the output another name'
	cp pairs/b-1.json precious.json && ln -sf precious.json precious-link.json || return
	exits 129 "$said" "$tool" report --html precious.json pairs/b-2.json precious.json || return
	exits 129 "$said" "$tool" report -f csv --append precious.json precious.json || return
	exits 129 'precious-link.json is one of' "$tool" report -f md -o precious-link.json precious.json || return
	exits 129 "$said" "$tool" merge pairs/b-2.json precious.json -o precious.json || return
	exits 129 "$said" "$tool" merge pairs/b-2.json -o precious.json --files-from <(echo precious.json) || return
	exits 129 "$said" "$tool" report --hosts -o precious.json precious.json pairs/b-2.json || return
	exits 129 "$said" "$tool" report --html precious.json --samples precious.json || return
	exits 129 "$said" "$tool" report --html precious.json --stacks precious.json pairs/b-2.json || return
	exits 129 "$said" "$tool" gate --history precious-history --json precious.json precious.json pairs/b-2.json || return
	[ ! -e precious-history ] || return
	cmp precious.json pairs/b-1.json || return
	# - is stdout, also next to a file of that name
	cp pairs/b-1.json ./- && "$tool" merge ./- -o - > other.out && rm ./-
}

# The name of a kernel must not pass for a verdict.
forged() {
	variant '.kernel = "6.12\n\n## tlob-load: OK\n<img src=x>"'
	"$tool" compare -q --markdown forged.md "${before[@]}" -- variant/b-*.json || return
	[ "$(grep -c '^## ' forged.md)" -eq 1 ] && lacks '[^\\]<img' forged.md
}

# FORCED names each difference once.
forced() {
	local i
	variant '.'
	jq -c '.host = "other"' pairs/b-1.json > variant/b-1.json
	for i in 2 3 4; do jq -c '.period_ns = 2000000' pairs/b-$i.json > variant/b-$i.json; done
	"$tool" compare --force "${before[@]}" -- variant/b-*.json > forced.txt || return
	[ "$(grep -c '^FORCED' forced.txt)" -eq 2 ] || { cat forced.txt; return 1; }
}

# 40 of B's expiries and 8 of A's
# --vary accepts what it names, and nothing else.
varies() {
	local i
	variant '.tuning.smt = "off" | .period_ns = 2000000'
	for i in 1 2 3 4 5 6 7 8; do jq -c '.tuning.smt = "on"' pairs/a-$i.json > variant/a-$i.json; done
	exits 1 'period: 1ms, but 2ms' "$tool" gate --vary smt variant/a-*.json -- variant/b-*.json || return
	exits 1 'name what is meant to differ with --vary' "$tool" gate --vary period variant/a-*.json -- variant/b-*.json || return
	"$tool" gate --vary smt,period --json varies.json --markdown varies.md variant/a-*.json -- variant/b-*.json > varies.txt || return
	[ "$(grep '^varied' varies.txt)" = $'varied   smt: on in A, off in B\nvaried   period: 1ms in A, 2ms in B' ] || { cat varies.txt; return 1; }
	grep -q '^> varied: smt: on in A, off in B' varies.md || return
	jq -e '.varied == [{fact: "smt", a: "on", b: "off"}, {fact: "period", a: "1ms", b: "2ms"}] and .forced == []' varies.json || return
	# plan has one period for both sides, so it is not advised, nor as what makes another order
	exits 3 'times on each side, in random order' "$tool" compare --vary smt,period variant/a-[12].json -- variant/b-[12].json || return
	compared 3 --vary smt,period variant/a-[12].json -- variant/b-[12].json > by-hand.txt && lacks 'tlob-load plan' by-hand.txt || return
	# both sides' conditions are said
	jq -e '.conditions | test("^A: .* every 1 ms, .*; B: .* every 2 ms, ")' varies.json || return
	# of the kernel's arguments those that differ
	for i in 1 2 3 4 5 6 7 8; do
		jq -c '.tuning.kernel_arguments = "quiet isolcpus=3 nohz=off"' pairs/a-$i.json > variant/a-$i.json
		jq -c '.tuning.kernel_arguments = "threadirqs quiet isolcpus=3"' pairs/b-$i.json > variant/b-$i.json
	done
	exits 1 'tuning, kernel_arguments: nohz=off, but threadirqs in variant/b-1.json' "$tool" compare variant/a-*.json -- variant/b-*.json || return
	exits 0 'varied   kernel_arguments: nohz=off in A, threadirqs in B' "$tool" gate --vary kernel_arguments variant/a-*.json -- variant/b-*.json || return
	variant '.tuning.smt = "off" | .period_ns = 2000000'
	for i in 1 2 3 4 5 6 7 8; do jq -c '.tuning.smt = "on"' pairs/a-$i.json > variant/a-$i.json; done
	# what does not differ, and what does not exist
	exits 0 '--vary host: it does not differ, both sides have simulated' "$tool" compare --vary smt,period,host variant/a-*.json -- variant/b-*.json || return
	exits 129 '--vary ssmt: the results have no such setting; they have: machine, host, backend, ' "$tool" compare --vary smt,period,ssmt variant/a-*.json -- variant/b-*.json || return
	for i in 1 2 3 4 5 6 7 8; do jq -c '.deterministic = true' variant/b-$i.json > variant/c-$i.json; done
	exits 1 'clock: time, but instructions' "$tool" compare --vary smt,period,phase variant/a-*.json -- variant/c-*.json || return
	# one run of B in which the setting was not made
	jq -c '.tuning.smt = "on"' variant/b-5.json > variant/half.json && mv variant/half.json variant/b-5.json
	exits 1 'tuning, smt: off, but on in variant/b-5.json' "$tool" compare --vary smt,period variant/a-*.json -- variant/b-*.json
}

misses() {
	variant '.cpu[0].violations = 5 | .budget_ns = 100000'
	for i in 1 2 3 4; do jq -c '.cpu[0].violations = 1 | .budget_ns = 100000' pairs/a-$i.json > variant/a-$i.json; done
	for i in 5 6 7 8; do jq -c '.cpu[1].violations = 1 | .budget_ns = 100000' pairs/a-$i.json > variant/a-$i.json; done
	compared 3 --json misses.json variant/a-*.json -- variant/b-*.json || return
	# their episodes were not counted: those of a run are one
	jq -e '.misses == {a: {late: 8, expiries: 320000, episodes: 8, longest: 1}, b: {late: 40, expiries: 320000, episodes: 8, longest: 5}}' misses.json
}

# B answers one expiry of ten: the windows that it has are as fast as ever.
missing() {
	local i
	variant '(.cpu[], .all) |= (.missed = 180000 | .due += 180000)'
	exits 2 'p99.9(response)  A 225.279us, B missed: missed in 0 of 8 runs of' "$tool" gate "${before[@]}" -- variant/b-*.json || return
	exits 2 'p50(wake)' "$tool" gate -m 'p50(wake)' "${before[@]}" -- variant/b-*.json || return
	exits 2 'A none of 320 000, B 2 880 000 of' "$tool" gate -m miss-rate "${before[@]}" -- variant/b-*.json || return
	for i in 1 2 3 4 5 6 7 8; do jq -c '(.cpu[], .all) |= (.missed = 180000 | .due += 180000)' pairs/a-$i.json > variant/a-$i.json; done
	exits 3 'missed on both sides in 8 of 8 pairs, so it' "$tool" gate variant/a-*.json -- variant/b-*.json || return
	exits 0 ' missed ' "$tool" report -f text variant/b-1.json || return
	"$tool" merge variant/b-1.json > missed.json || return
	jq -e '.all.quantiles | .response["p50"] == "missed" and .wake["p99.9"] == "missed" and (.irq["p99.9"] | type) == "number"' missed.json || return
	valid missed.json || return
	# cut off by the end of the run
	variant '(.cpu[], .all) |= (.missed = 180000 | .due += 180000 | .aborted = 180000)'
	exits 0 '' "$tool" gate "${before[@]}" -- variant/b-*.json
}

check missed_count missing

# Six of 20000 expiries move no quantile: the miss rate decides without being named, if they came at
# different times. As many in one burst are no proof, and no OK.
rare_misses() {
	variant "$late late(6; 1)" && valid variant/b-1.json || return
	screen rare 2 "$tool" gate "${before[@]}" -- variant/b-*.json || return
	variant "$late if .seed % 20 == 2 then late(1; 15) else . end" || return
	screen bursts 3 "$tool" gate "${before[@]}" -- variant/b-*.json || return
	# a burst that both sides have had decides nothing either
	for i in 1 2 3 4 5 6 7 8; do jq -c "$late if .seed % 20 == 0 then late(1; 15) else . end" pairs/a-$i.json > variant/a-$i.json; done
	exits 3 'miss-rate' "$tool" gate -m miss-rate variant/a-*.json -- variant/b-*.json || return
	exits 0 'none of 640 000' "$tool" gate -m miss-rate "${before[@]}" -- pairs/b-*.json || return
	# where nothing was missed it is no metric by itself
	"$tool" compare -q --json none.json "${before[@]}" -- pairs/b-*.json || return
	jq -e '[.metrics[].metric] == ["p99.9(response)"]' none.json
}
check rare_misses rare_misses

# The worst CPU of each run stays as it was.
other_cpu() {
	local i
	mkdir -p other
	for i in 1 2 3 4 5 6 7 8; do
		jq -c --slurpfile slow pairs/c-$i.json '.cpu[0].hist = $slow[0].cpu[0].hist | .cpu[1].hist = $slow[0].cpu[1].hist | .all = $slow[0].all' pairs/a-$i.json > other/a-$i.json
		# neither side comes first in each pair
		jq -c --argjson m $((15 + i % 2 * 30)) '.seed += 1000 | .started |= sub(":00:00Z"; ":\($m):00Z")' other/a-$i.json > other/b-$i.json
		jq -c --slurpfile fast pairs/a-$i.json '.cpu[0].hist = $fast[0].cpu[0].hist | .started |= sub(":00:00Z"; ":30:00Z")' other/a-$i.json > other/c-$i.json
	done
	exits 2 'CPU 0 got worse by +50' "$tool" gate other/c-*.json -- other/b-*.json || return
	exits 0 'OK' "$tool" gate other/b-*.json -- other/c-*.json
}

check other_cpu_decides other_cpu
check misses misses
check varies varies
check outputs junit
check compare_has_no_control compare_no_control
check stale_outputs stale
check overwritten overwritten
check results_overwritten results_overwritten
check markdown_is_safe forged
check forced_is_said forced
check same_output exits 129 'each its own file' "$tool" gate --junit x --ktap x "${before[@]}" -- pairs/b-*.json

# with_steps FILE: what a clock with steps of 16 ns would have measured: each short latency of the
# timer's interrupt is a multiple of that.
with_steps() {
	jq -c '.clock_resolution_ns = 16 | (.all, .cpu[]).hist.irq |= (.min -= .min % 16 |
		.buckets |= (map(if .[0] < 1024 then [.[0] - .[0] % 16, .[1]] else . end) | group_by(.[0]) | map([.[0][0], (map(.[1]) | add)])))' "$1"
}
# No quantile is finer than a step, the counts stay as they were, and all that compares says it.
clock_steps() {
	local i said='the clock has steps of 16 ns: no smaller difference is known' both
	mkdir -p steps
	for i in 1 2 3 4 5 6 7 8; do
		with_steps pairs/a-$i.json > steps/a-$i.json
		with_steps pairs/b-$i.json > steps/b-$i.json
	done
	"$tool" merge steps/a-1.json > steps/again.json || return
	diff <(jq -c '.cpu[].hist' steps/a-1.json) <(jq -c '.cpu[].hist' steps/again.json) || return
	jq -e '(.all, .cpu[]) | .quantiles.irq.p50 as $p50 | (.hist.irq.buckets | map(select(.[0] <= $p50)) | last | .[0]) as $from |
		$p50 < 1023 and $p50 == $from + 15' steps/again.json > jq.log || { jq -c .all.quantiles.irq steps/again.json; return 1; }
	# of a clock of 1 ns the same file has its narrow buckets
	jq -c '.clock_resolution_ns = 1' steps/a-1.json > steps/fine.json
	[ "$("$tool" merge steps/fine.json | jq .all.quantiles.irq.p50)" -lt "$(jq .all.quantiles.irq.p50 steps/again.json)" ] || { echo same; return 1; }
	both="$(jq -r '.all.quantiles.irq.p50 / 1000' steps/again.json)"
	"$tool" report -f text steps/a-1.json | grep -qE "^all +irq( +[0-9.]+){2} +$both " || { echo "not $both"; return 1; }
	"$tool" report -f csv steps/a-1.json | tail -n 1 | grep -qF ",$(jq .all.quantiles.irq.p50 steps/again.json)," || { echo csv; return 1; }
	"$tool" compare -m 'p50(irq)' --json steps/c.json --html steps/c.html steps/a-*.json -- steps/b-*.json > steps/c.txt || return
	grep -qF 'where    nothing moved by a step of the clock or more at p50; ' steps/c.txt || { cat steps/c.txt; return 1; }
	if ! grep -qxF "note     $said" steps/c.txt || ! shows steps/c.html "$said"; then
		cat steps/c.txt
		return 1
	fi
	jq -e --arg said "$said" '.notes[0] == $said and (.metrics[0] | .resolution > 1 / 64 and .resolution < 0.05)' steps/c.json > jq.log || { jq .metrics steps/c.json; return 1; }
	exits 3 'below the resolution of the numbers' "$tool" gate -m 'p50(irq)' --margin 4% steps/a-*.json -- steps/b-*.json || return
	"$tool" compare -v "${before[@]}" -- pairs/b-*.json > steps/none.txt && lacks 'the clock has steps' steps/none.txt
}
check clock_steps clock_steps

# An open_memstream() without memory at the call with the number $FAILS_AT.
make_memory() {
	gcc -O2 -Wall -Wextra -Werror -shared -fPIC -o memory.so -x c - <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <errno.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	static int number;
	FILE *open_memstream(char **text, size_t *size)
	{
		FILE *(*open)(char **text, size_t *size);
		void *at = dlsym(RTLD_NEXT, "open_memstream");

		if (++number == atoi(getenv("FAILS_AT"))) {
			fputs("no memory\n", stderr);
			errno = ENOMEM;
			return NULL;
		}
		memcpy(&open, &at, sizeof(open));
		return open(text, size);
	}
	END
}

# without_memory WORDS...: a text that there is no memory for fails the command, which says so.
without_memory() {
	local n status
	for ((n = 1; ; n++)); do
		status=0
		FAILS_AT=$n LD_PRELOAD=$out/memory.so "$tool" "$@" > memory.out 2> memory.err || status=$?
		grep -qx 'no memory' memory.err || break
		if [ $status -ne 1 ] || ! grep -q '^tlob-load: .*memory' memory.err; then
			echo "$*: exit code $status without the text with number $n"
			return 1
		fi
	done
	[ $n -gt 1 ] || { echo "$*: no text is made"; return 1; }
}
memory() {
	fixture memory attach && mkdir -p memory && cp pairs/a-[1-4].json memory || return
	without_memory report -f md pairs/a-1.json && without_memory report -f md attach/a-1.json || return
	without_memory report -f html -o memory.html attach/a-1.json || return
	without_memory report --hosts memory || return
	without_memory compare --json - "${before[@]}" -- pairs/b-*.json &&
		without_memory compare --html memory.html "${before[@]}" -- pairs/b-*.json &&
		without_memory compare --markdown memory.md "${before[@]}" -- pairs/b-*.json
}
check memory memory

# A malloc() of as many bytes as the printable form of 3001 needs is refused.
make_name() {
	gcc -O2 -Wall -Wextra -Werror -shared -fPIC -o name.so -x c - <<-'END'
	#include <errno.h>
	#include <stdlib.h>
	void *__libc_malloc(size_t size);
	void *malloc(size_t size)
	{
		if (size != 4 * 3001 + 1)
			return __libc_malloc(size);
		errno = ENOMEM;
		return NULL;
	}
	END
}

# lacks_a_name WORDS...: the command prints $name; without memory for it, it fails.
lacks_a_name() {
	"$tool" "$@" > name.out
	grep -q "$name" name.out &&
		exits 1 'out of memory: what was written lacks a text' env LD_PRELOAD="$out/name.so" "$tool" "$@"
}

# A name that there is no memory for fails the report that lacks it.
memory_of_a_name() {
	local i name
	name=$(printf '%03001d' 0)
	fixture name && mkdir -p name || return
	for i in {a,b}-{1..8}; do
		jq -c --arg name "$name" '.kernel = $name' "pairs/$i.json" > "name/$i.json" || return
	done
	lacks_a_name report -f text name/a-1.json && lacks_a_name compare name/a-*.json -- name/b-*.json
}
unsanitized "ASan has a malloc of its own" memory_of_a_name memory_of_a_name
