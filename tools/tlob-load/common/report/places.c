// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/flames_page.h"
#include "report/parts_text.h"
#include "report/places.h"
#include "result/parts.h"

static int by_windows(const void *a, const void *b)
{
	const struct cause_count *x = *(const struct cause_count * const *)a;
	const struct cause_count *y = *(const struct cause_count * const *)b;

	if (x->windows != y->windows)
		return x->windows < y->windows ? 1 : -1;
	return strcmp(x->place.function, y->place.function);
}

int render_places(FILE *f, enum table_form form, const struct result *r, size_t top)
{
	const struct causes *places = &r->places;
	const struct cause_count *sorted[CAUSES_KEPT];
	struct table t = {
		.title = "where in the kernel violations were made", .align = "rllll", .indent = 2,
		.gap = 2, .form = form,
	};
	char name[PRINTABLE_NAME];
	size_t i;

	if (!places->n)
		return 0;
	for (i = 0; i < places->n; i++)
		sorted[i] = &places->at[i];
	qsort(sorted, places->n, sizeof(sorted[0]), by_windows);
	table_cell(&t, "windows\tpart\twho\tfunction\tby");
	for (i = 0; i < places->n && i < top; i++) {
		const struct cause_count *at = sorted[i];

		table_cell(&t, "%" PRIu64 "\t%s\t%s", at->windows, part_short_name(at->part),
			   at->has_name ? printable(name, at->name, TLOB_NAME_LEN) : "-");
		cell_foreign(&t, *at->place.function ? at->place.function : "-");
		cell_foreign(&t, *at->place.entry ? at->place.entry : "-");
	}
	if (places->n > top)
		table_note(&t, "and %zu more", places->n - top);
	if (places->others)
		table_note(&t, "%" PRIu64 " windows of rarer ones were dropped: the list was full",
			   places->others);
	return table_print(&t, f);
}

/* A place has the stack of one window, up to the function that its windows have in common. */
static int fill(struct folded *to, const struct causes *places)
{
	size_t i;
	int err = 0;

	for (i = 0; i < places->n && !err; i++) {
		const struct cause_count *at = &places->at[i];
		char *text = *at->place.stack ? printable_dup(at->place.stack) : NULL;

		if (*at->place.stack)
			err = text ? folded_add(to, text, 0, at->windows) : -ENOMEM;
		free(text);
	}
	folded_sort(to);
	return err;
}

int places_flame(FILE *f, const struct causes *places)
{
	const struct flame_words w = {
		.title = "Where late windows were in the kernel", .unit = "windows",
		.text = "Late windows only: a box is as wide as the windows that were made late in the function and in what it called, its caller is below it.",
		.side = { "late windows" },
	};
	struct folded folded = { 0 };
	int err = fill(&folded, places);

	if (!err && folded.n)
		err = flame_print(f, &folded, &w);
	folded_free(&folded);
	return err;
}

void place_stack_text(FILE *f, const struct kernel_place *place)
{
	const char *from, *end = place->stack + strlen(place->stack);
	struct line l = { .f = f, .indent = 9 };

	if (!*place->stack)
		return;
	l.col = (unsigned int)fprintf(f, "  stack: ");
	for (;;) {
		for (from = end; from > place->stack && from[-1] != ';'; from--)
			;
		line_put(&l, *end ? " < " : "", "%.*s", (int)(end - from), from);
		if (from == place->stack)
			break;
		end = from - 1;
	}
	line_end(&l);
}
