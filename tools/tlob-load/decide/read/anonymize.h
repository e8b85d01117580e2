/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --anonymize: takes what names a host, a user or a program out of a result. The rows of the
 * tables say which texts these are: FIELD_PRIVATE, FIELD_FREE_TEXT.
 *
 * An alias is a random number, the same for the whole call, and a serial number: "3f9a1c77-1b".
 * So it says nothing about the value, equal values stay equal, and the aliases of two calls do
 * not mix.
 */
#ifndef TLOB_READ_ANONYMIZE_H
#define TLOB_READ_ANONYMIZE_H

#include <stdint.h>

struct field;
struct result;

struct aliases {
	void	*by_value;		/* tsearch() */
	uint32_t call;			/* random */
	unsigned int n;			/* at most 2^24 - 1, then there is no memory */
	int	 err;			/* 0 or -ENOMEM: then values may be left */
};

void aliases_begin(struct aliases *a);
void aliases_free(struct aliases *a);

/* Each leaves a note in the result. 0 or -ENOMEM, printed: then the result must not be shown. */
int  result_anonymize(struct result *r, struct aliases *a);

/* For struct special. An alias in the place of *@text, from malloc() or NULL. */
void hide_text(struct aliases *a, char **text);

/* The same of a FIELD_CHARS with the name of a task; those of the kernel's own threads stay. */
void hide_task(struct aliases *a, const struct field *f, void *data);

#endif /* TLOB_READ_ANONYMIZE_H */
