#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# arguments - what doctor says of kernel arguments, for both patterns
#
# Usage: arguments [move], as root in a guest with two CPUs
#
#   move    the threads rcuo leave the measured CPU first, as doctor advises
#
# Leaves /out/polling.json and /out/periodic.json.
set -u
if [ "${1-}" = move ]; then
	for task in /proc/[0-9]*/comm; do
		read -r comm < "$task"
		task=${task%/comm}
		case $comm in rcuo*) taskset -pc 0 "${task#/proc/}" > /dev/null || exit 1 ;; esac
	done
fi
for pattern in polling periodic; do
	tlob-load doctor -c 1 --pattern $pattern -q --json - > /out/$pattern.json
done
exit 0
