#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# hooks.sh [hooks]: runs in the guest: the cost of the hooks with each source, see hooks.c;
# and of BPF programs. With an argument only that of the source hooks.
t=/sys/kernel/tracing
[ $# -gt 0 ] || hooks-bpf || exit 1
hooks hooks || exit 1
[ $# -eq 0 ] || exit 0
if grep -q osnoise $t/available_tracers; then
	mkdir $t/instances/hooks
	echo NO_OSNOISE_WORKLOAD > $t/osnoise/options
	echo osnoise > $t/instances/hooks/current_tracer
	hooks osnoise || exit 1
	echo nop > $t/instances/hooks/current_tracer
	rmdir $t/instances/hooks
fi
