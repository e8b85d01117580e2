/* SPDX-License-Identifier: GPL-2.0 */
/* Parsing a large file in pieces. */
#ifndef TLOB_READ_PIECES_H
#define TLOB_READ_PIECES_H

#include "util/json_read.h"

/*
 * reader_parse() for an object with a long list of objects under @key. The list comes
 * back empty, and its elements come as pieces of @text to be parsed one by one:
 * json-c needs twenty times the size of a file that it parses at once. *@piece is
 * from malloc().
 */
struct piece {
	const char *text;
	size_t n;
};

struct json_object *reader_parse_but(struct reader *r, const char *text,
				     const char *key, struct piece **piece,
				     size_t *npieces);

#endif /* TLOB_READ_PIECES_H */
