// SPDX-License-Identifier: GPL-2.0
/*
 * The line of a comparison: the numbers that it prints give the verdict that it prints, and their
 * signs agree. Of random comparisons, each decided by the code that decides real ones.
 */
#include "simulation.h"
#include "compare/compare_render.h"

enum { COMPARISONS = 4000, MOST_PAIRS = 40, CPUS = 3 };

static struct campaign_run runs[2 * MOST_PAIRS];
static double values[2][MOST_PAIRS], cpu_values[2][CPUS][MOST_PAIRS];
static struct result_cpu measured[CPUS] = { { .cpu = 2 }, { .cpu = 3 }, { .cpu = 5 } };
static struct events events[2][MOST_PAIRS];

/* The numbers of a line: all but from and to are in percent. */
struct printed {
	double	 from, to;		/* us, or shares of both sides; INFINITY: missed */
	double	 effect, lower, upper, margin;
	double	 cpu_effect, cpu_margin;	/* of a CPU that decides; NAN: none does */
	bool	 the_pairs;		/* they lie the other way */
	bool	 beyond, few;		/* runs of B above all of A decide; there are too few pairs */
	bool	 no_effect;
};

static struct comparison compare(struct decision *d, const struct statistic *s, struct campaign *c, double margin)
{
	static const struct compare_config options;

	*c = (struct campaign){ .statistic = s, .nstatistics = 1, .n = d->n, .nreplicates = d->n, .nruns = 2 * d->n, .run = runs };
	return (struct comparison){
		.o = &options, .c = c, .d = d, .rule = { .alpha = 0.05, .margin = margin },
	};
}

static const char *after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	assert_non_null(at);
	return at + strlen(word);
}

/* The number that follows @word, with @unit behind it; where the rest begins. */
static const char *number(const char *text, const char *word, const char *unit, double *value)
{
	const char *from = after(text, word);
	char *end;

	*value = strtod(from, &end);
	assert_ptr_not_equal(end, from);
	assert_int_equal(strncmp(end, unit, strlen(unit)), 0);
	return end;
}

/* "3.817us", or "missed". */
static const char *size(const char *text, double *value)
{
	*value = INFINITY;
	return !strncmp(text, "missed", 6) ? text + 6 : number(text, "", "us", value) + 2;
}

/* "+8.84 %", or "more without bound". */
static const char *change(const char *text, double *value)
{
	*value = *text == 'm' ? INFINITY : -INFINITY;
	return !strncmp(text, "more without bound", 18) || !strncmp(text, "less without bound", 18) ? text + 18 :
	       number(text, "", " %", value) + 2;
}

/* Before the sides: "CPU 3 +32.0 %, margin 10.0 %; the worst CPU ". */
static const char *read_cpu(const char *text, struct printed *l)
{
	double nr;

	l->cpu_effect = l->cpu_margin = NAN;
	if (strncmp(text, "CPU ", 4))
		return text;
	text = change(number(text, "CPU ", " ", &nr) + 1, &l->cpu_effect);
	text = number(text, ", margin ", " %; ", &l->cpu_margin);
	return after(text, " %; ");
}

/* "p99.9(response): A 3.817us, B 4.154us: +8.84 % (+7.10 % to +9.20 %); margin 10.0 %" */
static struct printed read_values(const char *text)
{
	struct printed l = { .lower = -INFINITY, .upper = INFINITY };
	const char *rest = read_cpu(after(text, ": "), &l);
	double more;

	rest = size(after(rest, "A "), &l.from);
	rest = after(size(after(rest, ", B "), &l.to), ": ");
	l.beyond = strstr(rest, " runs of B above all of A");
	l.few = strstr(rest, ", but of too few pairs") || strstr(rest, " pairs missed on both sides");
	number(rest, "; margin ", " %", &l.margin);
	l.no_effect = !strncmp(rest, "no effect, missed on both sides", 31);
	if (!strncmp(rest, "missed in ", 10)) {
		number(number(rest, "missed in ", " of ", &l.effect), " runs of A, in ", " of B", &more);
		l.effect = more > l.effect ? INFINITY : -INFINITY;
		*(l.effect > 0 ? &l.lower : &l.upper) = l.effect;
		l.from = l.to = INFINITY;
	} else if (!l.no_effect) {
		l.the_pairs = !strncmp(rest, "but the pairs ", 14);
		rest += l.the_pairs ? 14 : strncmp(rest, "the other pairs ", 16) ? 0 : 16;
		rest = after(change(rest, &l.effect), " (");
		if (!strncmp(rest, "at least ", 9))
			change(rest + 9, &l.lower);
		else if (!strncmp(rest, "at most ", 8))
			change(rest + 8, &l.upper);
		else if (strncmp(rest, "no bounds)", 10))
			change(after(change(rest, &l.lower), " to "), &l.upper);
	}
	return l;
}

/* "20 of 320 000 in", or "none of 320 000": the share. */
static double read_side(const char *text)
{
	unsigned long long n[2] = { 0, 0 };
	unsigned int i = 0;

	if (!strncmp(text, "none of ", 8)) {
		text += 8;
		i = 1;
	}
	for (; *text != ',' && *text != ':' && strncmp(text, " in", 3); text++) {
		if (*text >= '0' && *text <= '9')
			n[i] = 10 * n[i] + (unsigned long long)(*text - '0');
		if (!strncmp(text, " of ", 4))
			i = 1;
	}
	return (double)n[0] / (double)n[1];
}

static struct printed read_events(const char *text)
{
	struct printed l = { .lower = -INFINITY, .cpu_effect = NAN };

	l.from = read_side(after(text, "A "));
	l.to = read_side(after(text, ", B "));
	number(number(number(strrchr(text, ':'), ": ", " %, at most ", &l.effect), " %, at most ", " %; margin ", &l.upper),
	       " %; margin ", " %", &l.margin);
	return l;
}

/* Of CPUs the worst of each run is compared. In some comparisons a run misses the quantile now and then. */
static void draw_values(struct decision *d, uint64_t *seed)
{
	double apart = 0.3 * sim_uniform(seed) * sim_uniform(seed), effect = 0.3 * sim_uniform(seed) - 0.1;
	double missed[2] = { 0, 0 };
	size_t i, k, ncpus = unit_random(seed) % 3 ? 1 : CPUS;
	unsigned int side;

	if (unit_random(seed) % 4 == 0)
		for (side = 0; side < 2; side++)
			missed[side] = unit_random(seed) % 2 ? 1.2 * sim_uniform(seed) : 0;
	*d = (struct decision){ .a = values[0], .b = values[1], .n = 5 + unit_random(seed) % (MOST_PAIRS - 4) };
	for (i = 0; i < d->n; i++)
		for (side = 0; side < 2; side++) {
			bool miss = sim_uniform(seed) < missed[side];

			values[side][i] = 0;
			for (k = 0; k < ncpus; k++) {
				/* the last one is the fastest, and gets slower most */
				double base = k ? 50000 - 8000.0 * (double)k : 50000, by = side ? effect * (1 + (double)k) : 0;

				cpu_values[side][k][i] = miss ? INFINITY : base * exp(by + apart * sim_gauss(seed));
				values[side][i] = fmax(values[side][i], cpu_values[side][k][i]);
			}
		}
	if (ncpus == 1)
		return;
	d->cpu_a = cpu_values[0][0];
	d->cpu_b = cpu_values[1][0];
	d->ncpus = ncpus;
	d->stride = MOST_PAIRS;
}

static void draw_events(struct decision *d, uint64_t *seed)
{
	double rate = 20 * sim_uniform(seed) * sim_uniform(seed), more = 3 * sim_uniform(seed) * sim_uniform(seed);
	uint64_t length = 1 + unit_random(seed) % 10;
	size_t i;

	*d = (struct decision){ .events_a = events[0], .events_b = events[1], .n = 5 + unit_random(seed) % (MOST_PAIRS - 4) };
	for (i = 0; i < d->n; i++) {
		events[0][i] = sim_events(SIM_WINDOWS, sim_poisson(seed, rate), length);
		events[1][i] = sim_events(SIM_WINDOWS, sim_poisson(seed, rate * more), length);
	}
}

/* How many of each verdict were seen, and how many by a CPU, by runs above all, of what is missed. */
static unsigned int seen[3], by_cpu, by_beyond, of_missed;

/* What the numbers of the line say. */
static void check_verdict(const struct printed *l, const struct decision *d, const char *text)
{
	bool by_one = l->cpu_effect > l->cpu_margin, ok = !l->no_effect && l->upper < l->margin;
	bool worse = !l->no_effect && (decision_of_events(d) ? l->effect > l->margin : l->lower > l->margin);
	bool held = !isnan(l->cpu_effect) || l->beyond || l->few || d->more;

	seen[d->verdict]++;
	by_cpu += !isnan(l->cpu_effect);
	by_beyond += l->beyond;
	of_missed += isinf(l->to);
	if (d->verdict == VERDICT_OK ? !ok || worse || held :
	    d->verdict == VERDICT_REGRESSION ? !(worse || by_one || l->beyond) || (ok && !held) :
	    (ok && !held) || (worse && !decision_of_events(d)))
		fail_msg("%s: %s", verdict_name(d->verdict), text);
}

TEST(test_values)
{
	struct statistic s = { .text = "p99.9(response)" };
	char text[COMPARE_LINE], why[COMPARE_LINE];
	struct comparison all;
	struct decision d;
	struct campaign c;
	struct printed l;
	uint64_t seed = 68;
	unsigned int i;
	double bound;

	memset(seen, 0, sizeof(seen));
	by_cpu = by_beyond = of_missed = 0;
	runs[0].r.cpu = measured;
	runs[0].r.ncpus = CPUS;
	for (i = 0; i < COMPARISONS; i++) {
		draw_values(&d, &seed);
		all = compare(&d, &s, &c, i % 2 ? 0.1 : 0.05);
		assert_int_equal(decide(&d, 1, &all.rule), 0);
		all.verdict = d.verdict;
		compare_headline(text, &all);
		l = read_values(text);
		check_verdict(&l, &d, text);
		/* sizes that are printed as equal have no sign */
		if (isfinite(l.to - l.from) &&
		    (l.the_pairs ? (l.to - l.from) * l.effect > 0 : (l.to - l.from) * l.effect < 0))
			fail_msg("%s", text);
		if (!l.no_effect && !(l.lower <= l.effect && l.effect <= l.upper))
			fail_msg("%s", text);
		/* the reason has the same numbers */
		compare_why(why, &all, 0);
		if (d.verdict == VERDICT_OK && isfinite(l.upper)) {
			number(why, "at most ", " %", &bound);
			assert_true(bound == l.upper);
		}
		if (d.verdict == VERDICT_REGRESSION && !l.beyond && isnan(l.cpu_effect) && isfinite(l.lower)) {
			number(why, "at least ", " %", &bound);
			assert_true(bound == l.lower);
		}
	}
	assert_true(seen[VERDICT_OK] > 100 && seen[VERDICT_REGRESSION] > 100 && seen[VERDICT_INCONCLUSIVE] > 100);
	assert_true(by_cpu > 20 && by_beyond > 20 && of_missed > 100);
	runs[0].r.cpu = NULL;
	runs[0].r.ncpus = 0;
}

/* What is counted is in instructions as well. */
TEST(test_counted)
{
	struct statistic s = { .text = "p50(wake)" };
	char text[COMPARE_LINE];
	struct comparison all;
	struct decision d;
	struct campaign c;
	size_t i;

	d = (struct decision){ .a = values[0], .b = values[1], .n = 8 };
	for (i = 0; i < d.n; i++) {
		values[0][i] = 4000;
		values[1][i] = 4057;
	}
	all = compare(&d, &s, &c, 0.01);
	assert_int_equal(decide(&d, 1, &all.rule), 0);
	all.verdict = d.verdict;
	runs[0].r.deterministic = true;
	assert_string_equal(compare_headline(text, &all), "p50(wake): A 4.000us, B 4.057us (+57 instructions): +1.43 % (+1.43 % to +1.43 %); margin 1.00 %");
	runs[0].r.deterministic = false;
}

TEST(test_events)
{
	struct statistic s = { .kind = STATISTIC_MISS_RATE, .text = "miss-rate" };
	char text[COMPARE_LINE];
	struct comparison all;
	struct decision d;
	struct campaign c;
	struct printed l;
	uint64_t seed = 69;
	unsigned int i;

	memset(seen, 0, sizeof(seen));
	for (i = 0; i < COMPARISONS; i++) {
		draw_events(&d, &seed);
		all = compare(&d, &s, &c, 0.1);
		assert_int_equal(decide(&d, 1, &all.rule), 0);
		all.verdict = d.verdict;
		compare_headline(text, &all);
		if (decision_has_none(&d)) {
			assert_contains(text, "miss-rate: none of ");
			continue;
		}
		l = read_events(text);
		check_verdict(&l, &d, text);
		if ((l.to - l.from) * l.effect < 0 || l.effect > l.upper)
			fail_msg("%s", text);
		if (fabs(100 * (l.to - l.from) - l.effect) > 0.006 * fabs(l.effect))
			fail_msg("%s", text);
	}
	assert_true(seen[VERDICT_OK] > 100 && seen[VERDICT_REGRESSION] > 100 && seen[VERDICT_INCONCLUSIVE] > 100);
}

UNIT_MAIN(NULL, NULL)
