/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A scheduling policy as text: fifo:P, rr:P (P 1 ... 99), other, or
 * deadline:RUNTIME/DEADLINE/PERIOD, as in the kernel part's file `policy`.
 * The times may have a unit; without one they are ns, as there. Pure: no I/O.
 */
#ifndef TLOB_POLICY_H
#define TLOB_POLICY_H

#include <stdint.h>

enum policy_type { POLICY_FIFO, POLICY_RR, POLICY_OTHER, POLICY_DEADLINE };

struct policy {
	enum policy_type type;
	unsigned int priority;		/* fifo, rr: 1 ... 99; else 0 */
	uint64_t runtime_ns;		/* deadline; else 0 */
	uint64_t deadline_ns;
	uint64_t period_ns;
};

/* 0, or -EINVAL with one line in @err. *@p is written on success only. */
int policy_parse(struct policy *p, const char *text, char *err,
		 unsigned int size);

/* The text that the file `policy` takes. 0, or -ENOSPC if @size is short. */
int policy_format(const struct policy *p, char *buf, unsigned int size);

#endif /* TLOB_POLICY_H */
