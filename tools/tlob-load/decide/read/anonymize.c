// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/anonymize.h"
#include "read/fields.h"
#include "result/attached.h"
#include "result/field_local.h"
#include "result/tables.h"
#include "util/error.h"
#include "util/random.h"

#define ALIAS_LEN	TLOB_NAME_LEN	/* the shortest FIELD_CHARS */
#define ALIASES_MAX	0xffffffU	/* as many have room in it */

struct alias {
	char *value;
	char text[ALIAS_LEN];
};

static int by_value(const void *a, const void *b)
{
	return strcmp(((const struct alias *)a)->value, ((const struct alias *)b)->value);
}

static void free_alias(void *data)
{
	struct alias *alias = data;

	free(alias->value);
	free(alias);
}

void aliases_begin(struct aliases *a)
{
	*a = (struct aliases){ .call = (uint32_t)random_seed() };
}

void aliases_free(struct aliases *a)
{
	tdestroy(a->by_value, free_alias);
	*a = (struct aliases){ .n = 0 };
}

static struct alias *new_alias(struct aliases *a, const char *value)
{
	struct alias *new = a->n < ALIASES_MAX ? calloc(1, sizeof(*new)) : NULL;

	if (!new)
		return NULL;
	new->value = strdup(value);
	snprintf(new->text, sizeof(new->text), "%08x-%x", a->call, a->n + 1);
	if (new->value && tsearch(new, &a->by_value, by_value)) {
		a->n++;
		return new;
	}
	free_alias(new);
	return NULL;
}

/* Returns "" without memory, and sets a->err: the value itself never stays. */
static const char *alias_of(struct aliases *a, const char *value)
{
	const struct alias key = { .value = (char *)value };
	struct alias **found = tfind(&key, &a->by_value, by_value), *alias;

	alias = found ? *found : new_alias(a, value);
	if (!alias)
		a->err = -ENOMEM;
	return alias ? alias->text : "";
}

void hide_text(struct aliases *a, char **text)
{
	char *alias;

	if (!*text || !**text)
		return;
	alias = strdup(alias_of(a, *text));
	if (!alias)
		a->err = -ENOMEM;
	free(*text);
	*text = alias;
}

static void hide_chars(struct aliases *a, const struct field *f, void *data)
{
	char *at = (char *)data + f->at, *value = strndup(at, f->size);

	if (!value)
		a->err = -ENOMEM;
	memset(at, 0, f->size);
	if (value && *value)
		snprintf(at, f->size, "%s", alias_of(a, value));
	free(value);
}

/* "ktimers/3", or a word for an interrupt: anything behind it but a number may be a user's. */
static bool is_of_kernel(const char *name)
{
	static const char *const words[] = {
		"swapper", "ksoftirqd", "ktimers", "migration", "rcuc", "rcub", "cpuhp",
		"idle_inject", "irq_work", "backlog_napi", "rcu_preempt", "rcu_sched", "kthreadd",
		"timer", "irq", "softirq", "nmi", "unknown",
	};
	size_t i, n;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		n = strlen(words[i]);
		if (strncmp(name, words[i], n))
			continue;
		n += name[n] == '/';
		n += strspn(name + n, "0123456789");
		if (!name[n])
			return true;
	}
	return false;
}

void hide_task(struct aliases *a, const struct field *f, void *data)
{
	char name[TLOB_NAME_LEN + 1] = "";

	memcpy(name, (const char *)data + f->at, TLOB_NAME_LEN);
	if (!is_of_kernel(name))
		hide_chars(a, f, data);
}

static void drop_text(const struct field *f, void *data)
{
	char **text = (void *)((char *)data + f->at);

	/* a key that is never null has an empty text */
	if (*text && !(f->flags & (FIELD_NULL | FIELD_LEFT_OUT))) {
		**text = 0;
		return;
	}
	free(*text);
	*text = NULL;
}

static void drop_texts(char ***texts)
{
	notes_free(*texts);
	*texts = NULL;
}

static void hide_value(const struct fields *r, const struct field *f, void *data, struct aliases *a)
{
	const struct special *s = special_of(r, f->key);
	void *at = (char *)data + f->at;

	if (s->hide)
		s->hide(a, f, data);
	else if (f->flags & FIELD_TASK)
		hide_task(a, f, data);
	else if (f->type == FIELD_TEXTS)
		drop_texts(at);
	else if (f->type == FIELD_CHARS)
		hide_chars(a, f, data);
	else if (f->flags & FIELD_PRIVATE)
		hide_text(a, at);
	else
		drop_text(f, data);
}

static void hide_list(const struct field *f, void *data, struct aliases *a)
{
	size_t n = number_load((const char *)data + f->n, f->nsize), i;
	char *at = f->type == FIELD_LIST ? (char *)data + f->at : field_pointer(f, data);

	for (i = 0; i < n; i++)
		record_hide(f->of, at + i * f->of->size, a);
}

void record_hide(const struct fields *r, void *data, struct aliases *a)
{
	const struct field *f;

	for (f = r->field; f < r->field + r->nfields; f++) {
		if (f->flags & (FIELD_PRIVATE | FIELD_FREE_TEXT)) {
			hide_value(r, f, data, a);
			continue;
		}
		switch (f->type) {
		case FIELD_SAME:
			record_hide(f->of, data, a);
			break;
		case FIELD_RECORD:
			record_hide(f->of, (char *)data + f->at, a);
			break;
		case FIELD_POINTER:
			if (field_pointer(f, data))
				record_hide(f->of, field_pointer(f, data), a);
			break;
		case FIELD_LIST:
		case FIELD_NEW_LIST:
			hide_list(f, data, a);
			break;
		default:
			break;
		}
	}
}

int result_anonymize(struct result *r, struct aliases *a)
{
	size_t n = 0;

	while (r->notes && r->notes[n])
		n++;
	record_hide(&result_record, r, a);
	/* what was measured is made of names that have aliases now */
	if (r->attached && attach_describe(r))
		a->err = -ENOMEM;
	if (notes_add(&r->notes, "anonymized: names are aliases, free texts are left out (notes: %zu)", n))
		a->err = -ENOMEM;
	return a->err ? fail(a->err, "out of memory") : 0;
}
