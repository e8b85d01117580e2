// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "try/trial.h"
#include "util/error.h"
#include "util/file.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/random.h"
#include "util/signals.h"
#include "util/wrap.h"

#define ID_FILE		"try.id"

int trial_identify(struct trial *t, void (*put)(FILE *f, const void *data), const void *data)
{
	char *text = memstream_of(put, data);

	if (!text)
		return fail(-ENOMEM, "out of memory");
	claim_identify(&t->claim, text);
	free(text);
	return 0;
}

/* The order of the runs comes from the seed of the first start. */
bool trial_is_begun(const struct trial *t)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s/" ID_FILE, t->dir);
	return !access(path, F_OK);
}

int trial_claim(struct trial *t)
{
	char path[PATH_MAX];

	if (mkdir(t->dir, 0777) && errno != EEXIST)
		return fail(-errno, "%s: %s", t->dir, strerror(errno));
	snprintf(path, sizeof(path), "%.4000s/runs", t->dir);
	if (mkdir(path, 0777) && errno != EEXIST)
		return fail(-errno, "%s: %s", path, strerror(errno));
	t->claim.dir = t->dir;
	t->claim.file = ID_FILE;
	switch (claim_read(&t->claim)) {
	case CLAIM_OTHER:
		return fail(-EEXIST, "%s has results of other settings, options, backend, CPUs, kernel or boot arguments: give another --dir", t->dir);
	case CLAIM_OURS:
		return t->resume ? 0 : fail(-EEXIST, "%s has results already: give --resume to continue them, or another --dir", t->dir);
	default:
		return claim_take(&t->claim);
	}
}

/*
 * The same setting, condition and pair have the same file in each start: 01-with-00/001.json. Where
 * results are shared, all settings have those of 00-without-00.
 */
static void name_run(const struct trial *t, const struct try_step *step, struct trial_run *r)
{
	const bool with = r->setting != TRIAL_NONE;

	snprintf(r->dir, PATH_MAX, "%.4000s/runs/%02u-%s-%02u", t->dir, with || !t->e.shared ? step->setting + 1 : 0,
		 with ? "with" : "without", r->condition);
	snprintf(r->file, PATH_MAX, "%.4060s/%03zu.json", r->dir, r->pair + 1);
}

/* Random, but the same for this pair in each start. */
static uint64_t seed_of(const struct trial *t, const struct try_step *step)
{
	return random_derived(random_derived(t->claim.seed, step->setting), (uint64_t)step->condition * 1000 + step->pair);
}

/* The runs of a pair: without, with. 0 or -errno, printed. */
static int prepare(const struct trial *t, const struct try_step *step, struct trial_run r[2])
{
	int side;

	for (side = 0; side < 2; side++) {
		r[side] = (struct trial_run){
			.setting = side ? (int)step->setting : TRIAL_NONE, .condition = step->condition,
			.pair = step->pair, .seed = seed_of(t, step) >> 32, .other = &r[!side],
		};
		name_run(t, step, &r[side]);
		if (mkdir(r[side].dir, 0777) && errno != EEXIST)
			return fail(-errno, "%s: %s", r[side].dir, strerror(errno));
	}
	return 0;
}

static double now_s(const struct trial *t)
{
	struct timespec now;

	if (t->ops->now_s)
		return t->ops->now_s(t->data);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->begin.tv_sec) + (double)(now.tv_nsec - t->begin.tv_nsec) / 1e9;
}

static int measure(struct trial *t, struct trial_run *r)
{
	double from = now_s(t);
	int err = t->ops->measure(t->data, r);

	t->runs++;
	/* as long as it takes here */
	if (!err)
		t->e.run_s += ((now_s(t) - from) / (double)(r->made ? r->made : 1) - t->e.run_s) /
			      (double)(t->runs < 20 ? t->runs : 20);
	return err;
}

static int remember(char **text, const char *why)
{
	if (*text)
		return 0;
	*text = strdup(why);
	return *text ? 0 : -ENOMEM;
}

/* A setting that is gone leaves the experiment. 0 or -ENOMEM. */
static int take_gone(struct trial *t, const struct trial_run *r)
{
	if (!t->quiet)
		wrap_print(stderr, "%s: %s: left out\n", t->setting[r->setting].name, r->why);
	experiment_exclude(&t->e, (unsigned int)r->setting);
	return remember(&t->setting[r->setting].gone, r->why);
}

/* A run without any setting failed. One may have another reason; two show what is wrong here. */
static int take_fault(struct trial *t, const struct try_step *step, const struct trial_run *r)
{
	if (experiment_failed(&t->e, step, false) == TRY_FAILURES)
		return fail(-ECANCELED, "no run without a setting can be used: %s", r->why);
	if (!t->quiet)
		wrap_print(stderr, "a run without a setting failed: %s\n", r->why);
	return 0;
}

/*
 * A run with the setting failed. A full disk, or another program, is not its fault: it has failed
 * only if a run without it works now.
 */
static int take_failure(struct trial *t, const struct try_step *step, struct trial_run r[2])
{
	int err;

	unlink(r[false].file);
	err = measure(t, &r[false]);
	if (err == -ECANCELED)
		return take_fault(t, step, &r[false]);
	if (err || signal_end())
		return err ? err : -EINTR;
	experiment_failed(&t->e, step, true);
	if (!t->quiet)
		wrap_print(stderr, "a run failed: %s\n", r[true].why);
	return remember(&t->setting[step->setting].fails, r[true].why);
}

static void say(const struct trial *t, const struct try_step *step)
{
	const struct try_pairs *p = &t->e.setting[step->setting].at[step->condition];
	char tail[TRIAL_LINE];

	if (!t->quiet && try_is_look(p->n))
		wrap_printable(stderr, "%5.0f s  %s, %s, %zu pairs: %s %s: %s\n", now_s(t),
			       t->setting[step->setting].name, t->condition[step->condition], p->n, t->statistic.text,
			       trial_tail_text(tail, p), try_verdict_name(p->verdict));
}

static int fail_decision(const struct trial *t, int err)
{
	return fail(err, err == -ENOMEM ? "out of memory" : "%s of a run is 0 ns, so it has no ratio: give another --metric",
		    t->statistic.text);
}

/* 0; 1: no pair comes of it; -errno, printed. */
static int take_run(struct trial *t, const struct try_step *step, bool with, struct trial_run r[2])
{
	int err = t->ops->read(t->data, &r[with]) ? measure(t, &r[with]) : 0;

	if (!err)
		return signal_end() ? -EINTR : 0;
	if (err == -ESTALE)
		err = take_gone(t, &r[with]);
	else if (err == -ECANCELED)
		err = with ? take_failure(t, step, r) : take_fault(t, step, &r[with]);
	return err ? err : 1;
}

/* Returns whether the run with the setting comes first. */
static bool draw_first(const struct trial *t, const struct try_step *step)
{
	unsigned int order[2 * SEQUENTIAL_MOST];

	random_blocks(order, SEQUENTIAL_MOST, 2,
		      random_derived(random_derived(t->claim.seed, step->setting), step->condition));
	return order[2 * step->pair];
}

/* Both runs of a pair, in random order. 0; 1: no pair came of it; -errno. */
static int take_step(struct trial *t, const struct try_step *step)
{
	bool first = draw_first(t, step);
	struct trial_run r[2];
	int err = prepare(t, step, r);

	if (!err)
		err = take_run(t, step, first, r);
	if (!err)
		err = take_run(t, step, !first, r);
	if (err)
		return err;
	err = experiment_take(&t->e, step, (const struct try_value[]){ r[false].value, r[true].value });
	if (err)
		return fail_decision(t, err);
	say(t, step);
	/* now it is known how long a run takes */
	return t->runs == 2 ? trial_check_time(t) : 0;
}

int trial_carry_out(struct trial *t)
{
	struct try_step step;
	int err = experiment_begin(&t->e);

	t->started = time(NULL);
	clock_gettime(CLOCK_MONOTONIC, &t->begin);
	if (err)
		return fail(err, "out of memory");
	while (err >= 0 && !signal_end() && experiment_next(&t->e, now_s(t), &step))
		err = take_step(t, &step);
	t->took_s = now_s(t);
	if (signal_end()) {
		t->signal = signal_name(signal_end());
		err = 0;
	}
	if (err == -ENOMEM)
		return fail(err, "out of memory");
	return err < 0 ? err : 0;
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
	free(t->conditions);
	notes_free(t->lowered);
	experiment_free(&t->e);
}
