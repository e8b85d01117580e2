// SPDX-License-Identifier: GPL-2.0
/*
 * --dump-tasks of the backend `bpf`. The program at the watcher's timer notes what runs on each CPU.
 * After t3 the measuring thread copies it to its ring, as a timeline.
 */
#include "backend/bpf.h"
#include "backend/bpf/shared.h"
#include "machine/cpus.h"
#include "options/run_config.h"

int bpf_tasks_alloc(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);

	if (!b->config->dump_tasks)
		return 0;
	bpf->ntasks = (unsigned int)b->cpus->list[b->cpus->n - 1] + 1;
	return bpf_dumps_begin(&bpf->dumps, b->cpus->n);
}

void bpf_tasks_put(struct bpf *bpf, size_t i, int cpu, uint64_t activation)
{
	/* else no timer found it over its budget */
	if (bpf->tasks[cpu].activation == activation)
		bpf_dumps_put(&bpf->dumps, i, &bpf->tasks[cpu]);
}

/* Those of a violation are in the ring before its record. */
size_t bpf_tasks_find(struct backend_run *b, size_t i, const struct tlob_window *w,
		      struct window_task to[WINDOW_TASKS])
{
	return bpf_dumps_find(&bpf_of(b)->dumps, i, b->cpus->list[i], w, to);
}
