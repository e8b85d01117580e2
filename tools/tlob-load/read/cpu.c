// SPDX-License-Identifier: GPL-2.0
/* The CPUs of a result: nearly all of its text, so several threads read them. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/cpu.h"
#include "read/functions.h"
#include "read/pairs.h"
#include "read/window.h"

#define MAX_CPUS	8192U		/* NR_CPUS of the largest configuration */
#define MAX_THREADS	8U
#define THREAD_BYTES	(256U << 10)	/* less is not worth a thread of its own */

/* [smallest value, count]: ascending, and each the beginning of a bucket. */
static uint64_t read_bucket(struct reader *rd, const uint64_t pair[2],
			    struct tlob_hist *h, unsigned int *above)
{
	uint64_t lower = pair[0], count = pair[1];
	unsigned int i = tlob_hist_index(lower);

	if (!*rd->error && (tlob_hist_lower(i) != lower || i < *above || !count))
		reader_fail(rd, "buckets", "%llu does not begin a bucket, or is out of order",
			    (unsigned long long)lower);
	*above = i + 1;
	h->bucket[i] = count;
	return count;
}

/* The pairs of a histogram: taken out of the text, or in it. */
struct buckets {
	const uint64_t (*taken)[2];
	struct json_object *list;
	size_t n;
};

static struct buckets find_buckets(struct reader *rd, struct json_object *hist)
{
	struct buckets b = { 0 };

	if (rd->taken) {
		int i = reader_int(rd, hist, "buckets", 0, (int)rd->taken->nlists - 1);

		if (!*rd->error) {
			b.taken = (const uint64_t (*)[2])rd->taken->pair + rd->taken->list[i].first;
			b.n = rd->taken->list[i].n;
		}
		return b;
	}
	b.list = reader_list(rd, hist, "buckets", (size_t)TLOB_HIST_BUCKETS);
	b.n = b.list ? json_object_array_length(b.list) : 0;
	return b;
}

static void get_bucket(struct reader *rd, const struct buckets *b, size_t i,
		       uint64_t pair[2])
{
	struct json_object *o;

	if (b->taken) {
		memcpy(pair, b->taken[i], sizeof(*b->taken));
		return;
	}
	o = json_object_array_get_idx(b->list, i);
	pair[0] = pair[1] = 0;
	if (!json_object_is_type(o, json_type_array) || json_object_array_length(o) != 2) {
		reader_fail(rd, "buckets", "not pairs");
		return;
	}
	pair[0] = reader_u64_at(rd, o, 0);
	pair[1] = reader_u64_at(rd, o, 1);
}

/* The sum of one CPU wraps after 584 years; that of all CPUs may wrap earlier. */
static bool sum_is_possible(const struct tlob_hist *h)
{
	return (__uint128_t)h->n * h->min <= h->sum &&
	       (__uint128_t)h->n * h->max >= h->sum;
}

void read_hist(struct reader *rd, struct json_object *parent, const char *key,
	       struct tlob_hist *h)
{
	struct json_object *o = reader_object(rd, parent, key);
	size_t place = reader_enter(rd, key, -1), i;
	unsigned int above = 0, first = 0;
	uint64_t left, pair[2], count;
	struct buckets b;

	h->n = reader_u64(rd, o, "n");
	h->sum = reader_u64(rd, o, "sum");
	h->min = reader_known(rd, o, "min");
	h->max = reader_known(rd, o, "max");
	b = find_buckets(rd, o);
	for (i = 0, left = h->n; i < b.n && !*rd->error; i++) {
		get_bucket(rd, &b, i, pair);
		count = read_bucket(rd, pair, h, &above);
		if (!i)
			first = above - 1;
		if (!*rd->error && count > left)
			reader_fail(rd, "n", "smaller than the sum of the buckets");
		left -= count;
	}
	if (!*rd->error && left)
		reader_fail(rd, "n", "larger than the sum of the buckets");
	if (!*rd->error && h->n &&
	    (tlob_hist_index(h->min) != first || h->min > h->max ||
	     tlob_hist_index(h->max) + 1 != above))
		reader_fail(rd, "min", "or max lies outside the outermost bucket");
	if (!*rd->error && h->n && !sum_is_possible(h))
		reader_fail(rd, "sum", "must lie between n * min and n * max");
	if (!*rd->error && !h->n && (h->sum || h->min || h->max))
		reader_fail(rd, "n", "is 0, but sum, min or max is not");
	reader_leave(rd, place);
}

static void read_counters(struct reader *rd, struct json_object *o,
			  struct result_cpu *c)
{
	const struct counter *at = result_counters.at;
	size_t i;

	for (i = 0; i < result_counters.n; i++, at++)
		if (!(at->flags & COUNTER_NEW) || reader_find(o, at->name))
			counter_set(at, c, reader_u64(rd, o, at->name));
	c->demand_ns = reader_known(rd, o, "demand_ns");
	c->demand_spread_ns = reader_known(rd, o, "demand_spread_ns");
	c->overhead_ns = reader_known(rd, o, "overhead_ns");
	c->unavailable = read_unavailable(rd, o);
	if (c->violations > c->windows)
		reader_fail(rd, "violations", "more than windows");
}

static void read_os_list(struct reader *rd, struct json_object *parent,
			 const char *key, struct os_list *list)
{
	struct json_object *o = reader_object(rd, parent, key), *names, *e;
	size_t outer = reader_enter(rd, key, -1), i, place;
	uint64_t above = UINT64_MAX;

	list->dropped = reader_u64(rd, o, "dropped");
	names = reader_list(rd, o, "names", OS_NAMES);
	for (i = 0; names && i < json_object_array_length(names); i++) {
		char *name;

		place = reader_enter(rd, "names", (int)i);
		e = reader_object_at(rd, names, i);
		name = read_text(rd, e, "name", false);
		snprintf(list->at[i].name, OS_NAME_LEN, "%s", name ? name : "");
		free(name);
		list->at[i].count = reader_u64(rd, e, "count");
		if (!*rd->error && list->at[i].count > above)
			reader_fail(rd, "count", "larger than the one before: the list must descend");
		above = list->at[i].count;
		reader_leave(rd, place);
		list->n = i + 1;
	}
	reader_leave(rd, outer);
}

static void read_gaps(struct reader *rd, struct json_object *parent,
		      struct os_counts *os)
{
	struct json_object *o = reader_object(rd, parent, "hw_or_interrupt");
	size_t place = reader_enter(rd, "hw_or_interrupt", -1);

	os->gap_windows = reader_u64(rd, o, "windows");
	os->gap_ns = reader_u64(rd, o, "ns");
	os->gap_max_ns = reader_u64(rd, o, "max_ns");
	reader_leave(rd, place);
}

/* A key that is null is unknown; older files and other backends have no "os". */
static struct os_counts *read_os(struct reader *rd, struct json_object *parent)
{
	struct json_object *o;
	struct os_counts *os;
	size_t place;

	if (!reader_find(parent, "os"))
		return NULL;
	o = reader_object(rd, parent, "os");
	place = reader_enter(rd, "os", -1);
	os = calloc(1, sizeof(*os));
	if (!os) {
		reader_fail(rd, "", "out of memory");
		reader_leave(rd, place);
		return NULL;
	}
	os->run_delay_ns = reader_known(rd, o, "run_delay_ns");
	os->voluntary = reader_known(rd, o, "voluntary_switches");
	os->involuntary = reader_known(rd, o, "involuntary_switches");
	os->steal_ns = reader_known(rd, o, "steal_ns");
	os->known = (reader_find(o, "run_delay_ns") ? OS_RUN_DELAY : 0U) |
		    (reader_find(o, "voluntary_switches") ? OS_SWITCHES : 0U) |
		    (reader_find(o, "steal_ns") ? OS_STEAL : 0U) |
		    (reader_find(o, "hw_or_interrupt") ? OS_GAPS : 0U) |
		    (reader_find(o, "interrupts") ? OS_IRQS : 0U) |
		    (reader_find(o, "softirqs") ? OS_SOFTIRQS : 0U);
	if (os->known & OS_GAPS)
		read_gaps(rd, o, os);
	if (os->known & OS_IRQS)
		read_os_list(rd, o, "interrupts", &os->irq);
	if (os->known & OS_SOFTIRQS)
		read_os_list(rd, o, "softirqs", &os->softirq);
	reader_leave(rd, place);
	return os;
}

/* @c->hist is zeroed. */
static void read_cpu(struct reader *rd, struct json_object *o,
		     struct result_cpu *c, const struct function_sets *sets)
{
	struct json_object *hist;
	uint64_t responses;
	unsigned int m;
	size_t place;

	c->cpu = reader_int(rd, o, "cpu", 0, INT_MAX);
	c->host = read_new_text(rd, o, "host");
	read_counters(rd, o, c);
	c->os = read_os(rd, o);
	hist = reader_object(rd, o, "hist");
	place = reader_enter(rd, "hist", -1);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		if (m < TLOB_METRIC_PARTS ||
		    !(c->unavailable & 1U << (m - TLOB_METRIC_PARTS)))
			read_hist(rd, hist, tlob_metric_names[m], &c->hist[m]);
	reader_leave(rd, place);
	slices_read(rd, o, &c->slices);
	c->functions = read_function_totals(rd, o, sets, c->windows, "functions");
	if (c->slices && slices_windows(c->slices) > c->windows)
		reader_fail(rd, "slices", "more windows than the CPU");
	/* A user thread's histograms lack the windows whose record was lost. */
	responses = c->hist[TLOB_METRIC_RESPONSE].n;
	if (responses > c->windows || c->windows - responses > c->lost)
		reader_fail(rd, "windows", "differs from the number of responses by more than lost");
}

static bool same_cpu(const struct result_cpu *a, const struct result_cpu *b)
{
	return a->cpu == b->cpu && (a->host && b->host ?
				    !strcmp(a->host, b->host) :
				    a->host == b->host);
}

static void check_cpus(struct reader *rd, const struct result *r)
{
	size_t i, k;

	for (i = 1; i < r->ncpus; i++)
		for (k = 0; k < i; k++)
			if (same_cpu(&r->cpu[i], &r->cpu[k]))
				reader_fail(rd, "cpu", "%d stands there twice",
					    r->cpu[i].cpu);
}

/* What the threads share. Each takes the next piece until there is none, or one is wrong. */
struct share {
	const struct piece *piece;
	struct result_cpu *cpu;
	const struct function_sets *sets; /* of the file, or NULL */
	size_t n;
	size_t next;			/* atomic; @n and above: no more */
};

struct part {
	struct share *share;
	struct reader reader;
	size_t at;			/* of the error in @reader */
	pthread_t thread;
	bool running;
};

/* Histograms are large, but a bucket that is not there is never touched. */
static void read_piece(struct reader *rd, const struct piece *piece, size_t i,
		       struct result_cpu *c, const struct function_sets *sets)
{
	size_t place = reader_enter(rd, "cpu", (int)i);
	struct pair_lists lists;
	struct json_object *o = NULL;

	if (pairs_take(&lists, piece->text, piece->n, "buckets",
		       (size_t)TLOB_HIST_BUCKETS)) {
		o = reader_parse(rd, lists.text, lists.size);
		rd->taken = &lists;
		/* an error tells its place in the text as it is */
		if (!o)
			*rd->error = 0;
	}
	if (!o) {
		rd->taken = NULL;
		o = reader_parse(rd, piece->text, piece->n);
	}
	if (o)
		c->hist = calloc(TLOB_NR_METRICS, sizeof(*c->hist));
	if (c->hist)
		read_cpu(rd, o, c, sets);
	else
		reader_fail(rd, "", "out of memory");
	rd->taken = NULL;
	pairs_free(&lists);
	json_object_put(o);
	reader_leave(rd, place);
}

static void *read_part(void *arg)
{
	struct part *part = arg;
	struct share *s = part->share;
	size_t i;

	while ((i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < s->n) {
		read_piece(&part->reader, &s->piece[i], i, &s->cpu[i], s->sets);
		if (*part->reader.error) {
			part->at = i;
			__atomic_store_n(&s->next, s->n, __ATOMIC_RELAXED);
			break;
		}
	}
	return NULL;
}

/* The CPUs of this process, or fewer for a short text. The caller is one of them. */
static unsigned int nthreads(const struct piece *piece, size_t n)
{
	size_t bytes = 0, i, most = n < MAX_THREADS ? n : MAX_THREADS;
	cpu_set_t allowed;

	for (i = 0; i < n; i++)
		bytes += piece[i].n;
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return 1;
	if (most > (size_t)CPU_COUNT(&allowed))
		most = (size_t)CPU_COUNT(&allowed);
	if (most > bytes / THREAD_BYTES)
		most = bytes / THREAD_BYTES;
	return most ? (unsigned int)most : 1;
}

/*
 * The error that one thread alone would have found: pieces are taken in order, so
 * each one before the first wrong piece has been read.
 */
static void keep_first_error(struct reader *rd, const struct part *part, unsigned int n)
{
	const struct part *first = NULL;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (*part[i].reader.error && (!first || part[i].at < first->at))
			first = &part[i];
	if (first)
		memcpy(rd->error, first->reader.error, sizeof(rd->error));
}

void read_cpus(struct reader *rd, const struct piece *piece, size_t n, struct result *r,
	       const struct function_sets *sets)
{
	struct share share = { .piece = piece, .n = n, .sets = sets };
	struct part part[MAX_THREADS];
	static const int none[1];
	unsigned int i, threads;

	if (n < 1 || n > MAX_CPUS) {
		reader_fail(rd, "cpu", "not 1 to %u", MAX_CPUS);
		return;
	}
	if (result_init(r, none, 0)) {
		reader_fail(rd, "", "out of memory");
		return;
	}
	free(r->cpu);
	r->cpu = calloc(n, sizeof(*r->cpu));
	if (!r->cpu) {
		reader_fail(rd, "", "out of memory");
		return;
	}
	r->ncpus = n;
	share.cpu = r->cpu;
	threads = nthreads(piece, n);
	for (i = 0; i < threads; i++)
		part[i] = (struct part){ .share = &share, .reader = *rd };
	for (i = 1; i < threads; i++)
		part[i].running = !pthread_create(&part[i].thread, NULL, read_part, &part[i]);
	read_part(&part[0]);
	for (i = 1; i < threads; i++)
		if (part[i].running)
			pthread_join(part[i].thread, NULL);
	keep_first_error(rd, part, threads);
	if (!*rd->error)
		check_cpus(rd, r);
}
