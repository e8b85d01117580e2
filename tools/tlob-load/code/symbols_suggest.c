// SPDX-License-Identifier: GPL-2.0
/* Suggests symbols whose names resemble a mistyped one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/symbols.h"

#define SUGGESTIONS	3
#define NAME_LOOKED_AT	96	/* characters; longer names are not compared by edits */

/* Worse than any number of edits: the name only contains what was typed. */
#define CONTAINS	100
#define UNLIKE		1000

struct suggestion {
	const char *name;
	unsigned int distance;
};

/* The Levenshtein distance between @a and @b. */
static unsigned int edits(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned int row[NAME_LOOKED_AT + 1];
	size_t i, j;

	for (j = 0; j <= nb; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= na; i++) {
		unsigned int diagonal = row[0], best;

		row[0] = (unsigned int)i;
		for (j = 1; j <= nb; j++) {
			best = diagonal + (a[i - 1] != b[j - 1]);
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[nb];
}

static unsigned int distance(const char *name, const char *wanted)
{
	size_t n = strnlen(name, NAME_LOOKED_AT + 1), m = strlen(wanted);
	size_t most = m / 3 + 1, differ = n > m ? n - m : m - n;
	const char *part = strrchr(wanted, ':');
	unsigned int d;

	if (n <= NAME_LOOKED_AT && m <= NAME_LOOKED_AT && differ <= most) {
		d = edits(name, n, wanted, m);
		if (d <= most)
			return d;
	}
	/* finds work.constprop.0 for work, and _ZN5Queue4pushEi for Queue::push */
	part = part ? part + 1 : wanted;
	return strlen(part) > 2 && strstr(name, part) ?
	       CONTAINS + (unsigned int)(n > 255 ? 255 : n) : UNLIKE;
}

static void keep(struct suggestion best[SUGGESTIONS], const char *name,
		 unsigned int d)
{
	size_t i;

	for (i = 0; i < SUGGESTIONS; i++)
		if (best[i].name && !strcmp(best[i].name, name))
			return;
	for (i = SUGGESTIONS; i && d < best[i - 1].distance; i--)
		if (i < SUGGESTIONS)
			best[i] = best[i - 1];
	if (i < SUGGESTIONS)
		best[i] = (struct suggestion){ name, d };
}

bool symbols_suggest(Elf *elf, Elf_Scn *scn, const char *wanted, char *text,
		     unsigned int size)
{
	struct suggestion best[SUGGESTIONS] = { 0 };
	Elf_Data *data = elf_getdata(scn, NULL);
	unsigned int n = 0;
	const char *name;
	GElf_Shdr sh;
	GElf_Sym sym;
	int i;

	for (i = 0; i < SUGGESTIONS; i++)
		best[i].distance = UNLIKE;
	if (!data || !gelf_getshdr(scn, &sh))
		return false;
	for (i = 0; gelf_getsym(data, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, sh.sh_link, sym.st_name);
		if (name && *name && strcmp(name, wanted))
			keep(best, name, distance(name, wanted));
	}
	for (i = 0; i < SUGGESTIONS && best[i].name && n < size; i++)
		n += (unsigned int)snprintf(text + n, size - n, "%s%.200s", !i ? "" :
				      i + 1 < SUGGESTIONS && best[i + 1].name ?
				      ", " : " or ", best[i].name);
	return n;
}
