// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/clocks.h"
#include "options/run_config.h"
#include "result/parts.h"
#include "result/result.h"
#include "result/tables.h"
#include "result/timeline.h"
#include "run/stop.h"
#include "util/error.h"

/*
 * Records of a CPU that are held back while another CPU is silent: some 0.4 s at the
 * shortest period. Beyond it the oldest goes, and the result says so if that matters.
 */
#define HELD_MAX	4096

bool stop_on_violation(const struct run_config *config)
{
	unsigned int i;

	for (i = 0; i < config->nstop_on; i++)
		if (condition_violation(&config->stop_on[i]))
			return true;
	return false;
}

int stop_init(struct stop *s, const struct run_config *config, size_t ncpus)
{
	*s = (struct stop){ .armed_ns = UINT64_MAX };
	if (!config->nstop_on)
		return 0;
	s->cpu = calloc(ncpus, sizeof(*s->cpu));
	s->ncpus = ncpus;
	return s->cpu ? 0 : fail(-ENOMEM, "out of memory");
}

static void held_free(struct held *h)
{
	free((void *)h->timeline);
	free((void *)h->functions);
}

void stop_free(struct stop *s)
{
	size_t i, k;

	for (i = 0; s->cpu && i < s->ncpus; i++) {
		for (k = 0; k < s->cpu[i].n; k++)
			held_free(&s->cpu[i].at[k]);
		free(s->cpu[i].at);
	}
	record_free(&window_record, &s->window);
	free(s->cpu);
	*s = (struct stop){ 0 };
}

static uint64_t end_of(const struct tlob_window *w)
{
	return w->t0_ns + w->response_ns;
}

/*
 * An armed kernel stops at a violation when the budget is over. The window continues,
 * and others that began before may end earlier. Everything else is known at t3.
 */
static uint64_t known_at(const struct stop *s, const struct condition *c,
			 const struct tlob_window *w)
{
	uint64_t over = w->t0_ns + w->budget_ns;

	return condition_violation(c) && over >= s->armed_ns ? over : end_of(w);
}

static void check_conditions(struct stop *s, const struct run_config *config,
			     const struct tlob_window *w, const struct tlob_timeline *t,
			     const struct window_functions *f)
{
	const struct condition *c;
	uint64_t known;

	for (c = config->stop_on; c < config->stop_on + config->nstop_on; c++) {
		if (!condition_window_functions(c, w, f))
			continue;
		known = known_at(s, c, w);
		if (s->by && (known > s->known_ns ||
			      (known == s->known_ns && w->cpu >= s->window.w.cpu)))
			continue;
		s->by = c;
		s->known_ns = known;
		record_free(&window_record, &s->window);
		s->window = (struct kept_window){
			.w = *w, .kept.waits = config->waits,
			.kept.timeline = config->timeline ? timeline_copy(t) : NULL,
			.kept.functions = config->functions.n ? functions_copy(f) : NULL,
		};
	}
}

/* Returns room for a record, or NULL without memory. */
static struct held *held_more(struct held_cpu *c)
{
	size_t room = c->room ? 2 * c->room : 64;
	struct held *at;

	if (c->n < c->room)
		return &c->at[c->n++];
	at = reallocarray(c->at, room, sizeof(*at));
	if (!at)
		return NULL;
	c->at = at;
	c->room = room;
	return &c->at[c->n++];
}

void stop_window(struct stop *s, const struct run_config *config, size_t i,
		 const struct tlob_window *w, const struct tlob_timeline *t,
		 const struct window_functions *f, const struct tlob_window_wait *wait, bool late)
{
	struct held_cpu *c = &s->cpu[i];
	struct held *h;

	if (!(w->flags & TLOB_WINDOW_WARM_UP))
		check_conditions(s, config, w, t, f);
	c->end_ns = end_of(w);
	h = held_more(c);
	if (!h) {
		c->after++;	/* a record that is lost */
		return;
	}
	*h = (struct held){
		.w = *w, .has_wait = wait, .late = late,
		.timeline = config->timeline ? timeline_copy(t) : NULL,
		.functions = config->functions.n ? functions_copy(f) : NULL,
	};
	if (wait)
		h->wait = *wait;
}

/* A window that ended at that time, or before, belongs to the run whatever comes. */
static uint64_t settled_ns(const struct stop *s, bool (*ended)(void *data, size_t i), void *data)
{
	uint64_t until = UINT64_MAX;
	size_t i;

	for (i = 0; i < s->ncpus; i++)
		if (s->cpu[i].end_ns < until && ended && !ended(data, i))
			until = s->cpu[i].end_ns;
	return until < stop_end_ns(s) ? until : stop_end_ns(s);
}

static void release(struct held_cpu *c, size_t i, struct held *h, stop_take take, void *data)
{
	c->windows++;
	c->missed += h->w.missed;
	c->last = h->w.activation;
	take(data, i, h);
	held_free(h);
}

static void release_cpu(struct stop *s, size_t i, uint64_t until, stop_take take, void *data)
{
	struct held_cpu *c = &s->cpu[i];
	size_t k = 0;

	while (k < c->n && end_of(&c->at[k].w) <= until)
		release(c, i, &c->at[k++], take, data);
	while (!s->by && c->n - k > HELD_MAX) {
		s->too_early_ns = end_of(&c->at[k].w);
		release(c, i, &c->at[k++], take, data);
	}
	c->n -= k;
	if (k)
		memmove(c->at, c->at + k, c->n * sizeof(*c->at));
}

/* The windows that are left ended after the stop. */
static void drop_cpu(struct held_cpu *c)
{
	size_t k;

	if (c->n)
		c->next_t0_ns = c->at[0].w.t0_ns;
	c->after += c->n;
	for (k = 0; k < c->n; k++)
		held_free(&c->at[k]);
	c->n = 0;
}

void stop_release(struct stop *s, bool (*ended)(void *data, size_t i), stop_take take, void *data)
{
	uint64_t until = settled_ns(s, ended, data);
	size_t i;

	for (i = 0; i < s->ncpus; i++) {
		release_cpu(s, i, until, take, data);
		if (!ended)
			drop_cpu(&s->cpu[i]);
	}
}

bool stop_is_at(const struct stop *s, const struct tlob_window *w)
{
	return s->by && window_is_same(&s->window.w, w);
}

uint64_t stop_end_ns(const struct stop *s)
{
	return s->by ? end_of(&s->window.w) : UINT64_MAX;
}

int stop_finish(struct stop *s, struct result *r)
{
	/* a suspend made the window late that met the condition */
	if (!s->by || (r->stopped_by && !strcmp(r->stopped_by, SUSPENDED)))
		return 0;
	free(r->stopped_by);
	r->stopped_by = strdup(s->by->text);
	r->stopped = malloc(sizeof(*r->stopped));
	if (!r->stopped || !r->stopped_by)
		return fail(-ENOMEM, "out of memory");
	*r->stopped = s->window;
	s->window.kept = (struct kept){ .timeline = NULL };
	if (s->too_early_ns > stop_end_ns(s) &&
	    result_note(r, "one CPU had no window for a long time: some windows that ended after the stop are also counted"))
		return fail(-ENOMEM, "out of memory");
	return 0;
}
