// SPDX-License-Identifier: GPL-2.0
/* Draining records during a run, and the counters and histograms at its end. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/config.h"
#include "backend/status.h"
#include "functions/sets.h"
#include "result/attach_result.h"
#include "result/result.h"
#include "result/timeline.h"
#include "machine/cpus.h"
#include "run/act.h"
#include "run/collect_local.h"
#include "run/metadata.h"
#include "run/own_count.h"
#include "run/sample_out.h"
#include "run/spsc.h"
#include "run/workers.h"
#include "util/error.h"

#define READ_RECORDS	64
#define HW_BIT		(1U << TLOB_WORK_HW)

void collect_warm_up(struct run_config *o)
{
	if (o->workload == WORKLOAD_USER && tlob_work_is_fixed(&o->work) &&
	    o->warm_up < CALIBRATION_WINDOWS)
		o->warm_up = CALIBRATION_WINDOWS;
}

int collect_init(struct collector *c, struct backend_run *b,
		 struct workers *workers)
{
	struct result *r = b->r;

	*c = (struct collector){
		.r = r, .config = b->config, .backend = b, .workers = workers,
	};
	r->timed = b->config->timeline;
	r->waits = b->config->waits;
	c->ended = calloc(r->ncpus, sizeof(*c->ended));
	c->calibration = calloc(r->ncpus, sizeof(*c->calibration));
	if (!c->ended || !c->calibration ||
	    (b->config->traced && functions_begin(r, b->config->traced)))
		return fail(-ENOMEM, "out of memory");
	return stop_init(&c->stop, b->config, r->ncpus);
}

void collect_free(struct collector *c)
{
	size_t i;

	for (i = 0; c->own_count && i < c->r->ncpus; i++)
		own_count_free(c->own_count[i]);
	free(c->own_count);
	for (i = 0; c->met && i < c->r->ncpus; i++)
		if (c->met[i])
			node_free(c->met[i], sizeof(*c->met[i]));
	free(c->met);
	free(c->ended);
	free(c->calibration);
	stop_free(&c->stop);
	*c = (struct collector){ 0 };
}

/* The table of the kernel threads' records. */
static const struct backend_kthread *kthread(const struct collector *c)
{
	return c->backend->backend->kthread;
}

int collect_open(struct collector *c)
{
	return kthread(c)->open(c->backend);
}

/* Notes the demand of one of the first windows of fixed work. */
static void calibrate(struct calibration *cal, uint64_t on_cpu)
{
	/* the first window only warms up code and memory */
	if (cal->seen && cal->seen < CALIBRATION_WINDOWS) {
		if (cal->seen == 1 || on_cpu < cal->least)
			cal->least = on_cpu;
		if (on_cpu > cal->most)
			cal->most = on_cpu;
	}
	if (cal->seen < CALIBRATION_WINDOWS)
		cal->seen++;
}

/* The parts that the backend measures nowhere. */
static uint32_t never(const struct collector *c)
{
	return c->backend->backend->never;
}

/* NULL unless it belongs to this window, whole and exact. */
static const struct tlob_timeline *timeline_of(const struct collector *c, size_t i,
					       const struct tlob_window *w)
{
	const struct tlob_timeline *t;

	if (!c->config->timeline)
		return NULL;
	t = c->backend->backend->timeline(c->backend, i, w);
	return t && !timeline_defect(t, w) ? t : NULL;
}

/* Looks up names only for windows that may be kept whole. */
static int take_wait(struct collector *c, const struct tlob_window *w,
		     const struct tlob_window_wait *wait)
{
	struct kept_window *worst = result_worst_of(c->r, w);
	int err = 0;

	if (worst)
		err = c->name_wait(c->namer, wait, &worst->kept.wait);
	if (!err && stop_is_at(&c->stop, w))
		err = c->name_wait(c->namer, wait, &c->stop.window.kept.wait);
	return err;
}

/* Kernel threads' own histograms do not end at the window that stops a run. */
static bool by_records(const struct collector *c)
{
	return c->workers || c->progress || c->stop.cpu;
}

/* --dump-tasks: what ran then stays with a window that is kept whole. */
static void keep_tasks(struct collector *c, const struct tlob_window *w, const struct window_task *task,
		       size_t n)
{
	struct kept_window *worst = n ? result_worst_of(c->r, w) : NULL;

	if (!worst || worst->kept.task)
		return;
	worst->kept.task = malloc(n * sizeof(*task));
	if (!worst->kept.task)
		return;		/* as if it was lost */
	memcpy(worst->kept.task, task, n * sizeof(*task));
	worst->kept.ntasks = n;
}

/* A window that belongs to the run, with what was read with it; or NULL. */
static void account(struct collector *c, size_t i, const struct tlob_window *w,
		    const struct tlob_timeline *timeline, const struct window_functions *functions,
		    const struct tlob_window_wait *wait, const struct window_task *task, size_t ntasks)
{
	result_window_timed(c->r, i, w, by_records(c), timeline, functions);
	keep_tasks(c, w, task, ntasks);
	if (c->samples)
		sample_out_add(c->samples, w);
	if (wait)
		keep_error(&c->wait_error, take_wait(c, w, wait));
}

/* One that was held back. */
static void account_held(void *data, size_t i, const struct held *h)
{
	account(data, i, &h->w, h->timeline, h->functions, h->has_wait ? &h->wait : NULL, h->task,
		h->ntasks);
}

/* NULL: none, or it was lost. Names replace addresses, which are secrets. */
static const struct window_functions *functions_of(struct collector *c, size_t i,
						   const struct tlob_window *w)
{
	const struct traced_sets *traced = c->config->traced;
	const struct tlob_functions *f;

	if (!traced)
		return NULL;
	f = c->backend->backend->functions(c->backend, i, w);
	return f && !functions_take(&c->functions, f, traced) ? &c->functions : NULL;
}

/*
 * The kernel cannot see hardware gaps in a user thread. The thread reports them
 * next to the record, and they move from on_cpu to hw, so the sum stays exact. Only
 * spin work looks for gaps. For other work hw is unavailable, which is not 0.
 *
 * A backend that does not see interrupts either cannot tell them from such a gap: returns
 * its length then, else 0.
 */
static uint64_t take_hw(const struct collector *c, struct tlob_window *w, uint64_t hw_ns)
{
	uint64_t *on_cpu = (uint64_t *)&w->part_ns[TLOB_WORK_ON_CPU];

	if (c->config->work.type != TLOB_WORK_SPIN) {
		w->unavailable |= HW_BIT;
	} else if (never(c) & HW_BIT) {
		return hw_ns;
	} else if (c->workers) {
		w->unavailable &= ~HW_BIT;
		if (hw_ns > *on_cpu)
			hw_ns = *on_cpu;
		*on_cpu -= hw_ns;
		w->part_ns[TLOB_WORK_HW] += hw_ns;
	}
	return 0;
}

static void take_calibration(struct collector *c, size_t i, const struct tlob_window *w)
{
	if (c->workers && tlob_work_is_fixed(&c->config->work) &&
	    !(w->unavailable & 1U << TLOB_WORK_ON_CPU))
		calibrate(&c->calibration[i], w->part_ns[TLOB_WORK_ON_CPU]);
}

/* In the measuring thread: the collector takes the actions. */
static void leave_met(struct collector *c, size_t i, const struct tlob_window *w)
{
	struct spsc_slot *slot;

	if (!act_condition(c->config, w, NULL))
		return;
	slot = spsc_reserve(c->met[i]);
	if (!slot) {
		c->met_lost++;
		return;
	}
	slot->w = *w;
	spsc_commit(c->met[i]);
}

/* In the measuring thread. */
static void count_window(void *data, size_t i, struct tlob_window *w, uint64_t hw_ns)
{
	struct collector *c = data;
	uint64_t gap_ns = take_hw(c, w, hw_ns);

	/* else records are counted here only when the ring is full, long after the first ones */
	if (c->backend->backend->between)
		take_calibration(c, i, w);
	own_count_window(c->own_count[i], w, gap_ns);
	if (c->met)
		leave_met(c, i, w);
}

/* Only whole records have what belongs to a window, and their order among CPUs. */
static bool needs_records(const struct collector *c)
{
	const struct run_config *o = c->config;

	return c->stop.cpu || c->samples || c->progress || o->timeline || o->dump_tasks || o->waits || o->traced || c->r->keeps_exact;
}

/* Windows that meet the condition are whole records, also if the others are not. */
static int make_met(struct collector *c)
{
	size_t i;

	if (!c->actions)
		return 0;
	c->met = calloc(c->r->ncpus, sizeof(struct spsc *));
	for (i = 0; c->met && i < c->r->ncpus; i++) {
		c->met[i] = node_alloc(sizeof(*c->met[i]), cpus_node(c->r->cpu[i].cpu));
		if (!c->met[i])
			break;
	}
	return c->met && i == c->r->ncpus ? 0 : fail(-ENOMEM, "out of memory");
}

void collect_act(struct collector *c, struct actions *actions)
{
	c->actions = actions;
}

void collect_samples(struct collector *c, struct sample_out *samples)
{
	c->samples = samples;
}

int collect_own_count(struct collector *c)
{
	size_t i;

	if (!c->workers || needs_records(c))
		return 0;
	c->own_count = calloc(c->r->ncpus, sizeof(struct own_count *));
	for (i = 0; c->own_count && i < c->r->ncpus; i++) {
		c->own_count[i] = own_count_new(c->r, i, never(c));
		if (!c->own_count[i])
			break;
	}
	if (!c->own_count || i < c->r->ncpus)
		return fail(-ENOMEM, "out of memory");
	c->workers->count = count_window;
	c->workers->count_data = c;
	return make_met(c);
}

void collect_starts(struct collector *c)
{
	size_t i;

	for (i = 0; c->own_count && i < c->r->ncpus; i++)
		own_count_begin(c->own_count[i], c->r);
}

static void act(struct collector *c, const struct tlob_window *w, const struct tlob_timeline *t,
		const struct window_functions *f, size_t ntasks)
{
	const char *condition = act_condition(c->config, w, f);
	const struct kept_window k = {
		.w = *w, .kept.timeline = (struct tlob_timeline *)t,
		.kept.functions = (struct window_functions *)f,
		.kept.task = c->task, .kept.ntasks = ntasks,
	};

	if (condition)
		keep_error(&c->act_error, act_window(c->actions, c->r, &k, condition));
}

/* What the thread of the CPU with index @i has left. */
static void act_met(struct collector *c, size_t i)
{
	struct spsc_slot *slot;

	while ((slot = spsc_peek(c->met[i]))) {
		act(c, &slot->w, NULL, NULL, 0);
		spsc_release(c->met[i]);
	}
}

static void take_window(void *data, size_t i, struct tlob_window *w, uint64_t hw_ns)
{
	struct collector *c = data;
	const struct tlob_window_wait *wait;
	const struct tlob_timeline *timeline;
	const struct window_functions *functions;
	size_t ntasks = 0;

	if (w->flags & TLOB_WINDOW_NONE)
		return;
	own_count_gap(c->r->cpu[i].os, w, take_hw(c, w, hw_ns));
	take_calibration(c, i, w);
	if (c->progress)
		progress_window(c->progress, i, w);
	timeline = timeline_of(c, i, w);
	functions = functions_of(c, i, w);
	wait = c->config->waits ? c->backend->backend->wait(c->backend, i, w) : NULL;
	if (c->config->dump_tasks && w->flags & TLOB_WINDOW_VIOLATION)
		ntasks = c->backend->backend->tasks(c->backend, i, w, c->task);
	if (c->actions)
		act(c, w, timeline, functions, ntasks);
	if (c->stop.cpu)
		stop_window(&c->stop, c->config, i, w, timeline, functions, wait);
	else
		account(c, i, w, timeline, functions, wait, c->task, ntasks);
	if (c->stop.cpu && ntasks)
		keep_error(&c->act_error, stop_tasks(&c->stop, i, w, c->task, ntasks));
}

/* The records of a CPU's kernel thread. */
static int drain_kthread(struct collector *c, size_t i)
{
	struct tlob_window w[READ_RECORDS];
	int n, k;

	while ((n = kthread(c)->read(c->backend, i, w, READ_RECORDS)) > 0)
		for (k = 0; k < n; k++)
			take_window(c, i, &w[k], 0);
	c->ended[i] = n == -ENODATA;
	return c->ended[i] ? 0 : n;
}

/* The rows of c->ended, which take their value before the records are read. */
static bool has_ended(void *data, size_t i)
{
	const struct collector *c = data;

	return c->ended[i];
}

int collect_drain(struct collector *c)
{
	size_t i;
	int err = 0;

	for (i = 0; i < c->r->ncpus && c->workers; i++)
		c->ended[i] = workers_done(c->workers, i);
	if (c->workers)
		workers_drain(c->workers, take_window, c);
	for (i = 0; i < c->r->ncpus && c->own_count; i++)
		own_count_take(c->own_count[i], c->r, i);
	for (i = 0; c->met && i < c->r->ncpus; i++)
		act_met(c, i);
	for (i = 0; i < c->r->ncpus && !c->workers && !err; i++)
		if (!c->ended[i])
			err = drain_kthread(c, i);
	stop_release(&c->stop, has_ended, account_held, c);
	if (c->samples)
		sample_out_flush(c->samples);
	keep_error(&err, c->wait_error);
	keep_error(&err, c->act_error);
	return err;
}

bool collect_ended(const struct collector *c)
{
	size_t i;

	if (c->workers)
		return !workers_running(c->workers);
	for (i = 0; i < c->r->ncpus; i++)
		if (!c->ended[i])
			return false;
	return true;
}

bool collect_have(const struct collector *c, uint64_t n)
{
	size_t i;

	for (i = 0; i < c->r->ncpus; i++)
		if (c->r->cpu[i].windows < n)
			return false;
	return true;
}

bool collect_made(const struct collector *c, uint64_t n)
{
	size_t i;

	for (i = 0; i < c->r->ncpus; i++)
		if (c->r->cpu[i].windows + workers_lost(c->workers, i) < n)
			return false;
	return true;
}

/* Replaces the CPU's histograms by its kernel thread's. */
static int read_hist(struct collector *c, size_t i, bool running)
{
	struct result_cpu *cpu = &c->r->cpu[i];
	int err;

	err = kthread(c)->hist(c->backend, i, cpu->hist, running);
	hist_set_step(cpu->hist, TLOB_NR_METRICS, c->r->clock_resolution_ns);
	if (c->config->work.type != TLOB_WORK_SPIN) {
		memset(&cpu->hist[TLOB_METRIC_PARTS + TLOB_WORK_HW], 0,
		       sizeof(*cpu->hist));
		cpu->unavailable |= HW_BIT;
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

	if (c->config->work.type != TLOB_WORK_SPIN)
		unavailable |= HW_BIT;
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
	if (!err && c->config->work.type != TLOB_WORK_SPIN && !(never(c) & HW_BIT))
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

	stop_release(&c->stop, NULL, account_held, c);
	err = c->wait_error;
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
	for (i = 0; i < c->r->ncpus && !by_records(c) && !err; i++)
		err = read_hist(c, i, true);
	for (i = 0; i < c->r->ncpus && c->workers; i++)
		c->r->cpu[i].lost = workers_lost(c->workers, i);
	if (!err)
		result_sum(c->r);
	return err;
}
