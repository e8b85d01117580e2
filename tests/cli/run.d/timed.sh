# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Report's page of results with timelines, and of as many as are kept. Part of tests/cli/run.
# shellcheck disable=SC2154

fixture day day2 small || return

# timed: a result with timelines for six worst windows, part after part. Noise has a name
# that must do no harm; the second timeline was lost.
make_timed() {
	jq -c '.started = "2026-02-01T00:00:00Z" | .seed = 7 | .worst |= ([range(6) as $i | .[0] | .activation += $i |
		.parts["wake.irq"] += 2000 | .parts["wake.sched"] -= 2000] | map(.timeline = {start_ns: 0, not_kept: 0, spans: [
		foreach (.parts | to_entries[] | select(.value > 0)) as $p (0; . + $p.value;
			{part: $p.key, end_ns: .} + if $p.key | test("irq$|nmi|thread") then {id: 25, name: "<img src=x>"} else {} end)]}) |
		.[1].timeline = null)' small.json > timed.json
	page timed.html timed.json
}

# Each timeline is drawn, with its list; names are text; and what was lost says so.
timed_page() {
	local n
	n=$(jq '[.worst[:8][].timeline | values] | length' timed.json)
	[ "$n" -eq 5 ] && drawn timed.html "$n" '<details class="spans"' && only_text timed.html || return
	shows timed.html 'whose timeline was lost' && drawn two.html 0 'class="spans"'
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

make_full() {
	full day.json > full.json && full day2.json > full2.json && page full.html full.json &&
		page full2.html full.json full2.json && valid full.json
}

full_page() {
	drawn full.html 8 '<details class="spans"' && drawn full2.html 16 '<details class="spans"' || return
	"$tool" report -f text full.json > full.text && [ "$(grep -c '^in order: cpu' full.text)" -eq 5 ] &&
		grep -q 'have the timelines of 58 more violations' full.text
}

# A sum has the timelines of its windows, and what compares results does not look at them.
timed_merge() {
	"$tool" merge timed.json small.json -o timed2.json &&
		jq -e '[.worst[] | has("timeline")] | any and (all | not)' timed2.json > /dev/null &&
		"$tool" report -f text timed.json | grep -q 'img src=x.*irq 25' &&
		"$tool" report -f md timed.json > /dev/null &&
		exits 3 '' "$tool" compare timed.json -- small.json
}

# In print the lists are open, which a script had closed.
timed_print() {
	printed timed.html 'The next worst' && [ "$(grep -c 'img src=x' page.txt)" -ge 5 ]
}

# smaller FILE BYTES
smaller() {
	[ "$(stat -c %s "$1")" -lt "$2" ]
}

check timed fixture timed
check timed_page with timed,two_page timed_page
check timed_schema with timed valid timed.json
check timed_merge with timed timed_merge
check timed_acts with timed acts timed.html
check timed_print with timed timed_print
for width in 320 1280; do
	check "timed_fits.$width" with timed fits timed.html $width
done
check timed_fits.paper with timed fits_paper timed.html
check full_page with full full_page
check page_is_small with full smaller full.html 1000000
check overlay_is_small with full smaller full2.html 1000000
