# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Plan, and what lab checks before it boots. Part of
# tests/cli/run.
# shellcheck disable=SC2154

fixture small || return
mkdir -p bin

# shellcheck disable=SC2016 # the shell of the plan expands it
planned() {
	"$tool" plan --pairs 6 --seed 5 --dir planned base 'new one' --setup 'echo "$1" >> setup.log' \
		--vary smt,policy -- -c 0 -d 3s --assert 'max(wake)<1ns' > plan.sh || return
	"$tool" plan --pairs 6 --seed 5 --dir planned base 'new one' --setup 'echo "$1" >> setup.log' --format json -- -c 0 -d 3s --assert 'max(wake)<1ns' > plan.json || return
	cmp <("$tool" plan --pairs 6 --seed 5 base b -- -d 3s) <("$tool" plan --pairs 6 --seed 5 base b -- -d 3s) || return
	shellcheck plan.sh || return
	# carried out with a tlob-load that only prints its arguments
	mkdir -p bin
	rm -f setup.log calls.log
	cat > bin/tlob-load <<-'EOF'
	#!/bin/bash
	echo "$*" >> calls.log
	[ "$1" = run ] || exit 0
	echo '"stopped_by":null' > "${*: -1}"
	exit 2	# the assertion fails
	EOF
	chmod +x bin/tlob-load
	PATH=$PWD/bin:$PATH sh plan.sh || return
	[ "$(grep -c '^run ' calls.log)" -eq 12 ] || { cat calls.log; return 1; }
	diff <(sort setup.log | uniq -c | tr -s ' ') <(printf ' 6 base\n 6 new one\n') || return
	"$tool" plan --pairs 6 --seed 6 --dir planned base 'new one' -- -c 0 -d 3s > other.sh || return
	exits 1 'results of another plan' sh other.sh || return
	exits 1 'results of another plan' "$tool" plan --pairs 6 --seed 6 --dir planned --run base b -- -c 0 -d 3s || return
	tail -n 1 calls.log | grep -qx "compare --vary smt,policy$(printf ' planned/a-00%d.json' {1..6}) --$(printf ' planned/b-00%d.json' {1..6})" || { tail -n 1 calls.log; return 1; }
	# the same order in both, and again only what is missing
	diff <(jq -r '.runs[].result' plan.json) <(sed -n 's/^run .*--json \(.*\).part/\1/p' calls.log) || return
	rm planned/b-002.json calls.log
	PATH=$PWD/bin:$PATH sh plan.sh || return
	[ "$(grep -c '^run ' calls.log)" -eq 1 ] || return
	# a run that was cut short leaves no result
	rm planned/b-002.json
	sed -i 's/:null/:"SIGINT"/' bin/tlob-load
	! PATH=$PWD/bin:$PATH sh plan.sh && [ ! -e planned/b-002.json ] || return
	# nor does one that failed, whose exit code is the script's
	sed -i 's/exit 2/exit 77/' bin/tlob-load
	exits 77 '' env PATH="$PWD/bin:$PATH" sh plan.sh && [ ! -e planned/b-002.json ]
}

# A --setup that fails leaves no claim: the corrected plan has the directory.
mistaken_plan() {
	rm -rf mistaken
	"$tool" plan --pairs 6 --seed 5 --dir mistaken a b --setup false -- -c 0 -d 3s > wrong.sh || return
	"$tool" plan --pairs 6 --seed 5 --dir mistaken a b --setup true -- -c 0 -d 3s > right.sh || return
	exits 1 '' sh wrong.sh || return
	exits 1 'failed with exit code 1' "$tool" plan --run --pairs 6 --seed 5 --dir mistaken a b --setup false -- -c 0 -d 3s || return
	cat > bin/tlob-load <<-'EOF'
	#!/bin/bash
	[ "$1" != run ] || echo '"stopped_by":null' > "${*: -1}"
	EOF
	PATH=$PWD/bin:$PATH sh right.sh || return
	exits 1 'results of another plan' sh wrong.sh || return
	exits 1 'results of another plan' "$tool" plan --run --pairs 6 --seed 5 --dir mistaken a b --setup false -- -c 0 -d 3s
}

# A name of a side may be a build of a history. The first --setup fails.
plan_no_control() {
	"$tool" plan --pairs 6 --dir nocontrol --setup false --run $'a\e[2J' $'b\e[2J\a' -- -d 3s > control.out 2>&1
	grep -qE '^run 1 of 12: [ab]\\x1b\[2J' control.out || { cat -v control.out; return 1; }
	no_escape control.out
}

# Another command line of a kernel. $1 and $2 of --setup are the name and its arguments.
# shellcheck disable=SC2016 # the shell of the plan expands it
plan_arguments() {
	"$tool" plan --pairs 6 --seed 5 --dir booted 6.12+quiet 6.12+nohz=off+quiet --setup 'echo "$1/$2" >> boots.log' \
		-- -c 0 -d 3s > booted.sh || return
	shellcheck booted.sh || return
	rm -f boots.log calls.log
	# the last --setup has booted this kernel
	cat > bin/tlob-load <<-'EOF'
	#!/bin/bash
	echo "$*" >> calls.log
	[ "$1" = run ] || exit 0
	echo "\"kernel_arguments\":\"a=1 $(tail -n 1 boots.log | cut -d / -f 2)\",\"stopped_by\":null" > "${*: -1}"
	EOF
	PATH=$PWD/bin:$PATH sh booted.sh || return
	diff <(sort boots.log | uniq -c | tr -s ' ') <(printf ' 6 6.12+nohz=off+quiet/nohz=off quiet\n 6 6.12+quiet/quiet\n') || return
	grep -q '^compare --vary kernel_arguments ' calls.log || return
	# a --setup that boots the same kernel for both
	rm booted/[ab]-*
	sed 's|echo "$1/$2" >>|echo 1/quiet >>|' booted.sh > same.sh
	exits 1 'the kernel ran without nohz=off: let --setup boot it with' env PATH="$PWD/bin:$PATH" sh same.sh || return
	rm -f booted/[ab]-*
	sed 's|echo "$1/$2" >>|echo 1/nohz=off quiet >>|' booted.sh > same.sh
	exits 1 'the kernel ran with nohz=off: let --setup boot it without' env PATH="$PWD/bin:$PATH" sh same.sh || return
	"$tool" plan --pairs 6 --seed 5 6.12 6.12+nohz=off --setup : --format json -- -d 3s |
		jq -e 'all(.runs[]; .kernel_arguments == if .side == "b" then "nohz=off" else "" end)' || return
	exits 129 "invalid name '6.12+'" "$tool" plan 6.12 6.12+ --setup : -- -d 3s || return
	exits 129 '--setup is missing: it boots' "$tool" plan 6.12 6.12+nohz=off -- -d 3s || return
	# this kernel has neither
	exits 1 'the kernel ran without nosuch=1: let --setup boot it with' "$tool" plan --pairs 6 --seed 1 --dir unbooted --run 6.12 6.12+nosuch=1 \
		--setup : -- --backend posix --policy other -w none -p 200us -n 3000
}

check plan planned
check plan_mistaken mistaken_plan
check plan_no_control plan_no_control
check plan_arguments plan_arguments
check plan_few_pairs exits 129 'give --pairs 6 or more' "$tool" plan --pairs 5 a b -- -d 30s
check plan_lists exits 129 '--functions=list, --help and --version are not for plan' "$tool" plan a b -- -d 30s --functions list
check plan_page exits 129 'after --: each run would write the same file' "$tool" plan a b -- -d 30s --html x.html
check plan_verbose exits 129 'after --: --verbose is not for plan' "$tool" plan a b -- -d 30s -v
check plan_few_windows exits 129 'p99.9(response) needs 2995 windows of each CPU, but a run has 618' "$tool" plan a b -- -p 1ms -d 618ms
check plan_few_windows_n exits 129 'a run has 2994 at most: give -n 2995' "$tool" plan a b -- -n 2994
check plan_few_warm_up exits 129 'a run has 2990 at most' "$tool" plan a b -- -d 3s --warm-up 10
check lab_no_image exits 1 'not a file: give a bzImage or a vmlinuz' "$tool" lab --image /dev/null
check lab_no_symbols exits 1 '--symbols /nothere: No such file' "$tool" lab --dir at --image small.json --symbols /nothere
check lab_colon exits 129 "put a + instead of the ':'" "$tool" lab 6.12:nohz=off
check lab_few_pairs exits 129 'cannot decide on 4 metrics: give --pairs 7 or more' "$tool" lab --deterministic --compare -n 5 6.12 6.12-rt
check lab_few_windows exits 129 'p99(wake) needs 299 windows of each CPU' "$tool" lab --deterministic --compare 6.12 6.12-rt -- -n 298
check lab_few_windows_metric exits 129 'p99.99(irq) needs 29956 windows' "$tool" lab -m 'p99.99(irq)' --compare 6.12 6.12-rt
check plan_sequential exits 129 '--sequential needs --run' "$tool" plan --sequential --margin 10% a b -- -d 3s
check plan_sequential_margin exits 129 '--sequential needs --margin' "$tool" plan --run --sequential a b -- -d 3s
check plan_sequential_pairs exits 129 'leave out --pairs' "$tool" plan --run --sequential --margin 10% -n 20 a b -- -d 3s
check plan_needs_names exits 129 'two names' "$tool" plan a -- -d 1s
check plan_needs_length exits 129 'length of a run is missing' "$tool" plan a b
check plan_checks_options exits 129 'after --: unknown' "$tool" plan a b -- -d 1s --wrong
# with --miss a run of 1 ms is refused, so none of them measures if it fails
check validate_page exits 129 'each phase would write the same file' "$tool" validate -c 0 -d 1ms --miss 0.1 -- --html x
check validate_samples exits 129 'each phase would write the same file' "$tool" validate -c 0 -d 1ms --miss 0.1 -- --samples x
check lab_needs_kernel exits 129 'no kernel' "$tool" lab -- -d 1s
