// SPDX-License-Identifier: GPL-2.0
/* The table of waits, and folded stacks. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/chain_text.h"
#include "report/pager.h"
#include "report/waits_render.h"
#include "result/wait_names.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/text.h"
#include "util/units.h"
#include "waits/fold.h"
#include "waits/profile_render.h"

#define SHOWN		16	/* frames of a stack, at most */
#define SHARE		3	/* one of so many parts of a page is for what is missing; of that, one for a stack */
#define NARROW		70	/* below so many columns a row has no runnable time */

/* What a section of the page shows. */
struct shown {
	const struct wait_profile *p;
	const struct waits_view *view;
	const struct wait_group *group;	/* those with blocked time */
	size_t	n, at;
	unsigned int lines;		/* of a stack; 0: any */
	size_t	idle;			/* threads that are left out */
	bool	more;			/* not all groups were shown */
};

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

/* Every program has these: they explain less than its own files do. */
static bool is_of_runtime(const char *file)
{
	static const char * const names[] = {
		"libc.", "libc-", "libpthread", "libm.", "libstdc++", "libgcc_s", "ld-", "[vdso]",
	};
	const char *base = without_folders(file);
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (begins_with(base, names[i]))
			return true;
	return !*file;
}

/* The frames of a stack that are shown. */
struct chosen {
	const struct wait_path *path;
	bool frame[WAIT_PATH_FRAMES];
	unsigned int width;
};

/* "futex_wait < ... < main": innermost first, wrapped between frames, dots for what is left out. */
static void put_chosen(FILE *f, const void *data)
{
	const struct chosen *c = data;
	const struct wait_path *path = c->path;
	const char *end = ending(path->ends);
	unsigned int col = WAITS_INDENT;
	bool left_out = false;
	size_t i;

	fprintf(f, "%*s", WAITS_INDENT, "");
	for (i = 0; i < path->nframe; i++) {
		if (tells_nothing(path, i))
			continue;
		if (!c->frame[i]) {
			left_out = true;
			continue;
		}
		if (left_out)
			waits_put_frame(f, "...", c->width, 2, &col);
		left_out = false;
		/* room for " <" behind it, or for the ending */
		waits_put_frame(f, path->frame[i]->name, c->width,
				i + 1 < path->nframe ? 2 : strlen(end), &col);
	}
	if (left_out)
		waits_put_frame(f, "...", c->width, 0, &col);
	fprintf(f, "%s\n", left_out ? "" : end);
}

static bool fits(const struct chosen *c, unsigned int lines)
{
	char *text = memstream_of(put_chosen, c), *at;
	unsigned int n = 0;

	for (at = text; at && *at; at++)
		n += *at == '\n';
	free(text);
	return n <= lines;
}

enum rank { RANK_INNERMOST, RANK_OWN, RANK_OTHER, NR_RANKS };

static enum rank rank_of(const struct wait_path *path, size_t i, bool first)
{
	return first ? RANK_INNERMOST :
	       i >= path->nkernel && !is_of_runtime(path->frame[i]->file) ? RANK_OWN : RANK_OTHER;
}

/* What the task waits in, then the functions of its program, then others, as long as there is room. */
static void print_path(FILE *f, const struct wait_path *path, unsigned int lines, unsigned int width)
{
	struct chosen c = { .path = path, .width = width };
	size_t i, seen, n = 0;
	int rank;

	for (rank = 0; rank < NR_RANKS; rank++)
		for (i = seen = 0; i < path->nframe && n < SHOWN; i++) {
			if (tells_nothing(path, i) || (lines && (int)rank_of(path, i, !seen++) != rank))
				continue;
			c.frame[i] = true;
			if (n && lines && !fits(&c, lines))
				c.frame[i] = false;
			n += c.frame[i];
		}
	put_chosen(f, &c);
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

/* The other stack of a row, after the one with the most time; where that is not the longest wait. */
static void put_next(FILE *f, const struct wait_group *g, unsigned int lines, unsigned int width)
{
	const struct wait_path *next = &g->longest;
	char longest[DURATION_LEN], waker[WAKER_LEN];

	/* the rest of a thread that a timer wakes hides what it waits for in its cycle */
	if (wait_path_is_timer(&g->worst) &&
	    (wait_path_is_timer(next) || next->blocked.max_ns <= g->worst.blocked.max_ns))
		next = &g->other;
	else if (next->blocked.max_ns <= g->worst.blocked.max_ns)
		return;
	if (!next->frame)
		return;
	fprintf(f, "%*slongest %s%s", WAITS_INDENT, "", next == &g->other ? "other wait " : "",
		duration_format(longest, next->blocked.max_ns));
	if (next->waker.kind != TLOB_WAKER_UNKNOWN)
		fprintf(f, ", woken by %s", waker_text(waker, &next->waker));
	fputs(":\n", f);
	print_path(f, next, lines, width);
}

static void put_chain(FILE *f, const void *group)
{
	const struct wait_group *g = group;

	fprintf(f, "behind the longest%s: ", g->chained->longest->ns < g->blocked.max_ns ? " that no timer ended" : "");
	chain_text(f, g->chained->longest, g->chained->task.tid);
}

/* Broken between words, as stacks are between names. */
static void put_words(FILE *f, const char *text, unsigned int width)
{
	unsigned int col = WAITS_INDENT;
	size_t n;

	fprintf(f, "%*s", WAITS_INDENT, "");
	for (; *text; text += n + (text[n] == ' ')) {
		n = strcspn(text, " ");
		if (col > WAITS_INDENT && width && col + 1 + n > width) {
			fprintf(f, "\n%*s", WAITS_INDENT, "");
			col = WAITS_INDENT;
		} else if (col > WAITS_INDENT) {
			fputc(' ', f);
			col++;
		}
		fprintf(f, "%.*s", (int)n, text);
		col += (unsigned int)n;
	}
	fputc('\n', f);
}

static int put_group(FILE *f, const void *data, unsigned int width)
{
	char task[PRINTABLE_NAME + 32], waker[WAKER_LEN] = "-";
	char blocked[DURATION_LEN], longest[DURATION_LEN], runnable[DURATION_LEN];
	const struct shown *of = data;
	const struct wait_group *g = &of->group[of->at];

	task_text(task, sizeof(task), g, &of->p->status);
	if (g->worst.frame)
		waker_text(waker, &g->worst.waker);
	fprintf(f, "%-22s %8s %8" PRIu64 " %8s", task,
		duration_format(blocked, g->blocked.total_ns), (uint64_t)g->blocked.count,
		duration_format(longest, g->blocked.max_ns));
	if (width >= NARROW)
		fprintf(f, " %8s", duration_format(runnable, g->runnable.total_ns));
	fprintf(f, "  %s\n", waker);
	if (g->worst.nframe)
		print_path(f, &g->worst, of->lines, width);
	put_next(f, g, of->lines, width);
	if (g->chained && chain_tells(g->chained->longest, g->chained->task.tid)) {
		char *chain = memstream_of(put_chain, g);

		put_words(f, chain ? chain : "?", width);
		free(chain);
	}
	return 0;
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

static double unread_percent(const struct stack_times *t)
{
	return percent(t->unread_ns, t->in_stacks_ns);
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
			unread_percent(&t));
	print_count(f, s->unreadable, "user stacks could not be read: not in memory, or in a long system call", "");
	if (t.unread_ns)
		print_count(f, s->uncopied, "user stacks found no buffer",
			    bpf ? "give a higher --threshold, --pid or --cgroup" :
			    "give a higher --threshold, or load the module with a larger wait_tasks");
	print_count(f, p->left_unread, "user stacks were not unwound, because memory is limited",
		    "ulimit -v unlimited -d unlimited");
	print_count(f, p->barred, p->others_barred ?
		    "user stacks were not unwound: programs of other users need CAP_SYS_PTRACE" :
		    "user stacks could not be unwound; why is not known", "");
	print_count(f, p->gone, "user stacks came after their process was gone", "");
	print_count(f, p->skipped, "BPF program invocations were skipped: waits may be missing", "");
	print_count(f, p->unseen, "waits are missing: the kernel did not report the switch that ended them", "");
	print_count(f, p->broken, "user stacks end early (cut): deeper than 4 KiB, or without .eh_frame", "");
	print_count(f, p->bits32, "user stacks of 32-bit programs: only the innermost function is known", "");
}

/* The function that a wait is in, or NULL. */
static const char *place_of(const struct wait_path *path)
{
	size_t i;

	for (i = 0; i < path->nframe; i++)
		if (!tells_nothing(path, i))
			return path->frame[i]->name;
	return NULL;
}

/* How many waits, the longest one, and whether the stacks can be believed. */
static int put_headline(FILE *f, const void *data, unsigned int width)
{
	char count[COUNT_LEN], tasks[COUNT_LEN], longest[DURATION_LEN], waker[WAKER_LEN];
	char task[PRINTABLE_NAME + 32];
	const struct shown *of = data;
	const struct wait_group *most = NULL;
	const struct wait_row *chained;
	const struct wait_path *path;
	struct stack_times t = stack_times(of->p);
	uint64_t waits = 0, ntasks = 0;
	size_t i;

	(void)width;
	for (i = 0; i < of->n; i++) {
		waits += of->group[i].blocked.count;
		ntasks += of->group[i].tasks;
		if (!most || of->group[i].blocked.max_ns > most->blocked.max_ns)
			most = &of->group[i];
	}
	if (of->view->blocked)
		fprintf(f, "blocked since before the start: %s\n", of->view->blocked);
	if (!most) {
		fputs("no wait has ended\n", f);
		return 0;
	}
	task_text(task, sizeof(task), most, &of->p->status);
	fprintf(f, "%s wait%s of %s task%s; longest %s: %s", count_prose(count, waits), waits == 1 ? "" : "s",
		count_prose(tasks, ntasks), ntasks == 1 ? "" : "s",
		duration_prose(longest, most->blocked.max_ns), task);
	path = most->longest.nframe ? &most->longest : &most->worst;
	chained = most->chained;
	/* the longest wait may be in no stack */
	if (path->blocked.max_ns == most->blocked.max_ns && place_of(path)) {
		fprintf(f, " in %s", place_of(path));
		if (chained && chained->longest->ns == most->blocked.max_ns && chain_tells(chained->longest, chained->task.tid)) {
			fputs("; ", f);
			chain_text(f, chained->longest, chained->task.tid);
		} else if (path->waker.kind != TLOB_WAKER_UNKNOWN)
			fprintf(f, ", woken by %s", waker_text(waker, &path->waker));
	}
	if (t.unread_ns)
		fprintf(f, "; but %.3g %% of the time has no callers", unread_percent(&t));
	fputc('\n', f);
	return 0;
}

static int put_titles(FILE *f, const void *data, unsigned int width)
{
	(void)data;
	fprintf(f, "%-22s %8s %8s %8s%s  %s\n", "task", "blocked", "waits", "longest",
		width >= NARROW ? " runnable" : "", "woken by");
	return 0;
}

static int put_more(FILE *f, const void *data, unsigned int width)
{
	const struct shown *of = data;

	(void)width;
	if (of->more)
		fputs("and other tasks: --rows N shows more\n", f);
	return 0;
}

static int put_notes(FILE *f, const void *data, unsigned int width)
{
	char threshold[DURATION_LEN];
	const struct shown *of = data;
	bool folded = false;
	size_t i;

	(void)width;
	print_counters(f, of->p, of->view->bpf);
	for (i = 0; i < of->n; i++)
		folded |= of->group[i].tasks > 1;
	if (of->n)
		fprintf(f, "Each stack is the worst of its %s, of waits over %s.\n", folded ? "row" : "task",
			duration_exact(threshold, of->p->status.threshold_ns));
	if (folded)
		fputs("Tasks of one name, whatever digits end it, are one row: --threads lists each.\n", f);
	if (of->idle)
		fprintf(f, "%zu idle thread%s of the kernel left out: --idle shows them.\n", of->idle,
			of->idle == 1 ? "" : "s");
	return 0;
}

static void put_share(FILE *f, uint64_t ns, uint64_t of)
{
	char time[DURATION_LEN];

	fprintf(f, "%9s %6.1f %%  ", duration_format(time, ns), percent(ns, of));
}

/* Who had the time of a process. The last line has what the others have not. */
static int put_critical(FILE *f, const void *data, unsigned int width)
{
	const struct shown *of = data;
	const struct critical_path *path = of->view->critical;
	char name[PRINTABLE_NAME], task[PRINTABLE_NAME + 16], time[DURATION_LEN];
	uint64_t rest = path->ns;
	size_t i;

	(void)width;
	printable(name, path->comm, sizeof(path->comm));
	fprintf(f, "who had the time of %s/%u, %s:\n", name, path->pid, duration_prose(time, path->ns));
	fprintf(f, "%9s %8s  %-22s %-12s %s\n", "time", "share", "task", "policy", "what it did");
	for (i = 0; i < path->nrow && i < of->view->rows; i++) {
		const struct chain_segment *s = &path->row[i];

		rest -= s->ns;
		put_share(f, s->ns, path->ns);
		printable(name, s->comm, sizeof(s->comm));
		snprintf(task, sizeof(task), "%s/%u", name, s->tid);
		fprintf(f, "%-22s %-12.*s", s->kind == SEGMENT_UNKNOWN ? "?" : task, CHAIN_POLICY,
			*s->policy || s->kind == SEGMENT_UNKNOWN ? s->policy : "ordinary");
		if (s->kind == SEGMENT_UNKNOWN)
			fputs(" not known", f);
		else
			chain_what(f, s);
		fputc('\n', f);
	}
	if (rest) {
		put_share(f, rest, path->ns);
		fprintf(f, "%zu more: --rows N shows them\n", path->nrow - i);
	}
	if (path->lost)
		fprintf(f, "%" PRIu64 " nodes of chains were overwritten before they were read: some of it is not known\n", path->lost);
	return 0;
}

/* The headline and the first row, whatever the terminal's size; then as many rows as have room. */
static void add_rows(struct page *page, struct shown *of)
{
	bool endless = page->left == UINT_MAX;
	unsigned int notes = endless ? 0 : page->lines / SHARE;

	of->lines = endless || of->view->all ? 0 : page->lines / SHARE / SHARE;
	of->lines += !endless && !of->view->all && !of->lines;
	page->must = true;
	page_section(page, false, PAGE_PLAIN, put_headline, of);
	if (of->n)
		page_section(page, true, PAGE_PLAIN, put_titles, of);
	page->left -= notes < page->left ? notes : page->left;
	for (of->at = 0; of->at < of->n && of->at < of->view->rows && !page->full; of->at++) {
		page_section(page, false, PAGE_PLAIN, put_group, of);
		page->must = of->view->all;
	}
	of->more = page->full || of->at < of->n;
	page->full = false;
	page->left += notes;
	page->must = true;
	page_section(page, false, PAGE_PLAIN, put_more, of);
	page->must = false;
}

int waits_text(FILE *f, const struct wait_profile *p, const struct waits_view *view)
{
	struct shown of = { .p = p, .view = view };
	struct wait_group *group;
	struct page page;
	size_t n;
	int err = wait_fold(p, view->threads, view->idle, &group, &n);

	if (err)
		return err;
	for (; n && group[n - 1].idle; n--)
		of.idle += group[n - 1].tasks;
	for (; n && !group[n - 1].blocked.total_ns; n--)
		;
	of.group = group;
	of.n = n;
	page_begin(&page, f, 0);
	add_rows(&page, &of);
	if (view->critical) {
		page.must = true;
		page_section(&page, true, PAGE_PLAIN, put_critical, &of);
		page.must = false;
	}
	page_section(&page, true, PAGE_PLAIN, put_notes, &of);
	free(group);
	return page_end(&page);
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
