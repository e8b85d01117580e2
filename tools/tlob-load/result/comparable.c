// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/comparable.h"
#include "result/vary.h"
#include "util/file.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/units.h"

/* The list that gets the differences, and the facts to look at. */
struct place {
	char	***list;
	const char *name;		/* of the second result */
	const struct vary *vary;	/* NULL: all facts */
	bool	 named;			/* look at the facts that it names, or at the others */
};

static bool looks_at(const struct place *p, const char *fact)
{
	return !p->vary || vary_has(p->vary, fact) == p->named;
}

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

#define KERNEL_ARGUMENTS	"kernel_arguments"

/* The words of @a that @b lacks; "none". malloc() */
static char *words_without(const char *a, const char *b)
{
	char *copy = strdup(a), *other = NULL, *text = NULL, *word, *in, *rest, *rest2;
	size_t size;
	FILE *f = copy ? open_memstream(&text, &size) : NULL;

	for (word = f ? strtok_r(copy, " ", &rest) : NULL; word;
	     word = strtok_r(NULL, " ", &rest)) {
		free(other);
		other = strdup(b);
		for (in = other ? strtok_r(other, " ", &rest2) : NULL;
		     in && strcmp(in, word); in = strtok_r(NULL, " ", &rest2))
			;
		if (!in)
			fprintf(f, "%s%s", ftell(f) ? " " : "", word);
	}
	if (f && !ftell(f))
		fputs("none", f);
	free(other);
	free(copy);
	return memstream_text(f, &text);
}

/* Finds the words that only one list has. False: only the order differs, or no memory. */
static bool lists_differ(const char *a, const char *b, char *only[2])
{
	only[0] = words_without(a, b);
	only[1] = words_without(b, a);
	if (only[0] && only[1] && strcmp(only[0], only[1]))
		return true;
	free(only[0]);
	free(only[1]);
	only[0] = only[1] = NULL;
	return false;
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

/* A phase drawn from a seed is not a setting: runs are meant to differ in it. */
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
struct compared {
	const char *name;		/* for --vary */
	const char *what;		/* for people */
	size_t	 offset;
	bool	 is_time;		/* uint64_t ns; else a char * */
	const char *absent;		/* what NULL means; NULL: unknown */
};

#define TEXT(name, what, field)	{ name, what, offsetof(struct result, field), false, NULL }
#define TEXT_OR(name, what, field, absent)	\
	{ name, what, offsetof(struct result, field), false, absent }
#define TIME(name, what, field)	{ name, what, offsetof(struct result, field), true, NULL }

/* The machine is its architecture: the same path has other instructions on another one. */
static const struct compared settings[] = {
	TEXT("machine", "machine", machine),
	TEXT("backend", "backend", backend),
	TEXT("workload", "workload", workload),
	TEXT("work", "work", work),
	TEXT("policy", "policy", policy),
	TEXT("policy_changed", "changed policy", policy_changed),
	TEXT_OR("tune", "settings by --tune", tune, "none"),
	TEXT_OR("load", "load", load, "none"),
	TEXT_OR("load_cpus", "CPUs of the load", load_cpus, "none"),
	TEXT_OR("functions", "functions", function_words, "none"),
	TEXT("noise_source", "noise source", noise_source),
	TIME("period", "period", period_ns),
	TIME("budget", "budget", budget_ns),
	TIME("align", "align", align_ns),
	TIME("hw_threshold", "hw threshold", hw_threshold_ns),
};

static const struct compared circumstances[] = {
	TEXT("host", "host", host),
	TEXT("cpus", "CPUs", cpus),
	TEXT("housekeeping", "housekeeping", housekeeping),
};

#define COUNT(table)	(sizeof(table) / sizeof((table)[0]))

static const char *text_of(const struct compared *f, const char *at)
{
	const char *text = *(char *const *)(const void *)at;

	return text ? text : f->absent;
}

static int fields(const struct place *p, const struct compared *f, size_t n,
		  const struct result *a, const struct result *b)
{
	const char *pa, *pb;
	int err = 0;

	for (; n && !err; n--, f++) {
		if (!looks_at(p, f->name))
			continue;
		pa = (const char *)a + f->offset;
		pb = (const char *)b + f->offset;
		err = f->is_time ?
		      times(p, f->what, *(const uint64_t *)(const void *)pa,
			    *(const uint64_t *)(const void *)pb) :
		      texts(p, f->what, text_of(f, pa), text_of(f, pb));
	}
	return err;
}

/* The clock gives every number its meaning, so --vary cannot name it. */
static int check_settings(const struct place *p, const struct result *a,
			  const struct result *b)
{
	int err = fields(p, settings, COUNT(settings), a, b);

	if (!err && looks_at(p, ""))
		err = texts(p, "clock", clock_of(a), clock_of(b));
	return err || !looks_at(p, "phase") ? err : phases(p, a, b);
}

int settings_differ(char ***list, const struct result *a,
		    const struct result *b, const char *name)
{
	const struct place p = { .list = list, .name = name };

	return check_settings(&p, a, b);
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
	const char *va = tuning_of(a, what), *vb = tuning_of(b, what);
	char *label = NULL, *plain, *only[2] = { NULL, NULL };
	int err = -ENOMEM;

	if (!looks_at(p, what))
		return 0;
	if (!strcmp(what, KERNEL_ARGUMENTS) && va && vb && lists_differ(va, vb, only)) {
		va = only[0];
		vb = only[1];
	}
	plain = printable_dup(what);
	if (plain && asprintf(&label, "tuning, %s", plain) >= 0)
		err = texts(p, label, va, vb);
	free(only[0]);
	free(only[1]);
	free(plain);
	free(label);
	return err;
}

/* With two kernels, facts that depend on the kernel are part of the comparison. */
static bool may_differ(const struct result *a, const struct result *b,
		       const char *what)
{
	static const char * const of_kernel[] = {
		"preemption", "idle_driver", "idle_governor",
	};
	const bool both = tuning_of(a, what) && tuning_of(b, what);
	size_t i;

	if (!strcmp(a->kernel, b->kernel))
		return false;
	if (!both)
		return true;
	for (i = 0; i < sizeof(of_kernel) / sizeof(of_kernel[0]); i++)
		if (!strcmp(what, of_kernel[i]))
			return true;
	return false;
}

static bool tuning_is_refused(const struct result *a, const struct result *b, const char *what)
{
	const char *va = tuning_of(a, what), *vb = tuning_of(b, what);

	return !may_differ(a, b, what) && (!va || !vb || strcmp(va, vb));
}

char *tuning_refused(const struct result *a, const struct result *b)
{
	const struct result *r[2] = { a, b };
	char *text = NULL;
	size_t size, side, i;
	FILE *f = open_memstream(&text, &size);

	for (side = 0; f && side < 2; side++)
		for (i = 0; i < r[side]->ntuning; i++) {
			const char *name = r[side]->tuning[i].name;

			if ((!side || !tuning_of(a, name)) && tuning_is_refused(a, b, name))
				fprintf(f, "%s%s", ftell(f) ? "," : "", name);
		}
	return f ? memstream_text(f, &text) : NULL;
}

static int check_circumstances(const struct place *p, const struct result *a,
			       const struct result *b)
{
	size_t i;
	int err;

	err = fields(p, circumstances, COUNT(circumstances), a, b);
	for (i = 0; i < a->ntuning && !err; i++)
		if (!may_differ(a, b, a->tuning[i].name))
			err = fact(p, a, b, a->tuning[i].name);
	for (i = 0; i < b->ntuning && !err; i++)
		if (!may_differ(a, b, b->tuning[i].name) &&
		    !tuning_of(a, b->tuning[i].name))
			err = fact(p, a, b, b->tuning[i].name);
	return err;
}

int facts_differ(char ***list, const struct result *a, const struct result *b,
		 const char *name, const struct vary *vary, bool named)
{
	const struct place p = { list, name, vary, named };
	int err = check_settings(&p, a, b);

	return err ? err : check_circumstances(&p, a, b);
}

static char *field_value(const struct result *r, const struct compared *f)
{
	const char *at = (const char *)r + f->offset;
	char time[DURATION_LEN];
	const char *text;

	if (f->is_time)
		return strdup(duration_exact(time, *(const uint64_t *)(const void *)at));
	text = text_of(f, at);
	return printable_dup(text ? text : "unknown");
}

/* The facts of every result that the two tables lack. */
static char *other_value(const struct result *r, const char *name)
{
	char time[DURATION_LEN];

	if (!strcmp(name, "kernel"))
		return printable_dup(r->kernel);
	if (!strcmp(name, "phase"))
		return strdup(r->has_phase ? duration_exact(time, r->phase_ns) :
					     "none");
	return NULL;
}

static char *fact_value(const struct result *r, const char *name)
{
	const char *tuning = tuning_of(r, name);
	size_t i;

	for (i = 0; i < COUNT(settings); i++)
		if (!strcmp(name, settings[i].name))
			return field_value(r, &settings[i]);
	for (i = 0; i < COUNT(circumstances); i++)
		if (!strcmp(name, circumstances[i].name))
			return field_value(r, &circumstances[i]);
	return tuning ? printable_dup(tuning) : other_value(r, name);
}

void fact_values(const struct result *a, const struct result *b, const char *name,
		 char *value[2])
{
	const char *va = tuning_of(a, name), *vb = tuning_of(b, name);
	char *only[2];

	if (strcmp(name, KERNEL_ARGUMENTS) || !va || !vb || !lists_differ(va, vb, only)) {
		value[0] = fact_value(a, name);
		value[1] = fact_value(b, name);
		return;
	}
	value[0] = printable_dup(only[0]);
	value[1] = printable_dup(only[1]);
	free(only[0]);
	free(only[1]);
}

char *fact_names(const struct result *r)
{
	char *text = NULL, *name;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (i = 0; i < COUNT(settings); i++)
		fprintf(f, "%s, ", settings[i].name);
	for (i = 0; i < COUNT(circumstances); i++)
		fprintf(f, "%s, ", circumstances[i].name);
	fputs("kernel, phase", f);
	for (i = 0; i < r->ntuning; i++) {
		name = printable_dup(r->tuning[i].name);
		fprintf(f, ", %s", name ? name : "");
		free(name);
	}
	return memstream_text(f, &text);
}

static void put_fact(FILE *f, const char *name, char *value)
{
	fprintf(f, "%s=%s\n", name, value ? value : "");
	free(value);
}

static void put_facts(FILE *f, const void *data)
{
	const struct result *r = data;
	size_t i;

	fprintf(f, "version=%d\nclock=%s\n", RESULT_VERSION, clock_of(r));
	if (!r->has_seed)
		put_fact(f, "phase", fact_value(r, "phase"));
	for (i = 0; i < COUNT(settings); i++)
		put_fact(f, settings[i].name, field_value(r, &settings[i]));
	for (i = 0; i < COUNT(circumstances); i++)
		put_fact(f, circumstances[i].name, field_value(r, &circumstances[i]));
	for (i = 0; i < r->ntuning; i++)
		put_fact(f, r->tuning[i].name, printable_dup(r->tuning[i].value));
}

uint64_t facts_key(const struct result *r)
{
	char *text = memstream_of(put_facts, r);
	uint64_t key = text ? file_fingerprint(text) : 0;

	free(text);
	return key;
}
