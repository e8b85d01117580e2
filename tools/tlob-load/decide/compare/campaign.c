// SPDX-License-Identifier: GPL-2.0
/* The files of a comparison together: what may not differ, be copied or be out of order. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/campaign.h"
#include "options/option_value.h"
#include "result/comparable.h"
#include "result/attached.h"
#include "result/stats.h"
#include "util/error.h"
#include "util/units.h"

#define STOLEN_LEAST	0.00005		/* less is shown as none */
#define STOLEN_ALPHA	0.05		/* the sides differ in what was stolen */

struct campaign_run *campaign_a(const struct campaign *c, size_t i)
{
	return &c->run[i];
}

struct campaign_run *campaign_b(const struct campaign *c, size_t i)
{
	return &c->run[c->n + i];
}

/*
 * A run that is given twice would narrow the spread. Deterministic runs may be
 * equal: check_copies() compares their seeds.
 */
static int check_files(const struct campaign *c)
{
	size_t i, k;

	for (i = 1; i < c->nruns; i++)
		for (k = 0; k < i; k++)
			if (!c->run[i].r.deterministic &&
			    c->run[i].r.fingerprint == c->run[k].r.fingerprint)
				return fail(-EINVAL, "%s and %s are the same run: give each run once",
					    c->run[k].path, c->run[i].path);
	return 0;
}

static int check_paths(const struct campaign *c)
{
	struct stat st, other;
	size_t i, k;

	for (i = 1; i < c->nruns; i++) {
		if (stat(c->run[i].path, &st) || !S_ISREG(st.st_mode))
			continue;	/* reading it reports the error */
		for (k = 0; k < i; k++)
			if (!stat(c->run[k].path, &other) &&
			    st.st_dev == other.st_dev &&
			    st.st_ino == other.st_ino)
				return fail(-EINVAL, "%s is given twice: give each run once",
					    c->run[i].path);
	}
	return 0;
}

/*
 * Counting the same instructions again gives the same number. Only another seed
 * makes another run.
 */
static int check_copies(const struct campaign *c, size_t from, size_t to)
{
	size_t i, k;

	for (i = from; i < to; i++) {
		const struct result *r = &c->run[i].r;

		if (!r->deterministic)
			continue;
		if (!r->has_seed)
			return fail(-EINVAL, "%s counted instructions without --seed: such runs are copies, not replicates",
				    c->run[i].path);
		for (k = from; k < i; k++)
			if (c->run[k].r.has_seed && c->run[k].r.seed == r->seed)
				return fail(-EINVAL, "%s and %s counted instructions with the same seed: they are copies, not replicates",
					    c->run[k].path, c->run[i].path);
	}
	return 0;
}

/* True if the list has the same line about another file, whose name is its last word. */
static bool said_before(char **list, const char *line)
{
	const char *in = strrchr(line, ' ');
	size_t n = in ? (size_t)(in - line) : strlen(line);

	for (; list && *list; list++)
		if (!strncmp(*list, line, n) && (*list)[n] == ' ')
			return true;
	return false;
}

static int add_differences(struct campaign *c, const struct campaign_run *first,
			   const struct campaign_run *run, bool varied)
{
	static const struct vary none;
	char **list = NULL, **at;
	int err;

	err = facts_differ(&list, &first->r, &run->r, run->path,
			   c->vary ? c->vary : &none, varied);
	for (at = list; at && *at && !err; at++)
		if (!said_before(c->differences, *at))
			err = notes_add(&c->differences, "%s", *at);
	notes_free(list);
	return err;
}

/* Facts that --vary names are compared with the first run of the same side only. */
static int check_run_settings(struct campaign *c, size_t i)
{
	size_t side = i < c->nruns - c->n ? 0 : c->nruns - c->n;
	int err = add_differences(c, &c->run[0], &c->run[i], false);

	return err ? err : add_differences(c, &c->run[side], &c->run[i], true);
}

static int unknown_fact(const struct campaign *c, const char *fact)
{
	char *names = fact_names(&c->run[0].r);

	fail(0, "--vary %s: the results have no such setting; they have: %s", fact,
	     names ? names : "");
	free(names);
	return -EUSAGE;
}

static int take_varied(struct campaign *c, const char *fact)
{
	struct varied *v = &c->varied[c->nvaried];
	char *value[2], *a, *b;
	int err;

	fact_values(&c->run[0].r, &campaign_b(c, 0)->r, fact, value);
	a = value[0];
	b = value[1];
	if (!a && !b)
		return unknown_fact(c, fact);
	if (a && b && !strcmp(a, b)) {
		err = notes_add(&c->notes, "--vary %s: it does not differ, both sides have %s",
				fact, a);
		free(a);
		free(b);
		return err ? fail(err, "out of memory") : 0;
	}
	*v = (struct varied){
		.fact = fact, .a = a ? a : strdup("unknown"),
		.b = b ? b : strdup("unknown"),
	};
	c->nvaried++;
	return v->a && v->b ? 0 : fail(-ENOMEM, "out of memory");
}

static int check_vary(struct campaign *c)
{
	unsigned int i;
	int err = 0;

	for (i = 0; c->vary && i < c->vary->n && !err; i++)
		err = take_varied(c, c->vary->fact[i]);
	return err;
}

static int check_settings(struct campaign *c, bool force)
{
	size_t i;
	int err = 0;

	for (i = 1; i < c->nruns && !err; i++)
		err = check_run_settings(c, i);
	if (err)
		return fail(err, "out of memory");
	if (!c->differences || force)
		return 0;
	for (i = 0; c->differences[i]; i++)
		fail(-EINVAL, "%s", c->differences[i]);
	return fail(-EINVAL, "the runs used different settings; name what is meant to differ with --vary, or use --force to compare anyway");
}

static bool same_kernel(const struct result *a, const struct result *b)
{
	return a->kernel && b->kernel && !strcmp(a->kernel, b->kernel);
}

/* The first run whose kernel differs from the kernel of run @from, or NULL. */
static const char *other_kernel(const struct campaign *c, size_t from,
				size_t to)
{
	size_t i;

	for (i = from + 1; i < to; i++)
		if (!same_kernel(&c->run[i].r, &c->run[from].r))
			return c->run[i].path;
	return NULL;
}

/* Notes once that slow windows came together, and names the run with the fewest slices. */
static int note_bursts(struct campaign *c)
{
	const struct campaign_run *least = NULL;
	char at[DURATION_LEN];
	size_t i, n = 0;

	for (i = 0; i < c->nruns; i++) {
		const struct campaign_run *run = &c->run[i];

		if (!run->has_burst)
			continue;
		n++;
		if (!least || run->burst.slices < least->burst.slices)
			least = run;
	}
	if (!n)
		return 0;
	return notes_add(&c->notes, "the slowest windows of %zu of %zu runs came together; those of %s in %u of %u slices, from %s after its begin: tlob-load report shows when",
			 n, c->nruns, least->path, least->burst.slices, least->burst_of,
			 duration_format(at, least->burst.first * least->burst_ns));
}

/*
 * Stolen time is a condition of the runs that nobody has set. It stays in the numbers, which are
 * what the machine did, and decides nothing. Where the sides differ in it, their difference may be
 * the host's.
 */
static int note_stolen(struct campaign *c)
{
	double share[2 * STATS_MAX_PAIRS], most = 0, a, b, p;
	size_t i;

	for (i = 0; i < c->nruns; i++) {
		share[i] = c->run[i].stolen;
		/* also not if it is not known */
		if (!(share[i] >= 0))
			return 0;
		if (share[i] > most)
			most = share[i];
	}
	if (most <= 0)
		return 0;
	if (stats_rank_sum_p(share, c->n, share + c->n, c->n, &p))
		return -ENOMEM;
	a = stats_median(share, c->n);
	b = stats_median(share + c->n, c->n);
	if (a < STOLEN_LEAST && b < STOLEN_LEAST && p > STOLEN_ALPHA)
		return 0;
	return notes_add(&c->lowered, "a hypervisor took %.3g %% of the time in runs of A, %.3g %% of B (medians)%s",
			 100 * a, 100 * b, p <= STOLEN_ALPHA ? ": a difference may be the host's" : "");
}

/* The first of all notes: the clocks cannot show a difference of less than a step. */
static int note_clock(struct campaign *c)
{
	size_t i;

	c->clock_ns = 0;
	for (i = 0; i < c->nruns; i++)
		if (c->run[i].r.clock_resolution_ns > c->clock_ns)
			c->clock_ns = c->run[i].r.clock_resolution_ns;
	return c->clock_ns > 1 ? notes_add(&c->notes, "the clock has steps of %" PRIu64 " ns: no smaller difference is known",
					   c->clock_ns) : 0;
}

const char *campaign_unequal(const struct result *a, const struct result *b, const char *name,
			     char buf[MEANING_LINE])
{
	uint64_t la = a->duration_ns, lb = b->duration_ns, more = la > lb ? la - lb : lb - la;
	char ta[DURATION_LEN], tb[DURATION_LEN];

	if (a->ncpus != b->ncpus) {
		snprintf(buf, MEANING_LINE, "the worst of more CPUs is worse by itself: %zu CPU%s, but %zu in %.100s",
			 a->ncpus, a->ncpus == 1 ? "" : "s", b->ncpus, name);
		return buf;
	}
	if (result_is_of_attach(b) || b->deterministic || more <= la / 10 + NSEC_PER_SEC)
		return NULL;
	snprintf(buf, MEANING_LINE, "a longer run meets more, and gets warmer; duration: %s, but %s in %.100s",
		 duration_format(ta, la), duration_format(tb, lb), name);
	return buf;
}

static bool compares_largest(const struct campaign *c)
{
	size_t s = 0;

	while (s < c->nstatistics && c->statistic[s].kind != STATISTIC_MAX)
		s++;
	return s < c->nstatistics;
}

/* The largest of more windows is larger by itself, whatever made them more. The same tenth does not count. */
static const char *unequal_windows(const struct campaign_run *a, const struct campaign_run *b,
				   char buf[MEANING_LINE])
{
	uint64_t na = a->events.expiries, nb = b->events.expiries;
	uint64_t more = na > nb ? na - nb : nb - na;
	char ta[COUNT_LEN], tb[COUNT_LEN];

	if (more <= na / 10)
		return NULL;
	snprintf(buf, MEANING_LINE, "the largest of more windows is larger by itself: %s, but %s in %.100s",
		 count_prose(ta, na), count_prose(tb, nb), b->path);
	return buf;
}

int campaign_doubts(struct campaign *c, bool force, enum campaign_doubt doubt, const char *fmt, ...)
{
	va_list ap;
	char *why;
	int err = 0;

	va_start(ap, fmt);
	if (vasprintf(&why, fmt, ap) < 0)
		why = NULL;
	va_end(ap);
	if (!why)
		return -ENOMEM;
	if (!force && !c->doubt) {
		c->doubt = doubt;
		c->why = why;
		return 0;
	}
	if (force && !said_before(c->differences, why))
		err = notes_add(&c->differences, "%s", why);
	free(why);
	return err;
}

/* Why nothing can rest on the run. */
static int check_decidable(struct campaign *c, const struct campaign_run *run, bool force)
{
	const bool longer = c->vary && vary_has(c->vary, "duration") && c->run[0].r.ncpus == run->r.ncpus;
	char why[MEANING_LINE];

	/* --force does not need to name a policy: the sides have the same */
	if (!force && result_undecidable(&run->r, why))
		return campaign_doubts(c, false, DOUBT_POLICY, "%s", why);
	if ((compares_largest(c) && unequal_windows(&c->run[0], run, why)) ||
	    (!longer && campaign_unequal(&c->run[0].r, &run->r, run->path, why)))
		return campaign_doubts(c, force, DOUBT_UNEQUAL, "%s", why);
	return 0;
}

static int check_circumstances(struct campaign *c, bool force)
{
	size_t i;
	const char *other = other_kernel(c, 0, c->n);
	uint64_t lost = 0, shortest = UINT64_MAX, longest = 0;
	size_t doubtful = 0;
	int err = note_clock(c);

	if (!other)
		other = other_kernel(c, c->n, c->nruns);
	if (!err && other)
		err = notes_add(&c->notes, "one side ran on several kernels: %s differs from the first",
				other);
	for (i = 0; i < c->nruns && !err; i++)
		err = check_decidable(c, &c->run[i], force);
	if (!err)
		err = campaign_order(c, force);
	for (i = 0; i < c->nruns; i++) {
		const struct result *r = &c->run[i].r;

		if (!err)
			err = result_lowered(r, &c->lowered);
		lost += r->all.lost;
		doubtful += r->all.errors || r->all.inexact;
		if (r->duration_ns < shortest)
			shortest = r->duration_ns;
		if (r->duration_ns > longest)
			longest = r->duration_ns;
	}
	if (!err && lost)
		err = notes_add(&c->notes, "%" PRIu64 " records were lost: worst windows and names may be incomplete, histograms of kernel threads are not",
				lost);
	if (!err && doubtful)
		err = notes_add(&c->notes, "%zu run%s inexact windows", doubtful,
				doubtful == 1 ? " has" : "s have");
	if (!err && longest / 2 > shortest)
		err = notes_add(&c->notes, "the longest run is more than twice as long as the shortest");
	if (!err && (c->cut_short[0] || c->cut_short[1]))
		err = notes_add(&c->notes, "runs failed or were cut short, %" PRIu64 " of A and %" PRIu64 " of B: each counts as the worst of its side",
				c->cut_short[0], c->cut_short[1]);
	if (!err)
		err = note_stolen(c);
	if (!err)
		err = note_bursts(c);
	return err ? fail(err, "out of memory") : 0;
}

static int count_pairs(struct campaign *c, size_t na, size_t nb)
{
	if (!na || !nb)
		return fail(-EUSAGE, "one side has no results: give A... -- B...");
	if (na != nb)
		return fail(-EUSAGE, "%zu results before -- and %zu after it: give as many of A as of B",
			    na, nb);
	if (nb > STATS_MAX_PAIRS)
		return fail(-EUSAGE, "%zu pairs: give at most %d", nb,
			    STATS_MAX_PAIRS);
	c->n = nb;
	c->nruns = na + nb;
	return 0;
}

int campaign_load(struct campaign *c, char *const *a, size_t na,
		  char *const *b, size_t nb, bool force)
{
	size_t i;
	int err;

	err = count_pairs(c, na, nb);
	if (err)
		return err;
	c->run = calloc(c->nruns, sizeof(*c->run));
	if (!c->run)
		return fail(-ENOMEM, "out of memory");
	c->run[0] = c->first;
	c->first = (struct campaign_run){ 0 };
	for (i = 0; i < c->nruns; i++)
		c->run[i].path = i < na ? a[i] : b[i - na];
	err = check_paths(c);
	for (i = 0; i < c->nruns && !err; i++)
		err = campaign_run_load(&c->run[i], c->run[i].path, c->statistic,
					c->nstatistics);
	if (!err)
		err = check_files(c);
	if (!err)
		err = check_vary(c);
	if (!err)
		err = check_settings(c, force);
	if (!err)
		err = check_copies(c, 0, na);
	if (!err)
		err = check_copies(c, na, c->nruns);
	if (!err) {
		err = campaign_group(c, force);
		if (err == -ENOMEM)
			fail(err, "out of memory");
	}
	return err ? err : check_circumstances(c, force);
}

void campaign_free(struct campaign *c)
{
	size_t i;

	campaign_run_free(&c->first);
	for (i = 0; c->run && i < c->nruns; i++)
		campaign_run_free(&c->run[i]);
	free(c->run);
	free(c->replicate);
	c->replicate = NULL;
	for (i = 0; i < c->nvaried; i++) {
		free(c->varied[i].a);
		free(c->varied[i].b);
	}
	c->nvaried = 0;
	notes_free(c->differences);
	notes_free(c->lowered);
	free(c->why);
	notes_free(c->notes);
	c->run = NULL;
	c->differences = c->notes = NULL;
}
