// SPDX-License-Identifier: GPL-2.0
/* Prints the longest waits of windows. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/chain_text.h"
#include "report/parts_text.h"
#include "report/window_waits.h"
#include "result/wait_names.h"
#include "util/markup.h"
#include "util/units.h"

#define PROGRAM_FRAMES	5

/* The kernel's innermost function that says something, and the program's that led to it. */
static void put_frames(FILE *f, const struct attach_wait *wait)
{
	const char *before = " in ";
	size_t i, shown = 0;
	bool named = false;

	for (i = 0; i < wait->nframe && shown < PROGRAM_FRAMES; i++) {
		const struct attach_frame *at = &wait->frame[i];

		if (at->kernel && (named || wait_frame_is_common(at->name)))
			continue;
		put_printable(f, "%s%s", before, at->name);
		before = " < ";
		named |= at->kernel;
		shown += !at->kernel;
	}
	if (i < wait->nframe)
		fputs(" < ...", f);
}

void attach_wait_text(FILE *f, const struct attach_wait *wait, uint32_t tid)
{
	char time[DURATION_LEN], waker[WAKER_LEN];

	fputs(duration_format(time, wait->ns), f);
	put_frames(f, wait);
	if (wait->nchain) {
		fputs(", ", f);
		chain_text(f, wait, tid);
	} else if (wait->waker.kind != TLOB_WAKER_UNKNOWN) {
		fprintf(f, ", woken by %s", waker_text(waker, &wait->waker));
	}
}

/* A sleep inside a window of a run has always ended: its thread is who ends the window. */
void window_wait_text(FILE *f, const struct kept_window *k)
{
	if (k->kept.wait.ns)
		attach_wait_text(f, &k->kept.wait, k->kept.task.tid);
	else if (k->kept.task.tid)
		fputs("none that ended", f);
	else if (k->w.part_ns[TLOB_WORK_SLEEP])
		fputs("not known", f);
	else
		fputs("none", f);
}
