// SPDX-License-Identifier: GPL-2.0
/* What the backend says before and after the records: conditions, counters, histograms. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "options/run_config.h"
#include "result/result.h"
#include "run/collect_local.h"
#include "run/workers.h"
#include "util/error.h"

/* Replaces the CPU's histograms by its kernel thread's. */
static int read_hist(struct collector *c, size_t i, bool running)
{
	struct result_cpu *cpu = &c->r->cpu[i];
	int err;

	err = collect_kthread(c)->hist(c->backend, i, cpu->hist, running);
	hist_set_step(cpu->hist, TLOB_NR_METRICS, c->r->clock_resolution_ns);
	if (c->config->work.type != TLOB_KIND_SPIN) {
		memset(&cpu->hist[TLOB_METRIC_PARTS + TLOB_WORK_HW], 0,
		       sizeof(*cpu->hist));
		cpu->unavailable |= COLLECT_HW;
	}
	return err;
}

int collect_status(const struct collector *c, struct status *s)
{
	return c->backend->backend->status(c->backend, s);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * The kernel's counters include the warm-up and windows whose record was lost.
 * Counters that come from records only (inexact) miss the lost ones.
 */
static void take_counters(struct collector *c, size_t i,
			  const struct status_cpu *s)
{
	struct result_cpu *cpu = &c->r->cpu[i];

	/* A full ring loses records, and so does a read() that ends with EXDEV. */
	cpu->lost = c->workers ? less(s->windows, cpu->warm_up + cpu->windows) :
				 s->lost;
	cpu->warm_up = s->windows < c->config->warm_up ? s->windows :
						     c->config->warm_up;
	cpu->windows = s->windows - cpu->warm_up;
	cpu->violations = less(s->violations, cpu->warm_up_violations);
	cpu->missed = less(s->missed, cpu->warm_up_missed);
	cpu->aborted = s->aborted;
	cpu->overhead_ns = s->overhead_ns;
	if (s->sum_failures > cpu->sum_failures)
		cpu->sum_failures = s->sum_failures;
	if (cpu->lost) {
		cpu->errors = s->errors;
		cpu->adjusted_ns = s->adjusted_ns;
		cpu->clock_steps = s->clock_steps;
	}
}

/*
 * If a window stopped the run, the kernel has counted further: the records up to that
 * window count. A gap between them is a window whose record was lost.
 */
static void take_stopped(struct collector *c, size_t i, const struct status_cpu *s)
{
	const struct held_cpu *held = &c->stop.cpu[i];
	struct result_cpu *cpu = &c->r->cpu[i];
	uint64_t next = s->first_activation + held->windows + held->missed;
	uint64_t gap = held->windows ? less(held->last + 1, next) : 0;
	uint64_t lost = less(s->windows, held->windows + held->after);

	cpu->lost = gap < lost ? gap : lost;
	cpu->windows += cpu->lost;
	cpu->missed += gap - cpu->lost;
}

static void take_demand(struct collector *c, size_t i, const struct status_cpu *s)
{
	struct result_cpu *cpu = &c->r->cpu[i];

	if (c->workers && c->calibration[i].seen == CALIBRATION_WINDOWS) {
		const struct calibration *cal = &c->calibration[i];

		cpu->demand_ns = cal->least;
		cpu->demand_spread_ns = cal->most - cal->least;
	} else {
		cpu->demand_ns = s->demand_ns;
		cpu->demand_spread_ns = s->demand_spread_ns;
	}
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Refuses a --stop-on whose part is not measured: the run would never stop. */
static int check_measured(const struct collector *c, const struct status *s)
{
	const struct run_config *o = c->config;
	const struct condition *on = o->nact_on ? o->act_on : o->stop_on;
	unsigned int n = o->nact_on ? o->nact_on : o->nstop_on, e;
	uint32_t unavailable = s->unavailable;

	if (c->config->work.type != TLOB_KIND_SPIN)
		unavailable |= COLLECT_HW;
	for (e = 0; e < n; e++) {
		int part = on[e].metric - TLOB_METRIC_PARTS;

		if (part < 0 || part >= TLOB_NR_PARTS || !(unavailable & 1U << part))
			continue;
		return fail(-EOPNOTSUPP, "--stop-on '%s': not measured here: %s",
			    on[e].text, part == TLOB_WORK_HW ?
			    "only spin work detects hardware gaps" :
			    s->unavailable_because ? s->unavailable_because :
			    "this kernel lacks the tracepoints");
	}
	return 0;
}

int collect_begin(struct collector *c)
{
	struct result *r = c->r;
	struct status s;
	int err;

	err = collect_status(c, &s);
	if (!err)
		err = check_measured(c, &s);
	if (!err) {
		r->noise_source = copy(s.noise_source);
		r->unavailable_because = copy(s.unavailable_because);
		if (s.notes)
			err = result_note(r, "noise source: %s", s.notes);
		result_set_clock(r, s.clock_resolution_ns);
	}
	if (!err && r->clock_resolution_ns > 1)
		err = result_note(r, RESULT_CLOCK_STEPS, r->clock_resolution_ns);
	if (!err && c->config->work.type != TLOB_KIND_SPIN && !(collect_never(c) & COLLECT_HW))
		err = result_note(r, "only spin work measures work.hw");
	status_free(&s);
	if (!err && r->functions)
		err = c->backend->backend->functions_read(c->backend, r->functions);
	return err;
}

int collect_end(struct collector *c)
{
	struct status s;
	int err;

	err = collect_status(c, &s);
	if (!err)
		err = collect_policy(c, &s);
	if (!err && s.max_difference_ns)
		err = result_note(c->r, "largest difference between osnoise and hooks in one window, ns: %s",
				  s.max_difference_ns);
	status_free(&s);
	return err;
}

int collect_finish(struct collector *c, uint64_t end_ns)
{
	const struct status_cpu *cpu;
	struct status s;
	unsigned int m;
	size_t i;
	int err;

	err = collect_release(c);
	keep_error(&err, collect_status(c, &s));
	for (i = 0; i < c->r->ncpus && !err; i++) {
		cpu = status_find(&s, c->r->cpu[i].cpu);
		if (!cpu) {
			err = fail(-EPROTO, "CPU %d: nothing was counted",
				   c->r->cpu[i].cpu);
			break;
		}
		if (c->stop.by)
			take_stopped(c, i, cpu);
		else
			take_counters(c, i, cpu);
		take_demand(c, i, cpu);
		c->r->cpu[i].unavailable |= s.unavailable;
		if (c->workers)
			c->r->cpu[i].faults = workers_faults(c->workers, i);
		err = collect_expiries(c, &s, cpu, i, end_ns);
		if (!err && !c->workers && !c->stop.by)
			err = read_hist(c, i, false);
	}
	status_free(&s);
	if (!err && c->r->functions)
		err = c->backend->backend->functions_read(c->backend, c->r->functions);
	if (!err)
		err = stop_finish(&c->stop, c->r);
	c->r->actions.met += c->met_lost;
	c->r->actions.busy += c->met_lost;
	if (!err)
		result_sum(c->r);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		samples_sort(&c->r->exact[m]);
	return err;
}

int collect_snapshot(struct collector *c)
{
	size_t i;
	int err = 0;

	/* with a screen they are made of the records, like a user thread's */
	for (i = 0; i < c->r->ncpus && !collect_by_records(c) && !err; i++)
		err = read_hist(c, i, true);
	for (i = 0; i < c->r->ncpus && c->workers; i++)
		c->r->cpu[i].lost = workers_lost(c->workers, i);
	if (!err)
		result_sum(c->r);
	return err;
}
