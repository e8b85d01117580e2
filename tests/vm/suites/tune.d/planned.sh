#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# planned - plan --before-after-tune next to an interrupt on the measured CPU
#
# Usage: planned, as root in a guest with two CPUs
#
# Leaves /out/plan with the runs. Prints what plan does, and "pass NAME" or "fail NAME".
set -u
# shellcheck source=tests/vm/suites/tune.d/lib.sh
. "${0%/*}/lib.sh"
serial_comes
route_serial
kill $serial
settings > /before
# plan asks for that many windows, for p99.9
tlob-load plan --before-after-tune --pairs 6 --seed 1 --dir /out/plan -- -c 1 -p 1ms -n 3000 -w elapsed:300us \
	--load 'while :; do echo x > /dev/ttyS0; usleep 3000; done' > /out/plan.txt 2> /plan.err
status=$?
sed 's/^/# /' /plan.err /out/plan.txt
# 2: tuning cost something here; 3: too little is known. Both are answers.
told plan.ends [ $status -eq 0 -o $status -eq 2 -o $status -eq 3 ]
told plan.names_the_settings grep -q '^varied .*tune: none in A, .*irq_affinity [0-9]' /out/plan.txt
settings > /after
told plan.put_back cmp -s /before /after
