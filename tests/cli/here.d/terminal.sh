# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The screens, in a terminal by tmux; and commands whose reader is gone, or without a terminal.
# Part of tests/cli/here, which has $out, $tool and exits.
# shellcheck disable=SC2154

# tm COMMAND...: of the server of this test. One that ends would disturb the next one.
tm() {
	tmux -f /dev/null -L "here.$number" "$@"
}

# in_tmux COMMAND: a shell of 80 x 24 that runs it, in $out. All that it writes is in $out/written.
in_tmux() {
	tm new-session -d -x 80 -y 24 -c "$out" 'env PS1="ready> " sh' && until_shown 'ready>' || return
	: > written
	tm pipe-pane 'cat >> written' && tm send-keys "clear; stty -g > stty.before; $1; stty -g > stty.after" Enter
}

# on_screen TEST: what it has started is ended after it.
on_screen() {
	local status=0
	"$@" || status=$?
	tm kill-server
	return $status
}

shown_now() {
	tm capture-pane -p "$@" > "$out/pane"
}

shows() {
	shown_now && grep -q -e "$1" "$out/pane"
}

# until_shown PATTERN: on the screen.
until_shown() {
	await shows "$1" || { cat "$out/pane"; return 1; }
}

# cut_by NAME: the outcome, whose lines break anywhere, says what ended it.
cut_by() {
	shown_now && tr -s ' \n' ' ' < "$out/pane" | grep -q "cut short by $1"
}
until_cut_by() {
	await cut_by "$1" || { cat "$out/pane"; return 1; }
}

no_line_shown() {
	shown_now
	lacks -e "$1" "$out/pane"
}

shows_other() {
	shown_now && ! grep -qxFf "$out/pane.before" "$out/pane" && grep -q "^ *$cpu *[1-9][0-9]* " "$out/pane"
}

# redrawn: the row of the CPU changes, twice.
redrawn() {
	for _ in 1 2; do
		shown_now
		grep "^ *$cpu *[1-9][0-9]* " "$out/pane" > "$out/pane.before" || echo none > "$out/pane.before"
		await shows_other || { cat "$out/pane"; return 1; }
	done
}

has_one_table() {
	shown_now && [ "$(grep -c '^cpu windows' "$out/pane")" -eq 1 ]
}

# one_table: no second one stays. A screen may be looked at while it is drawn.
one_table() {
	await has_one_table || { cat "$out/pane"; return 1; }
}

coloured() {
	shown_now -e && grep -q $'\033\[38' "$out/pane"
}

# One table, which moves nothing away and is gone at the end.
live_table() {
	in_tmux "'$tool' run --backend posix -c $cpu" || return
	until_shown "^ *$cpu *[1-9][0-9]* " || return
	one_table || return
	until_shown 'Ctrl-C ends' && until_shown '^tlob-load: starting the backend posix' || return
	lacks '^.\{80\}' "$out/pane" || return
	await coloured || return
	tm resize-window -x 50 -y 10
	redrawn || return
	one_table || return
	tm resize-window -x 80 -y 24
	tm send-keys C-c
	until_cut_by SIGINT && no_line_shown 'Ctrl-C ends' && until_shown 'ready>' &&
		cmp stty.before stty.after
}

live_table_no_colour() {
	in_tmux "NO_COLOR=1 '$tool' run --backend posix -c $cpu" || return
	until_shown "^ *$cpu *[1-9][0-9]* " && shown_now -e && lacks $'\033\[[0-9]' "$out/pane" || return
	tm send-keys C-c
	until_shown '^-v shows' && shown_now -e && lacks $'\033\[[0-9]' "$out/pane"
}

# What a run of validate says stands in lines of its own, not behind the line of progress.
validate_says() {
	rm -rf "$out/says"
	in_tmux "prlimit --rttime=10000000:20000000 '$tool' validate -c $cpu -p 500ms -b 10s -w none -d 3s --load 'sleep 77' --dir says -- --backend posix" &&
		await shows '^under ' || return
	shown_now -S - && grep '^tlob-load: RLIMIT_RTTIME' "$out/pane" && lacks '.tlob-load: RLIMIT_RTTIME' "$out/pane"
}

# Rows of the phases end where a narrow terminal ends, however long a load is.
validate_narrow() {
	rm -rf "$out/narrow"
	in_tmux "stty cols 60; '$tool' validate -q -c $cpu -p 500ms -b 10s -w none -d 3s --load 'sleep 77; : and so on, and so on, and so on' --dir narrow -- --backend posix" &&
		await shows '^under ' || return
	lacks '^.\{61\}' "$out/pane" && grep '^sleep 77; : and so on, and so  *[1-9][0-9]* .*yes$' "$out/pane"
}

bpf_loads_in_sight() {
	in_tmux "'$tool' run --backend bpf -n 5 -c $cpu" && await grep -aqF 'tlob-load: loading the BPF programs ...' written && until_shown 'ready>'
}

full_screen() {
	in_tmux "'$tool' top --backend posix -c $cpu" || return
	until_shown "^ *$cpu *[1-9][0-9]* " || return
	tm send-keys s
	until_shown 'by violations' || return
	tm send-keys Enter
	until_shown '^worst windows, us' || return
	tm send-keys p
	until_shown 'PAUSED' || return
	tm send-keys Escape
	until_shown 'PAUSED by violations' || return
	tm send-keys h
	until_shown '^s  *the next order' || return
	tm send-keys x
	until_shown 'PAUSED by violations' || return
	tm resize-window -x 60 -y 12
	# the parts have no room there
	until_shown '^cpu windows.* max offender$' || return
	one_table || return
	tm resize-window -x 80 -y 24
	tm send-keys q
	until_cut_by 'the key q' && no_line_shown '^w wake' && until_shown 'ready>' &&
		cmp stty.before stty.after
}

full_screen_signal() {
	in_tmux "'$tool' top --backend posix -c $cpu --json top.json & echo \$! > top.pid; fg" || return
	until_shown "^ *$cpu *[1-9][0-9]* " || return
	kill -TERM "$(cat top.pid)" || return
	until_cut_by SIGTERM && until_shown 'ready>' && cmp stty.before stty.after &&
		jq -e '.stopped_by == "SIGTERM" and .all.windows > 0' top.json
}

# without_reader CODE IGNORED COMMAND...: nothing reads its stdout, and SIGPIPE is ignored
# (True) or not; it ends with CODE, or -13: by SIGPIPE.
without_reader() {
	/usr/bin/python3 - "$@" <<-'EOF'
	import os, signal, subprocess, sys
	if sys.argv[2] != "True":
	    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
	end, pipe = os.pipe()
	os.close(end)
	code = subprocess.call(sys.argv[3:], stdout=pipe, restore_signals=False)
	if code != int(sys.argv[1]):
	    sys.exit(f"{sys.argv[3:]}: {code}, not {sys.argv[1]}")
	EOF
}

# Every command ends in the same way, and says nothing; a run has written its file by then.
reader_gone() {
	local command file=$out/unread.json
	for command in '' -v "--json $file" "-v --json $file"; do
		rm -f "$file"
		# shellcheck disable=SC2086 # words
		without_reader -13 False "$tool" run --backend posix -n 10 -w none $command > "$out/unread" 2>&1 || { cat "$out/unread"; return 1; }
		[ ! -s "$out/unread" ] || { cat "$out/unread"; return 1; }
		[ -z "${command#-v}" ] || jq -e '.all.windows > 0' "$file" || return
	done
	for command in "report $file" 'run --help=all' restore 'run --backend posix -n 10 -w none -q --json -'; do
		# shellcheck disable=SC2086 # words
		without_reader -13 False "$tool" $command || return
		# shellcheck disable=SC2086 # words
		without_reader 1 True "$tool" $command 2> "$out/unread" || return
		[ "$(wc -l < "$out/unread")" -eq 1 ] || { cat "$out/unread"; return 1; }
	done
	# what was asserted is said, although the table is not read
	without_reader -13 False "$tool" run --backend posix -n 10 -w none --assert 'windows<1' > "$out/unread" 2>&1
	[[ $(cat "$out/unread") == 'tlob-load: assertion failed: windows<1: '* ]] || { cat "$out/unread"; return 1; }
}

# lines_written FILE N: so many lines say how many windows there are.
lines_written() {
	[ "$(grep -c ' windows, ' "$1")" -ge "$2" ]
}

no_terminal() {
	local pid
	exits 1 'top needs a terminal' "$tool" top --backend posix -n 1 || return
	"$tool" run --backend posix -d 1h -c "$cpu" --progress 200ms > /dev/null 2> lines &
	pid=$!
	await ended_or $pid lines_written lines 3
	kill -INT $pid
	wait $pid || { cat lines; return 1; }
	# each time is a multiple of 200 ms
	[ "$(grep -c ' windows, ' lines)" -eq "$(grep -cE '^tlob-load: ([0-9]*[02468]00ms|[0-9]+s) of 3600s: [0-9 ]* windows, ' lines)" ] ||
		{ cat lines; return 1; }
	"$tool" run --backend posix -n 300 -c "$cpu" --progress off > /dev/null 2> lines && { [ ! -s lines ] || { cat lines; return 1; }; }
}

# A terminal that knows no sequences, or says nothing of itself, gets none.
plain_terminal() {
	local term
	for term in TERM=dumb TERM= -uTERM; do
		env "$term" script -qc "'$tool' run --backend posix -n 300 -c $cpu" /dev/null > plain || { cat plain; return 1; }
		if ! grep -q '300 windows' plain || grep -q $'\033' plain; then
			echo "$term"
			cat -v plain
			return 1
		fi
	done
}

check reader_gone reader_gone
check plain_terminal plain_terminal
check no_terminal no_terminal
if ! command -v tmux > /dev/null; then
	skip screens "no tmux on this machine: scripts/deps check"
else
	check live_table on_screen live_table
	check live_table_no_colour on_screen live_table_no_colour
	check validate_narrow on_screen validate_narrow
	if chrt -f 95 true 2> /dev/null; then
		check validate_says on_screen validate_says
	else
		skip validate_says "fifo:95 is not permitted, so no limit is said"
	fi
	! has_bpf || check bpf_loads_in_sight on_screen bpf_loads_in_sight
	check full_screen on_screen full_screen
	check full_screen_signal on_screen full_screen_signal
fi
