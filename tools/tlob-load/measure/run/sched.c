// SPDX-License-Identifier: GPL-2.0
/* Applying --policy, and a warning about RT throttling. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/limits.h"
#include "machine/rights.h"
#include "options/run_config.h"
#include "result/result.h"
#include "run/sched.h"
#include "util/error.h"
#include "util/file.h"

static int refused(const struct run_config *config, int err)
{
	if (err == -EPERM)
		return fail(err, "--policy %s: not permitted: needs rtprio in /etc/security/limits.conf or CAP_SYS_NICE (setcap cap_sys_nice+ep), and with CONFIG_RT_GROUP_SCHED a cgroup that has RT runtime",
			    config->policy);
	return fail(err, "--policy %s: %s", config->policy, strerror(-err));
}

int sched_apply_policy(const struct run_config *config)
{
	const struct sched_param param = {
		.sched_priority = (int)config->sched.priority,
	};
	int err;

	/* Deadline was refused. musl has no sched_setscheduler() for a thread. */
	err = -pthread_setschedparam(pthread_self(), (int)config->sched.policy, &param);
	return err ? refused(config, err) : 0;
}

/* The highest real-time priority that limits.conf gives; 0: none. */
static unsigned int priority_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTPRIO, &limit))
		return 0;
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_RTPRIO, &limit))
			return 0;
	}
	return limit.rlim_cur > 99 ? 99 : (unsigned int)limit.rlim_cur;
}

/* The kernel ends a process with a real-time thread that runs that long without sleeping. */
static void raise_time_limit(const struct tlob_policy *p)
{
	struct rlimit limit;

	if ((p->policy != SCHED_FIFO && p->policy != SCHED_RR) || getrlimit(RLIMIT_RTTIME, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_RTTIME, &limit);
	if (limit.rlim_max != RLIM_INFINITY)
		warning("RLIMIT_RTTIME is %llu us: the kernel will kill this run if a thread works longer than that without sleeping",
			(unsigned long long)limit.rlim_max);
}

static bool is_permitted(const struct tlob_policy *p)
{
	const struct sched_param own = { 0 };
	const struct sched_param param = { .sched_priority = (int)p->priority };
	bool yes = !pthread_setschedparam(pthread_self(), (int)p->policy, &param);

	if (yes)
		pthread_setschedparam(pthread_self(), SCHED_OTHER, &own);
	return yes;
}

int sched_fit(struct run_config *config, struct result *r)
{
	const char *wanted = config->policy;
	unsigned int limit;
	int err;

	limit = priority_limit();
	raise_time_limit(&config->sched);
	if (is_permitted(&config->sched))
		return 0;
	if (config->has_policy)
		return refused(config, -EPERM);
	config->sched.priority = limit;
	if (limit && is_permitted(&config->sched)) {
		snprintf(config->lowered, sizeof(config->lowered), "fifo:%u", limit);
	} else {
		config->sched = (struct tlob_policy){ .policy = SCHED_OTHER };
		snprintf(config->lowered, sizeof(config->lowered), "other");
	}
	config->policy = config->lowered;
	snprintf(config->lowered_note, sizeof(config->lowered_note), "policy %s, because %s is not permitted%s: %s",
		 config->policy, wanted,
		 limit ? "" : ", so any other task may delay the windows",
		 rights_have(CAP_SYS_NICE) && rights_of_first_namespace() ?
		 "this cgroup has no RT runtime (CONFIG_RT_GROUP_SCHED); set cpu.rt_runtime_us" :
		 "give the user 'rtprio 99' in /etc/security/limits.conf, or the tool CAP_SYS_NICE: setcap cap_sys_nice+ep $(command -v tlob-load)");
	err = result_note(r, "%s", config->lowered_note);
	r->policy_asked = strdup(wanted);
	return err || !r->policy_asked ? fail(-ENOMEM, "out of memory") : 0;
}

static void policy_found(char *found, size_t size, int policy, int priority)
{
	static const char * const names[] = {
		[SCHED_OTHER] = "other", [SCHED_BATCH] = "batch",
		[SCHED_IDLE] = "idle", [SCHED_DEADLINE] = "deadline",
	};

	if (policy == SCHED_FIFO || policy == SCHED_RR)
		snprintf(found, size, "%s:%d",
			 policy == SCHED_FIFO ? "fifo" : "rr", priority);
	else if (policy < (int)(sizeof(names) / sizeof(*names)) && names[policy])
		snprintf(found, size, "%s", names[policy]);
	else
		snprintf(found, size, "policy %d", policy);
}

bool sched_changed(const struct run_config *config, pid_t tid, char *found,
		   size_t size)
{
	struct sched_param param;
	/* not by the functions of libc: musl's answer ENOSYS, as POSIX means processes */
	int policy = (int)syscall(SYS_sched_getscheduler, tid);

	if (policy < 0 || syscall(SYS_sched_getparam, tid, &param))
		return false;
	policy &= ~SCHED_RESET_ON_FORK;
	if (policy == (int)config->sched.policy &&
	    param.sched_priority == (int)config->sched.priority)
		return false;
	policy_found(found, size, policy, param.sched_priority);
	return true;
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

	if (config->sched.policy == SCHED_DEADLINE &&
	    tlob_work_kinds[config->work.type].flags & TLOB_KIND_TIME &&
	    config->work.type != TLOB_KIND_SLEEP && config->work.amount > config->sched.runtime)
		return result_note(r, "the work takes more than the runtime of --policy %s: the kernel will throttle the thread in each window",
				   config->policy);
	if (config->sched.policy != SCHED_FIFO && config->sched.policy != SCHED_RR)
		return 0;
	/* The length of loops and mem is not known before the run. */
	if (!(tlob_work_kinds[config->work.type].flags & TLOB_KIND_TIME) || config->work.type == TLOB_KIND_SLEEP)
		return 0;
	if (!read_sysctl("/proc/sys/kernel/sched_rt_runtime_us", &runtime_us) ||
	    !read_sysctl("/proc/sys/kernel/sched_rt_period_us", &period_us) ||
	    runtime_us < 0 || period_us <= 0)
		return 0;
	share = (double)runtime_us / period_us;
	if ((double)config->work.amount <= share * config->period_ns)
		return 0;
	r->throttled = true;
	return result_note(r, "the work takes more than the %.0f %% of a period that RT throttling leaves to real-time threads: the kernel will stop it from time to time (sched_rt_runtime_us = -1 turns throttling off)",
			   100 * share);
}

int sched_limit(char **by, const struct tlob_policy *p)
{
	if (p->policy != SCHED_DEADLINE)
		return 0;
	*by = limit_own_text(p->runtime, p->period ? p->period : p->deadline);
	return *by ? 0 : -ENOMEM;
}
