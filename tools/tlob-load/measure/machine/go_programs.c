// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "machine/go_programs.h"
#include "code/elfobj.h"
#include "util/array.h"

/* strip leaves this section: panics print stacks with it. */
#define GO_SECTION	".gopclntab"

static bool is_go(uint32_t tgid)
{
	char path[64], why[256];
	struct elfobj o;
	GElf_Shdr sh;
	bool is;

	snprintf(path, sizeof(path), "/proc/%u/exe", tgid);
	if (elfobj_open(&o, path, why, sizeof(why)))
		return false;
	is = elfobj_named(&o, GO_SECTION, &sh);
	elfobj_close(&o);
	return is;
}

bool go_programs_have(struct go_programs *g, uint32_t tgid)
{
	struct go_program *p;
	size_t i;

	for (i = 0; i < g->n; i++)
		if (g->at[i].tgid == tgid)
			return g->at[i].is_go;
	p = array_add(g->at, g->n, g->room);
	if (!p)
		return false;
	*p = (struct go_program){ .tgid = tgid, .is_go = is_go(tgid) };
	g->n++;
	return p->is_go;
}

void go_programs_free(struct go_programs *g)
{
	free(g->at);
	*g = (struct go_programs){ .n = 0 };
}
