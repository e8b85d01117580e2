#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest: TURN COUNT [tap]. Traces functions in batches, as many at a time as the
# kernel part takes, during a short run under a load. COUNT batches, or all of them:
# turn 0 has the first ones, turn 1 the next. Prints "pass NAME" or
# "fail NAME" for each, or with tap TAP of its own; a batch begins with a line in the
# kernel log, so a report there names its batch.
turn=$1 count=$2 style=${3-} told=0
c=/sys/kernel/debug/tlob_load
[ -d $c ] || c=/sys/kernel/tracing/tlob_load
plan=/sys/kernel/debug/tlob_inject/plan
limit=$(sed -n 's/^limit: //p' $c/functions)

# verdict pass|fail NAME
verdict() {
	told=$((told + 1))
	case $style.$1 in
	tap.pass) echo "ok $told - functions.$2" ;;
	tap.fail) echo "not ok $told - functions.$2" ;;
	*)        echo "$1 $2" ;;
	esac
}

if [ "$limit" = 0 ]; then
	echo "skip"
	exit
fi

# what the tool takes: "address name" of each function
tlob-load run --functions 'all=*' --functions list > /tmp/list 2>&1 || exit 1
sed -n 's/^  0x\([0-9a-f]*\)  \(.*\)/\1 \2/p' /tmp/list > /tmp/all
# also of what kprobes refuse: with one of them a run cannot begin
sed -n 's/.*\(left out .*\)/# \1/p' /tmp/list
total=$(wc -l < /tmp/all)
batches=$(((total + limit - 1) / limit))
[ "$count" != all ] && [ "$count" -lt $batches ] || count=$batches
echo "# $total functions, in $batches batches of $limit"

# The measured threads have no priority, so other tasks also run in their windows.
echo kthread > $c/workload
echo "0-$(($(grep -c ^processor /proc/cpuinfo) - 1))" > $c/cpus
echo other > $c/policy
echo spin:1ms > $c/work
echo 4000000 > $c/period_ns

# nmi: one, 20 ms from now
nmi() {
	[ ! -e $plan ] || awk '{ printf "nmi %.0f 1000\n", ($1 + 0.02) * 1000000000 }' /proc/uptime > $plan
}

# load: system calls, faults, files, processes, timers, signals
load() {
	nmi
	find /proc/self /proc/sys/kernel > /tmp/found 2> /dev/null
	ps > /dev/null
	dd if=/dev/zero of=/tmp/file bs=64k count=8 2> /dev/null
	sync
	rm /tmp/file
	mkdir -p /tmp/mount && mount -t tmpfs none /tmp/mount && : > /tmp/mount/file && umount /tmp/mount
	sleep 10 &
	echo word | cat | tr '[:lower:]' '[:upper:]' > /dev/null
	kill $!
	wait $! 2> /dev/null
	usleep 50000
}

# use FIRST LAST: measures with these functions, which are lines of the list. 1: they are
# refused, or cannot be attached; the reason is in /tmp/why.
use() {
	sed -n "$1,$2p" /tmp/all | awk 'BEGIN { printf "b" } { printf " %s", $1 } END { print "" }' > /tmp/set
	if ! dd if=/tmp/set of=$c/functions bs=64k 2> /tmp/why; then
		sed -n 's/^refused: //p' $c/functions >> /tmp/why
		return 1
	fi
	{ echo 1 > $c/enable; } 2> /tmp/why || return 1
	[ "$3" = no ] || load
	echo 0 > $c/enable
}

# search FIRST LAST: which of the functions of a batch that failed cannot be attached
search() {
	if use "$1" "$2" no; then
		return
	fi
	if [ "$1" = "$2" ]; then
		echo "# $(sed -n "$1{s/.* //;p}" /tmp/all): $(tail -n 1 /tmp/why)"
		return
	fi
	search "$1" $((($1 + $2) / 2))
	search $((($1 + $2) / 2 + 1)) "$2"
}

calls=0 i=0
while [ $i -lt "$count" ]; do
	batch=$(((turn * count + i) % batches))
	first=$((batch * limit + 1)) last=$((batch * limit + limit))
	[ $last -le "$total" ] || last=$total
	of="batch_$batch.$(sed -n "$first{s/.* //;p}" /tmp/all)..$(sed -n "$last{s/.* //;p}" /tmp/all)"
	echo "functions: $of" > /dev/kmsg
	# what hangs the kernel has its name on the console
	echo "# $of"
	usleep 20000
	if use $first "$last" yes; then
		calls=$((calls + $(sed -n 's/^set b .* calls \([0-9]*\) .*/\1/p' $c/functions)))
		verdict pass "$of"
	else
		sed 's/^/# /' /tmp/why
		search $first "$last"
		verdict fail "$of"
	fi
	i=$((i + 1))
done
# the functions of a few batches may never be called: these are
grep -E ' (vfs_read|vfs_write|handle_mm_fault|try_to_wake_up)$' /tmp/all > /tmp/known
mv /tmp/known /tmp/all
use 1 4 yes && calls=$((calls + $(sed -n 's/^set b .* calls \([0-9]*\) .*/\1/p' $c/functions)))
: > $c/functions
echo "# $calls calls in windows"
if [ $calls -gt 0 ]; then
	verdict pass calls
else
	verdict fail calls
fi
[ "$style" != tap ] || echo "1..$told"
