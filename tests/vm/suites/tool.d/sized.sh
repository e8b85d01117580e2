#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# sized.sh - the same runs in every deterministic guest, for tests/vm/suites/tool
#
# Usage (in a guest): sh /sized.sh
#
# Writes /out/user.json and /out/kthread.json. Exit: 0, 1 a run failed.
status=0
for workload in user kthread; do
	tlob-load run --workload $workload -n 600 --warm-up 20 -w spin:50us -q \
		--json /out/$workload.json || status=1
done
exit $status
