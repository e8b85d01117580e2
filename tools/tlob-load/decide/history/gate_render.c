// SPDX-License-Identifier: GPL-2.0
/* The verdict on a session as text, JSON, JUnit XML, KTAP and Markdown. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_render.h"
#include "history/gate.h"
#include "report/assertions.h"
#include "util/file.h"
#include "util/json_write.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/testcases.h"
#include "util/units.h"
#include "util/wrap.h"

static const char *sessions(char buf[32], const struct screening *s)
{
	snprintf(buf, 32, s->n == 1 ? "the last session" : "the last %zu sessions", s->n);
	return buf;
}

const char *gate_found(char buf[GATE_LINE], const struct gating *g, unsigned int i)
{
	const struct screening *s = &g->screening[i];
	char now[SIDE_LEN], before[SIDE_LEN], last[32], by[32] = "";

	if (s->of_events) {
		compare_side(now, &s->events, s->gap);
		compare_side(before, &s->before, s->gap);
	} else {
		quantity_text(now, false, s->value);
		quantity_text(before, false, s->baseline);
		if (isfinite(s->value) && isfinite(s->baseline))
			snprintf(by, sizeof(by), ", %+.1f %%", 100 * (s->value / s->baseline - 1));
	}
	if (!s->n)
		snprintf(buf, GATE_LINE, "%s is %s: no accepted session of this machine, settings and tuning came before",
			 g->compare.statistic[i].text, now);
	else
		snprintf(buf, GATE_LINE, "%s is %s%s: %s had %s%s", g->compare.statistic[i].text, now, by,
			 sessions(last, s), before, s->of_events || s->n == 1 ? "" : " as their median");
	return buf;
}

const char *gate_step(char buf[GATE_LINE], const struct gating *g, unsigned int i)
{
	const struct screening_step *step = &g->screening[i].step;
	char by[32] = "";

	if (isfinite(step->by))
		snprintf(by, sizeof(by), "%.0f %% ", 100 * step->by);
	snprintf(buf, GATE_LINE, "%s is %sabove the sessions before session %u: a step that no comparison has explained",
		 g->compare.statistic[i].text, by, step->from->number);
	return buf;
}

/* What decided: the screen, or a confirmation. */
static const char *reason(char buf[GATE_LINE], const struct gating *g)
{
	if (g->again)
		snprintf(buf, GATE_LINE, "as an earlier call found");
	else if (*g->undecidable)
		snprintf(buf, GATE_LINE, "%s", g->undecidable);
	else if (g->s->against && g->failed)
		snprintf(buf, GATE_LINE, "not confirmed: session %u is the one to compare with", g->s->against);
	else if (g->s->against)
		snprintf(buf, GATE_LINE, "measured again against session %u", g->s->against);
	else if (g->failed)
		snprintf(buf, GATE_LINE, "not confirmed: there is no other build to compare with");
	else if (g->verdict == VERDICT_INCONCLUSIVE)
		snprintf(buf, GATE_LINE, g->series.n == 1 ? "the first session of its series" :
				"no session of its series before it is accepted");
	else
		snprintf(buf, GATE_LINE, "nothing is beyond the baseline");
	return buf;
}

static void text(FILE *f, const struct gating *g)
{
	char line[GATE_LINE], **at, *build = printable_dup(g->s->build);
	unsigned int i;

	wrap_print(f, "%s  session %u, %zu run%s of %s: %s\n", verdict_name(g->verdict), g->s->number,
		   g->s->nruns, g->s->nruns == 1 ? "" : "s", build ? build : "?", reason(line, g));
	free(build);
	for (i = 0; i < g->compare.nstatistics && !g->again; i++) {
		wrap_print(f, "screen  %s\n", gate_found(line, g, i));
		if (g->screening[i].step.from)
			wrap_print(f, "step    %s\n", gate_step(line, g, i));
	}
	if (g->again)
		wrap_printable(f, "screen  %s\n", g->s->because);
	for (at = g->lowered; at && *at; at++)
		wrap_printable(f, "but     %s\n", *at);
	if (g->conditions)
		wrap_printable(f, "under   %s\n", g->conditions);
	if (g->failed && !g->s->against)
		wrap_put(f, "next    the sessions before had this build, so something else got worse: tlob-load report shows what, and once another build is accepted, the same command compares with it\n");
	if (g->failed && g->s->against)
		wrap_put(f, "next    the same command with --switch 'COMMAND {build}': it measures both builds again, and continues what was begun\n");
}

/* Of the new session, or of the baseline: a number, or counts. */
static void put_side(struct builder *b, struct json_object *to, const char *key, const struct screening *s,
		     double value, const struct events *e)
{
	if (s->of_events)
		compare_put_side(b, to, key, e, s->gap);
	else
		put_double(b, to, key, value);
}

static void put_screen(struct builder *b, struct json_object *list, const struct gating *g, unsigned int i)
{
	const struct screening *s = &g->screening[i];
	struct json_object *o = put_object(b, list, NULL);
	char line[GATE_LINE];

	put_text(b, o, "metric", g->compare.statistic[i].text);
	put_bool(b, o, "beyond", s->beyond);
	put_known(b, o, "step", s->step.from, s->step.from ? s->step.from->number : 0);
	put_u64(b, o, "sessions", s->n);
	put_side(b, o, "value", s, s->value, &s->events);
	put_side(b, o, "baseline", s, s->baseline, &s->before);
	put_text(b, o, "found", gate_found(line, g, i));
}

static int json(FILE *f, const struct gating *g)
{
	struct json_object *o = json_object_new_object(), *list;
	struct builder b = { .err = 0 };
	char line[GATE_LINE];
	unsigned int i;

	put_text(&b, o, "format", "tlob-load session verdict");
	put_int(&b, o, "version", 1);
	put_text(&b, o, "verdict", verdict_name(g->verdict));
	put_text(&b, o, "because", reason(line, g));
	put_u64(&b, o, "session", g->s->number);
	put_text(&b, o, "build", g->s->build);
	put_u64(&b, o, "runs", g->s->nruns);
	put_known(&b, o, "against", g->s->against, g->s->against);
	put_text(&b, o, "conditions", g->conditions);
	put_texts(&b, o, "lowered", g->lowered);
	list = put_array(&b, o, "screens");
	for (i = 0; i < g->compare.nstatistics && !g->again; i++)
		put_screen(&b, list, g, i);
	return json_end(&b, f, o);
}

/* One test: the session. INCONCLUSIVE is an error, not a failure. */
static int testcase(FILE *f, const struct gating *g, int (*print)(FILE *, const struct testsuite *))
{
	struct testcase t = {
		.outcome = g->verdict == VERDICT_OK ? TESTCASE_PASSED :
			   g->verdict == VERDICT_REGRESSION ? TESTCASE_FAILED : TESTCASE_ERROR,
		.name = "history", .type = verdict_name(g->verdict),
	};
	const struct testsuite suite = { "gate", &t, 1, g->conditions, g->lowered };
	char line[GATE_LINE];

	snprintf(t.found, sizeof(t.found), "%s", g->s->because);
	snprintf(t.why, sizeof(t.why), "%s", reason(line, g));
	return print(f, &suite);
}

static int junit(FILE *f, const struct gating *g)
{
	return testcase(f, g, testcases_junit);
}

static int ktap(FILE *f, const struct gating *g)
{
	return testcase(f, g, testcases_ktap);
}

static int markdown_of(FILE *f, const struct gating *g)
{
	char line[GATE_LINE];

	markdown(f, "## tlob-load: %s\n\nSession %u, %zu run%s of %s: ", verdict_name(g->verdict),
		 g->s->number, g->s->nruns, g->s->nruns == 1 ? "" : "s", g->s->build);
	markdown(f, "%s; %s.\n", reason(line, g), g->s->because);
	if (g->conditions)
		markdown(f, "\nUnder: %s\n", g->conditions);
	markdown_notes(f, "but: ", g->lowered);
	return ferror(f) ? -EIO : 0;
}

int gate_print(struct gating *g)
{
	static int (* const render[])(FILE *f, const struct gating *g) = {
		[OUT_JSON] = json, [OUT_JUNIT] = junit, [OUT_KTAP] = ktap, [OUT_MARKDOWN] = markdown_of,
	};
	bool stdout_taken = false;
	unsigned int i;
	int err = 0;

	for (i = 0; i < sizeof(render) / sizeof(render[0]) && !err; i++) {
		if (!g->out[i].f)
			continue;
		stdout_taken = stdout_taken || g->out[i].f == stdout;
		err = render[i](g->out[i].f, g);
		err = err ? output_failed(g->out[i].f, "the verdict", err) : output_commit(&g->out[i]);
	}
	if (!err && !g->compare.quiet && !stdout_taken)
		text(stdout, g);
	return err;
}
