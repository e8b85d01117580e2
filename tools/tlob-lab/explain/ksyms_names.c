// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <string.h>

#include "explain/ksyms_names.h"

/* Name @i of a function: its own, then its aliases; NULL: it has no more. */
static const char *name_at(const struct ksym_used *f, size_t i)
{
	const struct ksym *alias;
	size_t n;

	if (!i)
		return f->s->own;
	alias = ksyms_aliases(f->of, f->s, &n);
	return i <= n ? alias[i - 1].own : NULL;
}

static bool has_name(const struct ksym_used *f, const char *name)
{
	const char *own;
	size_t i;

	for (i = 0; (own = name_at(f, i)); i++)
		if (!strcmp(own, name))
			return true;
	return false;
}

static bool share_name(const struct ksym_used *a, const struct ksym_used *b)
{
	const char *name;
	size_t i;

	if (strcmp(a->s->module, b->s->module))
		return false;
	for (i = 0; (name = name_at(a, i)); i++)
		if (has_name(b, name))
			return true;
	return false;
}

static void join(struct ksym_used *list, size_t n, size_t a, size_t b)
{
	size_t to = list[a].same < list[b].same ? list[a].same : list[b].same;
	size_t from = list[a].same < list[b].same ? list[b].same : list[a].same, i;

	for (i = 0; i < n; i++)
		if (list[i].same == from)
			list[i].same = to;
}

/* Weighs the name: how many functions that are one with @first have it, and are shown by it. */
static size_t weight(const struct ksym_used *list, size_t n, size_t first, const char *name)
{
	size_t have = 0, shown = 0, i;

	for (i = first; i < n; i++) {
		if (list[i].same != first)
			continue;
		have += has_name(&list[i], name);
		shown += !strcmp(list[i].s->own, name);
	}
	return have * (n + 1) + shown;
}

static const char *best_name(const struct ksym_used *list, size_t n, size_t first)
{
	const char *best = NULL, *name;
	size_t most = 0, i, k, w;

	for (i = first; i < n; i++)
		for (k = 0; list[i].same == first && (name = name_at(&list[i], k)); k++) {
			w = weight(list, n, first, name);
			if (!best || w > most || (w == most && strcmp(name, best) < 0)) {
				best = name;
				most = w;
			}
		}
	return best;
}

void ksyms_unite(struct ksym_used *list, size_t n)
{
	const char *name;
	bool joined;
	size_t i, k;

	for (i = 0; i < n; i++) {
		list[i].same = i;
		list[i].s->name = list[i].s->own;
	}
	/* two without an alias share a name only if it is the same */
	for (i = 0; i < n; i++)
		for (k = 0; name_at(&list[i], 1) && k < n; k++)
			if (k != i && share_name(&list[i], &list[k]))
				join(list, n, i, k);
	for (i = 0; i < n; i++) {
		joined = false;
		for (k = i + 1; k < n && list[i].same == i; k++)
			joined |= list[k].same == i;
		if (!joined)
			continue;
		name = best_name(list, n, i);
		for (k = i; k < n; k++)
			if (list[k].same == i)
				list[k].s->name = name;
	}
}

const struct ksym *ksyms_named(const struct ksyms *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->n; i++)
		if (!strcmp(k->sym[i].name, name))
			return &k->sym[i];
	return NULL;
}
