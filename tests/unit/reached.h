/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of fields that a result reaches, each once. */
#ifndef TLOB_TESTS_REACHED_H
#define TLOB_TESTS_REACHED_H

#include <stdio.h>
#include <stdlib.h>

#include "result/tables.h"

#define REACHED	64U

struct reached {
	size_t n;
	struct {
		const struct fields *rows;
		const char *name;	/* of the object, also for rows that are part of another */
	} at[REACHED];
};

static inline void reach(struct reached *all, const struct fields *r, const char *name)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		if (all->at[i].rows == r)
			return;
	if (all->n == REACHED) {
		fprintf(stderr, "FAILED: more than %u tables of fields\n", REACHED);
		exit(1);
	}
	all->at[all->n].rows = r;
	all->at[all->n++].name = name;
	for (i = 0; i < r->nfields; i++)
		if (r->field[i].of)
			reach(all, r->field[i].of, r->field[i].of->name ? r->field[i].of->name : name);
}

static inline struct reached reached_from_results(void)
{
	struct reached all = { .n = 0 };

	reach(&all, &result_record, result_record.name);
	return all;
}

/* A value that may name something. */
static inline bool is_text(const struct field *f)
{
	return f->type == FIELD_TEXT || f->type == FIELD_CHARS || f->type == FIELD_TEXTS ||
	       f->type == FIELD_OWN;
}

#endif /* TLOB_TESTS_REACHED_H */
