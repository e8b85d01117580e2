// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "result/timeline.h"

struct tlob_timeline *timeline_copy(const struct tlob_timeline *t)
{
	struct tlob_timeline *copy = calloc(1, sizeof(*copy));

	if (copy && t)
		*copy = *t;
	return copy;
}

/* Follows the spans and adds them up. */
static const char *walk(const struct tlob_timeline *t, const struct tlob_window *w,
			uint64_t part[TLOB_NR_PARTS])
{
	uint64_t at = t->start_ns;
	uint32_t i;

	for (i = 0; i < t->spans; i++) {
		const struct tlob_span *s = &t->span[i];

		if (s->part >= TLOB_NR_PARTS)
			return "a part that does not exist";
		if (s->end_ns <= at)
			return "a span that does not end after the one before";
		if (s->part < TLOB_WORK_ON_CPU ? s->end_ns > w->wake_ns : at < w->wake_ns)
			return "a span across the end of its phase";
		part[s->part] += s->end_ns - at;
		at = s->end_ns;
	}
	return at == w->response_ns ? NULL : "the spans do not end with the response";
}

const char *timeline_defect(const struct tlob_timeline *t, const struct tlob_window *w)
{
	uint64_t part[TLOB_NR_PARTS] = { 0 }, is;
	const char *defect;
	unsigned int i;

	if (t->version != TLOB_TIMELINE_VERSION || t->size != sizeof(*t))
		return "another version";
	if (t->cpu != w->cpu || t->activation != w->activation)
		return "of another window";
	if (t->spans > TLOB_TIMELINE_SPANS)
		return "too many spans";
	if (!t->not_kept != !t->start_ns)
		return "a start that does not fit to what is not kept";
	defect = walk(t, w, part);
	part[TLOB_WORK_ON_CPU] += part[TLOB_WORK_HW];
	part[TLOB_WORK_HW] = 0;
	for (i = 0; i < TLOB_NR_PARTS && !defect; i++) {
		is = w->part_ns[i];
		if (i == TLOB_WORK_ON_CPU)
			is += w->part_ns[TLOB_WORK_HW];
		if (i == TLOB_WORK_HW)
			is = 0;
		if (part[i] > is || (part[i] < is && !t->not_kept))
			defect = "spans that do not add up to the parts";
	}
	return defect;
}

unsigned int part_noise(unsigned int part)
{
	unsigned int kind = part - (part < TLOB_WORK_ON_CPU ? TLOB_WAKE_IRQ : TLOB_WORK_IRQ);

	return kind < TLOB_NR_NOISE ? kind : TLOB_NR_NOISE;
}
