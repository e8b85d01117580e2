// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/comparable.h"
#include "util/printable.h"
#include "util/units.h"

static int differ(char ***list, const char *what, const char *a, const char *b,
		  const char *name)
{
	char *pa = printable_dup(a ? a : "unknown");
	char *pb = printable_dup(b ? b : "unknown");
	int err = -ENOMEM;

	if (pa && pb)
		err = notes_add(list, "%s: %s, but %s in %s", what, pa, pb,
				name);
	free(pa);
	free(pb);
	return err;
}

static int texts(char ***list, const char *what, const char *a, const char *b,
		 const char *name)
{
	if (!a || !b)
		return a == b ? 0 : differ(list, what, a, b, name);
	return !strcmp(a, b) ? 0 : differ(list, what, a, b, name);
}

static int times(char ***list, const char *what, uint64_t a, uint64_t b,
		 const char *name)
{
	char ta[DURATION_LEN], tb[DURATION_LEN];

	return a == b ? 0 : differ(list, what, duration_exact(ta, a),
				   duration_exact(tb, b), name);
}

/* A phase that was drawn is not a setting: runs are meant to differ in it. */
static int phases(char ***list, const struct result *a, const struct result *b,
		  const char *name)
{
	char ta[DURATION_LEN], tb[DURATION_LEN];

	if (a->has_seed || b->has_seed ||
	    (a->has_phase == b->has_phase && a->phase_ns == b->phase_ns))
		return 0;
	return differ(list, "phase",
		      a->has_phase ? duration_exact(ta, a->phase_ns) : "none",
		      b->has_phase ? duration_exact(tb, b->phase_ns) : "none",
		      name);
}

static const char *clock_of(const struct result *r)
{
	return r->deterministic ? "instructions" : "time";
}

int settings_differ(char ***list, const struct result *a,
		    const struct result *b, const char *name)
{
	int err;

	err = texts(list, "backend", a->backend, b->backend, name);
	if (!err)
		err = texts(list, "clock", clock_of(a), clock_of(b), name);
	if (!err)
		err = texts(list, "workload", a->workload, b->workload, name);
	if (!err)
		err = texts(list, "work", a->work, b->work, name);
	if (!err)
		err = texts(list, "policy", a->policy, b->policy, name);
	if (!err)
		err = texts(list, "noise source", a->noise_source,
			    b->noise_source, name);
	if (!err)
		err = times(list, "period", a->period_ns, b->period_ns, name);
	if (!err)
		err = times(list, "budget", a->budget_ns, b->budget_ns, name);
	if (!err)
		err = times(list, "align", a->align_ns, b->align_ns, name);
	if (!err)
		err = phases(list, a, b, name);
	if (!err)
		err = times(list, "hw threshold", a->hw_threshold_ns,
			    b->hw_threshold_ns, name);
	return err;
}

const char *tuning_of(const struct result *r, const char *fact)
{
	size_t i;

	for (i = 0; i < r->ntuning; i++)
		if (!strcmp(r->tuning[i].name, fact))
			return r->tuning[i].value;
	return NULL;
}

static int fact(char ***list, const struct result *a, const struct result *b,
		const char *what, const char *name)
{
	char *label = NULL, *plain = printable_dup(what);
	int err = -ENOMEM;

	if (plain && asprintf(&label, "tuning, %s", plain) >= 0)
		err = texts(list, label, tuning_of(a, what),
			    tuning_of(b, what), name);
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
	size_t i;
	int err;

	err = texts(list, "host", a->host, b->host, name);
	if (!err)
		err = texts(list, "machine", a->machine, b->machine, name);
	if (!err)
		err = texts(list, "CPUs", a->cpus, b->cpus, name);
	if (!err)
		err = texts(list, "housekeeping", a->housekeeping,
			    b->housekeeping, name);
	for (i = 0; i < a->ntuning && !err; i++)
		if (!may_differ(a, b, a->tuning[i].name))
			err = fact(list, a, b, a->tuning[i].name, name);
	for (i = 0; i < b->ntuning && !err; i++)
		if (!may_differ(a, b, b->tuning[i].name) &&
		    !tuning_of(a, b->tuning[i].name))
			err = fact(list, a, b, b->tuning[i].name, name);
	return err;
}
