// SPDX-License-Identifier: GPL-2.0
/* The outcome of a run in one sentence, and what limits it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts_text.h"
#include "report/rate.h"
#include "result/parts.h"
#include "show/region.h"
#include "show/render.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/units.h"
#include "workspec.h"

/* Own work that takes so many times what it needs was slowed, or the CPU was taken away. */
#define FAR_TOO_LONG	2
#define STEAL_TICK_NS	10000000ULL	/* of /proc/stat */

/* The time of one work on a CPU, in ns, if it is always the same. 0: it varies, or is unknown. */
static uint64_t fixed_work_ns(const struct result *r)
{
	struct tlob_work work;

	if (!r->work || tlob_parse_work(r->work, &work))
		return 0;
	if (tlob_work_kinds[work.type].flags & TLOB_WORK_TIME)
		return work.type == TLOB_WORK_PAUSE ? 0 : work.amount;
	return tlob_work_kinds[work.type].flags & TLOB_WORK_FIXED ? r->all.demand_ns : 0;
}

/* Prints the counts of the machine on the CPU during the run that explain lost time. */
static void put_unseen(FILE *f, const struct result *r, uint32_t cpu)
{
	const struct findings *from = r->findings;
	const struct machine_counts *c = NULL;
	char time[DURATION_LEN];
	size_t i;

	for (i = 0; from && i < from->ncounts && !c; i++)
		if (from->count[i].cpu == (int)cpu)
			c = &from->count[i];
	if (c && c->value[MACHINE_STEAL])
		fprintf(f, "a hypervisor took %s from this CPU during the run",
			duration_prose(time, c->value[MACHINE_STEAL] * STEAL_TICK_NS));
	else if (c && c->value[MACHINE_SMI])
		fprintf(f, "SMIs on this CPU during the run: %" PRIu64, c->value[MACHINE_SMI]);
	else
		fputs("something that the kernel does not see slowed or stopped the CPU: hypervisor, SMI or frequency", f);
}

static void put_own_work(FILE *f, const struct tlob_window *w, const struct result *r)
{
	uint64_t own = w->part_ns[TLOB_WORK_ON_CPU], needs = r ? fixed_work_ns(r) : 0;
	char took[DURATION_LEN], work[DURATION_LEN];

	if (!needs || own / FAR_TOO_LONG < needs) {
		fputs("in its own work", f);
		return;
	}
	fprintf(f, "on the CPU: %s, though the work takes %s; ", duration_prose(took, own),
		duration_prose(work, needs));
	put_unseen(f, r, w->cpu);
}

/* "eth0 (irq 25)". Without a pid a thread's name stands for all threads of that name. */
static const char *who_text(char *buf, size_t size, const struct cause *c, bool with_pid)
{
	struct tlob_noise n = { .kind = c->kind, .id = c->id };

	memcpy(n.name, c->name, sizeof(n.name));
	if (c->kind != TLOB_NOISE_THREAD || (with_pid && c->id))
		return noise_name(buf, size, &n);
	printable(buf, n.name, TLOB_NAME_LEN);
	return buf;
}

static void put_largest(FILE *f, const char *what, const struct cause *c, bool with_pid)
{
	char who[128];

	fputs(what, f);
	if (c->has_name)
		fprintf(f, ", the largest %s", who_text(who, sizeof(who), c, with_pid));
}

static void put_thread(FILE *f, const struct cause *c, bool of_task, bool with_pid)
{
	char who[128];

	fputs(of_task ? "runnable, " : "", f);
	if (c->has_name && c->nearly_all)
		fprintf(f, "while %s ran", who_text(who, sizeof(who), c, with_pid));
	else
		put_largest(f, of_task ? "while other tasks ran" : "while other threads ran", c,
			    with_pid);
}

/* Prints what happened in the part of @c. @of_task: in a region of a program. */
static void put_cause(FILE *f, const struct cause *c, bool of_task, bool with_pid)
{
	char who[128];

	switch ((enum tlob_part)c->part) {
	case TLOB_WAKE_IRQ_DELAY:
		fprintf(f, "waiting for the timer interrupt while %s ran",
			who_text(who, sizeof(who), c, with_pid));
		break;
	case TLOB_WAKE_IRQ: case TLOB_WORK_IRQ:
		put_largest(f, "in interrupts", c, with_pid);
		break;
	case TLOB_WAKE_SOFTIRQ: case TLOB_WORK_SOFTIRQ:
		put_largest(f, "in softirqs", c, with_pid);
		break;
	case TLOB_WAKE_NMI: case TLOB_WORK_NMI:
		fputs("in NMIs", f);
		break;
	case TLOB_WAKE_THREAD: case TLOB_WORK_THREAD:
		put_thread(f, c, of_task, with_pid);
		break;
	case TLOB_WAKE_SCHED:
		fputs("idle or switching to the thread after the timer interrupt", f);
		break;
	case TLOB_WORK_ON_CPU:
		fputs(of_task ? "running" : "in its own work", f);
		break;
	case TLOB_WORK_SLEEP:
		fputs(of_task ? "sleeping" : "blocked or stopped in the work", f);
		break;
	case TLOB_WORK_HW:
		fputs("in gaps that the kernel cannot explain: SMI or hypervisor", f);
		break;
	case TLOB_NR_PARTS:
		break;
	}
}

void region_cause(FILE *f, const struct attach_result *a, const struct tlob_task_window *w)
{
	uint64_t usual_ns = hist_mean(&a->hist[ATTACH_PARTS + TLOB_TASK_PART_RUNNING]);
	char percent[PERCENT_LEN];
	struct tlob_window as_run;
	struct cause c;

	attach_as_window(&as_run, w);
	if (w->elapsed_ns && w->errors) {
		fprintf(f, "the cause is not known: events missing or out of order: %u", w->errors);
		return;
	}
	if (!w->elapsed_ns || !cause_of(&c, &as_run, usual_ns))
		return;
	fprintf(f, "%s ", percent_prose(percent, c.ns, w->elapsed_ns));
	put_cause(f, &c, true, true);
}

void render_cause(FILE *f, const struct tlob_window *w, uint64_t usual_ns, const struct result *r)
{
	char percent[PERCENT_LEN];
	uint64_t ns, work = w->response_ns - w->wake_ns;
	struct cause c;
	bool late;

	if (!w->response_ns)
		return;
	if (!cause_of(&c, w, usual_ns)) {
		late = w->wake_ns > work;
		ns = late ? w->wake_ns : work;
		fprintf(f, "%s %s; the cause is not measured here",
			percent_prose(percent, ns, w->response_ns),
			late ? "until the thread ran" : "in the work");
		return;
	}
	fprintf(f, "%s ", percent_prose(percent, c.ns, w->response_ns));
	if (c.part == TLOB_WORK_ON_CPU)
		put_own_work(f, w, r);
	else
		put_cause(f, &c, false, true);
}

const char *cause_name(char buf[PRINTABLE_NAME], const struct tlob_window *w,
		       uint64_t usual_ns)
{
	struct cause c;

	if (!cause_of(&c, w, usual_ns))
		return "";
	if (c.has_name)
		return printable(buf, c.name, TLOB_NAME_LEN);
	return c.part == TLOB_WORK_ON_CPU ? "work" : part_short_name(c.part);
}

static void put_count(FILE *f, const struct cause_count *count, bool of_task)
{
	struct cause c = {
		.part = count->part, .has_name = count->has_name, .nearly_all = true,
		.kind = count->kind, .id = count->id,
	};

	memcpy(c.name, count->name, sizeof(c.name));
	put_cause(f, &c, of_task, false);
}

/* The cause of most violations: ": 196 while evil_fifo99 ran". Nothing if it made fewer than two. */
static void put_most(FILE *f, const struct result *r, uint64_t violations)
{
	const struct cause_count *most = causes_most(&r->causes);
	char n[COUNT_LEN];

	if (!most || most->windows < 2)
		return;
	fprintf(f, ": %s ", most->windows == violations ? "all" : count_prose(n, most->windows));
	put_count(f, most, r->region);
}

const struct result_cpu *slowest_cpu(const struct result *r)
{
	size_t i, worst = 0;

	for (i = 1; i < r->ncpus; i++)
		if (r->cpu[i].hist[TLOB_METRIC_RESPONSE].max >
		    r->cpu[worst].hist[TLOB_METRIC_RESPONSE].max)
			worst = i;
	return &r->cpu[worst];
}

static void put_place(FILE *f, int cpu, const char *host)
{
	bool named = host && *host;

	put_printable(f, " on CPU %d%s%s", cpu, named ? " of " : "", named ? host : "");
}

static void put_longest(FILE *f, uint64_t ns, uint64_t budget_ns)
{
	char worst[DURATION_LEN], percent[PERCENT_LEN];

	fprintf(f, "; worst %s", duration_prose(worst, ns));
	if (ns <= budget_ns)
		fprintf(f, ", %s of the budget,", percent_prose(percent, ns, budget_ns));
}

const char *region_unfinished(const struct tlob_task_window *w)
{
	if (w->flags & TLOB_TASK_ENDED)
		return "";
	return w->flags & TLOB_TASK_CUT ? ", cut off" : ", open";
}

/* The table has only windows that ended, so another one is named as such. */
static void put_worst_of_region(FILE *f, const struct attach_result *a)
{
	const struct tlob_task_window *w = &a->worst[0].w;
	char task[TASK_TEXT];

	if (!a->nworst)
		return;
	put_longest(f, w->elapsed_ns, a->budget_ns);
	fprintf(f, " in %s%s", task_text(task, w->comm, w->tid), region_unfinished(w));
	if (!a->violations || !w->elapsed_ns)
		return;
	fputs(": ", f);
	region_cause(f, a, w);
}

/* The worst window. The record says why; if it was lost, the histogram has the time. */
static void put_worst(FILE *f, const struct result *r, bool with_cause)
{
	const struct tlob_hist *h = &r->all.hist[TLOB_METRIC_RESPONSE];
	const struct tlob_hist *own = &r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU];
	const struct tlob_window *w = r->nworst ? &r->worst[0].w : NULL;
	bool recorded = w && w->response_ns >= h->max;

	if (!h->n || !r->ncpus)
		return;
	put_longest(f, recorded ? w->response_ns : h->max, r->budget_ns);
	if (recorded)
		put_place(f, (int)w->cpu, r->worst[0].kept.host);
	else
		put_place(f, slowest_cpu(r)->cpu, slowest_cpu(r)->host);
	if (recorded && with_cause && w->response_ns) {
		fputs(": ", f);
		render_cause(f, w, hist_mean(own), r);
	}
}

bool outcome_is_good(const struct result *r, unsigned int failed)
{
	const struct attach_result *a = r->region;

	if (a)
		return a->windows && !a->violations && !failed;
	return r->all.windows && !r->all.violations && !failed &&
	       !result_missed(&r->all, TLOB_METRIC_RESPONSE);
}

static void put_windows(FILE *f, uint64_t windows, uint64_t violations, uint64_t budget_ns)
{
	char all[COUNT_LEN], n[COUNT_LEN], budget[DURATION_LEN];

	count_prose(all, windows);
	duration_prose_exact(budget, budget_ns);
	if (violations)
		fprintf(f, "%s of %s windows over %s", count_prose(n, violations), all, budget);
	else
		fprintf(f, "%s window%s within %s", all, windows == 1 ? "" : "s", budget);
}

static void put_region(FILE *f, const struct result *r)
{
	const struct attach_result *a = r->region;
	/* windows are those that ended; violations are also open and cut ones */
	uint64_t all = a->windows + a->cut + a->open;

	if (!all)
		fputs("no window was seen", f);
	else if (!a->violations && !a->windows)
		fputs("no window ended", f);
	else
		put_windows(f, a->violations ? all : a->windows, a->violations, a->budget_ns);
	put_most(f, r, a->violations);
	put_worst_of_region(f, a);
}

static void put_run(FILE *f, const struct result *r)
{
	uint64_t missed = result_missed(&r->all, TLOB_METRIC_RESPONSE);
	const struct result_cpu *a = &r->all;
	char n[COUNT_LEN];

	if (!a->windows) {
		fputs("no window was measured", f);
		return;
	}
	put_windows(f, a->windows, a->violations, r->budget_ns);
	if (a->violations)
		put_most(f, r, a->violations);
	else if (missed)
		fprintf(f, ", but %s expir%s missed", count_prose(n, missed),
			missed == 1 ? "y was" : "ies were");
	put_worst(f, r, a->violations);
}

int render_outcome(FILE *f, const struct result *r, unsigned int failed)
{
	if (failed)
		fprintf(f, "FAILED %u assertion%s: ", failed, failed == 1 ? "" : "s");
	else if (outcome_is_good(r, failed))
		fputs("OK: ", f);
	if (r->region)
		put_region(f, r);
	else
		put_run(f, r);
	return ferror(f) ? -EIO : 0;
}

/* CPU time of one work, in ns: what was asked for, or measured. 0: unknown. */
static uint64_t time_of_work(const struct result *r)
{
	const struct tlob_hist *h = &r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU];
	struct tlob_work work;

	if (r->work && !tlob_parse_work(r->work, &work) &&
	    tlob_work_kinds[work.type].flags & TLOB_WORK_TIME && work.type != TLOB_WORK_PAUSE)
		return work.amount;
	return r->all.demand_ns ? r->all.demand_ns : h->n ? h->min : 0;
}

/* Expiries, or windows of a region: those over the budget, and all. */
static uint64_t count_over(const struct result *r, uint64_t *of)
{
	const struct attach_result *a = r->region;

	*of = a ? a->windows + a->cut + a->open : result_due(&r->all);
	return a ? a->violations : result_over(&r->all);
}

/* "over the budget or missed: 12 of 20 000, in 3 episodes of 8 at most" */
static int add_over(char ***lines, const struct result *r)
{
	const struct episode_row *row = episodes_chosen(&r->episodes);
	uint64_t of, over = count_over(r, &of);
	char n[COUNT_LEN], due[COUNT_LEN], in[COUNT_LEN], longest[COUNT_LEN], episodes[80] = "";

	if (row && row->n > 1 && row->longest == 1)
		snprintf(episodes, sizeof(episodes), ", in %s episodes", count_prose(in, row->n));
	else if (row && row->n > 1)
		snprintf(episodes, sizeof(episodes), ", in %s episodes of %s at most", count_prose(in, row->n),
			 count_prose(longest, row->longest));
	else if (row && row->longest > 1)
		snprintf(episodes, sizeof(episodes), ", in one episode");
	return notes_add(lines, "over the budget%s: %s of %s%s", r->region ? "" : " or missed",
			 over ? count_prose(n, over) : "none", count_prose(due, of), episodes);
}

/* "with 95 % confidence: 37 to 526 episodes an hour, less than 0.2 % of the expiries" */
static int add_confidence(char ***lines, const struct result *r)
{
	char rate[RATE_PROSE], share[SHARE_LEN], less[SHARE_LEN + 40] = "";
	uint64_t of, over = count_over(r, &of);

	/* of all of them 100 % is no bound */
	if (!r->episodes.n || !r->episodes.time_ns || over >= of)
		return 0;
	if (r->episodes.over)
		snprintf(less, sizeof(less), ", less than %s of the %s",
			 share_prose(share, episodes_share_upper(&r->episodes, of, 1, BOUNDS_ALPHA)),
			 r->region ? "windows" : "expiries");
	return notes_add(lines, "with %.0f %% confidence: %s%s", 100 * (1 - BOUNDS_ALPHA),
			 rate_prose(rate, &r->episodes), less);
}

static int add_worst_sum(char ***lines, const struct result *r)
{
	char text[DURATION_LEN];
	uint64_t sum = 0, one;
	int cpu = 0;
	size_t i;

	for (i = 0; i < r->ncpus && !r->region; i++) {
		one = result_worst_sum(&r->cpu[i]);
		if (one > sum) {
			sum = one;
			cpu = r->cpu[i].cpu;
		}
	}
	return sum ? notes_add(lines, "if the worst of each part came together: %s on CPU %d",
			       duration_prose(text, sum), cpu) : 0;
}

int outcome_bounds(char ***lines, const struct result *r)
{
	int err;

	/* of a region records make the counts: those that were lost are missing */
	if (!r->all.windows || (r->region && r->all.lost))
		return 0;
	err = add_worst_sum(lines, r);
	if (!err)
		err = add_over(lines, r);
	return err ? err : add_confidence(lines, r);
}

int outcome_limits(char ***lines, const struct result *r)
{
	uint64_t missed = result_missed(&r->all, TLOB_METRIC_RESPONSE);
	uint64_t due = result_due(&r->all);
	char n[COUNT_LEN], of[COUNT_LEN], percent[PERCENT_LEN];
	char work[DURATION_LEN], limit[DURATION_LEN];
	uint64_t ns = time_of_work(r);
	int err = 0;

	if (missed)
		err = notes_add(lines, "missed: %s of %s expiries (%s)",
				count_prose(n, missed), count_prose(of, due),
				percent_prose(percent, missed, due));
	if (!err && ns >= r->period_ns && r->period_ns)
		err = notes_add(lines, "the work takes %s, and the period is %s: expiries must be missed",
				duration_prose(work, ns),
				duration_prose_exact(limit, r->period_ns));
	else if (!err && ns > r->budget_ns && r->budget_ns)
		err = notes_add(lines, "the work takes %s, and the budget is %s: every window must exceed it",
				duration_prose(work, ns),
				duration_prose_exact(limit, r->budget_ns));
	if (!err && r->throttled)
		err = notes_add(lines, "RT throttling is on, and the work takes more than the share that it leaves");
	return err;
}
