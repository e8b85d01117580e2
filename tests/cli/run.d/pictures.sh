# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Pictures, prints and copies of report's page. Part of tests/cli/run.
# shellcheck disable=SC2154

fixture day day2 small || return

same_as_no_other() {
	! cmp -s light.png dark.png && ! cmp -s light.png narrow.png && ! cmp -s light.png two.png
}

make_hostile() {
	jq -c '.command = "<script>alert(1)</script>" | .notes = ["<b>&\"", "\u001b[31m"] |
		.worst[0].largest = {kind: "irq", id: 1, name: "<img src=x>", ns: 5, phase: "wake"}' small.json > hostile.json
	page hostile.html hostile.json
}

check printed with day_page printed day.html 'CPU 63' 'mean response' 'How it was measured'
# with names that must be escaped
check copied with hostile copied hostile.html hostile.json
make_light() { fixture day_page && shot day.html light.png 1240; }
make_dark() { fixture day_page && shot day.html dark.png 1240 --blink-settings=preferredColorScheme=0; }
make_narrow() { fixture day_page && shot day.html narrow.png 420; }
make_two() { fixture two_page && shot two.html two.png 1240; }
for picture in light dark narrow two; do check $picture fixture $picture; done
check pictures_differ with light,dark,narrow,two same_as_no_other
