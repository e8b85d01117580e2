# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Histories, and gate with one, on a machine whose runs are simulated. Part of
# tests/cli/run, which has $top, $tool, $out, check, exits and within, and is in $out.
# shellcheck disable=SC2154

fixture pairs || return

# numbers HISTORY: "1 2 5 " of its sessions
numbers() {
	"$tool" history list "$1" | sed -nE 's/^ +([0-9]+) .*/\1/p' | tr '\n' ' '
}

make_hist() {
	mkdir -p hist && jq -c '.work = "none" | .seed = 99' pairs/a-1.json > other.json || return
	"$tool" history add --build v1 --commit c1 --label 'a b' --label c hist pairs/a-[123].json || return
	"$tool" history add hist pairs/b-[123].json || return
	exits 1 'is a run of session 1 already' "$tool" history add hist pairs/a-1.json || return
	exits 1 'are the same run' "$tool" history add hist pairs/a-4.json pairs/a-4.json || return
	exits 1 'spin:200us, but none in other.json' "$tool" history add hist pairs/a-4.json other.json || return
	exits 1 'No such file' "$tool" history add hist nothere.json || return
	cmp pairs/a-2.json hist/000001/002.json || return
	# broken and foreign files are named and skipped, and stay
	mkdir -p hist/000007 hist/000008 hist/000006 hist/9 hist/.new-left || return
	mkfifo hist/000006/session.json
	echo '{"format":"tlob-load result"}' > hist/000007/session.json
	head -c 100 hist/000001/session.json > hist/000008/session.json
	echo x > hist/notes.txt
	"$tool" history list hist > list.txt 2> skipped.txt || return
	diff <(sed -E 's|.*/hist/([^:]*): .*|\1|' skipped.txt | sort) <(printf '000006\n000007\n000008\n9\nnotes.txt\n') || return
	[ "$(numbers hist 2> /dev/null)" = '1 2 ' ] || { cat list.txt; return 1; }
	# a number is not taken from a folder that is no session
	"$tool" history add hist pairs/a-5.json 2> /dev/null | grep -q '^session 10:' || { ls hist; return 1; }
	"$tool" history show hist 1 2> /dev/null > show.txt || return
	for line in 'session 1: v1' '  commit    c1' '  label     a b' '  label     c' '  state     accepted'; do
		grep -qxF "$line" show.txt || { cat show.txt; return 1; }
	done
	exits 1 '77: no such session' "$tool" history reject hist 1 77 || return
	"$tool" history show hist 1 2> /dev/null | grep -q 'state     accepted' || return
	"$tool" history reject hist 1 2 2> /dev/null && "$tool" history accept hist 2 2> /dev/null || return
	"$tool" history list hist 2> /dev/null | grep -qE '^ +1 .* rejected ' || return
	"$tool" history remove hist 2 2> /dev/null || return
	[ ! -e hist/000002 ] && [ "$(numbers hist 2> /dev/null)" = '1 10 ' ]
}

# A session is known by all of its runs: one that shares some with another is refused.
history_runs() {
	rm -rf runs && mkdir runs || return
	"$tool" history add runs pairs/a-1.json && "$tool" history add runs pairs/a-[34].json || return
	exits 1 'a-1.json is a run of session 1 already: leave it out' "$tool" history add runs pairs/a-2.json pairs/a-1.json || return
	exits 1 'a-4.json is a run of session 2 already' "$tool" history add runs pairs/a-[245].json || return
	exits 1 'a-1.json is a run of session 1 already' "$tool" gate --history runs pairs/a-[12].json || return
	exits 1 'a-3.json is a run of session 2 already' "$tool" gate --history runs pairs/a-3.json || return
	exits 1 'session 2 was added without gate' "$tool" gate --history runs pairs/a-4.json pairs/a-3.json || return
	[ "$(numbers runs)" = '1 2 ' ]
}

# Runs without the policy that was to be used are neither a baseline nor beyond one.
history_policy_refused() {
	local i
	rm -rf refusing && mkdir refusing refusing/hist || return
	for i in 1 2 3; do jq -c '.policy = "other" | .policy_asked = "fifo:95"' pairs/c-$i.json > refusing/$i.json || return; done
	exits 3 'measured with policy other, because fifo:95 was not permitted' "$tool" gate --history refusing/hist --json refusing/gate.json refusing/[123].json || return
	jq -e '.verdict == "INCONCLUSIVE" and (.conditions | startswith("policy other, spin:200us every 1 ms")) and (.lowered | length == 1)' refusing/gate.json || return
	"$tool" history list refusing/hist 2> /dev/null | grep -qE '^ +1 .* open ' || return
	# runs that are not equally long
	rm -rf refusing && mkdir refusing refusing/hist && cp pairs/c-[12].json refusing || return
	jq -c '.duration_ns = 60000000000' pairs/c-3.json > refusing/c-3.json || return
	exits 3 'a longer run meets more, and gets warmer; duration: 20s, but 60s in ' "$tool" gate --history refusing/hist refusing/c-[123].json
}

# A verdict stands: other metrics and margins do not reach it, which is said.
history_judged() {
	rm -rf judged && mkdir judged || return
	exits 3 'the first session' "$tool" gate --history judged pairs/a-[123].json &&
		exits 3 'session 1 already has its verdict' "$tool" gate --history judged -m 'p50(wake)' pairs/a-[123].json &&
		exits 3 'session 1 already has its verdict' "$tool" gate --history judged --margin 30% pairs/a-[123].json || return
	"$tool" gate --history judged pairs/a-[123].json 2>&1 > /dev/null | lacks already /dev/stdin
}

# A pipe cannot be copied after it was read: nothing is stored.
history_pipe() {
	rm -rf piped && mkdir piped || return
	exits 1 'is not a regular file' "$tool" history add piped pairs/a-1.json <(cat pairs/a-2.json) || return
	exits 1 'is not a regular file' "$tool" gate --history piped <(cat pairs/a-1.json) || return
	exits 1 'is not a regular file' "$tool" history add piped pairs || return
	[ -z "$(ls -A piped)" ] && "$tool" history add piped /dev/stdin < pairs/a-1.json &&
		cmp pairs/a-1.json piped/000001/001.json
}

# The build, from --build or from a kernel's name.
history_no_control() {
	local evil=$'6.12\e[2J\xc2\x9b\a'
	rm -rf control && mkdir control || return
	jq -c --arg k "$evil" '.kernel = $k' pairs/a-1.json > control.json
	"$tool" history add control control.json > control.out && "$tool" history add --build "$evil" control pairs/a-2.json >> control.out || return
	[ "$(grep -cF '1 run of 6.12\x1b[2J\xc2\x9b\x07' control.out)" -eq 2 ] && no_escape control.out
}

# export is what report --append writes of the same files
history_export() {
	rm -f series.csv
	"$tool" report --append series.csv --commit c1 hist/000001/0*.json || return
	"$tool" report --append series.csv --commit 6.12.0-simulated hist/000010/001.json || return
	cmp series.csv <("$tool" history export hist 2> /dev/null) || return
	# one that is cut off is left out
	head -c 1000 pairs/a-2.json > hist/000001/002.json
	exits 1 '000001/002.json: left out' "$tool" history export --csv rest.csv hist || return
	cp pairs/a-2.json hist/000001/002.json
	diff <(sed 3d series.csv) rest.csv
}

# Several jobs add at once, and readers see whole sessions only.
make_many() {
	local i n=12 jobs=()
	mkdir many || return
	for ((i = 0; i < n; i++)); do
		sed "s/\"seed\":10,/\"seed\":$((1000 + i)),/" pairs/a-1.json > "many-$i.json"
		"$tool" history add --build "b$i" many "many-$i.json" > /dev/null &
		jobs+=($!)
	done
	while kill -0 "${jobs[@]}" 2> /dev/null; do
		"$tool" history list many 2>&1 > /dev/null | grep . && return 1
	done
	wait
	[ "$(numbers many)" = "$(seq -s ' ' $n) " ] || { numbers many; return 1; }
	[ "$(find many -name '.*' | wc -l)" -eq 0 ] || return
	diff <("$tool" history list many | grep -oE '\bb[0-9]+\b' | sort) <(for ((i = 0; i < n; i++)); do echo "b$i"; done | sort)
}

# A full disk leaves no session.
history_full() {
	rm -rf full && mkdir full || return
	(ulimit -f 8; "$tool" history add full pairs/a-1.json > full.txt 2>&1) && { cat full.txt; return 1; }
	grep -q 'the session was not added: File too large' full.txt || { cat full.txt; return 1; }
	[ -z "$(ls -A full)" ]
}

# A night on the simulated machine: five runs, and gate with further options.
night() {
	local i
	for i in 1 2 3 4 5; do
		tlob-load run -qc0 -d 5s --seed $((1000 + $(cat runs))) --html page.html --json new-$i.json || return
	done
	tlob-load gate --history hist --build "$(cat build)" "$@" new-*.json > said.txt 2>&1
}

# nights BUILD...: each is booted and passes
nights() {
	local build
	for build; do
		switch "$build"
		night || { cat said.txt; return 1; }
		echo $(($(cat clock) + 86400 - 300)) > clock
	done
}

# in_machine COMMAND...: in a fresh machine of its own
make_machine() { "$top/tests/cli/machine" machine; }
in_machine() (
	fixture machine || exit
	rm -rf machine/hist
	cd machine && PATH=$PWD/bin:$PATH || return
	echo 0 | tee smi > drift
	echo simulated > host
	echo 6.12.0-simulated > kernel
	echo run > boots
	echo slow1 > slow
	switch first
	# the first session is INCONCLUSIVE
	! night || return
	if ! grep -q 'INCONCLUSIVE  session 1, 5 runs of first: the first session of its series' said.txt; then
		cat said.txt
		return 1
	fi
	nights v1 v2 v3 || return
	"$@" || { cat said.txt; return 1; }
)

state() {
	[[ $(tlob-load history list hist 2> /dev/null | sed -n "s/^ *$1  *[0-9-]* [0-9:]*  *//p" | tr -s ' ') == "$2 5 $3 "* ]]
}

# A slow build: without --switch it is not decided, with it it fails, and is never the baseline.
confirmed() {
	local status=0
	switch slow1
	night || status=$?
	[ $status -eq 3 ] && grep -q 'INCONCLUSIVE  session 5, 5 runs of slow1: not confirmed' said.txt && state 5 slow1 'open INCONCLUSIVE' || return
	cp hist/000005/session.json ../open.json
	shellcheck hist/000005/confirm.sh || return
	grep -q -- "--margin 10% .* --setup \"\$1\" v1 slow1 -- --cpus=0 --duration=5s$" hist/000005/confirm.sh || return
	# the same results again continue it
	status=0
	tlob-load gate --history hist --switch 'switch {build}' --junit gate.xml --markdown gate.md --json gate.json new-*.json > said.txt 2>&1 || status=$?
	[ $status -eq 2 ] && grep -q 'REGRESSION  session 5, 5 runs of slow1: measured again against session 2' said.txt && state 5 slow1 'rejected REGRESSION' || return
	cp hist/000005/session.json ../rejected.json
	xmllint --noout gate.xml && grep -q 'failures="1"' gate.xml && grep -q '^## tlob-load: REGRESSION' gate.md || return
	jq -e '.verdict == "REGRESSION" and .against == 2 and .screens[0].beyond and .screens[0].sessions == 4' gate.json || return
	# and say the same without a run
	cat runs > before
	status=0
	tlob-load gate --history hist --switch 'switch {build}' new-*.json > said.txt 2>&1 || status=$?
	[ $status -eq 2 ] && grep -q 'as an earlier call found' said.txt && cmp runs before || return
	nights v4
}

# An SMI in the session alone: its build is measured again, passes, and is a part of the baseline.
passed() {
	echo 5 > smi
	switch v4
	night --switch 'switch {build}' && grep -q 'OK  session 5, 5 runs of v4: measured again against session 2' said.txt && state 5 v4 'accepted OK'
}

# Nights with each option of run that writes: the confirmation writes none of it again.
writing() {
	local options
	options=$("$tool" run --help=all | sed -nE 's/^ +(-., )?--([a-z-]+) (FILE|DIR)( .*|$)/--\2 x/p' | grep -v '^--json ' | tr '\n' ' ')
	[[ $options == *'--output-dir '* && $options == *'--trace '* && $options == *'--hist '* ]] || return
	switch slow1
	night
	tlob-load history remove hist 5 || return
	sed -i "s|\"command\":\"tlob-load run|& $options|" new-*.json
	exits 3 'confirm.sh' tlob-load gate --history hist --build slow1 new-*.json &&
		grep -q -- ' v1 slow1 -- --cpus=0 --duration=5s$' hist/000005/confirm.sh
}

# A result of last night among those of a slow build: not the verdict of last night.
mixed() {
	switch slow1
	cp new-1.json last.json
	night
	cp last.json new-1.json
	tlob-load history remove hist 5 || return
	exits 1 'new-1.json is a run of session 4 already' tlob-load gate --history hist new-*.json && ! state 5 slow1 'open INCONCLUSIVE'
}

# Each switch to another build kills what called it, as a reboot does: the same command continues.
rebooted() {
	local boots=0 status=0
	cat > bin/reboot <<-'EOF'
	#!/bin/sh
	[ "$(cat build)" = "$1" ] && exit
	switch "$1"
	kill -KILL $PPID
	EOF
	chmod +x bin/reboot
	switch slow1
	# beyond the screen, and no command boots the other build
	night || status=$?
	[ $status -eq 3 ] || return
	cat runs > before
	while [ $boots -lt 60 ]; do
		status=0
		tlob-load gate --history hist --switch 'exec bin/reboot {build}' new-*.json > said.txt 2>&1 || status=$?
		[ $status -eq 137 ] || break
		boots=$((boots + 1))
	done
	[ $status -eq 2 ] && [ $boots -gt 3 ] && state 5 slow1 'rejected REGRESSION' || return
	# each run was made once
	[ "$(find hist/000005/confirm-000002 -name '*.json' | wc -l)" -eq $(($(cat runs) - $(cat before))) ]
}

# Runs of one build that follow each other share a boot, so a side may have one boot more.
sharing() {
	echo switch > boots
	switch slow1
	night
	exits 2 'measured again against session 2' tlob-load gate --history hist --switch 'switch {build}' new-*.json &&
		state 5 slow1 'rejected REGRESSION' || return
	tlob-load history remove hist 5 || return
	switch v4
	echo 5 > smi
	night --switch 'switch {build}'
	grep -q 'runs that share a boot count as one' said.txt && grep -q 'measured again against session 2' said.txt
}

# The files of last night say OK. After an error they are gone; a path that cannot be is said before a
# run, and so are two outputs to one file.
outputs() {
	local before
	night --junit gate.xml --json gate.json && grep -q '"OK"' gate.json && [ -s gate.xml ] || return
	exits 1 'nothere.json: No such file' tlob-load gate --history hist --junit gate.xml --json gate.json nothere.json || return
	[ ! -e gate.xml ] && [ ! -e gate.json ] || return
	switch slow1
	night
	before=$(cat runs)
	exits 1 'nowhere/gate.json' tlob-load gate --history hist --switch 'switch {build}' --json nowhere/gate.json new-*.json || return
	exits 129 'two outputs write to same.x' tlob-load gate --history hist --switch 'switch {build}' --json same.x --junit same.x new-*.json || return
	[ "$(cat runs)" -eq "$before" ] && [ ! -e same.x ] && state 6 slow1 'open INCONCLUSIVE'
}

# On stdout is the JSON alone, with -q nothing: neither the comparison nor what --switch says.
alone() {
	switch slow1
	night
	tlob-load gate --history hist --switch 'echo now {build}; switch {build}' --json - new-*.json > only.json 2> said.txt
	jq -es 'length == 1 and .[0].verdict == "REGRESSION"' only.json || { head -n 5 only.json; return 1; }
	grep -q '^now slow1' said.txt && grep -q '^REGRESSION  p99.9' said.txt || return
	tlob-load history remove hist 5 || return
	tlob-load gate --history hist --build slow1 --switch 'switch {build}' -q new-*.json > quiet.txt 2> said.txt
	[ ! -s quiet.txt ] || { head -n 5 quiet.txt; return 1; }
	state 5 slow1 'rejected REGRESSION'
}

# No run before has windows enough for p99.99: that is no empty baseline, which would take any session.
unmeasured() {
	local i
	# twelve times as many windows
	for i in 1 2 3 4 5; do
		"$top/tests/cli/big" --cpus 1 --seconds 60 --scale 2 | jq -c --argjson s $i '.seed = $s | .duration_ns = 5000000000' > long-$i.json || return
	done
	exits 1 'session 5 is not judged: none of the accepted sessions before it (4) has' \
		tlob-load gate --history hist --build slow9 -m 'p99.99(response)' long-*.json && state 5 slow9 open || return
	# with a metric that they have it is judged
	exits 3 'not confirmed: session 2' tlob-load gate --history hist -m 'p99.9(response)' long-*.json
}

# Runs of another length: a series of their own.
longer() {
	local i
	switch v4
	night || return
	for i in 1 2 3 4 5; do jq -c '.seed += 1 | .duration_ns = 60000000000' new-$i.json > long-$i.json || return; done
	exits 3 'since session 5: a longer run meets more, and gets warmer; duration: 5s, but 60s' tlob-load gate --history hist long-*.json || return
	[ "$(tlob-load history list hist | grep -cE '^series .*, runs of (5|60)s$')" -eq 2 ] || return
	# and the old one continues
	nights v5 && grep -q 'the last 5 sessions had' said.txt
}

# A burst in one of five runs, whose median is none.
burst() {
	local i late
	switch v4
	night || return
	for i in 1 2 3 4 5; do
		late=$((i == 3 ? 40 : 0))
		jq -c --argjson late $late '
			def episodes: {time_ns: 5000000000, over: $late, gap_ns: 2000000, n: ($late / 20), longest: ($late / 2), squares: ($late * $late / 2), per_hour: null,
				gaps: [range(6) | {gap_ns: (2000000 * pow(4; .)), n: ($late / 20), longest: ($late / 2), squares: ($late * $late / 2), covered_ns: 0}]};
			.seed += 1 | .episodes = episodes | (.all, .cpu[0]) |= (.missed = $late | .due += $late)' new-$i.json > burst-$i.json || return
	done
	exits 3 'miss-rate is 40 of 25 040 in 2 episodes: the last 5 sessions had none of 125 000' \
		tlob-load gate --history hist --build v5 --json burst.json burst-*.json &&
		jq -e '.because == "not confirmed: session 3 is the one to compare with" and
			(.screens[] | select(.metric == "miss-rate") | .beyond and .value == {late: 40, expiries: 25040, episodes: 2, longest: 20} and .baseline == {late: 0, expiries: 125000, episodes: 0, longest: 0})' burst.json
}

# Slow sessions are the baseline by now: the step to them starts the confirmation, until somebody
# accepts it.
stepped() {
	local i
	rm -rf hist
	seq -f slow%g 9 20 >> slow
	for i in {1..8} slow{9..16}; do
		switch "$i"
		tlob-load run -qc0 -d 5s --seed $((2000 + $(cat runs))) --json one.json && tlob-load history add --build "$i" hist one.json || return
	done > added.txt
	switch slow17
	exits 2 'measured again against session 6' night_status --switch 'switch {build}' --json gate.json || return
	grep -qE '^step    p99.9\(response\) is [45][0-9] % above the sessions before session 9: a step that no comparison has explained$' said.txt || return
	grep -qE '^screen  p99.9\(response\) .* the last 10 sessions had' said.txt && state 17 slow17 'rejected REGRESSION' || return
	jq -e '.runs == 5 and .against == 6 and (.screens[] | select(.metric == "p99.9(response)") | .step == 9 and (.beyond | not))' gate.json || return
	# it also fails the next one
	switch slow18
	exits 2 'measured again against session 6' night_status --switch 'switch {build}' || return
	tlob-load history show hist 18 | grep -qE '^  because   p99.9\(response\) is .* above the sessions before session 9' || return
	tlob-load history accept hist 18
	nights slow19 && ! grep -q '^step' said.txt
}

# night_status [OPTION]...: night, and what it said
night_status() {
	local status=0
	night "$@" || status=$?
	cat said.txt
	return $status
}

# One run is judged, and it is said what it lacks.
single() {
	switch v4
	tlob-load run -qc0 -d 5s --seed 7 --json one.json
	tlob-load gate --history hist --json gate.json one.json > said.txt && grep -q '^but     one run does not show how much runs differ: make five' said.txt &&
		grep -qE '^(OK|INCONCLUSIVE)  session 5, 1 run of 6.12.0-simulated: ' said.txt && jq -e '.runs == 1 and (.lowered | length == 1)' gate.json
}

# Where the sessions before are rejected there is no baseline either, but this one is not the first.
unaccepted() {
	tlob-load history reject hist 1 2 3 4 || return
	switch v4
	night
	grep -q 'INCONCLUSIVE  session 5, 5 runs of v4: no session of its series before it is accepted' said.txt &&
		state 5 v4 'accepted INCONCLUSIVE'
}

# A worse night of the build that all nights before had: something else got worse, which is said.
unchanged() {
	tlob-load history remove hist 1 2 3 4 || return
	switch v1
	! night || return
	nights v1 v1 v1 || return
	echo 5 > smi
	! night && grep -q 'cannot be confirmed: no accepted session before it has another build than v1' said.txt &&
		grep -q '^next    the sessions before had this build, so something else got worse: ' said.txt
}

# A session that waits for its confirmation is no longer beyond the baseline: it was never compared.
taken() {
	switch slow1
	night
	grep -q 'not confirmed: session 2 is the one' said.txt || return
	tlob-load history reject hist 1 2 3 4 || return
	exits 3 '5 runs of slow1: no session of its series before it is accepted' tlob-load gate --history hist --json taken.json new-*.json &&
		jq -e '.against == null' taken.json && state 5 slow1 'accepted INCONCLUSIVE'
}

# A --switch that boots nothing is corrected. With a result it stays.
mistaken() {
	switch slow1
	night
	exits 3 'exit code 127' tlob-load gate --history hist --switch 'bin/swich {build}' new-*.json || return
	exits 3 'failed with exit code 1' tlob-load gate --history hist --switch 'switch {build} && [ ! -e hist/000005/confirm-*/a-001.json ]' new-*.json || return
	[ -s hist/000005/confirm-000002/a-001.json ] || return
	exits 3 'results of another plan' tlob-load gate --history hist --switch 'switch {build}' new-*.json || return
	rm -r hist/000005/confirm-000002
	exits 2 'measured again against session 2' tlob-load gate --history hist --switch 'switch {build}' new-*.json
}

# A --switch that says it boots the slow build, and the good one runs: never OK.
fallen_back() {
	local boots="switch {build}; case {build} in slow1) cat new-kernel ;; *) echo 6.12.0-simulated ;; esac > kernel"
	switch slow1
	echo 6.13.0-slow > kernel
	night
	echo 6.12.0-simulated > new-kernel
	exits 3 'it ran on the kernel 6.12.0-simulated #1, but slow1 has 6.13.0-slow #1: let --switch boot that' \
		tlob-load gate --history hist --build slow1 --switch "$boots" new-*.json || return
	[ -z "$(find hist/000005/confirm-000002 -name 'b-*.json')" ] && state 5 slow1 'open INCONCLUSIVE' || return
	echo 6.13.0-slow > new-kernel
	exits 2 'measured again against session 2' tlob-load gate --history hist --build slow1 --switch "$boots" new-*.json
}

# Runs of another host than the session's show nothing about it.
elsewhere() {
	switch slow1
	night
	echo other > host
	exits 3 'host: simulated, but other in' tlob-load gate --history hist --switch 'switch {build}' new-*.json && state 5 slow1 'open INCONCLUSIVE' || return
	[ -z "$(find hist/000005/confirm-000002 -name '[ab]-*.json')" ] || return
	echo simulated > host
	exits 2 'measured again against session 2' tlob-load gate --history hist --switch 'switch {build}' new-*.json
}

# The session to compare with is removed while a confirmation runs: it begins with the next one.
bereft() {
	switch slow1
	night
	exits 3 'exit code 1' tlob-load gate --history hist --switch 'switch {build} && [ ! -e hist/000005/confirm-*/a-001.json ]' new-*.json || return
	tlob-load history remove hist 2 || return
	exits 2 'measured again against session 1' tlob-load gate --history hist --switch 'switch {build}' new-*.json &&
		state 5 slow1 'rejected REGRESSION'
}

# The page: a plot of each number in which each dot has its place, and a table of the sessions.
drawn_page() {
	local width
	tlob-load history show hist --html history.html 2> /dev/null && cp history.html "$out" && cd "$out" || return
	alone_on_page history.html && shows history.html 'Series 1: simulated' 'a run of session 2: ' && only_text history.html &&
		drawn history.html 8 '<clipPath' && drawn history.html 4 '<tr><td[^>]*>[1-4]</td>' || return
	for width in 320 768 1280; do fits history.html $width || return; done
}

# Its file is damaged while it is confirmed: there is no verdict, and not one of chance.
damaged() {
	switch slow1
	night
	exits 1 'session 5 cannot be read again: its verdict is not kept' \
		tlob-load gate --history hist --switch 'echo > hist/000005/session.json; switch {build}' new-*.json
}

# What has a verdict is not screened again with another margin; what was added by hand never was.
judged_once() {
	local status=0
	tlob-load gate --history hist --margin 50% new-*.json > said.txt 2>&1 || status=$?
	[ $status -eq 0 ] && grep -q 'session 4 already has its verdict: --metric and --margin cannot change it' said.txt || return
	switch v4
	tlob-load run -qc0 -d 5s --seed 9 --json hand.json && tlob-load history add hist hand.json || return
	exits 1 'session 5 was added without gate: its results cannot be screened again' tlob-load gate --history hist hand.json
}

# Somebody accepts the session while it is confirmed: the verdict changes, the state does not.
overruled() {
	switch slow1
	night
	exits 2 'measured again against session 2' tlob-load gate --history hist --switch 'tlob-load history accept hist 5 && switch {build}' new-*.json &&
		state 5 slow1 'accepted REGRESSION'
}

# The old build does not boot: never OK. Somebody's word ends it.
unbootable() {
	local status=0
	rm -rf hist
	switch none0
	echo none0 > build
	night
	echo none1 > build
	night || return
	switch slow1
	night --switch 'switch {build}' || status=$?
	[ $status -eq 3 ] && grep -q 'none0 does not boot' said.txt && state 3 slow1 'open INCONCLUSIVE' || return
	# the next night is not measured by it
	status=0
	night --switch 'switch {build}' || status=$?
	[ $status -eq 3 ] || return
	tlob-load history accept hist 3 && state 3 slow1 'accepted INCONCLUSIVE'
}

# Another host, another kernel and a clock that was set back.
changed() {
	local status=0
	echo other > host
	switch v4
	night || status=$?
	[ $status -eq 3 ] && grep -q 'since session 4: host: simulated, but other' said.txt || return
	[ "$(tlob-load history list hist | grep -c '^series')" -eq 2 ] || return
	echo simulated > host
	echo $(($(cat clock) - 30 * 86400)) > clock
	switch v5
	night || return
	tlob-load history list hist | grep -q ' 6 .* earlier: the clock was set back' || return
	echo $(($(cat clock) + 40 * 86400)) > clock
	nights v6 || return
	tlob-load history list hist | grep -q ' 7 .* days later' || return
	# a kernel that has other facts is no other series; the same kernel with them is
	local i
	for i in new-*.json; do
		sed -i 's/6.12.0-simulated/6.13.0/; s/"tuning":{}/"tuning":{"idle_governor":"teo"}/; s/"seed":/"seed":1/' "$i"
	done
	tlob-load gate --history hist new-*.json > said.txt 2>&1 || return
	sed -i 's/"teo"/"menu"/; s/"seed":/"seed":1/' new-*.json
	status=0
	tlob-load gate --history hist new-*.json > said.txt 2>&1 || status=$?
	[ $status -eq 3 ] && grep -q 'tuning, idle_governor: teo, but menu' said.txt
}

# A machine that is 50 % slower from one night to the next: both builds are, and it passes.
drifted() {
	echo 50 > drift
	switch v4
	night --switch 'switch {build}' && grep -q 'measured again against session 2' said.txt && state 5 v4 'accepted OK'
}

# Sessions in each state: the schema in docs/reference describes it.
history_schema() {
	local sessions=(open.json rejected.json {hist,many,machine/hist}/000001/session.json)
	valid "${sessions[@]}" && [ "$(jq -r .state "${sessions[@]}" | sort -u | xargs)" = 'accepted open rejected' ]
}

make_confirmed() { in_machine confirmed; }

check history_folder fixture hist
check history_runs history_runs
check history_pipe history_pipe
check history_policy_refused history_policy_refused
check history_judged history_judged
check history_no_control history_no_control
check history_export with hist history_export
check history_writers fixture many
check history_full history_full
check history_verb exits 129 "unknown 'lst'" "$tool" history lst hist
check history_dir exits 129 'list needs the folder' "$tool" history list
check history_none exits 129 'add needs the results' "$tool" history add hist
check history_session exits 129 'show needs the number' "$tool" history show hist
check history_missing exits 1 'nothere: No such file' "$tool" history list nothere
check gate_history_two exits 129 'leave out --' "$tool" gate --history hist a.json -- b.json
check gate_history_alpha exits 129 'leave out --alpha' "$tool" gate --history hist --alpha 1% a.json
check gate_switch exits 129 'are for --history' "$tool" gate --switch x a.json -- b.json
check history_confirmed fixture confirmed
check history_writing in_machine writing
check history_mixed in_machine mixed
check history_passed in_machine passed
check history_rebooted in_machine rebooted
check history_sharing in_machine sharing
check history_outputs in_machine outputs
check history_alone in_machine alone
check history_unmeasured in_machine unmeasured
check history_longer in_machine longer
check history_burst in_machine burst
check history_stepped in_machine stepped
check history_single in_machine single
check history_unaccepted in_machine unaccepted
check history_taken in_machine taken
check history_unchanged in_machine unchanged
check history_mistaken in_machine mistaken
check history_fallen_back in_machine fallen_back
check history_elsewhere in_machine elsewhere
check history_bereft in_machine bereft
check history_overruled in_machine overruled
check history_page in_machine drawn_page
check history_damaged in_machine damaged
check history_judged_once in_machine judged_once
check history_unbootable in_machine unbootable
check history_changed in_machine changed
check history_drifted in_machine drifted
check history_schema with hist,many,confirmed history_schema
