# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Plan, and what lab checks before it boots. Part of
# tests/cli/run.
# shellcheck disable=SC2154

fixture small || return
mkdir -p bin

# A line of --dry-run is a command: here for a tlob-load that only prints its arguments.
# shellcheck disable=SC2016 # the shell that --setup calls expands it
planned() {
	local -a of_plan=(plan --pairs 6 --seed 5 --dir planned)
	"$tool" "${of_plan[@]}" --dry-run base 'new one' --setup 'echo "$1" >> setup.log' --vary smt,policy \
		-- -c 0 -d 3s --assert 'max(wake)<1ns' > plan.txt || return
	[ ! -e planned ] || { echo "the dry run made planned"; return 1; }
	cmp <("$tool" plan --dry-run --seed 5 base b -- -d 3s) <("$tool" plan --dry-run --seed 5 base b -- -d 3s) || return
	rm -f setup.log calls.log
	cat > bin/tlob-load <<-'EOF'
	#!/bin/bash
	echo "$*" >> calls.log
	json=${*: -1}
	[ "$1" != run ] || echo x > "${json#--json=}"
	EOF
	chmod +x bin/tlob-load
	PATH=$PWD/bin:$PATH sh plan.txt || return
	[ "$(grep -c "^run -c 0 -d 3s --assert max(wake)<1ns -q --seed=" calls.log)" -eq 12 ] || { cat calls.log; return 1; }
	diff <(sort setup.log | uniq -c | tr -s ' ') <(printf ' 6 base\n 6 new one\n') || return
	tail -n 1 calls.log | grep -qx "compare --vary=smt,policy$(printf ' planned/a-00%d.json' {1..6}) --$(printf ' planned/b-00%d.json' {1..6})" || { tail -n 1 calls.log; return 1; }
	# again only what is missing, in the same order
	rm planned/b-002.json planned/a-005.json
	"$tool" "${of_plan[@]}" --dry-run base 'new one' --setup 'echo "$1" >> setup.log' -- -c 0 -d 3s --assert 'max(wake)<1ns' > rest.txt || return
	diff <(sed -n 's/^tlob-load run .*--json=//p' rest.txt) <(printf 'planned/%s.json\n' b-002 a-005)
}

# Each look is a compare with the pairs that it has, and a program is named as people call it.
planned_looks() {
	"$tool" plan --dry-run --sequential --margin 10% -m 'p50(wake)' --seed 5 --dir looks a b -- -d 3s > looks.txt || return
	diff <(sed -n 's/^tlob-load compare --sequential --margin=10% .--metric=p50(wake). //p' looks.txt | awk '{ print NF }') \
		<(for pairs in 10 20 40; do echo $((2 * pairs + 1)); done) &&
		[ "$(grep -c '^tlob-load run ' looks.txt)" -eq 80 ] && [ "$(tail -n 1 looks.txt | cut -d ' ' -f 2)" = compare ]
}

# The first result claims the directory. A --setup that fails leaves no claim.
plan_claims() {
	local -a run=(-- --backend posix --policy other -c 0 -w none -p 200us -n 3000)
	local -a of_plan=("$tool" plan --pairs 6 --seed 5 --dir claimed)
	rm -rf claimed
	exits 1 'failed with exit code 1' "${of_plan[@]}" --setup false a b "${run[@]}" || return
	exits 1 'failed with exit code 1' "${of_plan[@]}" --setup 'ls claimed/?-*.json 2> /dev/null && exit 1; true' a b "${run[@]}" || return
	[ "$(find claimed -name '?-*.json' | wc -l)" -eq 1 ] || return
	exits 1 'results of another plan' "${of_plan[@]}" --setup true a b "${run[@]}" || return
	exits 1 'results of another plan' "${of_plan[@]}" --dry-run --setup true a b "${run[@]}"
}

# A run that was cut short, or failed, leaves no result.
plan_cut_short() {
	exits 1 'was cut short by' "$tool" plan --pairs 6 --seed 5 --dir cut a b -- \
		--backend posix --policy other -c 0 -p 1ms -w spin:50us -b 1us -n 3000 --on-violation stop || return
	exits 1 'failed with exit code ' "$tool" plan --pairs 6 --seed 5 --dir cut a b -- --backend posix -c 9999 -n 3000 || return
	[ -z "$(find cut -name '?-*.json')" ]
}

# Of a plan that has begun they count: a line before each run, and of each that is made again one more.
# shellcheck disable=SC2016 # the shell that --setup calls expands it
plan_counts_failures() {
	local -a of_plan=("$tool" plan --pairs 6 --seed 5 --dir failed)
	local -a run=(a b -- --backend posix --policy other -c 0 -w none -p 200us -n 3000)
	local side i first
	mkdir -p failed
	# the second run has a folder where it writes
	exits 1 'failed with exit code ' "${of_plan[@]}" --setup 'for r in failed/?-001.json; do [ ! -e "$r" ] || mkdir -p failed/a-001.json.part failed/b-001.json.part; done' "${run[@]}" || return
	rmdir failed/?-001.json.part
	[ "$(cat failed/plan.log)" = "$(ls failed/a-001.json > /dev/null 2>&1 && echo b || echo a)-001.json" ] || { cat failed/plan.log; return 1; }
	exits 1 'results of another plan' "${of_plan[@]}" --setup true "${run[@]}" || return
	first=$(echo failed/?-001.json)
	for side in a b; do
		for i in 1 2 3 4 5 6; do [ -e failed/$side-00$i.json ] || cp "$first" failed/$side-00$i.json || return; done
	done
	cat failed/plan.log >> failed/plan.log.1 && cat failed/plan.log.1 >> failed/plan.log && rm failed/plan.id || return
	"${of_plan[@]}" --dry-run "${run[@]}" > failed.txt || return
	grep -qE '^tlob-load compare --cut-short=(0,1|1,0) failed/a-001.json ' failed.txt || { cat failed.txt; return 1; }
}

# A second run that is cut short in the midst of its seconds is told that it counts.
# shellcheck disable=SC2016 # the shell that --setup calls expands it
plan_says_it_counts() {
	# the brackets keep the pattern from its own process
	exits 1 'was cut short by SIGINT: the same command makes it again, and counts it as the worst of its side' \
		"$tool" plan --pairs 6 --seed 5 --dir told --setup 'ls told/?-*.json > /dev/null 2>&1 || exit 0
			( until pgrep -f "json=told/.-001[.]json[.]part"; do sleep 0.05; done
			sleep 2; pkill -INT -f "json=told/.-001[.]json[.]part" ) > /dev/null 2>&1 &' \
		a b -- --backend posix --policy other -c 0 -w none -p 200us -n 30000
}

# A name of a side may be a build of a history. The first --setup fails.
plan_no_control() {
	"$tool" plan --pairs 6 --dir nocontrol --setup false $'a\e[2J' $'b\e[2J\a' -- -d 3s > control.out 2>&1
	grep -qE '^run 1 of 12: [ab]\\x1b\[2J' control.out || { cat -v control.out; return 1; }
	no_escape control.out
}

# Another command line of a kernel. $1 and $2 of --setup are the name and its arguments.
# shellcheck disable=SC2016 # the shell that --setup calls expands it
plan_arguments() {
	"$tool" plan --dry-run --pairs 6 --seed 5 --dir booted 6.12+quiet 6.12+nohz=off+quiet --setup 'echo "$1/$2" >> boots.log' \
		-- -c 0 -d 3s > booted.txt || return
	rm -f boots.log
	grep '^sh ' booted.txt | sh || return
	diff <(sort boots.log | uniq -c | tr -s ' ') <(printf ' 6 6.12+nohz=off+quiet/nohz=off quiet\n 6 6.12+quiet/quiet\n') || return
	grep -q '^tlob-load compare --vary=kernel_arguments ' booted.txt || return
	exits 129 "invalid name '6.12+'" "$tool" plan 6.12 6.12+ --setup : -- -d 3s || return
	exits 129 '--setup is missing: it boots' "$tool" plan 6.12 6.12+nohz=off -- -d 3s || return
	# this kernel has only what $has names
	local -a run=(--setup : -- --backend posix --policy other -w none -p 200us -n 3000)
	local has
	has=$(tr ' ' '\n' < /proc/cmdline | grep -m 1 '^[a-z.=_0-9]*$')
	exits 1 'the kernel ran without nosuch=1: let --setup boot it with' "$tool" plan --pairs 6 --seed 1 --dir unbooted 6.12 6.12+nosuch=1 \
		"${run[@]}" || return
	[ -z "$has" ] ||
		exits 1 "the kernel ran with $has: let --setup boot it without" "$tool" plan --pairs 6 --seed 1 --dir booted 6.12 "6.12+$has" "${run[@]}"
}

check plan planned
check plan_looks planned_looks
check plan_claims plan_claims
check plan_cut_short plan_cut_short
check plan_counts_failures plan_counts_failures
check plan_says_it_counts plan_says_it_counts
check plan_no_control plan_no_control
check plan_arguments plan_arguments
check plan_few_pairs exits 129 'give --pairs 6 or more' "$tool" plan --pairs 5 a b -- -d 30s
check plan_few_windows exits 129 'p99.9(response) needs 2995 windows of each CPU, but a run has 618' "$tool" plan a b -- -p 1ms -d 618ms
check plan_few_windows_n exits 129 'a run has 2994 at most: give -n 2995' "$tool" plan a b -- -n 2994
check plan_few_warm_up exits 129 'a run has 2990 at most' "$tool" plan a b -- -d 3s --warm-up 10
check lab_no_image exits 1 'not a file: give a bzImage or a vmlinuz' "$lab" run --image /dev/null
check lab_no_symbols exits 1 '--symbols /nothere: No such file' "$lab" explain --dir at --image small.json --symbols /nothere
check lab_colon exits 129 "put a + instead of the ':'" "$lab" run 6.12:nohz=off
check lab_few_pairs exits 129 'cannot decide on 4 metrics: give --pairs 7 or more' "$lab" run --deterministic --compare -n 5 6.12 6.12-rt
check lab_few_windows exits 129 'p99(wake) needs 299 windows of each CPU' "$lab" run --deterministic --compare 6.12 6.12-rt -- -n 298
check lab_few_windows_metric exits 129 'p99.99(irq) needs 29956 windows' "$lab" run -m 'p99.99(irq)' --compare 6.12 6.12-rt
check plan_sequential_pairs exits 129 'leave out --pairs' "$tool" plan --sequential --margin 10% -n 20 a b -- -d 3s
check plan_needs_names exits 129 'two names' "$tool" plan a -- -d 1s
check plan_needs_length exits 129 'length of a run is missing' "$tool" plan a b
