// SPDX-License-Identifier: GPL-2.0
/* Chooses where waits come from. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "backend/choose.h"
#include "options/backend_names.h"
#include "util/error.h"
#include "waits/source.h"

/* The best one first. */
static const struct wait_backend * const backends[] = {
	&wait_backend_tlob,
#ifndef TLOB_LACKS_BPF
	&wait_backend_bpf,
#endif
};

static int choose_named(const char *name, const struct wait_scope *scope,
			const struct wait_backend **chosen)
{
	char why[BACKEND_WHY];
	size_t i;

	if (scope->in_windows && strcmp(name, "tlob"))
		return fail(-EOPNOTSUPP, "--in-windows needs the module: --backend %s cannot do this",
			    name);
	if (scope->critical && strcmp(name, "bpf"))
		return fail(-EOPNOTSUPP, "--critical needs BPF: --backend %s cannot do this", name);
	if (backend_probe(name, why, sizeof(why)))
		return fail(-EOPNOTSUPP, "--backend %s: %s", name, why);
	for (i = 0; i < sizeof(backends) / sizeof(backends[0]); i++)
		if (!strcmp(name, backends[i]->name))
			*chosen = backends[i];
	return 0;
}

int wait_backend_choose(const char *name, const struct wait_scope *scope,
			const struct wait_backend **chosen)
{
	char tlob[BACKEND_WHY], bpf[BACKEND_WHY];

	if (strcmp(name, BACKEND_AUTO))
		return choose_named(name, scope, chosen);
	if (scope->critical)
		return choose_named("bpf", scope, chosen);
	if (!backend_probe("tlob", tlob, sizeof(tlob)))
		return choose_named("tlob", scope, chosen);
	if (scope->in_windows)
		return fail(-EOPNOTSUPP, "--in-windows needs the module: %s", tlob);
	if (backend_probe("bpf", bpf, sizeof(bpf)))
		return fail(-EOPNOTSUPP, "waits: not tlob: %s; not bpf: %s", tlob, bpf);
	warning("backend bpf, not tlob: %s", tlob);
	return choose_named("bpf", scope, chosen);
}
