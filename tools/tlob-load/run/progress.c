// SPDX-License-Identifier: GPL-2.0
/* Printing and clearing the live line. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "result/result.h"
#include "run/collect.h"
#include "run/progress.h"
#include "util/units.h"

#define INTERVAL_NS	500000000ULL

void progress_init(struct progress *p, bool quiet)
{
	*p = (struct progress){ .wanted = !quiet && isatty(STDERR_FILENO) };
}

void progress_show(struct progress *p, const struct collector *c,
		   uint64_t elapsed_ns)
{
	char worst[DURATION_LEN], wake[DURATION_LEN];
	uint64_t windows = 0, violations = 0;
	const struct result *r = c->r;
	size_t i;

	if (!p->wanted || elapsed_ns < p->next_ns)
		return;
	p->next_ns = elapsed_ns + INTERVAL_NS;
	for (i = 0; i < r->ncpus; i++) {
		windows += r->cpu[i].windows;
		violations += r->cpu[i].violations;
	}
	/* \033[K clears the rest of a longer line before it */
	fprintf(stderr, "\r%" PRIu64 "s  windows %" PRIu64 "  violations %" PRIu64 "  worst %s  wake max %s\033[K",
		elapsed_ns / 1000000000, windows, violations,
		duration_format(worst, r->nworst ? r->worst[0].response_ns : 0),
		duration_format(wake, c->wake_max_ns));
	fflush(stderr);
	p->shown = true;
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
