// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "backend/bpf/tasks.h"
#include "backend/bpf_dumps.h"
#include "backend/bpf_ring.h"
#include "util/error.h"

_Static_assert(TLOB_CELL_TASKS == WINDOW_TASKS, "each CPU that is looked at has room");

int bpf_dumps_begin(struct bpf_dumps *d, size_t ncpus)
{
	d->ncpus = ncpus;
	d->ring = bpf_rings_new(ncpus, sizeof(struct tlob_cell_tasks));
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

/* The code by which an interrupt enters; what it interrupted is the next frame. */
static bool is_entry(const char *name)
{
	return !strncmp(name, "asm_sysvec_", 11) || !strcmp(name, "asm_common_interrupt") ||
	       !strcmp(name, "el1h_64_irq") || !strcmp(name, "el0t_64_irq");
}

/* "" if the program was interrupted, and not the kernel, or if there is no name. */
static void name_function(const struct ksyms *k, const struct tlob_cell_tasks *from, char *name)
{
	size_t n = from->frames > 0 ? (size_t)from->frames / sizeof(from->frame[0]) : 0, i, entry = n;
	const struct ksym *s;

	for (i = 0; i < n; i++) {
		s = ksyms_at(k, from->frame[i]);
		if (s && is_entry(s->name))
			entry = i;
	}
	s = entry + 1 < n ? ksyms_at(k, from->frame[entry + 1]) : NULL;
	snprintf(name, WINDOW_TASK_FUNCTION, "%s", s ? s->name : "");
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
