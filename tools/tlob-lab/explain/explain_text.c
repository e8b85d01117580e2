// SPDX-License-Identifier: GPL-2.0
/* The explanation as a table of 80 columns. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "result/parts.h"
#include "util/error.h"
#include "util/printable.h"

#define COLUMNS		80U
#define MOST_ROWS	24		/* of functions; the JSON has all */
#define MOST_OF_PART	12
#define MOST_PATHS	12
#define CELL_LEN	24

/* A sum over @pairs as their mean. */
static const char *mean(char buf[CELL_LEN], int64_t sum, unsigned int pairs,
			bool sign)
{
	if (pairs == 1)
		snprintf(buf, CELL_LEN, sign ? "%+" PRId64 : "%" PRId64, sum);
	else
		snprintf(buf, CELL_LEN, sign ? "%+.1f" : "%.1f", (double)sum / pairs);
	return buf;
}

/* The same, and "-" if nothing was executed. */
static const char *some(char buf[CELL_LEN], uint64_t sum, unsigned int pairs)
{
	return sum ? mean(buf, (int64_t)sum, pairs, false) : "-";
}

/* @text up to the last column of the table; @used: columns before it. */
static void print_cut(FILE *f, const char *text, unsigned int used)
{
	size_t room = COLUMNS - used, n, left = strlen(text);
	bool whole = printable_width(text) <= room;

	room -= whole ? 0 : 2;
	for (; left && room; room--, left -= n, text += n) {
		n = printable_char(text, left);
		n = n ? n : 1;
		fwrite(text, 1, n, f);
	}
	fputs(whole ? "" : "..", f);
}

/* Ends the line. The JSON has the whole of a name that is too long. */
static void print_name(FILE *f, const struct difference *d, const struct change *c,
		       bool two, unsigned int used)
{
	char name[FUNCTION_LEN], text[FUNCTION_LEN + 8], likely[FUNCTION_LEN + 32] = "";
	const struct change *o = &d->change[c->with];

	snprintf(text, sizeof(text), "%s%s", function_name(name, c->name, c->module),
		 two && !c->in[0] ? ", new" : two && !c->in[1] ? ", gone" : "");
	if (c->likely)
		snprintf(likely, sizeof(likely), c->likely == LIKELY_RENAMED ? "likely %s" :
			 "likely inlined in %s", function_name(name, o->name, o->module));
	print_cut(f, text, used);
	if (*likely && used + printable_width(text) + 2 + printable_width(likely) <= COLUMNS) {
		fprintf(f, ": %s", likely);
	} else if (*likely) {
		fprintf(f, "\n%*s", (int)used + 2, "");
		print_cut(f, likely, used + 2);
	}
	fputc('\n', f);
}

/* ---- one kernel ---- */

/* A row of the table: of the whole, or of one part. */
struct listed {
	const struct change *change;
	uint64_t net, inclusive;
};

static int by_net(const void *pa, const void *pb)
{
	const struct listed *a = pa, *b = pb;

	if (a->net != b->net)
		return a->net > b->net ? -1 : 1;
	if (a->inclusive != b->inclusive)
		return a->inclusive > b->inclusive ? -1 : 1;
	return strcmp(a->change->name, b->change->name);
}

/* The functions that executed any instruction of @part. */
static size_t list_part(struct listed *row, const struct difference *d, unsigned int part)
{
	const struct change *c;
	size_t n = 0;

	for (c = d->change; c < d->change + d->n; c++)
		if (c->part[0][part])
			row[n++] = (struct listed){
				c, c->part[0][part], c->part_inclusive[0][part],
			};
	return n;
}

/* The same of the whole; with @callers also those that only called others. */
static size_t list_all(struct listed *row, const struct difference *d, bool callers)
{
	const struct change *c;
	size_t n = 0;

	for (c = d->change; c < d->change + d->n; c++)
		if (c->net[0] || callers)
			row[n++] = (struct listed){ c, c->net[0], c->inclusive[0] };
	return n;
}

/* At most @most of the @n rows, and the sum of the others. */
static void print_rows(FILE *f, const struct difference *d, struct listed *row,
		       size_t n, size_t most)
{
	char net[CELL_LEN], inclusive[CELL_LEN];
	uint64_t rest = 0;
	size_t i;

	fprintf(f, "%10s %10s  %s\n", "net", "inclusive", "function");
	qsort(row, n, sizeof(*row), by_net);
	for (i = 0; i < n && i < most; i++) {
		fprintf(f, "%10s %10s  ", mean(net, (int64_t)row[i].net, d->pairs, false),
			mean(inclusive, (int64_t)row[i].inclusive, d->pairs, false));
		print_name(f, d, row[i].change, false, 10 + 1 + 10 + 2);
	}
	for (; i < n; i++)
		rest += row[i].net;
	if (n > most)
		fprintf(f, "%10s %10s  in %zu more\n", mean(net, (int64_t)rest, d->pairs, false),
			"", n - most);
	fputc('\n', f);
}

/*
 * The end of "wake.irq NS ns = INSTRUCTIONS instructions", where the @m->step of the clock is so
 * coarse that both differ.
 */
static void print_rounded(FILE *f, const struct measured *m, int64_t ns, unsigned int pairs)
{
	char text[CELL_LEN];

	if (m->step > 1 && ns)
		fprintf(f, ", %s by the clock's step of %" PRIu32 " ns", mean(text, ns, pairs, true),
			m->step);
	fputc('\n', f);
}

static void print_part(FILE *f, const struct difference *d, unsigned int part,
		       const struct measured *m, struct listed *row)
{
	char ns[CELL_LEN], asleep[CELL_LEN], n[CELL_LEN];
	size_t i, rows = list_part(row, d, part);
	uint64_t sum = 0;

	for (i = 0; i < rows; i++)
		sum += row[i].net;
	if (!rows)
		return;
	fprintf(f, "%s %s ns = ", part_name(part), mean(ns, (int64_t)m->part[part], d->pairs, false));
	if (part == TLOB_WAKE_IRQ_DELAY)
		fprintf(f, "%s asleep + ", mean(asleep, (int64_t)m->asleep, d->pairs, false));
	fprintf(f, "%s instructions", mean(n, (int64_t)sum, d->pairs, false));
	print_rounded(f, m, (int64_t)(m->part[part] - sum -
				      (part == TLOB_WAKE_IRQ_DELAY ? m->asleep : 0)), d->pairs);
	print_rows(f, d, row, rows, MOST_OF_PART);
}

/* Prints what the task itself did until t3. */
static void print_work(FILE *f, const struct difference *d, const struct measured *m,
		       struct listed *row)
{
	char ns[CELL_LEN], n[CELL_LEN];

	fprintf(f, "t2 to t3 %s ns = %s instructions", mean(ns, (int64_t)m->work, d->pairs, false),
		mean(n, (int64_t)d->net[0], d->pairs, false));
	print_rounded(f, m, (int64_t)(m->work - d->net[0]), d->pairs);
	print_rows(f, d, row, list_all(row, d, false), MOST_OF_PART);
}

static int print_functions(FILE *f, const struct explanation *x, const struct measured *m)
{
	const struct difference *d = explained(x);
	struct listed *row = calloc(d->n + x->work.n + 1, sizeof(*row));
	unsigned int part;

	if (!row)
		return fail(-ENOMEM, "out of memory");
	for (part = 0; d->divided && part < WAKE_PARTS; part++)
		print_part(f, d, part, m, row);
	if (!d->divided && !x->region)
		fprintf(f, "not divided into parts: an nmi came, or the hooks are osnoise's\n");
	if (!d->divided)
		print_rows(f, d, row, list_all(row, d, x->region), MOST_ROWS);
	if (!x->region)
		print_work(f, &x->work, m, row);
	free(row);
	return 0;
}

static void print_measured(FILE *f, const struct explanation *x,
			   const struct measured *m)
{
	char ns[CELL_LEN], asleep[CELL_LEN], n[CELL_LEN];
	unsigned int p = x->pairs, span = x->region ? SPAN_WORK : SPAN_WAKE;

	fprintf(f, x->region ? "elapsed %s ns = %s asleep + %s instructions\n" :
			       "wake %s ns = %s asleep past the expiry + %s instructions\n",
		mean(ns, (int64_t)(x->region ? m->work : m->wake), p, false),
		mean(asleep, (int64_t)m->asleep, p, false),
		mean(n, (int64_t)m->instructions, p, false));
	fprintf(f, "lines of 64 bytes: %s of code, %s of data; %s conditional branches\n\n",
		mean(ns, (int64_t)m->code[span], p, false),
		mean(asleep, (int64_t)m->data[span], p, false),
		mean(n, (int64_t)m->branches[span], p, false));
}

struct path_use {
	size_t path, windows;
	uint64_t least, most;		/* wake or elapsed, ns */
};

static int by_windows(const void *pa, const void *pb)
{
	const struct path_use *a = pa, *b = pb;

	if (a->windows != b->windows)
		return a->windows > b->windows ? -1 : 1;
	return a->path < b->path ? -1 : a->path > b->path;
}

/* Names the largest change between the paths of @u and @usual. */
static int print_path(FILE *f, struct executed *e, const struct path_use *u,
		      const struct path_use *usual)
{
	const struct path *p = &e->profile.path[u->path];
	const struct tally *a, *b;
	char name[FUNCTION_LEN], text[FUNCTION_LEN + CELL_LEN];
	struct difference d;
	int err;

	fprintf(f, "%10zu %12" PRIu64 " %9" PRIu64 " %9" PRIu64 "  ", u->windows,
		executed_length(e, p), u->least, u->most);
	if (u == usual) {
		fprintf(f, "the usual one\n");
		return 0;
	}
	a = executed_tally(e, usual->path);
	b = executed_tally(e, u->path);
	if (!a || !b)
		return -ENOMEM;
	err = difference_make(&d, &a, &b, 1, executed_span(e));
	if (err)
		return fail(err, "out of memory");
	if (d.n && change_of(&d.change[0])) {
		snprintf(text, sizeof(text), "%+" PRId64 " %s", change_of(&d.change[0]),
			 function_name(name, d.change[0].name, d.change[0].module));
		print_cut(f, text, 10 + 1 + 12 + 1 + 9 + 1 + 9 + 2);
		fputc('\n', f);
	} else {
		fprintf(f, "as many, in another order\n");
	}
	difference_free(&d);
	return 0;
}

static int print_paths(FILE *f, struct executed *e)
{
	struct path_use *use = calloc(e->profile.paths, sizeof(*use));
	size_t i;
	int err = 0;

	if (!use)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < e->profile.paths; i++)
		use[i] = (struct path_use){ .path = i, .least = UINT64_MAX };
	for (i = 0; i < e->profile.windows; i++) {
		struct path_use *u = &use[e->profile.window[i].path];
		uint64_t ns = executed_time(e, i);

		u->windows++;
		u->least = ns < u->least ? ns : u->least;
		u->most = ns > u->most ? ns : u->most;
	}
	qsort(use, e->profile.paths, sizeof(*use), by_windows);
	fprintf(f, "%zu windows took %zu paths\n%10s %12s %9s %9s  %s\n", e->profile.windows,
		e->profile.paths, "windows", "instructions", e->region ? "ns, from" : "wake from",
		"to", "largest difference");
	for (i = 0; i < e->profile.paths && i < MOST_PATHS && !err; i++)
		err = print_path(f, e, &use[i], &use[0]);
	if (!err && i < e->profile.paths)
		fprintf(f, "and %zu more\n", e->profile.paths - i);
	free(use);
	return err;
}

/* ---- two ---- */

/* A function that is left out of the table: @i have a larger change. */
static bool is_minor(const struct difference *d, const struct change *c, size_t i)
{
	int64_t n = change_of(c);

	return i >= MOST_ROWS || (n < 0 ? -n : n) * 20 < d->pairs;
}

/* @pairs: what the column with their number is called. */
static void print_changes(FILE *f, const struct difference *d, const char *pairs_are)
{
	char more[CELL_LEN], a[CELL_LEN], b[CELL_LEN], inclusive[CELL_LEN], pairs[CELL_LEN], part[CELL_LEN];
	unsigned int width = d->pairs > 1 ? strlen(pairs_are) : 0;
	/* the formats below */
	unsigned int used = 8 + 1 + 6 + 1 + 6 + 1 + 10 + width + (d->divided ? 10 : 0) + 2;
	int64_t rest = 0;
	size_t i, left = 0;

	fprintf(f, "%8s %6s %6s %10s%s%s  %s\n", "B - A", "A", "B", "inclusive",
		d->pairs > 1 ? pairs_are : "", d->divided ? " part     " : "", "function");
	for (i = 0; i < d->n; i++) {
		const struct change *c = &d->change[i];

		if (!c->changed)
			continue;
		if (is_minor(d, c, i)) {
			rest += change_of(c);
			left++;
			continue;
		}
		pairs[0] = 0;
		if (d->pairs > 1)
			snprintf(pairs, sizeof(pairs), "%*u", (int)width, c->changed);
		part[0] = 0;
		if (d->divided)
			snprintf(part, sizeof(part), " %-9s", part_short_name(change_part(c)));
		fprintf(f, "%8s %6s %6s %10s%s%s  ", mean(more, change_of(c), d->pairs, true),
			some(a, c->net[0], d->pairs), some(b, c->net[1], d->pairs),
			mean(inclusive, (int64_t)(c->inclusive[1] - c->inclusive[0]), d->pairs, true),
			pairs, part);
		print_name(f, d, c, true, used);
	}
	if (left)
		fprintf(f, "%8s %24s%*s%s  in %zu more\n", mean(more, rest, d->pairs, true), "",
			(int)width, "", d->divided ? "          " : "", left);
}

static void print_sides(FILE *f, const char *what, uint64_t a, uint64_t b,
			unsigned int pairs)
{
	char ca[CELL_LEN], cb[CELL_LEN], cd[CELL_LEN];

	fprintf(f, "%-34s %10s %10s %10s\n", what, mean(ca, (int64_t)a, pairs, false),
		mean(cb, (int64_t)b, pairs, false), mean(cd, (int64_t)(b - a), pairs, true));
}

static void print_both(FILE *f, const struct explanation *x,
		       const struct measured *a, const struct measured *b)
{
	int64_t grew = 0, shrank = 0;
	char g[CELL_LEN], s[CELL_LEN], name[64];
	const struct difference *all = explained(x);
	unsigned int p = x->pairs, span = x->region ? SPAN_WORK : SPAN_WAKE, k;
	size_t i;

	for (i = 0; i < all->n; i++) {
		int64_t d = change_of(&all->change[i]);

		*(d > 0 ? &grew : &shrank) += d;
	}
	fprintf(f, "%-34s %10s %10s %10s\n", "", "A", "B", "B - A");
	if (x->region)
		print_sides(f, "elapsed, ns", a->work, b->work, p);
	else
		print_sides(f, "wake, ns", a->wake, b->wake, p);
	for (k = 0; k < WAKE_PARTS; k++) {
		snprintf(name, sizeof(name), "  %s, ns", part_name(k));
		if (a->part[k] || b->part[k])
			print_sides(f, name, a->part[k], b->part[k], p);
	}
	print_sides(f, x->region ? "  asleep, ns" : "  asleep past the expiry, ns", a->asleep,
		    b->asleep, p);
	print_sides(f, "  instructions", a->instructions, b->instructions, p);
	fprintf(f, "%-56s %10s\n%-56s %10s\n", "    more", mean(g, grew, p, true),
		"    less", mean(s, shrank, p, true));
	print_sides(f, "  conditional branches", a->branches[span], b->branches[span], p);
	print_sides(f, "  lines of code, 64 bytes", a->code[span], b->code[span], p);
	print_sides(f, "  lines of data, 64 bytes", a->data[span], b->data[span], p);
	if (!x->region)
		print_sides(f, "t2 to t3, ns", a->work, b->work, p);
	fputc('\n', f);
}

static void print_tail(FILE *f, const struct explanation *x)
{
	const struct executed *e = &x->side[0].boot[0];

	fprintf(f, "\np99 window - p50 window: %+" PRId64 " ns = %+" PRId64 " asleep %+" PRId64 " instructions\n",
		(int64_t)(executed_time(e, x->late) - executed_time(e, x->typical)),
		(int64_t)(executed_asleep(e, x->late) - executed_asleep(e, x->typical)),
		(int64_t)(x->tail.net[1] - x->tail.net[0]));
	if (x->tail.net[1] != x->tail.net[0])
		print_changes(f, &x->tail, "");
}

static int text_of_one(FILE *f, const struct explanation *x, const struct measured *m)
{
	struct executed *e = &x->side[0].boot[0];
	const struct record *r = e->records.record;
	int err;

	fprintf(f, "%s, %s window", x->side[0].name, x->which);
	if (x->mean)
		fprintf(f, " of %u", x->pairs);
	else if (x->pairs == 1)
		fprintf(f, ": %s %" PRIu64, x->region ? "number" : "activation",
			r[x->side[0].window[0]].activation);
	else
		fprintf(f, "s of %u runs, means", x->pairs);
	fputc('\n', f);
	print_measured(f, x, m);
	err = print_functions(f, x, m);
	if (!err)
		err = print_paths(f, e);
	if (!err && x->late != x->typical)
		print_tail(f, x);
	return err;
}

static void text_of_two(FILE *f, const struct explanation *x, const struct measured *a,
			const struct measured *b)
{
	const char *pairs_are = x->mean ? " windows" : "  pairs";

	fprintf(f, "A %s\nB %s\n", x->side[0].name, x->side[1].name);
	if (x->mean)
		fprintf(f, "mean of %u windows", x->pairs);
	else
		fprintf(f, "%s window%s", x->which, x->pairs > 1 ? "s" : "");
	if (!x->region)
		fputs(" of `wake`", f);
	if (x->pairs > 1 && !x->mean)
		fprintf(f, " of %u pairs, means", x->pairs);
	fputs("\n\n", f);
	print_both(f, x, a, b);
	print_changes(f, explained(x), pairs_are);
	if (!x->region && x->work.net[0] != x->work.net[1]) {
		fputs("\nt2 to t3\n", f);
		print_changes(f, &x->work, pairs_are);
	}
}

int explain_text(FILE *f, const struct explanation *x)
{
	struct measured a, b = { 0 };
	int err = explain_measured(x, 0, &a);

	if (!err && x->sides > 1)
		err = explain_measured(x, 1, &b);
	if (err)
		return err;
	if (x->region)
		fprintf(f, "%s from %s to %s\n", x->region->program, x->region->start,
			x->region->stop);
	if (x->sides == 1)
		err = text_of_one(f, x, &a);
	else
		text_of_two(f, x, &a, &b);
	return err ? err : ferror(f) ? fail(-EIO, "cannot write the explanation") : 0;
}
