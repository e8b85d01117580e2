// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/config.h"
#include "facts/timeline.h"
#include "result/result.h"
#include "run/stop.h"
#include "util/error.h"

/*
 * A window that can be kept at some end of the run: result_keeps() it with the rank
 * among the windows that ended no later. Of n windows in random order about
 * RESULT_WORST * ln(n) are such, and RESULT_KEPT * ln(n) if all are violations with a
 * timeline. So EARLY_MAX suffices for any run whose responses do not keep growing.
 * Beyond it the smallest is dropped.
 */
struct early {
	struct tlob_window w;
	struct tlob_timeline *timeline;	/* NULL: the run has none */
	struct window_functions *functions; /* likewise */
	unsigned int above;		/* windows as large that ended no later */
};

#define EARLY_MAX	2048

bool stop_on_violation(const struct run_config *config)
{
	unsigned int i;

	for (i = 0; i < config->nstop_on; i++)
		if (condition_violation(&config->stop_on[i]))
			return true;
	return false;
}

int stop_init(struct stop *s, const struct run_config *config)
{
	*s = (struct stop){ .armed_ns = UINT64_MAX };
	if (!config->nstop_on)
		return 0;
	s->early = calloc(EARLY_MAX, sizeof(*s->early));
	return s->early ? 0 : fail(-ENOMEM, "out of memory");
}

void stop_free(struct stop *s)
{
	while (s->n) {
		s->n--;
		free(s->early[s->n].timeline);
		free(s->early[s->n].functions);
	}
	free(s->timeline);
	free(s->functions);
	free(s->early);
	*s = (struct stop){ 0 };
}

static uint64_t end_of(const struct tlob_window *w)
{
	return w->t0_ns + w->response_ns;
}

/*
 * An armed kernel stops at a violation when the budget is over. The window goes on,
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
			      (known == s->known_ns && w->cpu >= s->window.cpu)))
			continue;
		s->by = c;
		s->known_ns = known;
		s->window = *w;
		free(s->timeline);
		s->timeline = config->timeline ? timeline_copy(t) : NULL;
		free(s->functions);
		s->functions = config->functions.n ? functions_copy(f) : NULL;
	}
}

static void drop(struct stop *s, size_t at)
{
	s->n--;
	free(s->early[at].timeline);
	free(s->early[at].functions);
	memmove(&s->early[at], &s->early[at + 1],
		(s->n - at) * sizeof(*s->early));
}

/* Most windows are small and late: the first entries end the search. */
static void add_early(struct stop *s, const struct run_config *config, const struct tlob_window *w,
		      const struct tlob_timeline *t, const struct window_functions *f)
{
	struct early new = { .w = *w };
	size_t at, i;

	for (at = 0; at < s->n &&
	     s->early[at].w.response_ns >= w->response_ns; at++)
		if (end_of(&s->early[at].w) <= end_of(w) &&
		    !result_keeps(++new.above, w, config->timeline))
			return;
	if (s->n == EARLY_MAX && at == s->n)
		return;
	for (i = at; i < s->n; i++)
		if (end_of(&s->early[i].w) >= end_of(w) &&
		    !result_keeps(++s->early[i].above, &s->early[i].w, config->timeline))
			drop(s, i--);
	if (s->n == EARLY_MAX)
		drop(s, s->n - 1);
	memmove(&s->early[at + 1], &s->early[at],
		(s->n - at) * sizeof(*s->early));
	if (config->timeline)
		new.timeline = timeline_copy(t);
	if (config->functions.n)
		new.functions = functions_copy(f);
	s->early[at] = new;
	s->n++;
}

void stop_window(struct stop *s, const struct run_config *config,
		 const struct tlob_window *w, const struct tlob_timeline *t,
		 const struct window_functions *f)
{
	if (!s->early || w->flags & (TLOB_WINDOW_NONE | TLOB_WINDOW_WARM_UP))
		return;
	check_conditions(s, config, w, t, f);
	add_early(s, config, w, t, f);
}

static bool is_same(const struct tlob_window *a, const struct tlob_window *b)
{
	return a->cpu == b->cpu && a->activation == b->activation && a->t0_ns == b->t0_ns;
}

bool stop_keeps(const struct stop *s, const struct tlob_window *w)
{
	size_t i;

	for (i = 0; i < s->n && s->early[i].w.response_ns >= w->response_ns; i++)
		if (is_same(&s->early[i].w, w))
			return true;
	return s->by && is_same(&s->window, w);
}

/* Replaces the worst windows by those that had ended when the run was stopped. */
static void take_early(struct stop *s, struct result *r)
{
	size_t i;

	for (i = 0; i < r->nworst; i++) {
		free(r->worst_timeline[i]);
		r->worst_timeline[i] = NULL;
		free(r->worst_functions[i]);
		r->worst_functions[i] = NULL;
	}
	r->nworst = 0;
	for (i = 0; i < s->n && r->nworst < RESULT_KEPT; i++) {
		if (end_of(&s->early[i].w) > end_of(&s->window) ||
		    !result_keeps(r->nworst, &s->early[i].w, r->timed))
			continue;
		r->worst_timeline[r->nworst] = s->early[i].timeline;
		s->early[i].timeline = NULL;
		r->worst_functions[r->nworst] = s->early[i].functions;
		s->early[i].functions = NULL;
		r->worst[r->nworst++] = s->early[i].w;
	}
}

int stop_finish(struct stop *s, struct result *r)
{
	if (!s->by)
		return 0;
	r->stopped_window = malloc(sizeof(*r->stopped_window));
	if (!r->stopped_window)
		return fail(-ENOMEM, "out of memory");
	*r->stopped_window = s->window;
	r->stopped_timeline = s->timeline;
	s->timeline = NULL;
	r->stopped_functions = s->functions;
	s->functions = NULL;
	take_early(s, r);
	free(r->stopped_by);
	if (asprintf(&r->stopped_by, "%s (CPU %" PRIu32 ", activation %" PRIu64 ")",
		     s->by->text, s->window.cpu,
		     (uint64_t)s->window.activation) < 0) {
		r->stopped_by = NULL;
		return fail(-ENOMEM, "out of memory");
	}
	return 0;
}
