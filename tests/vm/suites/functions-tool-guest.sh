#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: see functions-tool. Its files go to /out; it prints pass NAME or fail NAME.
# shellcheck disable=SC2086 # $work is words
work='-c 0 -w syscall:100 -n 20 --warm-up 6'
text=/out/text

verdict() {
	if [ "$2" -eq 0 ]; then
		echo "pass $1"
	else
		echo "# $(tail -n 3 $text | tr '\n' ' ')"
		echo "fail $1"
	fi
}

# exits NAME STATUS TEXT ARGUMENT...: of tlob-load, which says TEXT
exits() {
	name=$1 want=$2 says=$3
	shift 3
	status=0
	tlob-load "$@" > $text 2>&1 || status=$?
	echo "# $name: $status" >> /out/all
	cat $text >> /out/all
	[ $status -eq "$want" ] && grep -q -- "$says" $text
	verdict "$name" $?
}

# What is refused changes nothing: no set, no probe, no binding.
left_nothing() {
	control=/sys/kernel/tracing/tlob_load
	[ -d $control ] || control=/sys/kernel/debug/tlob_load
	! grep -q '^set ' $control/functions > $text && [ "$(cat $control/functions_monitor)" = 0 ] &&
		[ -z "$(cat $control/monitor)" ]
	verdict "$1" $?
}

exits list.presets 0 '^@locks: ' run --functions=list
exits list.sets 0 '^  0x[0-9a-f]*  __x64_sys_getppid$' run --functions sys=__x64_sys_getppid --functions list
exits attach.list 0 '^  0x[0-9a-f]*  __x64_sys_getppid$' attach --functions sys=__x64_sys_getppid --functions list
exits unknown 1 '__x64_sys_getppid' run --functions a=__x64_sys_getppit $work
exits of_module 1 'tlob_inject' run --functions a=inject_fn_leaf $work
exits dangerous 1 'preempt_count' run --functions a=preempt_count_add,vfs_read $work
exits posix 77 'functions' run --backend posix --functions sys=vfs_read $work
left_nothing refused.left_nothing
for preset in locks alloc rcu timers tick; do
	if [ -e /sys/kernel/tracing/available_filter_functions_addrs ]; then
		exits "preset.$preset" 0 "^$preset " run --functions @$preset -v $work
	else
		# kretprobes: more than 50 functions, or few enough
		exits "preset.$preset" 0 "^$preset: " run --functions @$preset --functions list
	fi
done
if grep -q 'mechanism: kretprobe' $control/functions; then
	exits limit 1 'at most 50 with this kernel' run --functions 'a=vfs_*' $work
else
	exits limit 1 "at most 1000 can be measured" run --functions 'a=*' $work
fi

exits bare 0 '' run $work --json /out/bare.json
exits run 0 '' run $work -v --functions sys=__x64_sys_getppid --json /out/run.json
exits assert.fails 2 'max(func.sys)<10us' run $work --functions sys=__x64_sys_getppid --assert 'max(func.sys)<10us'
exits stop_on 0 "stopped.*func.sys>10us" run -c 0 -w syscall:100 -n 1000 --warm-up 6 -v \
	--functions sys=__x64_sys_getppid --stop-on 'func.sys>10us'
# few windows with much time between them: the guest skips it, and the screen is drawn
env TERM=screen guest-helper pty tlob-load top -c 0 -w syscall:100 -p 100ms -n 40 --warm-up 6 \
	--functions sys=__x64_sys_getppid --functions none=hrtimer_nanosleep --json /out/top.json > /out/top 2> $text
verdict top $?
exits attach 0 '' attach /bin/attach-target --start region_start --stop region_end -b 1ms -v \
	--functions nap=hrtimer_nanosleep --json /out/attach.json \
	--assert 'min(func.nap)>1ms' -- sleep 5 2
cp $text /out/attach.txt
tlob-load report /out/attach.json > /out/attach.html
left_nothing end.left_nothing

# killed NAME ARGUMENT...: tlob-load, once it has probes: they end with it, without restore
killed() {
	name=$1
	shift
	traced=/sys/kernel/tracing/enabled_functions
	wc -l < $traced > /out/traced
	tlob-load "$@" > $text 2>&1 &
	pid=$! tries=0
	until grep -q hrtimer_nanosleep $traced || [ $tries -eq 200 ]; do
		tries=$((tries + 1))
		usleep 100000
	done
	grep -q hrtimer_nanosleep $traced
	verdict "$name.probes" $?
	kill -9 $pid
	wait $pid 2> /dev/null
	# what it had started may hold the file for a moment
	tries=0
	until [ "$(wc -l < $traced)" -eq "$(cat /out/traced)" ] || [ $tries -eq 20 ]; do
		tries=$((tries + 1))
		usleep 100000
	done
	wc -l < $traced > $text
	[ "$(wc -l < $traced)" -eq "$(cat /out/traced)" ] && ! grep -q '^set ' $control/functions &&
		[ "$(cat $control/functions_monitor)" = 0 ]
	verdict "$name.ends" $?
	tlob-load restore > $text 2>&1
	verdict "$name.restore" $?
}

killed killed.run run $work -n 100000 --functions nap=hrtimer_nanosleep
killed killed.attach attach /bin/attach-target --start region_start --stop region_end -b 1ms \
	--functions nap=hrtimer_nanosleep -- sleep 1000 20
