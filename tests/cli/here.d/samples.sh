# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Rows of --samples. Part of tests/cli/here.
# shellcheck disable=SC2154

sampled() {
	"$tool" run --backend "${samples_backend:-posix}" --policy other -p 1ms -w none -q --json "$out/samples.json" "$@"
}

# read_samples FILE: python reads each row, and finds in them what the result has counted.
read_samples() {
	/usr/bin/python3 - "$1" "$out/samples.json" <<-'END'
	import csv, gzip, json, sys
	path, result = sys.argv[1], json.load(open(sys.argv[2]))
	with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as f:
	    rows = list(csv.DictReader(f))
	assert result["samples"]["written"] == len(rows), (result["samples"], len(rows))
	count = {v: sum(r["verdict"] == v for r in rows) for v in ("ok", "violation", "missed")}
	all = result["all"]
	assert count["ok"] + count["violation"] == all["windows"] - all["lost"], (count, all["windows"])
	assert count["violation"] == all["violations"], count
	for cpu in result["cpu"]:
	    own = [r for r in rows if int(r["cpu"]) == cpu["cpu"]]
	    for name in ("wake", "response"):
	        values = [int(r[name + "_ns"]) for r in own if r["verdict"] != "missed"]
	        hist = cpu["hist"][name]
	        assert min(values) == hist["min"] and max(values) == hist["max"] and sum(values) == hist["sum"], name
	    times = [int(r["time_ns"]) for r in own]
	    steps = {b - a for a, b in zip(times, times[1:])}
	    assert steps <= {result["period_ns"]}, steps
	END
}

samples_csv() {
	local form
	for form in csv csv.gz; do
		sampled -n 1000 -b 50us --samples "$out/samples.$form" || return
		read_samples "$out/samples.$form" || return
	done
	valid "$out/samples.json" || return
		"$tool" report --samples "$out/samples.csv.gz" --html "$out/samples.html" "$out/samples.json" &&
		drawn "$out/samples.html" "$(jq '.cpu | length' "$out/samples.json")" 'aria-label="samples of CPU [0-9]*"'
}

# What does not fit is counted, and the file is whole without it.
samples_limit() {
	sampled -c "$cpu" -n 3000 -p 100us --samples "$out/samples.csv" --samples-size 64K || return
	jq -e '.samples as $s | .all as $a | $s.left_out > 0 and $s.written > 0 and
		(.notes | any(contains("the file has its --samples-size"))) and
		$s.written + $s.left_out >= $a.windows' "$out/samples.json" > /dev/null || { jq -c '.samples, .notes' "$out/samples.json"; return 1; }
	[ "$(stat -c %s "$out/samples.csv")" -le 65536 ] && [ "$(tail -c 1 "$out/samples.csv" | xxd -p)" = 0a ] &&
		[ "$(($(wc -l < "$out/samples.csv") - 1))" -eq "$(jq .samples.written "$out/samples.json")" ]
}

# The run has its result, and the exit status says that something is missing: of a gzip also its end.
samples_full_disk() {
	local form status
	mkdir -p "$out/full"
	for form in csv csv.gz; do
		# the first chunk of 64K fits, and not the second
		mount -t tmpfs -o "size=$([ $form = csv ] && echo 100k || echo 40k)" none "$out/full" || return
		status=0
		sampled -n 6000 -p 100us -c "$cpu" --samples "$out/full/s.$form" 2> "$out/full.err" || status=$?
		cp "$out/full/s.$form" "$out/samples.full.$form"
		umount "$out/full"
		if [ $status -ne 1 ] || ! grep -q 'No space left on device: [0-9]* rows were written' "$out/full.err"; then
			echo "exit $status"
			cat "$out/full.err"
			return 1
		fi
		if [ $form = csv ]; then
			"$tool" report --samples "$out/samples.full.$form" > /dev/null || return
		else
			exits 1 'is cut short' "$tool" report --samples "$out/samples.full.$form" || return
		fi
		[ "$(zcat -f "$out/samples.full.$form" 2> /dev/null | wc -l)" -eq "$(jq '.samples.written + 1' "$out/samples.json")" ] || return
		jq -e '.all.windows == 6000 and .samples.left_out > 0' "$out/samples.json" > /dev/null ||
			{ jq -c '.samples' "$out/samples.json"; return 1; }
	done
}

# With all CPUs measured they wait in memory; at a stop they end with the run.
samples_ends() {
	sampled -c all -n 500 --samples "$out/samples.csv" && read_samples "$out/samples.csv" &&
	sampled -c "$cpu" --stop-on 'wake>1ns' --samples "$out/samples.csv" && read_samples "$out/samples.csv" &&
	exits 1 'is not a sample' "$tool" report --samples "$out/samples.json" &&
	exits 77 'unknown suffix' sampled -n 1 --samples "$out/samples.zst" &&
	exits 129 'give 4K to 1024G' sampled -n 1 --samples "$out/samples.csv" --samples-size 1
}

check_samples() {
	check samples_csv samples_csv
	check samples_limit samples_limit
	check samples_ends samples_ends
	if can_mount; then
		check samples_full_disk samples_full_disk
	else
		skip samples_full_disk "only root can mount"
	fi
	if has_bpf; then
		samples_backend=bpf
		check samples_bpf samples_csv
	fi
}

check_samples
