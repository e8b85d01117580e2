/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Simulated runs, for how often a rule is right.
 *
 * A run has some 20000 windows on each CPU. The slowest percent is a Pareto tail whose
 * scale differs between runs as the model says. Its exponent gives p99.9 of a run a
 * standard deviation of 14 % by itself. Only the largest windows are drawn, by
 * exponential spacings (Renyi 1953). p99.9 is read from the histogram's buckets.
 */
#ifndef TLOB_TESTS_SIMULATION_H
#define TLOB_TESTS_SIMULATION_H

#include <math.h>

#include "compare/events.h"
#include "hist.h"
#include "unit.h"

enum { SIM_CPUS = 4, SIM_WINDOWS = 20000 };

#define SIM_EXPONENT	1.63
#define SIM_TAIL_NS	40000.0		/* p99 */
#define SIM_LATE_NS	1000000.0

struct model {
	const char *name;
	double	 run;			/* standard deviation of ln(scale) between runs */
	double	 drift;			/* of the step from each run to the next */
	double	 step;			/* ln(scale) grows by it at a random run, */
	bool	 throttled;		/* or at the middle of all runs */
	double	 ar;			/* share of the level that the next run keeps */
	double	 slow_boots;		/* every other run at random is slower by it */
	unsigned int cpus;		/* 0: one */
	double	 bad_cpu;		/* a random CPU of each run is slower by it */
	bool	 uneven;		/* 5000 to 40000 windows */
	double	 smi;			/* share of runs whose tail an SMI decides */
	double	 terrible;		/* share of B's runs that are 12 times slower */
	double	 missed[2];		/* share of A's and B's expiries */
	double	 late;			/* share of B's windows that take a millisecond; none is over the budget */
	bool	 deep;			/* p99.99 decides as well */
	unsigned int windows;		/* of a run; 0: SIM_WINDOWS */
	double	 smi_stays;		/* an SMI run is followed by one with this probability */
	double	 every_second;		/* every second run is slower by it */
	double	 noisier;		/* B's runs differ by so much more; their median is the same */
	bool	 trimodal;		/* a run is 1, 1.4 or 2.2 times as slow, by how memory lies */
	double	 exponent;		/* of the tail; 0: SIM_EXPONENT */
};

struct sim_run {
	double	 p999[SIM_CPUS];	/* ns, before bucketing; INFINITY: missed */
	double	 p9999;			/* p99.99 of the last CPU */
	double	 max;			/* of all CPUs */
	unsigned int missed;		/* expiries of the last CPU, each by itself, */
	unsigned int of;		/* of all of its */
};

/* State that runs inherit from runs before them. */
struct sim_series {
	const struct model *m;
	uint64_t *seed;
	double	 level;
	unsigned int at, step_at;
	bool	 odd, in_smi;
};

static inline double sim_uniform(uint64_t *seed)
{
	return ((double)(unit_random(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double sim_gauss(uint64_t *seed)
{
	return sqrt(-2 * log(sim_uniform(seed))) *
	       cos(2 * M_PI * sim_uniform(seed));
}

static inline unsigned int sim_poisson(uint64_t *seed, double mean)
{
	double left = exp(-mean);
	unsigned int n = 0;

	for (left = sim_uniform(seed) / left; left > 1 && n < 1000; n++)
		left *= sim_uniform(seed);
	return n;
}

/* Draws from the gamma distribution with this shape and scale 1 (Marsaglia & Tsang, ACM TOMS 26, 2000). */
static inline double sim_gamma(uint64_t *seed, double shape)
{
	double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / sqrt(9 * d), x, v;

	do {
		x = sim_gauss(seed);
		v = pow(1 + c * x, 3);
	} while (1 + c * x <= 0 || log(sim_uniform(seed)) >= x * x / 2 + d - d * v + d * log(v));
	return d * v * (shape < 1 ? pow(sim_uniform(seed), 1 / shape) : 1);
}

/* @runs: how many the series will have. */
static inline struct sim_series sim_begin(const struct model *m, uint64_t *seed,
					  unsigned int runs)
{
	struct sim_series s = { .m = m, .seed = seed };

	s.step_at = m->throttled ? runs / 2 : (unsigned int)(unit_random(seed) % runs);
	return s;
}

/* The level of the next run, which all of its CPUs share. */
static inline double sim_level(struct sim_series *s)
{
	const struct model *m = s->m;
	double x;

	s->level = (m->ar > 0 ? m->ar : 1) * s->level + m->drift * sim_gauss(s->seed);
	if (m->step > 0 && s->at++ == s->step_at)
		s->level += m->step;
	x = s->level + m->run * sim_gauss(s->seed);
	if (m->slow_boots > 0 && unit_random(s->seed) % 2)
		x += log1p(m->slow_boots);
	if (m->trimodal)
		x += log((const double[]){ 1, 1.4, 2.2 }[unit_random(s->seed) % 3]);
	s->odd = !s->odd;
	return x + (s->odd ? log1p(m->every_second) : 0);
}

/* Returns whether the next run has an SMI, which decides its tail. */
static inline bool sim_smi(struct sim_series *s)
{
	double share = s->in_smi ? fmax(s->m->smi, s->m->smi_stays) : s->m->smi;

	s->in_smi = sim_uniform(s->seed) < share;
	return s->in_smi;
}

/* The slowest windows of a CPU, one after the other: exponential spacings, and late ones among them. */
struct sim_tail {
	struct sim_series *s;
	double	 scale, sum, next;	/* ns; the next that is not late, 0: not drawn */
	unsigned int n, at, late;
};

static inline double sim_tail_next(struct sim_tail *t)
{
	double value, exponent = t->s->m->exponent > 0 ? t->s->m->exponent : SIM_EXPONENT;

	if (!(t->next > 0)) {
		t->sum -= log(sim_uniform(t->s->seed)) / (t->n - t->at++);
		t->next = t->scale * pow(0.01 / -expm1(-t->sum), 1 / exponent);
	}
	if (t->late && t->next < SIM_LATE_NS) {
		t->late--;
		return SIM_LATE_NS;
	}
	value = t->next;
	t->next = 0;
	return value;
}

/*
 * The quantiles of one CPU with the tail's scale @scale, and the maximum. -ln(1 - p) of the
 * k-th smallest p is a sum of k exponentials. Missed expiries are the latest.
 */
static inline void sim_cpu(struct sim_series *s, double scale, int side, unsigned int cpu, struct sim_run *run)
{
	const struct model *m = s->m;
	unsigned int n = m->uneven ? 5000 + (unsigned int)(unit_random(s->seed) % 35001) :
				     m->windows ? m->windows : SIM_WINDOWS;
	unsigned int lost = m->missed[side] > 0 ? sim_poisson(s->seed, m->missed[side] * n) : 0, i;
	struct sim_tail t = {
		.s = s, .scale = scale, .n = n, .at = lost,
		.late = side && m->late > 0 ? sim_poisson(s->seed, m->late * n) : 0,
	};
	double value;

	run->p999[cpu] = run->p9999 = INFINITY;
	for (i = lost; i <= n / 1000 || i == lost; i++) {
		value = sim_tail_next(&t);
		if (i == lost && value > run->max)
			run->max = value;
		if (i == n / 10000)
			run->p9999 = value;
		if (i == n / 1000)
			run->p999[cpu] = value;
	}
	run->missed = lost;
	run->of = n;
}

/* The next run of the series, of side 0 (A) or 1 (B). */
static inline void sim_next(struct sim_series *s, int side, struct sim_run *run)
{
	const struct model *m = s->m;
	unsigned int cpus = m->cpus ? m->cpus : 1, i;
	double x = sim_level(s), factor = 1;
	unsigned int bad = (unsigned int)(unit_random(s->seed) % cpus);

	*run = (struct sim_run){ .max = 0 };
	if (side && m->noisier > 0)
		x += m->noisier * sim_gauss(s->seed);
	if (sim_smi(s))
		factor *= 4 * pow(5, sim_uniform(s->seed));
	if (side && sim_uniform(s->seed) < m->terrible)
		factor *= 12;
	for (i = 0; i < cpus; i++) {
		sim_cpu(s, SIM_TAIL_NS * exp(x) * (m->bad_cpu > 0 && i == bad ? 1 + m->bad_cpu : 1), side, i, run);
		run->p999[i] *= factor;
	}
	run->p9999 *= factor;
	run->max *= factor;
}

/* The events of a run of @of expiries, which has @n bursts of @length each. */
static inline struct events sim_events(uint64_t of, uint64_t n, uint64_t length)
{
	struct events e = { .expiries = of, .late = n * length, .e = { .n = EPISODE_GAPS } };
	unsigned int i;

	for (i = 0; i < EPISODE_GAPS; i++)
		e.e.at[i] = (struct episode_row){
			.n = n, .longest = n ? length : 0, .squares = n * length * length,
		};
	return e;
}

/* As the histogram says it, when the CPU is slower by @effect. */
static inline double sim_seen(double ns, double effect)
{
	if (!isfinite(ns))
		return ns;
	return (double)tlob_hist_upper(tlob_hist_index((uint64_t)(ns * (1 + effect))));
}

static inline double sim_worst(const struct model *m, const struct sim_run *run,
			       double effect)
{
	double slowest = 0;
	unsigned int i;

	for (i = 0; i < (m->cpus ? m->cpus : 1); i++)
		slowest = fmax(slowest, sim_seen(run->p999[i], effect));
	return slowest;
}

#endif /* TLOB_TESTS_SIMULATION_H */
