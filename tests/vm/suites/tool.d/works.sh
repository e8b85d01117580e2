#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# works.sh - works of known growth, and a search, for tests/vm/suites/tool
#
# Usage (in a guest): sh /works.sh
#
# Writes /out/KIND-N.json for kinds of work with N rounds, those of kernel threads as
# /out/kthread.KIND-N.json, /out/edge-N.json for two works,
# and /out/search.* for what a search finds. Exit: 0, 1 a run failed.
status=0
for n in 10 20 30; do
	cat > /phases.json <<-EOT
		{"format": "tlob-load phases", "version": 1, "phases": [
		 {"loops": ${n}00}, {"mem": "chase,ws=64K,n=${n}0"}, {"fpu": ${n}00}, {"syscall": $n}]}
	EOT
	for work in fpu:${n}00 syscall:$n mem:chase,ws=64K,n=${n}00 mem:stream,ws=16K,n=$n @/phases.json; do
		case $work in
		@*)    name=phases ;;
		mem:*) name=${work#mem:} name=${name%%,*} ;;
		*)     name=${work%:*} ;;
		esac
		tlob-load run -n 40 --warm-up 6 -w "$work" -q --json "/out/$name-$n.json" || status=1
		case $work in
		mem:*)	tlob-load run --workload kthread -n 40 --warm-up 6 -w "$work" -q --json "/out/kthread.$name-$n.json" ||
				status=1 ;;
		esac
	done
done
# the edge by two runs, and by a search. In their period, which no tick's is a multiple of, some
# windows have a tick: about ten of the 400.
for n in 20000 40000; do
	tlob-load run -n 400 --warm-up 6 -p 1100us -b 900us -w loops:$n -q --json /out/edge-$n.json || status=1
done
# half a period after a tick: else the phase decides whether each fourth window has one, or none
tlob-load search -q --budget 300us --miss 0.05 -n 1000 --json /out/search.json --html /out/search.html \
	-- -w loops:1000 --warm-up 6 --phase 500us > /out/search.txt || status=1
exit $status
