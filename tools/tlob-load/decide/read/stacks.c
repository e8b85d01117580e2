// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/stacks.h"
#include "util/error.h"
#include "util/file.h"
#include "util/text.h"
#include "util/usage.h"

static char *cut_stack(char *text)
{
	char *from = text, *at;
	size_t n;

	for (at = text; *at; at += n + (at[n] == ';')) {
		n = strcspn(at, ";");
		if (folded_is_root(at, n))
			from = at;
	}
	return from;
}

/* "TEXT N": @text is cut before its number. */
static bool read_number(char *line, uint64_t *n)
{
	char *at = strrchr(line, ' '), *end;

	if (!at || at == line || at[1] < '0' || at[1] > '9')
		return false;
	errno = 0;
	*n = strtoull(at + 1, &end, 10);
	*at = 0;
	return !*end && !errno;
}

/* Equal stacks, which are neighbours now, become one. */
static void unite(struct folded *f)
{
	size_t i, n = 0;

	folded_sort(f);
	for (i = 0; i < f->n; i++) {
		if (n && !strcmp(f->stack[n - 1].text, f->stack[i].text)) {
			f->stack[n - 1].n[0] += f->stack[i].n[0];
			f->stack[n - 1].n[1] += f->stack[i].n[1];
			free(f->stack[i].text);
		} else {
			f->stack[n++] = f->stack[i];
		}
	}
	f->n = n;
}

int folded_read(struct folded *f, char *text, unsigned int side, bool cut, char *why, size_t size)
{
	unsigned long lines = 0;
	char *line, *rest = text;
	uint64_t n;

	while ((line = text_line(&rest))) {
		lines++;
		if (!*line)
			continue;
		if (!read_number(line, &n))
			return usage_error(why, size, "line %lu: a stack is FUNCTION;...;FUNCTION N",
					   lines);
		if (folded_append(f, cut ? cut_stack(line) : line, side, n))
			return -ENOMEM;
	}
	unite(f);
	return 0;
}

int flames_read(struct flames *fl, const char *const *files, size_t n)
{
	char *text, why[100];
	size_t i;
	int err = 0;

	*fl = (struct flames){ 0 };
	for (i = 0; i < n && !err; i++) {
		fl->name[i] = files[i];
		err = file_load_text(files[i], &text);
		if (err)
			break;
		err = folded_read(&fl->stacks, text, (unsigned int)i, n > 1, why, sizeof(why));
		free(text);
		if (err)
			err = fail(err, "%s: %s", files[i], err == -ENOMEM ? "out of memory" : why);
	}
	/* folders distinguish the files of two directories */
	if (n == 1 || (n == 2 && strcmp(without_folders(files[0]), without_folders(files[1]))))
		for (i = 0; i < n; i++)
			fl->name[i] = without_folders(files[i]);
	if (err)
		flames_free(fl);
	return err;
}

void flames_free(struct flames *fl)
{
	folded_free(&fl->stacks);
}
