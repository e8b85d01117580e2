// SPDX-License-Identifier: GPL-2.0
/* The sentences about an experiment. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_render.h"
#include "try/trial.h"
#include "util/memstream.h"
#include "util/units.h"

const char *trial_estimate(char buf[TRIAL_LINE], const struct trial *t)
{
	const struct experiment *e = &t->e;
	char n[2][COUNT_LEN], s[2][DURATION_LEN];
	size_t runs[2];

	experiment_runs(e, &runs[0], &runs[1]);
	snprintf(buf, TRIAL_LINE, "%s to %s runs, %s to %s", count_prose(n[0], runs[0]), count_prose(n[1], runs[1]),
		 duration_about(s[0], (double)runs[0] * e->run_s),
		 duration_about(s[1], fmin((double)runs[1] * e->run_s, e->within_s)));
	return buf;
}

int trial_check_time(const struct trial *t)
{
	const size_t runs = 2 * sequential_pairs[0] * t->e.nconditions;
	double need_s = (double)runs * t->e.run_s;
	char n[COUNT_LEN], s[DURATION_LEN];

	/* an earlier start has made some of them */
	if (t->resume || need_s <= t->e.within_s)
		return 0;
	return fail(-ETIME, "--within is too short: the first setting needs %s runs, %s: give --within %.0fs or more, fewer loads, or shorter runs",
		    count_prose(n, runs), duration_about(s, need_s), ceil(need_s));
}

struct trial_effect trial_effect(const struct try_pairs *p)
{
	const struct decision *worse = &p->d[TAIL_WORSE], *better = &p->d[TAIL_BETTER];
	const bool same = p->verdict == TRY_SAME;

	return (struct trial_effect){
		.by = worse->effect,
		.lower = same ? -better->upper : worse->lower, .upper = same ? worse->upper : -better->lower,
	};
}

/* Runs that are above all of the other side by more than the margin, where they count. */
static void put_beyond(char buf[TRIAL_LINE], const struct decision *d, const char *of, const char *all)
{
	const size_t len = strlen(buf);

	if (d->by_beyond)
		snprintf(buf + len, TRIAL_LINE - len, ", %zu of %zu runs %s it above all %s it", d->beyond, d->n, of, all);
}

/* Few pairs give one bound or none. */
const char *trial_tail_text(char buf[TRIAL_LINE], const struct try_pairs *p)
{
	const struct trial_effect e = trial_effect(p);
	struct decision d = p->d[TAIL_WORSE];
	char by[EFFECT_LEN], bounds[BOUNDS_LEN];

	d.lower = e.lower;
	d.upper = e.upper;
	snprintf(buf, TRIAL_LINE, "%s (%s)", effect_text(by, &d, e.by), bounds_text(bounds, &d));
	put_beyond(buf, &p->d[TAIL_WORSE], "with", "without");
	put_beyond(buf, &p->d[TAIL_BETTER], "without", "with");
	return buf;
}

const char *trial_events_text(char buf[TRIAL_LINE], const struct try_pairs *p)
{
	const struct events_found *f = &p->d[EVENTS_WORSE].found;
	char without[SIDE_LEN], with[SIDE_LEN];

	if (f->none)
		snprintf(buf, TRIAL_LINE, "none");
	else
		snprintf(buf, TRIAL_LINE, "without it %s, with it %s", compare_side(without, &f->a, f->gap),
			 compare_side(with, &f->b, f->gap));
	return buf;
}

const char *trial_verdict_text(char buf[TRIAL_LINE], const struct trial *t, const struct try_pairs *p)
{
	static const char late[] = "late expiries";
	const enum try_verdict tail = try_verdict_about(p, TAIL_WORSE), events = try_verdict_about(p, EVENTS_WORSE);

	if (tail == TRY_HURTS && events == TRY_HELPS)
		snprintf(buf, TRIAL_LINE, "hurts by %s, helps by %s", t->statistic.text, late);
	else if (tail == TRY_HELPS && events == TRY_HURTS)
		snprintf(buf, TRIAL_LINE, "hurts by %s, helps by %s", late, t->statistic.text);
	else
		snprintf(buf, TRIAL_LINE, "%s", try_verdict_name(p->verdict));
	return buf;
}

size_t trial_runs_left(const struct trial *t, unsigned int setting)
{
	const struct try_pairs *p = t->e.setting[setting].at;
	size_t runs = 0;
	unsigned int c;

	for (c = 0; c < t->e.nconditions && experiment_verdict(&t->e, setting) == TRY_OPEN; c++)
		runs += p[c].verdict == TRY_OPEN ? 2 * (SEQUENTIAL_MOST - p[c].n) : 0;
	return runs;
}

const char *trial_needed_text(char buf[TRIAL_LINE], const struct trial *t, unsigned int setting)
{
	const size_t runs = trial_runs_left(t, setting);
	char s[DURATION_LEN], n[COUNT_LEN];

	*buf = 0;
	if (runs)
		snprintf(buf, TRIAL_LINE, "up to %s more runs, %s, may tell: --resume makes them", count_prose(n, runs),
			 duration_about(s, (double)runs * t->e.run_s));
	else if (experiment_verdict(&t->e, setting) == TRY_OPEN)
		snprintf(buf, TRIAL_LINE, "%d pairs cannot tell: try it anew, in longer runs", SEQUENTIAL_MOST);
	return buf;
}

/* The first condition that has the verdict of the setting. */
static unsigned int deciding(const struct trial *t, unsigned int setting)
{
	const struct try_pairs *p = t->e.setting[setting].at;
	enum try_verdict v = experiment_verdict(&t->e, setting);
	unsigned int c = 0;

	while (c < t->e.nconditions && p[c].verdict != v)
		c++;
	return c < t->e.nconditions ? c : 0;
}

const char *trial_evidence(char buf[TRIAL_LINE], const struct trial *t, unsigned int setting)
{
	const struct trial_setting *s = &t->setting[setting];
	const unsigned int condition = deciding(t, setting);
	const struct try_pairs *p = &t->e.setting[setting].at[condition];
	char verdict[TRIAL_LINE], tail[TRIAL_LINE], events[TRIAL_LINE];

	if (s->gone)
		snprintf(buf, TRIAL_LINE, "not tried: %.150s", s->gone);
	else if (experiment_verdict(&t->e, setting) == TRY_FAILS)
		snprintf(buf, TRIAL_LINE, "fails: %.150s", s->fails ? s->fails : "");
	else if (!try_has_looked(p))
		snprintf(buf, TRIAL_LINE, "cannot tell: there was no time for it, %.60s", t->condition[condition]);
	else
		snprintf(buf, TRIAL_LINE, "%.60s: %.30s %.60s, late expiries %.100s, %.30s, %zu pairs",
			 trial_verdict_text(verdict, t, p), t->statistic.text, trial_tail_text(tail, p),
			 trial_events_text(events, p), t->condition[condition], p->n);
	return buf;
}

static void put_names(FILE *f, const struct trial *t, enum try_verdict v, const char *sep)
{
	unsigned int i;

	for (i = 0; i < t->e.nsettings; i++)
		if (!t->setting[i].gone && experiment_verdict(&t->e, i) == v) {
			fprintf(f, "%s%s", sep, t->setting[i].name);
			sep = ", ";
		}
}

static unsigned int count(const struct trial *t, enum try_verdict v)
{
	unsigned int i, n = 0;

	for (i = 0; i < t->e.nsettings; i++)
		n += !t->setting[i].gone && experiment_verdict(&t->e, i) == v;
	return n;
}

char *trial_sentence(const struct trial *t)
{
	unsigned int helps = count(t, TRY_HELPS), open = count(t, TRY_OPEN);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (helps)
		fprintf(f, "%u of %u setting%s %s", helps, t->e.nsettings, t->e.nsettings > 1 ? "s" : "", helps > 1 ? "help" : "helps");
	else
		fputs(open ? "not yet known which setting helps" : "no setting helps", f);
	if (helps)
		put_names(f, t, TRY_HELPS, ": ");
	if (count(t, TRY_HURTS))
		put_names(f, t, TRY_HURTS, "; hurts: ");
	if (count(t, TRY_FAILS))
		put_names(f, t, TRY_FAILS, "; the run fails with: ");
	if (open)
		put_names(f, t, TRY_OPEN, "; open: ");
	return memstream_text(f, &text);
}
