# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# plan --sequential, and the wake-ups next to those of cyclictest. Part of tests/cli/here.
# shellcheck disable=SC2154

# looked DIR STATUS: the verdict, its look and what plan says of the runs agree with them.
looked() {
	local runs verdicts=([0]=OK [2]=REGRESSION [3]=INCONCLUSIVE)
	runs=$(find "$1" -name '*.json' | wc -l)
	grep -q "^${verdicts[$2]:-no verdict}  p50(response): " "$1.out" || return
	grep -qx "$runs of 80 runs were made, $((80 - runs)) were saved" "$1.err" || return
	if [ "$2" -eq 3 ]; then
		[ "$runs" -eq 80 ]
	else
		grep -qx "looks    certain after $((runs / 2)) pairs, $runs runs of 80" "$1.out"
	fi
}

# From the plan to the verdict. The margin is wide, so that two equal sides are soon
# certain, but how soon depends on the host. A second call finds all runs made.
plan_sequential() {
	local status call dir=$out/looks
	rm -rf "$dir"
	for call in first again; do
		status=0
		"$tool" plan --sequential --margin 1000% -m 'p50(response)' --seed 1 --dir "$dir" a b -- \
			--backend posix --policy other -w none -p 1ms -n 300 > "$dir.out" 2> "$dir.err" || status=$?
		looked "$dir" $status || { echo "exit $status"; cat "$dir.out" "$dir.err"; return 1; }
		cp "$dir.out" "$dir.$call"
	done
	lacks '^run ' "$dir.err" && cmp "$dir.first" "$dir.again"
}

# No limit: a busy host delays one of them. What CI prints shows the rest.
beside_cyclictest() {
	"$top/bench/here" "$cpu" 6 > "$out/beside" || return
	cat "$out/beside"
	grep -qE '^posix to cyclictest: [0-9]+\.[0-9]+, 95 %: ' "$out/beside" || return
	tail -n +10 "$out/beside" | sed 's/^/# /' >&3
	if "$tool" run --wait --backend bpf -n 1 -w none -q 2> /dev/null; then
		grep -qE '^bpf to cyclictest: [0-9]+\.[0-9]+, 95 %: ' "$out/beside" && grep -q '^bpf: [0-9]* of 3000 windows inexact$' "$out/beside"
	else
		grep -q -- '--backend bpf: ' "$out/beside"
	fi
}

check plan_sequential plan_sequential
if ! command -v cyclictest > /dev/null || ! chrt -f 95 true 2> /dev/null; then
	skip beside_cyclictest "no cyclictest on this machine, or no SCHED_FIFO: scripts/deps check, root"
else
	check beside_cyclictest beside_cyclictest
fi
