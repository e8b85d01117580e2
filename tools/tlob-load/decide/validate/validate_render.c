// SPDX-License-Identifier: GPL-2.0
/* The result of a validation: its sentences, the report for people, and JSON. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/cause_text.h"
#include "report/findings_render.h"
#include "report/layout.h"
#include "report/parts_text.h"
#include "report/rate.h"
#include "report/verdict_format.h"
#include "result/parts.h"
#include "util/json_write.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/units.h"
#include "util/wrap.h"
#include "validate/validate.h"

void validate_offender_of(struct main_offender *o, const struct validate *v, const struct validate_phase *p)
{
	const struct result *r = p && p->state == PHASE_DONE ? &p->r : NULL;
	struct cause cause;

	*o = (struct main_offender){ .phase = p };
	if (!r || !r->nworst || !r->worst[0].w.response_ns)
		return;
	o->window = &r->worst[0].w;
	o->usual_ns = hist_mean(&r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU]);
	o->known = cause_of(&cause, o->window, o->usual_ns);
	if (!o->known)
		return;
	o->part = cause.part;
	o->part_ns = cause.ns;
	o->nfindings = validate_findings(&v->doctor, o->window, o->part, o->finding, OFFENDER_FINDINGS);
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

/* The phase whose @value is the largest: what the verdict is about. One is done. */
static const struct validate_phase *largest(const struct validate *v, double (*value)(const struct validate_phase *p))
{
	const struct validate_phase *p, *at = NULL;

	for (p = v->phase; p < v->phase + v->n; p++)
		if (p->state == PHASE_DONE && (!at || value(p) > value(at)))
			at = p;
	return at;
}

static bool has_bound(double upper)
{
	return upper > 0 && upper < 1;
}

static double share_of(const struct validate_phase *p)
{
	return p->upper;
}

static double longest_of(const struct validate_phase *p)
{
	return (double)p->r.all.hist[TLOB_METRIC_RESPONSE].max;
}

void validate_offender(struct main_offender *o, const struct validate *v)
{
	validate_offender_of(o, v, largest(v, longest_of));
}

/*
 * "; in its phase, with 95 % confidence, fewer than 180 episodes an hour, less than 3 % of the
 * expiries if no episode is longer than 50 or the longest seen". Of all of them 100 % is no bound.
 */
static void put_confidence(FILE *f, const struct episodes *e, double upper)
{
	char rate[RATE_PROSE], share[SHARE_LEN];
	bool counted = e->n && e->time_ns;

	if (!counted && !has_bound(upper))
		return;
	fprintf(f, "; in its phase, with 95 %% confidence, %s", counted ? rate_prose(rate, e) : "");
	if (has_bound(upper))
		fprintf(f, "%sless than %s of the expiries if no episode is longer than %d or the longest seen",
			counted ? ", " : "", share_prose(share, upper), VALIDATE_EPISODE);
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

static void put_allowed(FILE *f, double miss, enum fitness fit)
{
	char share[SHARE_LEN];

	if (miss > 0)
		fprintf(f, ", %s allowed", share_prose(share, miss));
	else if (fit == FITNESS_NOT)
		fputs(", none allowed", f);
}

static void put_sentence(FILE *f, const void *data)
{
	const struct validate *v = data;
	const struct validate_phase *worst = validate_worst(v);
	enum fitness fit = validate_judge(v);
	char budget[DURATION_LEN], over[COUNT_LEN], of[COUNT_LEN], share[SHARE_LEN];
	char longest[DURATION_LEN], allowed[SHARE_LEN];
	unsigned int missing = count(v, PHASE_MISSING);

	duration_prose_exact(budget, v->budget_ns);
	fputs(fit == FITNESS_FIT ? "FIT: " : fit == FITNESS_NOT ? "NOT FIT: " : "UNDECIDED: ", f);
	if (fit == FITNESS_NOT) {
		fprintf(f, "%s of %s expiries of CPU %d over %s or missed ", count_prose(over, worst->over),
			count_prose(of, worst->of), worst->cpu, budget);
		put_under(f, worst);
		put_confidence(f, &worst->r.episodes, worst->upper);
	} else if (fit == FITNESS_UNDECIDED) {
		const struct validate_phase *p = worst && !worst->kept ? worst : NULL;

		if (validate_undecidable(v))
			fputs(validate_undecidable(v)->undecidable, f);
		else if (p)
			fprintf(f, "%s of %s expiries of CPU %d over %s or missed, in its phase with 95 %% confidence less than %s if no episode is longer than %d or the longest seen, %s allowed",
				count_prose(over, p->over), count_prose(of, p->of), p->cpu, budget,
				share_prose(share, p->upper), VALIDATE_EPISODE, share_prose(allowed, v->miss));
		else if (missing)
			fprintf(f, "%u of %u phases %s missing%s%s", missing, v->n, missing == 1 ? "is" : "are",
				v->signal ? ": ended by " : "", v->signal ? v->signal : "");
		else
			fputs("no load could run, so only the idle machine was measured", f);
	} else {
		fprintf(f, "%s keeps %s in %u phases, the longest response is %s", worst->r.work, budget,
			count(v, PHASE_DONE), duration_prose(longest, (uint64_t)longest_of(largest(v, longest_of))));
		put_confidence(f, &largest(v, validate_episodes)->r.episodes,
			       v->miss > 0 ? share_of(largest(v, share_of)) : 0);
	}
	if (fit != FITNESS_UNDECIDED)
		put_allowed(f, v->miss, fit);
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

	cause_of_window_text(f, o->window, o->usual_ns, &o->phase->r);
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
		fprintf(f, ", CPU %d: %s; no window was recorded", result_slowest_cpu(&p->r)->cpu,
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

static void put_conditions(FILE *f, const void *data)
{
	const struct validate *v = data;

	if (v->n && v->phase[0].state == PHASE_DONE)
		result_put_conditions(f, &v->phase[0].r);
}

char *validate_conditions(const struct validate *v)
{
	return memstream_of(put_conditions, v);
}

int validate_lowered(const struct validate *v, char ***list)
{
	unsigned int i;
	int err = 0;

	*list = NULL;
	for (i = 0; i < v->n && !err; i++)
		if (v->phase[i].state == PHASE_DONE)
			err = result_lowered(&v->phase[i].r, list);
	return err;
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

#define PHASE_SHOWN	40		/* of a name; a load may be a long command */
#define PHASE_OTHERS	30		/* the columns that are never dropped: expiries, over, kept */

static int put_phases(FILE *f, const struct validate *v)
{
	struct table t = { .align = "lrrrrrrl", .gap = 2, .labels = 3,
		.width = layout_width(f, LAYOUT_WIDTH) };
	const struct validate_phase *p;
	char name[PRINTABLE_LEN(PHASE_SHOWN)], share[SHARE_LEN], rate[COUNT_LEN];
	unsigned int shown = t.width < PHASE_OTHERS + PHASE_SHOWN ? t.width - PHASE_OTHERS : PHASE_SHOWN;

	table_cell(&t, "phase\texpiries\tover\tless than\tCPU\tepisodes/h <\tlongest, us\tkept");
	for (p = v->phase; p < v->phase + v->n; p++) {
		table_cell(&t, "%s", printable(name, p->name, shown));
		if (p->state != PHASE_DONE) {
			table_cell(&t, "-\t-\t-\t-\t-\t-\t%s", p->state == PHASE_SKIPPED ? "skipped" : "missing");
			continue;
		}
		table_cell(&t, "%" PRIu64 "\t%" PRIu64 "\t%s\t%d\t%s", p->of, p->over,
			   p->over ? share_prose(share, p->upper) : "-", p->cpu,
			   isnan(validate_episodes(p)) ? "-" : rate_number(rate, validate_episodes(p)));
		cell_us(&t, true, p->r.all.hist[TLOB_METRIC_RESPONSE].max);
		table_cell(&t, p->kept ? "yes" : p->exceeds ? "no" : "open");
	}
	fputc('\n', f);
	return table_print(&t, f);
}

/* Prints a note, which is freed; nothing for "". */
static int put_note(FILE *f, const char *label, char *text)
{
	if (!text)
		return -ENOMEM;
	if (*text)
		render_note_wrapped(f, label, text);
	free(text);
	return 0;
}

static int put_offender(FILE *f, const struct main_offender *o)
{
	size_t i;
	int err;

	if (!o->phase)
		return 0;
	fputc('\n', f);
	err = put_note(f, "worst", validate_cause(o));
	for (i = 0; o->phase->r.findings && i < o->phase->r.findings->nbearings; i++)
		render_note_wrapped(f, "because", o->phase->r.findings->bearing[i].text);
	return err;
}

static int put_lowered(FILE *f, const struct validate *v)
{
	char **lowered = NULL, **at;
	int err = validate_lowered(v, &lowered);

	for (at = lowered; at && *at; at++)
		render_note_wrapped(f, "but", *at);
	notes_free(lowered);
	return err ? err : put_note(f, "", validate_gaps(v));
}

static int put_advice(FILE *f, const struct main_offender *o)
{
	size_t i;
	int err = 0;

	if (o->nfindings)
		fputs("\ndoctor's findings about that\n", f);
	for (i = 0; i < o->nfindings && !err; i++)
		err = render_finding(f, &o->finding[i]);
	fputc('\n', f);
	return err;
}

static void put_doctors_outcome(FILE *f, const struct validate *v)
{
	const unsigned int *n = v->doctor.tally.findings;
	struct line l = { .f = f, .indent = 8 };

	l.col = (unsigned int)fprintf(f, "doctor  ");
	line_put(&l, "", "%s, before %s:", outcome_name(v->doctor.outcome),
		 v->tune ? "--tune" : "the runs");
	line_put(&l, " ", "%u fatal, %u high, %u medium", n[SEVERITY_FATAL], n[SEVERITY_HIGH],
		 n[SEVERITY_MEDIUM]);
	line_put(&l, "; ", "%s/doctor.json has all", v->dir);
	line_end(&l);
}

const char *validate_half_about(char buf[DURATION_LEN], const struct validate *v, unsigned int tests, double length)
{
	return duration_about(buf, ceil(validate_windows_half(v->miss, tests, length) * (double)v->period_ns / 1e9));
}

static void put_longer(FILE *f, const struct validate *v, const struct validate_phase *p)
{
	char half[SHARE_LEN], duration[DURATION_LEN];

	wrap_print(f, "next  give a longer -d, and another --dir: the phases are too short to tell. A machine with %s over the budget or missed, in episodes of %.0f, is fit in 95 %% with -d of about %s\n",
		   share_prose(half, v->miss / 2), p->length,
		   validate_half_about(duration, v, validate_tests(v, p->r.ncpus), p->length));
}

/* In the order of what a reader asks: the verdict, the numbers, what they hold for, what to do. */
int validate_text(FILE *f, const struct validate *v)
{
	struct main_offender o = { .phase = NULL };
	int err = put_note(f, "", validate_sentence(v));

	if (!err)
		err = put_phases(f, v);
	validate_offender(&o, v);
	if (!err)
		err = put_offender(f, &o);
	fputc('\n', f);
	if (!err)
		err = put_lowered(f, v);
	if (validate_clock(v) > 1)
		wrap_print(f, "note  " RESULT_CLOCK_STEPS "\n", validate_clock(v));
	if (!err)
		err = put_note(f, "under", validate_conditions(v));
	if (!err)
		err = put_advice(f, &o);
	put_doctors_outcome(f, v);
	/* not doctor.json */
	wrap_print(f, "results  %s/[0-9]*.json, for report and compare\n", v->dir);
	if (count(v, PHASE_MISSING))
		wrap_print(f, "next  the same command with --resume measures what is missing\n");
	else if (validate_undecidable(v))
		wrap_print(f, "next  " POLICY_ADVICE "\n");
	else if (validate_worst(v) && !validate_worst(v)->kept && !validate_worst(v)->exceeds)
		put_longer(f, v, validate_worst(v));
	else if (validate_judge(v) == FITNESS_UNDECIDED)
		wrap_print(f, "next  install what the loads are made of, or give your own with --load COMMAND\n");
	return err ? err : ferror(f) ? -EIO : 0;
}

/* A text, which is freed. */
static void put_doctor(struct builder *b, struct json_object *to, const struct examination *e)
{
	struct json_object *o = put_object(b, to, "doctor");
	const struct findings_tally *t = &e->tally;

	put_text(b, o, "outcome", outcome_name(e->outcome));
	put_u64(b, o, "fatal", t->findings[SEVERITY_FATAL]);
	put_u64(b, o, "high", t->findings[SEVERITY_HIGH]);
	put_u64(b, o, "medium", t->findings[SEVERITY_MEDIUM]);
	put_u64(b, o, "unread", t->unknown[SEVERITY_FATAL] + t->unknown[SEVERITY_HIGH] + t->unknown[SEVERITY_MEDIUM]);
}

static void put_phase(struct builder *b, struct json_object *list, const struct validate *v,
		      const struct validate_phase *p)
{
	static const char * const states[] = {
		[PHASE_MISSING] = "missing", [PHASE_SKIPPED] = "skipped", [PHASE_DONE] = "done",
	};
	struct json_object *o = put_object(b, list, NULL), *loads;
	bool done = p->state == PHASE_DONE;
	struct main_offender m;
	unsigned int i;

	put_text(b, o, "name", p->name);
	loads = put_array(b, o, "load");
	for (i = 0; i < p->nload; i++)
		put_text(b, loads, NULL, p->load[i]);
	put_text(b, o, "state", states[p->state]);
	put_text(b, o, "because", p->because);
	put_text(b, o, "result", done ? p->file : NULL);
	put_known(b, o, "cpu", done, (uint64_t)p->cpu);
	put_known(b, o, "over", done, p->over);
	put_known(b, o, "of", done, p->of);
	put_double(b, o, "upper_95", done && (p->over || v->miss > 0) ? p->upper : NAN);
	put_double(b, o, "episodes_per_hour_95", done ? validate_episodes(p) : NAN);
	put_known(b, o, "response_max_ns", done, done ? p->r.all.hist[TLOB_METRIC_RESPONSE].max : 0);
	if (done && (p->kept || p->exceeds))
		put_bool(b, o, "kept", p->kept);
	else
		put_null(b, o, "kept");
	validate_offender_of(&m, v, p);
	if (m.window)
		put_made(b, o, "cause", validate_why(&m));
	else
		put_null(b, o, "cause");
}

static void put_findings(struct builder *b, struct json_object *to, const struct main_offender *m)
{
	struct json_object *list = put_array(b, to, "findings"), *o;
	const struct findings *of_run = m->phase->r.findings;
	size_t i;

	for (i = 0; i < m->nfindings; i++) {
		const struct finding *one = &m->finding[i];

		o = put_object(b, list, NULL);
		put_text(b, o, "id", one->id);
		put_text(b, o, "severity", severity_name(one->severity));
		put_text(b, o, "found", one->found);
		put_text(b, o, "wanted", one->wanted);
		put_text(b, o, "now", one->now);
	}
	list = put_array(b, to, "bearings");
	for (i = 0; of_run && i < of_run->nbearings; i++) {
		o = put_object(b, list, NULL);
		put_text(b, o, "id", of_run->bearing[i].id);
		put_text(b, o, "text", of_run->bearing[i].text);
	}
}

static void put_worst(struct builder *b, struct json_object *to, const struct validate *v)
{
	const struct tlob_noise *n;
	struct main_offender m;
	struct json_object *o;
	bool named;

	validate_offender(&m, v);
	if (!m.phase) {
		put_null(b, to, "worst");
		return;
	}
	o = put_object(b, to, "worst");
	put_text(b, o, "phase", m.phase->name);
	put_known(b, o, "cpu", m.window, m.window ? m.window->cpu : 0);
	put_known(b, o, "response_ns", m.window, m.window ? m.window->response_ns : 0);
	put_made(b, o, "cause", validate_cause(&m));
	put_text(b, o, "part", m.known ? part_name(m.part) : NULL);
	put_known(b, o, "part_ns", m.known, m.part_ns);
	n = m.window ? &m.window->largest : NULL;
	named = m.known && n && n->ns;
	put_text(b, o, "kind", named ? noise_kind_name(n->kind) : NULL);
	if (named) {
		put_name(b, o, "name", n->name);
		put_int(b, o, "id", n->id);
	} else {
		put_null(b, o, "name");
		put_null(b, o, "id");
	}
	put_findings(b, o, &m);
}

int validate_json(FILE *f, const struct validate *v)
{
	struct json_object *o = json_object_new_object(), *list;
	struct builder b = { 0 };
	char **lowered;
	unsigned int i;

	put_text(&b, o, "format", VALIDATION_FORMAT);
	put_int(&b, o, "version", VALIDATION_VERSION);
	put_text(&b, o, "verdict", validate_word(validate_judge(v)));
	put_made(&b, o, "sentence", validate_sentence(v));
	put_made(&b, o, "conditions", validate_conditions(v));
	if (validate_lowered(v, &lowered))
		b.err = -ENOMEM;
	put_texts(&b, o, "lowered", lowered);
	notes_free(lowered);
	put_text(&b, o, "ended_by", v->signal);
	put_text(&b, o, "cpus", v->doctor.cpus);
	put_u64(&b, o, "period_ns", v->period_ns);
	put_u64(&b, o, "budget_ns", v->budget_ns);
	put_u64(&b, o, "duration_ns", v->duration_ns);
	put_double(&b, o, "miss", v->miss > 0 ? v->miss : NAN);
	put_double(&b, o, "confidence", 1 - VALIDATE_ALPHA);
	put_known(&b, o, "clock_resolution_ns", validate_clock(v), validate_clock(v));
	put_bool(&b, o, "tune", v->tune);
	put_text(&b, o, "dir", v->dir);
	put_doctor(&b, o, &v->doctor);
	list = put_array(&b, o, "phases");
	for (i = 0; i < v->n; i++)
		put_phase(&b, list, v, &v->phase[i]);
	put_worst(&b, o, v);
	return json_end(&b, f, o);
}
