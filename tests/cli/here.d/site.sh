# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What many machines and many jobs need: names for files, tags, one after the other. Part of
# tests/cli/here, which has $top, $out and $tool.
# shellcheck disable=SC2154

# Two at once write two files, named by host and run. What is killed leaves nothing, in no form.
site_output_dir() {
	local dir=$out/site pid file
	rm -rf "$dir"
	"$tool" run --backend posix -w none -d 600s -q --output-dir "$dir" &
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
		(cd "$top/tests/unit" && "$top/build/unit/test_schema" "$file") || return
	done
	[ "$(jq -r .tags.rack "$dir"/*.json | sort | xargs)" = "b7 b8" ] || return
	# a sum has what all have
	"$tool" merge --json "$out/site.json" "$dir"/*.json && jq -e '.tags == {job: "7 <b>"}' "$out/site.json"
}

check_site() {
	check site.output_dir site_output_dir
	check site.no_dir exits 1 'cannot be made: No such file or directory' "$tool" run --backend posix -n 1 --output-dir "$out/none/none"
	check site.two_names exits 129 '--json and --output-dir both' "$tool" run -n 1 --output-dir "$out" --json -
	check site.tag_name exits 129 'NAME of letters, digits and _' "$tool" run -n 1 --tag a-b=1
	check site.tag_twice exits 129 'a has a value already' "$tool" run -n 1 --tag a=1 --tag a=2
}
