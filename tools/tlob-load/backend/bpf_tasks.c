// SPDX-License-Identifier: GPL-2.0
/*
 * --dump-tasks of the backend `bpf`. The program at the watcher's timer notes what runs on each CPU.
 * After t3 the measuring thread copies it to its ring, as a timeline.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/bpf.h"
#include "backend/bpf/shared.h"
#include "backend/bpf_ring.h"
#include "backend/config.h"
#include "code/ksyms.h"
#include "machine/cpus.h"
#include "util/error.h"

_Static_assert(TLOB_CELL_TASKS == WINDOW_TASKS, "each CPU that is looked at has room");

int bpf_tasks_alloc(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);

	if (!b->config->dump_tasks)
		return 0;
	bpf->dumps = bpf_rings_new(b->cpus->n, sizeof(struct tlob_cell_tasks));
	bpf->ksyms = calloc(1, sizeof(*bpf->ksyms));
	if (!bpf->dumps || !bpf->ksyms)
		return fail(-ENOMEM, "out of memory");
	bpf->ntasks = (unsigned int)b->cpus->list[b->cpus->n - 1] + 1;
	/* it is empty if the addresses are hidden: no function has a name then */
	return ksyms_load(bpf->ksyms, "/proc/kallsyms");
}

void bpf_tasks_free(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);

	bpf_rings_free(bpf->dumps, b->cpus->n);
	bpf->dumps = NULL;
	if (bpf->ksyms)
		ksyms_free(bpf->ksyms);
	free(bpf->ksyms);
	bpf->ksyms = NULL;
}

void bpf_tasks_put(struct bpf *bpf, size_t i, int cpu, uint64_t activation)
{
	struct tlob_cell_tasks *to;

	if (bpf->tasks[cpu].activation != activation)
		return;		/* no timer found it over its budget */
	to = bpf_ring_room(&bpf->dumps[i]);
	if (!to)
		return;
	*to = bpf->tasks[cpu];
	bpf_ring_put(&bpf->dumps[i]);
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

/* Those of a violation are in the ring before its record. */
size_t bpf_tasks_find(struct backend_run *b, size_t i, const struct tlob_window *w,
		      struct window_task to[WINDOW_TASKS])
{
	struct bpf *bpf = bpf_of(b);
	const struct tlob_cell_tasks *from = bpf_ring_find(&bpf->dumps[i], w->activation);
	size_t n = 0;
	int cpu;

	for (cpu = 0; from && cpu < WINDOW_TASKS; cpu++) {
		if (!from->at[cpu].known)
			continue;
		to[n] = (struct window_task){
			.cpu = cpu, .pid = from->at[cpu].pid, .prio = from->at[cpu].prio,
		};
		memcpy(to[n].name, from->at[cpu].name, sizeof(to[n].name));
		if (cpu == b->cpus->list[i])
			name_function(bpf->ksyms, from, to[n].function);
		n++;
	}
	return n;
}
