#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: see waits. Its files go to /out. $1: from reply() to where it returns.
# run BACKEND NAME COMMAND...
run() {
	backend=$1 name=$2
	shift 2
	tlob-load waits --backend "$backend" --json "/out/$name.json" --folded "/out/$name.folded" -- "$@" 2> "/out/$name.txt"
	echo "$name $?"
}

# programs BACKEND PREFIX
programs() {
	run "$1" "$2cpp" /bin/waits-target
	run "$1" "$2bash" /bin/bash -c 'for i in 1 2 3; do sleep 0.03; done; true'
	run "$1" "$2bits32" /bin/waits-32bit
	run "$1" "$2python" /usr/bin/python3 -S -E /sleep.py
	run "$1" "$2pool" /bin/waits-pool 123 10
	run "$1" "$2crowd" /bin/waits-pool 2000 2
}

# Both measure programs whose files are in memory already.
/bin/waits-target
/bin/bash -c 'sleep 0.01; true'
/usr/bin/python3 -S -E /sleep.py
programs tlob ''
programs bpf bpf.
for backend in tlob bpf; do
	prefix=$backend.
	[ $backend != tlob ] || prefix=
	tlob-load waits --backend $backend -d 200ms --threshold 10us --json "/out/${prefix}all.json" > "/out/${prefix}all.txt" 2>&1
	echo "${prefix}all $?"
	tlob-load waits --backend $backend --kernel -n 1 --folded - -d 100ms > "/out/${prefix}kernel.folded" 2>/dev/null
	echo "${prefix}kernel $?"
done

# Tasks in a group sleep, and others outside of it.
[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup
mkdir -p /sys/fs/cgroup/waits
sleeps='while [ ! -e /tmp/done ]; do sleep 0.02; done'
mkdir -p /tmp
sh -c 'echo $$ > /sys/fs/cgroup/waits/cgroup.procs; '"$sleeps" &
sh -c "$sleeps" &
tlob-load waits --backend bpf --cgroup /waits -d 200ms --json /out/bpf.cgroup.json > /out/bpf.cgroup.txt 2>&1
echo "bpf.cgroup $?"
touch /tmp/done
wait

# The longest waits of windows, with names.
tlob-load attach /bin/waits-target --waits --start 'reply(audio::Queue&, char*)' \
	--stop "reply(audio::Queue&, char*)+$1" -b 1ms -v --json /out/attach.json > /out/attach.txt 2>&1
echo "attach $?"
tlob-load report /out/attach.json > /out/attach.html
echo "attach.page $?"
tlob-load run --waits --work sleep:2ms -p 4ms -b 1ms -n 40 -v --json /out/run.json > /out/run.txt 2>&1
echo "run $?"
tlob-load report /out/run.json > /out/run.html
echo "run.page $?"
# Who profiles waits already is not disturbed.
tlob-load waits --backend tlob > /dev/null 2>&1 &
tool=$!
waits=/sys/kernel/debug/tlob_load
[ -e $waits ] || waits=/sys/kernel/tracing/tlob_load
until grep -q '^waits: on ' $waits/status; do
	kill -0 $tool || break
	sleep 0.1
done
tlob-load attach --backend tlob /bin/waits-target --waits --start 'reply(audio::Queue&, char*)' \
	--stop "reply(audio::Queue&, char*)+$1" -b 1ms 2> /out/attach.refused
echo "attach.refused $?"
grep -c '^waits: on ' $waits/status
kill -INT $tool
wait $tool

grep '^waits: ' /sys/kernel/debug/tlob_load/status > /out/status 2>/dev/null ||
	grep '^waits: ' /sys/kernel/tracing/tlob_load/status > /out/status
