/* SPDX-License-Identifier: GPL-2.0 */
/* The labels of --tag NAME=VALUE, by which a site finds its results again. */
#ifndef TLOB_RESULT_TAGS_H
#define TLOB_RESULT_TAGS_H

#include <stdbool.h>
#include <stddef.h>

#define TAGS_MAX	32
#define TAG_NAME_MAX	63

/* "NAME=VALUE", as given. */
struct tag_list {
	unsigned int n;
	const char *at[TAGS_MAX];
};

/*
 * Adds @text. 0, or -EINVAL with one line in @reason: the name is not a letter or _ with letters,
 * digits and _ behind it, is there already, or the list is full.
 */
int tag_list_add(struct tag_list *list, const char *text, char *reason, unsigned int size);

/* The rule of Prometheus for names of labels. */
bool tag_is_name(const char *name, size_t n);

struct tags {
	size_t n;
	struct tag {
		char *name, *value;	/* from malloc() */
	} at[TAGS_MAX];
};

/* Takes over both, from malloc(); fewer than TAGS_MAX are there. 0; -ENOMEM: one is NULL. */
int  tags_add(struct tags *tags, char *name, char *value);

/* Fills @tags, which is empty. 0 or -ENOMEM; then tags_free(). */
int  tags_set(struct tags *tags, const struct tag_list *list);
void tags_free(struct tags *tags);

/* Removes from @a what @b does not have, or has with another value. */
void tags_keep(struct tags *a, const struct tags *b);

/* "a=1 b=2", from malloc(); NULL without tags, or without memory. */
char *tags_text(const struct tags *tags);

#endif /* TLOB_RESULT_TAGS_H */
