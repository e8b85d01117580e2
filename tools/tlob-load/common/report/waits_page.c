// SPDX-License-Identifier: GPL-2.0
/* The page of waits. report/flame.c draws the graph. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/flame.h"
#include "report/pieces.h"
#include "report/waits_render.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/units.h"

#define ROWS	50	/* of the table */

/* Microseconds, as in folded stacks: shorter waits than one have none. */
static int fill(struct folded *to, const struct waits_result *r, unsigned int side)
{
	size_t i;
	int err = 0;

	for (i = 0; i < r->n && !err; i++) {
		char *text = printable_dup(r->entry[i].text);

		err = text ? folded_add(to, text, side, r->entry[i].blocked.total_ns / 1000) : -ENOMEM;
		free(text);
	}
	return err;
}

static int graph(FILE *f, const struct waits_result *r, const char *const *name, size_t n)
{
	struct flame how = {
		.title = n > 1 ? "blocked time, first and second" : "blocked time",
		.unit = "us", .side = { name[0], n > 1 ? name[1] : NULL },
	};
	struct folded folded = { 0 };
	size_t i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = fill(&folded, &r[i], (unsigned int)i);
	folded_sort(&folded);
	if (!err)
		err = flame_write(f, &folded, &how);
	folded_free(&folded);
	return err;
}

static void put_side(FILE *f, const struct tlob_wait_total *t)
{
	cell_time(f, t->count, t->total_ns);
	fprintf(f, "<td>%" PRIu64, (uint64_t)t->count);
	cell_time(f, t->count, t->max_ns);
}

/* All of a stack on one line. */
static void put_path(FILE *f, const void *text)
{
	waits_path_text(f, text, 0);
}

static int put_row(FILE *f, const struct waits_change *c, size_t n)
{
	char *task = strndup(c->text, strcspn(c->text, ";"));
	char time[DURATION_LEN];

	if (!task)
		return -ENOMEM;
	markup(f, "<tr><td>%s", task);
	free(task);
	if (n > 1) {
		fprintf(f, "<td>%s%s", c->more_ns < 0 ? "−" : "+",
			duration_format(time, c->more_ns < 0 ? -(uint64_t)c->more_ns :
							       (uint64_t)c->more_ns));
		put_side(f, &c->side[0]);
	}
	put_side(f, &c->side[1]);
	fputs("<td class=\"l prose\">", f);
	return put_as_text(f, put_path, c->text);
}

/* One result is a change from nothing. */
static int table(FILE *f, const struct waits_result *r, size_t n)
{
	const struct waits_result none = { 0 };
	struct waits_change *c;
	size_t rows, i;
	int err = waits_changes(n > 1 ? &r[0] : &none, &r[n - 1], &c, &rows);

	if (err)
		return err;
	fputs(n > 1 ? "<h2>What changed most</h2>\n<div class=\"wide\"><table>\n<tr><th>task<th>second − first<th>first<th>waits<th>longest<th>second<th>waits<th>longest<th class=\"l\">stack\n" :
		      "<h2>The stacks with the most time</h2>\n<div class=\"wide\"><table>\n<tr><th>task<th>blocked<th>waits<th>longest<th class=\"l\">stack\n", f);
	for (i = 0; i < rows && i < ROWS && !err; i++)
		err = put_row(f, &c[i], n);
	fputs("</table></div>\n", f);
	free(c);
	return err;
}

static void circumstances(FILE *f, const struct waits_result *r, const char *name)
{
	char buf[DURATION_LEN];

	markup(f, "<h2>%s</h2>\n<dl>\n", name);
	fact(f, "command", r->command);
	fact(f, "kernel", r->kernel);
	fact(f, "machine", r->machine);
	fact(f, "scope", r->scope);
	fact(f, "backend", r->backend);
	fact_duration(f, "threshold", r->threshold_ns);
	fact(f, "measured", duration_format(buf, r->duration_ns));
	snprintf(buf, sizeof(buf), "%" PRIu64, r->lost);
	fact(f, "waits in no stack", buf);
	fputs("</dl>\n", f);
}

/* A measurement that is twice as long finds twice the waits. */
static void durations(FILE *f, const struct waits_result r[2])
{
	char first[DURATION_LEN], second[DURATION_LEN];

	fprintf(f, " Times are not divided by the durations: %s and %s.",
		duration_format(first, r[0].duration_ns), duration_format(second, r[1].duration_ns));
}

static void put_longest(FILE *f, const void *r)
{
	waits_longest_text(f, r);
}

static void put_left_out(FILE *f, const void *r)
{
	waits_left_out_text(f, r);
}

static int put_head(FILE *f, const struct waits_result *r, const char *name)
{
	int err;

	fputs("<p class=\"verdict\">", f);
	if (name)
		markup(f, "%s: ", name);
	err = put_as_text(f, put_longest, r);
	fputs("</p>\n<p class=\"dim\">", f);
	if (!err)
		err = put_as_text(f, put_left_out, r);
	fputs("</p>\n", f);
	return err;
}

int page_waits(FILE *f, const struct waits_result *r, const char *const *name, size_t n)
{
	size_t i;
	int err = 0;

	html_begin(f, "waits");
	fputs(n > 1 ? "<h1>What blocks more</h1>\n" : "<h1>Where tasks waited</h1>\n", f);
	for (i = 0; i < n && !err; i++)
		err = put_head(f, &r[i], n > 1 ? name[i] : NULL);
	fputs(n > 1 ? "<p>A box is as wide as the larger of both times" : "<p>A box is as wide as the time", f);
	fputs(" that tasks were blocked in it and in what it called. A pointer over a box shows its numbers.", f);
	if (n > 1)
		durations(f, r);
	fputs("</p>\n<div class=\"wide\">", f);
	if (!err)
		err = graph(f, r, name, n);
	fputs("</div>\n", f);
	if (!err)
		err = table(f, r, n);
	for (i = 0; i < n; i++)
		circumstances(f, &r[i], name[i]);
	return html_end(f, err);

}
