// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

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
