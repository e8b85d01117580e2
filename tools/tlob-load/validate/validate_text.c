// SPDX-License-Identifier: GPL-2.0
/* What a validation found: its sentences, and the report for people. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/render.h"
#include "report/layout.h"
#include "report/parts_text.h"
#include "result/parts.h"
#include "show/render.h"
#include "util/memstream.h"
#include "util/units.h"
#include "validate/validate_render.h"

void validate_offender_of(struct main_offender *o, const struct validate *v, const struct validate_phase *p)
{
	const struct result *r = p && p->state == PHASE_DONE ? &p->r : NULL;
	struct cause cause;

	*o = (struct main_offender){ .phase = p };
	if (!r || !r->nworst || !r->worst[0].response_ns)
		return;
	o->window = &r->worst[0];
	o->usual_ns = hist_mean(&r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU]);
	o->known = cause_of(&cause, o->window, o->usual_ns);
	if (!o->known)
		return;
	o->part = cause.part;
	o->part_ns = cause.ns;
	o->nfindings = validate_findings(&v->doctor, o->window, o->part, o->finding, OFFENDER_FINDINGS);
}

void validate_offender(struct main_offender *o, const struct validate *v)
{
	validate_offender_of(o, v, validate_worst(v));
}

static unsigned int count(const struct validate *v, enum phase_state state)
{
	unsigned int i, n = 0;

	for (i = 0; i < v->n; i++)
		n += v->phase[i].state == state;
	return n;
}

uint64_t validate_clock(const struct validate *v)
{
	uint64_t step = 0;
	unsigned int i;

	for (i = 0; i < v->n; i++)
		if (v->phase[i].state == PHASE_DONE && v->phase[i].r.clock_resolution_ns > step)
			step = v->phase[i].r.clock_resolution_ns;
	return step;
}

/* The largest bound of a phase: what the verdict is about. */
static double largest_bound(const struct validate *v)
{
	double upper = 0;
	unsigned int i;

	for (i = 0; i < v->n; i++)
		if (v->phase[i].state == PHASE_DONE && v->phase[i].upper > upper)
			upper = v->phase[i].upper;
	return upper;
}

static void put_under(FILE *f, const struct validate_phase *p)
{
	if (!p->nload)
		fputs("while idle", f);
	else if (p->nload > 1)
		fputs("under all loads together", f);
	else
		fprintf(f, "under %s", p->name);
}

static void put_sentence(FILE *f, const void *data)
{
	const struct validate *v = data;
	const struct validate_phase *worst = validate_worst(v);
	enum fitness fit = validate_judge(v);
	char budget[DURATION_LEN], over[COUNT_LEN], of[COUNT_LEN], share[SHARE_LEN];
	unsigned int missing = count(v, PHASE_MISSING);

	duration_prose_exact(budget, v->budget_ns);
	fputs(fit == FITNESS_FIT ? "FIT: " : fit == FITNESS_NOT ? "NOT FIT: " : "UNDECIDED: ", f);
	if (fit == FITNESS_NOT) {
		fprintf(f, "%s of %s expiries of CPU %d over %s or missed ", count_prose(over, worst->over),
			count_prose(of, worst->of), worst->cpu, budget);
		put_under(f, worst);
		fprintf(f, "; with 95 %% confidence less than %s", share_prose(share, worst->upper));
	} else if (fit == FITNESS_UNDECIDED) {
		if (missing)
			fprintf(f, "%u of %u phases %s missing%s%s", missing, v->n, missing == 1 ? "is" : "are",
				v->signal ? ": ended by " : "", v->signal ? v->signal : "");
		else
			fputs("no load could run, so only the idle machine was measured", f);
	} else {
		fprintf(f, "%s keeps %s in %u phases; with 95 %% confidence less than %s of the expiries are over it or missed on any CPU",
			worst->r.work, budget, count(v, PHASE_DONE),
			share_prose(share, largest_bound(v)));
	}
	if (fit != FITNESS_UNDECIDED && v->miss > 0)
		fprintf(f, ", %s allowed", share_prose(share, v->miss));
	else if (fit == FITNESS_NOT)
		fputs(", none allowed", f);
}

static bool has_gap(const struct validate_phase *p, enum phase_state state, const char *because)
{
	return p->state == state && !strcmp(p->because ? p->because : "", because);
}

/* Phases of one reason stand together, where the first of them is. */
static void put_gap(FILE *f, const struct validate *v, enum phase_state state, const char *head)
{
	const struct validate_phase *end = v->phase + v->n, *p, *q;
	const char *sep = head;

	for (p = v->phase; p < end; p++) {
		const char *because = p->because ? p->because : "";

		for (q = v->phase; q < p && !has_gap(q, state, because); q++)
			;
		if (p->state != state || q < p)
			continue;
		for (; q < end; q++) {
			if (!has_gap(q, state, because))
				continue;
			fprintf(f, "%s%s", sep, q->name);
			sep = ", ";
		}
		if (*because)
			fprintf(f, " (%s)", because);
		sep = "; ";
	}
}

static void put_gaps(FILE *f, const void *data)
{
	const struct validate *v = data;
	bool missing = count(v, PHASE_MISSING);

	put_gap(f, v, PHASE_MISSING, "missing: ");
	put_gap(f, v, PHASE_SKIPPED, missing ? "; cannot be tried here: " : "cannot be tried here: ");
}

static void put_why(FILE *f, const void *data)
{
	const struct main_offender *o = data;

	render_cause(f, o->window, o->usual_ns, &o->phase->r);
	/* the part's name is what tables and conditions have */
	if (o->known)
		fprintf(f, " (%s)", part_name(o->part));
}

static void put_cause(FILE *f, const void *data)
{
	const struct main_offender *o = data;
	const struct validate_phase *p = o->phase;
	char worst[DURATION_LEN];

	put_under(f, p);
	if (!o->window) {
		fprintf(f, ", CPU %d: %s; no window was recorded", slowest_cpu(&p->r)->cpu,
			duration_prose(worst, p->r.all.hist[TLOB_METRIC_RESPONSE].max));
		return;
	}
	fprintf(f, ", CPU %" PRIu32 ": %s, ", (uint32_t)o->window->cpu, duration_prose(worst, o->window->response_ns));
	put_why(f, o);
}

char *validate_sentence(const struct validate *v)
{
	return memstream_of(put_sentence, v);
}

char *validate_gaps(const struct validate *v)
{
	return memstream_of(put_gaps, v);
}

char *validate_cause(const struct main_offender *o)
{
	return memstream_of(put_cause, o);
}

char *validate_why(const struct main_offender *o)
{
	return memstream_of(put_why, o);
}

static int put_phases(FILE *f, const struct validate *v)
{
	struct table t = { .align = "lrrrrrl", .gap = 2 };
	const struct validate_phase *p;
	char *name, share[SHARE_LEN];

	table_cell(&t, "phase\texpiries\tover\tless than\tCPU\tlongest, us\tkept");
	for (p = v->phase; p < v->phase + v->n; p++) {
		name = printable_dup(p->name);
		table_cell(&t, "%.40s", name ? name : "");
		free(name);
		if (p->state != PHASE_DONE) {
			table_cell(&t, "-\t-\t-\t-\t-\t%s", p->state == PHASE_SKIPPED ? "skipped" : "missing");
			continue;
		}
		table_cell(&t, "%" PRIu64 "\t%" PRIu64 "\t%s\t%d", p->of, p->over,
			   share_prose(share, p->upper), p->cpu);
		cell_us(&t, true, p->r.all.hist[TLOB_METRIC_RESPONSE].max);
		table_cell(&t, p->kept ? "yes" : "no");
	}
	fputc('\n', f);
	return table_print(&t, f);
}

/* A note, which is freed; "" is none. */
static int put_note(FILE *f, const char *label, char *text)
{
	if (!text)
		return -ENOMEM;
	if (*text)
		render_note_wrapped(f, label, text);
	free(text);
	return 0;
}

static int put_finding(FILE *f, const struct doctor *d, const struct finding *one)
{
	char *now = one->now ? doctor_text(d, one->now) : NULL, *line;
	int n;

	if (one->now && !now)
		return -ENOMEM;
	n = asprintf(&line, "%s: %s; wanted: %s%s%s", one->check->id, one->found, one->check->wanted,
		     now ? "; now: " : "", now ? now : "");
	free(now);
	if (n < 0)
		return -ENOMEM;
	render_note_wrapped(f, severity_name(one->check->severity), line);
	free(line);
	return 0;
}

static int put_offender(FILE *f, const struct validate *v)
{
	struct main_offender o;
	size_t i;
	int err;

	validate_offender(&o, v);
	if (!o.phase)
		return 0;
	fputc('\n', f);
	err = put_note(f, "worst", validate_cause(&o));
	for (i = 0; o.phase->r.findings && i < o.phase->r.findings->nbearings; i++)
		render_note_wrapped(f, "because", o.phase->r.findings->bearing[i].text);
	if (o.nfindings)
		fputs("\ndoctor's findings about that\n", f);
	for (i = 0; i < o.nfindings && !err; i++)
		err = put_finding(f, &v->doctor, o.finding[i]);
	return err;
}

int validate_text(FILE *f, const struct validate *v)
{
	struct doctor_tally t;
	int err = put_note(f, "", validate_sentence(v));

	if (!err)
		err = put_note(f, "", validate_gaps(v));
	if (!err)
		err = put_phases(f, v);
	if (!err)
		err = put_offender(f, v);
	doctor_count(&v->doctor, &t);
	fprintf(f, "\ndoctor  %s, before %s: %u fatal, %u high, %u medium; %s/doctor.json has all\n",
		doctor_outcome(doctor_exit(&t)), v->tune ? "--tune" : "the runs", t.findings[SEVERITY_FATAL],
		t.findings[SEVERITY_HIGH], t.findings[SEVERITY_MEDIUM], v->dir);
	if (validate_clock(v) > 1)
		fprintf(f, "note  " RESULT_CLOCK_STEPS "\n", validate_clock(v));
	fprintf(f, "results  %s/*.json, for report and compare\n", v->dir);
	if (count(v, PHASE_MISSING))
		fprintf(f, "next  the same command with --resume measures what is missing\n");
	else if (validate_judge(v) == FITNESS_UNDECIDED)
		fprintf(f, "next  install what the loads are made of, or give your own with --load COMMAND\n");
	return err ? err : ferror(f) ? -EIO : 0;
}
