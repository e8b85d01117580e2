// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/comparable.h"
#include "util/printable.h"
#include "util/units.h"

/* One line of @list: what differs, and that the second value is @name's. */
struct place {
	char	***list;
	const char *name;
};

static int differ(const struct place *p, const char *what, const char *a,
		  const char *b)
{
	char *pa = printable_dup(a ? a : "unknown");
	char *pb = printable_dup(b ? b : "unknown");
	int err = -ENOMEM;

	if (pa && pb)
		err = notes_add(p->list, "%s: %s, but %s in %s", what, pa, pb,
				p->name);
	free(pa);
	free(pb);
	return err;
}

static int texts(const struct place *p, const char *what, const char *a,
		 const char *b)
{
	if (!a || !b)
		return a == b ? 0 : differ(p, what, a, b);
	return !strcmp(a, b) ? 0 : differ(p, what, a, b);
}

static int times(const struct place *p, const char *what, uint64_t a,
		 uint64_t b)
{
	char ta[DURATION_LEN], tb[DURATION_LEN];

	return a == b ? 0 : differ(p, what, duration_exact(ta, a),
				   duration_exact(tb, b));
}

static const char *clock_of(const struct result *r)
{
	return r->deterministic ? "instructions" : "time";
}

/* A phase that was drawn is not a setting: runs are meant to differ in it. */
static int phases(const struct place *p, const struct result *a,
		  const struct result *b)
{
	char ta[DURATION_LEN], tb[DURATION_LEN];

	if (a->has_seed || b->has_seed ||
	    (a->has_phase == b->has_phase && a->phase_ns == b->phase_ns))
		return 0;
	return differ(p, "phase",
		      a->has_phase ? duration_exact(ta, a->phase_ns) : "none",
		      b->has_phase ? duration_exact(tb, b->phase_ns) : "none");
}

/* A field of struct result that two runs must have in common. */
struct field {
	const char *what;
	size_t	 offset;
	bool	 is_time;		/* uint64_t ns; else a char * */
};

#define TEXT(what, field)	{ what, offsetof(struct result, field), false }
#define TIME(what, field)	{ what, offsetof(struct result, field), true }

static const struct field settings[] = {
	TEXT("backend", backend), TEXT("workload", workload),
	TEXT("work", work), TEXT("policy", policy),
	TEXT("noise source", noise_source),
	TIME("period", period_ns), TIME("budget", budget_ns),
	TIME("align", align_ns), TIME("hw threshold", hw_threshold_ns),
};

static const struct field circumstances[] = {
	TEXT("host", host), TEXT("machine", machine), TEXT("CPUs", cpus),
	TEXT("housekeeping", housekeeping),
};

#define COUNT(table)	(sizeof(table) / sizeof((table)[0]))

static int fields(const struct place *p, const struct field *f, size_t n,
		  const struct result *a, const struct result *b)
{
	const char *pa, *pb;
	int err = 0;

	for (; n && !err; n--, f++) {
		pa = (const char *)a + f->offset;
		pb = (const char *)b + f->offset;
		err = f->is_time ?
		      times(p, f->what, *(const uint64_t *)(const void *)pa,
			    *(const uint64_t *)(const void *)pb) :
		      texts(p, f->what, *(char *const *)(const void *)pa,
			    *(char *const *)(const void *)pb);
	}
	return err;
}

int settings_differ(char ***list, const struct result *a,
		    const struct result *b, const char *name)
{
	const struct place p = { list, name };
	int err;

	err = fields(&p, settings, COUNT(settings), a, b);
	if (!err)
		err = texts(&p, "clock", clock_of(a), clock_of(b));
	return err ? err : phases(&p, a, b);
}

const char *tuning_of(const struct result *r, const char *fact)
{
	size_t i;

	for (i = 0; i < r->ntuning; i++)
		if (!strcmp(r->tuning[i].name, fact))
			return r->tuning[i].value;
	return NULL;
}

static int fact(const struct place *p, const struct result *a,
		const struct result *b, const char *what)
{
	char *label = NULL, *plain = printable_dup(what);
	int err = -ENOMEM;

	if (plain && asprintf(&label, "tuning, %s", plain) >= 0)
		err = texts(p, label, tuning_of(a, what), tuning_of(b, what));
	free(plain);
	free(label);
	return err;
}

/* What another kernel brings with it is a part of what is compared then. */
static bool may_differ(const struct result *a, const struct result *b,
		       const char *what)
{
	static const char * const of_kernel[] = {
		"preemption", "idle_driver", "idle_governor",
	};
	size_t i;

	if (!strcmp(a->kernel, b->kernel))
		return false;
	if (!tuning_of(a, what) || !tuning_of(b, what))
		return true;
	for (i = 0; i < sizeof(of_kernel) / sizeof(of_kernel[0]); i++)
		if (!strcmp(what, of_kernel[i]))
			return true;
	return false;
}

int circumstances_differ(char ***list, const struct result *a,
			 const struct result *b, const char *name)
{
	const struct place p = { list, name };
	size_t i;
	int err;

	err = fields(&p, circumstances, COUNT(circumstances), a, b);
	for (i = 0; i < a->ntuning && !err; i++)
		if (!may_differ(a, b, a->tuning[i].name))
			err = fact(&p, a, b, a->tuning[i].name);
	for (i = 0; i < b->ntuning && !err; i++)
		if (!may_differ(a, b, b->tuning[i].name) &&
		    !tuning_of(a, b->tuning[i].name))
			err = fact(&p, a, b, b->tuning[i].name);
	return err;
}
