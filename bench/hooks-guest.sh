#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: the cost of the hooks with each source, see hooks.c; and of
# BPF programs.
t=/sys/kernel/tracing
hooks-bpf || exit 1
hooks hooks
if grep -q osnoise $t/available_tracers; then
	mkdir $t/instances/hooks
	echo NO_OSNOISE_WORKLOAD > $t/osnoise/options
	echo osnoise > $t/instances/hooks/current_tracer
	hooks osnoise
fi
