// SPDX-License-Identifier: GPL-2.0
/* The table of waits, and folded stacks. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/waits_render.h"
#include "result/wait_names.h"
#include "util/printable.h"
#include "util/units.h"
#include "waits/fold.h"
#include "waits/profile_render.h"

#define WIDTH		80
#define SHOWN		16	/* frames of a stack */

/* Every wait has frames of the scheduler and of the system call: they explain nothing. */
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
	unsigned int col = WAITS_INDENT;
	size_t i, shown = 0;

	fprintf(f, "%*s", WAITS_INDENT, "");
	for (i = 0; i < path->nframe && shown < SHOWN; i++) {
		if (tells_nothing(path, i))
			continue;
		/* room for " <" behind it, or for the ending */
		waits_put_frame(f, path->frame[i]->name, WIDTH,
				i + 1 < path->nframe ? 2 : strlen(end), &col);
		shown++;
	}
	fprintf(f, "%s\n", i < path->nframe ? " < ..." : end);
}

/* "worker/4242", or "worker# (100)" for tasks whose names differ in the digits at their end. */
static void task_text(char *text, size_t size, const struct wait_group *g,
		      const struct tlob_wait_status *status)
{
	const struct tlob_wait_task *t = &g->row->task;
	char name[PRINTABLE_NAME];
	size_t n;

	printable(name, t->comm, sizeof(t->comm));
	for (n = strlen(name); g->numbered && n && isdigit((unsigned char)name[n - 1]); )
		name[--n] = '\0';
	if (t->flags & TLOB_WAIT_OTHERS)
		snprintf(text, size, "%s (%" PRIu64 ")", name, (uint64_t)status->evicted);
	else if (g->tasks > 1)
		snprintf(text, size, "%s%s (%zu)", name, g->numbered ? "#" : "", g->tasks);
	else
		snprintf(text, size, "%s/%u", name, t->tid);
}

static void print_group(FILE *f, const struct wait_group *g, const struct tlob_wait_status *status)
{
	char task[PRINTABLE_NAME + 32], waker[WAKER_LEN] = "-";
	char blocked[DURATION_LEN], longest[DURATION_LEN], runnable[DURATION_LEN];

	task_text(task, sizeof(task), g, status);
	if (g->worst.frame)
		waker_text(waker, &g->worst.waker);
	fprintf(f, "%-22s %8s %8" PRIu64 " %8s %8s  %s\n", task,
		duration_format(blocked, g->blocked.total_ns), (uint64_t)g->blocked.count,
		duration_format(longest, g->blocked.max_ns),
		duration_format(runnable, g->runnable.total_ns), waker);
	if (g->worst.nframe)
		print_path(f, &g->worst);
	if (g->longest.blocked.max_ns <= g->worst.blocked.max_ns)
		return;
	fprintf(f, "%*slongest %s", WAITS_INDENT, "",
		duration_format(longest, g->longest.blocked.max_ns));
	if (g->longest.waker.kind != TLOB_WAKER_UNKNOWN)
		fprintf(f, ", woken by %s", waker_text(waker, &g->longest.waker));
	fputs(":\n", f);
	print_path(f, &g->longest);
}

static void print_count(FILE *f, uint64_t n, const char *what, const char *advice)
{
	if (n)
		fprintf(f, "%" PRIu64 " %s%s%s\n", n, what, *advice ? ":\n    " : "", advice);
}

struct stack_times {
	uint64_t blocked_ns, in_stacks_ns, unread_ns;
};

/* Adds up all tasks but those that share the row "others". */
static struct stack_times stack_times(const struct wait_profile *p)
{
	struct stack_times t = { 0 };
	size_t i, k;

	for (i = 0; i < p->nrow; i++) {
		const struct wait_row *row = &p->row[i];

		if (!(row->task.flags & TLOB_WAIT_OTHERS))
			t.blocked_ns += row->task.blocked.total_ns;
		for (k = 0; k < row->npath; k++) {
			t.in_stacks_ns += row->path[k].blocked.total_ns;
			if (row->path[k].ends == WAIT_ENDS_UNREAD)
				t.unread_ns += row->path[k].blocked.total_ns;
		}
	}
	return t;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* At most: the rest of the time also has the waits that are below the threshold. */
static void print_lost_stacks(FILE *f, uint64_t n, const struct stack_times *t, const char *advice)
{
	uint64_t rest = t->blocked_ns > t->in_stacks_ns ? t->blocked_ns - t->in_stacks_ns : 0;

	if (n)
		fprintf(f, "%" PRIu64 " waits, at most %.3g %% of the time, are in no stack:\n    %s\n", n,
			percent(rest, t->blocked_ns), advice);
}

/* Prints what is missing in the table, and what helps. */
static void print_counters(FILE *f, const struct wait_profile *p, bool bpf)
{
	const char *fewer = "measure fewer tasks, by --pid or --cgroup";
	const struct tlob_wait_status *s = &p->status;
	struct stack_times t = stack_times(p);

	print_count(f, s->lost_tasks, "sleeps of tasks without a slot are missing",
		    bpf ? fewer : "load the module with a larger wait_tasks");
	print_lost_stacks(f, s->lost_stacks, &t, bpf ?
			  "give a higher --threshold, --pid or --cgroup" :
			  "give a higher --threshold, or load the module with a larger wait_stacks");
	print_count(f, s->evicted, "exited tasks gave way to others and are one row, others",
		    bpf ? fewer : "load the module with a larger wait_tasks");
	if (t.unread_ns)
		fprintf(f, "%.3g %% of the time has no callers (not read), for these reasons:\n",
			percent(t.unread_ns, t.in_stacks_ns));
	print_count(f, s->unreadable, "user stacks could not be read: not in memory, or in a long system call", "");
	if (t.unread_ns)
		print_count(f, s->uncopied, "user stacks found no buffer",
			    bpf ? "give a higher --threshold, --pid or --cgroup" :
			    "give a higher --threshold, or load the module with a larger wait_tasks");
	print_count(f, p->gone, "user stacks came after their process was gone", "");
	print_count(f, p->skipped, "calls of BPF programs were skipped: waits may be missing", "");
	print_count(f, p->unseen, "waits are missing: the kernel did not report the switch that ended them", "");
	print_count(f, p->broken, "user stacks end early (cut): deeper than 4 KiB, or without .eh_frame", "");
	print_count(f, p->bits32, "user stacks of 32-bit programs: only the innermost function is known", "");
}

int waits_text(FILE *f, const struct wait_profile *p, const struct waits_view *view)
{
	char threshold[DURATION_LEN];
	struct wait_group *group;
	bool folded = false;
	size_t i, n, idle = 0;
	int err = wait_fold(p, view->threads, view->idle, &group, &n);

	if (err)
		return err;
	for (; n && group[n - 1].idle; n--)
		idle += group[n - 1].tasks;
	fprintf(f, "%-22s %8s %8s %8s %8s  %s\n", "task", "blocked", "waits", "longest",
		"runnable", "woken by");
	for (i = 0; i < n && i < view->rows && group[i].blocked.total_ns; i++) {
		print_group(f, &group[i], &p->status);
		folded |= group[i].tasks > 1;
	}
	if (i < n && group[i].blocked.total_ns)
		fprintf(f, "and other tasks: --rows N shows more\n");
	if (folded)
		fprintf(f, "Tasks of one name, whatever digits end it, are one row: --threads lists each.\n");
	if (idle)
		fprintf(f, "%zu idle thread%s of the kernel left out: --idle shows them.\n", idle,
			idle == 1 ? "" : "s");
	fprintf(f, "Each stack is the worst of its %s, of waits over %s.\n", folded ? "row" : "task",
		duration_exact(threshold, p->status.threshold_ns));
	print_counters(f, p, view->bpf);
	free(group);
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
