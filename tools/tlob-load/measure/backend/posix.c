// SPDX-License-Identifier: GPL-2.0
/*
 * The backend `posix`: threads that sleep on a grid, and the counters of /proc that
 * everybody may read. It needs no privilege and changes nothing outside of the
 * process. It has no view into a window, so every part is unavailable.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "backend/grid.h"
#include "backend/posix.h"
#include "backend/status.h"
#include "machine/cpus.h"
#include "machine/timens.h"
#include "options/run_config.h"
#include "result/os_counts.h"
#include "result/result.h"
#include "util/error.h"
#include "util/file.h"
#include "util/time.h"

#define ALL_PARTS	((1U << TLOB_NR_PARTS) - 1)

/* Nothing is missing anywhere: the functions are POSIX, and the counters optional. */
static int posix_probe(char *why, unsigned int size)
{
	(void)why;
	(void)size;
	return 0;
}

static int posix_open(struct backend_run *b)
{
	struct posix *p = calloc(1, sizeof(*p));
	size_t i;

	if (!p)
		return fail(-ENOMEM, "out of memory");
	b->data = p;
	p->counts = calloc(b->cpus->n, sizeof(*p->counts));
	p->steal = calloc(b->cpus->n, sizeof(*p->steal));
	if (!p->counts || !p->steal)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < b->cpus->n; i++) {
		struct os_counts *os = calloc(1, sizeof(*os));

		if (!os)
			return fail(-ENOMEM, "out of memory");
		if (b->config->work.type == TLOB_KIND_SPIN)
			os->known = OS_GAPS;
		b->r->cpu[i].os = os;
	}
	return 0;
}

/* An empty table where the file cannot be read: it is not known then. */
static void read_table(struct proc_table *t, const char *path, const struct cpus *cpus)
{
	char *text;

	*t = (struct proc_table){ 0 };
	if (file_read(path, &text))
		return;
	if (proc_table_parse(t, text, cpus->list, cpus->n))
		proc_table_free(t);
	free(text);
}

/* Adds the difference of a table to that list of all CPUs, and frees @before. */
static void take_table(struct backend_run *b, struct proc_table *before,
		       const char *path, enum os_known known)
{
	struct proc_table after;
	size_t i;

	read_table(&after, path, b->cpus);
	for (i = 0; before->n && after.n && i < b->cpus->n; i++) {
		struct os_counts *os = b->r->cpu[i].os;

		proc_table_since(before, &after, i,
				 known == OS_IRQS ? &os->irq : &os->softirq);
		os->known |= known;
	}
	proc_table_free(&after);
	proc_table_free(before);
}

/* @before: remembers the ticks; else their difference goes to the result. */
static void take_steal(struct backend_run *b, bool before)
{
	struct posix *p = posix_of(b);
	uint64_t ticks, ns = 1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK);
	char *text;
	size_t i;

	if (file_read("/proc/stat", &text))
		return;
	for (i = 0; i < b->cpus->n; i++) {
		struct os_counts *os = b->r->cpu[i].os;

		if (proc_steal(text, b->cpus->list[i], &ticks))
			continue;
		if (before)
			p->steal[i] = ticks;
		else if (ticks >= p->steal[i])
			os->steal_ns = (ticks - p->steal[i]) * ns;
		os->known |= OS_STEAL;
	}
	free(text);
}

static int posix_start(struct backend_run *b)
{
	const struct run_config *o = b->config;
	struct posix *p = posix_of(b);

	read_table(&p->irq, "/proc/interrupts", b->cpus);
	read_table(&p->softirq, "/proc/softirqs", b->cpus);
	take_steal(b, true);
	p->grid_start = grid_start(timens_kernel_ns(now_ns()), o->has_phase, o->phase_ns,
				   grid_tick_ns());
	return 0;
}

static int posix_status(struct backend_run *b, struct status *s)
{
	struct posix *p = posix_of(b);

	*s = (struct status){
		.state = "enabled", .stopped_cpu = -1, .noise_source = "none",
		.unavailable = ALL_PARTS,
		.unavailable_because = b->backend->never_because,
	};
	return grid_status(b, p->counts, p->grid_start, s);
}

static int posix_stop(struct backend_run *b)
{
	struct posix *p = posix_of(b);

	take_table(b, &p->irq, "/proc/interrupts", OS_IRQS);
	take_table(b, &p->softirq, "/proc/softirqs", OS_SOFTIRQS);
	take_steal(b, false);
	return 0;
}

static void posix_free(struct backend_run *b)
{
	struct posix *p = posix_of(b);

	if (!p)
		return;
	proc_table_free(&p->irq);
	proc_table_free(&p->softirq);
	free(p->counts);
	free(p->steal);
	free(p);
	b->data = NULL;
}

const struct backend backend_posix = {
	.name = "posix",
	.between = true,
	.never = ALL_PARTS,
	.never_because = "the backend posix does not see into the kernel; a cause needs the backend tlob or bpf",
	.opening = "starting the backend posix",
	.probe = posix_probe,
	.open = posix_open,
	.start = posix_start,
	.status = posix_status,
	.stop = posix_stop,
	.close = posix_free,
	.thread_open = posix_thread_open,
	.thread_next = posix_thread_next,
	.thread_last = posix_thread_last,
	.thread_close = posix_thread_close,
};
