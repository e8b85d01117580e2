// SPDX-License-Identifier: GPL-2.0
/*
 * The counters describe the windows after the warm-up. On every CPU
 *
 *	warm_up + warm_up_missed	expiries up to the last warm-up window
 *	windows + missed		expiries after it
 *
 * and the two lines add up to all expiries since the first arming, unless a record
 * was lost. A window's `missed` are the expiries since the window before it.
 * `missed` includes `aborted`.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/attached.h"
#include "result/parts.h"
#include "result/result.h"
#include "result/tables.h"
#include "result/timeline.h"
#include "split.h"
#include "util/error.h"

static int cpu_init(struct result_cpu *c, int cpu)
{
	c->cpu = cpu;
	c->hist = calloc(RESULT_METRICS, sizeof(*c->hist));
	c->slices = calloc(1, sizeof(*c->slices));
	return c->hist && c->slices ? 0 : -ENOMEM;
}

int result_init(struct result *r, const int *cpus, size_t ncpus)
{
	size_t i;
	int err;

	memset(r, 0, sizeof(*r));
	r->cpu = calloc(ncpus ? ncpus : 1, sizeof(*r->cpu));
	if (!r->cpu)
		return -ENOMEM;
	r->ncpus = ncpus;
	r->runs = 1;
	err = cpu_init(&r->all, -1);
	for (i = 0; !err && i < ncpus; i++)
		err = cpu_init(&r->cpu[i], cpus[i]);
	if (err)
		result_free(r);
	return err;
}

void result_free(struct result *r)
{
	size_t i;

	free(r->function_words);
	if (r->attached)
		free(r->attached->at);
	episodes_watch_free(r->watch);
	assertions_free(&r->assertions);
	said_free(&r->said);
	for (i = 0; i < r->ntuning; i++) {
		free(r->tuning[i].name);
		free(r->tuning[i].value);
		free(r->tuning[i].source);
	}
	free(r->tuning);
	tags_free(&r->tags);
	for (i = 0; i < RESULT_METRICS; i++)
		samples_free(&r->exact[i]);
	for (i = 0; i < r->ncpus; i++) {
		free(r->cpu[i].hist);
		free(r->cpu[i].functions);
	}
	free(r->all.hist);
	free(r->all.functions);
	record_free(&result_record, r);
	memset(r, 0, sizeof(*r));
}

int result_watch(struct result *r)
{
	r->watch = episodes_watch(r->ncpus, r->period_ns);
	return r->watch ? 0 : -ENOMEM;
}

int result_init_functions(struct result *r)
{
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		r->cpu[i].functions = function_totals_new(r->functions->n);
		if (!r->cpu[i].functions)
			return -ENOMEM;
	}
	return 0;
}

static void cpu_set_clock(struct result_cpu *c, uint64_t step_ns)
{
	if (c->hist)
		hist_set_step(c->hist, RESULT_METRICS, step_ns);
	function_totals_set_step(c->functions, step_ns);
}

void result_set_clock(struct result *r, uint64_t step_ns)
{
	size_t i;

	r->clock_resolution_ns = step_ns;
	cpu_set_clock(&r->all, step_ns);
	for (i = 0; i < r->ncpus; i++)
		cpu_set_clock(&r->cpu[i], step_ns);
}

static int vnote(char ***list, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static int vnote(char ***list, const char *fmt, va_list ap)
{
	char **notes;
	size_t n = 0;
	int len;

	while (*list && (*list)[n])
		n++;
	notes = realloc(*list, (n + 2) * sizeof(*notes));
	if (!notes)
		return -ENOMEM;
	*list = notes;
	len = vasprintf(&notes[n], fmt, ap);
	if (len < 0)
		notes[n] = NULL;
	notes[n + 1] = NULL;
	return len < 0 ? -ENOMEM : 0;
}

int notes_add(char ***notes, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = vnote(notes, fmt, ap);
	va_end(ap);
	return err;
}

void notes_free(char **notes)
{
	size_t i;

	for (i = 0; notes && notes[i]; i++)
		free(notes[i]);
	free(notes);
}

int result_note(struct result *r, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = vnote(&r->notes, fmt, ap);
	va_end(ap);
	return err;
}

bool window_adds_up(const struct tlob_window *w)
{
	bool has_wake = (w->unavailable & PARTS_OF_WAKE) != PARTS_OF_WAKE;
	bool has_work = (w->unavailable & PARTS_OF_WORK) != PARTS_OF_WORK;

	if (w->flags & WINDOW_OF_TASK)
		return tlob_split_sum(w->part_ns, false) + tlob_split_sum(w->part_ns, true) == w->response_ns;
	return w->response_ns >= w->wake_ns &&
	       (!has_wake || tlob_split_sum(w->part_ns, false) == w->wake_ns) &&
	       (!has_work || tlob_split_sum(w->part_ns, true) == w->response_ns - w->wake_ns);
}

/*
 * Number and name identify an irq, because handlers share lines. The name alone
 * identifies a thread: kworker/0:1 is the same cause under every pid. @name need not end
 * with a NUL. Most names are the same to their last byte, which is found sooner.
 */
static bool is_offender(const struct offender *o, uint8_t kind, int32_t id, const char *name)
{
	return o->kind == kind && (kind == TLOB_NOISE_THREAD || o->id == id) &&
	       (!memcmp(o->name, name, TLOB_NAME_LEN) || !strncmp(o->name, name, TLOB_NAME_LEN - 1));
}

static struct offender *find_offender(struct offenders *list, uint8_t kind, int32_t id, const char *name)
{
	size_t i;

	if (list->last < list->n && is_offender(&list->at[list->last], kind, id, name))
		return &list->at[list->last];
	for (i = 0; i < list->n; i++)
		if (is_offender(&list->at[i], kind, id, name)) {
			list->last = i;
			return &list->at[i];
		}
	return NULL;
}

void offenders_add(struct offenders *list, const struct offender *o)
{
	struct offender *at = find_offender(list, o->kind, o->id, o->name);
	size_t i;

	if (at) {
		at->id = o->id;
		at->windows += o->windows;
		at->total_ns += o->total_ns;
		if (o->max_ns > at->max_ns) {
			at->max_ns = o->max_ns;
			memcpy(at->host, o->host, sizeof(at->host));
		}
		return;
	}
	if (list->n < RESULT_OFFENDERS) {
		at = &list->at[list->n++];
	} else {
		at = &list->at[0];
		for (i = 1; i < list->n; i++)
			if (list->at[i].total_ns < at->total_ns)
				at = &list->at[i];
		list->evicted++;
	}
	*at = *o;
}

void offend(struct offenders *list, uint8_t kind, int32_t id, const char name[TLOB_NAME_LEN],
	    uint64_t ns)
{
	struct offender *at = find_offender(list, kind, id, name);
	struct offender o;

	/* nearly every window's: nothing is copied, and the host of the longest stays its own */
	if (at && ns <= at->max_ns) {
		at->id = id;
		at->windows++;
		at->total_ns += ns;
		return;
	}
	o = (struct offender){ .kind = kind, .id = id, .windows = 1, .total_ns = ns, .max_ns = ns };
	memcpy(o.name, name, strnlen(name, TLOB_NAME_LEN - 1));
	offenders_add(list, &o);
}

static void account_exact(struct result *r, const struct tlob_window *w)
{
	unsigned int i;

	if (irq_is_available(w->unavailable))
		samples_add(&r->exact[TLOB_METRIC_IRQ], w->irq_latency_ns);
	samples_add(&r->exact[TLOB_METRIC_WAKE], w->wake_ns);
	samples_add(&r->exact[TLOB_METRIC_RESPONSE], w->response_ns);
	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (!(w->unavailable & 1U << i))
			samples_add(&r->exact[TLOB_METRIC_PARTS + i],
				    w->part_ns[i]);
}

static void account_offenders(struct result *r, const struct tlob_window *w)
{
	static const char user_code[TLOB_NAME_LEN] = "user code", idle[TLOB_NAME_LEN] = "idle";
	uint64_t delay = w->part_ns[TLOB_WAKE_IRQ_DELAY];

	/* for a task an idle CPU is no interruption */
	if (w->largest.ns && !(w->flags & WINDOW_OF_TASK && noise_is_idle(w->largest.kind, w->largest.id)))
		offend(&r->noise, w->largest.kind, w->largest.id,
		       w->largest.name, w->largest.ns);
	if (delay && window_met_user(w))
		offend(&r->delay, TLOB_NOISE_THREAD, 0, user_code, delay);
	else if (delay && w->delayed_by_pid >= 0 && !(w->unavailable & 1U << TLOB_WAKE_IRQ_DELAY))
		offend(&r->delay, TLOB_NOISE_THREAD, w->delayed_by_pid,
		       w->delayed_by_pid ? w->delayed_by : idle, delay);
}

/* Only the window that was the last of the worst may have lost its place. */
static void drop_worst(struct result *r)
{
	struct kept_window *k = &r->worst[RESULT_WORST];

	if (r->nworst <= RESULT_WORST || result_keeps(RESULT_WORST, &k->w, r->timed))
		return;
	record_free(&window_record, k);
	r->nworst--;
	memmove(k, k + 1, (r->nworst - RESULT_WORST) * sizeof(*k));
}

/* Largest response first; of two equal windows the earlier one. A full list loses its last one. */
static struct kept_window *account_worst(struct result *r, const struct tlob_window *w,
					  const struct tlob_timeline *t,
					  const struct window_functions *f)
{
	size_t at = r->nworst;
	struct kept_window *k;

	while (at && w->response_ns > r->worst[at - 1].w.response_ns)
		at--;
	if (!result_keeps(at, w, r->timed))
		return NULL;
	if (r->nworst == RESULT_KEPT)
		record_free(&window_record, &r->worst[--r->nworst]);
	k = &r->worst[at];
	memmove(k + 1, k, (r->nworst - at) * sizeof(*k));
	r->nworst++;
	*k = (struct kept_window){
		.w = *w, .kept.waits = r->waits,
		.kept.timeline = r->timed ? timeline_copy(t) : NULL,
		.kept.functions = r->functions ? functions_copy(f) : NULL,
	};
	drop_worst(r);
	return k;
}

struct kept_window *result_worst_of(struct result *r, const struct tlob_window *w)
{
	struct kept_window *k;

	for (k = r->worst; k < r->worst + r->nworst; k++)
		if (window_is_same(&k->w, w))
			return k;
	return NULL;
}

/* Without t1 there is no irq latency. No bit says so, because it is not a part. */
static void account_hist(struct tlob_hist *hist, const struct tlob_window *w)
{
	unsigned int i;

	if (w->flags & WINDOW_OF_TASK) {
		tlob_hist_add(&hist[TLOB_METRIC_RESPONSE], w->response_ns);
		for (i = 0; i < TLOB_NR_PARTS; i++)
			if (!(w->unavailable & 1U << i))
				tlob_hist_add(&hist[TLOB_METRIC_PARTS + i], w->part_ns[i]);
		return;
	}
	if (irq_is_available(w->unavailable)) {
		tlob_hist_window(hist, w);
		return;
	}
	tlob_hist_add(&hist[TLOB_METRIC_WAKE], w->wake_ns);
	tlob_hist_add(&hist[TLOB_METRIC_RESPONSE], w->response_ns);
}

static void account_doubts(struct result_cpu *c, const struct tlob_window *w)
{
	c->inexact += !!(w->flags & TLOB_WINDOW_INEXACT);
	c->adjusted_ns += w->adjusted_ns;
	c->clock_steps += w->clock_steps;
	c->errors += w->errors;
	c->unavailable |= w->unavailable;
}

void result_task_window(struct result *r, const struct kept_window *k, const struct window_functions *f)
{
	bool ended = !(k->w.flags & (WINDOW_CUT | WINDOW_OPEN));
	bool violation = k->w.flags & TLOB_WINDOW_VIOLATION;
	struct result_cpu *c = r->cpu;
	struct kept_window *worst = account_worst(r, &k->w, NULL, f);

	if (worst)
		worst->kept.task = k->kept.task;
	c->windows += ended;
	*(ended ? &c->violations : &c->missed) += violation;
	account_doubts(c, &k->w);
	c->sum_failures += !window_adds_up(&k->w);
	account_offenders(r, &k->w);
	causes_window(&r->causes, &k->w);
	if (ended)
		account_hist(c->hist, &k->w);
	if (ended && c->functions)
		function_totals_window(c->functions, f);
}

bool result_window(struct result *r, size_t i, const struct tlob_window *w,
		   bool with_hist)
{
	return result_window_timed(r, i, w, with_hist, NULL, NULL);
}

bool result_window_timed(struct result *r, size_t i, const struct tlob_window *w,
			 bool with_hist, const struct tlob_timeline *t,
			 const struct window_functions *f)
{
	struct result_cpu *c = &r->cpu[i];
	bool violation = w->flags & TLOB_WINDOW_VIOLATION;
	bool ok = window_adds_up(w);

	if (w->flags & TLOB_WINDOW_NONE)
		return true;
	if (w->flags & TLOB_WINDOW_WARM_UP) {
		c->warm_up++;
		c->warm_up_missed += w->missed;
		c->warm_up_violations += violation;
		return ok;
	}
	c->windows++;
	c->violations += violation;
	c->missed += w->missed;
	account_doubts(c, w);
	if (w->response_ns > r->worse_than_ns)
		account_worst(r, w, t, f);
	if (c->functions)
		function_totals_window(c->functions, f);
	account_offenders(r, w);
	causes_window(&r->causes, w);
	if (r->watch)
		episodes_window(r->watch, i, w->t0_ns, w->missed, violation);
	if (c->slices)
		slices_window(c->slices, w->t0_ns > r->begin_ns ?
			      w->t0_ns - r->begin_ns : 0, w);
	if (r->keeps_exact)
		account_exact(r, w);
	if (with_hist) {
		c->sum_failures += !ok;
		account_hist(c->hist, w);
	}
	return ok;
}

static void add_offenders(struct offenders *to, const struct offenders *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		offenders_add(to, &from->at[i]);
	to->evicted += from->evicted;
}

void result_add_cpu(struct result *r, size_t i, const struct result *of)
{
	struct result_cpu *c = &r->cpu[i];
	unsigned int m;
	size_t k;

	result_add_counters(c, of->cpu);
	for (m = 0; m < RESULT_METRICS; m++)
		hist_merge(&c->hist[m], &of->cpu->hist[m]);
	slices_add(c->slices, of->cpu->slices);
	for (k = 0; k < of->nworst; k++)
		if (of->worst[k].w.response_ns > r->worse_than_ns)
			account_worst(r, &of->worst[k].w, NULL, NULL);
	add_offenders(&r->noise, &of->noise);
	add_offenders(&r->delay, &of->delay);
	causes_merge(&r->causes, &of->causes);
}

/* A part that some windows lack has fewer values. */
bool result_is_exact(const struct result *r, unsigned int metric)
{
	const struct samples *s = &r->exact[metric];

	return r->keeps_exact && s->n && s->n == r->all.hist[metric].n &&
	       !r->all.lost;
}

void result_add_counters(struct result_cpu *a, const struct result_cpu *c)
{
	record_add(&cpu_record, a, c);
}

/*
 * The demand of all CPUs is the mean over windows: mean(on_cpu) minus it is the
 * mean slowdown. 0 if a CPU with windows has no demand. The sum is CPU time that
 * passed in the run, so it does not overflow.
 */
static uint64_t mean_demand(const struct result *r)
{
	uint64_t sum = 0, n = 0;
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		const struct result_cpu *c = &r->cpu[i];

		if (c->windows && !c->demand_ns)
			return 0;
		sum += c->demand_ns * c->windows;
		n += c->windows;
	}
	return n ? (sum + n / 2) / n : 0;
}

void result_sum_counters(struct result *r)
{
	struct tlob_hist *hist = r->all.hist;
	struct slices *slices = r->all.slices;
	size_t i;
	int err = 0;

	free(r->all.os);
	free(r->all.functions);
	memset(&r->all, 0, sizeof(r->all));
	r->all.cpu = -1;
	r->all.hist = hist;
	r->all.slices = slices;
	for (i = 0; i < r->ncpus; i++) {
		result_add_counters(&r->all, &r->cpu[i]);
		keep_error(&err, os_counts_add(&r->all.os, r->cpu[i].os));
		keep_error(&err, function_totals_add(&r->all.functions, r->cpu[i].functions));
	}
	if (err) {	/* no memory: no sum, which is better than one of some CPUs */
		free(r->all.os);
		free(r->all.functions);
		r->all.os = NULL;
		r->all.functions = NULL;
	}
	r->all.demand_ns = mean_demand(r);
	r->all.episodes = r->episodes;
}

/* Without the slices of one CPU the sum has none. */
static void sum_slices(struct result *r)
{
	size_t i;

	free(r->all.slices);
	r->all.slices = r->ncpus ? calloc(1, sizeof(*r->all.slices)) : NULL;
	for (i = 0; i < r->ncpus && r->all.slices; i++) {
		if (r->cpu[i].slices) {
			slices_add(r->all.slices, r->cpu[i].slices);
			continue;
		}
		free(r->all.slices);
		r->all.slices = NULL;
	}
}

/*
 * Expiries that no window told of: if a record was lost they may lie anywhere, else they are the
 * last. Without memory for them nothing is known of all CPUs together.
 */
static void take_episodes(struct result *r)
{
	uint64_t *tail = calloc(r->ncpus + 1, sizeof(*tail)), unseen = 0, over, seen;
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		struct result_cpu *c = &r->cpu[i];
		bool is_tail = !c->lost && tail;

		over = result_over(c);
		seen = episodes_over(r->watch, i);
		over = over > seen ? over - seen : 0;
		if (is_tail)
			tail[i] = over;
		episodes_of_cpu(r->watch, i, is_tail ? over : 0, &c->episodes);
		if (!is_tail) {
			episodes_unseen(&c->episodes, over);
			unseen += over;
		}
		c->episodes.time_ns = result_due(c) * r->period_ns;
	}
	if (tail)
		episodes_of_all(r->watch, tail, &r->episodes);
	else
		r->episodes = (struct episodes){ 0 };
	episodes_unseen(&r->episodes, unseen);
	for (i = 0; i < r->ncpus; i++)
		if (r->cpu[i].episodes.time_ns > r->episodes.time_ns)
			r->episodes.time_ns = r->cpu[i].episodes.time_ns;
	free(tail);
}

void result_sum(struct result *r)
{
	struct tlob_hist *hist = r->all.hist;
	unsigned int m;
	size_t i;

	/* most of them have no sample, and no memory yet */
	for (m = 0; m < RESULT_METRICS; m++)
		if (hist[m].n)
			memset(&hist[m], 0, sizeof(hist[m]));
	hist_set_step(hist, RESULT_METRICS, r->clock_resolution_ns);
	for (i = 0; i < r->ncpus; i++)
		for (m = 0; m < RESULT_METRICS; m++)
			hist_merge(&hist[m], &r->cpu[i].hist[m]);
	sum_slices(r);
	if (r->watch)
		take_episodes(r);
	result_sum_counters(r);
}

const struct result_cpu *result_slowest_cpu(const struct result *r)
{
	size_t i, worst = 0;

	for (i = 1; i < r->ncpus; i++)
		if (r->cpu[i].hist[TLOB_METRIC_RESPONSE].max >
		    r->cpu[worst].hist[TLOB_METRIC_RESPONSE].max)
			worst = i;
	return &r->cpu[worst];
}
