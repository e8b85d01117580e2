// SPDX-License-Identifier: GPL-2.0
/* Suggests symbols whose names resemble a mistyped one. */
#include <stdlib.h>
#include <string.h>

#include "code/demangle.h"
#include "code/symbols.h"
#include "util/near.h"

/* Worse than any number of edits: the name only contains what was typed. */
#define CONTAINS	100

static unsigned int distance(const char *name, const char *wanted)
{
	const char *part = strrchr(wanted, ':');
	unsigned int d = near_edits(name, wanted);
	size_t n = strnlen(name, 255);

	if (d != NEAR_NOT)
		return d;
	/* finds work.constprop.0 for work, and audio::Engine::push(int) for Queue::push */
	part = part ? part + 1 : wanted;
	return strlen(part) > 2 && strstr(name, part) ?
	       CONTAINS + (unsigned int)n : NEAR_NOT;
}

/* The end of @name that has as many parts as @wanted: Engine::process for Engine::proces. */
static const char *last_parts(const char *name, const char *wanted)
{
	const char *s = name + strlen(name);
	unsigned int parts = 1;

	for (; *wanted; wanted++)
		parts += !strncmp(wanted, "::", 2);
	while (s > name && parts)
		parts -= !strncmp(--s, "::", 2);
	return parts ? s : s + 2;
}

/*
 * How far @name, as in the source, is from @wanted, also without its parameters and types,
 * and without what @wanted leaves out in front.
 */
static unsigned int source_distance(const char *name, const char *wanted)
{
	unsigned int best = distance(name, wanted), d;
	char *bare = strdup(name), *parameters;

	if (!bare)
		return best;
	parameters = strchr(bare, '(');
	if (parameters && parameters > bare) {
		*parameters = '\0';
		d = distance(bare, wanted);
		best = d < best ? d : best;
	}
	d = near_edits(last_parts(demangle_plain(bare), wanted), wanted);
	free(bare);
	return d < best ? d : best;
}

static void consider(struct near_names *best, const char *symbol, const char *wanted)
{
	char *source = demangle(symbol);
	const char *name = source ? source : symbol;

	near_keep(best, name, source_distance(name, wanted));
	free(source);
}

bool symbols_suggest(Elf *elf, Elf_Scn *scn, const char *wanted, char *text,
		     unsigned int size)
{
	struct near_names best = { .n = 0 };
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *name;
	GElf_Shdr sh;
	GElf_Sym sym;
	int i;

	if (!data || !gelf_getshdr(scn, &sh))
		return false;
	for (i = 0; gelf_getsym(data, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, sh.sh_link, sym.st_name);
		if (name && *name && strcmp(name, wanted))
			consider(&best, name, wanted);
	}
	return near_list(&best, text, size);
}
