// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

#include "compare/compare_render.h"
#include "history/screening.h"
#include "result/stats.h"

void screening_judge(struct screening *s, double sessions[])
{
	s->baseline = stats_median(sessions, s->n);
	s->beyond = s->n && !isinf(s->baseline) && s->value > (1 + SCREEN_BEYOND) * s->baseline;
}

void screening_judge_events(struct screening *s)
{
	s->of_events = true;
	s->gap = events_gap(&s->before, &s->events);
	s->beyond = s->n && events_p_of_totals(&s->before, &s->events, s->gap, 1) <= SCREEN_ALPHA;
}

const struct session *screening_reference(const struct series *s, size_t end)
{
	const struct session *found = NULL;
	unsigned int n = 0;

	while (end-- && n < SCREENING_REFERENCE)
		if (s->at[end]->state == SESSION_ACCEPTED && strcmp(s->at[end]->build, s->at[s->n - 1]->build)) {
			found = s->at[end];
			n++;
		}
	return found;
}

/* A regression that is accepted was accepted by somebody. */
static bool is_settled(const struct series *s, size_t from, const struct session *reference)
{
	const struct session *at;
	unsigned int undecided = 0;

	for (; from < s->n; from++) {
		at = s->at[from];
		if (at->state == SESSION_ACCEPTED && at->verdict && at->against && at->against <= reference->number)
			undecided += strcmp(at->verdict, verdict_name(VERDICT_INCONCLUSIVE)) ? SCREENING_UNDECIDED : 1;
	}
	return undecided >= SCREENING_UNDECIDED;
}

int screening_look_back(struct screening_step *found, const struct series *s, unsigned int value, double margin)
{
	const struct session *reference;
	struct step step;
	int n = series_steps(s, value, SCREEN_ALPHA, &step, 1);

	*found = (struct screening_step){ .from = NULL };
	if (n <= 0)
		return n;
	/* neither holds for a number that is not known */
	if (!(step.by > margin) || !(session_median(s->at[s->n - 1], value) > (1 + margin) * step.before))
		return 0;
	reference = screening_reference(s, step.at);
	if (reference && !is_settled(s, step.at, reference))
		*found = (struct screening_step){ s->at[step.at], reference, step.by };
	return 0;
}
