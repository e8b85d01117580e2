// SPDX-License-Identifier: GPL-2.0
/* A line for each window of attach, for other programs. */
#include <inttypes.h>

#include "show/attach_render.h"

void attach_windows_head(FILE *f)
{
	unsigned int i;

	fputs("tid,start_ns,elapsed_ns", f);
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		if (i != TLOB_TASK_PART_HW)	/* always 0 */
			fprintf(f, ",%s_ns", attach_part_names[i]);
	fputs(",switches,ended,violation\n", f);
}

void attach_windows_line(FILE *f, const struct tlob_task_window *w)
{
	unsigned int i;

	if (!(w->flags & (TLOB_TASK_ENDED | TLOB_TASK_CUT)))
		return;
	fprintf(f, "%" PRIu32 ",%" PRIu64 ",%" PRIu64, w->tid, (uint64_t)w->start_ns,
		(uint64_t)w->elapsed_ns);
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		if (i != TLOB_TASK_PART_HW)
			fprintf(f, ",%" PRIu64, (uint64_t)w->part_ns[i]);
	fprintf(f, ",%" PRIu32 ",%d,%d\n", w->switches, !!(w->flags & TLOB_TASK_ENDED),
		!!(w->flags & TLOB_TASK_VIOLATION));
}
