/* SPDX-License-Identifier: GPL-2.0 */
/* Included by every fuzz target. */
#ifndef TLOB_FUZZ_H
#define TLOB_FUZZ_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A property. abort() is a crash to the driver and to libFuzzer. */
#define CHECK(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: not true: %s\n", __FILE__,	\
			__LINE__, #condition);				\
		abort();						\
	}								\
} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * The input up to its first NUL, as a string in memory of exactly its size. So ASan sees a read
 * past its end. The caller frees it.
 */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	size_t n = size ? strnlen((const char *)data, size) : 0;
	char *text = calloc(1, n + 1);

	CHECK(text);
	if (n)
		memcpy(text, data, n);
	return text;
}

/* @text with @tail behind it. The caller frees it. */
static inline char *fuzz_append(const char *text, const char *tail)
{
	char *all;

	CHECK(asprintf(&all, "%s%s", text, tail) >= 0);
	return all;
}

/* A stream into memory. What was written ends at its first NUL, or the check fails. */
struct fuzz_output {
	FILE *f;
	char *text;
	size_t size;
};

static inline FILE *fuzz_output_open(struct fuzz_output *o)
{
	o->f = open_memstream(&o->text, &o->size);
	CHECK(o->f);
	return o->f;
}

/* Returns what was written. The caller frees it. */
static inline char *fuzz_output_close(struct fuzz_output *o)
{
	CHECK(!fclose(o->f) && strlen(o->text) == o->size);
	return o->text;
}

/* The bytes of the input one after the other, and 0 when there are no more. */
struct fuzz_bytes {
	const uint8_t *at;
	size_t left;
};

static inline uint64_t fuzz_take(struct fuzz_bytes *b, size_t size)
{
	uint64_t v = 0;

	for (; size && b->left; size--, b->left--)
		v = v << 8 | *b->at++;
	return v;
}

#endif /* TLOB_FUZZ_H */
