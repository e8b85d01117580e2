// SPDX-License-Identifier: GPL-2.0
/* The table of waits, and folded stacks. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "blocked/names.h"
#include "util/printable.h"
#include "util/units.h"
#include "waits/render.h"

#define WIDTH		80
#define INDENT		4
#define SHOWN		16	/* frames of a stack */

/* Frames that every system call has, and those of the scheduler, tell nothing. */
static bool tells_nothing(const struct wait_path *path, size_t i)
{
	return i < path->nkernel && wait_frame_is_common(path->frame[i]->name);
}

static const char *ending(enum wait_ends ends)
{
	static const char * const texts[] = {
		[WAIT_ENDS_WHOLE] = "", [WAIT_ENDS_CUT] = " < (cut)",
		[WAIT_ENDS_32BIT] = " < (32-bit)", [WAIT_ENDS_UNREAD] = " < (not read)",
	};

	return texts[ends];
}

/* "futex_wait < pthread_cond_wait < main": innermost first, wrapped between frames. */
static void print_path(FILE *f, const struct wait_path *path)
{
	const char *end = ending(path->ends);
	size_t i, col = INDENT, shown = 0, width;
	char *name;

	fprintf(f, "%*s", INDENT, "");
	for (i = 0; i < path->nframe && shown < SHOWN; i++) {
		if (tells_nothing(path, i))
			continue;
		name = printable_dup(path->frame[i]->name);
		width = name ? printable_width(name) : 1;
		/* room for " <" behind it, or for the ending */
		if (shown && col + 3 + width + (i + 1 < path->nframe ? 2 : strlen(end)) > WIDTH) {
			fprintf(f, " <\n%*s", INDENT, "");
			col = INDENT;
		} else if (shown) {
			fputs(" < ", f);
			col += 3;
		}
		/* a name of C++ may be longer than a line */
		fputs(name ? name : "?", f);
		col += width;
		shown++;
		free(name);
	}
	fprintf(f, "%s\n", i < path->nframe ? " < ..." : end);
}

static void print_row(FILE *f, const struct wait_row *row)
{
	const struct tlob_wait_task *t = &row->task;
	char name[PRINTABLE_NAME], task[PRINTABLE_NAME + 16], waker[WAKER_LEN] = "-";
	char blocked[DURATION_LEN], longest[DURATION_LEN], runnable[DURATION_LEN];

	snprintf(task, sizeof(task), "%s/%u", printable(name, t->comm, sizeof(t->comm)), t->tid);
	if (row->npath)
		waker_text(waker, &row->path[0].waker);
	fprintf(f, "%-22s %8s %8" PRIu64 " %8s %8s  %s\n", task,
		duration_format(blocked, t->blocked.total_ns), (uint64_t)t->blocked.count,
		duration_format(longest, t->blocked.max_ns),
		duration_format(runnable, t->runnable.total_ns), waker);
	if (row->npath && row->path[0].nframe)
		print_path(f, &row->path[0]);
}

static void print_count(FILE *f, uint64_t n, const char *what)
{
	if (n)
		fprintf(f, "%" PRIu64 " %s\n", n, what);
}

/* What is missing in the table. */
static void print_counters(FILE *f, const struct wait_profile *p)
{
	const struct tlob_wait_status *s = &p->status;

	print_count(f, s->lost_tasks, "sleeps of tasks without a slot are missing: the module has more with a larger wait_tasks");
	print_count(f, s->lost_stacks, "waits are in no stack: give a higher --threshold, or the module a larger wait_stacks");
	print_count(f, s->evicted, "exited tasks gave way to others: load the module with a larger wait_tasks");
	print_count(f, s->unreadable, "user stacks could not be read");
	print_count(f, p->skipped, "calls of BPF programs were skipped: waits may be missing");
	print_count(f, p->gone, "user stacks came after their process was gone");
	print_count(f, p->broken, "user stacks end early (cut): deeper than 4 KiB, or without .eh_frame");
	print_count(f, p->bits32, "user stacks of 32-bit programs: only the innermost function is known");
}

int waits_text(FILE *f, const struct wait_profile *p, size_t rows)
{
	char threshold[DURATION_LEN];
	size_t i;

	fprintf(f, "%-22s %8s %8s %8s %8s  %s\n", "task", "blocked", "waits", "longest",
		"runnable", "woken by");
	for (i = 0; i < p->nrow && i < rows && p->row[i].task.blocked.total_ns; i++)
		print_row(f, &p->row[i]);
	if (i < p->nrow && p->row[i].task.blocked.total_ns)
		fprintf(f, "and other tasks: --rows N shows more\n");
	fprintf(f, "Each stack is the worst of its task, of waits over %s.\n",
		duration_exact(threshold, p->status.threshold_ns));
	print_counters(f, p);
	return ferror(f) ? -EIO : 0;
}

/* ';' separates frames, and a blank the number. */
static void fold(FILE *f, const char *text)
{
	char *name = printable_dup(text), *c;

	for (c = name; c && *c; c++)
		if (*c == ';' || *c == '\n')
			*c = ':';
	fputs(name ? name : "?", f);
	free(name);
}

int waits_folded(FILE *f, const struct wait_profile *p)
{
	char name[TLOB_NAME_LEN + 1] = "";
	size_t i, k, n;

	for (i = 0; i < p->nrow; i++) {
		const struct wait_row *row = &p->row[i];

		memcpy(name, row->task.comm, TLOB_NAME_LEN);
		for (k = 0; k < row->npath; k++) {
			fold(f, name);
			for (n = row->path[k].nframe; n--; ) {
				fputc(';', f);
				fold(f, row->path[k].frame[n]->name);
			}
			fprintf(f, " %" PRIu64 "\n", (uint64_t)row->path[k].blocked.total_ns / 1000);
		}
	}
	return ferror(f) ? -EIO : 0;
}
