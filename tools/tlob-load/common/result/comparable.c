// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/comparable.h"
#include "result/tables.h"
#include "result/vary.h"
#include "util/file.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/units.h"

/* The list that gets the differences, and the facts to look at. */
struct differences {
	char	***list;
	const char *name;		/* of the second result */
	const struct vary *vary;	/* NULL: all facts */
	bool	 named;			/* look at the facts that it names, or at the others */
};

static bool looks_at(const struct differences *p, const char *fact)
{
	return !p->vary || vary_has(p->vary, fact) == p->named;
}

static int differ(const struct differences *p, const char *what, const char *a,
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

static int texts(const struct differences *p, const char *what, const char *a,
		 const char *b)
{
	if (!a || !b)
		return a == b ? 0 : differ(p, what, a, b);
	return !strcmp(a, b) ? 0 : differ(p, what, a, b);
}

static const char *clock_of(const struct result *r)
{
	return r->deterministic ? "instructions" : "time";
}

/* A phase drawn from a seed is not a setting: runs are meant to differ in it. */
static int phases(const struct differences *p, const struct result *a,
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

#define NAME_LEN	32

/* The row's name for --vary, for people as well: its key without a unit. */
static const char *name_of(char buf[NAME_LEN], const struct field *f)
{
	size_t n = strlen(f->key) - (f->type == FIELD_COUNT ? strlen("_ns") : 0);

	snprintf(buf, NAME_LEN, "%.*s", (int)n, f->key);
	return buf;
}

/* The value of the row, in @buf if it is a time. NULL: unknown. */
static const char *text_of(char buf[DURATION_LEN], const struct field *f, const struct result *r)
{
	const char *text = r->function_words;	/* of the row with the sets of functions */

	if (f->type == FIELD_COUNT)
		return duration_exact(buf, field_get(f, r));
	if (f->type == FIELD_TEXT)
		text = *(char *const *)(const void *)((const char *)r + f->at);
	return text || !(f->flags & FIELD_LEFT_OUT) ? text : "none";
}

/* The row at or behind @f with one of the flags, or NULL. */
static const struct field *from(const struct field *f, unsigned int flags)
{
	for (; f < result_record.field + result_record.nfields; f++)
		if (f->flags & flags)
			return f;
	return NULL;
}

#define FACTS	(FIELD_SETTING | FIELD_CIRCUMSTANCE)
#define each_row(f, flags)	\
	for ((f) = from(result_record.field, flags); (f); (f) = from((f) + 1, flags))

static int fields(const struct differences *p, unsigned int flags, const struct result *a,
		  const struct result *b)
{
	char ta[DURATION_LEN], tb[DURATION_LEN], name[NAME_LEN];
	const struct field *f;
	int err = 0;

	each_row(f, flags)
		if (!err && looks_at(p, name_of(name, f)))
			err = texts(p, name, text_of(ta, f, a), text_of(tb, f, b));
	return err;
}

/* The clock gives every number its meaning, so --vary cannot name it. */
static int check_settings(const struct differences *p, const struct result *a,
			  const struct result *b)
{
	int err = fields(p, FIELD_SETTING, a, b);

	if (!err && looks_at(p, ""))
		err = texts(p, "clock", clock_of(a), clock_of(b));
	return err || !looks_at(p, "phase") ? err : phases(p, a, b);
}

int settings_differ(char ***list, const struct result *a,
		    const struct result *b, const char *name)
{
	const struct differences p = { .list = list, .name = name };

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

static int fact(const struct differences *p, const struct result *a,
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

static int check_circumstances(const struct differences *p, const struct result *a,
			       const struct result *b)
{
	size_t i;
	int err;

	err = fields(p, FIELD_CIRCUMSTANCE, a, b);
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
	const struct differences p = { list, name, vary, named };
	int err = check_settings(&p, a, b);

	return err ? err : check_circumstances(&p, a, b);
}

/* The facts of every result that have no row with a flag. */
static char *other_value(const struct result *r, const char *name)
{
	char time[DURATION_LEN];

	if (!strcmp(name, "kernel"))
		return printable_dup(r->kernel);
	if (!strcmp(name, "duration"))
		return strdup(duration_format(time, r->duration_ns));
	if (!strcmp(name, "phase"))
		return strdup(r->has_phase ? duration_exact(time, r->phase_ns) :
					     "none");
	return NULL;
}

static char *fact_value(const struct result *r, const char *name)
{
	char own[NAME_LEN], time[DURATION_LEN];
	const char *text = tuning_of(r, name);
	const struct field *f;

	each_row(f, FACTS)
		if (!strcmp(name, name_of(own, f))) {
			text = text_of(time, f, r);
			return printable_dup(text ? text : "unknown");
		}
	return text ? printable_dup(text) : other_value(r, name);
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
	char *text = NULL, *name, own[NAME_LEN];
	const struct field *row;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	each_row(row, FACTS)
		fprintf(f, "%s, ", name_of(own, row));
	fputs("kernel, duration, phase", f);
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
	const struct field *row;
	char name[NAME_LEN];
	size_t i;

	fprintf(f, "version=%d\nclock=%s\n", RESULT_VERSION, clock_of(r));
	if (!r->has_seed)
		put_fact(f, "phase", fact_value(r, "phase"));
	each_row(row, FACTS) {
		name_of(name, row);
		put_fact(f, name, fact_value(r, name));
	}
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
