// SPDX-License-Identifier: GPL-2.0
/* Writes the settings of a run to the control files, from one table. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "backend/tlob.h"
#include "machine/control.h"
#include "options/run_config.h"
#include "util/error.h"
#include "util/policy.h"

/* A control file and its value, which is @number if @text is NULL. */
struct setting {
	const char *file;
	const char *text;
	uint64_t number;
	bool	 kthread_only;		/* user threads have this setting in the tool */
};

int configure_check_idle(const struct control *c)
{
	char *text, mode;
	int err;

	err = control_read(c, "enable", &text);
	if (err)
		return err;
	mode = *text;
	free(text);
	if (mode == '1')
		return fail(-EBUSY, "another run is in progress; to end it: echo 0 > %s/enable",
			    c->dir);
	return mode == '0' ? 0 : control_write(c, "enable", "0");
}

int configure(const struct control *c, const struct run_config *config,
	      const char *cpus, const char *noise_source)
{
	bool kthread = config->workload == WORKLOAD_KTHREAD;
	char policy[96];
	const struct setting settings[] = {
		{ "workload", .text = kthread ? "kthread" : "user" },
		{ "work", .text = config->work_text, .kthread_only = true },
		{ "policy", .text = policy, .kthread_only = true },
		{ "cpus", .text = cpus },
		{ "period_ns", .number = config->period_ns },
		{ "budget_ns", .number = config->budget_ns },
		{ "align_ns", .number = config->align_ns },
		{ "phase_ns", .text = config->has_phase ? NULL : "none",
		  .number = config->phase_ns },
		{ "warm_up", .number = config->warm_up },
		{ "hw_threshold_ns", .number = config->hw_threshold_ns },
		{ "noise_source", .text = noise_source },
		{ "timeline", .number = config->timeline },
		{ "longest_wait", .number = config->waits },
		{ "stop_on_exceed", .number = 0 },
	};
	size_t i;
	int err;

	err = policy_format(&config->sched, policy, sizeof(policy));
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]) && !err; i++) {
		const struct setting *s = &settings[i];

		if (s->kthread_only && !kthread)
			continue;
		err = s->text ? control_write(c, s->file, "%s", s->text) :
				control_write(c, s->file, "%" PRIu64, s->number);
	}
	return err;
}
