# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What doctor says of this machine, whatever it is. Part of tests/cli/here.
# shellcheck disable=SC2016,SC2154

# The JSON is valid; its counts, its outcome and the exit status follow from its rules.
doctor_json() {
	local status json=$out/doctor.$1.json
	doctor "$1" "${2:-$tool}" doctor -q --json - || return
	cp "$out/doctor.out" "$json"
	valid "$json" || return
	jq -e --argjson status "$status" '
		def n($s; $v): [.checks[] | select(.status == $s and .severity == $v)] | length;
		def n($s): [.checks[] | select(.status == $s)] | length;
		(if n("finding"; "high") + n("finding"; "fatal") > 0 then 2
		 elif n("unknown"; "high") + n("unknown"; "fatal") > 0 then 1 else 0 end) as $wanted |
		$status == $wanted and .outcome == ["fit", "undecided", "not fit"][$wanted] and
		.counts == {fatal: n("finding"; "fatal"), high: n("finding"; "high"), medium: n("finding"; "medium"),
			unknown_fatal: n("unknown"; "fatal"), unknown_high: n("unknown"; "high"),
			unknown_medium: n("unknown"; "medium"), unknown_info: n("unknown"; "info"),
			noted: n("noted"), absent: n("absent"), pass: n("pass")} and
		(.counts | add) == (.checks | length) and n("finding"; "info") == 0 and .root == null' "$json" ||
		{ jq -c '[.outcome, .counts]' "$json"; echo "exit $status"; return 1; }
}

# The file has the outcome that the text has, which has no colour in a file and fits a terminal. A doctor that
# fails leaves no older report behind.
doctor_file() {
	local status json=$out/doctor.file.json
	doctor self "$tool" doctor --json "$json" || return
	grep -qix "$(jq -r .outcome "$json"): .*" "$out/doctor.out" || { cat "$out/doctor.out"; return 1; }
	lacks -E '^.{81}' "$out/doctor.out" && lacks $'\033' "$out/doctor.out" || return
	exits 1 'is offline or does not exist' "$tool" doctor --cpus 8191 --json "$json" && [ ! -e "$json" ]
}

# One rule alone, and what it exits with.
doctor_why() {
	local status id
	for id in nohz_full preempt_rt; do
		doctor self "$tool" doctor --why $id --pattern polling || return
		grep -E "^(fatal|medium) $id: " "$out/doctor.out" || return
		grep '^  rule of  Linux 7\.3' "$out/doctor.out" || return
		# a medium one alone never fails
		[ $id != nohz_full ] || [ "$status" -eq 0 ] || { echo "exit $status"; return 1; }
	done
	# the word chooses the rule of that pattern
	"$tool" doctor --why nohz_full --pattern polling | grep 'tick stops while one task polls' || return
	"$tool" doctor --why nohz_full --pattern periodic | grep 'periodic tick stays on'
}

# A copy of a machine: no line is about this one. About an empty one nothing is known.
doctor_copy() {
	local status root=$out/root
	mkdir -p "$root/sys/devices/system/cpu" "$root/sys/kernel"
	echo 0-3 > "$root/sys/devices/system/cpu/online"
	TLOB_ROOT=$root doctor self "$tool" doctor --cpus 2-3 -q --json - || return
	jq -e --arg root "$root" '.root == $root and .kernel == null and .outcome == "undecided" and .counts.pass == 0 and
		.counts.unknown_fatal == 1' "$out/doctor.out" || { jq -c '[.root, .kernel, .counts]' "$out/doctor.out"; return 1; }
	[ "$status" -eq 1 ] || { echo "exit $status"; return 1; }
	echo 1 > "$root/sys/kernel/realtime"
	TLOB_ROOT=$root doctor self "$tool" doctor --why preempt_rt || return
	[ "$status" -eq 0 ] || { echo "exit $status"; return 1; }
	head -n 1 "$out/doctor.out" | grep -x pass || return
	TLOB_ROOT=$out/nowhere exits 1 'cpu/online: No such file' "$tool" doctor
}

# What is longer than a buffer fails before its end, and says why as well.
doctor_full() {
	exits 1 'No space left on device' sh -c '"$0" doctor --all > /dev/full' "$tool" &&
		exits 1 'No space left on device' sh -c '"$0" doctor -q --json - > /dev/full' "$tool"
}

# Nothing is opened for writing.
doctor_touches_nothing() {
	rm -f "$out"/strace.*
	strace -ff -qq -o "$out/strace" -e trace=openat,open,creat,mount,unlink,rename,mkdir "$tool" doctor > /dev/null
	[ $? -le 2 ] && lacks -vE 'O_RDONLY|\+\+\+|---' "$out"/strace.*
}

check_doctor() {
	local who
	for who in self nobody userns; do
		if [ $who != self ] && ! as $who true 2> /dev/null; then
			skip "doctor.json.$who" "not possible for this user, or in this container"
		else
			check "doctor.json.$who" doctor_json $who
		fi
	done
	check doctor.file doctor_file
	check doctor.why doctor_why
	check doctor.copy doctor_copy
	check doctor.full doctor_full
	if strace -o /dev/null true 2> /dev/null; then
		check doctor.touches_nothing doctor_touches_nothing
	else
		skip doctor.touches_nothing "no strace, or not permitted"
	fi
}

check_doctor
