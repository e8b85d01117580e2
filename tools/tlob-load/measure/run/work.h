/* SPDX-License-Identifier: GPL-2.0 */
/* The work of a user thread's window: workloop.h in user space. */
#ifndef TLOB_RUN_WORK_H
#define TLOB_RUN_WORK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>
#include "workspec.h"

struct phases;

struct work {
	struct tlob_work spec;
	uint64_t hw_threshold_ns;
	const struct phases *phases;	/* of TLOB_KIND_PHASES; in place of spec */
	void	**phase_mem;		/* [phases->n], as mem */
	void	*mem;			/* spec.ws bytes, or NULL */
	const volatile uint64_t *interference; /* changes at interruptions */
	const atomic_bool *abort;	/* true: end in the middle */
	uint64_t sum;			/* check sum: shows that the loops ran */
};

/* Memory for @w near @cpu, not touched yet. 0 or -errno, printed. */
int  work_alloc(struct work *w, int cpu);
void work_free(struct work *w);

/* Touches and sets up the memory: by the thread that will use it. */
void work_init(struct work *w);

/* One window's work. Returns the ns of gaps that only hardware explains. */
uint64_t work_run(struct work *w);

#endif /* TLOB_RUN_WORK_H */
