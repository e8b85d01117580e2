/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditions on a window (--stop-on 'wake>50us') and on a result
 * (--assert 'p99.9(response)<50us'). Pure: no I/O.
 *
 *	condition  = quantity op value
 *	op         = < <= > >= == !=
 *	quantity   = metric                     --stop-on
 *	           | counter                    --assert
 *	           | stat ( metric )            --assert
 *	           | episodes/h                 --assert, with < <= > >= only
 *	metric     = irq wake response wake.irq_delay ... work.hw
 *	           | func.NAME                  a set of --functions
 *	stat       = min avg max p50 ... p99.999 (pNN[.NNNN], 0 < NN <= 100)
 *	           | es99 ... (esNN[.NNNN], 0 < NN < 100)
 *	counter    = a counter of counters.h that is flagged FIELD_ASSERT
 *	value      = a duration for metrics and counters of time, else a count
 *
 * `attach` has the same words, without the parts that it cannot measure, irq and wake.
 *
 * "episodes/h<100" holds if with 95 % confidence fewer are to be expected: their bound is
 * compared, not the number that was found. It assumes that the episodes of two gaps are
 * independent: see episodes_per_hour().
 *
 * --stop-on also takes the counter `violations` ("violations>0").
 * White space between the tokens is allowed.
 */
#ifndef TLOB_RESULT_CONDITION_H
#define TLOB_RESULT_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>
#include "result/counters.h"
#include "result/functions.h"

struct episodes;
struct result;
struct result_cpu;
struct tlob_hist;

#define CONDITIONS_MAX	32		/* of one kind in a command line */

enum condition_op { CONDITION_LT, CONDITION_LE, CONDITION_GT, CONDITION_GE, CONDITION_EQ, CONDITION_NE };
enum condition_stat {
	STAT_NONE, STAT_MIN, STAT_AVG, STAT_MAX, STAT_QUANTILE,
	STAT_SHORTFALL,			/* expected shortfall: the mean beyond a quantile */
};

/* The metrics and counters that a condition can name. */
struct condition_words {
	const char * const *metrics;
	int	 nmetrics;
	int	 first_part;		/* bit i of unavailable: metric first_part + i */
	uint32_t never;			/* bit i: metric i is never measured */
	const struct fields *counters;
	unsigned int without;		/* counters with this flag are of the other command */
	bool	 functions;		/* func.NAME is also a metric */
};

/* The last one is for what results of either are compared by. */
extern const struct condition_words condition_run_words, condition_attach_words, condition_compare_words;

struct condition {
	const struct condition_words *words;
	const char *text;		/* as given */
	/* Index of words->metrics, or -1: a counter. A set: words->nmetrics and its index. */
	int	 metric;
	char	 function[FUNCTION_SET_NAME]; /* the set of func.NAME, or "" */
	int	 counter;		/* index of words->counters->field, or -1 */
	bool	 episodes;		/* the bound of episodes/h; metric and counter are -1 */
	enum condition_stat stat;
	unsigned int ppm;		/* STAT_QUANTILE, STAT_SHORTFALL: p99.9 = 999000 */
	enum condition_op op;
	uint64_t value;			/* ns, or a count */
};

/*
 * Parse a condition of --stop-on (window) or --assert (result). The condition keeps
 * a pointer to @text. 0, or -EINVAL with one line in @err: the wrong token, and
 * what could stand there.
 */
int condition_parse_window(struct condition *e, const char *text, char *err,
		      unsigned int size);
int condition_parse_result(struct condition *e, const char *text, char *err,
		      unsigned int size);
int condition_parse_words(struct condition *e, const struct condition_words *words,
		     const char *text, char *err, unsigned int size);

/* @set is the set with that index: if it is the one of func.NAME, @e knows it now. */
bool condition_bind(struct condition *e, const char *set, unsigned int index);

/*
 * True if the window meets the condition. @f: its time in functions; NULL, or lost: it
 * meets no condition on them.
 */
bool condition_window(const struct condition *e, const struct tlob_window *w);
bool condition_window_functions(const struct condition *e, const struct tlob_window *w,
				const struct window_functions *f);

static inline bool condition_is_function(const struct condition *e)
{
	return *e->function;
}

/* True if the condition compares a part in @unavailable, or what needs one. */
bool condition_is_blind(const struct condition *e, uint32_t unavailable);

/* True if a violation alone meets the condition: "violations>0". */
bool condition_violation(const struct condition *e);

enum condition_outcome {
	CONDITION_TRUE,
	CONDITION_FALSE,
	CONDITION_UNDECIDED,	/* no sample, not measured here, or too few for the quantile */
};

/*
 * Evaluates over all CPUs (@r->all) and, for metrics, on each CPU: an upper bound
 * must hold on the worst CPU, not only in the mixture. @value gets the number that
 * was compared, @cpu its CPU (-1: all). With fewer samples than condition_fewest() the
 * outcome is CONDITION_UNDECIDED, which never passes.
 */
enum condition_outcome condition_result(const struct condition *e, const struct result *r,
			      uint64_t *value, int *cpu);

/* The numbers of one measurement. */
struct condition_data {
	const void *counters;
	const struct tlob_hist *hist;	/* [words->nmetrics] */
	uint32_t unavailable;
	const struct result_cpu *cpu;	/* whose missed expiries count, or NULL */
	const struct function_totals *functions; /* NULL: none */
	const struct episodes *episodes; /* NULL: not counted */
};

/* The value of a quantile among the missed expiries: later than any window. */
#define CONDITION_MISSED	UINT64_MAX

/* Evaluates @d alone. @value is set unless the outcome is CONDITION_UNDECIDED. */
enum condition_outcome condition_data(const struct condition *e, const struct condition_data *d,
			    uint64_t *value);

/* The fewest values that decide @e: what a comparison needs, too, for a quantile or a shortfall. */
uint64_t condition_fewest(const struct condition *e);

/* The values that @e compares, one for each window; NULL: there are none. */
const struct tlob_hist *condition_hist(const struct condition *e, const struct condition_data *d);

/*
 * The condition as a filter on the fields of the event tlob_load:tlob_window
 * ("wake > 50000", "work_irq >= 10"), for a traceoff trigger. -EINVAL: the event has no
 * such field, as for func.NAME.
 */
int condition_filter(const struct condition *e, char *buf, unsigned int size);

#endif /* TLOB_RESULT_CONDITION_H */
