// SPDX-License-Identifier: GPL-2.0
/* Records, from the backend to the result. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "functions/sets.h"
#include "machine/actions.h"
#include "machine/cpus.h"
#include "options/run_config.h"
#include "result/parts.h"
#include "result/result.h"
#include "result/tables.h"
#include "result/timeline.h"
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
	r->timed = b->config->timeline;
	r->waits = b->config->waits;
	c->ended = calloc(r->ncpus, sizeof(*c->ended));
	c->calibration = calloc(r->ncpus, sizeof(*c->calibration));
	if (b->backend->late)
		c->ahead = calloc(r->ncpus, sizeof(*c->ahead));
	b->batch = 1;
	if (!c->ended || !c->calibration || (b->backend->late && !c->ahead) ||
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
	lates_free(&c->lates);
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

/* The records have it, or the histograms of a thread that counts by itself. */
static uint64_t usual_work(const struct collector *c, size_t i)
{
	const struct causes *of = &c->r->causes;

	return of->windows ? of->work_ns / of->windows : hist_mean(&c->r->cpu[i].hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU]);
}

/* The threads hand over no records. Else they count only windows that find their ring full. */
static bool has_no_records(const struct collector *c)
{
	return c->own_count && c->backend->backend->between;
}

/* Keeps a late window until its place is named; NULL: it belongs to the warm-up, or no memory. */
static struct late *keep_late(struct collector *c, size_t i, const struct late_window *of, bool counts)
{
	const struct late late = { .of = *of, .usual_ns = usual_work(c, i), .counts = counts };
	struct late *kept;

	if (of->w.flags & TLOB_WINDOW_WARM_UP)
		return NULL;
	kept = lates_add(&c->lates, &late);
	if (!kept)
		c->late_error = -ENOMEM;
	return kept;
}

/* The next late window; NULL: none of the records in hand, and of those to come none is known. */
static struct late_window *next_late(struct collector *c, size_t i)
{
	struct collect_ahead *a = &c->ahead[i];

	if (a->late.w.t0_ns)
		return &a->late;
	if (a->empty == c->backend->batch)
		return NULL;
	if (c->backend->backend->late(c->backend, i, &a->late))
		return &a->late;
	a->empty = c->backend->batch;
	return NULL;
}

/* Takes the next late window, which the tool has as @w. */
static struct late *take_late(struct collector *c, size_t i, const struct tlob_window *w, bool counts)
{
	struct late_window of = { .w = *w, .stacks = c->ahead[i].late.stacks };

	c->ahead[i].late.w.t0_ns = 0;
	return keep_late(c, i, &of, counts);
}

/* The late window of the record @w. NULL: it was not late. */
static struct late *late_of(struct collector *c, size_t i, const struct tlob_window *w)
{
	struct late_window *next;

	if (!c->ahead || has_no_records(c))
		return NULL;
	while ((next = next_late(c, i)) && next->w.activation < w->activation)
		next->w.t0_ns = 0;	/* the record was lost */
	return next && next->w.activation == w->activation ? take_late(c, i, w, !c->stop.cpu) : NULL;
}

/*
 * Keeps the late windows of the thread with index @i, which counts by itself, up to @activation.
 * Returns that one if it is one of them, else NULL.
 */
static struct late *late_until(struct collector *c, size_t i, uint64_t activation)
{
	struct late_window *next;
	struct late *found = NULL;

	while (c->ahead && (next = next_late(c, i)) && next->w.activation <= activation) {
		bool is = next->w.activation == activation;

		found = take_late(c, i, &next->w, true);
		if (!is)
			found = NULL;
	}
	return found;
}

static struct kernel_place place_of(struct collector *c, const struct late *late)
{
	return late ? lates_place(&c->lates, late) : (struct kernel_place){ .function = "" };
}

/* Adds a window of the run, with what was read with it; NULL: nothing was. */
static void add_window(struct collector *c, size_t i, const struct tlob_window *w,
		       const struct tlob_timeline *timeline, const struct window_functions *functions,
		       const struct tlob_window_wait *wait)
{
	result_window_timed(c->r, i, w, collect_by_records(c), timeline, functions);
	if (c->samples)
		sample_out_add(c->samples, w);
	if (wait)
		keep_error(&c->wait_error, take_wait(c, w, wait));
}

/* Adds a window that was held back. */
static void add_held(void *data, size_t i, const struct held *h)
{
	struct collector *c = data;

	add_window(c, i, &h->w, h->timeline, h->functions, h->has_wait ? &h->wait : NULL);
	if (h->late)
		lates_counts(&c->lates, &h->w);
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

/* The condition that @w meets, as given; NULL: none, or @w belongs to the warm-up. Only computes. */
static const char *act_condition(const struct run_config *o, const struct tlob_window *w,
				 const struct window_functions *f)
{
	unsigned int i;

	for (i = 0; i < o->nact_on && !(w->flags & TLOB_WINDOW_WARM_UP); i++)
		if (condition_window_functions(&o->act_on[i], w, f))
			return o->act_on[i].text;
	return NULL;
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

void collect_names(struct collector *c)
{
	if (c->ahead && (c->progress || c->actions))
		late_names_read(&c->lates.names);
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

int collect_act_at(struct actions *a, const struct result *r, const struct kept_window *k,
		   const char *condition)
{
	const struct tlob_window *w = &k->w;

	/* names that cannot configure a tlob-load which the command starts */
	return actions_at(a, &window_record, k, r->functions,
			  "TLOB_WINDOW_CPU=%u\nTLOB_WINDOW_ACTIVATION=%llu\nTLOB_WINDOW_T0_NS=%llu\n"
			  "TLOB_WINDOW_WAKE_NS=%llu\nTLOB_WINDOW_RESPONSE_NS=%llu\n"
			  "TLOB_WINDOW_BUDGET_NS=%llu\nTLOB_WINDOW_CONDITION=%s\n"
			  "TLOB_WINDOW_FUNCTION=%s\nTLOB_WINDOW_ENTRY=%s",
			  w->cpu, w->activation, w->t0_ns, w->wake_ns, w->response_ns, w->budget_ns, condition,
			  k->kept.place.function, k->kept.place.entry);
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
		keep_error(&c->act_error, collect_act_at(c->actions, c->r, &k, condition));
}

static void take_window(void *data, size_t i, struct tlob_window *w, uint64_t hw_ns)
{
	struct collector *c = data;
	const struct tlob_window_wait *wait;
	const struct tlob_timeline *timeline;
	const struct window_functions *functions;
	struct kernel_place place;
	const struct late *late;

	if (w->flags & TLOB_WINDOW_NONE)
		return;
	if (window_was_stopped(w, signal_continued_ns()))
		w->flags |= WINDOW_CONTINUED;
	own_count_gap(c->r->cpu[i].os, w, take_hw(c, w, hw_ns));
	take_calibration(c, i, w);
	timeline = timeline_of(c, i, w);
	functions = functions_of(c, i, w);
	wait = c->config->waits ? c->backend->backend->wait(c->backend, i, w) : NULL;
	late = late_of(c, i, w);
	if (c->progress || c->actions)
		place = place_of(c, late);
	if (c->progress)
		progress_window(c->progress, i, w, &place);
	if (c->actions)
		act(c, w, timeline, functions, &place);
	if (c->stop.cpu)
		stop_window(&c->stop, c->config, i, w, timeline, functions, wait, late);
	else
		add_window(c, i, w, timeline, functions, wait);
}

/* Takes the windows that the thread with index @i has left for actions, and its late windows. */
static void act_met(struct collector *c, size_t i)
{
	struct kernel_place place;
	struct spsc_slot *slot;

	while (c->met && (slot = spsc_peek(c->met[i]))) {
		c->backend->batch++;
		/* it found no room among these */
		if (!has_no_records(c))
			workers_drain(c->workers, take_window, c);
		place = place_of(c, late_until(c, i, slot->w.activation));
		act(c, &slot->w, NULL, NULL, &place);
		spsc_release(c->met[i]);
	}
	if (has_no_records(c))
		late_until(c, i, UINT64_MAX);
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

static int settle_late(struct collector *c, bool may_read)
{
	return lates_settle(&c->lates, may_read, c->r, c->stop.by ? &c->stop.window : NULL);
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
	/* before threads' late windows are taken whose counts come with the next drain */
	if (c->own_count)
		keep_error(&c->late_error, settle_late(c, false));
	for (i = 0; i < c->r->ncpus && c->own_count; i++)
		act_met(c, i);
	for (i = 0; i < c->r->ncpus && !c->workers && !err; i++)
		if (!c->ended[i])
			err = drain_kthread(c, i);
	stop_release(&c->stop, has_ended, add_held, c);
	if (!c->own_count)
		keep_error(&c->late_error, settle_late(c, false));
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
	int err = c->wait_error;

	stop_release(&c->stop, NULL, add_held, c);
	keep_error(&err, settle_late(c, true));
	return err;
}
