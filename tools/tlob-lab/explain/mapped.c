// SPDX-License-Identifier: GPL-2.0
/* Reading mappings. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/mapped.h"
#include "util/array.h"
#include "util/text.h"
#include "util/usage.h"

/* The hexadecimal number at *@at, which @end follows; *@at moves behind that. */
static bool number(char **at, char end, uint64_t *value)
{
	char *from = *at;

	errno = 0;
	*value = strtoull(from, at, 16);
	return *at > from && !errno && *(*at)++ == end;
}

/* "START-END PERMISSIONS OFFSET DEVICE INODE PATH", and blanks before the path */
static bool read_line(struct mapping *m, char *line)
{
	unsigned int skip;

	if (!number(&line, '-', &m->start) || !number(&line, ' ', &m->end) || m->start >= m->end)
		return false;
	line += strcspn(line, " ");
	line += strspn(line, " ");
	if (!number(&line, ' ', &m->offset))
		return false;
	for (skip = 0; skip < 2; skip++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	m->path = line;
	return true;
}

/* Cuts @new out of @old, and keeps the lower of two pieces. False: nothing is left. */
static bool is_left(struct mapping *old, const struct mapping *new)
{
	if (new->end <= old->start || old->end <= new->start)
		return true;
	if (old->start < new->start) {
		old->end = new->start;
		return true;
	}
	if (old->end <= new->end)
		return false;
	old->offset += new->end - old->start;
	old->start = new->end;
	return true;
}

static int by_address(const void *pa, const void *pb)
{
	const struct mapping *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

static int add(struct mapped *m, const struct mapping *new, size_t *room)
{
	struct mapping *to;
	size_t i, n = 0;

	for (i = 0; i < m->n; i++)
		if (is_left(&m->mapping[i], new))
			m->mapping[n++] = m->mapping[i];
	m->n = n;
	to = array_add(m->mapping, m->n, *room);
	if (!to)
		return -ENOMEM;
	*to = *new;
	m->n++;
	return 0;
}

int mapped_read(struct mapped *m, char *text, char *why, size_t size)
{
	struct mapping new;
	size_t lines = 0, room = 0;
	char *line, *rest = text;
	int err = 0;

	*m = (struct mapped){ 0 };
	while (!err && (line = text_line(&rest))) {
		lines++;
		err = read_line(&new, line) ? add(m, &new, &room) :
		      usage_error(why, size, "line %zu is not a mapping", lines);
	}
	if (err)
		mapped_free(m);
	else if (m->n)
		qsort(m->mapping, m->n, sizeof(*m->mapping), by_address);
	return err;
}

void mapped_free(struct mapped *m)
{
	free(m->mapping);
	*m = (struct mapped){ 0 };
}

char *mapped_host(const char *packed, const char *guest)
{
	size_t length = strlen(guest);
	const char *found = NULL;

	for (; *packed; packed += *packed == '\n') {
		if (!strncmp(packed, guest, length) && packed[length] == '\t')
			found = packed + length + 1;
		packed += strcspn(packed, "\n");
	}
	return found ? strndup(found, strcspn(found, "\n")) : NULL;
}
