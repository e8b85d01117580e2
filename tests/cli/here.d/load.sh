# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What is around a run, without the module: loads, and what --tune refuses and plans. Part of tests/cli/here.
# shellcheck disable=SC2015,SC2154

# load_runs WHO: it is in the result, on its CPUs and with its note, and gone afterwards.
load_runs() {
	local json=$out/load.$1.json
	as "$1" "$tool" run --backend posix -n 50 -p 2ms -w none --policy other -q --json - --load-cpus 0 \
		--load "setsid sleep $mark & taskset -pc \$\$ >&2; wait" --load "sleep $mark" > "$json" || return
	jq -e --arg load "setsid sleep $mark & taskset -pc \$\$ >&2; wait + sleep $mark" \
		'.load == $load and .load_cpus == "0" and .all.windows == 50 * (.cpu | length)' "$json" > /dev/null ||
		{ jq -c '[.load, .load_cpus, .notes, .all.windows]' "$json"; return 1; }
	if [ "$1" != self ] || [ "$(id -u)" -ne 0 ]; then
		jq -e '.notes | any(startswith("the loads have no cgroup: "))' "$json" > /dev/null || { jq -c .notes "$json"; return 1; }
	fi
	valid "$json" || return
	jq -r -f "$top/tests/vm/suites/tool.d/result.jq" "$json" > "$out/wrong" && [ ! -s "$out/wrong" ] || { cat "$out/wrong"; return 1; }
	none_left
}

# Every preset that is available runs, all side by side.
load_presets() {
	local preset args=()
	for preset in cpu cache memory irq timer fork io net; do
		args+=(--load "@$preset")
	done
	"$tool" run --backend posix -n 20 -p 20ms -w none --policy other -q --json - "${args[@]}" > "$out/load.presets.json" || return
	jq -e '.load | startswith("@cpu + @cache + @memory + @irq + @timer + @fork + @io + @net")' "$out/load.presets.json" > /dev/null
}

# A load that ends makes the run fail, with the last line that it wrote.
load_ends() {
	exits 1 "ended before the run did: exit status 4: no room" "$tool" run --backend posix -w none --policy other \
		-d 1h -q --json "$out/load.none.json" --load "echo first >&2; echo 'no room' >&2; exit 4"
}

# With windows before that end the file is there, says so, and counts for nothing.
load_ends_later() {
	local json=load.ended.json
	exits 1 "ended before the run did: exit status 4" "$tool" run --backend posix -w none --policy other --checkpoint 1s -q \
		--json "$json" --load "until jq -e '.all.windows > 0' $json > /dev/null 2>&1; do sleep 0.1; done; exit 4" || return
	jq -e '.partial == false and .stopped_by == "an error (see stderr)"' "$json" || { jq -c '[.partial, .stopped_by]' "$json"; return 1; }
	exits 1 'the run was cut short by an error' "$tool" gate "$json" -- "$json"
}

# Its keeper outlives a tool that is killed, but not for long.
load_killed() {
	local pid
	"$tool" run --backend posix -w none --policy other -d 1h -q \
		--load "setsid sleep $mark & sleep $mark" > /dev/null 2>&1 &
	pid=$!
	sleeps 2 || { kill -9 $pid; return 1; }
	kill -9 $pid
	wait $pid 2> /dev/null
	none_left
}

# tune_lists WHO: the settings are shown to everybody, and nothing is changed.
tune_lists() {
	as "$1" "$tool" run --backend posix -c 0 --tune=list > "$out/tune.$1" || return
	[ "$(grep -cx -e cpu_dma_latency -e cpuset_partition "$out/tune.$1")" -eq 2 ] || { cat "$out/tune.$1"; return 1; }
	as "$1" "$tool" run --backend posix -c 0 --tune=list | diff "$out/tune.$1" -
}

# plan gives --tune to the runs of B only, and names it for compare.
tune_planned() {
	"$tool" plan --dry-run --before-after-tune --pairs 10 --dir results -- --backend posix -c 0 -d 1h > "$out/tune.plan" || return
	awk '/^tlob-load run .* --tune .*\/b-0[01][0-9].json$/ { b++; next }
		/^tlob-load run .*--tune/ { exit 1 }
		/^tlob-load run .*\/a-0[01][0-9].json$/ { a++ }
		/^tlob-load compare --vary=tune/ { compared++ }
		END { exit a != 10 || b != 10 || compared != 1 }' "$out/tune.plan" || { cat "$out/tune.plan"; return 1; }
}

check_load() {
	check tune_lists tune_lists self
	check tune_planned tune_planned
	check tune_planned_twice exits 129 'leave it out' "$tool" plan --before-after-tune --pairs 10 -- -c 0 -d 1h --tune
	check load_runs load_runs self
	check load_ends load_ends
	check load_ends_later load_ends_later
	check load_killed load_killed
	if command -v stress-ng > /dev/null; then
		check load_presets load_presets
	else
		skip load_presets "no stress-ng"
	fi
	if [ "$(id -u)" -eq 0 ] && command -v setpriv > /dev/null; then
		check load_nobody load_runs nobody
		check tune_lists_nobody tune_lists nobody
		check tune_nobody exits 77 '--tune changes settings of the system: run as root' as nobody "$tool" run --backend posix -c 0 --policy other -d 1h --tune
	else
		skip load_nobody "not root"
		skip tune_lists_nobody "not root"
		skip tune_nobody "not root"
	fi
}

check_load
