# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2086,SC2154 # beside.sh, which reads this, has the variables
#
# policy.sh - a part of beside.sh: somebody changes the policy of a thread

# thread_of WORKLOAD: the thread of CPU 1.
thread_of() {
	if [ $1 = user ]; then
		worker 1
	else
		sed -n 's/^cpu1: .* pid=\([0-9]*\).*/\1/p' $control/status
	fi
}

# change POLICY: of the thread of CPU 1.
change() {
	guest-helper policy "$1" "$(thread_of $workload)" 2> $dir/chrt || note "$(cat $dir/chrt)"
}

for workload in user kthread; do
	start policy.$workload.other -c 0-1 --workload $workload -d 600s $quick
	more_windows 50
	change other
	ends 1
	said 'cut short by another process, which changed the policy to other (CPU 1)'
	is policy "$(top policy)" fifo:95
	is policy_changed "$(top policy_changed)" "other (CPU 1)"
	expect $name

	# Too late for the look once a second: the end finds it. If the look comes just then, again.
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		start policy.$workload.priority -c 1 --workload $workload $quick
		change fifo:10
		kill -INT $pid
		ends 1
		grep -q 'cut short by another process' $dir/err || break
	done
	said 'another process changed the policy fifo:95 of a thread to fifo:10 (CPU 1)'
	is policy_changed "$(top policy_changed)" "fifo:10 (CPU 1)"
	expect $name

	start policy.$workload.same -c 1 --workload $workload --policy rr:5 $quick
	change rr:5
	kill -INT $pid
	ends 0
	is policy_changed "$(top policy_changed)" null
	expect $name
done
