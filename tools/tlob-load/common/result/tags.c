// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/tables.h"
#include "result/tags.h"
#include "util/memstream.h"

#define LETTERS	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

bool tag_is_name(const char *name, size_t n)
{
	return n && n <= TAG_NAME_MAX && strspn(name, LETTERS) &&
	       strspn(name, LETTERS "0123456789") >= n;
}

int tag_list_add(struct tag_list *list, const char *text, char *reason, unsigned int size)
{
	size_t n = strcspn(text, "=");
	unsigned int i;

	if (!text[n] || !tag_is_name(text, n)) {
		snprintf(reason, size, "give NAME=VALUE, NAME of letters, digits and _, as in rack=b7");
		return -EINVAL;
	}
	for (i = 0; i < list->n; i++)
		if (!strncmp(list->at[i], text, n + 1)) {
			snprintf(reason, size, "%.*s has a value already: give each name once", (int)n, text);
			return -EINVAL;
		}
	if (list->n == TAGS_MAX) {
		snprintf(reason, size, "more than %d tags: leave some out", TAGS_MAX);
		return -EINVAL;
	}
	list->at[list->n++] = text;
	return 0;
}

int tags_add(struct tags *tags, char *name, char *value)
{
	tags->at[tags->n++] = (struct tag){ .name = name, .value = value };
	return name && value ? 0 : -ENOMEM;
}

int tags_set(struct tags *tags, const struct tag_list *list)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < list->n && !err; i++) {
		size_t n = strcspn(list->at[i], "=");

		err = tags_add(tags, strndup(list->at[i], n), strdup(list->at[i] + n + 1));
	}
	return err;
}

static void drop(struct tag *tag)
{
	free(tag->name);
	free(tag->value);
}

void tags_free(struct tags *tags)
{
	while (tags->n)
		drop(&tags->at[--tags->n]);
}

static bool has(const struct tags *tags, const struct tag *tag)
{
	size_t i;

	for (i = 0; i < tags->n; i++)
		if (!strcmp(tags->at[i].name, tag->name))
			return !strcmp(tags->at[i].value, tag->value);
	return false;
}

void tags_keep(struct tags *a, const struct tags *b)
{
	size_t i, kept = 0;

	for (i = 0; i < a->n; i++)
		if (has(b, &a->at[i]))
			a->at[kept++] = a->at[i];
		else
			drop(&a->at[i]);
	a->n = kept;
}

char *tags_text(const struct tags *tags)
{
	char *text = NULL;
	size_t size, i;
	FILE *f = tags->n ? open_memstream(&text, &size) : NULL;

	for (i = 0; f && i < tags->n; i++)
		fprintf(f, "%s%s=%s", i ? " " : "", tags->at[i].name, tags->at[i].value);
	return memstream_text(f, &text);
}

void put_tags(struct builder *b, struct json_object *to, const struct field *f, const void *data)
{
	const struct tags *tags = (const void *)((const char *)data + f->at);
	struct json_object *o;
	size_t i;

	if (!tags->n)
		return;
	o = put_object(b, to, f->key);
	for (i = 0; i < tags->n; i++)
		put_text(b, o, tags->at[i].name, tags->at[i].value);
}
