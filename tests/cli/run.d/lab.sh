# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Lab, with scripts that end in all ways. Part of
# tests/cli/run, which has $top, $tool, $out, check and exits, and is in $out.
# shellcheck disable=SC2154

# The laboratory says how a script of its tree ended, and where its log is. tree SCRIPT TEXT: a
# tree whose SCRIPT does that; the others do nothing.
tree() {
	local script
	mkdir -p tree/scripts
	for script in fetch-kernel build-module vm; do
		printf '#!/bin/bash\n%s\n' "$([ $script != "$1" ] || echo "$2")" > tree/scripts/$script
	done
	chmod +x tree/scripts/*
}
lab_ends() {
	tree "$1" "$2"
	exits 1 "$3" env TLOB_TREE="$PWD/tree" "${@:4}" "$tool" lab -q -n 1 --dir ends 6.12-rt
}
check lab_says_killed lab_ends vm 'kill -9 $$' 'run 1 was killed by signal 9: it has said nothing: see ends/1-6.12-rt/001.log'
check lab_says_why lab_ends vm 'echo first; echo last; exit 7' 'run 1 failed with exit code 7: last: see ends/1-6.12-rt/001.log'
check lab_says_no_result lab_ends vm 'echo bye' 'run 1 left no result: bye: see ends/1-6.12-rt/001.log'
check lab_says_no_result_of_2 lab_ends vm 'exit 2' 'run 1 failed with exit code 2: it has said nothing: see ends/1-6.12-rt/001.log'
check lab_says_empty_result lab_ends vm 'mkdir -p ends/1-6.12-rt/001; : > ends/1-6.12-rt/001/result.json' 'run 1 left no result'
check lab_says_script_killed lab_ends build-module 'kill -9 $$' 'build-module 6.12-rt failed with exit code 137: it has said nothing: see ends/build-module.log'
# what started it ignores the ends of its children
check lab_sees_ends lab_ends vm 'exit 7' 'run 1 failed with exit code 7' --ignore-signal=CHLD
# a signal ends the script, too, which is the last to end; timeout(1) sends it twice
# shellcheck disable=SC2016 # the script expands it
lab_interrupted() {
	tree "$1" 'trap "kill -TERM \$PPID; echo gone > gone; exit 1" TERM; kill -TERM $PPID; while :; do sleep 0.1; done'
	rm -f gone
	exits 1 "$2" env TLOB_TREE="$PWD/tree" "$tool" lab -q -n 1 --dir ends 6.12-rt && [ -s gone ]
}
check lab_interrupted_fetching lab_interrupted fetch-kernel 'interrupted by SIGTERM during fetch-kernel 6.12-rt: see ends/fetch-kernel.log'
check lab_interrupted_running lab_interrupted vm 'run 1 was interrupted by SIGTERM: see ends/1-6.12-rt/001.log'
# two at the same time would mix their results
two_labs() {
	tree vm "exec flock -n ends true"
	TLOB_TREE=$PWD/tree "$tool" lab -q -n 1 --dir ends 6.12-rt 2> two.said
	grep -q 'run 1 failed with exit code 1' two.said || { cat two.said; return 1; }
	tree vm 'exit 7'
	exits 1 'ends: another lab is writing there: give another --dir' flock ends env TLOB_TREE="$PWD/tree" "$tool" lab -q -n 1 --dir ends 6.12-rt
}
check lab_two_at_a_time two_labs
# the plugin is built with make tool, where a compiler can
check lab_explain_needs_plugin exits 77 'tlob-plugin.so: run make -C tools/tlob-plugin' env TLOB_TREE="$PWD/tree" "$tool" lab -q --explain --dir ends 6.12-rt
# beside the log is the command that boots the guest again
# shellcheck disable=SC2016 # the script expands it
lab_command() {
	tree vm 'echo "$0 $*" > by-hand; exit 7'
	! TLOB_TREE=$PWD/tree "$tool" lab -q -n 1 --seed 1 --dir ends "6.12-rt+it's.a=word" 2> /dev/null && mv by-hand by-lab || return
	! bash ends/1-*/001.command && cmp by-lab by-hand && grep -q "it's.a=word" by-hand
}
check lab_command lab_command
# a limit of the file size is an error in words, not an end without any
file_limit() {
	(ulimit -f 1; exits 1 'cannot write the page' "$tool" report -o limited.html small.json)
}
check file_limit file_limit
check lab_needs_tree exits 77 "needs the source tree of tlob-load" env TLOB_TREE=/nowhere "$tool" lab --dir lab 6.12-rt
