// SPDX-License-Identifier: GPL-2.0
/* A fleet for programs: docs/reference/fleet.schema.json. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/fleet.h"
#include "util/json_write.h"
#include "util/printable.h"

static void put_quantiles(struct builder *b, struct json_object *to, const struct fleet *f,
			  const struct fleet_host *h)
{
	struct json_object *all = put_object(b, to, "quantiles"), *o;
	unsigned int q;

	for (q = 0; q < FLEET_QUANTILES; q++) {
		const struct fleet_value *v = &h->at[q];

		if (isnan(v->x))
			continue;
		o = put_object(b, all, fleet_quantile_name(q));
		put_double(b, o, "ns", exp(v->x));
		put_double(b, o, "ratio", fleet_ratio(f, h, q));
		put_double(b, o, "z", isfinite(fleet_ratio(f, h, q)) ? v->z : NAN);
		put_double(b, o, "p", v->p);
		put_u64(b, o, "odd_runs", v->odd);
		put_double(b, o, "odd_ratio", v->odd ? v->odd_ratio : NAN);
	}
}

static void put_host(struct builder *b, struct json_object *list, const struct fleet *f,
		     const struct fleet_host *h)
{
	struct json_object *o = put_object(b, list, NULL), *runs, *run;
	size_t i;

	put_text(b, o, "host", h->name);
	put_bool(b, o, "named", h->named);
	put_double(b, o, "p", f->group[h->group].decided && !h->few ? h->p : NAN);
	put_quantiles(b, o, f, h);
	runs = put_array(b, o, "runs");
	for (i = 0; i < h->nruns; i++) {
		run = put_object(b, runs, NULL);
		put_u64(b, run, "response_max_ns", h->run[i].worst_ns);
		put_known(b, run, "cpu", h->run[i].worst_cpu >= 0, (uint64_t)h->run[i].worst_cpu);
		put_text(b, run, "cause", h->run[i].cause);
	}
}

/* The builder escapes values, and takes keys as they are: most are words of ours. */
static void put_other(struct builder *b, struct json_object *to, const char *name,
		      const char *value)
{
	char *key = printable_dup(name);

	if (key)
		put_text(b, to, key, value);
	else
		b->err = -ENOMEM;
	free(key);
}

static void put_differences(struct builder *b, struct json_object *to, const struct fleet *f,
			    size_t group)
{
	struct json_object *list = put_array(b, to, "differences"), *o, *others;
	size_t i, k;

	for (i = 0; i < f->ndifferences; i++) {
		const struct fleet_difference *d = &f->difference[i];

		if (d->group != group)
			continue;
		o = put_object(b, list, NULL);
		put_text(b, o, "fact", d->fact);
		put_text(b, o, "usual", d->usual);
		put_u64(b, o, "hosts", d->nusual);
		others = put_object(b, o, "others");
		for (k = 0; k < f->nhosts; k++)
			if (f->host[k].group == group && strcmp(fleet_fact_of(&f->host[k], d->fact), d->usual))
				put_other(b, others, f->host[k].name, fleet_fact_of(&f->host[k], d->fact));
	}
}

static void put_group(struct builder *b, struct json_object *list, const struct fleet *f, size_t group)
{
	const struct fleet_group *g = &f->group[group];
	struct json_object *o = put_object(b, list, NULL), *hosts;
	size_t i;

	put_text(b, o, "kernel", g->settings.kernel);
	put_text(b, o, "work", g->settings.work);
	put_texts(b, o, "differs", g->differs);
	put_bool(b, o, "decided", g->decided);
	put_made(b, o, "conditions", result_conditions(&g->settings));
	put_texts(b, o, "lowered", g->lowered);
	put_differences(b, o, f, group);
	hosts = put_array(b, o, "hosts");
	for (i = 0; i < f->nhosts; i++)
		if (f->host[i].group == group)
			put_host(b, hosts, f, &f->host[i]);
}

int fleet_json(FILE *out, const struct fleet *f)
{
	struct json_object *o = json_object_new_object(), *groups;
	struct builder b = { 0 };
	size_t i;

	put_text(&b, o, "format", "tlob-load fleet");
	put_int(&b, o, "version", 1);
	put_text(&b, o, "verdict", f->nnamed ? "named" : f->ndecided ? "alike" : "cannot tell");
	put_u64(&b, o, "hosts", f->nhosts);
	put_u64(&b, o, "runs", f->nruns);
	put_u64(&b, o, "named", f->nnamed);
	put_double(&b, o, "level", FLEET_LEVEL);
	groups = put_array(&b, o, "groups");
	for (i = 0; i < f->ngroups; i++)
		put_group(&b, groups, f, i);
	return json_end(&b, out, o);
}
