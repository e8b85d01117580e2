# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2086,SC2154 # beside.sh, which reads this, has the variables
#
# early.sh - a part of beside.sh: a workload that ends before its run, and who is informed

# ---- a CPU that goes offline, and is back at once ----

for workload in user kthread; do
	for cpus in 1 0-1; do
		start offline.$workload.$cpus -c $cpus --workload $workload -d 600s $quick
		more_windows 50
		offline_online
		ends 1
		is "online" "$(cat /sys/devices/system/cpu/cpu1/online)" 1
		said 'cut short by CPU 1 going offline'
		is stopped_by "$(top stopped_by)" "CPU 1 going offline"
		expect $name
	done
	# no end by itself but the number of windows, which CPU 1 never reaches
	start offline.$workload.number -c 0-1 --workload $workload -n 20000 $quick
	more_windows 50
	offline_online
	ends 1
	said 'cut short by CPU 1 going offline'
	expect $name
	# the tool sleeps meanwhile, and it was no other process
	start offline.$workload.stopped -c 1 --workload $workload -d 600s $quick
	more_windows 50
	kill -STOP $pid
	offline_online
	kill -CONT $pid
	ends 1
	said 'cut short by CPU 1 going offline'
	expect $name
done

# ---- a tool that somebody stops: expiries are missed, or records lost, and it says so ----

for workload in user kthread; do
	start stopped.$workload -c 1 --workload $workload -d 10s $quick
	more_windows 50
	kill -STOP $pid
	sleep 1
	kill -CONT $pid
	ends 0
	is unaccounted "$(key unaccounted)" 0
	[ "$workload" = kthread ] || [ "$(key missed)" -gt 100 ] || note "only $(key missed) missed"
	expect $name
done

# ---- the formula, with everything that is a part of it ----

for workload in user kthread; do
	for option in "-d 1s" "-n 500" "-d 1s --warm-up 100" "-d 1s --phase 300us --align 100us" \
		"-d 1s -p 100us -w spin:150us" "-n 200 --seed 5" "-d 20s --stop-on violations>0 -w spin:50us -b 60us" \
		"-d 20s --stop-on response>50us" "-d 1s -p 20ms"; do
		name=formula.$workload.$(echo "$option" | tr -dc 'a-z0-9')
		status=0
		tlob-load run -q --json "/out/$name.json" -c 0-1 --workload $workload $quick $option > $dir/out 2> $dir/err ||
			status=$?
		is "exit of $option" $status 0
		is "unaccounted of $option" "$(key unaccounted)" 0
	done
	name=formula.$workload.SIGINT
	start $name -c 0-1 --workload $workload $quick
	kill -INT $pid
	ends 0
	is "unaccounted after SIGINT" "$(key unaccounted)" 0
	expect formula.$workload
done

# ---- a thread that is moved ----

worker() {
	for thread in "/proc/$pid/task"/*; do
		[ "$(cat "$thread/comm")" != "tlob/$1" ] || echo "${thread##*/}"
	done
}

start migrated.taskset -c 1 -d 600s $quick
more_windows 50
# it shows the affinity at last, of a thread that may have ended
taskset -p 1 "$(worker 1)" > $dir/taskset 2>&1
ends 1
said 'CPU 1: the thread was migrated: another process changed its affinity'
[ "$(key lost)" -le 1 ] || note "lost $(key lost)"	# 0: it was at work
tlob-load report --format text /out/$name.json > $dir/report 2> $dir/err || note "report refuses it: $(cat $dir/err)"
tlob-load run -q --json /out/other.json -c 1 -n 50 $quick || note "the other run: exit $?"
tlob-load merge --json /out/merged.json /out/$name.json /out/other.json > $dir/merge 2> $dir/err ||
	note "merge refuses it: $(cat $dir/err)"
expect $name

cgroup=/sys/fs/cgroup/test
mkdir -p /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup 2> /dev/null
if echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control && mkdir -p $cgroup; then
	echo 0-1 > $cgroup/cpuset.cpus
	start migrated.cpuset -c 1 -d 600s $quick
	echo $pid > $cgroup/cgroup.procs
	more_windows 50
	echo 0 > $cgroup/cpuset.cpus
	ends 1
	said 'CPU 1: the thread was migrated'
	[ "$(key lost)" -le 1 ] || note "lost $(key lost)"
	tlob-load report --format text /out/$name.json > $dir/report 2> $dir/err || note "report refuses it: $(cat $dir/err)"
	expect $name
else
	skip migrated.cpuset "no cpuset controller in this kernel"
fi

# ---- suspend: all CPUs but the first go offline ----

power=/sys/power
if echo processors > $power/pm_test && echo deep > $power/mem_sleep; then
	for workload in user kthread; do
		start suspend.$workload -c 0-1 --workload $workload -d 600s $quick
		more_windows 50
		echo mem > $power/state || note "cannot suspend"
		ends 1
		said 'cut short by CPU 1 going offline'
		expect $name
	done
else
	skip suspend "this kernel or machine cannot test S3"
fi 2> /dev/null
