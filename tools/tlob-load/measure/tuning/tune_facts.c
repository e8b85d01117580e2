// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>

#include "machine/cpus.h"
#include "tuning/tune.h"
#include "tuning/tune_facts.h"
#include "util/error.h"

static char *facts_of(const struct cpus *cpus)
{
	struct cpulist others = cpulist_without(&cpus->housekeeping, &cpus->measured);
	char *facts = NULL;
	struct tune t;

	if (tune_make(&t, "", &cpus->measured, &others) ||
	    asprintf(&facts, "tune%s%s", tune_has(&t, "timer_migration") ? ",timer_migration" : "",
		     tune_has(&t, "governor") ? ",frequency_governor" : "") < 0) {
		fail(-ENOMEM, "out of memory");
		facts = NULL;
	}
	tune_free(&t);
	return facts;
}

char *tune_facts(const char *cpus, const char *housekeeping)
{
	struct cpus chosen = { 0 };
	char *facts = cpus_choose(&chosen, cpus, housekeeping) ? NULL : facts_of(&chosen);

	cpus_free(&chosen);
	return facts;
}
