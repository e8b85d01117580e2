// SPDX-License-Identifier: GPL-2.0
/* Choosing the windows and comparing them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/demangle.h"
#include "explain/explain.h"
#include "explain/ksyms_names.h"
#include "util/array.h"
#include "util/error.h"
#include "util/printable.h"

static double share_of(const char *which)
{
	return !strcmp(which, "max") ? 1 : !strcmp(which, "p99") ? 0.99 : 0.5;
}

static size_t path_of(const struct side *s, unsigned int pair)
{
	return side_boot(s, pair)->profile.window[s->window[pair]].path;
}

/* The tallies of a side's windows, one for each pair (malloc). */
static const struct tally **tallies(const struct explanation *x, unsigned int side)
{
	const struct tally **t = calloc(x->pairs, sizeof(const struct tally *));
	const struct side *s = &x->side[side];
	unsigned int i;

	for (i = 0; t && i < x->pairs; i++) {
		t[i] = executed_tally(side_boot(s, i), path_of(s, i));
		if (!t[i]) {
			free(t);
			return NULL;
		}
	}
	return t;
}

/* All windows but the warm-up: @most of each boot. */
static int choose_of_side(struct side *s, size_t most)
{
	size_t *window, i;
	unsigned int boot;

	s->window = calloc(most * s->boots + 1, sizeof(*s->window));
	if (!s->window)
		return fail(-ENOMEM, "out of memory");
	for (boot = 0; boot < s->boots; boot++) {
		window = calloc(s->boot[boot].records.n + 1, sizeof(*window));
		if (!window)
			return fail(-ENOMEM, "out of memory");
		executed_measured(&s->boot[boot], window);
		for (i = 0; i < most; i++)
			s->window[i * s->boots + boot] = window[i];
		free(window);
	}
	return 0;
}

/* Of each boot so many windows as the one with the fewest has. */
static int choose_all(struct explanation *x)
{
	size_t most = SIZE_MAX, n;
	unsigned int side, i;
	int err = 0;

	for (side = 0; side < x->sides; side++)
		for (i = 0; i < x->side[side].boots; i++) {
			n = executed_measured(&x->side[side].boot[i], NULL);
			most = n < most ? n : most;
		}
	if (!most)
		return fail(-ENODATA, "all windows are warm-up: nothing to explain");
	x->pairs = most * x->side[0].boots;
	for (side = 0; side < x->sides && !err; side++)
		err = choose_of_side(&x->side[side], most);
	return err;
}

static int choose(struct explanation *x)
{
	unsigned int side, i;
	int err;

	x->mean = !strcmp(x->which, "mean");
	if (x->mean)
		return choose_all(x);
	x->pairs = x->side[0].boots;
	for (side = 0; side < x->sides; side++) {
		struct side *s = &x->side[side];

		s->window = calloc(s->boots, sizeof(*s->window));
		err = s->window ? 0 : fail(-ENOMEM, "out of memory");
		for (i = 0; i < s->boots && !err; i++)
			err = executed_window_at(&s->boot[i], share_of(x->which), &s->window[i]);
		if (err)
			return err;
	}
	return 0;
}

static int by_function(const void *pa, const void *pb)
{
	const struct ksym_used *a = pa, *b = pb;

	return (a->s > b->s) - (a->s < b->s);
}

/* Each function of each boot once: of all windows there are a million. Returns their number. */
static size_t each_once(struct ksym_used *list, size_t n)
{
	size_t kept = 0, i;

	if (n)
		qsort(list, n, sizeof(*list), by_function);
	for (i = 0; i < n; i++)
		if (!kept || list[i].s != list[kept - 1].s)
			list[kept++] = list[i];
	return kept;
}

/* Gives the functions of both sides the names that both have. */
static int unite(const struct explanation *x, const struct tally **a, const struct tally **b)
{
	const struct tally **t[2] = { a, b };
	struct ksym_used *list = NULL, *to;
	size_t n = 0, room = 0, row, i;
	unsigned int side;

	for (side = 0; side < 2; side++)
		for (i = 0; i < x->pairs; i++)
			for (row = 0; row < t[side][i]->n; row++) {
				struct ksyms *k = &side_boot(&x->side[side], i)->symbols;
				const struct ksym *f = t[side][i]->row[row].function;

				/* [user] and [unknown] are in no kernel */
				if (f < k->sym || f >= k->sym + k->n)
					continue;
				to = array_add(list, n, room);
				if (!to) {
					free(list);
					return fail(-ENOMEM, "out of memory");
				}
				*to = (struct ksym_used){ .of = k, .s = k->sym + (f - k->sym) };
				n++;
			}
	ksyms_unite(list, each_once(list, n));
	free(list);
	return 0;
}

/* Compares a late window with a typical one. */
static int prepare_tail(struct explanation *x)
{
	struct executed *e = &x->side[0].boot[0];
	const struct tally *a, *b;
	int err;

	err = executed_window_at(e, 0.5, &x->typical);
	if (!err)
		err = executed_window_at(e, 0.99, &x->late);
	if (err)
		return err;
	a = executed_tally(e, e->profile.window[x->typical].path);
	b = executed_tally(e, e->profile.window[x->late].path);
	if (!a || !b)
		return -ENOMEM;
	err = difference_make(&x->tail, &a, &b, 1, executed_span(e));
	return err ? fail(err, "out of memory") : 0;
}

int explain_prepare(struct explanation *x)
{
	const struct tally **a = NULL, **b = NULL;
	int err = choose(x);

	if (err) {
		explain_free(x);
		return err;
	}
	a = tallies(x, 0);
	b = x->sides > 1 ? tallies(x, 1) : NULL;
	if (!a || (x->sides > 1 && !b)) {
		err = -ENOMEM;
	} else {
		if (b)
			err = unite(x, a, b);
		if (!err)
			err = difference_make(&x->wake, a, b, x->pairs, SPAN_WAKE);
		if (!err)
			err = difference_make(&x->work, a, b, x->pairs, SPAN_WORK);
		if (err)
			fail(err, "out of memory");
	}
	free(a);
	free(b);
	if (!err && x->sides == 1)
		err = prepare_tail(x);
	if (err)
		explain_free(x);
	return err;
}

void explain_free(struct explanation *x)
{
	unsigned int side;

	difference_free(&x->wake);
	difference_free(&x->work);
	difference_free(&x->tail);
	for (side = 0; side < x->sides; side++) {
		free(x->side[side].window);
		x->side[side].window = NULL;
	}
}

int explain_measured(const struct explanation *x, unsigned int side,
		     struct measured *m)
{
	const struct side *s = &x->side[side];
	unsigned int i, k;

	*m = (struct measured){ .step = s->boot[0].step };
	for (i = 0; i < x->pairs; i++) {
		struct executed *e = side_boot(s, i);
		const struct record *r = &e->records.record[s->window[i]];
		const struct window *w = &e->profile.window[s->window[i]];
		const struct tally *t = executed_tally(e, w->path);

		if (!t)
			return -ENOMEM;
		m->wake += r->wake;
		m->work += r->response - r->wake;
		m->asleep += executed_asleep(e, s->window[i]);
		m->instructions += executed_length(e, executed_path(e, s->window[i]));
		for (k = 0; k < WAKE_PARTS; k++)
			m->part[k] += r->part[k];
		m->data[0] += w->lines_wake;
		m->data[1] += w->lines_work;
		for (k = 0; k < 2; k++) {
			m->code[k] += t->lines[k];
			m->branches[k] += t->branches[k];
		}
	}
	return 0;
}

/*
 * Up to @room bytes. A module of the guest or a program may have any name: what is no character of
 * a line is "?", and so is what separates the functions of a stack.
 */
static size_t put_word(char *to, size_t room, const char *word)
{
	size_t left = strlen(word), used = 0, length;

	for (; left && used < room; left -= length, word += length) {
		length = printable_char(word, left);
		if (!length || *word == ';') {
			length = 1;
			to[used++] = '?';
		} else if (length > room - used) {
			break;
		} else {
			memcpy(to + used, word, length);
			used += length;
		}
	}
	return used;
}

const char *function_name(char buf[FUNCTION_LEN], const char *name, const char *module)
{
	char *source = *module ? demangle(name) : NULL;
	size_t n = put_word(buf, *module ? 120 : 180, source ? source : name);

	free(source);
	if (*module) {
		memcpy(buf + n, " [", 2);
		n += 2;
		n += put_word(buf + n, 60, module);
		buf[n++] = ']';
	}
	buf[n] = 0;
	return buf;
}
