# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Options from TLOB_OPT_NAME, as an image gets them; names for files and tags, as many machines and
# many jobs need them. Part of tests/cli/here, which has $out and
# $tool.
# shellcheck disable=SC2154

# The values count, the result repeats them as options, and loads do not get them.
environment_counts() {
	local json=$out/environment.json seen=$out/environment.seen
	TLOB_OPT_WINDOWS=60 TLOB_OPT_PERIOD=2ms TLOB_OPT_WORK=none TLOB_OPT_BACKEND=posix TLOB_OPT_JSON=$json \
		TLOB_OPT_ASSERT=$'windows>1\nlost==0' TLOB_OPT_LOAD="env > environment.seen; sleep $mark" "$tool" run -q -n 1000 || return
	jq -e '.period_ns == 2000000 and .cpu[0].windows == 1000 and (.assertions | length) == 2 and
		(.command | contains("--period=2ms") and contains("--work=none") and (contains("--windows") | not))' "$json" ||
		{ jq -c '[.period_ns, .assertions, .command]' "$json"; return 1; }
	grep -q '^TLOB_LOAD_CPUS=' "$seen" && lacks '^TLOB_OPT_' "$seen"
}

# --cpus is not given: the CPUs that are allowed, as by podman --cpuset-cpus
environment_cpus() {
	local one
	one=$cpu
	TLOB_OPT_JSON=$out/one.json taskset -c "$one" "$tool" run --backend posix -n 20 -q -w none &&
		jq -e --arg one "$one" '.cpus == $one' "$out/one.json" || return
	TLOB_OPT_CPUS=$one TLOB_OPT_DURATION=1s TLOB_OPT_JSON=$out/one.json TLOB_OPT_BACKEND=posix "$tool" &&
		jq -e --arg one "$one" '.cpus == $one and .work == "none" and .all.windows > 0' "$out/one.json"
}

# environment_ends SIGNAL: as podman stop sends one. The whole result is there, and assertions count.
environment_ends() {
	local json=$out/term.json status=0
	rm -f "$json"
	TLOB_OPT_DURATION=1h TLOB_OPT_JSON=$json TLOB_OPT_ASSERT='windows<1' TLOB_OPT_BACKEND=posix \
		"$tool" run -w none -q > "$out/bg.out" 2> "$out/bg.err" &
	pid=$!
	threads $pid || return
	kill -"$1" $pid
	wait $pid || status=$?
	[ $status -eq 2 ] || { echo "exit $status: $(cat "$out/bg.err")"; return 1; }
	jq -e '(.partial | not) and .all.windows > 0 and .assertions[0].holds == false' "$json" > /dev/null &&
		valid "$json"
}

check environment.counts environment_counts
check environment.cpus environment_cpus
check environment.sigterm environment_ends TERM
check environment.sigquit environment_ends QUIT
check environment.wrong_alone exits 129 'from the environment: TLOB_OPT_PERIOD' env TLOB_OPT_PERIOD=5 "$tool"
# only run looks for variables of no option
check environment.others env TLOB_OPT_PERIODE=1ms TLOB_OPT_JSON="$out/others.json" "$tool" restore

# Two at once write two files, named by host and run. What is killed leaves nothing, in no form.
site_output_dir() {
	local dir=$out/site pid file
	rm -rf "$dir"
	"$tool" run --backend posix -w none -d 1h -q --output-dir "$dir" &
	pid=$!
	threads $pid || return
	"$tool" run --backend posix -w none -n 20 -q --output-dir "$dir" --tag rack=b7 --tag 'job=7 <b>' &
	TLOB_OPT_TAG=$'rack=b8\njob=7 <b>' "$tool" run --backend posix -w none -n 20 -q --output-dir "$dir" || return
	wait $! || return
	kill -KILL $pid
	wait $pid 2> /dev/null
	[ "$(find "$dir" -type f | wc -l)" -eq 2 ] || { find "$dir"; return 1; }
	for file in "$dir"/*.json; do
		[ "$(basename "$file")" = "$(jq -r '"\(.host)-\(.run_id).json"' "$file")" ] || { echo "$file"; return 1; }
		valid "$file" || return
	done
	[ "$(jq -r .tags.rack "$dir"/*.json | sort | xargs)" = "b7 b8" ] || return
	# a sum has what all have
	"$tool" merge --json "$out/site.json" "$dir"/*.json && jq -e '.tags == {job: "7 <b>"}' "$out/site.json"
}

check site.output_dir site_output_dir
check site.no_dir exits 1 'cannot be made: No such file or directory' "$tool" run --backend posix -n 1 --output-dir "$out/none/none"
check site.two_names exits 129 '--json and --output-dir both' "$tool" run -n 1 --output-dir "$out" --json -
check site.tag_name exits 129 'NAME of letters, digits and _' "$tool" run -n 1 --tag a-b=1
check site.tag_twice exits 129 'a has a value already' "$tool" run -n 1 --tag a=1 --tag a=2

# In a chroot without /proc a file without a name cannot get one.
no_proc() {
	rm -f "$out/no-proc.json"
	"$tool" run --backend posix -w none -n 20 -q --json "$out/few.json" &&
		unshare -m bash -c 'umount -l /proc && exec "$@"' - "$tool" merge "$out/few.json" -o "$out/no-proc.json" &&
		jq -e .run_id "$out/no-proc.json" > /dev/null && [ -z "$(find "$out" -name '.no-proc*')" ]
}

# An output that no new file can replace is refused before the first window: somebody else's in a folder like /tmp, and
# a file that is mounted into a container.
irreplaceable() {
	local dir=$own/irreplaceable file=$own/irreplaceable/r.json
	mkdir -m 1777 "$dir" && echo old > "$file" && chmod 666 "$file" || return
	local run=("$tool" run --backend posix --policy other -n 20 -q -w none --load "touch $dir/began" --json "$file")
	# shellcheck disable=SC2016 # the inner shell expands it
	exits 1 "cannot write $file: Operation not permitted" as nobody "${run[@]}" &&
		exits 1 "cannot write $file: it is a mount point" unshare -m bash -c 'mount --bind "$0" "$0" && exec "$@"' "$file" "${run[@]}" &&
		[ "$(cat "$file")" = old ] && [ ! -e "$dir/began" ]
}

# outside_of_cpuset: the CPU is another one's, as in a container of a host with cgroup v1.
cpuset_v1=/sys/fs/cgroup/cpuset
outside_of_cpuset() {
	local dir=$cpuset_v1/tlob-here.$$ status=0
	mkdir "$dir" && cat $cpuset_v1/cpuset.mems > "$dir/cpuset.mems" && echo 0 > "$dir/cpuset.cpus" || return
	(echo $BASHPID > "$dir/cgroup.procs" && exits 1 'the cpuset of this process lacks it' \
		"$tool" run --backend posix -c 1 -n 1 -q -w none) || status=$?
	rmdir "$dir"
	return $status
}

# A container may have no /dev/cpu_dma_latency.
no_dma_latency() {
	exits 77 '--dma-latency: this kernel has no /dev/cpu_dma_latency' unshare -m bash -c 'mount -t tmpfs none /dev && exec "$@" < /proc/self/fd/0' - \
		"$tool" run --backend posix -n 1 -q --dma-latency 0
}

# isolcpus= leaves its CPUs out of every affinity mask. The commands take them alike.
isolated() {
	local last
	last=$(sed 's/.*[-,]//' /sys/devices/system/cpu/online)
	echo "$last" > "$out/isolated"
	# shellcheck disable=SC2016 # the inner shell expands it
	local on=(unshare -m bash -c 'mount --bind "$0" /sys/devices/system/cpu/isolated && exec "$@"' "$out/isolated")
	"${on[@]}" "$tool" run --backend posix --policy other -n 3 -w none -q --json "$out/isolated.run.json" &&
		TLOB_OPT_BACKEND=posix TLOB_OPT_POLICY=other TLOB_OPT_WINDOWS=3 TLOB_OPT_WORK=none TLOB_OPT_JSON="$out/isolated.bare.json" \
			"${on[@]}" "$tool" < /dev/null > /dev/null || return
	"${on[@]}" "$tool" doctor -q --json "$out/isolated.doctor.json"
	[ "$(jq -r .cpus "$out"/isolated.{run,bare,doctor}.json | sort -u)" = "$last" ] ||
		{ jq -r .cpus "$out"/isolated.{run,bare,doctor}.json; return 1; }
	# a narrower mask without them was chosen
	[ "$last" -lt 2 ] || "${on[@]}" taskset -c 0 "$tool" run --backend posix --policy other -n 3 -w none -q --json - | jq -e '.cpus == "0"' > /dev/null
}

# A soft limit is raised; behind a hard one the tool does not die without a word.
small_stack() {
	(ulimit -Ss 64 && "$tool" run --backend posix -n 10 -w none -q) || return
	! as nobody true 2> /dev/null || exits 1 'the stack may have 64 KiB' as nobody prlimit --stack=65536:65536 "$tool" run --backend posix -n 10
}

check environment.small_stack small_stack
if [ "$(id -u)" -eq 0 ] && [ -e $cpuset_v1/cpuset.mems ] && [ "$(nproc)" -gt 1 ]; then
	check environment.outside_of_cpuset outside_of_cpuset
else
	skip environment.outside_of_cpuset "needs root, cgroup v1 and two CPUs"
fi
if [ "$(id -u)" -eq 0 ] && unshare -m true 2> /dev/null; then
	check environment.no_proc no_proc
	check environment.irreplaceable irreplaceable
	check environment.no_dma_latency no_dma_latency
	check environment.isolated isolated
else
	skip environment.no_proc "needs root"
	skip environment.irreplaceable "needs root"
	skip environment.no_dma_latency "needs root"
	skip environment.isolated "needs root"
fi
