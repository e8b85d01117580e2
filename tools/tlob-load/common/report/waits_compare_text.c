// SPDX-License-Identifier: GPL-2.0
/* Two results of waits, stack by stack. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/waits_render.h"
#include "result/wait_names.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/units.h"
#include "waitstack.h"

#define WIDTH	80
#define SHOWN	20	/* stacks */
#define TASK	22	/* columns */

static size_t task_length(const char *text)
{
	return strcspn(text, ";");
}

void waits_put_frame(FILE *f, const char *name, unsigned int width, size_t behind,
		     unsigned int *col)
{
	char *text = printable_dup(name);
	unsigned int n = text ? (unsigned int)printable_width(text) : 1;

	if (width && *col > WAITS_INDENT && *col + 3 + n + behind > width) {
		fprintf(f, " <\n%*s", WAITS_INDENT, "");
		*col = WAITS_INDENT;
	} else if (*col > WAITS_INDENT) {
		fputs(" < ", f);
		*col += 3;
	}
	/* a name of C++ may be longer than a line */
	fputs(text ? text : "?", f);
	*col += n;
	free(text);
}

static bool is_common(const char *at, const char *end)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(end - at), at);
	return wait_frame_is_common(name);
}

static void put_between(FILE *f, const char *at, const char *end, unsigned int width,
			unsigned int *col)
{
	char *name = strndup(at, (size_t)(end - at));

	/* room for " <" behind it */
	waits_put_frame(f, name ? name : "?", width, 2, col);
	free(name);
}

/* The semicolon in front of the name that ends at @end, or NULL: there is only the task's. */
static const char *last_name(const char *text, const char *end)
{
	const char *start = text + task_length(text);

	if (end <= start)
		return NULL;
	do
		end--;
	while (*end != ';');
	return end;
}

/* The innermost name is the last one. */
void waits_path_text(FILE *f, const char *text, unsigned int width)
{
	const char *end = text + strlen(text), *at;
	unsigned int col = WAITS_INDENT;

	if (width)
		fprintf(f, "%*s", WAITS_INDENT, "");
	for (; (at = last_name(text, end)); end = at) {
		if (!is_common(at + 1, end))
			put_between(f, at + 1, end, width, &col);
	}
	if (width)
		fputc('\n', f);
}

void waits_longest_text(FILE *f, const struct waits_result *r)
{
	const struct waits_entry *most = NULL;
	unsigned int col = WAITS_INDENT;
	const char *end, *at;
	char ns[DURATION_LEN];
	size_t i;

	for (i = 0; i < r->n; i++)
		if (!most || r->entry[i].blocked.max_ns > most->blocked.max_ns)
			most = &r->entry[i];
	if (!most) {
		fputs("no wait has ended\n", f);
		return;
	}
	fprintf(f, "longest wait %s: ", duration_prose(ns, most->blocked.max_ns));
	put_between(f, most->text, most->text + task_length(most->text), 0, &col);
	for (end = most->text + strlen(most->text); (at = last_name(most->text, end)); end = at) {
		if (is_common(at + 1, end))
			continue;
		col = WAITS_INDENT;
		fputs(" in ", f);
		put_between(f, at + 1, end, 0, &col);
		break;
	}
	fputc('\n', f);
}

void waits_left_out_text(FILE *f, const struct waits_result *r)
{
	char count[COUNT_LEN];

	if (r->lost)
		fprintf(f, "%s waits are in no stack\n", count_prose(count, r->lost));
	if (r->idle)
		fprintf(f, "%s stacks of threads of the kernel that wait for work are left out\n",
			count_prose(count, r->idle));
}

static void put_task(FILE *f, const char *text)
{
	char *raw = strndup(text, task_length(text)), *name = raw ? printable_dup(raw) : NULL;

	fprintf(f, "%-*.*s", TASK, TASK, name ? name : "?");
	free(name);
	free(raw);
}

static void put_more(FILE *f, int64_t ns)
{
	char time[DURATION_LEN], text[DURATION_LEN + 1];

	snprintf(text, sizeof(text), "%s%s", ns < 0 ? "-" : "+",
		 duration_format(time, ns < 0 ? -(uint64_t)ns : (uint64_t)ns));
	fprintf(f, " %9s", text);
}

static void put_total(FILE *f, const struct tlob_wait_total *t)
{
	char time[DURATION_LEN];

	fprintf(f, " %9s %8" PRIu64, duration_format(time, t->total_ns), (uint64_t)t->count);
}

static void put_change(FILE *f, const struct waits_change *c)
{
	put_task(f, c->text);
	put_more(f, c->more_ns);
	put_total(f, &c->side[0]);
	put_total(f, &c->side[1]);
	fputc('\n', f);
	waits_path_text(f, c->text, WIDTH);
}

static void put_side(FILE *f, const char *letter, const struct waits_result *r, const char *name)
{
	char time[DURATION_LEN];

	put_printable(f, "%s  %s, %s\n", letter, name, duration_format(time, r->duration_ns));
	if (r->lost)
		fprintf(f, "   %" PRIu64 " waits are in no stack\n", r->lost);
}

static struct tlob_wait_total sum_of(const struct waits_result *r)
{
	struct tlob_wait_total t = { 0 };
	size_t i;

	for (i = 0; i < r->n; i++)
		tlob_wait_total_merge(&t, &r->entry[i].blocked);
	return t;
}

int waits_compare_text(FILE *f, const struct waits_result side[2], const char *const name[2])
{
	struct tlob_wait_total all[2] = { sum_of(&side[0]), sum_of(&side[1]) };
	char threshold[DURATION_LEN];
	struct waits_change *c;
	size_t n, i;
	int err = waits_changes(&side[0], &side[1], &c, &n);

	if (err)
		return err;
	put_side(f, "A", &side[0], name[0]);
	put_side(f, "B", &side[1], name[1]);
	fprintf(f, "\n%-*s %9s %9s %8s %9s %8s\n", TASK, "task", "B - A", "blocked A", "waits", "blocked B",
		"waits");
	fprintf(f, "%-*s", TASK, "all");
	put_more(f, (int64_t)(all[1].total_ns - all[0].total_ns));
	put_total(f, &all[0]);
	put_total(f, &all[1]);
	fputc('\n', f);
	for (i = 0; i < n && i < SHOWN && c[i].more_ns; i++)
		put_change(f, &c[i]);
	if (i < n && c[i].more_ns)
		fprintf(f, "and %zu other stacks\n", n - i);
	fprintf(f, "Waits over %s, of tasks of one name together. Times are not divided by the durations.\n",
		duration_exact(threshold, side[0].threshold_ns));
	free(c);
	return ferror(f) ? -EIO : 0;
}

/* A comparison with nothing. */
int waits_result_text(FILE *f, const struct waits_result *r)
{
	const struct waits_result none = { 0 };
	struct waits_change *c;
	size_t n, i;
	int err = waits_changes(&none, r, &c, &n);

	if (err)
		return err;
	waits_longest_text(f, r);
	fprintf(f, "\n%-*s %9s %8s\n", TASK, "task", "blocked", "waits");
	for (i = 0; i < n && i < SHOWN; i++) {
		put_task(f, c[i].text);
		put_total(f, &c[i].side[1]);
		fputc('\n', f);
		waits_path_text(f, c[i].text, WIDTH);
	}
	waits_left_out_text(f, r);
	free(c);
	return ferror(f) ? -EIO : 0;
}
