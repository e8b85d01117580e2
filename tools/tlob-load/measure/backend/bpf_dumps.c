// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "backend/bpf/tasks.h"
#include "backend/bpf_dumps.h"
#include "backend/bpf_ring.h"
#include "culprit/culprit.h"
#include "util/error.h"

_Static_assert(TLOB_CELL_TASKS == WINDOW_TASKS, "each CPU that is looked at has room");

int bpf_dumps_begin(struct bpf_dumps *d, size_t ncpus)
{
	d->ncpus = ncpus;
	d->ring = bpf_rings_new(ncpus, sizeof(struct tlob_cell_tasks), BPF_RING_RECORDS);
	if (!d->ring)
		return fail(-ENOMEM, "out of memory");
	return ksyms_load(&d->ksyms, "/proc/kallsyms");
}

void bpf_dumps_end(struct bpf_dumps *d)
{
	bpf_rings_free(d->ring, d->ncpus);
	d->ring = NULL;
	ksyms_free(&d->ksyms);
}

void bpf_dumps_put(struct bpf_dumps *d, size_t i, const struct tlob_cell_tasks *tasks)
{
	struct tlob_cell_tasks *to = bpf_ring_room(&d->ring[i]);

	if (!to)
		return;
	*to = *tasks;
	bpf_ring_put(&d->ring[i]);
}

/* "" if the program was interrupted, and not the kernel, or if there is no name. */
static void name_function(const struct ksyms *k, const struct tlob_cell_tasks *from, char *name)
{
	const char *met;
	struct trail t;

	trail_of(&t, k, from->frame, from->frames);
	met = telling_interrupted(&t);
	snprintf(name, WINDOW_TASK_FUNCTION, "%s", met ? met : "");
}

size_t bpf_dumps_find(struct bpf_dumps *d, size_t i, int cpu, const struct tlob_window *w,
		      struct window_task to[WINDOW_TASKS])
{
	const struct tlob_cell_tasks *from = bpf_ring_find(&d->ring[i], w->activation);
	size_t n = 0;
	int at;

	for (at = 0; from && at < WINDOW_TASKS; at++) {
		if (!from->at[at].known)
			continue;
		to[n] = (struct window_task){
			.cpu = at, .pid = from->at[at].pid, .prio = from->at[at].prio,
		};
		memcpy(to[n].name, from->at[at].name, sizeof(to[n].name));
		if (at == cpu)
			name_function(&d->ksyms, from, to[n].function);
		n++;
	}
	return n;
}
