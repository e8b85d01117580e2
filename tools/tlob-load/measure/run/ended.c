// SPDX-License-Identifier: GPL-2.0
/* Checks that the workload ran until the end of the run, else finds out why not. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/run_config.h"
#include "result/result.h"
#include "run/collect_local.h"
#include "run/expiries.h"
#include "run/sched.h"
#include "run/workers.h"
#include "util/error.h"
#include "util/file.h"

/* The pid may belong to another pid namespace: the name must fit. */
static bool kthread_policy_changed(const struct collector *c,
				   const struct status_cpu *cpu, char *found)
{
	char path[64], comm[32], wanted[32];

	if (!cpu || !cpu->pid)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)cpu->pid);
	snprintf(wanted, sizeof(wanted), "tlob_load/%d", cpu->cpu);
	return !file_read_line(path, comm, sizeof(comm)) &&
	       !strcmp(comm, wanted) &&
	       sched_changed(c->config, (pid_t)cpu->pid, found, SCHED_FOUND);
}

int collect_policy(struct collector *c, const struct status *s)
{
	struct result *r = c->r;
	char found[SCHED_FOUND];
	bool changed;
	size_t i;

	for (i = 0; i < r->ncpus && !r->policy_changed; i++) {
		changed = c->workers ?
			  workers_policy_changed(c->workers, i, found) :
			  kthread_policy_changed(c, status_find(s, r->cpu[i].cpu),
						 found);
		if (changed && asprintf(&r->policy_changed, "%s (CPU %d)", found,
					r->cpu[i].cpu) < 0) {
			r->policy_changed = NULL;
			return fail(-ENOMEM, "out of memory");
		}
	}
	return 0;
}

int collect_cut(struct collector *c, enum collect_cut *why, int *cpu)
{
	struct status s;
	size_t i;
	int err;

	*why = CUT_NONE;
	err = collect_status(c, &s);
	if (!err)
		err = collect_policy(c, &s);
	for (i = 0; i < s.ncpus && !err && *why == CUT_NONE; i++)
		if (s.cpu[i].offline) {
			*why = CUT_OFFLINE;
			*cpu = s.cpu[i].cpu;
		}
	if (!err && *why == CUT_NONE && c->r->policy_changed) {
		*why = CUT_POLICY;
	} else if (!err && *why == CUT_NONE && s.stopped_cpu >= 0) {
		*why = CUT_VIOLATION;
		*cpu = s.stopped_cpu;
	} else if (!err && *why == CUT_NONE && !strcmp(s.state, "disabled")) {
		*why = CUT_DISABLED;
	}
	status_free(&s);
	return err;
}

/*
 * When the run of the CPU with index @i ended, at the earliest. Once a window is
 * over its budget the kernel stops each CPU within a period.
 */
static uint64_t cpu_end(const struct collector *c, const struct status *s,
			size_t i, uint64_t end_ns)
{
	const struct status_cpu *stopped = status_find(s, s->stopped_cpu);
	uint64_t own = c->workers ? workers_ended_ns(c->workers, i) : 0;
	uint64_t over;

	if (end_ns > stop_end_ns(&c->stop))
		end_ns = stop_end_ns(&c->stop);
	if (own)
		return own < end_ns ? own : end_ns;
	if (!stopped)
		return end_ns;
	over = stopped->start_ns + s->stopped_activation * c->config->period_ns +
	       c->config->budget_ns;
	return over < end_ns ? over : end_ns;
}

/*
 * A window of another CPU stopped the run at @end_ns. Expiries since the last window that
 * counts were missed, and the stop cut off a window that was open.
 */
static void cut_at_stop(const struct collector *c, size_t i, const struct status_cpu *s,
			const struct cpu_grid *g, uint64_t end_ns)
{
	const struct held_cpu *held = &c->stop.cpu[i];
	struct result_cpu *cpu = &c->r->cpu[i];
	uint64_t due = expiries_before(g, end_ns), startup = g->first ? g->first - 1 : due;
	uint64_t counted = startup + cpu->warm_up + cpu->warm_up_missed + cpu->windows +
			   cpu->missed;
	/* the kernel counted longer; if not, the CPU left the run */
	uint64_t known = startup + s->windows + s->missed;

	if (known > due)
		known = due;
	if (known <= counted)
		return;
	cpu->missed += known - counted;
	cpu->aborted = c->stop.window.w.cpu != (uint32_t)cpu->cpu &&
		       (!held->after || held->next_t0_ns < end_ns);
}

int collect_expiries(struct collector *c, const struct status *s,
		     const struct status_cpu *cpu, size_t i, uint64_t end_ns)
{
	const struct cpu_grid grid = {
		.start_ns = cpu->start_ns, .period_ns = c->config->period_ns,
		.first = cpu->first_activation,
	};

	if (!cpu->start_ns)
		return fail(-EPROTO, "CPU %d: status has no start_ns: the module does not match this tool: load the one of this version",
			    cpu->cpu);
	end_ns = cpu_end(c, s, i, end_ns);
	if (c->stop.by)
		cut_at_stop(c, i, cpu, &grid, end_ns);
	expiries_account(&c->r->cpu[i], &grid, end_ns);
	return 0;
}

int collect_check(const struct collector *c)
{
	const struct result_cpu *cpu;
	int err = 0;
	size_t i;

	if (c->r->policy_changed)
		err = fail(-ECANCELED, "another process changed the policy %s of a thread to %s",
			   c->r->policy, c->r->policy_changed);

	for (i = 0; i < c->r->ncpus; i++) {
		cpu = &c->r->cpu[i];
		/* A run that was stopped early may end before the first arming. */
		if (cpu->startup == cpu->due && !c->r->stopped_by)
			err = fail(-ECANCELED, "CPU %d was not measured: its thread did not start in time",
				   cpu->cpu);
		if (cpu->unaccounted)
			err = fail(-ECANCELED, "CPU %d was not measured until the end: %" PRIu64 " of %" PRIu64 " expiries are neither windows nor missed",
				   cpu->cpu, cpu->unaccounted, cpu->due);
	}
	return err;
}
