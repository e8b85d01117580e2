// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/choose.h"
#include "options/backend_names.h"
#include "options/run_config.h"
#include "util/error.h"

static const struct entry {
	const char *name;
	const struct backend *table;	/* NULL: not in this build */
	const char *lacks;		/* what the build lacked */
} entries[] = {
#ifdef TLOB_LACKS
#define ENTRY_tlob	NULL, TLOB_LACKS
#else
#define ENTRY_tlob	&backend_tlob, ""
#endif
#ifdef TLOB_LACKS_BPF
#define ENTRY_bpf	NULL, TLOB_LACKS_BPF
#else
#define ENTRY_bpf	&backend_bpf, ""
#endif
#define ENTRY_posix	&backend_posix, ""
#define ENTRY(name)	{ #name, ENTRY_##name },
	BACKENDS(ENTRY)
};

#define NR_ENTRIES	(sizeof(entries) / sizeof(entries[0]))

static int probe(const struct entry *e, char why[BACKEND_WHY])
{
	if (e->table)
		return e->table->probe(why, BACKEND_WHY);
	snprintf(why, BACKEND_WHY, "this tlob-load was built without %s: make deps, then make", e->lacks);
	return -EOPNOTSUPP;
}

static const struct condition *not_measured(const struct backend *b,
					    const struct condition *list, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (condition_is_blind(&list[i], b->never))
			return &list[i];
	return NULL;
}

/* Returns whether @o asks for something that @b cannot do; names it in @what. */
static bool refuses(const struct backend *b, const struct run_config *o,
		    char *what, unsigned int size)
{
	const struct condition *stop = not_measured(b, o->stop_on, o->nstop_on);
	const struct condition *act = not_measured(b, o->act_on, o->nact_on);
	const struct condition *assert = not_measured(b, o->assertion, o->nassertion);

	if (o->workload == WORKLOAD_KTHREAD && !b->kthread)
		snprintf(what, size, "--workload kthread");
	else if (o->trace && !b->save_trace)
		snprintf(what, size, "--trace");
	else if (o->timeline && !b->timeline)
		snprintf(what, size, "--timeline");
	else if (o->waits && !b->wait)
		snprintf(what, size, "--waits");
	else if (o->functions.n && !b->functions)
		snprintf(what, size, "--functions");
	else if (strcmp(o->noise_source, "auto") && !b->has_noise_source)
		snprintf(what, size, "--noise-source %s", o->noise_source);
	else if (o->idle_state_set && !b->changes_system)
		snprintf(what, size, "--idle-state");
	else if (stop || act)
		snprintf(what, size, "--stop-on '%s'", (stop ? stop : act)->text);
	else if (assert)
		snprintf(what, size, "--assert '%s'", assert->text);
	else
		return false;
	return true;
}

/* The best backend available here that does what @o asks for; else the one that does all. */
static const char *able(const struct run_config *o)
{
	char what[200], why[BACKEND_WHY];
	size_t i;

	for (i = 0; i < NR_ENTRIES; i++)
		if (!probe(&entries[i], why) &&
		    !refuses(entries[i].table, o, what, sizeof(what)))
			return entries[i].name;
	return entries[0].name;
}

static int check_able(const struct backend *b, const struct run_config *o,
		      const char *because)
{
	char what[200];

	if (!refuses(b, o, what, sizeof(what)))
		return 0;
	if (because)
		return fail(-EOPNOTSUPP, "%s: the backend %s cannot do this; %s", what, b->name,
			    because);
	return fail(-EOPNOTSUPP, "%s: the backend %s cannot do this; the backend %s can", what,
		    b->name, able(o));
}

static int choose_best(const struct backend **chosen, FILE *because)
{
	char why[BACKEND_WHY];
	size_t i;

	for (i = 0; i < NR_ENTRIES; i++) {
		if (!probe(&entries[i], why)) {
			*chosen = entries[i].table;
			return 0;
		}
		fprintf(because, "%snot %s: %s", i ? "; " : "", entries[i].name, why);
	}
	return -EOPNOTSUPP;	/* posix can always be had */
}

static int choose_named(const char *name, const struct backend **chosen)
{
	char why[BACKEND_WHY];
	size_t i;

	for (i = 0; i < NR_ENTRIES; i++) {
		if (strcmp(name, entries[i].name))
			continue;
		if (probe(&entries[i], why))
			return fail(-EOPNOTSUPP, "--backend %s: %s", name, why);
		*chosen = entries[i].table;
		return 0;
	}
	return fail(-EUSAGE, "unknown backend '%s'", name);	/* the options know all names */
}

int backend_choose(const struct run_config *o, const struct backend **chosen,
		   char **because)
{
	size_t size;
	FILE *f;
	int err;

	*because = NULL;
	if (strcmp(o->backend, BACKEND_AUTO)) {
		err = choose_named(o->backend, chosen);
		return err ? err : check_able(*chosen, o, NULL);
	}
	f = open_memstream(because, &size);
	if (!f)
		return fail(-ENOMEM, "out of memory");
	err = choose_best(chosen, f);
	if (fclose(f))
		return fail(-ENOMEM, "out of memory");
	if (!**because) {
		free(*because);
		*because = NULL;
	}
	return err ? err : check_able(*chosen, o, *because);
}

int backend_choose_name(const struct run_config *o, const char **name)
{
	const struct backend *chosen = &backend_posix;
	char *because = NULL;
	int err = backend_choose(o, &chosen, &because);

	free(because);
	if (!err)
		*name = chosen->name;
	return err;
}

int backend_probe(const char *name, char *why, unsigned int size)
{
	char reason[BACKEND_WHY];
	size_t i;
	int err = -EOPNOTSUPP;

	snprintf(reason, sizeof(reason), "no such backend");
	for (i = 0; i < NR_ENTRIES; i++)
		if (!strcmp(name, entries[i].name))
			err = probe(&entries[i], reason);
	if (err)
		snprintf(why, size, "%s", reason);
	return err;
}

int backend_need_tlob(const char *what)
{
	char why[BACKEND_WHY];

	return probe(&entries[0], why) ?
	       fail(-EOPNOTSUPP, "%s needs the module: %s", what, why) : 0;
}
