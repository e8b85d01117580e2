// SPDX-License-Identifier: GPL-2.0
/*
 * Which runs are replicates: runs that share boots, sides that came one after the other. Simulated
 * comparisons, decided by the code that decides real ones. tables.h has what --tables does.
 */
#include <errno.h>
#include "sample.h"
#include "simulation.h"
#include "tables.h"
#include "compare/campaign.h"
#include "result/stats.h"

enum { CAMPAIGNS = 2000, FEW = 250, MOST_PAIRS = 40, BEGIN = 1700000000 };

static struct tables tables = { .n = FEW };

static const struct statistic p999 = {
	.kind = STATISTIC_QUANTILE, .metric = TLOB_METRIC_RESPONSE, .ppm = 999000,
	.text = "p99.9(response)",
};

/* @n runs of each side, without files. */
static struct campaign new_campaign(size_t n)
{
	struct campaign c = { .statistic = &p999, .nstatistics = 1, .n = n, .nruns = 2 * n };
	size_t i, pair;

	c.run = calloc(c.nruns, sizeof(*c.run));
	assert_non_null(c.run);
	for (i = 0; i < c.nruns; i++) {
		c.run[i].path = "run";
		c.run[i].value[0] = 1000;
		c.run[i].resolution[0] = 1.0 / TLOB_HIST_SUB;
		c.run[i].r.cpus = sample_text("0");
		c.run[i].r.ncpus = 1;
		c.run[i].r.cpu = calloc(1, sizeof(*c.run[i].r.cpu));
		assert_non_null(c.run[i].r.cpu);
		/* in pairs, in which A and B come first by turns */
		pair = i < n ? i : i - n;
		c.run[i].r.started = BEGIN + (time_t)(200 * pair + ((i < n) == !(pair % 2) ? 0 : 100));
	}
	return c;
}

static void set_boot(struct campaign *c, size_t run, unsigned int boot)
{
	char text[16];

	snprintf(text, sizeof(text), "boot %u", boot);
	free(c->run[run].r.boot_id);
	c->run[run].r.boot_id = sample_text(text);
}

static void group(struct campaign *c)
{
	free(c->replicate);
	assert_int_equal(campaign_group(c, false), 0);
}

TEST(test_boots)
{
	struct campaign c = new_campaign(8);
	size_t i;

	/* no boot is known */
	group(&c);
	assert_int_equal(c.nreplicates, 8);
	assert_false(c.one_boot);
	assert_null(c.notes);
	for (i = 0; i < 16; i++)
		set_boot(&c, i, 0);
	group(&c);
	assert_int_equal(c.nreplicates, 8);
	assert_true(c.one_boot);
	/* both runs of a pair share one */
	for (i = 0; i < 16; i++)
		set_boot(&c, i, i % 8 / 2);
	group(&c);
	assert_int_equal(c.nreplicates, 8);
	assert_false(c.one_boot);
	/* a boot for each run, as in the laboratory */
	for (i = 0; i < 16; i++)
		set_boot(&c, i, (unsigned int)i);
	group(&c);
	assert_int_equal(c.nreplicates, 8);
	assert_null(c.notes);
	/* boots of one side each */
	for (i = 0; i < 16; i++)
		set_boot(&c, i, (unsigned int)i / 4);
	group(&c);
	assert_int_equal(c.nreplicates, 2);
	assert_int_equal(c.replicate[3], 0);
	assert_int_equal(c.replicate[4], 1);
	assert_int_equal(c.replicate[15], 1);
	assert_string_equal(c.notes[0], "runs that share a boot count as one: 8 runs of 2 boots a side are 2 pairs");
	/* one side has one boot more: its last boot is left out */
	set_boot(&c, 7, 99);
	group(&c);
	assert_int_equal(c.nreplicates, 2);
	assert_int_equal(c.replicate[7], 2);
	assert_contains(c.notes[1], "3 boots of A and 2 of B are 2 pairs, without the last boot of A");
	set_boot(&c, 7, 1);
	set_boot(&c, 15, 99);
	group(&c);
	assert_int_equal(c.nreplicates, 2);
	assert_contains(c.notes[2], "2 boots of A and 3 of B are 2 pairs, without the last boot of B");
	set_boot(&c, 14, 98);
	free(c.replicate);
	c.replicate = NULL;
	assert_int_equal(campaign_group(&c, false), -EINVAL);
	free(c.replicate);
	c.replicate = NULL;
	assert_int_equal(campaign_group(&c, true), 0);
	assert_int_equal(c.nreplicates, 8);
	assert_non_null(c.differences);
	campaign_free(&c);
}

static enum decision_verdict verdict(struct campaign *c, double margin, struct sequential *at)
{
	struct rule rule = { .alpha = 0.05, .margin = margin };
	struct decision d;

	assert_int_equal(campaign_decide(c, &rule, &d, at), 0);
	campaign_decided(&d, 1);
	return d.verdict;
}

/* A = B, in boots of one side that differ from each other. */
struct shared {
	const char *name;
	size_t	 runs, boots;		/* of a boot, and of a side */
	double	 sd, margin;		/* of boots; 0: the default */
	bool	 sequential;
};

static const struct shared shared[] = {
	{ "10 runs a boot, boots differ by 10 %", 10, 8, 0.1, 0, false },
	{ "10 runs a boot, boots differ by 10 %, margin 5 %", 10, 8, 0.1, 0.05, false },
	{ "10 runs a boot, boots differ by 10 %, sequential", 10, 8, 0.1, 0.05, true },
	{ "5 runs a boot, boots differ by 20 %", 5, 8, 0.2, 0, false },
	{ "5 runs a boot, boots differ by 20 %, margin 5 %", 5, 8, 0.2, 0.05, false },
	{ "5 runs a boot, boots differ by 20 %, sequential", 5, 8, 0.2, 0.05, true },
};

/* Counts the comparisons that are a REGRESSION. */
static unsigned int false_alarms(struct campaign *c, const struct shared *m)
{
	uint64_t seed = tables_seed(&tables, 7);
	unsigned int found = 0, k;
	struct sequential at;
	double boot = 0;
	size_t i;

	for (k = 0; k < tables.n; k++) {
		for (i = 0; i < c->nruns; i++) {
			if (i % m->runs == 0)
				boot = m->sd * sim_gauss(&seed);
			c->run[i].value[0] = 1000 * exp(boot + 0.1 * sim_gauss(&seed));
		}
		found += verdict(c, m->margin, m->sequential ? &at : NULL) == VERDICT_REGRESSION;
	}
	return found;
}

/* @naive: the same if each run is taken for a replicate. */
static unsigned int try_shared(const struct shared *m, unsigned int *naive)
{
	size_t n = m->runs * m->boots, i;
	struct campaign c = new_campaign(n);
	unsigned int found;

	for (i = 0; i < c.nruns; i++)
		set_boot(&c, i, (unsigned int)(i / m->runs));
	group(&c);
	assert_int_equal(c.nreplicates, m->boots);
	found = false_alarms(&c, m);
	for (i = 0; i < c.nruns; i++)
		c.replicate[i] = i % n;
	c.nreplicates = n;
	*naive = false_alarms(&c, m);
	campaign_free(&c);
	return found;
}

TEST(test_shared_boots)
{
	unsigned int found, naive, alarms = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shared); i++) {
		found = try_shared(&shared[i], &naive);
		assert_true(at_most_of(found, tables.n, 0.01));
		alarms += naive;
	}
	assert_true(alarms > ARRAY_SIZE(shared) * tables.n / 20);
}

static void print_shared_boots(void)
{
	unsigned int found, naive;
	size_t i;

	puts("| A = B, 8 boots a side of one side each | REGRESSION % | if each run were a replicate |\n|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(shared); i++) {
		found = try_shared(&shared[i], &naive);
		printf("| %s | %s | %.1f |\n", shared[i].name, at_most_cell(found, tables.n, 0.01).text, 100.0 * naive / tables.n);
	}
}

/* Runs @from to before @to of side @b get the next places in time. */
static void place(struct campaign *c, bool b, size_t from, size_t to, unsigned int *at)
{
	for (; from < to; from++)
		c->run[b * c->n + from].r.started = BEGIN + 60 * (time_t)(*at)++;
}

/* Orders of 20 runs a side: as tlob-load plan makes them, with nearly all of A first, and in turn. */
enum order { PLANNED, A_FIRST, IN_TURN, BY_FIVES, NR_ORDERS };

static void put_in_order(struct campaign *c, enum order order, uint64_t *seed)
{
	unsigned int at = 0;
	bool b;
	size_t i;

	if (order == A_FIRST) {
		place(c, false, 0, 19, &at);
		place(c, true, 0, 20, &at);
		place(c, false, 19, 20, &at);
		return;
	}
	for (i = 0; order == BY_FIVES && i < c->n; i += 5) {
		place(c, false, i, i + 5, &at);
		place(c, true, i, i + 5, &at);
	}
	for (i = 0; order != BY_FIVES && i < c->n; i++) {
		b = order == PLANNED && unit_random(seed) % 2;
		place(c, b, i, i + 1, &at);
		place(c, !b, i, i + 1, &at);
	}
}

/* Clears the doubt, and returns what its reason was. */
static const char *forget(struct campaign *c)
{
	static char why[400];

	snprintf(why, sizeof(why), "%s", c->doubt == DOUBT_ORDER ? c->why : "");
	free(c->why);
	c->why = NULL;
	c->doubt = DOUBT_NONE;
	return why;
}

struct ordered {
	unsigned int flagged, regression, unchecked;
};

/*
 * A = B, which drift by 5 % a run, and in turn every second run is 1.5 times as long; @unchecked: how
 * often it is a REGRESSION whatever the order.
 */
static struct ordered try_order(enum order order)
{
	struct campaign c = new_campaign(20);
	uint64_t seed = tables_seed(&tables, 3);
	struct ordered o = { 0 };
	unsigned int k;
	size_t i, nth;

	group(&c);
	for (k = 0; k < tables.n; k++) {
		put_in_order(&c, order, &seed);
		for (i = 0; i < c.nruns; i++) {
			nth = (size_t)(c.run[i].r.started - BEGIN) / 60;
			c.run[i].value[0] = 1000 * exp(0.05 * (double)nth + 0.1 * sim_gauss(&seed)) *
					    (order == IN_TURN && nth % 2 ? 1.5 : 1);
		}
		forget(&c);
		o.unchecked += verdict(&c, 0, NULL) == VERDICT_REGRESSION;
		assert_int_equal(campaign_order(&c, false), 0);
		o.flagged += c.doubt == DOUBT_ORDER;
		o.regression += verdict(&c, 0, NULL) == VERDICT_REGRESSION;
		notes_free(c.notes);
		c.notes = NULL;
	}
	campaign_free(&c);
	return o;
}

static void print_order(void)
{
	static const char *const names[NR_ORDERS] = {
		"each pair in random order", "19 A, 20 B, 1 A", "A and B in turn, every second run 1.5 times as long",
		"5 A, 5 B, four times",
	};
	struct ordered o;
	size_t i;

	puts("\n| A = B, drift of 5 % a run, 20 pairs | order seen % | REGRESSION % | if the order were not looked at |\n|---|---|---|---|");
	for (i = 0; i < NR_ORDERS; i++) {
		o = try_order((enum order)i);
		printf("| %s | %.1f | %s | %.1f |\n", names[i], 100.0 * o.flagged / tables.n,
		       at_most_cell(o.regression, tables.n, 0.01).text, 100.0 * o.unchecked / tables.n);
	}
}

TEST(test_order)
{
	struct campaign c = new_campaign(20);
	unsigned int at = 0, order;
	struct ordered o;
	size_t i;

	for (order = A_FIRST; order < NR_ORDERS; order++) {
		o = try_order((enum order)order);
		assert_int_equal(o.flagged, tables.n);
		assert_int_equal(o.regression, 0);
		assert_true(o.unchecked > tables.n / 20);
	}
	o = try_order(PLANNED);
	assert_int_equal(o.flagged, 0);
	assert_true(at_most_of(o.regression, tables.n, 0.01));
	/* one pair in the other order says that the order is not the side's */
	group(&c);
	for (i = 0; i < c.n; i++) {
		place(&c, true, i, i + 1, &at);
		place(&c, false, i, i + 1, &at);
	}
	assert_int_equal(campaign_order(&c, false), 0);
	assert_string_equal(forget(&c), "B came first in each pair, so what drifts, or alternates from run to run, can look like an effect");
	assert_int_equal(campaign_order(&c, true), 0);
	assert_int_equal(c.doubt, DOUBT_NONE);
	assert_contains(c.differences[0], "B came first in each pair");
	campaign_a(&c, 7)->r.started -= 90;
	campaign_b(&c, 7)->r.started += 90;
	assert_int_equal(campaign_order(&c, false), 0);
	assert_int_equal(c.doubt, DOUBT_NONE);
	campaign_free(&c);
}

/* Each CPU has its own values and events: the quiet one of two gets worse, which the worst one of a run hides. */
TEST(test_each_cpu)
{
	struct statistic both[2] = { p999, { .kind = STATISTIC_MISS_RATE, .text = "miss-rate" } };
	struct campaign c = new_campaign(12);
	struct rule rule = { .alpha = 0.05, .ok_alpha = 0.05 };
	struct decision d[2];
	size_t i;

	c.statistic = both;
	c.nstatistics = 2;
	for (i = 0; i < c.nruns; i++) {
		struct campaign_run *run = &c.run[i];

		run->r.ncpus = 2;
		run->cpu[0] = calloc(2, sizeof(double));
		run->cpu_events = calloc(2, sizeof(*run->cpu_events));
		assert_true(run->cpu[0] && run->cpu_events);
		run->cpu[0][0] = run->value[0];
		run->cpu[0][1] = i < c.n ? 100 : 200;
		run->cpu_events[0].expiries = run->cpu_events[1].expiries = 1000;
		run->events.expiries = 2000;
		run->cpu_events[1].late = run->events.late = i >= c.n;
	}
	group(&c);
	assert_int_equal(campaign_decide(&c, &rule, d, NULL), 0);
	assert_int_equal(d[0].cpus_worse, 1);
	assert_int_equal(d[0].worst_cpu, 1);
	assert_true(d[0].cpu_effect > log(1.9));
	for (i = 0; i < c.n; i++) {
		assert_int_equal(d[1].cpu_events_a[i].expiries, 1000);
		assert_int_equal(d[1].cpu_events_b[i].late, 0);
		assert_int_equal(d[1].cpu_events_b[d[1].stride + i].late, 1);
		assert_int_equal(d[1].events_b[i].expiries, 2000);
	}
	campaign_decided(d, 2);
	/* the sample has one */
	for (i = 0; i < c.nruns; i++)
		c.run[i].r.ncpus = 1;
	campaign_free(&c);
}

/* A clock that was never set, or set back while a run was made, does not show the order. */
TEST(test_clock_not_set)
{
	struct campaign c = new_campaign(8);
	size_t i;

	for (i = 0; i < c.nruns; i++) {
		c.run[i].r.host = sample_text("h");
		c.run[i].r.duration_ns = 100000000000;
	}
	group(&c);
	assert_int_equal(campaign_order(&c, false), 0);
	assert_int_equal(c.doubt, DOUBT_NONE);
	/* two seconds early: one could be rounding */
	campaign_b(&c, 2)->r.started -= 2;
	assert_int_equal(campaign_order(&c, false), 0);
	assert_contains(forget(&c), "its clock was set meanwhile");
	/* runs of two machines do overlap */
	free(campaign_b(&c, 2)->r.host);
	campaign_b(&c, 2)->r.host = sample_text("i");
	assert_int_equal(campaign_order(&c, false), 0);
	assert_int_equal(c.doubt, DOUBT_NONE);
	campaign_b(&c, 2)->r.started = 5;
	assert_int_equal(campaign_order(&c, false), 0);
	assert_contains(forget(&c), "began before 2020");
	assert_int_equal(campaign_order(&c, true), 0);
	assert_int_equal(c.doubt, DOUBT_NONE);
	assert_contains(c.differences[0], "began before 2020");
	campaign_free(&c);
}

/* Short runs began in the same second. Either they do not fit into it, or their order is not known. */
TEST(test_same_second)
{
	struct campaign c = new_campaign(8);
	size_t i;

	/* in pairs, one in each second: each pair's order is not known, that of the sides is */
	for (i = 0; i < c.nruns; i++) {
		c.run[i].r.host = sample_text("h");
		c.run[i].r.duration_ns = 400000000;
		c.run[i].r.started = BEGIN + (time_t)(i % 8);
	}
	group(&c);
	assert_int_equal(campaign_order(&c, false), 0);
	assert_int_equal(c.doubt, DOUBT_NONE);
	for (i = 0; i < c.nruns; i++)
		c.run[i].r.started = BEGIN;
	assert_int_equal(campaign_order(&c, false), 0);
	assert_contains(forget(&c), "its clock was set meanwhile");
	/* so short that they fit */
	for (i = 0; i < c.nruns; i++)
		c.run[i].r.duration_ns = 60000000;
	assert_int_equal(campaign_order(&c, false), 0);
	assert_contains(forget(&c), "not known whether one side came first");
	assert_int_equal(campaign_order(&c, true), 0);
	assert_int_equal(c.doubt, DOUBT_NONE);
	assert_contains(c.differences[0], "in the same second");
	campaign_free(&c);
}

/* One run without the id of its boot must not make replicates of the others. */
TEST(test_boot_missing)
{
	struct campaign c = new_campaign(4);
	size_t i;

	for (i = 0; i < c.nruns; i++)
		set_boot(&c, i, i < 4 ? 0 : 1);
	free(c.run[6].r.boot_id);
	c.run[6].r.boot_id = NULL;
	assert_int_equal(campaign_group(&c, false), -EINVAL);
	free(c.replicate);
	assert_int_equal(campaign_group(&c, true), 0);
	assert_int_equal(c.nreplicates, 4);
	assert_contains(c.differences[0], "has no boot_id");
	campaign_free(&c);
}

int main(int argc, char **argv)
{
	if (tables_read(&tables, argc > 1 ? CAMPAIGNS : FEW, argc, argv))
		return 129;
	if (!tables.wanted)
		return unit_run(NULL, NULL);
	print_shared_boots();
	print_order();
	return 0;
}
