// SPDX-License-Identifier: GPL-2.0
/* Applying --policy, and a warning about RT throttling. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "run/config.h"
#include "run/policy.h"
#include "run/sched.h"
#include "util/error.h"
#include "util/file.h"

int sched_apply_policy(const struct run_config *config)
{
	const struct sched_param param = {
		.sched_priority = (int)config->sched.priority,
	};
	int err;

	/* 0 means the calling thread. Deadline was refused for it. */
	if (!sched_setscheduler(0, config->sched.policy, &param))
		return 0;
	err = -errno;
	if (err == -EPERM)
		return fail(err, "--policy %s: not permitted: needs CAP_SYS_NICE, and with CONFIG_RT_GROUP_SCHED a cgroup that has RT run time",
			    config->policy);
	return fail(err, "--policy %s: %s", config->policy, strerror(-err));
}

/* A number in /proc/sys/kernel; 0 and false where it cannot be read. */
static bool read_sysctl(const char *path, long *value)
{
	char line[32];

	*value = 0;
	if (file_read_line(path, line, sizeof(line)))
		return false;
	*value = strtol(line, NULL, 10);
	return true;
}

int sched_note_throttling(struct result *r, const struct run_config *config)
{
	long runtime_us, period_us;
	double share;

	if (config->sched.policy != SCHED_FIFO && config->sched.policy != SCHED_RR)
		return 0;
	/* The length of loops and mem is not known before the run. */
	if (!(tlob_work_kinds[config->work.type].flags & TLOB_WORK_TIME))
		return 0;
	if (!read_sysctl("/proc/sys/kernel/sched_rt_runtime_us", &runtime_us) ||
	    !read_sysctl("/proc/sys/kernel/sched_rt_period_us", &period_us) ||
	    runtime_us < 0 || period_us <= 0)
		return 0;
	share = (double)runtime_us / period_us;
	if ((double)config->work.amount <= share * config->period_ns)
		return 0;
	return result_note(r, "the work takes more than the %.0f %% of a period that RT throttling leaves to real-time threads: the kernel will stop it at times (sched_rt_runtime_us = -1 turns throttling off)",
			   100 * share);
}
