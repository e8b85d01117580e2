// SPDX-License-Identifier: GPL-2.0
/* Idle states, wake-up latency and the frequency governor. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cpufreq.h>
#include <cpuidle.h>

#include "machine/cpus.h"
#include "machine/knobs.h"
#include "machine/power.h"
#include "result/result.h"
#include "util/error.h"

#define DMA_LATENCY	"/dev/cpu_dma_latency"

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

int power_limit_idle(struct knobs *k, const struct cpus *cpus, int deepest)
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

int power_hold_latency(struct result *r, int64_t us, int *fd)
{
	int32_t value = us > INT32_MAX ? INT32_MAX : (int32_t)us;
	int err;

	*fd = open(DMA_LATENCY, O_WRONLY | O_CLOEXEC);
	if (*fd < 0 && errno == ENOENT)
		return result_note(r, "this kernel has no " DMA_LATENCY ": it cannot limit idle states");
	if (*fd < 0)
		return fail(-errno, "--dma-latency: %s: %s", DMA_LATENCY,
			    strerror(errno));
	if (write(*fd, &value, sizeof(value)) == sizeof(value))
		return 0;
	err = -errno;
	close(*fd);
	*fd = -1;
	return fail(err, "%s: cannot write %d: %s", DMA_LATENCY, value,
		    strerror(-err));
}

int power_note_governor(struct result *r, const struct cpus *cpus)
{
	struct cpufreq_policy *policy;
	char name[32] = "";
	size_t i, n = 0;
	int first = -1;

	for (i = 0; i < cpus->n; i++) {
		policy = cpufreq_get_policy(cpus->list[i]);
		if (!policy)
			continue;	/* no driver: the frequency is fixed */
		if (strcmp(policy->governor, "performance")) {
			if (!n++) {
				first = cpus->list[i];
				snprintf(name, sizeof(name), "%s",
					 policy->governor);
			}
		}
		cpufreq_put_policy(policy);
	}
	if (!n)
		return 0;
	return result_note(r, "times depend on the frequency governor: it is %s on CPU %d, and %zu of %zu measured CPUs do not use performance",
			   name, first, n, cpus->n);
}
