// SPDX-License-Identifier: GPL-2.0
/* Keeping the windows that a screen shows. */
#include <errno.h>
#include <stdlib.h>

#include "report/watch.h"

int watch_init(struct watch *w, size_t ncpus)
{
	*w = (struct watch){ .n = ncpus };
	w->cpu = calloc(ncpus ? ncpus : 1, sizeof(*w->cpu));
	return w->cpu ? 0 : -ENOMEM;
}

void watch_free(struct watch *w)
{
	free(w->cpu);
	*w = (struct watch){ 0 };
}

/* Largest response first; of two equal windows the earlier one. */
static void keep_worst(struct watch_cpu *c, const struct tlob_window *w)
{
	size_t i = c->nworst;

	if (i == WATCH_WORST) {
		if (w->response_ns <= c->worst[i - 1].response_ns)
			return;
		i--;
	} else {
		c->nworst++;
	}
	for (; i && w->response_ns > c->worst[i - 1].response_ns; i--)
		c->worst[i] = c->worst[i - 1];
	c->worst[i] = *w;
}

void watch_window(struct watch *w, size_t i, const struct tlob_window *record)
{
	struct watch_cpu *c = &w->cpu[i];
	bool violation = record->flags & TLOB_WINDOW_VIOLATION;

	if (record->flags & (TLOB_WINDOW_NONE | TLOB_WINDOW_WARM_UP))
		return;
	if (violation || (!c->violated && record->response_ns > c->last.response_ns))
		c->last = *record;
	c->violated |= violation;
	keep_worst(c, record);
}
