#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# beside.sh - the tests of tests/vm/suites/tool about what others do during a run
#
# Usage (in a guest with two CPUs, as root): sh /beside.sh
#
# Prints as guest.sh does. Results for the host go to /out: NAME.json.
# shellcheck disable=SC1091,SC2034,SC2086,SC2154 # its parts are in the guest, and use what it sets
. /checks.sh

# start NAME ARG...: a run in the background, up to its first windows on all CPUs.
start() {
	name=$1
	shift
	tlob-load run -q --json "/out/$name.json" "$@" > $dir/out 2> $dir/err &
	pid=$!
	wait_for measuring || note "run $*: no windows: $(cat $dir/err)"
}

measuring() {
	[ "$(cat $control/enable)" = 1 ] && grep -q '^cpu' $control/status &&
		! grep -q '^cpu.* windows=0' $control/status
}

windows() {
	sed -n 's/^cpu1: .* windows=\([0-9]*\) .*/\1/p' $control/status
}

reached() {
	[ "$(windows)" -ge "$1" ]
}

# more_windows N: N more on CPU 1.
more_windows() {
	wait_for reached $(($(windows) + $1)) || note "no $1 windows more"
}

# key KEY: its value in the result of CPU 1. top KEY: of the run.
key() {
	sed 's/.*"cpu":1,"host"//' "/out/$name.json" | tr ',{' '\n' | sed -n "s/^\"$1\":\([^,}]*\).*/\1/p" | head -n 1
}

top() {
	sed "s/.*\"$1\":\(\"[^\"]*\"\|[^,}]*\).*/\1/" "/out/$name.json" | tr -d '"'
}

offline_online() {
	echo 0 > /sys/devices/system/cpu/cpu1/online
	echo 1 > /sys/devices/system/cpu/cpu1/online
}

quick="--noise-source hooks"

. /early.sh
. /policy.sh
. /overlap.sh

echo "the end"
