// SPDX-License-Identifier: GPL-2.0
/* Prints the longest waits of windows. */
#include <inttypes.h>
#include <stdlib.h>

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

void attach_wait_text(FILE *f, const struct attach_wait *wait)
{
	char time[DURATION_LEN], waker[WAKER_LEN];

	fputs(duration_format(time, wait->ns), f);
	put_frames(f, wait);
	if (wait->waker.kind != TLOB_WAKER_UNKNOWN)
		fprintf(f, ", woken by %s", waker_text(waker, &wait->waker));
}

/* A sleep inside a window has always ended: its thread is who ends the window. */
void run_wait_text(FILE *f, const struct kept_window *k)
{
	if (k->kept.wait.ns)
		attach_wait_text(f, &k->kept.wait);
	else if (k->w.part_ns[TLOB_WORK_SLEEP])
		fputs("not known", f);
	else
		fputs("none", f);
}

void attach_waits_table(FILE *f, const struct attach_result *r, size_t rows)
{
	char task[TASK_TEXT], at[SINCE_LEN];
	size_t i;

	if (!r->waits)
		return;
	fprintf(f, "\nthe longest wait of each of these\n");
	for (i = 0; i < r->nworst && i < rows; i++) {
		const struct tlob_task_window *w = &r->worst[i].w;
		const struct attach_wait *wait = &r->worst[i].kept.wait;

		fprintf(f, "%6s  %s  ", since_text(at, r->began_ns, w->start_ns),
			task_text(task, w->comm, w->tid));
		if (wait->ns)
			attach_wait_text(f, wait);
		else
			fputs("none that ended", f);
		fputc('\n', f);
	}
}
