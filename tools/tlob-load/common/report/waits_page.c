// SPDX-License-Identifier: GPL-2.0
/* The page of waits: stacks of one result, or of two next to each other. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/chain_text.h"
#include "report/html.h"
#include "report/waits_render.h"
#include "util/memstream.h"
#include "util/printable.h"

#define ROWS	50	/* of the table */
#define CHAINS	20	/* of another one */

static void put_longest(FILE *f, const void *r)
{
	waits_longest_text(f, r);
}

static void put_left_out(FILE *f, const void *r)
{
	waits_left_out_text(f, r);
}

static void put_side(struct builder *b, struct json_object *list, const struct waits_result *r, const char *name)
{
	struct json_object *o = put_object(b, list, NULL);

	put_text(b, o, "name", name);
	put_printed(b, o, "longest", memstream_of(put_longest, r));
	put_printed(b, o, "left_out", memstream_of(put_left_out, r));
	put_text(b, o, "command", r->command);
	put_text(b, o, "kernel", r->kernel);
	put_text(b, o, "machine", r->machine);
	put_text(b, o, "scope", r->scope);
	put_text(b, o, "backend", r->backend);
	put_u64(b, o, "threshold_ns", r->threshold_ns);
	put_u64(b, o, "duration_ns", r->duration_ns);
	put_u64(b, o, "lost", r->lost);
}

/* All of a stack on one line. */
static void put_path(FILE *f, const void *text)
{
	waits_path_text(f, text, 0);
}

/* [stack, its path in words or null, ns, number and longest of the first side, of the second] */
static void put_stack(struct builder *b, struct json_object *list, const struct waits_change *c, bool described)
{
	struct json_object *o = put_array(b, list, NULL);
	unsigned int i;

	put_printed(b, o, NULL, printable_dup(c->text));
	if (described)
		put_printed(b, o, NULL, memstream_of(put_path, c->text));
	else
		put_null(b, o, NULL);
	for (i = 0; i < 2; i++) {
		put_u64(b, o, NULL, c->side[i].total_ns);
		put_u64(b, o, NULL, c->side[i].count);
		put_u64(b, o, NULL, c->side[i].max_ns);
	}
}

static char *task_name(const char *comm, uint32_t tid)
{
	char *task = printable_dup(comm), *named = NULL;

	if (!task || asprintf(&named, "%s/%" PRIu32, task, tid) < 0)
		named = NULL;
	free(task);
	return named;
}

static void put_what(FILE *f, const void *segment)
{
	const struct chain_segment *s = segment;

	if (s->kind == SEGMENT_UNKNOWN)
		fputs("not known", f);
	else
		chain_what(f, s);
}

/* {who, ns, lost, rows: [[task, policy, what it did, ns]]} */
static void put_critical(struct builder *b, struct json_object *to, const struct critical_path *path)
{
	struct json_object *o = put_object(b, to, "critical"), *list, *row;
	size_t i;

	put_printed(b, o, "who", task_name(path->comm, path->pid));
	put_u64(b, o, "ns", path->ns);
	put_u64(b, o, "lost", path->lost);
	list = put_array(b, o, "rows");
	for (i = 0; i < path->nrow; i++) {
		const struct chain_segment *s = &path->row[i];

		row = put_array(b, list, NULL);
		put_printed(b, row, NULL, s->kind == SEGMENT_UNKNOWN ? strdup("") : task_name(s->comm, s->tid));
		put_text(b, row, NULL, s->policy);
		put_printed(b, row, NULL, memstream_of(put_what, s));
		put_u64(b, row, NULL, s->ns);
	}
}

static void put_chain_text(FILE *f, const void *of)
{
	const struct waits_chain *c = of;

	chain_text(f, &c->wait, c->tid);
}

/* [task, ns, what was behind its longest wait] */
static void put_chain(struct builder *b, struct json_object *list, const struct waits_chain *c)
{
	struct json_object *o = put_array(b, list, NULL);

	put_printed(b, o, NULL, task_name(c->task, c->tid));
	put_u64(b, o, NULL, c->wait.ns);
	put_printed(b, o, NULL, memstream_of(put_chain_text, c));
}

/* Of one result: two have other tasks. */
static void put_chains(struct builder *b, struct json_object *o, const struct waits_result *r)
{
	struct json_object *list = put_array(b, o, "chains");
	size_t i, n = 0;

	for (i = 0; i < r->nchain && n < CHAINS; i++)
		if (chain_tells(&r->chain[i].wait, r->chain[i].tid)) {
			put_chain(b, list, &r->chain[i]);
			n++;
		}
}

struct sides {
	const struct waits_result *r;
	const char *const *name;
	size_t n;
};

static int put_text_of(FILE *f, const void *data)
{
	const struct sides *s = data;

	return s->n > 1 ? waits_compare_text(f, s->r, s->name) : waits_result_text(f, s->r);
}

/* One result is a change from nothing. */
int page_waits(FILE *f, const struct waits_result *r, const char *const *name, size_t n)
{
	const struct waits_result none = { 0 };
	const struct sides sides = { r, name, n };
	struct json_object *o = json_object_new_object(), *list;
	struct waits_change *c = NULL;
	struct builder b = { 0 };
	size_t rows = 0, i;
	struct html p;
	int err = html_begin(&p, f, "waits", "waits", put_text_of, &sides);

	if (!err)
		err = waits_changes(n > 1 ? &r[0] : &none, &r[n - 1], &c, &rows);
	list = put_array(&b, o, "sides");
	for (i = 0; i < n; i++)
		put_side(&b, list, &r[i], name[i]);
	list = put_array(&b, o, "stacks");
	for (i = 0; i < rows; i++)
		put_stack(&b, list, &c[i], i < ROWS);
	if (n == 1)
		put_chains(&b, o, r);
	if (n == 1 && r->critical.pid)
		put_critical(&b, o, &r->critical);
	free(c);
	if (err)
		json_object_put(o);
	else
		err = html_put(&p, "waits", &b, o);
	return html_end(&p, err);
}
