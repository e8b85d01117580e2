// SPDX-License-Identifier: GPL-2.0
/*
 * Values of the statistics for test_reference.sh, which computes the same with scipy: with
 * --values one JSON array a line, [NAME, ARGUMENT..., VALUE...]. Without, a test that the
 * cases prove something: verdicts of both kinds are among them.
 */
#include <math.h>

#include "unit.h"
#include "compare/decision.h"
#include "result/stats.h"

enum { SAMPLES = 60, FAMILIES = 60, METRICS = 4, MOST_PAIRS = 40 };

#define ALPHA	0.05
#define MARGIN	0.05

static double uniform(uint64_t *seed)
{
	return ((double)(unit_random(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(uint64_t *seed)
{
	return stats_normal_quantile(uniform(seed));
}

static void print_list(const double x[], size_t n)
{
	size_t i;

	putchar('[');
	for (i = 0; i < n; i++)
		printf("%s%.17g", i ? ", " : "", x[i]);
	putchar(']');
}

static void print_distributions(void)
{
	static const double p[] = { 1e-12, 1e-6, 0.01, 0.05, 0.3, 0.5, 0.9, 0.9995 };
	static const struct { uint64_t k, n; double q; } binomial[] = {
		{ 0, 10, 0.5 }, { 7, 10, 0.5 }, { 2990, 2995, 0.999 }, { 2994, 2995, 0.999 },
		{ 999, 1000000, 0.001 }, { 1100, 1000000, 0.001 }, { 40, 48, 0.3 },
		{ 99990, 100000, 0.9999 }, { 1, 300, 0.01 },
	};
	unsigned int i, df;

	for (i = 0; i < ARRAY_SIZE(p); i++)
		printf("[\"normal\", %.17g, %.17g]\n", p[i], stats_normal_quantile(p[i]));
	for (df = 4; df < 60; df += 5)
		for (i = 2; i < ARRAY_SIZE(p); i++)
			printf("[\"student\", %.17g, %u, %.17g]\n", p[i], df,
			       stats_t_quantile(p[i], df));
	for (i = 0; i < ARRAY_SIZE(binomial); i++)
		printf("[\"binomial\", %llu, %llu, %.17g, %.17g]\n",
		       (unsigned long long)binomial[i].k,
		       (unsigned long long)binomial[i].n, binomial[i].q,
		       stats_binomial_cdf(binomial[i].k, binomial[i].n, binomial[i].q));
	for (i = 1; i <= 40; i++)
		printf("[\"beyond\", %u, %u, %.17g]\n", i, i / 3, stats_beyond(i, i / 3));
}

static void print_ranks(void)
{
	static const double q[] = { 0.01, 0.5, 0.9, 0.99, 0.999 };
	static const double alpha[] = { 0.01, 0.05, 0.1 };
	struct rank_interval r;
	unsigned int i, k;
	uint64_t n;

	for (i = 0; i < ARRAY_SIZE(q); i++)
		for (k = 0; k < ARRAY_SIZE(alpha); k++) {
			printf("[\"fewest\", %.17g, %.17g, %llu]\n", q[i], alpha[k],
			       (unsigned long long)stats_fewest_samples(q[i], alpha[k]));
			for (n = 3; n < 2000000; n *= 7) {
				r = stats_quantile_ranks(n, q[i], alpha[k]);
				printf("[\"ranks\", %llu, %.17g, %.17g, %llu, %llu]\n",
				       (unsigned long long)n, q[i], alpha[k],
				       (unsigned long long)r.lower,
				       (unsigned long long)r.upper);
			}
		}
}

static void print_signed_rank(void)
{
	static const double alpha[] = { 0.1, 0.05, 0.0125 };
	double d[MOST_PAIRS], theta;
	uint64_t seed = 14;
	struct walsh w;
	size_t i, k, n;

	for (i = 0; i < SAMPLES; i++) {
		n = 8 + unit_random(&seed) % (MOST_PAIRS - 7);
		theta = 0.2 * gauss(&seed);
		for (k = 0; k < n; k++)
			d[k] = 0.1 + gauss(&seed);
		assert_int_equal(walsh_init(&w, d, n), 0);
		fputs("[\"signed-rank\", ", stdout);
		print_list(d, n);
		printf(", %.17g, %.17g, %.17g", theta, walsh_p_above(&w, theta),
		       walsh_estimate(&w));
		for (k = 0; k < ARRAY_SIZE(alpha); k++)
			printf(", [%.17g, %.17g, %.17g]", alpha[k],
			       walsh_lower(&w, alpha[k]), walsh_upper(&w, alpha[k]));
		puts("]");
		walsh_free(&w);
	}
}

/*
 * Metrics of one comparison. A's first run is far above all others, so no run of B lies
 * beyond all of A: the signed-rank test alone decides.
 */
struct family {
	size_t	 n;
	double	 value[2][METRICS][MOST_PAIRS];
	struct decision d[METRICS];
};

static void make_family(struct family *f, uint64_t *seed)
{
	const struct rule rule = { .alpha = ALPHA, .margin = MARGIN };
	double effect, level;
	unsigned int m;
	size_t i;

	f->n = 10 + unit_random(seed) % (MOST_PAIRS - 9);
	memset(f->d, 0, sizeof(f->d));
	for (m = 0; m < METRICS; m++) {
		effect = 0.05 + 0.25 * uniform(seed);
		for (i = 0; i < f->n; i++) {
			level = i ? gauss(seed) : 20;
			f->value[0][m][i] = exp(level);
			f->value[1][m][i] = exp(level + effect + 0.3 * gauss(seed) - (i ? 0 : 4));
		}
		f->d[m].a = f->value[0][m];
		f->d[m].b = f->value[1][m];
		f->d[m].n = f->n;
	}
	assert_int_equal(decide(f->d, METRICS, &rule), 0);
}

static void print_families(void)
{
	struct family f;
	uint64_t seed = 15;
	unsigned int i, m;

	for (i = 0; i < FAMILIES; i++) {
		make_family(&f, &seed);
		printf("[\"holm\", %.17g, %.17g, [", (1 - DECISION_GUARD) * ALPHA, MARGIN);
		for (m = 0; m < METRICS; m++) {
			fputs(m ? ", [" : "[", stdout);
			print_list(f.d[m].a, f.n);
			fputs(", ", stdout);
			print_list(f.d[m].b, f.n);
			printf(", %.17g, %s]", f.d[m].p,
			       f.d[m].verdict == VERDICT_REGRESSION ? "true" : "false");
		}
		puts("]]");
	}
}

/* Bursts of one length, in runs that are not equally long, so that no two rates are equal. */
static void draw_events(struct events *e, uint64_t *seed, uint64_t most, uint64_t length)
{
	uint64_t n = unit_random(seed) % (most + 1);
	unsigned int i;

	*e = (struct events){ .expiries = 20000 + unit_random(seed) % 20000, .late = n * length };
	e->e.n = EPISODE_GAPS;
	for (i = 0; i < EPISODE_GAPS; i++)
		e->e.at[i] = (struct episode_row){
			.n = n, .longest = n ? length : 0, .squares = n * length * length,
		};
}

static void print_events(void)
{
	struct events side[2][MOST_PAIRS];
	struct events_found f;
	uint64_t seed = 16, length;
	unsigned int i, k, n;

	for (i = 0; i < FAMILIES; i++) {
		n = 8 + (unsigned int)(unit_random(&seed) % 12);
		length = 1 + unit_random(&seed) % 30;
		for (k = 0; k < n; k++) {
			draw_events(&side[0][k], &seed, i % 3 ? 20 : 0, length);
			draw_events(&side[1][k], &seed, 20 + i, length);
		}
		assert_int_equal(events_compare(&f, side[0], side[1], n, 0.1, ALPHA), 0);
		printf("[\"events\", %llu, [", (unsigned long long)length);
		for (k = 0; k < 2 * n; k++)
			printf("%s[%llu, %llu]", k ? ", " : "",
			       (unsigned long long)side[k / n][k % n].e.at[0].n,
			       (unsigned long long)side[k / n][k % n].expiries);
		printf("], 0.1, %.17g, %.17g, %.17g]\n", ALPHA, f.p, f.upper);
	}
}

/* Some of several metrics got worse, so the order of Holm's procedure matters. */
TEST(test_cases)
{
	unsigned int found[METRICS + 1] = { 0 }, i, m, worse;
	struct family f;
	uint64_t seed = 15;

	for (i = 0; i < FAMILIES; i++) {
		make_family(&f, &seed);
		for (m = 0, worse = 0; m < METRICS; m++) {
			assert_int_equal(f.d[m].beyond, 0);
			worse += f.d[m].verdict == VERDICT_REGRESSION;
		}
		found[worse]++;
	}
	for (i = 0; i <= METRICS; i++)
		assert_true(found[i] > 0);
}

int main(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "--values"))
		return unit_run(NULL, NULL);
	print_distributions();
	print_ranks();
	print_signed_rank();
	print_families();
	print_events();
	return 0;
}
