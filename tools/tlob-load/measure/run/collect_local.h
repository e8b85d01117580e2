/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by collect.c, counters.c and ended.c. */
#ifndef TLOB_RUN_COLLECT_LOCAL_H
#define TLOB_RUN_COLLECT_LOCAL_H

#include "backend/backend.h"
#include "backend/status.h"
#include "run/collect.h"

#define COLLECT_HW	(1U << TLOB_WORK_HW)

/* The table of the kernel threads' records. */
static inline const struct backend_kthread *collect_kthread(const struct collector *c)
{
	return c->backend->backend->kthread;
}

/* The parts that the backend measures nowhere. */
static inline uint32_t collect_never(const struct collector *c)
{
	return c->backend->backend->never;
}

/* Kernel threads' own histograms do not end at the window that stops a run. */
static inline bool collect_by_records(const struct collector *c)
{
	return c->workers || c->progress || c->stop.cpu;
}

/* Adds the records that were held back, after the last drain. 0 or -errno, printed. */
int collect_release(struct collector *c);

/* Reads `status`. 0 or -errno, printed; call status_free() in any case. */
int collect_status(const struct collector *c, struct status *s);

/* Notes in the result if a thread has another policy now. 0 or -ENOMEM, printed. */
int collect_policy(struct collector *c, const struct status *s);

/*
 * Fills the expiries of the CPU with index @i, whose other counters are final.
 * @end_ns: when the run ended. 0 or -EPROTO, printed.
 */
int collect_expiries(struct collector *c, const struct status *s,
		     const struct status_cpu *cpu, size_t i, uint64_t end_ns);

#endif /* TLOB_RUN_COLLECT_LOCAL_H */
