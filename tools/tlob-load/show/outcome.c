// SPDX-License-Identifier: GPL-2.0
/* What a run came to, in one sentence, and what limits it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workspec.h"
#include "compare/stats.h"
#include "result/parts.h"
#include "show/render.h"
#include "show/render_parts.h"
#include "util/printable.h"
#include "util/units.h"

/* A name that accounts for this share of a part stands for the whole part. */
#define NEARLY_ALL	90	/* percent */

/* The part of the other phase with the same name, or @part itself. */
static unsigned int twin(unsigned int part)
{
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (i != part && !strcmp(part_short_name(i), part_short_name(part)))
			return i;
	return part;
}

static uint64_t in_both_phases(const struct tlob_window *w, unsigned int part)
{
	unsigned int other = twin(part);

	return w->part_ns[part] + (other == part ? 0 : w->part_ns[other]);
}

/*
 * The largest part. Of work counts what took longer than @usual, or all of it if it alone
 * exceeds the budget.
 */
unsigned int cause_part(const struct tlob_window *w, uint64_t usual, uint64_t *ns)
{
	uint64_t own = w->part_ns[TLOB_WORK_ON_CPU], most;
	unsigned int worst = TLOB_WORK_ON_CPU, i;

	most = own > w->budget_ns ? own : own > usual ? own - usual : 0;
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		if (i == TLOB_WORK_ON_CPU || in_both_phases(w, i) <= most)
			continue;
		worst = i;
		most = in_both_phases(w, i);
	}
	*ns = worst == TLOB_WORK_ON_CPU ? own : most;
	/* of the two the phase that had more of it */
	return w->part_ns[twin(worst)] > w->part_ns[worst] ? twin(worst) : worst;
}

static void put_thread(FILE *f, const struct tlob_window *w, uint64_t ns)
{
	char who[128];

	if (w->largest.kind == TLOB_NOISE_THREAD && w->largest.ns >= ns / 100 * NEARLY_ALL)
		fprintf(f, "while %s ran", noise_name(who, sizeof(who), &w->largest));
	else
		put_largest(f, "while other threads ran", &w->largest, TLOB_NOISE_THREAD);
}

static void put_delay(FILE *f, const struct tlob_window *w)
{
	char name[PRINTABLE_NAME];

	if (w->delayed_by_pid)
		fprintf(f, "waiting for the timer interrupt while %s (pid %d) ran",
			printable(name, w->delayed_by, TLOB_NAME_LEN), w->delayed_by_pid);
	else
		fputs("waiting for the timer interrupt while idle ran", f);
}

/* Says what happened in @part, which took @ns of the window. */
static void put_part(FILE *f, const struct tlob_window *w, unsigned int part, uint64_t ns)
{
	switch ((enum tlob_part)part) {
	case TLOB_WAKE_IRQ_DELAY:
		put_delay(f, w);
		break;
	case TLOB_WAKE_IRQ: case TLOB_WORK_IRQ:
		put_largest(f, "in interrupts", &w->largest, TLOB_NOISE_IRQ);
		break;
	case TLOB_WAKE_SOFTIRQ: case TLOB_WORK_SOFTIRQ:
		put_largest(f, "in softirqs", &w->largest, TLOB_NOISE_SOFTIRQ);
		break;
	case TLOB_WAKE_NMI: case TLOB_WORK_NMI:
		fputs("in NMIs", f);
		break;
	case TLOB_WAKE_THREAD: case TLOB_WORK_THREAD:
		put_thread(f, w, ns);
		break;
	case TLOB_WAKE_SCHED:
		fputs("idle or switching to the thread after the timer interrupt", f);
		break;
	case TLOB_WORK_ON_CPU:
		fputs("in its own work", f);
		break;
	case TLOB_WORK_SLEEP:
		fputs("blocked or stopped in the work", f);
		break;
	case TLOB_WORK_HW:
		fputs("in gaps that the kernel cannot explain: SMI or hypervisor", f);
		break;
	case TLOB_NR_PARTS:
		break;
	}
}

void render_cause(FILE *f, const struct tlob_window *w, uint64_t usual_ns)
{
	char percent[PERCENT_LEN];
	uint64_t ns, work = w->response_ns - w->wake_ns;
	unsigned int part;
	bool late;

	if (!w->response_ns)
		return;
	if (parts_are_unavailable(w->unavailable)) {
		late = work <= w->budget_ns && w->wake_ns > work;
		ns = late ? w->wake_ns : work;
		fprintf(f, "%s %s; the cause is not measured here",
			percent_prose(percent, ns, w->response_ns),
			late ? "until the thread ran" : "in the work");
		return;
	}
	part = cause_part(w, usual_ns, &ns);
	fprintf(f, "%s ", percent_prose(percent, ns, w->response_ns));
	put_part(f, w, part, ns);
}

const char *cause_name(char buf[PRINTABLE_NAME], const struct tlob_window *w,
		       uint64_t usual_ns)
{
	static const unsigned int kinds[TLOB_NR_PARTS] = {
		[TLOB_WAKE_IRQ] = TLOB_NOISE_IRQ + 1, [TLOB_WORK_IRQ] = TLOB_NOISE_IRQ + 1,
		[TLOB_WAKE_SOFTIRQ] = TLOB_NOISE_SOFTIRQ + 1,
		[TLOB_WORK_SOFTIRQ] = TLOB_NOISE_SOFTIRQ + 1,
		[TLOB_WAKE_THREAD] = TLOB_NOISE_THREAD + 1,
		[TLOB_WORK_THREAD] = TLOB_NOISE_THREAD + 1,
	};
	uint64_t ns;
	unsigned int part;

	if (parts_are_unavailable(w->unavailable))
		return "";
	part = cause_part(w, usual_ns, &ns);
	if (part == TLOB_WAKE_IRQ_DELAY)
		return w->delayed_by_pid ? printable(buf, w->delayed_by, TLOB_NAME_LEN) : "idle";
	if (kinds[part] && w->largest.ns && w->largest.kind == kinds[part] - 1)
		return printable(buf, w->largest.name, TLOB_NAME_LEN);
	return part == TLOB_WORK_ON_CPU ? "work" : part_short_name(part);
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
	char *of = host && *host ? printable_dup(host) : NULL;

	fprintf(f, " on CPU %d%s%s", cpu, of ? " of " : "", of ? of : "");
	free(of);
}

/* The worst window. The record tells why; if it was lost, the histogram has the time. */
static void put_worst(FILE *f, const struct result *r, bool with_cause)
{
	const struct tlob_hist *h = &r->all.hist[TLOB_METRIC_RESPONSE];
	const struct tlob_window *w = r->nworst ? &r->worst[0] : NULL;
	bool recorded = w && w->response_ns >= h->max;
	char worst[DURATION_LEN], percent[PERCENT_LEN];
	uint64_t ns = recorded ? w->response_ns : h->max;

	if (!h->n || !r->ncpus)
		return;
	fprintf(f, "; worst %s", duration_prose(worst, ns));
	if (ns <= r->budget_ns)
		fprintf(f, ", %s of the budget,", percent_prose(percent, ns, r->budget_ns));
	if (recorded)
		put_place(f, (int)w->cpu, r->worst_host[0]);
	else
		put_place(f, slowest_cpu(r)->cpu, slowest_cpu(r)->host);
	if (recorded && with_cause && w->response_ns) {
		fputs(": ", f);
		render_cause(f, w, hist_mean(&r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU]));
	}
}

bool outcome_is_good(const struct result *r, unsigned int failed)
{
	return r->all.windows && !r->all.violations && !failed &&
	       !result_missed(&r->all, TLOB_METRIC_RESPONSE);
}

int render_outcome(FILE *f, const struct result *r, unsigned int failed)
{
	uint64_t missed = result_missed(&r->all, TLOB_METRIC_RESPONSE);
	char windows[COUNT_LEN], n[COUNT_LEN], budget[DURATION_LEN];
	const struct result_cpu *a = &r->all;

	if (failed)
		fprintf(f, "FAILED %u assertion%s: ", failed, failed == 1 ? "" : "s");
	else if (outcome_is_good(r, failed))
		fputs("OK: ", f);
	if (!a->windows) {
		fputs("no window was measured", f);
		return ferror(f) ? -EIO : 0;
	}
	duration_prose_exact(budget, r->budget_ns);
	count_prose(windows, a->windows);
	if (a->violations)
		fprintf(f, "%s of %s windows over %s", count_prose(n, a->violations), windows,
			budget);
	else
		fprintf(f, "%s window%s within %s", windows, a->windows == 1 ? "" : "s", budget);
	if (missed && !a->violations)
		fprintf(f, ", but %s expir%s missed", count_prose(n, missed),
			missed == 1 ? "y was" : "ies were");
	put_worst(f, r, a->violations);
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

uint64_t outcome_over(const struct result_cpu *c)
{
	return c->violations + result_missed(c, TLOB_METRIC_RESPONSE);
}

int outcome_bounds(char ***lines, const struct result *r)
{
	uint64_t over = outcome_over(&r->all), of = result_due(&r->all), sum = 0, one;
	char text[DURATION_LEN], n[COUNT_LEN], due[COUNT_LEN];
	int cpu = 0, err = 0;
	char share[SHARE_LEN];
	size_t i;

	if (!r->all.windows)
		return 0;
	for (i = 0; i < r->ncpus; i++) {
		one = result_worst_sum(&r->cpu[i]);
		if (one > sum) {
			sum = one;
			cpu = r->cpu[i].cpu;
		}
	}
	if (sum)
		err = notes_add(lines, "if the worst of each part came together: %s on CPU %d",
				duration_prose(text, sum), cpu);
	if (err)
		return err;
	count_prose(n, over);
	count_prose(due, of);
	/* of all of them 100 % is no bound */
	if (over >= of)
		return notes_add(lines, "over the budget or missed: %s of %s", n, due);
	return notes_add(lines, "over the budget or missed: %s of %s; with %.0f %% confidence less than %s",
			 n, due, 100 * OUTCOME_CONFIDENCE,
			 share_prose(share, stats_share_upper(over, of, 1 - OUTCOME_CONFIDENCE)));
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
