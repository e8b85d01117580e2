/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by collect.c and ended.c. */
#ifndef TLOB_RUN_COLLECT_LOCAL_H
#define TLOB_RUN_COLLECT_LOCAL_H

#include "run/collect.h"
#include "backend/status.h"

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
