// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "history/screening.h"
#include "result/stats.h"

void screening_judge(struct screening *s, double sessions[], size_t n)
{
	s->n = n;
	s->baseline = stats_median(sessions, n);
	if (s->absolute && n)
		s->baseline = sessions[n - 1];
	s->beyond = n && !isinf(s->baseline) &&
		    s->value > (1 + SCREEN_BEYOND) * s->baseline + (s->absolute ? s->least : 0);
}
