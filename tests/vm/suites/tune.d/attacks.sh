#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# attacks - loads that do not want to end, two runs at once, cgroups that cannot be used
#
# Usage: attacks, as root in a guest with two CPUs
#
# Prints "pass NAME" or "fail NAME" for each test, and "# TEXT".
set -u
# shellcheck source=tests/vm/suites/tune.d/lib.sh
. "${0%/*}/lib.sh"

# same NAME [PART]: as before, after the moment that a killed process takes. Lines with PART
# do not count.
same() {
	tries=0
	while settings | sed "/${2:-no such part}/d" > /after; ! cmp -s /before /after && [ $tries -lt 12000 ]; do
		tries=$((tries + 1))
		usleep 10000
	done
	diff /before /after | head -n 8 | sed 's/^/# /'
	told "$1.put_back" cmp -s /before /after
}
# says NAME STATUS TEXT: of the command before, whose status and /log these are.
says() {
	sed 's/^/# /' /log | head -n 3
	told "$1.says" grep -qE "$3" /log
	told "$1.status" [ $status -eq "$2" ]
}
started() {
	tries=0
	while ! grep -q '^cgroup .*load$' /run/tlob-load.state 2> /dev/null && [ $tries -lt 6000 ]; do
		tries=$((tries + 1))
		usleep 100000
	done
}

serial_comes
route_serial
settings > /before

tlob-load run -c 1 --tune -n 20 -w none -q \
	--load "trap '' TERM HUP; while :; do sleep 86399; done" \
	--load "setsid setsid sh -c \"trap '' TERM; sleep 86399 & sleep 86399\" & sleep 86399" \
	--load "(sleep 86399 & (setsid sleep 86399 &) ) & exec sleep 86399" > /log 2>&1
status=$?
told daemons.status [ $status -eq 0 ]
same daemons
# as many processes as come up in a second
tlob-load run -c 1 --tune -d 1s -w none -q --load 'while :; do sleep 86399 & usleep 5000; done' > /log 2>&1
status=$?
told many.status [ $status -eq 0 ]
same many
tlob-load run -c 1 --tune -d 1h -w none -q --load false > /log 2>&1
status=$?
says dies 1 "'false' ended before the run did: exit status 1"
same dies

tlob-load run -c 1 --tune -d 1h -w none -q --load 'sleep 86399' > /first 2>&1 &
pid=$!
started
tlob-load run -c 1 --tune -n 1 -w none -q > /log 2>&1
status=$?
says second 1 "another tlob-load is running \(pid $pid\)"
tlob-load restore > /log 2>&1
status=$?
says restore 1 "another tlob-load is running \(pid $pid\)"
told first.goes_on kill -INT $pid
wait $pid
same first

# a state that another user may have written
printf 'tlob-load-state 2\nowner 2000000000 5\nfile /proc/sys/kernel/timer_migration\t0\n' > /run/tlob-load.state
chown 1000 /run/tlob-load.state
tlob-load restore > /log 2>&1
status=$?
says foreign 1 'belongs to user 1000, not 0'
rm /run/tlob-load.state
ln -s /etc/passwd /run/tlob-load.state
tlob-load run -c 1 --tune -n 1 -w none -q > /log 2>&1
status=$?
says link 1 'is a symbolic link'
rm /run/tlob-load.state
same foreign

# cgroups that cannot be used
unshare -m sh -c 'mount -o remount,ro,bind /sys/fs/cgroup &&
	exec tlob-load run -c 1 --tune -n 20 -w none -q --load "sleep 86399" --json /out/cgroup-ro.json' > /log 2>&1
status=$?
sed 's/^/# /' /log | head -n 3
told cgroup_ro.status [ $status -eq 0 ]
told cgroup_ro.named grep -q 'cpuset_partition [0-9] (Read-only file system)' /out/cgroup-ro.json
same cgroup_ro
# shellcheck disable=SC2016 # the shell in the namespace expands it
unshare -m sh -c 'umount /sys/fs/cgroup && mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/cpu &&
	mount -t cgroup -o cpu none /sys/fs/cgroup/cpu 2> /dev/null
	tlob-load run -c 1 --tune -n 20 -w none -q --load "sleep 86399" --json /out/cgroup-v1.json
	status=$?
	umount /sys/fs/cgroup/cpu 2> /dev/null
	exit $status' > /log 2>&1
status=$?
sed 's/^/# /' /log | head -n 3
told cgroup_v1.status [ $status -eq 0 ]
told cgroup_v1.named grep -q 'cgroup v2 is not mounted' /out/cgroup-v1.json
same cgroup_v1

# A CPU that goes away while its settings are others. The kernel then moves its interrupts.
sed -i /effective/d /before
tlob-load run -c 1 --tune -d 1h -w none -q --load 'sleep 86399' > /log 2>&1 &
pid=$!
started
sleep 1
echo 0 > /sys/devices/system/cpu/cpu1/online
usleep 500000
kill -INT $pid 2> /dev/null
wait $pid
sed 's/^/# /' /log | head -n 5
echo 1 > /sys/devices/system/cpu/cpu1/online
tlob-load restore > /log 2>&1
sed 's/^/# /' /log | head -n 5
same hotplug effective
