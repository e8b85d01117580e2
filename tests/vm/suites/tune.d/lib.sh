# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What the guests of the suite tune share.

told() {
	name=$1
	shift
	if "$@"; then echo "pass $name"; else echo "fail $name"; fi
}

# Everything that a run may change, and everything that it starts. It is asked often, so
# without processes.
settings() {
	for file in /proc/irq/*/smp_affinity_list /proc/irq/*/effective_affinity_list /proc/irq/default_smp_affinity /proc/sys/kernel/timer_migration \
		/sys/devices/virtual/workqueue/cpumask /sys/devices/virtual/workqueue/writeback/cpumask \
		/sys/fs/cgroup/cgroup.subtree_control /sys/devices/system/cpu/cpu*/cpuidle/state*/disable \
		/sys/devices/system/cpu/isolated /sys/kernel/debug/tlob_load/enable; do
		[ ! -e "$file" ] || { value=; read -r value < "$file"; echo "$file $value"; }
	done
	for file in /sys/fs/cgroup/*/; do echo "$file"; done
	for task in /proc/[0-9]*/comm; do
		comm=
		{ read -r comm < "$task"; } 2> /dev/null
		case $comm in sleep|tlob-load|tlob-keeper) echo "$task $comm" ;; esac
	done
	[ ! -e /run/tlob-load.state ] || echo "the state file"
}

# The serial port writes on its own, so its interrupt comes often.
serial_comes() {
	while :; do echo x > /dev/ttyS0; usleep 20000; done &
	# shellcheck disable=SC2034 # its caller ends it
	serial=$!
}

# route_serial: the interrupt comes to the measured CPU, and its mask has all CPUs. The mask
# alone does not say where it comes. Needs serial_comes.
route_serial() {
	echo 2 > /proc/irq/4/smp_affinity
	until read -r cpu < /proc/irq/4/effective_affinity_list && [ "$cpu" = 1 ]; do usleep 10000; done
	echo 3 > /proc/irq/4/smp_affinity
}
