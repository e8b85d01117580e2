# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Options from TLOB_OPT_NAME, as an image gets them. Part of tests/cli/here, which has $out and
# $tool.
# shellcheck disable=SC2154

# The values count, the result repeats them as options, and loads do not get them.
environment_counts() {
	local json=$out/environment.json seen=$out/environment.seen
	TLOB_OPT_WINDOWS=60 TLOB_OPT_PERIOD=2ms TLOB_OPT_WORK=none TLOB_OPT_BACKEND=posix TLOB_OPT_JSON=$json \
		TLOB_OPT_ASSERT=$'windows>1\nlost==0' TLOB_OPT_LOAD="env > $seen; sleep 60" "$tool" run -q -n 50 || return
	jq -e '.period_ns == 2000000 and .cpu[0].windows == 50 and (.assertions | length) == 2 and
		(.command | contains("--period=2ms") and contains("--work=none") and (contains("--windows") | not))' "$json" ||
		{ jq -c '[.period_ns, .assertions, .command]' "$json"; return 1; }
	grep -q '^TLOB_LOAD_CPUS=' "$seen" && ! grep '^TLOB_OPT_' "$seen"
}

# --cpus is not given: the CPUs that are allowed, as by podman --cpuset-cpus
environment_cpus() {
	local one
	one=$(taskset -cp $$ | sed 's/.*[ ,-]//')
	TLOB_OPT_JSON=$out/one.json taskset -c "$one" "$tool" run --backend posix -n 20 -q -w none &&
		jq -e --arg one "$one" '.cpus == $one' "$out/one.json" || return
	TLOB_OPT_CPUS=$one TLOB_OPT_DURATION=100ms TLOB_OPT_JSON=$out/one.json TLOB_OPT_BACKEND=posix "$tool" &&
		jq -e --arg one "$one" '.cpus == $one and .work == "none" and .duration_ns < 5000000000' "$out/one.json"
}

# The signal that podman stop sends: the whole result is there, and assertions count.
environment_sigterm() {
	local json=$out/term.json status=0
	rm -f "$json"
	TLOB_OPT_DURATION=600s TLOB_OPT_JSON=$json TLOB_OPT_ASSERT='windows<1' TLOB_OPT_BACKEND=posix \
		"$tool" run -w none -q > "$out/bg.out" 2> "$out/bg.err" &
	pid=$!
	threads $pid || return
	kill -TERM $pid
	wait $pid || status=$?
	[ $status -eq 2 ] || { echo "exit $status: $(cat "$out/bg.err")"; return 1; }
	jq -e '(.partial | not) and .all.windows > 0 and .assertions[0].holds == false' "$json" > /dev/null &&
		(cd "$top/tests/unit" && "$top/build/unit/test_schema" "$json")
}

check_environment() {
	check environment.counts environment_counts
	check environment.cpus environment_cpus
	check environment.sigterm environment_sigterm
	check environment.wrong exits 129 '--period: duration 5 has no unit: give 5ms; from the environment: TLOB_OPT_PERIOD' \
		env TLOB_OPT_PERIOD=5 "$tool" run
	check environment.wrong_alone exits 129 'from the environment: TLOB_OPT_PERIOD' env TLOB_OPT_PERIOD=5 "$tool"
	check environment.unknown exits 129 'TLOB_OPT_PERIODE: no option comes from such a variable' env TLOB_OPT_PERIODE=1ms "$tool" run
	# only run
	check environment.others env TLOB_OPT_PERIODE=1ms TLOB_OPT_JSON="$out/others.json" "$tool" restore
}
