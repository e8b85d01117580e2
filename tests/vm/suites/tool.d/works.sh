#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# works.sh - works of known growth, for tests/vm/suites/tool
#
# Usage (in a guest): sh /works.sh
#
# Writes /out/KIND-N.json for kinds of work with N rounds, those of kernel threads as
# /out/kthread.KIND-N.json. Exit: 0, 1 a run failed.
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
exit $status
