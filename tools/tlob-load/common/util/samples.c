// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "util/samples.h"

void samples_free(struct samples *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}

void samples_drop(struct samples *s)
{
	samples_free(s);
	s->full = true;
}

void samples_add(struct samples *s, uint64_t ns)
{
	uint64_t *v;
	size_t room;

	if (s->full)
		return;
	if (s->n == s->room) {
		room = s->room ? 2 * s->room : 1024;
		v = room > SAMPLES_MAX ? NULL :
		    realloc(s->v, room * sizeof(*v));
		if (!v) {
			samples_drop(s);
			return;
		}
		s->v = v;
		s->room = room;
	}
	s->v[s->n++] = ns;
	s->sorted = false;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void samples_sort(struct samples *s)
{
	if (!s->sorted && s->n)
		qsort(s->v, s->n, sizeof(*s->v), ascending);
	s->sorted = true;
}
