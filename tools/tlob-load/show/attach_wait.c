// SPDX-License-Identifier: GPL-2.0
/* Prints the longest waits of windows. */
#include <inttypes.h>
#include <stdlib.h>

#include "blocked/names.h"
#include "show/attach_wait.h"
#include "util/units.h"

#define PROGRAM_FRAMES	5

static void put_frame(FILE *f, const char *name, bool first)
{
	char *text = printable_dup(name);

	fprintf(f, "%s%s", first ? " in " : " < ", text ? text : "?");
	free(text);
}

/* What the program called leads to the kernel's innermost function that says something. */
static void put_frames(FILE *f, const struct attach_wait *wait)
{
	size_t i = 0, shown = 0;
	bool first = true;

	while (i < wait->nframe && wait->frame[i].kernel && wait_frame_is_common(wait->frame[i].name))
		i++;
	if (i < wait->nframe && wait->frame[i].kernel) {
		put_frame(f, wait->frame[i].name, first);
		first = false;
	}
	while (i < wait->nframe && wait->frame[i].kernel)
		i++;
	for (; i < wait->nframe && shown < PROGRAM_FRAMES; i++, shown++) {
		put_frame(f, wait->frame[i].name, first);
		first = false;
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
void run_wait_text(FILE *f, const struct result *r, const struct tlob_window *w)
{
	const struct attach_wait *wait = run_wait_of(r, w);

	if (wait)
		attach_wait_text(f, wait);
	else if (w->part_ns[TLOB_WORK_SLEEP])
		fputs("not known", f);
	else
		fputs("none", f);
}

void attach_waits_table(FILE *f, const struct attach_result *r, size_t rows)
{
	char name[PRINTABLE_NAME], at[32];
	size_t i;

	if (!r->waits.measured)
		return;
	fprintf(f, "\nthe longest wait of each of these\n");
	for (i = 0; i < r->nworst && i < rows; i++) {
		const struct tlob_task_window *w = &r->worst[i];
		const struct attach_wait *wait = attach_wait_of(r, w);
		uint64_t ns = w->start_ns > r->began_ns ? w->start_ns - r->began_ns : 0;

		snprintf(at, sizeof(at), "%" PRIu64 ".%03u", ns / 1000000000,
			 (unsigned int)(ns % 1000000000 / 1000000));
		fprintf(f, "%6s  %s/%" PRIu32 "  ", at, printable(name, w->comm, TLOB_NAME_LEN), w->tid);
		if (wait)
			attach_wait_text(f, wait);
		else
			fputs("none that ended", f);
		fputc('\n', f);
	}
}

static void put_frames_json(struct builder *b, struct json_object *to, const struct attach_wait *wait)
{
	struct json_object *list = put_array(b, to, "frames"), *o;
	size_t i;

	for (i = 0; i < wait->nframe; i++) {
		o = put_object(b, list, NULL);
		put_text(b, o, "name", wait->frame[i].name);
		put_bool(b, o, "kernel", wait->frame[i].kernel);
	}
}

void put_attach_wait(struct builder *b, struct json_object *to, const struct attach_wait *wait)
{
	struct json_object *o, *waker;

	if (!wait) {
		put_null(b, to, "wait");
		return;
	}
	o = put_object(b, to, "wait");
	put_u64(b, o, "ns", wait->ns);
	waker = put_object(b, o, "woken_by");
	put_text(b, waker, "kind", waker_kinds[wait->waker.kind <= TLOB_WAKER_NMI ? wait->waker.kind : 0]);
	if (wait->waker.kind == TLOB_WAKER_TASK && wait->waker.tid) {
		put_name(b, waker, "name", wait->waker.comm);
		put_u64(b, waker, "tid", wait->waker.tid);
		put_u64(b, waker, "pid", wait->waker.tgid);
	}
	put_frames_json(b, o, wait);
}
