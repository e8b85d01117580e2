# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# --functions by BPF programs. Part of tests/cli/here, which has $top, $out and $tool.
# shellcheck disable=SC2154

# functions_by_bpf ARG...: 100 windows of 10 calls of getppid.
functions_by_bpf() {
	"$tool" run --backend bpf -n 100 -p 2ms -w syscall:10 --warm-up 5 -q --json "$out/functions.json" \
		--functions sys=__x64_sys_getppid
}

# Each call is there, and in no window is more time in the set than in its parts.
functions_exact() {
	functions_by_bpf || return
	jq -e '.functions.mechanism == "fentry" and (.all | .sum_failures == 0 and .functions.lost == 0 and
			.functions.sets.sys.calls == 10 * .windows) and
		all(.worst[]; .parts as $parts | .functions.sets.sys.parts | to_entries | all(.value <= $parts[.key]))' \
		"$out/functions.json" > /dev/null || { jq -c '.functions, .all.functions' "$out/functions.json"; return 1; }
}

# A machine may hide the list of functions, or refuse programs at them. Then it is in words.
functions_tests() {
	local said
	if said=$(functions_by_bpf 2>&1); then
		check functions.exact functions_exact
	elif grep -q -e '--functions: .*: .*' <<< "$said"; then
		skip functions.exact "$(grep -m 1 -e '--functions' <<< "$said")"
	else
		check functions.exact functions_by_bpf
	fi
}
