// SPDX-License-Identifier: GPL-2.0
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

int sched_apply_policy(const struct run_config *o)
{
	const struct sched_param param = {
		.sched_priority = (int)o->sched.priority,
	};
	int err;

	/* 0 is the calling thread, not the process. Deadline was refused for it. */
	if (!sched_setscheduler(0, o->sched.policy, &param))
		return 0;
	err = -errno;
	if (err == -EPERM)
		return fail(err, "--policy %s: not permitted: needs CAP_SYS_NICE, and with CONFIG_RT_GROUP_SCHED a cgroup that has RT run time",
			    o->policy);
	return fail(err, "--policy %s: %s", o->policy, strerror(-err));
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

int sched_note_throttling(struct result *r, const struct run_config *o)
{
	long runtime_us, period_us;
	double share;

	if (o->sched.policy != SCHED_FIFO && o->sched.policy != SCHED_RR)
		return 0;
	/* Only time has a known length; loops and mem show it in the run. */
	if (!(tlob_work_kinds[o->work.type].flags & TLOB_WORK_TIME))
		return 0;
	if (!read_sysctl("/proc/sys/kernel/sched_rt_runtime_us", &runtime_us) ||
	    !read_sysctl("/proc/sys/kernel/sched_rt_period_us", &period_us) ||
	    runtime_us < 0 || period_us <= 0)
		return 0;
	share = (double)runtime_us / period_us;
	if ((double)o->work.amount <= share * o->period_ns)
		return 0;
	return result_note(r, "the work takes more than the %.0f %% that RT throttling leaves to real-time threads: the kernel will stop it now and then (sched_rt_runtime_us = -1 turns that off)",
			   100 * share);
}
