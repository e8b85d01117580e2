// SPDX-License-Identifier: GPL-2.0
/* The explanation as JSON: docs/reference/explanation.schema.json. */
#include <errno.h>
#include <stdlib.h>

#include "explain/explain.h"
#include "result/parts.h"
#include "util/error.h"
#include "util/json_write.h"

static const char *state_name(char state)
{
	return state == 'i' ? "idle" : state == 'b' ? "busy" : "armed";
}

static void put_window(struct builder *b, struct json_object *list,
		       const struct executed *e, size_t i)
{
	const struct record *r = &e->records.record[i];
	const struct window *w = &e->profile.window[i];
	struct json_object *o = put_object(b, list, NULL), *parts;
	unsigned int k;

	put_u64(b, o, "activation", r->activation);
	put_u64(b, o, "wake_ns", r->wake);
	put_u64(b, o, "work_ns", r->response - r->wake);
	put_u64(b, o, "asleep_ns", executed_asleep(e, i));
	put_u64(b, o, "wake_instructions", path_wake(&e->profile.path[w->path]));
	put_u64(b, o, "work_instructions", e->profile.path[w->path].n[PHASE_WORK]);
	put_u64(b, o, "path", w->path);
	put_text(b, o, "at_expiry", state_name(w->state));
	parts = put_object(b, o, "wake_parts_ns");
	for (k = 0; k < WAKE_PARTS; k++)
		put_u64(b, parts, part_short_name(k), r->part[k]);
}

static void put_paths(struct builder *b, struct json_object *to,
		      const struct executed *e)
{
	struct json_object *list = put_array(b, to, "paths"), *o;
	size_t i, k, windows;

	for (i = 0; i < e->profile.paths; i++) {
		for (k = windows = 0; k < e->profile.windows; k++)
			windows += e->profile.window[k].path == i;
		o = put_object(b, list, NULL);
		put_u64(b, o, "windows", windows);
		put_u64(b, o, "wake_instructions", path_wake(&e->profile.path[i]));
		put_u64(b, o, "work_instructions", e->profile.path[i].n[PHASE_WORK]);
	}
}

static void put_measured(struct builder *b, struct json_object *to,
			 const struct measured *m)
{
	static const char * const phase[2] = { "wake", "work" };
	struct json_object *o;
	int i;

	for (i = 0; i < 2; i++) {
		o = put_object(b, to, phase[i]);
		put_u64(b, o, "code_lines", m->code[i]);
		put_u64(b, o, "data_lines", m->data[i]);
		put_u64(b, o, "conditional_branches", m->branches[i]);
	}
}

static int put_side(struct builder *b, struct json_object *list,
		    const struct explanation *x, unsigned int side)
{
	struct json_object *o = put_object(b, list, NULL), *windows;
	const struct side *s = &x->side[side];
	struct measured m;
	unsigned int i;
	int err = explain_measured(x, side, &m);

	if (err)
		return err;
	put_text(b, o, "kernel", s->name);
	windows = put_array(b, o, "windows");
	for (i = 0; i < x->pairs; i++)
		put_window(b, windows, side_boot(s, i), s->window[i]);
	put_measured(b, o, &m);
	put_paths(b, o, &s->boot[0]);
	return 0;
}

static void put_two(struct builder *b, struct json_object *to, const char *key,
		    const uint64_t n[2], unsigned int sides)
{
	struct json_object *list = put_array(b, to, key);
	unsigned int i;

	for (i = 0; i < sides; i++)
		put(b, list, NULL, json_object_new_uint64(n[i]));
}

/* The instructions of a function in each part that executed it. */
static void put_parts(struct builder *b, struct json_object *to,
		      const struct change *c, unsigned int sides)
{
	struct json_object *o = put_object(b, to, "net_of_part");
	unsigned int k;

	for (k = 0; k < WAKE_PARTS; k++) {
		const uint64_t n[2] = { c->part[0][k], c->part[1][k] };

		if (n[0] || n[1])
			put_two(b, o, part_short_name(k), n, sides);
	}
}

static void put_function(struct builder *b, struct json_object *list,
			 const struct difference *d, const struct change *c,
			 unsigned int sides)
{
	struct json_object *o = put_object(b, list, NULL), *likely;
	const struct change *with = &d->change[c->with];

	put_text(b, o, "name", c->name);
	put_text(b, o, "module", *c->module ? c->module : NULL);
	put_two(b, o, "net", c->net, sides);
	put_two(b, o, "inclusive", c->inclusive, sides);
	if (d->divided)
		put_parts(b, o, c, sides);
	if (sides < 2)
		return;
	put_u64(b, o, "changed", c->changed);
	if (!c->likely) {
		put_null(b, o, "likely");
		return;
	}
	likely = put_object(b, o, "likely");
	put_text(b, likely, "kind", c->likely == LIKELY_RENAMED ? "renamed" : "inlined");
	put_text(b, likely, "name", with->name);
	put_text(b, likely, "module", *with->module ? with->module : NULL);
}

static void put_difference(struct builder *b, struct json_object *to,
			   const char *key, const struct difference *d,
			   unsigned int sides)
{
	struct json_object *o = put_object(b, to, key), *list;
	size_t i;

	put_two(b, o, "instructions", d->net, sides);
	list = put_array(b, o, "functions");
	for (i = 0; i < d->n; i++)
		put_function(b, list, d, &d->change[i], sides);
}

static void put_region(struct builder *b, struct json_object *to,
		       const struct explained_region *r)
{
	struct json_object *o;

	if (!r) {
		put_null(b, to, "region");
		return;
	}
	o = put_object(b, to, "region");
	put_text(b, o, "program", r->program);
	put_text(b, o, "start", r->start);
	put_text(b, o, "stop", r->stop);
}

int explain_json(FILE *f, const struct explanation *x)
{
	struct json_object *o = json_object_new_object(), *list;
	struct builder b = { .err = o ? 0 : -ENOMEM };
	unsigned int side;
	int err = 0;

	put_text(&b, o, "format", "tlob-load explanation");
	put_int(&b, o, "version", 1);
	put_text(&b, o, "window", x->which);
	put_region(&b, o, x->region);
	put_u64(&b, o, "pairs", x->pairs);
	list = put_array(&b, o, "sides");
	for (side = 0; side < x->sides && !err; side++)
		err = put_side(&b, list, x, side);
	put_difference(&b, o, "wake", &x->wake, x->sides);
	put_difference(&b, o, "work", &x->work, x->sides);
	if (x->sides == 1)
		put_difference(&b, o, "p50_and_p99", &x->tail, 2);
	else
		put_null(&b, o, "p50_and_p99");
	if (!err)
		err = b.err ? b.err : json_print(f, o);
	json_object_put(o);
	return err ? fail(err, "cannot write the explanation: %s",
			  err == -ENOMEM ? "out of memory" : "write error") : 0;
}
