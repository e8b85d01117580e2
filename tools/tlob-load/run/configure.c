// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "machine/control.h"
#include "run/config.h"
#include "run/configure.h"
#include "run/policy.h"
#include "util/error.h"

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

static int configure_work(const struct control *c, const struct run_config *o)
{
	char policy[96];
	int err;

	if (o->workload == WORKLOAD_USER)
		return control_write(c, "workload", "user");
	err = control_write(c, "workload", "kthread");
	if (!err)
		err = control_write(c, "work", "%s", o->work_text);
	if (!err)
		err = policy_format(&o->sched, policy, sizeof(policy));
	if (!err)
		err = control_write(c, "policy", "%s", policy);
	return err;
}

int configure(const struct control *c, const struct run_config *o,
	      const char *cpus, const char *source)
{
	int err;

	err = configure_work(c, o);
	if (!err)
		err = control_write(c, "cpus", "%s", cpus);
	if (!err)
		err = control_write(c, "period_ns", "%" PRIu64, o->period_ns);
	if (!err)
		err = control_write(c, "budget_ns", "%" PRIu64, o->budget_ns);
	if (!err)
		err = control_write(c, "align_ns", "%" PRIu64, o->align_ns);
	if (!err && o->has_phase)
		err = control_write(c, "phase_ns", "%" PRIu64, o->phase_ns);
	else if (!err)
		err = control_write(c, "phase_ns", "none");
	if (!err)
		err = control_write(c, "warm_up", "%" PRIu64, o->warm_up);
	if (!err)
		err = control_write(c, "hw_threshold_ns", "%" PRIu64,
				    o->hw_threshold_ns);
	if (!err)
		err = control_write(c, "noise_source", "%s", source);
	if (!err)
		err = control_write(c, "print_stack", "%d", o->print_stack);
	if (!err)
		err = control_write(c, "stop_on_exceed", "0");
	return err;
}
