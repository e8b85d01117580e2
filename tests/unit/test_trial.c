// SPDX-License-Identifier: GPL-2.0
/*
 * Experiments from the directory of their results to what is kept, with runs that a test makes up:
 * of guests that boot with arguments of the kernel. test_experiment.c has the decisions.
 */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "unit.h"
#include "try/trial.h"
#include "util/memstream.h"
#include "util/random.h"

enum { CALM, NOTHING, BROKEN, UNKNOWN, NR_ARGUMENTS };

static char dir[] = "/tmp/tlob.trial.XXXXXX";

static struct world {
	struct trial t;
	size_t	 measured;
	bool	 too_short;
	size_t	 full_from, full_to;	/* runs during which the disk is full; 0: none */
	double	 now_s;
	unsigned int with_first[2];	/* by setting: of the first pairs, how many began with it */
} w;

static size_t copied;			/* runs of the first test */
static double within_s = INFINITY;
static uint64_t seed = 5;

/* What has been measured must not be measured again: then its file is there. */
static int measure(void *data, struct trial_run *r)
{
	struct world *of = data;
	FILE *f;

	of->measured++;
	of->now_s += 10;
	if (of->full_from && of->measured >= of->full_from && of->measured <= of->full_to) {
		snprintf(r->why, sizeof(r->why), "No space left on device");
		return -ECANCELED;
	}
	if (of->too_short)
		snprintf(r->why, sizeof(r->why), "too few windows");
	else if (r->setting == BROKEN)
		snprintf(r->why, sizeof(r->why), "Kernel panic");
	if (of->too_short || r->setting == BROKEN)
		return -ECANCELED;
	if (r->setting == UNKNOWN) {
		snprintf(r->why, sizeof(r->why), "this kernel does not know it");
		return -ESTALE;
	}
	assert_int_not_equal(access(r->file, F_OK), 0);
	if (r->pair < RANDOM_MIXED && (r->setting == CALM || r->setting == NOTHING))
		of->with_first[r->setting] += !!access(r->other->file, F_OK);
	/* what differs between pairs is the same within one, as with a common seed */
	r->value = (struct try_value){ .tail = (r->setting == CALM ? 7000 : 10000) * (1 + 0.1 * (double)r->pair) };
	f = fopen(r->file, "w");
	assert_non_null(f);
	fprintf(f, "%g\n", r->value.tail);
	assert_int_equal(fclose(f), 0);
	return 0;
}

static int read_old(void *data, struct trial_run *r)
{
	FILE *f = fopen(r->file, "r");
	char line[40], *end;

	if (!f)
		return -ENOENT;
	assert_non_null(fgets(line, sizeof(line), f));
	r->value = (struct try_value){ .tail = strtod(line, &end) };
	assert_string_equal(end, "\n");
	fclose(f);
	return 0;
}

static double now_s(void *data)
{
	return ((struct world *)data)->now_s;
}

static const struct trial_ops ops = { .measure = measure, .read = read_old, .now_s = now_s };

/* An experiment with the first @n arguments, in the directory @name. */
static int try_out(const char *name, unsigned int n, bool shared, bool resume)
{
	static const char * const names[] = { "calm=1", "nothing=1", "broken=1", "unknown=1" };
	static char path[64];
	unsigned int i;
	int err;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	w = (struct world){ .too_short = w.too_short, .full_from = w.full_from, .full_to = w.full_to };
	w.t = (struct trial){
		.e = { .nsettings = n, .nconditions = 1, .alpha = 0.05, .margin = 0.1, .within_s = within_s, .run_s = 5,
		       .shared = shared },
		.statistic = { .text = "p99.9(response)" }, .condition = { "idle" }, .ops = &ops, .data = &w, .dir = path,
		.claim = { .id = "0123", .seed = seed }, .resume = resume, .quiet = true, .kernel = strdup("6.12 in guests"), .cpus = strdup("0"),
	};
	for (i = 0; i < n; i++) {
		w.t.setting[i] = (struct trial_setting){ .name = names[i], .keep = KEEP_ARGUMENTS };
		assert_true(asprintf(&w.t.setting[i].line, "ARGUMENTS=\"$ARGUMENTS %s\"\n", names[i]) > 0);
	}
	err = trial_claim(&w.t);
	if (!err)
		err = trial_carry_out(&w.t);
	return err ? err : trial_keep(&w.t);
}

static enum try_verdict verdict(unsigned int setting)
{
	return experiment_verdict(&w.t.e, setting);
}

static char *kept(const char *name)
{
	static char text[4096];
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/90-tlob-load.cfg", dir, name);
	f = fopen(path, "r");
	text[f ? fread(text, 1, sizeof(text) - 1, f) : 0] = 0;
	if (f)
		fclose(f);
	return text;
}

static void report(FILE *f, const void *t)
{
	assert_int_equal(trial_text(f, t), 0);
}

/* The runs without settings serve all settings, and each is made once. */
TEST(copies_are_made_once)
{
	size_t least, most;
	char *text;

	assert_int_equal(try_out("copies", 2, true, false), 0);
	assert_int_equal(verdict(CALM), TRY_HELPS);
	assert_int_equal(verdict(NOTHING), TRY_SAME);
	experiment_runs(&w.t.e, &least, &most);
	assert_in_range(w.measured, least, most);
	assert_int_equal(experiment_measured(&w.t.e), w.measured);
	copied = w.measured;
	assert_int_equal(trial_exit(&w.t), EXIT_PASS);
	text = memstream_of(report, &w.t);
	assert_contains(text, "1 of 2 settings helps: calm=1\n");
	assert_contains(text, "60 runs in 600 s, CPUs 0");
	assert_contains(text, "/copies/90-tlob-load.cfg\n");
	free(text);
	trial_free(&w.t);
}

TEST(kept_with_evidence)
{
	assert_contains(kept("copies"), "# Copy it to /etc/default/grub.d/, run update-grub, and boot.\n");
	assert_contains(kept("copies"), "on Linux 6.12 in guests, CPUs 0.\n");
	assert_contains(kept("copies"), "\n# calm=1: helps: p99.9(response) -30.0 % (");
	assert_contains(kept("copies"), "\nARGUMENTS=\"$ARGUMENTS calm=1\"\n");
	assert_lacks(kept("copies"), "nothing=1");
}

/* The next start takes all from the files, and needs to be told so. */
TEST(continued)
{
	assert_int_equal(try_out("copies", 2, true, false), -EEXIST);
	trial_free(&w.t);
	assert_int_equal(try_out("copies", 2, true, true), 0);
	assert_int_equal(w.measured, 0);
	assert_int_equal(experiment_measured(&w.t.e), copied);
	assert_int_equal(verdict(CALM), TRY_HELPS);
	trial_free(&w.t);
}

/* Root runs the files: the second line of a load must not be one of theirs. */
TEST(evidence_is_one_line)
{
	char *text;

	assert_int_equal(try_out("copies", 2, true, true), 0);
	w.t.condition[0] = "stress\treboot\nreboot";
	assert_int_equal(trial_keep(&w.t), 0);
	assert_contains(kept("copies"), ", stress\\x09reboot\\x0areboot, ");
	text = memstream_of(report, &w.t);
	assert_contains(text, "  helps          stress\\x09reboot\\x0areboot ");
	assert_lacks(text, "\nreboot");
	free(text);
	trial_free(&w.t);
}

/* Neither side comes first in all of the pairs that compare would refuse for it. */
TEST(pairs_are_mixed)
{
	char name[20];
	size_t i;

	for (seed = 100; seed < 120; seed++) {
		snprintf(name, sizeof(name), "mixed%u", (unsigned int)seed);
		assert_int_equal(try_out(name, 2, false, false), 0);
		/* not shared: both sides of each setting are measured */
		assert_int_equal(experiment_measured(&w.t.e), w.measured);
		assert_true(w.measured > copied);
		for (i = 0; i < ARRAY_SIZE(w.with_first); i++)
			assert_in_range(w.with_first[i], 1, RANDOM_MIXED - 1);
		trial_free(&w.t);
	}
	seed = 5;
}

/* A guest that dies with an argument, and an argument that the kernel does not know. */
TEST(failures_are_results)
{
	char line[TRIAL_LINE];

	assert_int_equal(try_out("fail", NR_ARGUMENTS, true, false), 0);
	assert_int_equal(verdict(BROKEN), TRY_FAILS);
	assert_string_equal(trial_evidence(line, &w.t, BROKEN), "fails: Kernel panic");
	assert_string_equal(trial_evidence(line, &w.t, UNKNOWN), "not tried: this kernel does not know it");
	assert_int_equal(verdict(CALM), TRY_HELPS);
	assert_int_equal(verdict(NOTHING), TRY_SAME);
	trial_free(&w.t);
}

/* Runs without an argument that are of no use are not a matter of the arguments. */
TEST(too_short_is_an_error)
{
	w.too_short = true;
	assert_int_equal(try_out("short", 2, true, false), -ECANCELED);
	assert_in_range(w.measured, 2, 4);
	w.too_short = false;
	trial_free(&w.t);
}

/* A fault of the machine is nobody's, from whatever run on it lasts; one that is over at once is not even an end. */
TEST(full_disk_blames_none)
{
	for (w.full_from = 1; w.full_from < 20; w.full_from++) {
		char name[20];

		snprintf(name, sizeof(name), "full%zu", w.full_from);
		w.full_to = SIZE_MAX;
		assert_int_equal(try_out(name, 2, false, false), -ECANCELED);
		assert_int_not_equal(verdict(CALM), TRY_FAILS);
		assert_int_not_equal(verdict(NOTHING), TRY_FAILS);
		assert_string_equal(kept(name), "");
		trial_free(&w.t);
		snprintf(name, sizeof(name), "moment%zu", w.full_from);
		w.full_to = w.full_from;
		assert_int_equal(try_out(name, 2, false, false), 0);
		assert_int_equal(verdict(CALM), TRY_HELPS);
		assert_int_equal(verdict(NOTHING), TRY_SAME);
		trial_free(&w.t);
	}
	w.full_from = 0;
}

/* The first look at the first setting needs 20 runs of 10 s under each condition. */
TEST(too_little_time_is_refused)
{
	w.t = (struct trial){ .e = { .nsettings = 2, .nconditions = 2, .within_s = 399, .run_s = 10 } };
	assert_int_equal(trial_check_time(&w.t), -ETIME);
	w.t.resume = true;
	assert_int_equal(trial_check_time(&w.t), 0);
	w.t.resume = false;
	w.t.e.within_s = 400;
	assert_int_equal(trial_check_time(&w.t), 0);
}

/* "No different" is printed with its bounds. A regression that the bounds do not show is printed with its reason. */
TEST(bounds_are_said)
{
	const double none = 0;
	struct try_pairs p = { .n = 20, .verdict = TRY_OPEN };
	char text[TRIAL_LINE];

	p.d[TAIL_WORSE] = (struct decision){ .a = &none, .n = 20, .effect = 0.02, .lower = -0.02, .upper = 0.3 };
	p.d[TAIL_BETTER] = (struct decision){ .a = &none, .lower = -INFINITY, .upper = 0.2 };
	assert_string_equal(trial_tail_text(text, &p), "+2.02 % (at least -1.98 %)");
	p.verdict = TRY_SAME;
	assert_string_equal(trial_tail_text(text, &p), "+2.02 % (-18.1 % to +35.0 %)");
	p.d[TAIL_WORSE].beyond = 6;
	p.d[TAIL_WORSE].by_beyond = true;
	p.d[TAIL_BETTER].lower = -0.03;
	p.verdict = TRY_HURTS;
	assert_string_equal(trial_tail_text(text, &p), "+2.02 % (-1.98 % to +3.05 %), 6 of 20 runs with it above all without it");
}

/* Totals of both sides, and what is good by one number and bad by the other. */
TEST(both_numbers_are_said)
{
	struct try_pairs p = { .n = 20 };
	struct events_found *found = &p.d[EVENTS_WORSE].found;
	char text[TRIAL_LINE];

	w.t = (struct trial){ .statistic = { .text = "p99.9(response)" } };
	*found = (struct events_found){ .a = { .expiries = 400000, .late = 100 }, .b = { .expiries = 400000 } };
	found->a.e.at[0].n = 2;
	assert_string_equal(trial_events_text(text, &p), "without it 100 of 400 000 in 2 episodes, with it none of 400 000");
	found->none = true;
	assert_string_equal(trial_events_text(text, &p), "none");
	p.verdict = TRY_HURTS;
	p.d[TAIL_WORSE].verdict = VERDICT_REGRESSION;
	assert_string_equal(trial_verdict_text(text, &w.t, &p), "hurts");
	p.d[EVENTS_BETTER].verdict = VERDICT_REGRESSION;
	assert_string_equal(trial_verdict_text(text, &w.t, &p), "hurts by p99.9(response), helps by late expiries");
	p.d[TAIL_WORSE].verdict = p.d[EVENTS_BETTER].verdict = VERDICT_OK;
	p.d[TAIL_BETTER].verdict = p.d[EVENTS_WORSE].verdict = VERDICT_REGRESSION;
	assert_string_equal(trial_verdict_text(text, &w.t, &p), "hurts by late expiries, helps by p99.9(response)");
}

/* The time ends before the second setting: it says what --resume does, which then does it. */
TEST(time_ends)
{
	char line[TRIAL_LINE];

	within_s = 450;
	assert_int_equal(try_out("ends", 2, false, false), 0);
	assert_int_equal(verdict(CALM), TRY_HELPS);
	assert_int_equal(verdict(NOTHING), TRY_OPEN);
	assert_int_equal(trial_exit(&w.t), EXIT_INCONCLUSIVE);
	assert_string_equal(trial_evidence(line, &w.t, NOTHING), "cannot tell: there was no time for it, idle");
	assert_string_equal(trial_needed_text(line, &w.t, NOTHING), "up to 76 more runs, 13 min, may tell: --resume makes them");
	assert_string_equal(trial_needed_text(line, &w.t, CALM), "");
	within_s = INFINITY;
	trial_free(&w.t);
	assert_int_equal(try_out("ends", 2, false, true), 0);
	assert_int_equal(verdict(NOTHING), TRY_SAME);
	trial_free(&w.t);
}

/* Ends with the last look: no more runs decide it, and none of those that were made anew. */
TEST(last_look_is_the_end)
{
	struct try_setting s = { .at = { { .n = SEQUENTIAL_MOST } } };
	char line[TRIAL_LINE];

	w.t = (struct trial){ .e = { .nsettings = 1, .nconditions = 1, .setting = &s } };
	assert_string_equal(trial_needed_text(line, &w.t, 0), "40 pairs cannot tell: try it anew, in longer runs");
}

/* More time than --within is not announced. */
TEST(estimate_ends_with_the_time)
{
	struct trial t = { .e = { .nsettings = 2, .nconditions = 1, .shared = true, .run_s = 5, .within_s = INFINITY } };
	char text[TRIAL_LINE];

	assert_string_equal(trial_estimate(text, &t), "30 to 120 runs, 2 min to 10 min");
	t.e.within_s = 240;
	assert_string_equal(trial_estimate(text, &t), "30 to 120 runs, 2 min to 4 min");
}

/* A run that takes longer than it should shows it with the first pair. */
TEST(slow_runs_are_refused)
{
	within_s = 199;
	assert_int_equal(try_out("slow", 2, false, false), -ETIME);
	assert_int_equal(w.measured, 2);
	within_s = INFINITY;
	trial_free(&w.t);
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command); // NOLINT(cert-env33-c): a fixed command
}

UNIT_MAIN(make_dir, remove_dir)
