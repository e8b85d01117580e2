// SPDX-License-Identifier: GPL-2.0
/*
 * How often validate is right with --miss P, by simulation: see tables.h. Episodes come at random, with
 * the same share of the expiries on each CPU in each phase, or on one CPU only. A phase has the fewest
 * expiries that validate accepts, or as many as it advises for a machine at half of P.
 */
#include <math.h>

#include "result/result.h"
#include "simulation.h"
#include "tables.h"
#include "validate/validate.h"

#define MISS		1e-4
#define PERIOD_NS	1000000.0
#define MOST_CPUS	16U

struct bursts {
	const char *name;
	double	 length;		/* in the mean */
	double	 pareto;		/* its shape; 0: all have that length */
};

static const struct bursts all_bursts[] = {
	{ "of 1", 1, 0 }, { "of 20", 20, 0 }, { "Pareto, shape 1.5, 15 in the mean", 15, 1.5 },
	{ "of 50", 50, 0 }, { "of 500", 500, 0 },
};

/* CPUs and phases */
static const struct machine {
	unsigned int cpus, phases;
} machines[] = { { 1, 1 }, { 4, 3 }, { MOST_CPUS, 10 } };

static const double shares[] = { 0.25, 0.5, 0.9, 1, 2 };	/* of MISS */

static struct tables tables;

static unsigned int draw_length(const struct bursts *b, double most, uint64_t *seed)
{
	if (!(b->pareto > 0))
		return (unsigned int)b->length;
	return (unsigned int)fmin(round(b->length * (1 - 1 / b->pareto) * pow(sim_uniform(seed), -1 / b->pareto)), most);
}

/* The episodes of one CPU in a phase of @of expiries, of which @share are over in the mean. */
static struct episodes draw(const struct bursts *b, double share, double of, uint64_t *seed)
{
	struct episode_track t;
	struct episode_piece p;
	double at = 0;

	episodes_begin(&t, (uint64_t)(EPISODE_PERIODS * PERIOD_NS));
	while ((at -= log(sim_uniform(seed)) * b->length / share) < of) {
		p.count = draw_length(b, of - at + 1, seed);
		p.from_ns = (uint64_t)(at * PERIOD_NS);
		p.to_ns = p.from_ns + (uint64_t)((double)(p.count - 1) * PERIOD_NS);
		if (p.from_ns > t.last_ns)
			episodes_add(&t, &p);
	}
	t.e.time_ns = (uint64_t)(of * PERIOD_NS);
	return t.e;
}

struct rates {
	unsigned int n[FITNESS_NOT + 1];
};

/* @alone: only on one CPU; on the others nothing is over. */
static struct rates judge(const struct bursts *b, const struct machine *m, double share, bool alone, double of,
			  unsigned int sets)
{
	static struct validate v;
	static struct result_cpu cpu[MOST_CPUS];
	uint64_t seed = tables_seed(&tables, 1);
	struct rates rates = { 0 };
	struct validate_phase *p;
	struct episodes e;
	bool exceeds;
	unsigned int i;

	v.miss = MISS;
	v.n = m->phases;
	for (; sets; sets--) {
		exceeds = false;
		for (p = v.phase; p < v.phase + v.n && !exceeds; p++) {
			p->r.cpu = cpu;
			p->r.ncpus = m->cpus;
			p->state = PHASE_DONE;
			p->nload = p->kept = true;
			p->exceeds = false;
			for (i = 0; i < m->cpus; i++) {
				cpu[i].windows = 1;
				e = draw(b, alone && i ? 1e-9 : share * MISS, of, &seed);
				validate_take_cpu(&v, p, &cpu[i], &e, (uint64_t)of);
			}
			/* more phases would not change that */
			exceeds = p->exceeds;
		}
		rates.n[validate_judge(&v)]++;
	}
	return rates;
}

/* False NOT FIT and false FIT in 5 % at most; FIT of half of P, with the expiries that are advised, in 95 %. */
static bool is_met(const struct rates *r, enum fitness fit, double share, bool advised, unsigned int sets)
{
	if (fit == FITNESS_NOT)
		return share > 1 || at_most_of(r->n[fit], sets, VALIDATE_ALPHA);
	if (share < 1)
		return !advised || share > 0.5 || at_least_of(r->n[fit], sets, 1 - VALIDATE_ALPHA);
	return at_most_of(r->n[fit], sets, VALIDATE_ALPHA);
}

static double advised(const struct bursts *b, const struct machine *m)
{
	return validate_windows_half(MISS, m->cpus * m->phases, b->pareto > 0 ? VALIDATE_EPISODE : b->length);
}

TEST(test_goals)
{
	const struct bursts *b;
	struct rates r;

	for (b = all_bursts; b < all_bursts + ARRAY_SIZE(all_bursts); b++) {
		/* if each of the 160 had its own 5 %, that would be 96 % with episodes of 50 */
		r = judge(b, &machines[2], 0.9, false, (double)validate_windows(MISS), 60);
		if (!is_met(&r, FITNESS_NOT, 0.9, false, 60))
			fail_msg("%s: NOT FIT in %u of 60 at 0.9 of P", b->name, r.n[FITNESS_NOT]);
		r = judge(b, &machines[1], 2, true, advised(b, &machines[1]), 60);
		if (!is_met(&r, FITNESS_FIT, 2, true, 60))
			fail_msg("%s: FIT in %u of 60 at 2 P on one CPU", b->name, r.n[FITNESS_FIT]);
		r = judge(b, &machines[1], 0.5, false, advised(b, &machines[1]), 60);
		if (!(b->pareto > 0) && !is_met(&r, FITNESS_FIT, 0.5, true, 60))
			fail_msg("%s: FIT in only %u of 60 at half of P", b->name, r.n[FITNESS_FIT]);
	}
}

static void print_row(const struct bursts *b, const struct machine *m, double share, bool alone)
{
	static const enum fitness columns[] = { FITNESS_FIT, FITNESS_NOT, FITNESS_UNDECIDED };
	unsigned int sets = tables.n;
	struct rates r;
	size_t i, k;

	/* half of the minutes are for these */
	if (m->cpus == MOST_CPUS && sets > 1)
		sets /= 2;
	printf("| %s | %u | %g%s |", b->name, m->cpus * m->phases, share, alone ? ", on one CPU" : "");
	for (i = 0; i < 2; i++) {
		r = judge(b, m, share, alone, i ? advised(b, m) : (double)validate_windows(MISS), sets);
		for (k = 0; k < ARRAY_SIZE(columns); k++)
			printf(" %s |", cell_of(100.0 * r.n[columns[k]] / sets,
						columns[k] == FITNESS_UNDECIDED || is_met(&r, columns[k], share, i, sets)).text);
	}
	putchar('\n');
}

static void print_table(void)
{
	const struct bursts *b;
	const struct machine *m;
	size_t i;

	puts("| episodes | CPUs x phases | share of P | fewest expiries: FIT % | NOT FIT % | UNDECIDED % | as many as advised: FIT % | NOT FIT % | UNDECIDED % |");
	puts("|---|---|---|---|---|---|---|---|---|");
	for (b = all_bursts; b < all_bursts + ARRAY_SIZE(all_bursts); b++)
		for (m = machines; m < machines + ARRAY_SIZE(machines); m++) {
			for (i = 0; i < ARRAY_SIZE(shares); i++)
				print_row(b, m, shares[i], false);
			if (m->cpus > 1)
				print_row(b, m, 2, true);
		}
}

int main(int argc, char **argv)
{
	if (tables_read(&tables, 2000, argc, argv))
		return 129;
	if (!tables.wanted)
		return unit_run(NULL, NULL);
	print_table();
	return 0;
}
