// SPDX-License-Identifier: GPL-2.0
/* Reads /proc/kallsyms: lines of "ADDRESS TYPE NAME[\t[MODULE]]". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/kallsyms.h"
#include "util/error.h"
#include "util/file.h"

static int by_address(const void *a, const void *b)
{
	const struct kernel_symbol *l = a, *r = b;

	return l->addr < r->addr ? -1 : l->addr > r->addr;
}

/* Takes one line, cut at its end. Only code (t, w) has names that a stack needs. */
static void take_line(struct kallsyms *k, char *line)
{
	char *end, *name;
	uint64_t addr = strtoull(line, &end, 16);

	if (end == line || *end != ' ' || !strchr("tTwW", end[1]) || !end[1] || end[2] != ' ')
		return;
	name = end + 3;
	name[strcspn(name, "\t ")] = '\0';
	if (addr && *name)
		k->symbol[k->n++] = (struct kernel_symbol){ .addr = addr, .name = name };
}

int kallsyms_read(struct kallsyms *k, const char *path)
{
	size_t lines = 1;
	char *p, *next;
	int err;

	memset(k, 0, sizeof(*k));
	err = file_read(path, &k->text);
	if (err)
		return fail(err, "%s: %s", path, strerror(-err));
	for (p = k->text; (p = strchr(p, '\n')); p++)
		lines++;
	k->symbol = calloc(lines, sizeof(*k->symbol));
	if (!k->symbol) {
		kallsyms_free(k);
		return fail(-ENOMEM, "out of memory");
	}
	for (p = k->text; p; p = next) {
		next = strchr(p, '\n');
		if (next)
			*next++ = '\0';
		take_line(k, p);
	}
	qsort(k->symbol, k->n, sizeof(*k->symbol), by_address);
	return 0;
}

void kallsyms_free(struct kallsyms *k)
{
	free(k->symbol);
	free(k->text);
	memset(k, 0, sizeof(*k));
}

const char *kallsyms_name(const struct kallsyms *k, uint64_t addr)
{
	size_t low = 0, high = k->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (k->symbol[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? k->symbol[low - 1].name : NULL;
}
