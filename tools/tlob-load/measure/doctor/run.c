// SPDX-License-Identifier: GPL-2.0
/* The quick rules around a run, and what the machine counted in between. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"
#include "doctor/run.h"
#include "result/findings.h"
#include "result/result.h"
#include "util/error.h"
#include "util/time.h"

int run_doctor_begin(struct doctor **doctor, const char *cpus, int priority)
{
	struct doctor *d = calloc(1, sizeof(*d));
	uint64_t begin = now_ns();
	int err;

	*doctor = d;
	if (!d)
		return fail(-ENOMEM, "out of memory");
	d->root = "";
	/* every workload of run waits for a timer */
	d->pattern = PATTERN_PERIODIC;
	d->of_run = true;
	d->priority = priority;
	err = doctor_prepare(d, cpus);
	if (!err)
		err = doctor_before(d);
	d->took_ns = now_ns() - begin;
	return err;
}

void run_doctor_free(struct doctor *d)
{
	if (d)
		doctor_free(d);
	free(d);
}

/* doctor has sorted them. Takes what a result file keeps; doctor_free() frees the rest. */
static int take_findings(struct doctor *d, struct findings *to)
{
	struct finding *f;

	to->rules = (unsigned int)d->report.n;
	to->at = calloc(d->report.n + 1, sizeof(*to->at));
	if (!to->at)
		return -ENOMEM;
	for (f = d->report.at; f < d->report.at + d->report.n; f++) {
		if (f->status != STATUS_FINDING && f->status != STATUS_UNKNOWN)
			continue;
		to->at[to->n++] = (struct finding){
			.severity = f->severity, .status = f->status, .id = f->id, .path = f->path,
			.found = f->found, .wanted = f->wanted, .now = f->now, .for_good = f->for_good,
		};
		f->id = f->path = f->found = f->wanted = f->now = f->for_good = NULL;
	}
	return 0;
}

static void take(struct machine_counts *m, enum machine_count which, uint64_t value)
{
	m->known |= 1U << which;
	m->value[which] = value;
}

static void take_difference(struct machine_counts *m, enum machine_count which,
			    const struct count *before, const struct count *after)
{
	if (!before->err && !after->err)
		take(m, which, count_since(before, after));
}

/* The page faults of the thread on @cpu. */
static uint64_t faults_on(const struct result *r, int cpu)
{
	size_t i;

	for (i = 0; i < r->ncpus; i++)
		if (r->cpu[i].cpu == cpu)
			return r->cpu[i].faults;
	return 0;
}

static int take_counts(const struct doctor *d, struct findings *to, const struct result *r)
{
	uint64_t interrupts;
	unsigned int i;
	int cycles;

	to->count = calloc(d->after.n + 1, sizeof(*to->count));
	if (!to->count)
		return -ENOMEM;
	for (i = 0; i < d->after.n; i++) {
		const struct cpu_counts *a = &d->before.cpu[i], *b = &d->after.cpu[i];
		struct machine_counts *m = &to->count[to->ncounts++];

		m->cpu = a->cpu;
		take_difference(m, MACHINE_SMI, &a->smi, &b->smi);
		take_difference(m, MACHINE_THROTTLED, &a->throttled, &b->throttled);
		if (!counts_interrupts(&d->before, &d->after, i, &interrupts))
			take(m, MACHINE_INTERRUPTS, interrupts);
		take_difference(m, MACHINE_STEAL, &a->steal, &b->steal);
		if (d->has_faults)
			take(m, MACHINE_FAULTS, faults_on(r, a->cpu));
		if (!a->khz.err)
			take(m, MACHINE_KHZ_BEFORE, a->khz.value);
		if (!b->khz.err)
			take(m, MACHINE_KHZ_AFTER, b->khz.value);
		cycles = counts_cycles(a, b);
		if (cycles >= 0)
			take(m, MACHINE_CYCLES, (uint64_t)cycles);
	}
	return 0;
}

/* The kernel says it once for each boot: what it said before the run hides what came in it. */
static enum rt_throttled throttled(const struct doctor *d)
{
	if (d->before.rt_throttled.err || d->after.rt_throttled.err || d->before.rt_throttled.value)
		return RT_THROTTLED_UNKNOWN;
	return d->after.rt_throttled.value ? RT_THROTTLED_YES : RT_THROTTLED_NO;
}

int run_doctor_end(struct doctor *d, struct result *r)
{
	struct findings *to = calloc(1, sizeof(*to));
	uint64_t begin = now_ns();
	size_t i;
	int err;

	if (!to)
		return fail(-ENOMEM, "out of memory");
	findings_free(r->findings);
	r->findings = to;
	d->has_faults = !strcmp(r->workload, "user");
	for (i = 0; i < r->ncpus; i++)
		d->faults += r->cpu[i].faults;
	err = doctor_after(d);
	if (err)
		return err;
	err = take_findings(d, to);
	if (!err)
		err = take_counts(d, to, r);
	to->rt_throttled = throttled(d);
	if (!err)
		err = run_doctor_bear(d, r);
	to->took_ns = d->took_ns + now_ns() - begin;
	return err ? fail(err, "out of memory") : 0;
}
