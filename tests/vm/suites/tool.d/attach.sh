#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# attach.sh - the tests of tests/vm/suites/tool of tlob-load attach by the module, in a guest with two CPUs
#
# Usage (in a guest, as root): sh /attach.sh
#
# Prints what guest.sh prints. What attach-target.c does is known, so the counts
# are exact. A time is not: the host has other things to do.
# shellcheck disable=SC1091,SC2086,SC2154 # exists in the guest, and sets $dir and others
. /checks.sh
target=

# attach STATUS ARG...: tlob-load attach, on the region of attach-target
attach() {
	want=$1
	shift
	status=0
	tlob-load attach --backend tlob --start region_start --stop region_end "$@" > $dir/out 2> $dir/err || status=$?
	[ $status -eq "$want" ] || note "attach $*: exit $status, not $want"
}

# refused STATUS TEXT ARG...: with exactly these, one line with TEXT, and nothing changed
refused() {
	want=$1 text=$2
	shift 2
	status=0
	tlob-load attach --backend tlob "$@" > $dir/out 2> $dir/err || status=$?
	[ $status -eq "$want" ] || note "attach $*: exit $status, not $want"
	spoke_once
	said "$text"
	left_nothing
}

# left_nothing: whatever has happened, the system is as it was.
left_nothing() {
	is monitor "$(cat $control/monitor)" ""
	is monitor_enable "$(cat $control/monitor_enable)" 0
	[ ! -e $state ] || note "$state is left"
}

# json NAME KEY: of the object itself, no key in it comes before these.
json() {
	tr ',{' '\n' < "/out/$1.json" | sed -n "s/^\"$2\":\([^}]*\).*/\1/p" | head -n 1
}

# count NAME KEY: the same for a counter, which is left out if it is 0
count() {
	n=$(json "$1" "$2")
	echo "${n:-0}"
}

# late NAME: its windows over the budget, ended or not
late() {
	echo $(($(json "$1" violations) + $(json "$1" missed)))
}

# counts NAME WINDOWS VIOLATIONS [CUT [OPEN]]: what is cut or open was over the budget
counts() {
	is "windows of $1" "$(json "$1" windows)" "$2"
	is "violations of $1" "$(json "$1" violations)" "$3"
	is "missed of $1" "$(json "$1" missed)" $((${4:-0} + ${5:-0}))
	is "cut of $1" "$(count "$1" cut)" "${4:-0}"
	is "open of $1" "$(count "$1" open)" "${5:-0}"
	is "lost of $1" "$(json "$1" lost)" 0
	is "sum_failures of $1" "$(json "$1" sum_failures)" 0
}

# dominates NAME PART: it has more than half of the mean window
dominates() {
	grep -q "^mean   response [0-9.]*us = $2 [5-9][0-9]\.\|^mean   response [0-9.]*us = $2 100" $dir/err ||
		note "$1: $2 does not dominate: $(grep '^mean' $dir/err)"
}

# watch ARG...: in the background, from the moment on that the binding is there
watch() {
	tlob-load attach --backend tlob --start region_start --stop region_end "$@" > $dir/out 2> $dir/err &
	pid=$!
	wait_for bound || note "attach $*: no binding: $(cat $dir/err)"
}

bound() {
	grep -q "^p:attach_$pid " $control/monitor && [ "$(cat $control/monitor_enable)" = 1 ]
}

# run_target PROGRAM ARG...: in the background, until it says that it is there
run_target() {
	rm -f $dir/target
	"$@" > $dir/target &
	target=$!
	wait_for grep -q region $dir/target || note "$* says nothing"
}

stop_target() {
	kill -KILL $target
	wait $target 2> /dev/null
}

seen() {
	[ "$(sed -n 's/.* windows=\([0-9]*\) .*/\1/p' $control/monitor_stat)" -gt 2 ]
}

# ---- regions that are known ----

for file in attach-target attach-fixed attach-stripped; do
	attach 0 $file -b 10ms --json "/out/$file.sleep.json" -- sleep 10 30
	counts $file.sleep 10 10
	dominates $file.sleep sleep
	is "lines of $file" "$(grep -c "^ .*s  $file/[0-9]*  [0-9.]*m*s > 10ms: " $dir/err)" 10
	left_nothing
	attach 0 $file -b 10ms --json "/out/$file.spin.json" -- spin 10 30
	counts $file.spin 10 10
	dominates $file.spin on_cpu
	left_nothing
	expect "attach.$file"
done
grep -q '"debug_file":"/bin/attach-stripped.debug"' /out/attach-stripped.sleep.json || note "another file"
expect attach.debug_file

attach 0 attach-target -b 100s --json /out/within.json --html /tmp/within.html -- sleep 10 30
counts within 10 0
tlob-load report --label attach --html /tmp/again.html /out/within.json || note "report fails"
cmp -s /tmp/within.html /tmp/again.html || note "--html has another page than report"
! grep -q '> 100s' $dir/err || note "a line about no violation"
grep -q 'exit status 7' $dir/err || note "no exit status"
[ ! -s $dir/out ] || note "something on the program's stdout"
expect attach.within

attach 0 attach-target -b 10ms -q --json /out/threads.json -- threads 10 30
counts threads 20 20
# each window sleeps longer than its budget, but on a busy host the worst one may have run longer
! grep -q '> 10ms' $dir/err || note "--quiet has lines"
head -n 3 $dir/err | tr -s '\n ' ' ' | grep -q '^20 of 20 windows over 10 ms.*; worst .*: [0-9>]* % [a-z]' ||
	note "no outcome: $(head -n 3 $dir/err)"
grep -q '^windows 20, violations 20,' $dir/err || note "--quiet has no summary"
expect attach.threads

# ---- actions at a violation ----

attach 0 attach-target -b 10ms -q --json /out/acted.json --on-end "shell:grep -c region_start > $dir/acted.end" \
	--on-violation "shell:cat >> $dir/acted; echo \$TLOB_WINDOW_NAME \$TLOB_WINDOW_BUDGET_NS >> $dir/acted.env" -- sleep 5 60
counts acted 5 5
is "met" "$(json acted met)" 5
is "met, in parts" $(($(json acted taken) + $(json acted busy) + $(json acted limited))) 5
is "records of windows" "$(grep -c '"budget_ns":10000000' $dir/acted)" "$(json acted taken)"
is "variables" "$(sort -u $dir/acted.env)" "attach-target 10000000"
is "result of --on-end" "$(cat $dir/acted.end)" 1
expect attach.actions

# The first violation is open when its signal comes: the region is never left. It lasts for longer
# than the host stands still.
attach 0 attach-target -b 10ms -q --json /out/shot.json --on-violation signal:KILL -- sleep 100 60000
is violations "$(late shot)" 1
is "met" "$(json shot met)" 1
is signal "$(json shot signal)" 9
expect attach.actions.signal

attach 0 attach-target -b 10ms -q --json /out/stopped.json --on-violation stop --on-violation "shell:echo once >> $dir/stopped" \
	-- sleep 100 60000
is "stopped by" "$(json stopped stopped_by)" '"a violation"'
is "actions" "$(cat $dir/stopped)" once
left_nothing
expect attach.actions.stop

attach 0 attach-target -b 10ms -q --json /out/fork.json -- fork 5 30
counts fork 5 5
is others "$(count fork others)" 5
grep -q 'windows of 1 other process that executes the file: 5' $dir/err || note "not said"
attach 0 attach-target -b 10ms -q --all --json /out/all.json -- fork 5 30
counts all 10 10
is others "$(count all others)" 0
expect attach.fork

attach 0 attach-target -b 10ms --json /out/cut.json -- exit 30
counts cut 0 0 1
said 'cut off'
said 'no window ended'
# Not for a time: on a busy host the line may come late, and with it must come the end.
goes_on() {
	grep -q 'over 10ms for .*, still open' $dir/err
}
watch attach-target -b 10ms --json /out/open.json -- stubborn
wait_for goes_on || note "no line of the violation"
kill -INT $pid
ends 0
counts open 0 0 0 1
said 'over 10ms for .*, still open'
said 'has not ended after SIGTERM and is still running'
killall -KILL attach-target
# On a busy host the program may not be over its budget yet when the time is up.
for duration in 2 8 32; do
	attach 0 attach-target -b 10ms --json /out/hang.json -d ${duration}s -- hang
	[ "$(late hang)" = 0 ] || break
done
counts hang 0 0 1
said 'killed by SIGTERM'
left_nothing
expect attach.endless

attach 0 attach-target -b 100s --json /out/nested.json -- nested 5
counts nested 1 0
is nested "$(count nested nested)" 4
said 'starts ignored inside an open window.*: 4'
expect attach.nested

# two symbols of glibc's .dynsym
attach 0 attach-target -l "$(echo /lib/*-linux-gnu/libc.so.6)" --start usleep --stop getppid -b 10ms \
	--json /out/library.json -- libc 5 30
counts library 5 5
expect attach.library

offset() {
	sed -n "s/.*\"$1\":{\"place\":\"[^\"]*\",\"offset\":\([0-9]*\)}.*/\1/p" /out/attach-target.sleep.json
}
status=0
tlob-load attach --backend tlob attach-target --start "$(printf '0x%x' "$(offset start)")" --stop region_end+0x0 -b 10ms \
	--json /out/offset.json -- sleep 3 30 > $dir/out 2> $dir/err || status=$?
is status $status 0
counts offset 3 3
expect attach.offset

# A static probe that a macro put at two places: windows begin and end at both.
for file in attach-target attach-fixed attach-stripped; do
	status=0
	tlob-load attach --backend tlob $file --start target:begin --stop target:end -b 10ms --json "/out/$file.probes.json" -- \
		probes 9 30 > $dir/out 2> $dir/err || status=$?
	is status $status 0
	counts $file.probes 9 9
	is "unmatched of $file" "$(count $file.probes unmatched)" 0
	said 'target:begin (0x[0-9a-f]* and 1 more)'
	said 'target:end (0x[0-9a-f]* and 1 more)'
	grep -q '"other_offsets":\[[1-9][0-9]*\]}.*"other_offsets":\[[1-9][0-9]*\]}' "/out/$file.probes.json" ||
		note "$file: other places"
	left_nothing
done
expect attach.probes

# ---- a process that runs ----

run_target attach-target forever 30
watch -p $target -b 10ms --json /out/pid.json
wait_for seen || note "no windows: $(cat $control/monitor_stat)"
kill -INT $pid
ends 0
grep -q '> 10ms: sleep ' $dir/out || note "no lines on stdout"
grep -q 'still running' $dir/out || note "not said that it is still running"
cut_by SIGINT out
# the last one may have been over its budget and not have ended
is violations "$(late pid)" $(($(json pid windows) + $(json pid missed)))
[ "$(json pid windows)" -ge 2 ] || note "$(json pid windows) windows"
kill -0 $target || note "the process is gone"
left_nothing
attach 0 -p $target -b 10ms -d 1s -q --json -
head -c 1 $dir/out | grep -q '{' || note "no JSON on stdout"
said '^windows'
expect attach.pid

# Who reads the violations has seen enough: the measurement ends, with its result.
{
	tlob-load attach --backend tlob -p $target --start region_start --stop region_end -b 10ms --json /out/unread.json
	echo $? > $dir/unread
} 2> $dir/err | head -n 1 > $dir/out
is "exit without a reader" "$(cat $dir/unread)" 141
is "what stopped it" "$(json unread stopped_by)" '"SIGPIPE"'
[ ! -s $dir/err ] || note "it is said on stderr"
left_nothing
expect attach.reader_gone

watch -p $target -b 10ms -q
wait_for seen || note "no windows: $(cat $control/monitor_stat)"
stop_target
ends 0
grep -q 'has ended, watched' $dir/out || note "not said that it has ended"
left_nothing
expect attach.pid_ends

# ---- activations of threads, without a region ----

# activations STATUS ARG...: with exactly these
activations() {
	want=$1
	shift
	status=0
	tlob-load attach "$@" > $dir/out 2> $dir/err || status=$?
	[ $status -eq "$want" ] || note "attach $*: exit $status, not $want: $(cat $dir/err)"
	left_nothing
}

run_target attach-target forever 30
activations 0 --pid $target -b 100s -d 2s -q --until clock_nanosleep,nanosleep \
	--json /out/activations.json
[ "$(json activations windows)" -ge 5 ] || note "$(json activations windows) activations"
is violations "$(json activations violations)" 0
is lost "$(json activations lost)" 0
grep -q "\"tid\":$target,\"comm\":\"attach-target\"" /out/activations.json || note "no thread $target"
grep -q '"name":"timer"' /out/activations.json || note "not woken by its timer"
tr -s '\n ' ' ' < $dir/out | grep -q 'from wake-up to sleep in clock_nanosleep,nanosleep' || note "not said what a window is"
activations 2 --comm 'attach-tar*' -b 1us -d 2s -q --assert 'violations==0' --json /out/by_name.json
is "all are late" "$(late by_name)" "$(($(json by_name windows) + $(json by_name missed)))"
tlob-load report -f md /out/by_name.json > $dir/report 2>&1 || note "report: $(cat $dir/report)"
grep -q "^| attach-target/$target |" $dir/report || note "no thread in the report"
# no thread has a real-time policy
activations 1 --pid $target --rt -b 1ms -d 1s -q
said "no real-time threads of process $target found"
activations 1 --tid 4000000 -b 1ms
said 'no such thread'
activations 1 --tid 2 -b 1ms --until read
said 'is a kernel thread and makes no system calls'
refused 77 'the module watches regions, not threads: use --backend bpf' --tid $target -b 1ms
stop_target
expect attach.activations

# Its file is gone, and with it the name: /proc/PID/exe is what is left.
cp /bin/attach-target $dir/gone
run_target $dir/gone forever 30
rm $dir/gone
attach 0 -p $target -b 10ms -d 1s -q --json /out/deleted.json
grep -q "\"file\":\"/proc/$target/exe\"" /out/deleted.json || note "another file: $(json deleted file)"
[ "$(json deleted windows)" -gt 1 ] || note "$(json deleted windows) windows"
stop_target
left_nothing
expect attach.deleted

# ---- more windows than are read ----

attach 0 attach-target -b 100s -q --json /out/many.json -- spin 20000 0
is "windows and lost" $(($(json many windows) + $(json many lost))) 20000
is starts "$(json many starts)" 20000
expect attach.many

# It does not read while it is stopped: what does not fit is counted.
reached() {
	grep -q ' hits=100000 ' $control/monitor_stat
}
watch attach-target -b 100s -q --json /out/lost.json -- spin 100000 0
wait_for seen || note "no windows"
kill -STOP $pid
wait_for reached || note "not all were made: $(cat $control/monitor_stat)"
kill -CONT $pid
ends 0
is "windows and lost" $(($(json lost windows) + $(json lost lost))) 100000
[ "$(json lost lost)" -gt 0 ] || note "none was lost"
said 'records were dropped because'
left_nothing
expect attach.lost

# ---- what a program gets ----

(trap '' INT; attach 0 attach-target -b 100s -q -- signals; cat $dir/out) > $dir/signals
is signals "$(cat $dir/signals)" "SIGINT ignored, SIGPIPE default"
attach 0 attach-target -b 100s -q -- signals
is signals "$(cat $dir/out)" "SIGINT default, SIGPIPE default"
printf '#!/bin/sh\nattach-target sleep 3 30\nexit 9\n' > $dir/script
chmod +x $dir/script
attach 0 $dir/script --all -l /bin/attach-target -b 10ms -q --json /out/script.json
counts script 3 3
said 'exit status 9'
expect attach.program

# ---- assertions ----

attach 0 attach-target -b 10ms -q --assert 'violations==3' --assert 'min(response)>=30ms' --assert 'lost==0' -- sleep 3 30
expect attach.assert.pass
attach 2 attach-target -b 10ms -q --assert 'violations==0' -- sleep 3 30
said 'assertion failed: violations==0: 3'
attach 3 attach-target -b 100s -q --assert 'violations==0' -- start
said 'violations==0: no data'
expect attach.assert.fail

attach 1 attach-target -b 10ms -q --assert 'violations==0' -- none
said 'no window was seen: neither --start nor --stop'
attach 1 attach-target -b 10ms -q -- stop
said 'no window was seen: --stop was reached'
attach 1 attach-target -b 10ms -q -l /bin/attach-fixed -- sleep 3 30
said 'no window was seen: neither --start nor --stop'
left_nothing
expect attach.no_window

# ---- signals, and kills ----

for signal in INT TERM HUP; do
	watch attach-target -b 10ms -q --json /out/signal.json -- forever 30
	wait_for seen || note "no windows"
	kill -$signal $pid
	ends 0
	cut_by SIG$signal err
	said "killed by SIGTERM"
	! pidof attach-target > /dev/null || note "the program continues"
	left_nothing
done
expect attach.signal

ended() {
	! pidof attach-target > /dev/null
}

# At any moment: whatever has happened by then is taken back.
for ms in 0 20 40 80 120 160 200 240 280 320 400; do
	tlob-load attach --backend tlob attach-target --start region_start --stop region_end -b 10ms -q -- forever 30 > $dir/out 2> $dir/err &
	pid=$!
	cut_off $ms
	wait_for ended || note "after $ms ms: the program continues"
	left_nothing
done
expect attach.signal.any_moment

run_target attach-target forever 30
for by in restore attach run; do
	watch -p $target -b 10ms -q --json /out/killed.json
	kill -KILL $pid
	wait $pid 2> /dev/null
	grep -q "^p:attach_$pid " $control/monitor || note "the binding is gone already"
	case $by in
	restore)  tlob-load restore > $dir/out 2> $dir/err || note "restore: exit $?" ;;
	attach)   attach 0 -p $target -b 100s -q -d 1s ;;
	run)      tlob-load run -c 1 -n 5 -q > $dir/out 2> $dir/err || note "run: exit $?" ;;
	esac
	said 'restored 2 settings'
	left_nothing
	[ ! -e /out/killed.json ] || note "half a file"
	expect "attach.killed.$by"
done

# The monitor was on, and there was a binding: neither is ours.
echo 1 > $control/monitor_enable
echo "p:theirs /bin/attach-target:$(offset start) $(offset stop) threshold=1000000" > $control/monitor
refused_before=$(cat $control/monitor)
status=0
tlob-load attach --backend tlob attach-fixed --start region_start --stop region_end -b 10ms -q -- sleep 3 30 > $dir/out 2> $dir/err || status=$?
is status $status 0
is "their binding" "$(cat $control/monitor)" "$refused_before"
is "their monitor_enable" "$(cat $control/monitor_enable)" 1
attach 1 attach-target -b 10ms -q -- sleep 3 30
said 'this place already has a budget'
is "their binding" "$(cat $control/monitor)" "$refused_before"
echo -:theirs > $control/monitor
echo 0 > $control/monitor_enable
left_nothing
expect attach.foreign

# Another tool that lives keeps its binding.
watch -p $target -b 100s -q
attach 1 attach-fixed -b 10ms -q -- sleep 3 30
said "another tlob-load is running (pid $pid)"
tlob-load restore > $dir/out2 2> $dir/err2
is "exit of restore" $? 1
bound || note "the binding of the living one is gone"
kill -INT $pid
ends 0
left_nothing
expect attach.second_tool

watch -p $target -b 100s -q
echo 0 > $control/monitor_enable
ends 1
said 'another process switched the monitor off'
watch -p $target -b 100s -q
echo "-:attach_$pid" > $control/monitor
ends 1
said "another process removed the binding attach_$pid"
left_nothing
expect attach.interfered
stop_target

# ---- what cannot be done ----

region='--start region_start --stop region_end -b 10ms'
# shellcheck disable=SC2086 # words
{
	refused 1 'program nosuch not found' nosuch $region
	refused 1 'cannot execute' /checks.sh $region
	refused 1 'no symbol region_begin: did you mean region_end or region_start' attach-target --start region_begin --stop region_end -b 10ms
	refused 1 'are the same place' attach-target --start region_start --stop region_start+0 -b 10ms
	refused 1 'process 2 does not exist, or is a kernel thread' -p 2 $region
	refused 1 'process 999999 does not exist' -p 999999 $region
	refused 1 'No such file' attach-target -l /nowhere/lib.so $region
	refused 1 'cannot write /nowhere/f: ' attach-target $region --json /nowhere/f -- sleep 3 30
	cp /bin/attach-target $dir/unfit
	printf '\000\000' | dd of=$dir/unfit bs=1 seek=18 conv=notrunc 2> /dev/null
	refused 1 'cannot execute .*unfit: ' $dir/unfit $region
}
expect attach.refused

attach 0 attach-target -b 10ms -q -d 20s -- sleep 3 30
guest-helper nobody tlob-load attach --backend tlob attach-target --start region_start --stop region_end -b 10ms > $dir/out 2> $dir/err
is exit $? 77
spoke_once
said root
expect attach.not_root

for option in 'attach --help' 'attach --version'; do
	# shellcheck disable=SC2086 # words
	tlob-load $option > $dir/out || note "$option: exit $?"
done
guest-helper pty tlob-load attach --backend tlob attach-target --start region_start --stop region_end -b 10ms -- sleep 3 30 > /out/pty 2>&1 ||
	note "exit $?"
! grep -q 'Ctrl-C ends' /out/pty || note "a table beside a program that writes to the terminal"
expect attach.terminal

# The table in place, and the lines of the violations above it.
run_target attach-target forever 30
guest-helper pty tlob-load attach --backend tlob -p $target --start region_start --stop region_end -b 10ms -d 6s \
	--json /out/screen.json > /out/pty.table 2>&1 || note "exit $?"
[ "$(grep -c 'Ctrl-C ends' /out/pty.table)" -ge 3 ] || note "$(grep -c 'Ctrl-C ends' /out/pty.table) tables"
is "lines of violations" "$(grep -c '> 10ms: ' /out/pty.table)" "$(json screen windows)"
# what is drawn ends with the sequence that clears the rest of the line
tr '\r' '\n' < /out/pty.table | sed -n 's/\x1b\[K.*//p' | sed 's/\x1b\[[0-9;]*[a-zA-Z]//g' > $dir/drawn
! grep '^.\{80\}' $dir/drawn || note "a line too wide: $(grep -m 1 '^.\{80\}' $dir/drawn)"
guest-helper pty tlob-load attach --backend tlob -p $target --start region_start --stop region_end -b 10ms -d 1s -q > $dir/quiet 2>&1 ||
	note "exit $?"
! grep -q 'Ctrl-C ends' $dir/quiet || note "--quiet shows a table"
stop_target
left_nothing
expect attach.terminal.table

# A group with 50 ms in each 100 ms: regions of 80 ms have to wait, and what runs meanwhile is not the cause.
limited=/sys/fs/cgroup/limited
mkdir -p /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup 2> /dev/null
if echo +cpu > /sys/fs/cgroup/cgroup.subtree_control && mkdir $limited && echo 50000 100000 > $limited/cpu.max; then
	echo $$ > $limited/cgroup.procs
	attach 0 attach-target -b 90ms --json /out/limited.json -- spin 8 80
	echo $$ > /sys/fs/cgroup/cgroup.procs
	# the worst window may be one whose thread waited for another of the group when that was throttled
	said 'throttled for'
	tr -s ' \n' ' ' < $dir/err | grep -q 'group /limited has 50ms per 100ms (cpu.max)' || note "no group: $(cat $dir/err)"
	is cpu_limits "$(json limited cpu_limits)" '"cpu.max 50ms per 100ms"'
	[ "$(json limited nr_throttled)" -ge 5 ] || note "throttled $(json limited nr_throttled) times"
	rmdir $limited
	left_nothing
	expect attach.limited
else
	skip attach.limited "no group with cpu.max"
fi

if [ $control = $tracing/tlob_load ]; then
	skip attach.no_module "tlob_load is built into this kernel"
elif rmmod tlob_load; then
	status=0
	tlob-load attach --backend tlob attach-target --start region_start --stop region_end -b 10ms > $dir/out 2> $dir/err || status=$?
	is status $status 77
	spoke_once
	said '--backend tlob: the module is not installed for Linux'
	[ ! -e $state ] || note "$state is left"
	expect attach.no_module
else
	note "rmmod failed"
	expect attach.no_module
fi
echo "the end"
