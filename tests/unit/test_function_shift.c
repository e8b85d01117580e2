// SPDX-License-Identifier: GPL-2.0
/* Time in functions in both sides of a comparison: what compares, what does not, and how it looks. */
#include <math.h>
#include <unistd.h>

#include "compare/campaign.h"
#include "compare/compare_render.h"
#include "functions_sample.h"
#include "report/render.h"

enum { WINDOWS = 300 };

static char dir[] = "/tmp/tlob-function-shift-XXXXXX";
static char path[4][64];

/* Window k has k % 10 calls of @ns in lock. @seed: no two runs are the same. */
static void sample_run(struct result *r, unsigned int seed, uint64_t ns)
{
	struct window_functions f;
	struct tlob_window w;
	unsigned int k;

	sample_empty(r, 1);
	sample_sets(r);
	for (k = 0; k < WINDOWS; k++) {
		w = sample_window(0, k);
		f = sample_times(k % 10, ns);
		assert_true(result_window_timed(r, 0, &w, true, NULL, &f));
	}
	r->seed = seed;
	r->has_seed = true;
	r->started = 1700000000 + seed;
	result_sum(r);
}

static void set_text(char **text, const char *to)
{
	free(*text);
	*text = sample_text(to);
}

static void save(unsigned int i, struct result *r)
{
	FILE *f = fopen(path[i], "w");

	set_text(&r->cpus, "0");
	assert_non_null(f);
	assert_int_equal(render_json(f, r), 0);
	assert_int_equal(fclose(f), 0);
	result_free(r);
}

/* Two pairs: the runs of A have calls of 100 and 120 ns, the runs of B of 150 and 190 ns. */
static void sample_pairs(struct result r[4])
{
	static const uint64_t ns[4] = { 100, 120, 150, 190 };
	unsigned int i;

	for (i = 0; i < 4; i++)
		sample_run(&r[i], i % 2 * 2 + i / 2 + 1, ns[i]);
}

struct compared {
	struct statistic statistic;
	struct campaign c;
	struct decision d;
	struct compare_config o;
	struct comparison all;
};

static void load(struct compared *x, struct result r[4], bool force)
{
	char *a[] = { path[0], path[1] }, *b[] = { path[2], path[3] }, err[200];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		assert_true(!r[i].functions || !function_sets_describe(&r[i]));
		save(i, &r[i]);
	}
	*x = (struct compared){ .all.rule = { .alpha = 0.05 } };
	assert_int_equal(statistic_parse(&x->statistic, "avg(wake)", err, sizeof(err)), 0);
	x->c = (struct campaign){ .statistic = &x->statistic, .nstatistics = 1 };
	assert_int_equal(campaign_load(&x->c, a, 2, b, 2, force), 0);
	assert_int_equal(campaign_decide(&x->c, &x->all.rule, &x->d, NULL), 0);
	x->all.o = &x->o;
	x->all.c = &x->c;
	x->all.d = &x->d;
	x->all.verdict = x->d.verdict;
}

static void unload(struct compared *x)
{
	campaign_decided(&x->d, 1);
	campaign_free(&x->c);
}

static struct function_shifts shifts(const struct compared *x)
{
	struct function_shifts s;

	assert_int_equal(function_shifts_find(&s, &x->c), 0);
	return s;
}

static void check(const struct function_shift *s, int value, double a, double b, double by)
{
	if (fabs(s->a[value] - a) > 1e-6 || fabs(s->b[value] - b) > 1e-6 ||
	    fabs(s->by[value] - by) > 1e-6)
		fail_msg("%s of %s: %f, %f, %+f", function_value_names[value], s->name, s->a[value],
			 s->b[value], s->by[value]);
}

/* Each window has 4.5 calls in the mean, and 9 at most. */
TEST(test_values)
{
	struct function_shifts s;
	struct compared x;
	struct result r[4];

	sample_pairs(r);
	load(&x, r, false);
	s = shifts(&x);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.pairs, 2);
	assert_string_equal(s.at[0].name, "lock");
	assert_null(s.at[0].because);
	check(&s.at[0], FUNCTION_CALLS, 4.5, 4.5, 0);
	check(&s.at[0], FUNCTION_MEAN, 4.5 * 110, 4.5 * 170, 4.5 * 60);
	check(&s.at[0], FUNCTION_MAX, 9 * 110, 9 * 170, 9 * 60);
	check(&s.at[1], FUNCTION_MEAN, 250, 250, 0);
	check(&s.at[1], FUNCTION_CALLS, 1, 1, 0);
	/* a quantile is known to 1/64 */
	assert_true(fabs(s.at[0].a[FUNCTION_P99] / (9 * 110) - 1) < 1.0 / TLOB_HIST_SUB);
	assert_true(s.at[0].by[FUNCTION_P99] > 500);
	unload(&x);
}

/* The same patterns, but the sets in another order: a set is found by its name. */
TEST(test_names)
{
	struct function_shifts s;
	struct compared x;
	struct result r[4];
	unsigned int i;

	sample_pairs(r);
	for (i = 2; i < 4; i++) {
		struct function_set first = r[i].functions->at[0];
		struct function_total *t = r[i].all.functions->at, total = t[0];

		r[i].functions->at[0] = r[i].functions->at[1];
		r[i].functions->at[1] = first;
		t[0] = t[1];
		t[1] = total;
		t = r[i].cpu[0].functions->at;
		t[0] = t[1];
		t[1] = total;
	}
	load(&x, r, true);
	s = shifts(&x);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.at[0].name, "lock");
	check(&s.at[0], FUNCTION_MEAN, 4.5 * 110, 4.5 * 170, 4.5 * 60);
	check(&s.at[1], FUNCTION_MEAN, 250, 250, 0);
	unload(&x);
}

static void expect(int (*render)(FILE *f, const struct comparison *all), const struct compared *x,
		   const char *wanted)
{
	char *text = sample_render(render, &x->all);

	assert_contains(text, wanted);
	free(text);
}

/* A difference in the last runs of B. --force accepts it; the first set is not compared then. */
enum difference { PATTERNS, FUNCTIONS, PROBES, NO_PROBES, NAME };

static void change(struct result r[4], enum difference what, unsigned int runs)
{
	unsigned int i;

	for (i = 4 - runs; i < 4; i++) {
		struct function_sets *sets = r[i].functions;

		switch (what) {
		case PATTERNS:
			set_text(&sets->at[0].words, "mutex_lock");
			break;
		case FUNCTIONS:
			sets->at[0].functions = 13;
			break;
		case PROBES:
			set_text(&sets->mechanism, "kretprobe");
			break;
		case NO_PROBES:		/* a file may say null */
			free(sets->mechanism);
			sets->mechanism = NULL;
			break;
		case NAME:
			strcpy(sets->at[0].name, "luck");
			break;
		}
	}
}

TEST(test_not_comparable)
{
	static const struct {
		enum difference what;
		unsigned int runs;
		const char *why;
	} t[] = {
		{ PATTERNS, 2, "its patterns differ" },
		{ PATTERNS, 1, "its patterns differ" },
		{ FUNCTIONS, 2, "the numbers of functions that match differ" },
		{ PROBES, 2, "the kinds of probes differ" },
		{ NO_PROBES, 1, "the kinds of probes differ" },
		{ NAME, 2, "not every run has it" },
	};
	struct function_shifts s;
	struct compared x;
	struct result r[4];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		sample_pairs(r);
		change(r, t[i].what, t[i].runs);
		load(&x, r, true);
		s = shifts(&x);
		assert_string_equal(s.at[0].because, t[i].why);
		assert_true(isnan(s.at[0].by[FUNCTION_MEAN]));
		expect(compare_text, &x, "func.lock is not comparable: ");
		expect(compare_text, &x, t[i].why);
		expect(compare_markdown, &x, "func.lock is not comparable: ");
		expect(compare_json, &x, "{\"name\":\"lock\",\"comparable\":false,\"because\":\"");
		expect(compare_json, &x, "\"shift\":null}");
		unload(&x);
	}
}

/* A set of B alone has its numbers, in B. */
TEST(test_only_b)
{
	struct function_shifts s;
	struct compared x;
	struct result r[4];

	sample_pairs(r);
	change(r, NAME, 2);
	load(&x, r, true);
	s = shifts(&x);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.at[2].name, "luck");
	assert_string_equal(s.at[2].because, "not every run has it");
	assert_true(isnan(s.at[2].a[FUNCTION_MEAN]) && isnan(s.at[2].by[FUNCTION_MEAN]));
	assert_true(fabs(s.at[2].b[FUNCTION_MEAN] - 4.5 * 170) < 1e-6);
	unload(&x);
}

TEST(test_shown)
{
	struct compared x;
	struct result r[4];
	char *text;

	sample_pairs(r);
	r[3].functions->at[1].missed = 7;
	load(&x, r, false);
	text = sample_render(compare_text, &x.all);
	assert_contains(text, "\ntime in functions, us a window, medians over 2 pairs; they decide nothing\n"
			"            A's mean  B's mean   B - A  A's p99  B's p99   B - A\n"
			"func.lock      0.495     0.765  +0.270");
	assert_contains(text, "func.alloc: calls that the probes did not report: 0 in A, 7 in B\n");
	assert_lacks(text, "not comparable");
	free(text);
	text = sample_render(compare_markdown, &x.all);
	assert_contains(text, "\nTime in functions, us a window:\n\n| set | value | A | B | B - A |\n|---|---|---:|---:|---:|\n"
			"| func.lock | calls | 4.500 | 4.500 | 0 |\n"
			"| func.lock | mean | 0.495 | 0.765 | +0.270 |\n");
	assert_contains(text, "| func.lock | max | 0.990 | 1.530 | +0.540 |\n| func.alloc | calls |");
	assert_contains(text, " They decide nothing.\n");
	free(text);
	text = sample_render(compare_json, &x.all);
	assert_contains(text, "\"functions\":[{\"name\":\"lock\",\"comparable\":true,\"because\":null,"
			"\"calls\":{\"a\":4.5,\"b\":4.5,\"shift\":0.0},"
			"\"mean_ns\":{\"a\":495.0,\"b\":765.0,\"shift\":270.0},");
	assert_contains(text, "\"max_ns\":{\"a\":990.0,\"b\":1530.0,\"shift\":540.0},\"missed_a\":0,\"missed_b\":0},");
	assert_contains(text, "\"missed_a\":0,\"missed_b\":7}]");
	free(text);
	unload(&x);
}

/* Results without sets have no table, and null. */
TEST(test_none)
{
	struct compared x;
	struct result r[4];
	unsigned int i;
	char *text;

	for (i = 0; i < 4; i++) {
		sample_result(&r[i], 1, WINDOWS);
		r[i].seed = i + 1;
		r[i].has_seed = true;
		r[i].started = 1700000000 + i;
	}
	load(&x, r, true);
	text = sample_render(compare_text, &x.all);
	assert_lacks(text, "functions");
	free(text);
	text = sample_render(compare_markdown, &x.all);
	assert_lacks(text, "functions");
	free(text);
	expect(compare_json, &x, "\"functions\":null,");
	unload(&x);
}

static int make_dir(void **state)
{
	unsigned int i;

	if (!mkdtemp(dir))
		return -1;
	for (i = 0; i < 4; i++)
		snprintf(path[i], sizeof(path[i]), "%s/%u.json", dir, i);
	return 0;
}

static int remove_dir(void **state)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		unlink(path[i]);
	return rmdir(dir);
}

UNIT_MAIN(make_dir, remove_dir)
