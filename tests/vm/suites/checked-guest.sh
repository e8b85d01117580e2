#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest: COMMAND, and then asks the debug kernel what it has found.
# A finding goes to the kernel log, where the host looks for splats.
"$@"
status=$?

bad() {
	echo "BUG: $*" > /dev/kmsg
}

# After its first report lockdep looks no more, nor when its tables are full.
locks=$(sed -n 's/.*debug_locks: *//p' /proc/lockdep_stats 2> /dev/null)
[ "${locks:-1}" = 1 ] || bad "lockdep has switched itself off"

# Twice: what was allocated a moment ago may be in registers only.
leaks=/sys/kernel/debug/kmemleak
if [ -e $leaks ]; then
	echo scan > $leaks
	sleep 6
	echo scan > $leaks
	# leaks of the kernel's own code do not count
	if grep -q tlob $leaks; then
		bad "memory leaks"
		cat $leaks
	fi
fi

# A module that was loaded again has its parameters again.
read -r arguments < /proc/cmdline
for word in $arguments; do
	name=${word%%=*}
	is=/sys/module/${name%%.*}/parameters/${name#*.}
	case $name in tlob_*.*) [ "$(cat "$is")" = "${word#*=}" ] || bad "$is is not as in $word" ;; esac
done

made=/sys/module/tlob_delays/parameters/delays
[ ! -e $made ] || [ "$(cat $made)" -gt 0 ] || bad "no instruction was delayed"

exit $status
