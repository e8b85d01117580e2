// SPDX-License-Identifier: GPL-2.0
/* The sentences about an experiment. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "try/trial.h"
#include "util/memstream.h"
#include "util/units.h"

const char *trial_estimate(char buf[TRIAL_LINE], const struct trial *t)
{
	const struct experiment *e = &t->e;
	char n[2][COUNT_LEN], s[2][DURATION_LEN];
	const char *ends = "";
	size_t runs[2];

	experiment_runs(e, &runs[0], &runs[1]);
	if (e->within_s < (double)runs[1] * e->run_s) {
		/* a run without its partner is not begun */
		runs[1] = fmax((double)runs[0], 2 * floor(e->within_s / (2 * e->run_s)));
		ends = ", as --within says";
	}
	if (runs[0] == runs[1])
		snprintf(buf, TRIAL_LINE, "%s runs, %s%s", count_prose(n[0], runs[0]),
			 duration_about(s[0], (double)runs[0] * e->run_s), ends);
	else
		snprintf(buf, TRIAL_LINE, "%s to %s runs, %s to %s%s", count_prose(n[0], runs[0]), count_prose(n[1], runs[1]),
			 duration_about(s[0], (double)runs[0] * e->run_s), duration_about(s[1], (double)runs[1] * e->run_s), ends);
	return buf;
}

int trial_check_time(const struct trial *t)
{
	char n[COUNT_LEN], s[DURATION_LEN];
	size_t least, most;
	double need_s;

	experiment_runs(&t->e, &least, &most);
	need_s = (double)least * t->e.run_s;
	/* an earlier start has made some of them */
	if (t->resume || need_s <= t->e.within_s)
		return 0;
	return fail(-ETIME, "--within is too short: the first verdicts need %s runs, %s: give --within %.0fs or more, fewer settings or loads, or shorter runs",
		    count_prose(n, least), duration_about(s, need_s), ceil(need_s));
}

const char *trial_question_text(char buf[TRIAL_LINE], const struct trial *t, unsigned int question)
{
	if (question == TRY_ALL)
		snprintf(buf, TRIAL_LINE, "all together");
	else
		snprintf(buf, TRIAL_LINE, "%.150s alone", t->setting[question - TRY_ALONE(0)].name);
	return buf;
}

static const char *share(char buf[32], double effect)
{
	double percent = 100 * expm1(effect);

	if (!isfinite(effect))
		snprintf(buf, 32, effect > 0 ? "missed" : "no longer missed");
	else
		snprintf(buf, 32, "%+.*f %%", fabs(percent) < 100 ? 1 : 0, fabs(percent) < 0.05 ? 0.0 : percent);
	return buf;
}

/* "-11.9 % (-12.1 % to -11.7 %)"; few pairs give one bound or none. */
static void tail_text(char buf[TRIAL_LINE], const struct try_effect *e)
{
	const bool least = isfinite(e->lower), most = isfinite(e->upper);
	char by[32], lower[32], upper[32];

	share(by, e->by);
	share(lower, e->lower);
	share(upper, e->upper);
	if (least && most)
		snprintf(buf, TRIAL_LINE, "%s (%s to %s)", by, lower, upper);
	else if (least || most)
		snprintf(buf, TRIAL_LINE, "%s (at %s %s)", by, least ? "least" : "most", least ? lower : upper);
	else
		snprintf(buf, TRIAL_LINE, "%s (no bounds)", by);
}

const char *trial_effect_text(char buf[TRIAL_LINE], const struct try_effect *e, enum try_metric metric)
{
	if (metric == TRY_TAIL)
		tail_text(buf, e);
	else if (e->nothing)
		snprintf(buf, TRIAL_LINE, "none");
	else
		snprintf(buf, TRIAL_LINE, "%g to %g", e->without, e->with);
	return buf;
}

const char *trial_needed_text(char buf[TRIAL_LINE], const struct trial *t, unsigned int question,
			      unsigned int condition)
{
	char s[DURATION_LEN], n[COUNT_LEN];
	size_t runs;

	*buf = 0;
	if (t->e.question[question].at[condition].verdict != TRY_OPEN)
		return buf;
	runs = experiment_runs_needed(&t->e, question, condition);
	if (runs)
		snprintf(buf, TRIAL_LINE, "about %s more runs, %s, would tell", count_prose(n, runs),
			 duration_about(s, (double)runs * t->e.run_s));
	else
		snprintf(buf, TRIAL_LINE, "the runs differ too much: make them longer");
	return buf;
}

/* The condition that has the verdict of the question; of several that with the largest effect. */
static unsigned int deciding(const struct trial *t, unsigned int question)
{
	const struct try_question *q = &t->e.question[question];
	enum try_verdict v = experiment_verdict(&t->e, question);
	unsigned int c, best = 0;

	for (c = 1; c < t->e.nconditions; c++) {
		const struct contrast *one = &q->at[c], *was = &q->at[best];

		if (one->verdict == v && (was->verdict != v || fabs(one->at[TRY_TAIL].by) > fabs(was->at[TRY_TAIL].by)))
			best = c;
	}
	return best;
}

const char *trial_evidence(char buf[TRIAL_LINE], const struct trial *t, unsigned int setting)
{
	const struct trial_setting *s = &t->setting[setting];
	const bool together = experiment_only_together(&t->e) && experiment_keeps(&t->e, setting);
	const unsigned int question = together ? TRY_ALL : TRY_ALONE(setting);
	const unsigned int condition = deciding(t, question);
	const struct contrast *c = &t->e.question[question].at[condition];
	char tail[TRIAL_LINE], episodes[TRIAL_LINE];
	enum try_verdict v = experiment_verdict(&t->e, question);

	if (s->gone)
		snprintf(buf, TRIAL_LINE, "not tried: %.150s", s->gone);
	else if (v == TRY_FAILS)
		snprintf(buf, TRIAL_LINE, "fails: %.150s", s->fails ? s->fails : "");
	else if (!contrast_looks(c->n))
		snprintf(buf, TRIAL_LINE, "cannot tell: there was no time for it");
	else
		snprintf(buf, TRIAL_LINE, "%s%s: %s %.60s, episodes %.30s, %s, %zu pairs", try_verdict_name(v),
			 together ? " only together" : "",
			 t->statistic.text, trial_effect_text(tail, &c->at[TRY_TAIL], TRY_TAIL),
			 trial_effect_text(episodes, &c->at[TRY_EPISODES], TRY_EPISODES), t->condition[condition], c->n);
	return buf;
}

static void put_names(FILE *f, const struct trial *t, enum try_verdict v, const char *sep)
{
	unsigned int i;

	for (i = 0; i < t->e.nsettings; i++)
		if (!t->setting[i].gone && experiment_verdict(&t->e, TRY_ALONE(i)) == v) {
			fprintf(f, "%s%s", sep, t->setting[i].name);
			sep = ", ";
		}
}

static unsigned int count(const struct trial *t, enum try_verdict v)
{
	unsigned int i, n = 0;

	for (i = 0; i < t->e.nsettings; i++)
		n += !t->setting[i].gone && experiment_verdict(&t->e, TRY_ALONE(i)) == v;
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
	if (experiment_only_together(&t->e))
		fprintf(f, "all settings help together, none alone%s", open ? " so far" : "");
	else if (helps)
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

/* The place of a verdict in a report. */
static int rank(enum try_verdict v)
{
	static const int of[] = {
		[TRY_HELPS] = 0, [TRY_HURTS] = 1, [TRY_FAILS] = 2, [TRY_OPEN] = 3, [TRY_SAME] = 4,
	};

	return of[v];
}

static double size_of(const struct trial *t, unsigned int setting)
{
	const unsigned int q = TRY_ALONE(setting);

	return fabs(t->e.question[q].at[deciding(t, q)].at[TRY_TAIL].by);
}

static bool comes_before(const struct trial *t, unsigned int a, unsigned int b)
{
	int ra = rank(experiment_verdict(&t->e, TRY_ALONE(a))), rb = rank(experiment_verdict(&t->e, TRY_ALONE(b)));

	return ra != rb ? ra < rb : size_of(t, a) > size_of(t, b);
}

void trial_order(const struct trial *t, unsigned int order[TRY_SETTINGS])
{
	unsigned int i, k;

	for (i = 0; i < t->e.nsettings; i++) {
		for (k = i; k && comes_before(t, i, order[k - 1]); k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}
