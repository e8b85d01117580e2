// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel sends a record when a window's budget is over and another when the
 * window ends; one record if the end finds the window over its budget. Thread and
 * start identify the window. It counts as one violation in each case:
 *
 *	open, over budget		count, and keep until the window ends
 *	ended or cut, over budget	count, unless it was kept
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/attach_result.h"
#include "result/parts.h"
#include "result/tables.h"

const char * const attach_metric_names[ATTACH_NR_METRICS] = {
	"elapsed", "running", "irq", "softirq", "nmi", "hw", "waiting",
	"sleeping", "timer", "steal",
};

const struct condition_words attach_words = {
	.metrics = attach_metric_names,
	.nmetrics = ATTACH_NR_METRICS,
	.first_part = ATTACH_PARTS,
	.never = 1U << (ATTACH_PARTS + TLOB_TASK_PART_HW),
	.counters = &attach_counters,
	.functions = true,
};

int attach_result_init(struct attach_result *r)
{
	memset(r, 0, sizeof(*r));
	r->hist = calloc(ATTACH_NR_METRICS, sizeof(*r->hist));
	r->at = calloc(ATTACH_OPEN, sizeof(*r->at));
	episodes_begin(&r->episodes, EPISODE_FIRST_NS);
	if (r->hist && r->at)
		return 0;
	attach_result_free(r);
	return -ENOMEM;
}

void attach_result_free(struct attach_result *r)
{
	record_free(&attach_result_record, r);
	tags_free(&r->tags);
	free(r->function_totals);
	assertions_free(&r->assertions);
	said_free(&r->said);
	free(r->hist);
	free(r->at);
	memset(r, 0, sizeof(*r));
}

void attach_result_set_clock(struct attach_result *r, uint64_t step_ns)
{
	r->clock_resolution_ns = step_ns;
	hist_set_step(r->hist, ATTACH_NR_METRICS, step_ns);
	function_totals_set_step(r->function_totals, step_ns);
}

/* Parts of the task's time, by their place in a run. */
static const unsigned int part_of_run[TLOB_NR_TASK_PARTS] = TLOB_TASK_PARTS_IN_A_RUN;

unsigned int attach_part_of_run(unsigned int part)
{
	return part_of_run[part];
}

const char *cause_part_name(unsigned int part, bool of_task)
{
	unsigned int i;

	for (i = 0; of_task && i < TLOB_NR_TASK_PARTS; i++)
		if (!strcmp(part_short_name(part_of_run[i]), part_short_name(part)))
			return attach_part_names[i];
	return part_short_name(part);
}

/* The task that the interrupt of a late timer has met had no CPU in a wait for one. */
static void take_delay(struct tlob_window *to, const struct tlob_task_window *w)
{
	to->delayed_by_pid = -1;	/* without a name: not known */
	if (w->largest.kind != TLOB_NOISE_THREAD || w->largest.ns != w->part_ns[TLOB_TASK_PART_TIMER])
		return;
	to->delayed_by_pid = w->largest.id;
	memcpy(to->delayed_by, w->largest.name, sizeof(to->delayed_by));
	to->largest.ns = 0;
}

void attach_as_window(struct tlob_window *to, const struct tlob_task_window *w)
{
	unsigned int i;

	*to = (struct tlob_window){
		.response_ns = w->elapsed_ns, .budget_ns = w->threshold_ns, .largest = w->largest,
		.flags = (w->flags & TLOB_TASK_VIOLATION) ? TLOB_WINDOW_VIOLATION : 0,
		.unavailable = (1U << TLOB_NR_PARTS) - 1,
	};
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++) {
		to->part_ns[part_of_run[i]] = w->part_ns[i];
		if (!(w->unavailable & 1U << i))
			to->unavailable &= ~(1U << part_of_run[i]);
	}
	if (w->part_ns[TLOB_TASK_PART_TIMER])
		take_delay(to, w);
	if (w->flags & TLOB_TASK_LOCK &&
	    w->part_ns[TLOB_TASK_PART_SLEEPING] > w->part_ns[TLOB_TASK_PART_WAITING])
		to->largest = (struct tlob_noise){
			.ns = w->part_ns[TLOB_TASK_PART_SLEEPING], .kind = TLOB_NOISE_THREAD,
			.name = SLEPT_FOR_LOCK,
		};
}

bool attach_cause_of(const struct attach_result *r, const struct tlob_task_window *w,
		     struct cause *c)
{
	struct tlob_window as_run;

	if (!w->elapsed_ns || w->errors)
		return false;
	attach_as_window(&as_run, w);
	return cause_of(c, &as_run, hist_mean(&r->hist[ATTACH_PARTS + TLOB_TASK_PART_RUNNING]));
}

/* Where events are missing, a sleep may pass for running: such a window has no known cause. */
static void count_cause(struct attach_result *r, const struct tlob_task_window *w)
{
	struct tlob_window as_run;

	if (w->errors) {
		r->causes.others += !!(w->flags & TLOB_TASK_VIOLATION);
		return;
	}
	attach_as_window(&as_run, w);
	causes_window(&r->causes, &as_run);
}

/* Sum of parts == elapsed, exactly. */
static bool task_window_adds_up(const struct tlob_task_window *w)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		sum += w->part_ns[i];
	return sum == w->elapsed_ns;
}

static void count_other(struct attach_result *r, uint32_t tgid, bool ended)
{
	size_t i;

	r->others += ended;
	for (i = 0; i < r->nother; i++)
		if (r->other[i] == tgid)
			return;
	if (r->nother < ATTACH_OTHERS)
		r->other[r->nother++] = tgid;
}

/* The kept violation that @w belongs to, or NULL. */
static struct attach_open *find_open(struct attach_result *r,
				     const struct tlob_task_window *w)
{
	size_t i;

	for (i = 0; i < r->nopen; i++)
		if (r->at[i].w.tid == w->tid &&
		    r->at[i].w.start_ns == w->start_ns)
			return &r->at[i];
	return NULL;
}

/* @f: NULL without --functions, and if its times are not known. */
static void add_worst(struct attach_result *r, const struct tlob_task_window *w,
		      const struct window_functions *f)
{
	size_t at = r->nworst;
	struct kept_region *k;

	while (at && w->elapsed_ns > r->worst[at - 1].w.elapsed_ns)
		at--;
	if (at == RESULT_WORST)
		return;
	if (r->nworst == RESULT_WORST)
		record_free(&region_record, &r->worst[--r->nworst]);
	k = &r->worst[at];
	memmove(k + 1, k, (r->nworst - at) * sizeof(*k));
	r->nworst++;
	/* without memory the times of this window are not shown */
	*k = (struct kept_region){
		.w = *w, .kept.waits = r->waits,
		.kept.functions = r->functions ? functions_copy(f) : NULL,
	};
}

static void add_doubts(struct attach_result *r, const struct tlob_task_window *w)
{
	r->inexact += !!(w->flags & TLOB_TASK_INEXACT);
	r->unclear += !!(w->flags & TLOB_TASK_UNCLEAR);
	r->sum_failures += !task_window_adds_up(w);
	r->adjusted_ns += w->adjusted_ns;
	r->clock_steps += w->clock_steps;
	r->errors += w->errors;
	r->unavailable |= w->unavailable;
}

static void add_hist(struct attach_result *r, const struct tlob_task_window *w)
{
	unsigned int i;

	tlob_hist_add(&r->hist[ATTACH_ELAPSED], w->elapsed_ns);
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		if (!(w->unavailable & 1U << i))
			tlob_hist_add(&r->hist[ATTACH_PARTS + i],
				      w->part_ns[i]);
}

/* Records come in the order of the ends, or of the moments when budgets were over. */
static void count_violation(struct attach_result *r, const struct tlob_task_window *w)
{
	const struct episode_piece p = {
		.from_ns = w->start_ns, .to_ns = w->start_ns + w->elapsed_ns, .count = 1,
	};

	r->violations++;
	episodes_add(&r->episodes, &p);
}

static enum attach_event still_open(struct attach_result *r, uint64_t now_ns,
				 const struct tlob_task_window *w)
{
	count_violation(r, w);
	/* without room here, the window counts again when it ends */
	if (r->nopen < ATTACH_OPEN)
		r->at[r->nopen++] = (struct attach_open){
			.seen_ns = now_ns, .w = *w,
		};
	return ATTACH_OVER;
}

/* A cut window did not take its full time: it goes into no histogram. */
/* A cut window did not take its full time: it goes into no histogram. */
enum attach_event attach_record(struct attach_result *r, uint64_t now_ns,
				const struct tlob_task_window *w,
				const struct window_functions *f)
{
	bool ended = w->flags & (TLOB_TASK_ENDED | TLOB_TASK_CUT);
	struct attach_open *open;

	if (!r->all && w->tgid != (uint32_t)r->pid) {
		count_other(r, w->tgid, ended);
		return ATTACH_OTHER;
	}
	if (!ended)
		return still_open(r, now_ns, w);
	open = find_open(r, w);
	if (open)
		*open = r->at[--r->nopen];
	else if (w->flags & TLOB_TASK_VIOLATION)
		count_violation(r, w);
	add_doubts(r, w);
	add_worst(r, w, f);
	count_cause(r, w);
	/* an idle CPU is no interruption */
	if (w->largest.ns && !noise_is_idle(w->largest.kind, w->largest.id))
		offend(&r->noise, w->largest.kind, w->largest.id,
		       w->largest.name, w->largest.ns);
	if (w->flags & TLOB_TASK_CUT) {
		r->cut++;
	} else {
		r->windows++;
		add_hist(r, w);
		if (r->function_totals)
			function_totals_window(r->function_totals, f);
	}
	return (w->flags & TLOB_TASK_VIOLATION) ? ATTACH_VIOLATION :
						   ATTACH_WITHIN;
}

void attach_end(struct attach_result *r)
{
	size_t i;

	activations_end(&r->activations);
	r->open = r->nopen;
	r->episodes.e.time_ns = r->duration_ns;
	for (i = 0; i < r->nopen; i++) {
		add_worst(r, &r->at[i].w, NULL);
		count_cause(r, &r->at[i].w);
		attach_holder(r, &r->at[i].w, &r->at[i].holder);
	}
	r->nopen = 0;
}

/* The value of @key in @line, up to its end; 0 without one. */
static uint64_t count_of(const char *line, const char *key)
{
	const char *at = line, *end = line + strcspn(line, "\n");
	size_t n = strlen(key);

	while ((at = memmem(at, (size_t)(end - at), key, n))) {
		if (at > line && at[-1] == ' ' && at[n] == '=')
			return strtoull(at + n + 1, NULL, 10);
		at += n;
	}
	return 0;
}

/* The number of windows that the binding opened and no record has reported. */
static uint64_t unfinished(const struct attach_result *r, uint64_t opened)
{
	uint64_t known = r->windows + r->cut + r->open + r->lost + r->others;

	return opened > known ? opened - known : 0;
}

int attach_stat(struct attach_result *r, const char *text, const char *name)
{
	size_t n = strlen(name);
	const char *line;

	for (line = text; *line; line += strcspn(line, "\n"), line += !!*line) {
		if (strncmp(line, name, n) || line[n] != ' ')
			continue;
		r->starts = count_of(line, "hits");
		r->nested = count_of(line, "nested");
		r->no_slot = count_of(line, "no_slot");
		r->unmatched = count_of(line, "unmatched");
		r->unfinished = unfinished(r, count_of(line, "windows"));
		return 0;
	}
	return -ENOENT;
}

void attach_wait_clear(struct attach_wait *wait)
{
	record_free(&wait_record, wait);
	*wait = (struct attach_wait){ .ns = 0 };
}

struct kept_region *attach_worst_of(struct attach_result *r, const struct tlob_task_window *w)
{
	struct kept_region *k;

	for (k = r->worst; k < r->worst + r->nworst; k++)
		if (k->w.tid == w->tid && k->w.start_ns == w->start_ns)
			return k;
	return NULL;
}

void attach_holder(struct attach_result *r, const struct tlob_task_window *w,
		   const struct tlob_wait_waker *holder)
{
	struct kept_region *worst = attach_worst_of(r, w);
	struct attach_open *open = find_open(r, w);

	if (worst)
		worst->kept.holder = *holder;
	if (open)
		open->holder = *holder;
}

void attach_place(struct attach_result *r, const struct tlob_task_window *w,
		  const struct kernel_place *place)
{
	struct kept_region *worst = attach_worst_of(r, w);
	struct cause c;

	if (!place_is_known(place) || !attach_cause_of(r, w, &c))
		return;
	if (w->flags & TLOB_TASK_VIOLATION)
		causes_place(&r->places, &c, place);
	if (worst)
		worst->kept.place = *place;
}
