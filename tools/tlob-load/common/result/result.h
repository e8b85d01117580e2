/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The result of a run. The collector fills it. Renderers and assertions read it.
 * Its size does not depend on the length of the run.
 */
#ifndef TLOB_RESULT_H
#define TLOB_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <linux/tlob.h>
#include "hist.h"
#include "result/action_counts.h"
#include "result/assertion.h"
#include "result/causes.h"
#include "result/counters.h"
#include "result/episodes.h"
#include "result/findings.h"
#include "result/kept.h"
#include "result/os_counts.h"
#include "result/parts.h"
#include "result/slices.h"
#include "result/tags.h"
#include "util/samples.h"

#define RESULT_FORMAT		"tlob-load result"
#define RESULT_VERSION		2
#define RESULT_RUN_IDS		8192U
#define RESULT_CPUS		8192U	/* NR_CPUS of the largest configuration */

#define RESULT_OFFENDERS	64	/* names kept for each list */
#define RESULT_NOTES	256	/* as many as a reader takes */

/*
 * One cause of noise and its cost. The table has a fixed size: when it is full,
 * the entry with the smallest total is evicted and counted.
 */
struct offender {
	uint8_t	 kind;			/* enum tlob_noise_kind */
	int32_t	 id;			/* as struct tlob_noise.id */
	char	 name[TLOB_NAME_LEN];
	uint64_t windows;		/* windows whose largest noise it was */
	uint64_t total_ns;		/* of its noise in these windows */
	uint64_t max_ns;
	char	 host[RESULT_HOST];	/* of max_ns; "" unless results of several were merged */
};

struct offenders {
	size_t	 n;
	uint64_t evicted;
	size_t	 last;			/* the entry that was found last, which the next window often has */
	struct offender at[RESULT_OFFENDERS];
};

/* --samples; else all are 0, and a file has none of them. */
struct sample_totals {
	bool	 asked;
	uint64_t written, left_out;	/* rows */
};

/* A measured CPU; struct result.all is the sum of all of them. */
struct result_cpu {
	int	 cpu;			/* -1: all, or the windows of attach, on any CPU */
	char	*host;			/* set if results of several hosts were merged */
	/* They count the windows after the warm-up: see result.c */
	RESULT_COUNTERS(COUNTER_MEMBER)
	uint64_t demand_ns;		/* 0: work has none, or not calibrated */
	uint64_t demand_spread_ns;
	uint64_t overhead_ns;		/* from t3 to arming the next, summed up; 0: unknown */
	uint32_t unavailable;		/* 1 << enum tlob_part */
	uint64_t faults;		/* page faults of the user thread; a file has them in findings */
	struct tlob_hist *hist;		/* [RESULT_METRICS] */
	struct os_counts *os;		/* NULL: not asked for */
	struct slices *slices;		/* when it happened; NULL: not kept */
	struct episodes episodes;	/* of expiries over the budget or missed */
	struct function_totals *functions; /* of the sets of the result; NULL: no --functions */
};

/* A fact about the machine, by name: see run/tuning_facts.h. */
struct fact {
	char	*name, *value;
	char	*source;		/* the file that said so; NULL: none */
};

/* Limits on the CPU time of the threads, and what they did in this run. */
struct result_limits {
	char	*text;			/* "cpu.max 20ms per 100ms"; NULL: none */
	char	*by;			/* "group /a has 20ms per 100ms (cpu.max)", or NULL */
	uint64_t nr_throttled;		/* how often, by cpu.stat ... */
	uint64_t throttled_ns;		/* ... and how long, over all CPUs */
};

struct attached;

struct result {
	/* Settings and circumstances, as text where they are only shown. */
	char	*command;		/* the command line, shell-quoted */
	char	*kernel;		/* uname release and version */
	char	*machine;		/* uname machine */
	char	*host;			/* uname nodename; NULL: several, or unknown */
	char	*boot_id, *machine_id, *run_id;	/* of util/host.h, or NULL */
	char	**run_ids;		/* of the runs of a sum, at most RESULT_RUN_IDS; or NULL */
	char	*label;			/* of --label, or NULL */
	struct tags tags;
	char	*tune;			/* what --tune changed: "governor 2"; NULL: nothing */
	char	*tune_left_out;		/* what it could not: "irq_affinity 1 (Operation not permitted)"; or NULL */
	char	*load;			/* what ran next to it: "@cpu + @io"; NULL: nothing */
	char	*load_cpus;		/* CPU list; NULL: no load */
	char	*backend;		/* "tlob", "bpf", "posix" */
	char	*backend_because;	/* why no better one, or NULL */
	char	*workload;		/* "kthread", "user", "attach" */
	char	*noise_source;		/* in force: "osnoise", "hooks", "both" */
	char	*work;			/* canonical text */
	char	*policy;		/* "fifo:95" */
	char	*policy_asked;		/* if the kernel refused that and @policy was taken; or NULL */
	char	*policy_changed;	/* "other (CPU 3)": by another process; or NULL */
	char	*dma_latency;		/* "0us": what was held in /dev/cpu_dma_latency; NULL: nothing */
	char	*cpus;			/* CPU list */
	char	*housekeeping;		/* CPU list, or NULL */
	char	*unavailable_because;	/* or NULL */
	char	*stopped_by;		/* what ended the run early, or NULL */
	struct kept_window *stopped;	/* the window that met a --stop-on, or NULL */
	char	*trace_file;		/* written, or NULL */
	bool	 partial;		/* the run was still going on */
	char	**notes;		/* NULL-terminated: what the reader must know */
	struct fact *tuning;
	size_t	 ntuning;
	struct findings *findings;	/* of doctor; NULL: a merged result */
	bool	 deterministic;		/* the clock counts instructions */
	bool	 throttled;		/* the work exceeds what RT throttling leaves; not in a file */
	bool	 waits;			/* --waits: windows have their longest wait */
	bool	 timed;			/* windows have timelines; not in a file */
	bool	 has_seed;
	uint64_t seed;			/* of --seed */
	bool	 has_phase;
	uint64_t phase_ns;		/* of the grid, after a tick */
	uint64_t runs;			/* merged into this one; 1: none */
	uint64_t fingerprint;		/* result_fingerprint() of what was read; 0: none */
	uint64_t period_ns;
	uint64_t budget_ns;
	uint64_t align_ns;
	uint64_t hw_threshold_ns;
	uint64_t clock_resolution_ns;	/* a step of the clock; 0: not known */
	uint64_t timer_resolution_ns;	/* of timers that wait for a tick; 0: they are exact */
	struct result_limits limits;
	time_t	 started;		/* the time stamp of the JSON */
	uint64_t duration_ns;		/* of the run, CLOCK_MONOTONIC */
	uint64_t begin_ns;		/* the slices' 0 while they are filled, as t0 of a window */
	struct episode_watch *watch;	/* counts episodes while windows come; NULL: not counted */

	size_t	 ncpus;
	struct result_cpu *cpu;		/* [ncpus] */
	struct result_cpu all;
	struct episodes episodes;	/* over all CPUs together; all.episodes is a copy */
	struct function_sets *functions; /* of --functions; NULL: none */
	char	*function_words;	/* "lock=*mutex_lock* alloc=@alloc": of it; not in a file */

	uint64_t worse_than_ns;		/* responses up to this are none of the worst; not in a file */
	size_t	 nworst;		/* none ended after @stopped */
	struct kept_window worst[RESULT_KEPT];	/* result_keeps() */
	struct offenders noise;		/* the largest noise of each window */
	struct offenders delay;		/* what ran during irq_delay */
	struct causes causes;		/* of the violations */
	struct causes places;		/* of those whose place in the kernel is known */

	struct assertions assertions;	/* of --assert, in this process */
	struct said said;		/* of the run whose file this was */
	struct action_counts actions;	/* --on-violation */
	struct sample_totals samples;
	struct attached *attached;	/* of attach: result/attached.h; NULL: a run */

	/* Every value; kept by deterministic runs of one CPU with --seed. */
	bool	 keeps_exact;
	struct samples exact[RESULT_METRICS];
};

/*
 * An empty result for the @ncpus CPUs @cpus. 0 or -ENOMEM. result_free() also takes a
 * zeroed result, and one whose result_init() failed.
 */
int  result_init(struct result *r, const int *cpus, size_t ncpus);
void result_free(struct result *r);

/* Appends a note (printf-like). 0 or -ENOMEM. */
int  result_note(struct result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends to a list that ends with NULL; an empty list is NULL. 0 or -ENOMEM. */
int  notes_add(char ***notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void notes_free(char **notes);

/*
 * Accounts for one record of the CPU with index @i: worst windows, offenders,
 * counters, and with @with_hist its histograms and sum check (user threads; in
 * the other workload the kernel's histograms are read at the end). A record
 * flagged TLOB_WINDOW_NONE is ignored, one flagged WARM_UP only counted.
 * Returns false if the parts did not add up.
 */
bool result_window(struct result *r, size_t i, const struct tlob_window *w,
		   bool with_hist);

/*
 * The same. @t is the timeline of @w, or NULL. With @r->timed a copy is kept if the
 * window is. Likewise @f is its time in functions, and kept with @r->functions.
 */
bool result_window_timed(struct result *r, size_t i, const struct tlob_window *w,
			 bool with_hist, const struct tlob_timeline *t,
			 const struct window_functions *f);

/*
 * The same for a window of a task: see result/attached.h. If it did not end it is in no histogram, and
 * a violation counts as missed.
 */
void result_task_window(struct result *r, const struct kept_window *k,
			const struct window_functions *f);

/*
 * Adds what @of, a result of one CPU, has counted of the CPU with index @i, with its worst windows
 * and its names. Episodes are counted apart.
 */
void result_add_cpu(struct result *r, size_t i, const struct result *of);

/* The place of @w among the worst windows of @r, or NULL. */
struct kept_window *result_worst_of(struct result *r, const struct tlob_window *w);

/* Fills in @r->function_words. 0 or -ENOMEM. */
int  function_sets_describe(struct result *r);

/* Makes room for the totals of @r->functions. 0 or -ENOMEM. */
int  result_init_functions(struct result *r);

#define RESULT_THROTTLED "%s: it was throttled %" PRIu64 " times, for %s in sum over its CPUs"

#define RESULT_CLOCK_STEPS "the clock has steps of %" PRIu64 " ns: no time here is finer"

/* A step of the clock, of @r and of all its histograms; 0: not known. */
void result_set_clock(struct result *r, uint64_t step_ns);

/*
 * Returns true if the window of @rank (0: the largest response) stays in the list of the
 * worst. @timed: it has a timeline, which may be lost.
 */
static inline bool result_keeps(size_t rank, const struct tlob_window *w, bool timed)
{
	return rank < RESULT_WORST ||
	       (rank < RESULT_KEPT && timed && w->flags & TLOB_WINDOW_VIOLATION);
}

/* Adds @ns of a window to the entry of that name. For an irq the number counts as well. */
void offend(struct offenders *list, uint8_t kind, int32_t id, const char name[TLOB_NAME_LEN],
	    uint64_t ns);

/* Adds an entry of another list, which may stand for several windows. */
void offenders_add(struct offenders *list, const struct offender *o);

/* Adds all of @c's counters to @a's, except the demand, which is a mean. */
void result_add_counters(struct result_cpu *a, const struct result_cpu *c);

/* Begins to count episodes, of a run whose period is known. 0 or -ENOMEM. */
int  result_watch(struct result *r);

/* A hash of the run's time, seed, counters and histograms: finds copies, not forgeries. */
uint64_t result_fingerprint(const struct result *r);

/* Every value of the metric is in @r->exact; else only in the histogram. */
bool result_is_exact(const struct result *r, unsigned int metric);

/* Sums the CPUs up into @r->all: once, at the end, or anew for a snapshot. */
void result_sum(struct result *r);

/* The same without the histograms: @r->all has them already. */
void result_sum_counters(struct result *r);

/*
 * Sum of parts == phases, exactly. A phase without any part that is measured has
 * nothing to add up.
 */
bool window_adds_up(const struct tlob_window *w);

/*
 * The smallest and the largest value that bucket @i of @h is shown with. The clock cannot
 * distinguish values that are less than a step apart. So a bucket that is narrower than a step
 * is joined with its neighbours, up to the next power of two of a step. A 0 stays alone: it
 * mostly says that nothing happened.
 */
uint64_t hist_lower(const struct tlob_hist *h, unsigned int i);
uint64_t hist_upper(const struct tlob_hist *h, unsigned int i);

/* The width in ns of the narrowest bucket that is shown of a clock with steps of @step ns. */
uint64_t hist_narrowest(uint64_t step);

/* Says how long a step of the clock of @n histograms is, in ns; 0: not known. */
void hist_set_step(struct tlob_hist *h, size_t n, uint64_t step);

/*
 * The smallest recorded value v such that at least @q (0 < q <= 1) of the
 * samples are <= v, rounded up to its bucket's upper edge, never above max.
 * @q is given in parts per million (p99.9 = 999000) so that no rounding of a
 * floating number decides. 0 if there is no sample.
 */
uint64_t hist_quantile(const struct tlob_hist *h, unsigned int ppm);

/*
 * Returns true if there are enough samples for that quantile: at least one is
 * expected beyond it, n >= 1 / (1 - q). p100 is the maximum and needs one.
 */
bool hist_has_quantile(const struct tlob_hist *h, unsigned int ppm);

/* The samples that hist_has_quantile() asks for. */
uint64_t quantile_needs(unsigned int ppm);

/*
 * The fewest samples that decide something: for a quantile those with a bound, 95 % confident, in
 * the tail where it lies; for a shortfall the counts of the quantile that a tenth of its samples
 * is beyond, so that it is the mean of about 30.
 */
uint64_t quantile_fewest(unsigned int ppm);
uint64_t shortfall_fewest(unsigned int ppm);

/*
 * Missed expiries are the latest of all wake-ups and responses: nothing answered them.
 * The number for @metric, without those that the end of the run cut off; 0 for the
 * other metrics, which no missed expiry has.
 */
uint64_t result_missed(const struct result_cpu *c, unsigned int metric);

/*
 * How long a response would be if the longest of each part, each seen in some window of
 * the CPU, came together in one. 0 without windows, or if no part is measured. It is no
 * bound, because longer parts may come.
 */
uint64_t result_worst_sum(const struct result_cpu *c);

/* Its windows, including lost records, and missed expiries; at most UINT64_MAX. */
uint64_t result_due(const struct result_cpu *c);

/*
 * Its expiries over the budget or missed, and the upper bound of their share, with confidence
 * 1 - BOUNDS_ALPHA. It needs an episode, which says how long they are; else it is NAN.
 */
uint64_t result_over(const struct result_cpu *c);
double result_over_upper(const struct result_cpu *c);
#define BOUNDS_ALPHA	0.05

/* The windows in its histogram and missed expiries; at most UINT64_MAX. */
uint64_t result_expiries(const struct result_cpu *c, unsigned int metric);

/* ceil(@n * @ppm / 10^6), at least 1, without overflow. */
uint64_t quantile_rank(uint64_t n, unsigned int ppm);

/*
 * hist_quantile() of @h's samples and @missed expiries that are later than all of
 * them. @ns is set with QUANTILE_KNOWN only.
 */
enum quantile { QUANTILE_FEW, QUANTILE_KNOWN, QUANTILE_MISSED };
enum quantile hist_quantile_missed(const struct tlob_hist *h, uint64_t missed,
				   unsigned int ppm, uint64_t *ns);

/*
 * The expected shortfall: the mean of what lies beyond the quantile @ppm < 10^6, each
 * value rounded as hist_rank_upper() does. QUANTILE_MISSED with any missed expiry,
 * because no number stands for it. QUANTILE_FEW: nothing lies beyond.
 */
enum quantile hist_shortfall(const struct tlob_hist *h, uint64_t missed,
			     unsigned int ppm, uint64_t *ns);

/*
 * The edges of the bucket with the sample of @rank (1 ... n, from below), never
 * beyond min and max: what the sample is at least and at most. 0 for rank 0.
 */
uint64_t hist_rank_lower(const struct tlob_hist *h, uint64_t rank);
uint64_t hist_rank_upper(const struct tlob_hist *h, uint64_t rank);

/* Mean in ns, rounded to the nearest; 0 if there is no sample. */
uint64_t hist_mean(const struct tlob_hist *h);

/*
 * Adds @b's samples to @a, whose clock is then the one with the longer steps. As in every
 * histogram of the tool no bucket is beyond min and max: all that read one see to it.
 */
void hist_merge(struct tlob_hist *a, const struct tlob_hist *b);

/* The CPU with the longest response; @r->ncpus is not 0. */
const struct result_cpu *result_slowest_cpu(const struct result *r);

#endif /* TLOB_RESULT_H */
