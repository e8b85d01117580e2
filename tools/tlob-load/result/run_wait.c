// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/attach_result.h"
#include "result/run_wait.h"

static bool is_of(const struct run_wait *k, const struct tlob_window *w)
{
	return k->cpu == w->cpu && k->activation == w->activation && k->t0_ns == w->t0_ns;
}

int run_wait_add(struct result *r, const struct tlob_window *w, struct attach_wait *wait)
{
	struct run_wait *k = calloc(1, sizeof(*k));

	if (k)
		k->wait = malloc(sizeof(*k->wait));
	if (!k || !k->wait) {
		free(k);
		attach_wait_clear(wait);
		return -ENOMEM;
	}
	*k->wait = *wait;
	k->cpu = w->cpu;
	k->activation = w->activation;
	k->t0_ns = w->t0_ns;
	k->next = r->waits.first;
	r->waits.first = k;
	return 0;
}

const struct attach_wait *run_wait_of(const struct result *r, const struct tlob_window *w)
{
	const struct run_wait *k;

	for (k = r->waits.first; k; k = k->next)
		if (is_of(k, w))
			return k->wait;
	return NULL;
}

bool run_is_worst(const struct result *r, const struct tlob_window *w)
{
	size_t i;

	for (i = 0; i < r->nworst; i++)
		if (r->worst[i].cpu == w->cpu && r->worst[i].activation == w->activation &&
		    r->worst[i].t0_ns == w->t0_ns)
			return true;
	return false;
}

static bool is_kept(const struct result *r, const struct run_wait *k)
{
	const struct tlob_window w = {
		.cpu = k->cpu, .activation = k->activation, .t0_ns = k->t0_ns,
	};

	return run_is_worst(r, &w) || (r->stopped_window && is_of(k, r->stopped_window));
}

static void drop(struct run_wait *k)
{
	attach_wait_clear(k->wait);
	free(k->wait);
	free(k);
}

void run_waits_tidy(struct result *r)
{
	struct run_wait **at = &r->waits.first, *k;

	while ((k = *at)) {
		if (is_kept(r, k)) {
			at = &k->next;
			continue;
		}
		*at = k->next;
		drop(k);
	}
}

static int copy_wait(struct attach_wait *to, const struct attach_wait *from)
{
	*to = *from;
	to->nframe = 0;
	to->frame = calloc(from->nframe + 1, sizeof(*to->frame));
	if (!to->frame)
		return -ENOMEM;
	for (; to->nframe < from->nframe; to->nframe++) {
		to->frame[to->nframe].kernel = from->frame[to->nframe].kernel;
		to->frame[to->nframe].name = strdup(from->frame[to->nframe].name);
		if (!to->frame[to->nframe].name) {
			attach_wait_clear(to);
			return -ENOMEM;
		}
	}
	return 0;
}

int run_waits_merge(struct result *r, const struct result *from)
{
	const struct run_wait *k;
	struct attach_wait copy;
	int err = 0;

	r->waits.measured = r->waits.measured || from->waits.measured;
	for (k = from->waits.first; k && !err; k = k->next) {
		const struct tlob_window w = {
			.cpu = k->cpu, .activation = k->activation, .t0_ns = k->t0_ns,
		};

		if (!run_is_worst(r, &w) || run_wait_of(r, &w))
			continue;
		err = copy_wait(&copy, k->wait);
		if (!err)
			err = run_wait_add(r, &w, &copy);
	}
	run_waits_tidy(r);
	return err;
}

void run_waits_free(struct run_waits *waits)
{
	struct run_wait *k;

	while ((k = waits->first)) {
		waits->first = k->next;
		drop(k);
	}
}
