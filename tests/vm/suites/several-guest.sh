#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest: several suites of tests, one after the other, as
#
#	sh /several.sh NAME COMMAND... [++ NAME COMMAND...]...
#
# Each begins with modules that were just loaded. Lines "@@ NAME begins" and
# "@@ NAME ends STATUS" part their output, which tests/vm/lib.sh takes apart.
# Exit: the largest of their statuses.
worst=0

# reload: what vm-init has loaded goes, last first, and comes again. A second CPU comes
# later, as at boot: see hold_tracepoints() in tests/vm/programs/guest/main.c.
reload() {
	if grep -qw maxcpus=1 /proc/cmdline && [ -e /sys/devices/system/cpu/cpu1/online ]; then
		echo 0 > /sys/devices/system/cpu/cpu1/online
	fi
	modules=
	for module in /vm/modules/*.ko; do
		[ ! -e "$module" ] || modules="$module $modules"
	done
	for module in $modules; do
		name=${module##*/??-}
		! grep -q "^${name%.ko} " /proc/modules || rmmod "${name%.ko}" || return
	done
	for module in /vm/modules/*.ko; do
		[ ! -e "$module" ] || vm-insmod "$module" || return
	done
}

first=yes
while [ $# -gt 0 ]; do
	suite=$1
	shift
	command=
	while [ $# -gt 0 ] && [ "$1" != ++ ]; do
		command="$command $1"
		shift
	done
	[ $# -eq 0 ] || shift
	echo "@@ $suite begins"
	echo "tests: $suite begins" > "${KMSG:-/dev/kmsg}"
	if [ $first = yes ] || reload; then
		$command
		status=$?
	else
		echo "# the modules cannot be loaded again"
		status=125
	fi
	first=no
	echo "@@ $suite ends $status"
	[ $status -le $worst ] || worst=$status
done
exit $worst
