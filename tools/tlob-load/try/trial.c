// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "try/trial.h"
#include "util/error.h"
#include "util/file.h"
#include "util/random.h"
#include "util/signals.h"

#define ID_FILE		"try.id"

static int write_id(const struct trial *t, const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return fail(-errno, "%s: %s", path, strerror(errno));
	fprintf(f, "%s %" PRIu64 "\n", t->id, t->seed);
	return fclose(f) ? fail(-EIO, "%s cannot be written", path) : 0;
}

/* The order of the runs comes from the seed of the first start. */
int trial_claim(struct trial *t)
{
	char path[PATH_MAX], was[64];
	size_t n = strlen(t->id);

	if (mkdir(t->dir, 0777) && errno != EEXIST)
		return fail(-errno, "%s: %s", t->dir, strerror(errno));
	snprintf(path, sizeof(path), "%.4000s/runs", t->dir);
	if (mkdir(path, 0777) && errno != EEXIST)
		return fail(-errno, "%s: %s", path, strerror(errno));
	snprintf(path, sizeof(path), "%.4000s/" ID_FILE, t->dir);
	if (file_read_line(path, was, sizeof(was)))
		return write_id(t, path);
	if (strncmp(was, t->id, n) || was[n] != ' ')
		return fail(-EEXIST, "%s has results of other settings, options, CPUs, kernel or boot arguments: give another --dir", t->dir);
	if (!t->resume)
		return fail(-EEXIST, "%s has results already: give --resume to continue them, or another --dir", t->dir);
	t->seed = strtoull(was + n, NULL, 10);
	return 0;
}

/* The same question, condition and pair have the same file in each start. */
static void name_run(const struct trial *t, const struct try_step *step, bool with, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.4000s/runs/%04x-%04x-%02u-%02zu-%s.json", t->dir, step->with, step->without,
		 step->condition, step->pair + 1, with ? "with" : "without");
}

/* Random, but the same for this pair in each start. */
static uint64_t seed_of(const struct trial *t, const struct try_step *step)
{
	uint64_t n = (uint64_t)step->with << 32 | step->without;

	return random_derived(random_derived(t->seed, n), (uint64_t)step->condition * 1000 + step->pair);
}

static int measure(struct trial *t, const struct try_step *step, bool with, struct trial_run *r)
{
	char path[PATH_MAX];
	double from;
	int err;

	*r = (struct trial_run){
		.set = with ? step->with : step->without, .condition = step->condition,
		.seed = seed_of(t, step) >> 32, .file = path,
	};
	name_run(t, step, with, path);
	err = t->ops->read(t->data, r);
	if (!err) {
		t->reused++;
		return 0;
	}
	from = t->ops->now_s(t->data);
	err = t->ops->measure(t->data, r);
	t->runs++;
	/* as long as it takes here, for the shares of the time */
	if (!err)
		t->e.run_s += (t->ops->now_s(t->data) - from - t->e.run_s) / (double)(t->runs < 20 ? t->runs : 20);
	r->file = NULL;
	return err;
}

static int remember(char **text, const char *why)
{
	if (*text)
		return 0;
	*text = strdup(why);
	return *text ? 0 : -ENOMEM;
}

/* A run that failed, or a setting that is gone, is a result. Only without any setting it is an error. */
static int take_failure(struct trial *t, const struct try_step *step, bool with, const struct trial_run *r, int err)
{
	const struct try_question *q = &t->e.question[step->question];

	if (err == -ESTALE) {
		if (!t->quiet)
			fprintf(stderr, "%s: %s: left out\n", t->setting[r->gone].name, r->why);
		experiment_exclude(&t->e, (unsigned int)r->gone);
		return remember(&t->setting[r->gone].gone, r->why);
	}
	if (err != -ECANCELED)
		return err;
	experiment_failed(&t->e, step, with);
	if (!r->set && q->fails[0] == TRY_FAILURES)
		return fail(-ECANCELED, "the workload does not run even without a setting: %s", r->why);
	if (!t->quiet)
		fprintf(stderr, "a run failed: %s\n", r->why);
	/* which of all together is to blame is asked next */
	return q->kind == TRY_ALL ? 0 : remember(&t->setting[q->setting].fails, r->why);
}

static void say(const struct trial *t, const struct try_step *step)
{
	const struct try_question *q = &t->e.question[step->question];
	const struct contrast *c = &q->at[step->condition];
	char question[TRIAL_LINE], tail[TRIAL_LINE];

	if (t->quiet || !contrast_is_look(c->n))
		return;
	fprintf(stderr, "%5.0f s  %s, %s, %zu pairs: %s %s: %s\n", t->ops->now_s(t->data),
		trial_question_text(question, t, q), t->condition[step->condition], c->n, t->statistic.text,
		trial_effect_text(tail, &c->at[TRY_TAIL], TRY_TAIL), try_verdict_name(c->verdict));
}

/* Both runs of a pair, in random order. 0; 1: no pair came of it; -errno. */
static int take_step(struct trial *t, const struct try_step *step)
{
	bool first = seed_of(t, step) & 1, side;
	struct trial_run r[2];
	int i, err;

	for (i = 0; i < 2; i++) {
		side = i ? !first : first;
		err = measure(t, step, side, &r[side]);
		if (err) {
			err = take_failure(t, step, side, &r[side], err);
			return err ? err : 1;
		}
		if (signal_end())
			return -EINTR;
	}
	err = experiment_take(&t->e, step, r[true].value, r[false].value);
	if (err)
		return fail(err, err == -ENOMEM ? "out of memory" : "a run has no %s that could be compared", t->statistic.text);
	say(t, step);
	return 0;
}

int trial_carry_out(struct trial *t)
{
	struct try_step step;
	int err = experiment_begin(&t->e);

	t->started = time(NULL);
	if (err)
		return fail(err, "out of memory");
	while (err >= 0 && !signal_end() && experiment_next(&t->e, t->ops->now_s(t->data), &step))
		err = take_step(t, &step);
	t->took_s = t->ops->now_s(t->data);
	if (signal_end()) {
		t->signal = signal_name(signal_end());
		err = 0;
	}
	if (err == -ENOMEM)
		return fail(err, "out of memory");
	return err < 0 ? err : experiment_finish(&t->e);
}

void trial_free(struct trial *t)
{
	unsigned int i;

	for (i = 0; i < t->e.nsettings; i++) {
		free(t->setting[i].gone);
		free(t->setting[i].fails);
		free(t->setting[i].line);
	}
	free(t->kernel);
	free(t->cpus);
	experiment_free(&t->e);
}
