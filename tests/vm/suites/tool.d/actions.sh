#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# actions.sh - what is done at violations, with the module, for tests/vm/suites/tool
#
# Usage (in a deterministic guest with two CPUs, as root): sh /actions.sh
#
# CPU 0 is measured, actions are taken on CPU 1. Writes /out/NAME.json and what actions have left,
# for the host to check. Prints what guest.sh prints.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
. /checks.sh

# run NAME ARG...
run() {
	name=$1
	shift
	tlob-load run -c 0 -p 1ms -q --json "/out/$name.json" "$@" > $dir/out 2> $dir/err || note "$name: exit $?: $(cat $dir/err)"
}

# Each window is over its budget. Once in a second a process is started, which works for some ms.
# With a seed each value is kept.
run without --seed 7 -w none -b 1us -n 2000
run with --seed 7 -w none -b 1us -n 2000 --at-most 1/1s --on-violation "shell:cat > /out/with.window; seq 5000 > $dir/work; grep Cpus_allowed_list /proc/self/status >> /out/with.cpus"
run storm -w none -p 100us -b 1us -n 10000 --on-violation shell:true
run traced -w spin:60us -b 50us -n 200 --trace /out/trace --trace-size 256K -e 'sched:sched_switch/next_prio < 100/' \
	--on-violation trace --at-most 2/1d
run user.samples -w spin:60us -b 65us -n 300 --samples /out/user.csv
run kthread.samples --workload kthread -w spin:60us -b 65us -n 300 --samples /out/kthread.csv
expect actions.run
echo "the end"
