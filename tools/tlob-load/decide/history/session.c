// SPDX-License-Identifier: GPL-2.0
/* A session from the results of its runs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/campaign.h"
#include "history/session.h"
#include "result/comparable.h"
#include "result/attached.h"
#include "util/error.h"
#include "util/text.h"
#include "util/units.h"

const char * const session_values[SESSION_VALUES] = {
	"p99.9(irq)", "p50(wake)", "p99(wake)", "p99.9(wake)",
	"p99(response)", "p99.9(response)", "avg(response)", "miss-rate",
};

const char * const session_states[] = {
	[SESSION_ACCEPTED] = "accepted", [SESSION_REJECTED] = "rejected", [SESSION_OPEN] = "open",
};

void session_free(struct session *s)
{
	free(s->build);
	free(s->commit);
	notes_free(s->labels);
	free(s->host);
	free(s->kernel);
	free(s->settings);
	free(s->verdict);
	free(s->because);
	free(s->run);
	*s = (struct session){ 0 };
}

/* A number that this run cannot have, such as p99.9 of 100 windows, is not known. */
static void take_values(struct session_run *run, const struct result *r)
{
	struct statistic s;
	unsigned int i;
	char why[200];

	for (i = 0; i < SESSION_VALUES; i++)
		if (statistic_parse(&s, session_values[i], why, sizeof(why)) ||
		    statistic_value(&s, r, &run->value[i], why, sizeof(why)))
			run->value[i] = NAN;
}

static int describe(struct session *s, const struct result *r)
{
	char period[DURATION_LEN], duration[DURATION_LEN], runs[DURATION_LEN + 16] = "";
	int err = 0;

	s->duration_ns = result_is_of_attach(r) || r->deterministic ? 0 : r->duration_ns;
	if (s->duration_ns)
		snprintf(runs, sizeof(runs), ", runs of %s", duration_format(duration, s->duration_ns));
	if (asprintf(&s->settings, "%s, %s, %s, period %s, %s, CPUs %s%s", r->backend, r->workload,
		     r->work, duration_exact(period, r->period_ns), r->policy, r->cpus, runs) < 0) {
		s->settings = NULL;
		return -ENOMEM;
	}
	s->host = text_copy(r->host, &err);
	s->kernel = text_copy(r->kernel, &err);
	s->key = facts_key(r);
	s->deterministic = r->deterministic;
	if (!s->build) {
		s->build = text_copy(r->kernel, &err);
		if (s->build)
			s->build[strcspn(s->build, " ")] = 0;
	}
	return err || !s->key ? -ENOMEM : 0;
}

/* compare would refuse to take both runs as one side. */
static int refuse_other(const struct result *first, const struct result *r, const char *file)
{
	char **list = NULL, **at;
	int err;

	if (strcmp(first->kernel, r->kernel))
		return fail(-EINVAL, "%s: it ran on another kernel than the first run: a session has runs of one build",
			    file);
	err = settings_differ(&list, first, r, file);
	if (!err && facts_key(first) != facts_key(r))
		err = facts_differ(&list, first, r, file, NULL, false);
	for (at = list; at && *at; at++)
		fail(-EINVAL, "%s", *at);
	if (list && !err)
		err = fail(-EINVAL, "the runs of a session must have the same settings");
	notes_free(list);
	return err == -ENOMEM ? fail(err, "out of memory") : err;
}

static int refuse_twice(const struct session *s, size_t i, char *const files[])
{
	size_t k;

	for (k = 0; k < i; k++)
		if (s->run[k].fingerprint == s->run[i].fingerprint)
			return fail(-EINVAL, "%s and %s are the same run: give each run once", files[k],
				    files[i]);
	return 0;
}

/* The history copies the file after it was read here, and a pipe can be read once. */
static int refuse_pipe(const char *file)
{
	struct stat st;

	if (stat(file, &st) || S_ISREG(st.st_mode))
		return 0;
	return fail(-EINVAL, "%s is not a regular file, so the history cannot copy it: write the result to a file first",
		    file);
}

static int measure_run(struct session *s, struct campaign_run *first, size_t i, char *const files[])
{
	struct campaign_run other = { 0 }, *run = i ? &other : first;
	int err = campaign_run_read(run, files[i]);

	if (!err) {
		take_values(&s->run[i], &run->r);
		s->run[i].fingerprint = result_fingerprint(&run->r);
		s->run[i].started = run->r.started;
		err = i ? refuse_other(&first->r, &run->r, files[i]) : 0;
	}
	if (!err)
		err = refuse_twice(s, i, files);
	if (i)
		campaign_run_free(run);
	return err;
}

int session_measure(struct session *s, char *const files[], size_t n)
{
	struct campaign_run first = { 0 };
	size_t i;
	int err = 0;

	if (!n || n > SESSION_RUNS)
		return fail(-EUSAGE, "%zu results: give 1 to %d runs of one build", n, SESSION_RUNS);
	s->run = calloc(n, sizeof(*s->run));
	s->nruns = n;
	if (!s->run)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < n && !err; i++)
		err = refuse_pipe(files[i]);
	for (i = 0; i < n && !err; i++)
		err = measure_run(s, &first, i, files);
	if (!err && describe(s, &first.r))
		err = fail(-ENOMEM, "out of memory");
	campaign_run_free(&first);
	return err;
}

bool session_is_unequal(const struct session *a, const struct session *b)
{
	const struct result first = { .duration_ns = a->duration_ns }, other = { .duration_ns = b->duration_ns };
	char why[MEANING_LINE];

	return a->duration_ns && b->duration_ns && campaign_unequal(&first, &other, "", why);
}

time_t session_started(const struct session *s)
{
	time_t first = s->run[0].started;
	size_t i;

	for (i = 1; i < s->nruns; i++)
		first = s->run[i].started < first ? s->run[i].started : first;
	return first;
}

double session_median(const struct session *s, unsigned int value)
{
	double x[SESSION_RUNS];
	size_t i;

	for (i = 0; i < s->nruns; i++) {
		x[i] = s->run[i].value[value];
		if (isnan(x[i]))
			return NAN;
	}
	return stats_median(x, s->nruns);
}
