// SPDX-License-Identifier: GPL-2.0
/* Records, from the backend to the result. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "functions/sets.h"
#include "machine/cpus.h"
#include "options/run_config.h"
#include "result/parts.h"
#include "result/result.h"
#include "result/timeline.h"
#include "run/act.h"
#include "run/collect_local.h"
#include "run/own_count.h"
#include "run/sample_out.h"
#include "run/spsc.h"
#include "run/workers.h"
#include "util/error.h"
#include "util/signals.h"

#define READ_RECORDS	64

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
	b->batch = 1;
	r->timed = b->config->timeline;
	r->waits = b->config->waits;
	c->ended = calloc(r->ncpus, sizeof(*c->ended));
	c->calibration = calloc(r->ncpus, sizeof(*c->calibration));
	if (b->backend->late) {
		c->late = calloc(LATE_KEPT, sizeof(*c->late));
		c->ahead = calloc(r->ncpus, sizeof(*c->ahead));
	}
	if (!c->ended || !c->calibration || (b->backend->late && (!c->late || !c->ahead)) ||
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
	free(c->late);
	free(c->ahead);
	stop_free(&c->stop);
	*c = (struct collector){ 0 };
}

int collect_open(struct collector *c)
{
	return collect_kthread(c)->open(c->backend);
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

/* A place stays with a window that is kept whole. False: @w is not, or not yet. */
static bool keep_place(struct collector *c, const struct tlob_window *w,
		       const struct kernel_place *place)
{
	struct kept_window *worst = result_worst_of(c->r, w);

	if (worst)
		worst->kept.place = *place;
	return worst;
}

static uint64_t usual_work(const struct collector *c, size_t i)
{
	return hist_mean(&c->r->cpu[i].hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU]);
}

/* Adds @place, which made a window of the run late. */
static bool add_place(struct collector *c, size_t i, const struct tlob_window *w,
		      const struct kernel_place *place)
{
	struct cause cause;

	if (!place_is_known(place) || w->flags & TLOB_WINDOW_WARM_UP)
		return true;
	if (w->flags & TLOB_WINDOW_VIOLATION && cause_of(&cause, w, usual_work(c, i)))
		causes_place(&c->r->places, &cause, place);
	return keep_place(c, w, place);
}

/* Reads into @to what made the window @w late. Zeroes: it was not late. */
static int late_of(const struct collector *c, size_t i, const struct tlob_window *w,
		   struct late_window *to)
{
	int ret = c->backend->backend->late(c->backend, i, w, usual_work(c, i), to);

	return ret < 0 ? ret : 0;
}

/*
 * Reads the late windows of the thread with index @i, which counts by itself, up to @activation. *@place
 * is that one's, if it is one of them. A thread may still have its worst ones, until the next drain.
 */
static int late_until(struct collector *c, size_t i, uint64_t activation, struct kernel_place *place)
{
	struct late_window *l = &c->ahead[i];
	int ret = 1;

	while (!l->w.t0_ns || l->w.activation < activation) {
		ret = c->backend->backend->late(c->backend, i, NULL, usual_work(c, i), l);
		if (ret <= 0)
			break;
		if (!add_place(c, i, &l->w, &l->place) && c->nlate < LATE_KEPT)
			c->late[c->nlate++] = *l;
	}
	if (l->w.t0_ns && l->w.activation == activation)
		*place = l->place;
	return ret < 0 ? ret : 0;
}

/* Keeps the late windows of the last drain, whose threads have given their worst windows since. */
static void keep_late(struct collector *c)
{
	size_t n;

	for (n = 0; n < c->nlate; n++)
		keep_place(c, &c->late[n].w, &c->late[n].place);
	c->nlate = 0;
}

/* Adds a window of the run, with what was read with it; NULL: nothing was. */
static void add_window(struct collector *c, size_t i, const struct tlob_window *w,
		       const struct tlob_timeline *timeline, const struct window_functions *functions,
		       const struct tlob_window_wait *wait, const struct kernel_place *place)
{
	result_window_timed(c->r, i, w, collect_by_records(c), timeline, functions);
	add_place(c, i, w, place);
	if (c->samples)
		sample_out_add(c->samples, w);
	if (wait)
		keep_error(&c->wait_error, take_wait(c, w, wait));
}

/* Adds a window that was held back. */
static void add_held(void *data, size_t i, const struct held *h)
{
	add_window(data, i, &h->w, h->timeline, h->functions, h->has_wait ? &h->wait : NULL,
		   &h->place);
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

	if (c->config->work.type != TLOB_KIND_SPIN) {
		w->unavailable |= COLLECT_HW;
	} else if (collect_never(c) & COLLECT_HW) {
		return hw_ns;
	} else if (c->workers) {
		w->unavailable &= ~COLLECT_HW;
		/* what is known to be stolen was such a gap as well */
		hw_ns -= hw_ns < w->part_ns[TLOB_WORK_STEAL] ? hw_ns : w->part_ns[TLOB_WORK_STEAL];
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

	return c->stop.cpu || c->samples || c->progress || c->r->keeps_exact || o->timeline ||
	       o->waits || o->traced;
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
		c->own_count[i] = own_count_new(c->r, i, collect_never(c));
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
		const struct window_functions *f, const struct kernel_place *place)
{
	const char *condition = act_condition(c->config, w, f);
	const struct kept_window k = {
		.w = *w, .kept.timeline = (struct tlob_timeline *)t,
		.kept.functions = (struct window_functions *)f,
		.kept.place = *place,
	};

	if (condition)
		keep_error(&c->act_error, act_window(c->actions, c->r, &k, condition));
}

/* The threads hand over no records. Else they count only windows that find their ring full. */
static bool has_no_records(const struct collector *c)
{
	return c->own_count && c->backend->backend->between;
}

/* What the thread of the CPU with index @i has left, and which of its windows were late. */
static void act_met(struct collector *c, size_t i)
{
	struct kernel_place place;
	struct spsc_slot *slot;

	while (c->met && (slot = spsc_peek(c->met[i]))) {
		place = (struct kernel_place){ 0 };
		if (c->late)
			keep_error(&c->late_error, late_until(c, i, slot->w.activation, &place));
		act(c, &slot->w, NULL, NULL, &place);
		spsc_release(c->met[i]);
	}
	if (c->late && has_no_records(c))
		keep_error(&c->late_error, late_until(c, i, UINT64_MAX, &place));
}

static void take_window(void *data, size_t i, struct tlob_window *w, uint64_t hw_ns)
{
	struct collector *c = data;
	const struct tlob_window_wait *wait;
	const struct tlob_timeline *timeline;
	const struct window_functions *functions;
	struct late_window late = { 0 };

	if (w->flags & TLOB_WINDOW_NONE)
		return;
	if (window_was_stopped(w, signal_continued_ns()))
		w->flags |= WINDOW_CONTINUED;
	own_count_gap(c->r->cpu[i].os, w, take_hw(c, w, hw_ns));
	take_calibration(c, i, w);
	timeline = timeline_of(c, i, w);
	functions = functions_of(c, i, w);
	wait = c->config->waits ? c->backend->backend->wait(c->backend, i, w) : NULL;
	if (c->late && !has_no_records(c))
		keep_error(&c->late_error, late_of(c, i, w, &late));
	if (c->progress)
		progress_window(c->progress, i, w, &late.place);
	if (c->actions)
		act(c, w, timeline, functions, &late.place);
	if (c->stop.cpu)
		stop_window(&c->stop, c->config, i, w, timeline, functions, wait);
	else
		add_window(c, i, w, timeline, functions, wait, &late.place);
	if (c->stop.cpu && place_is_known(&late.place))
		stop_place(&c->stop, i, w, &late.place);
}

/* The records of a CPU's kernel thread. */
static int drain_kthread(struct collector *c, size_t i)
{
	struct tlob_window w[READ_RECORDS];
	int n, k;

	while ((n = collect_kthread(c)->read(c->backend, i, w, READ_RECORDS)) > 0) {
		c->backend->batch++;
		for (k = 0; k < n; k++)
			take_window(c, i, &w[k], 0);
	}
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
	c->backend->batch++;
	if (c->workers)
		workers_drain(c->workers, take_window, c);
	for (i = 0; i < c->r->ncpus && c->own_count; i++)
		own_count_take(c->own_count[i], c->r, i, signal_continued_ns());
	if (c->own_count)
		keep_late(c);
	for (i = 0; i < c->r->ncpus && c->own_count; i++)
		act_met(c, i);
	for (i = 0; i < c->r->ncpus && !c->workers && !err; i++)
		if (!c->ended[i])
			err = drain_kthread(c, i);
	stop_release(&c->stop, has_ended, add_held, c);
	if (c->samples)
		sample_out_flush(c->samples);
	keep_error(&err, c->wait_error);
	keep_error(&err, c->act_error);
	keep_error(&err, c->late_error);
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

int collect_release(struct collector *c)
{
	stop_release(&c->stop, NULL, add_held, c);
	return c->wait_error;
}
