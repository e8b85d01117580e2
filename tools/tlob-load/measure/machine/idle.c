// SPDX-License-Identifier: GPL-2.0
/* Idle states, by libcpupower. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cpuidle.h>

#include "machine/cpus.h"
#include "machine/idle.h"
#include "machine/knobs.h"
#include "util/error.h"

static int disable_state(struct knobs *k, int cpu, unsigned int state)
{
	char path[96];
	int disabled, err;

	disabled = cpuidle_is_state_disabled(cpu, state);
	if (disabled < 0)
		return fail(-EOPNOTSUPP, "CPU %d: cannot disable idle state %u on this machine",
			    cpu, state);
	if (disabled)
		return 0;
	/* Not by cpuidle_state_disable(): the old value must be saved first. */
	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/cpuidle/state%u/disable",
		 cpu, state);
	err = knobs_set(k, path, "1", NULL);
	return err ? fail(err, "%s: %s", path, strerror(-err)) : 0;
}

int idle_limit(struct knobs *k, const struct cpus *cpus, int deepest)
{
	unsigned int state, count;
	size_t i;
	int err;

	for (i = 0; i < cpus->n; i++) {
		count = cpuidle_state_count(cpus->list[i]);
		if (!count)
			return fail(-EOPNOTSUPP, "--idle-state: CPU %d has no cpuidle driver",
				    cpus->list[i]);
		for (state = deepest + 1; state < count; state++) {
			err = disable_state(k, cpus->list[i], state);
			if (err)
				return err;
		}
	}
	return 0;
}
