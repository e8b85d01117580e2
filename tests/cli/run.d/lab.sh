# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Lab, with scripts that end in all ways. Part of
# tests/cli/run.
# shellcheck disable=SC2154

fixture small pairs || return

# The laboratory says how a script of its tree ended, and where its log is. tree SCRIPT TEXT: a
# tree whose SCRIPT does that; the others do nothing.
tree() {
	local script
	mkdir -p tree/scripts tree/tools/tlob-load
	ln -sf "$tool" tree/tools/tlob-load/
	for script in fetch-kernel build-module vm; do
		printf '#!/bin/bash\n%s\n' "$([ $script != "$1" ] || echo "$2")" > tree/scripts/$script
	done
	chmod +x tree/scripts/*
}
lab_ends() {
	tree "$1" "$2"
	exits 1 "$3" env TLOB_TREE="$PWD/tree" "${@:4}" "$lab" run -q -n 1 --dir ends 6.12-rt
}
check lab_says_killed lab_ends vm 'kill -9 $$' 'run 1 was killed by signal 9: it has said nothing: see ends/1-6.12-rt/001.log'
check lab_says_why lab_ends vm 'echo first; echo last; exit 7' 'run 1 failed with exit code 7: last: see ends/1-6.12-rt/001.log'
check lab_says_no_result lab_ends vm 'echo bye' 'run 1 left no result: bye: see ends/1-6.12-rt/001.log'
check lab_says_no_result_of_2 lab_ends vm 'exit 2' 'run 1 failed with exit code 2: it has said nothing: see ends/1-6.12-rt/001.log'
check lab_says_empty_result lab_ends vm 'mkdir -p ends/1-6.12-rt/001; : > ends/1-6.12-rt/001/result.json' 'run 1 left no result'
check lab_says_script_killed lab_ends build-module 'kill -9 $$' 'build-module 6.12-rt failed with exit code 137: it has said nothing: see ends/build-module.log'
# what started it ignores the ends of its children
check lab_sees_ends lab_ends vm 'exit 7' 'run 1 failed with exit code 7' --ignore-signal=CHLD
# a signal also ends the script, which is the last to end; timeout(1) sends it twice
# shellcheck disable=SC2016 # the script expands it
lab_interrupted() {
	tree "$1" 'trap "kill -TERM \$PPID; echo gone > gone; exit 1" TERM; kill -TERM $PPID; while :; do sleep 0.1; done'
	rm -f gone
	exits 1 "$2" env TLOB_TREE="$PWD/tree" "$lab" run -q -n 1 --dir ends 6.12-rt && [ -s gone ]
}
check lab_interrupted_fetching lab_interrupted fetch-kernel 'interrupted by SIGTERM during fetch-kernel 6.12-rt: see ends/fetch-kernel.log'
check lab_interrupted_running lab_interrupted vm 'run 1 was interrupted by SIGTERM: see ends/1-6.12-rt/001.log'
# two at the same time would mix their results
two_labs() {
	tree vm "exec flock -n ends true"
	TLOB_TREE=$PWD/tree "$lab" run -q -n 1 --dir ends 6.12-rt 2> two.said
	grep -q 'run 1 failed with exit code 1' two.said || { cat two.said; return 1; }
	tree vm 'exit 7'
	exits 1 'ends: another lab is writing there: give another --dir' flock ends env TLOB_TREE="$PWD/tree" "$lab" run -q -n 1 --dir ends 6.12-rt
}
check lab_two_at_a_time two_labs
# guests FILTER STATUS: a tree whose guests leave the simulated results of their pair, changed by
# the filter of jq, and end with the status. $changed: the guest has an argument of the kernel.
guests() {
	tree vm "echo >> boots
		changed=false
		for word; do
			case \$word in
			--append=*)  changed=true ;;
			--out=*)     out=\${word#--out=} ;;
			esac
		done
		pair=\${out##*/00} side=a
		[ \$changed = false ] || side=b
		mkdir -p \$out
		jq --argjson changed \$changed '$1' pairs/\$side-\$pair.json > \$out/result.json
		echo 'tlob-load: assertion failed: max(wake)<1us: 5us on CPU 0'
		exit $2"
	rm -rf ends boots
}
lab() {
	TLOB_TREE=$PWD/tree "$lab" run -q --dir ends "$@"
}
# an assertion that fails in a guest is a failure of the lab, also of one run in three
# shellcheck disable=SC2016 # the script expands it
lab_assertion() {
	guests . 2
	exits 2 '6.12: run 1: tlob-load: assertion failed: max(wake)<1us: 5us on CPU 0: see ends/1-6.12/001.log' lab -n 3 6.12 || return
	guests . '$((pair == 3 ? 2 : 0))'
	exits 2 'an assertion failed in 1 of 3 runs, and was undecided in 0' lab -n 3 6.12 || return
	guests . '$((pair == 3 ? 3 : 0))'
	exits 3 'an assertion failed in 0 of 3 runs, and was undecided in 1' lab -n 3 6.12 || return
	guests . '$((pair == 3 ? 2 : 0))'
	exits 2 'in 2 of 14 runs' lab -n 7 --compare -m 'p50(response)' --margin 900% 6.12 6.12+nohz=off -- -d 20s || return
	guests . 0
	exits 0 '' lab -n 7 --compare -m 'p50(response)' --margin 900% 6.12 6.12+nohz=off -- -d 20s
}
check lab_assertion lab_assertion
# what follows from the command line is meant to differ, and the verdict has it
# shellcheck disable=SC2016 # jq and the script expand it
lab_varied() {
	guests '.tuning = if $changed then { idle_governor: "ladder", kernel_arguments: "nohz=off", smt: "on" }
		else { idle_governor: "menu", kernel_arguments: "" } end' 0
	lab -n 7 --compare -m 'p50(response)' --margin 900% 6.12 6.12+nohz=off -- -d 20s > varied.said || { cat varied.said; return 1; }
	grep '^varied' varied.said | sort > varied.lines
	diff varied.lines - <<-'EOF'
	varied   idle_governor: menu in A, ladder in B
	varied   kernel_arguments: none in A, nohz=off in B
	varied   smt: unknown in A, on in B
	EOF
}
check lab_varied lab_varied
# what cannot be compared is said after the first pair, and not after all boots
# shellcheck disable=SC2016 # jq expands it
lab_first_pair() {
	guests 'if $changed then .backend = "bpf" else . end' 0
	exits 1 '6.12 and 6.12+nohz=off measured with different settings' lab -n 5 --compare -m 'p50(response)' 6.12 6.12+nohz=off -- -d 20s || return
	[ "$(wc -l < boots)" -eq 2 ] || { echo "$(wc -l < boots) boots"; return 1; }
}
check lab_first_pair lab_first_pair
# its files are those that compare writes of the same results; a path that is wrong is said before
# the boots, and a lab that fails leaves no file of an earlier one
# shellcheck disable=SC2016 # the script expands it
lab_files() {
	local form ours=() wanted=()
	for form in json junit ktap markdown html; do
		ours+=("--$form" "lab.$form") wanted+=("--$form" "wanted.$form")
	done
	set -- 6.12 6.12+nohz=off -- -d 20s
	compared_lab() { lab -n 7 --compare -m 'p50(response)' --margin 900% "$@"; }
	guests . 0
	exits 1 'nowhere/lab.html: No such file' compared_lab --html nowhere/lab.html "$@" && [ ! -e boots ] || return
	compared_lab "${ours[@]}" "$@" > lab.said && grep '^6.12+nohz=off against 6.12$' lab.said || return
	"$tool" compare -q -m 'p50(response)' --margin 900% "${wanted[@]}" ends/1-6.12/*.json -- ends/2-6.12/*.json || return
	for form in json junit ktap markdown html; do
		cmp "lab.$form" "wanted.$form" || return
	done
	compared_lab --json - "$@" | cmp - wanted.json || return
	guests . 7
	exits 1 'run 1 failed with exit code 7' compared_lab --json lab.json "$@" && [ ! -e lab.json ]
}
check lab_files lab_files
lab_files_refused() {
	rm -f boots
	exits 129 '--junit, --ktap, --markdown and --html need --compare' lab --junit lab.xml 6.12 &&
		exits 129 '--json needs --compare or --try' lab --json lab.json 6.12 &&
		exits 129 'a file has one comparison, and these kernels make 2: give two kernels, or compare the results in ends with tlob-load compare' \
			lab --compare --html lab.html 6.1 6.12 7 && [ ! -e boots ]
}
check lab_files_refused lab_files_refused
# a lab with fewer runs would leave those of an earlier one among its own
lab_earlier_results() {
	guests . 0
	lab -n 3 6.12 || return
	exits 1 'ends/1-6.12/002.json is from an earlier lab with more runs: remove ends/1-6.12, or give another --dir' lab -n 1 6.12+nohz=off || return
	[ "$(wc -l < boots)" -eq 3 ] && lab -n 3 6.12+nohz=off
}
check lab_earlier_results lab_earlier_results
# no run of a batch, or of an earlier start, is read that has not known its argument
# shellcheck disable=SC2016 # the script expands it
lab_try_unknown() {
	tree vm 'for word; do
			case $word in
			--append=*)  said="Unknown kernel command line parameters \"${word#--append=}\", will be passed to user space." ;;
			--out=*)     out=${word#--out=} ;;
			--dmesg=*)   dmesg=${word#--dmesg=} ;;
			esac
		done
		mkdir -p $out
		echo "${said-}" > $dmesg
		cp pairs/a-1.json $out/result.json'
	rm -rf ends
	set -- exits 3 'typo=1: not tried: this kernel does not know typo=1' lab --seed 1 -j 16 --try typo=1 6.12
	"$@" && "$@" --resume
}
check lab_try_unknown lab_try_unknown
# an experiment that fails leaves no findings of an earlier one behind, one that is refused leaves them alone
lab_try_refused() {
	tree vm 'echo QEMU was killed; exit 7'
	rm -rf tries
	echo old > tries.json
	set -- env TLOB_TREE="$PWD/tree" "$lab" run -q --try x=1 --dir tries --json tries.json 6.12
	exits 1 'QEMU was killed: see tries/' "$@" && [ ! -e tries.json ] || return
	echo old > tries.json
	exits 1 'give --resume' "$@" && [ -s tries.json ]
}
check lab_try_refused lab_try_refused
# each kernel of build-kernel's list is built, also those that make check-debug leaves out, and one
# that is there is taken as it is
# shellcheck disable=SC2016 # the script expands it
lab_built_kernels() {
	local name
	rm -rf built && mkdir -p built/scripts built/tests/vm/kernels built/build/kernels/6.12-small-mine || return
	cp "$top"/scripts/{fetch-kernel,lib.sh,apt.sh,headers.sh} built/scripts/
	cp "$top/tests/vm/kernels/list" built/tests/vm/kernels/
	echo 6.12.1 > built/build/kernels/6.12-small-mine/version
	printf '#!/bin/bash\n%s\n' 'echo "builds $*"' > built/scripts/build-kernel
	chmod +x built/scripts/build-kernel
	"$top/scripts/build-kernel" --list > built/list && grep -c . built/list && lacks small built/list || return
	while read -r name _; do
		exits 0 "builds $name" built/scripts/fetch-kernel "$name" || return
	done < <(grep '^[0-9]' built/tests/vm/kernels/list)
	exits 0 6.12.1 built/scripts/fetch-kernel 6.12-small-mine && exits 129 'unknown kernel 6.12-small-none' built/scripts/fetch-kernel 6.12-small-none
}
check lab_built_kernels lab_built_kernels
# The script of the documentation finds the commit, past one that does not build, one without an
# answer and one that is undecided. A commit has the status of its tlob-lab.
# shellcheck disable=SC2016 # the program that is made expands it
bisect() {
	local status n=0
	rm -rf bisect && mkdir -p bisect/bin && git init -q bisect/tree || return
	sed -n '/^    #!\/bin\/sh$/,/^    esac$/s/^    //p' "$top/docs/how-to/bisect.md" > bisect/bin/bisect.sh
	printf '#!/bin/sh\nexit "$(cat status)"\n' > bisect/bin/tlob-lab
	printf '#!/bin/sh\n! grep -qx make status\n' > bisect/bin/make
	chmod +x bisect/bin/*
	cd bisect/tree || return
	for status in 0 0 1 0 make 0 3 1 2 2 1 2; do
		n=$((n + 1))
		echo "$status" > status
		echo $n > number
		git add . && git -c user.name=x -c user.email=x@y commit -qm "commit $n" || return
	done
	git bisect start HEAD HEAD~11 > /dev/null && GOOD=x PATH=$PWD/../bin:$PATH git bisect run bisect.sh
	# nothing can say which of 7, 8 and 9 was the first
	git bisect log > ../log || return
	# what this machine lacks ends it: no commit is to blame
	printf '#!/bin/sh\nexit 77\n' > ../bin/tlob-lab
	git bisect start HEAD HEAD~11 > /dev/null && ! PATH=$PWD/../bin:$PATH git bisect run bisect.sh > ended 2>&1 || return
	! git bisect log | grep '^git bisect skip' || return
	grep -c '^# possible first bad commit: .* commit [789]$' ../log | grep -qx 3 || { cat ../log; return 1; }
}
check bisect bisect
lab_explain_needs_plugin() {
	tree vm 'exit 7'
	exits 77 'tlob-plugin.so is missing: run make lab' env TLOB_TREE="$PWD/tree" "$lab" explain -q --dir ends 6.12-rt
}
check lab_explain_needs_plugin lab_explain_needs_plugin
# next to the log is the command that boots the guest again
# shellcheck disable=SC2016 # the script expands it
lab_command() {
	rm -rf command by-hand
	tree vm 'echo "$0 $*" > by-hand; exit 7'
	! TLOB_TREE=$PWD/tree "$lab" run -q -n 1 --seed 1 --dir command "6.12-rt+it's.a=word" 2> /dev/null && mv by-hand by-lab || return
	! bash command/1-*/001.command && cmp by-lab by-hand && grep -q "it's.a=word" by-hand
}
check lab_command lab_command
# a limit of the file size is an error in words, not an end without any
file_limit() {
	(ulimit -f 1; exits 1 'cannot write limited.html' "$tool" report -o limited.html small.json)
}
check file_limit file_limit
check lab_needs_tree exits 77 "TLOB_TREE is /nowhere, which has no scripts/vm" env TLOB_TREE=/nowhere "$lab" run --dir lab 6.12-rt
# an installed tool: nothing is made before it says so
lab_says_where() {
	rm -rf new far && mkdir far && cp "$lab" far/elsewhere || return
	exits 77 "$1" far/elsewhere run --dir new 6.12-rt && [ ! -e new ]
}
check lab_says_where lab_says_where "tlob-lab: the source tree is missing: unpack tlob-load-$(cat "$top/VERSION").tar.gz"
# what the laboratory was a command of says where it is
lab_elsewhere() {
	local word command
	while read -r word command; do
		exits 129 "'$word' is in a program of its own: tlob-lab $command, built by 'make lab'" "$tool" "$word" 6.12 || return
	done <<< $'lab run\nexplain explain\nbisect bisect'
}
check lab_elsewhere lab_elsewhere
