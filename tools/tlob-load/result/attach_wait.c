// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "result/attach_result.h"

void attach_wait_clear(struct attach_wait *wait)
{
	size_t i;

	for (i = 0; i < wait->nframe; i++)
		free(wait->frame[i].name);
	free(wait->frame);
	memset(wait, 0, sizeof(*wait));
}

void attach_waits_free(struct attach_waits *waits)
{
	size_t i;

	for (i = 0; i < waits->n; i++)
		attach_wait_clear(&waits->at[i]);
	waits->n = 0;
}

void attach_wait_add(struct attach_result *r, const struct tlob_task_window *w,
		     struct attach_wait *wait)
{
	struct attach_waits *all = &r->waits;

	wait->tid = w->tid;
	wait->start_ns = w->start_ns;
	if (all->n == sizeof(all->at) / sizeof(all->at[0]))
		attach_wait_tidy(r);
	if (all->n < sizeof(all->at) / sizeof(all->at[0]))
		all->at[all->n++] = *wait;
	else
		attach_wait_clear(wait);
}

const struct attach_wait *attach_wait_of(const struct attach_result *r,
					 const struct tlob_task_window *w)
{
	size_t i;

	for (i = 0; i < r->waits.n; i++)
		if (r->waits.at[i].tid == w->tid && r->waits.at[i].start_ns == w->start_ns)
			return &r->waits.at[i];
	return NULL;
}

static bool is_worst(const struct attach_result *r, uint32_t tid, uint64_t start_ns)
{
	size_t i;

	for (i = 0; i < r->nworst; i++)
		if (r->worst[i].tid == tid && r->worst[i].start_ns == start_ns)
			return true;
	return false;
}

bool attach_is_worst(const struct attach_result *r, const struct tlob_task_window *w)
{
	return is_worst(r, w->tid, w->start_ns);
}

void attach_wait_tidy(struct attach_result *r)
{
	struct attach_waits *all = &r->waits;
	size_t i, kept = 0;

	for (i = 0; i < all->n; i++) {
		if (is_worst(r, all->at[i].tid, all->at[i].start_ns))
			all->at[kept++] = all->at[i];
		else
			attach_wait_clear(&all->at[i]);
	}
	all->n = kept;
}
