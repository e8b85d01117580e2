// SPDX-License-Identifier: GPL-2.0
#include "show/json.h"

static void put_longest(struct builder *b, struct json_object *to, const char *longest)
{
	put_text(b, to, "longest", *longest ? longest : NULL);
}

/* What the probes of @calls calls add. */
static void put_probes(struct builder *b, struct json_object *to,
		       const struct function_sets *sets, uint64_t calls)
{
	put_known(b, to, "probes_ns", sets->probe_ns, calls * sets->probe_ns);
}

void put_function_sets(struct builder *b, struct json_object *to, const struct function_sets *sets)
{
	struct json_object *o, *list, *e;
	size_t i;

	if (!sets)
		return;
	o = put_object(b, to, "functions");
	put_text(b, o, "mechanism", sets->mechanism);
	put_known(b, o, "probe_ns", sets->probe_ns, sets->probe_ns);
	list = put_array(b, o, "sets");
	for (i = 0; i < sets->n; i++) {
		e = put_object(b, list, NULL);
		put_text(b, e, "name", sets->at[i].name);
		put_text(b, e, "patterns", sets->at[i].words);
		put_u64(b, e, "functions", sets->at[i].functions);
		put_u64(b, e, "open", sets->at[i].open);
		put_u64(b, e, "unreturned", sets->at[i].unreturned);
		put_u64(b, e, "missed", sets->at[i].missed);
	}
}

void put_function_totals(struct builder *b, struct json_object *to,
			 const struct function_sets *sets, const struct function_totals *t,
			 const char *key)
{
	struct json_object *o, *all, *e;
	size_t i;

	if (!sets || !t)
		return;
	o = put_object(b, to, key);
	put_u64(b, o, "lost", t->lost);
	put_u64(b, o, "missed", t->missed);
	all = put_object(b, o, "sets");
	for (i = 0; i < sets->n && i < t->n; i++) {
		e = put_object(b, all, sets->at[i].name);
		put_u64(b, e, "calls", t->at[i].calls);
		put_probes(b, e, sets, t->at[i].calls);
		put_u64(b, e, "unreturned", t->at[i].unreturned);
		put_u64(b, e, "max_ns", t->at[i].max_ns);
		put_longest(b, e, t->at[i].longest);
		put_hist(b, e, "hist", &t->at[i].hist);
	}
}

/* null: lost; no key: the run had no --functions. Parts without time are left out. */
void put_window_functions(struct builder *b, struct json_object *to,
			  const struct function_sets *sets, const struct window_functions *f)
{
	struct json_object *o, *all, *e, *parts;
	unsigned int k;
	size_t i;

	if (!sets || !f)
		return;
	if (f->lost) {
		put_null(b, to, "functions");
		return;
	}
	o = put_object(b, to, "functions");
	put_u64(b, o, "missed", f->missed);
	all = put_object(b, o, "sets");
	for (i = 0; i < sets->n && i < f->n; i++) {
		e = put_object(b, all, sets->at[i].name);
		put_u64(b, e, "calls", f->at[i].calls);
		put_probes(b, e, sets, f->at[i].calls);
		put_u64(b, e, "unreturned", f->at[i].unreturned);
		put_u64(b, e, "net_ns", function_net_ns(&f->at[i]));
		put_u64(b, e, "max_ns", f->at[i].max_ns);
		put_longest(b, e, f->at[i].longest);
		parts = put_object(b, e, "parts");
		for (k = 0; k < TLOB_NR_PARTS; k++)
			if (f->at[i].part_ns[k])
				put_u64(b, parts, function_part_name(sets, k), f->at[i].part_ns[k]);
	}
}
