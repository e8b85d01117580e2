/* SPDX-License-Identifier: GPL-2.0 */
/* What timers.h keeps of each CPU, and of each clock: the BPF programs and the tool share it. */
#ifndef TLOB_BACKEND_BPF_EXPIRY_H
#define TLOB_BACKEND_BPF_EXPIRY_H

#include <linux/types.h>

#define WATCH_CLOCKS	16		/* by clockid_t; a power of two */

/* A timer that expires right now: who is woken meanwhile in its context is woken by it. */
struct watch_timer {
	__u64	timer;			/* 0: none, or its expiry is not known */
	__u64	expiry_ns;		/* CLOCK_MONOTONIC */
	__u32	pid;			/* the task in whose context it expires */
	__u32	reserved;
};

/*
 * A clock but CLOCK_MONOTONIC: how far it is ahead, and since when that is known. It changes when the
 * clock is set, or the machine sleeps.
 */
struct watch_clock {
	__u64	ahead_ns, since_ns;
};

#endif /* TLOB_BACKEND_BPF_EXPIRY_H */
