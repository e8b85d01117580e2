# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The screens, in a terminal by tmux; and commands whose reader is gone, or without a terminal.
# Part of tests/cli/here, which has $out, $tool and exits.
# shellcheck disable=SC2154

# tm COMMAND...: of the server of this test. One that ends would disturb the next one.
tm() {
	tmux -f /dev/null -L "tlob-here.$$.$number" "$@"
}

# in_tmux COMMAND: a shell of 80 x 24 that runs it.
in_tmux() {
	env -u NO_COLOR tmux -f /dev/null -L "tlob-here.$$.$number" new-session -d -x 80 -y 24 'env PS1="ready> " sh' &&
		until_shown 'ready>' && tm send-keys "clear; stty -g > $out/stty.before; $1; stty -g > $out/stty.after" Enter
}

shown_now() {
	tm capture-pane -p "$@" > "$out/pane"
}

# until_shown PATTERN: on the screen. No limit on a time but one for a hang.
until_shown() {
	local n
	for ((n = 0; n < 300; n++)); do
		shown_now
		! grep -q -e "$1" "$out/pane" || return 0
		sleep 0.2
	done
	echo "'$1' is not shown:"
	cat "$out/pane"
	return 1
}

no_line_shown() {
	shown_now
	! grep -e "$1" "$out/pane"
}

one_table() {
	[ "$(grep -c '^cpu windows' "$out/pane")" -eq 1 ] || { cat "$out/pane"; return 1; }
}

# One table, which moves nothing away and is gone at the end.
live_table() {
	in_tmux "$tool run --backend posix -c $cpu" || return
	until_shown "^ *$cpu *[1-9][0-9]* " || return
	one_table || return
	grep -q 'Ctrl-C ends' "$out/pane" || { echo "no head"; return 1; }
	grep -q '^tlob-load: starting the backend posix' "$out/pane" || { echo "no word at the start"; return 1; }
	! grep '^.\{80\}' "$out/pane" || return
	shown_now -e
	grep -q $'\033\[38' "$out/pane" || { echo "no colour"; return 1; }
	tm resize-window -x 50 -y 10
	sleep 1	# several tables
	shown_now
	one_table || return
	tm resize-window -x 80 -y 24
	tm send-keys C-c
	until_shown 'stopped by  SIGINT' && no_line_shown 'Ctrl-C ends' && until_shown 'ready>' &&
		cmp "$out/stty.before" "$out/stty.after"
}

live_table_no_colour() {
	in_tmux "NO_COLOR=1 $tool run --backend posix -c $cpu -d 3s" || return
	until_shown "^ *$cpu *[1-9][0-9]* " && shown_now -e && ! grep $'\033\[[0-9]' "$out/pane" || return
	until_shown '^-v shows' && shown_now -e && ! grep $'\033\[[0-9]' "$out/pane"
}

bpf_loads_in_sight() {
	in_tmux "$tool run --backend bpf -n 5 -c $cpu" && until_shown '^tlob-load: loading the BPF programs \.\.\.$'
}

full_screen() {
	in_tmux "$tool top --backend posix -c $cpu" || return
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
	sleep 1
	shown_now
	one_table || return
	tm resize-window -x 80 -y 24
	tm send-keys q
	until_shown 'stopped by  the key q' && no_line_shown '^w wake' && until_shown 'ready>' &&
		cmp "$out/stty.before" "$out/stty.after"
}

full_screen_signal() {
	in_tmux "$tool top --backend posix -c $cpu --json $out/top.json & pid=\$!; fg; echo \$pid" || return
	until_shown "^ *$cpu *[1-9][0-9]* " || return
	kill -TERM "$(pgrep -f "^$tool top .*$out/top.json")" || return
	until_shown 'stopped by  SIGTERM' && until_shown 'ready>' && cmp "$out/stty.before" "$out/stty.after" &&
		jq -e '.stopped_by == "SIGTERM" and .all.windows > 0' "$out/top.json"
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

no_terminal() {
	exits 1 'top needs a terminal' "$tool" top --backend posix -n 1 &&
	"$tool" run --backend posix -d 700ms -c "$cpu" --progress 200ms > /dev/null 2> "$out/lines" &&
	cat "$out/lines" && [ "$(grep -c '^tlob-load: [246]00ms of 700ms: [0-9 ]* windows, ' "$out/lines")" -ge 2 ] &&
	"$tool" run --backend posix -d 300ms -c "$cpu" --progress off 2>&1 > /dev/null | { ! grep .; }
}
