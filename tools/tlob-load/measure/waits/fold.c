// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/wait_names.h"
#include "waits/fold.h"
#include "waitstack.h"

/* The length of a name without the digits at its end; a name of digits only is whole. */
static size_t stem(const struct tlob_wait_task *t)
{
	size_t whole = strnlen(t->comm, sizeof(t->comm)), n = whole;

	while (n && isdigit((unsigned char)t->comm[n - 1]))
		n--;
	return n ? n : whole;
}

/* A task may have the same name as the row of evicted tasks. */
static int by_name(const struct wait_row *a, const struct wait_row *b)
{
	size_t n = stem(&a->task), m = stem(&b->task);
	bool others = a->task.flags & TLOB_WAIT_OTHERS;
	int order;

	if (others != !!(b->task.flags & TLOB_WAIT_OTHERS))
		return others ? 1 : -1;
	order = memcmp(a->task.comm, b->task.comm, n < m ? n : m);
	return order ? order : (n > m) - (n < m);
}

static int rows_by_name(const void *pa, const void *pb)
{
	const struct wait_row *a = *(const struct wait_row *const *)pa;
	const struct wait_row *b = *(const struct wait_row *const *)pb;
	int order = by_name(a, b);

	/* rows are sorted by their time already */
	return order ? order : (a > b) - (a < b);
}

static int by_frames(const struct wait_path *a, const struct wait_path *b)
{
	int order = (int)a->nkernel - (int)b->nkernel;

	if (!order)
		order = (int)a->nframe - (int)b->nframe;
	if (!order)
		order = (int)a->ends - (int)b->ends;
	return order ?: memcmp(a->frame, b->frame, a->nframe * sizeof(*a->frame));
}

static int paths_by_frames(const void *pa, const void *pb)
{
	return by_frames(*(const struct wait_path *const *)pa, *(const struct wait_path *const *)pb);
}

/* Every thread of the kernel has these frames, whatever it waits for. */
static bool is_of_every_kthread(const char *name)
{
	return wait_frame_is_common(name) || !strncmp(name, "schedule_", strlen("schedule_")) ||
	       !strcmp(name, "kthread");
}

/* Functions that wait for the work of the function that calls them, and for nothing else. */
static bool waits_for_work(const char *name)
{
	static const char *const names[] = {
		"irq_wait_for_interrupt", "khugepaged_wait_work", "kswapd_try_to_sleep",
		"rcu_gp_fqs_loop",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

bool wait_path_is_idle(const struct wait_path *path)
{
	size_t i, n = 0;

	for (i = 0; i < path->nkernel; i++) {
		const char *name = path->frame[i]->name;

		n += !is_of_every_kthread(name) && (n || !waits_for_work(name));
	}
	return path->nkernel && n <= 1;
}

bool wait_path_is_timer(const struct wait_path *path)
{
	size_t i;

	for (i = 0; i < path->nkernel; i++)
		if (!strcmp(path->frame[i]->name, "hrtimer_nanosleep"))
			return true;
	return false;
}

/*
 * Adds up equal stacks of @row[0] ... @row[@n - 1], and keeps the worst, and those with the longest
 * wait. @path has room for all.
 */
static void find_worst(struct wait_group *g, const struct wait_row **row, size_t n, bool idle,
		       const struct wait_path **path)
{
	struct wait_path sum = { 0 };
	size_t i, k, paths = 0;

	for (i = 0; i < n; i++)
		for (k = 0; k < row[i]->npath; k++) {
			const struct wait_path *one = &row[i]->path[k];

			if (!idle && row[i]->task.flags & TLOB_WAIT_KTHREAD && wait_path_is_idle(one))
				tlob_wait_total_merge(&g->left_out, &one->blocked);
			else
				path[paths++] = one;
		}
	if (n > 1)
		qsort(path, paths, sizeof(*path), paths_by_frames);
	for (i = 0; i < paths; i++) {
		if (!i || by_frames(path[i - 1], path[i]))
			sum = *path[i];
		else {
			if (path[i]->blocked.max_ns > sum.blocked.max_ns)
				sum.waker = path[i]->waker;
			tlob_wait_total_merge(&sum.blocked, &path[i]->blocked);
		}
		if (!g->worst.frame || sum.blocked.total_ns > g->worst.blocked.total_ns)
			g->worst = sum;
		if (!g->longest.frame || sum.blocked.max_ns > g->longest.blocked.max_ns)
			g->longest = sum;
		if ((!g->other.frame || sum.blocked.max_ns > g->other.blocked.max_ns) && !wait_path_is_timer(&sum))
			g->other = sum;
	}
}

static void leave_out(struct wait_group *g)
{
	g->idle = !g->worst.frame;
	g->blocked.count -= g->left_out.count;
	g->blocked.total_ns -= g->left_out.total_ns;
	g->blocked.max_ns = g->idle ? 0 : g->longest.blocked.max_ns;
}

static void make_group(struct wait_group *g, const struct wait_row **row, size_t n, bool idle,
		       const struct wait_path **path)
{
	size_t i;

	*g = (struct wait_group){ .row = row[0], .tasks = n };
	for (i = 0; i < n; i++) {
		g->numbered |= !!strncmp(row[i]->task.comm, row[0]->task.comm, TLOB_NAME_LEN);
		tlob_wait_total_merge(&g->blocked, &row[i]->task.blocked);
		tlob_wait_total_merge(&g->runnable, &row[i]->task.runnable);
	}
	find_worst(g, row, n, idle, path);
	if (g->left_out.count)
		leave_out(g);
	for (i = 0; i < n; i++)
		if (row[i]->longest && row[i]->longest->ns <= g->blocked.max_ns &&
		    (!g->chained || row[i]->longest->ns > g->chained->longest->ns))
			g->chained = row[i];
}

static int by_total(const void *pa, const void *pb)
{
	const struct wait_group *a = pa, *b = pb;

	if (a->idle != b->idle)
		return a->idle - b->idle;
	if (a->blocked.total_ns != b->blocked.total_ns)
		return a->blocked.total_ns < b->blocked.total_ns ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

int wait_fold(const struct wait_profile *p, bool threads, bool idle, struct wait_group **group,
	      size_t *n)
{
	const struct wait_row **row = calloc(p->nrow + 1, sizeof(*row));
	const struct wait_path **path;
	size_t i, end, paths = 1;

	for (i = 0; i < p->nrow; i++)
		paths += p->row[i].npath;
	path = calloc(paths, sizeof(*path));
	*group = calloc(p->nrow + 1, sizeof(**group));
	*n = 0;
	if (!row || !path || !*group) {
		free(row);
		free(path);
		free(*group);
		return -ENOMEM;
	}
	for (i = 0; i < p->nrow; i++)
		row[i] = &p->row[i];
	if (!threads && p->nrow)
		qsort(row, p->nrow, sizeof(*row), rows_by_name);
	for (i = 0; i < p->nrow; i = end) {
		end = i + 1;
		while (!threads && end < p->nrow && !by_name(row[i], row[end]))
			end++;
		make_group(&(*group)[(*n)++], row + i, end - i, idle, path);
	}
	if (*n)
		qsort(*group, *n, sizeof(**group), by_total);
	free(row);
	free(path);
	return 0;
}
