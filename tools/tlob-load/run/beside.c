// SPDX-License-Identifier: GPL-2.0
/* What is around a measurement while it runs. */
#include <errno.h>
#include <string.h>

#include "backend/config.h"
#include "machine/knobs.h"
#include "machine/rights.h"
#include "result/result.h"
#include "run/beside.h"
#include "util/error.h"

_Static_assert(RUN_MAX_LOADS <= LOADS_MAX, "all that may be asked for have room");

bool beside_needs_knobs(const struct run_config *config)
{
	return config->nload && rights_of_root();
}

int beside_begin(struct beside *b, const struct run_config *config,
		 const struct cpus *cpus, struct knobs *k, struct result *r)
{
	int err;

	if (!config->nload)
		return 0;
	err = loads_start(&b->loads, config->load, config->nload, config->load_cpus,
			  cpus, k);
	if (err)
		return err;
	r->load = loads_text(&b->loads);
	r->load_cpus = strdup(b->loads.cpus);
	if (!r->load || !r->load_cpus)
		err = -ENOMEM;
	else if (!b->loads.cgroup)
		err = result_note(r, "the loads have no cgroup: %s. Their keepers end them",
				  b->loads.no_cgroup);
	return err ? fail(-ENOMEM, "out of memory") : 0;
}

int beside_check(struct beside *b)
{
	return loads_check(&b->loads);
}

int beside_end(struct beside *b)
{
	return loads_end(&b->loads);
}
