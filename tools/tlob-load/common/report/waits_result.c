// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/waits_result.h"
#include "util/array.h"
#include "util/units.h"
#include "util/usage.h"
#include "waitstack.h"

void waits_result_free(struct waits_result *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		free(r->entry[i].text);
	for (i = 0; i < r->nchain; i++) {
		free(r->chain[i].task);
		attach_wait_clear(&r->chain[i].wait);
	}
	free(r->chain);
	free(r->critical.row);
	free(r->entry);
	free(r->command);
	free(r->kernel);
	free(r->machine);
	free(r->scope);
	free(r->backend);
	memset(r, 0, sizeof(*r));
}

void waits_put_name(FILE *f, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' || *name == '\n' ? ':' : *name, f);
}

int waits_result_add(struct waits_result *r, char *text, const struct tlob_wait_total *blocked)
{
	struct waits_entry *e = text ? array_add(r->entry, r->n, r->room) : NULL;

	if (!e) {
		free(text);
		return -ENOMEM;
	}
	*e = (struct waits_entry){ .text = text, .blocked = *blocked };
	r->n++;
	return 0;
}

int waits_result_add_chain(struct waits_result *r, char *task, uint32_t tid, const struct attach_wait *wait)
{
	struct waits_chain *c = task ? array_add(r->chain, r->nchain, r->chain_room) : NULL;
	struct attach_wait gone = *wait;

	if (!c) {
		free(task);
		attach_wait_clear(&gone);
		return -ENOMEM;
	}
	*c = (struct waits_chain){ .task = task, .tid = tid, .wait = *wait };
	r->nchain++;
	return 0;
}

static int by_longest(const void *pa, const void *pb)
{
	const struct waits_chain *a = pa, *b = pb;

	if (a->wait.ns != b->wait.ns)
		return a->wait.ns < b->wait.ns ? 1 : -1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int by_text(const void *pa, const void *pb)
{
	return strcmp(((const struct waits_entry *)pa)->text, ((const struct waits_entry *)pb)->text);
}

void waits_result_sort(struct waits_result *r)
{
	size_t i, n = 0;

	if (r->nchain)
		qsort(r->chain, r->nchain, sizeof(*r->chain), by_longest);
	if (!r->n)
		return;
	qsort(r->entry, r->n, sizeof(*r->entry), by_text);
	for (i = 1; i < r->n; i++) {
		if (strcmp(r->entry[i].text, r->entry[n].text)) {
			r->entry[++n] = r->entry[i];
			continue;
		}
		tlob_wait_total_merge(&r->entry[n].blocked, &r->entry[i].blocked);
		free(r->entry[i].text);
	}
	r->n = n + 1;
}

static uint64_t size_of(const struct waits_change *c)
{
	return c->more_ns < 0 ? -(uint64_t)c->more_ns : (uint64_t)c->more_ns;
}

static int by_change(const void *pa, const void *pb)
{
	const struct waits_change *a = pa, *b = pb;

	if (size_of(a) != size_of(b))
		return size_of(a) < size_of(b) ? 1 : -1;
	return strcmp(a->text, b->text);
}

/* Both are sorted by text. */
int waits_changes(const struct waits_result *a, const struct waits_result *b,
		  struct waits_change **list, size_t *n)
{
	struct waits_change *c = calloc(a->n + b->n + 1, sizeof(*c));
	size_t i = 0, k = 0, at = 0;

	if (!c)
		return -ENOMEM;
	while (i < a->n || k < b->n) {
		int order = i == a->n ? 1 : k == b->n ? -1 :
			    strcmp(a->entry[i].text, b->entry[k].text);

		c[at].text = order <= 0 ? a->entry[i].text : b->entry[k].text;
		if (order <= 0)
			c[at].side[0] = a->entry[i++].blocked;
		if (order >= 0)
			c[at].side[1] = b->entry[k++].blocked;
		c[at].more_ns = (int64_t)(c[at].side[1].total_ns - c[at].side[0].total_ns);
		at++;
	}
	qsort(c, at, sizeof(*c), by_change);
	*list = c;
	*n = at;
	return 0;
}

int waits_comparable(const struct waits_result *a, const struct waits_result *b, char *why,
		     size_t size)
{
	char first[DURATION_LEN], second[DURATION_LEN];

	if (strcmp(a->scope, b->scope))
		return usage_error(why, size, "the scopes differ: %s and %s", a->scope, b->scope);
	if (a->threshold_ns != b->threshold_ns)
		return usage_error(why, size, "the thresholds differ: %s and %s",
				   duration_exact(first, a->threshold_ns),
				   duration_exact(second, b->threshold_ns));
	return 0;
}
