// SPDX-License-Identifier: GPL-2.0
/* What rows cannot say of a CPU in a result, and of episodes. */
#include <limits.h>

#include "read/fields.h"
#include "read/histogram.h"
#include "result/tables.h"

static void check_order(struct reader *rd, void *data, size_t i)
{
	const struct os_name *name = data;

	if (i && name[0].count > name[-1].count)
		reader_fail(rd, "count", "larger than the one before: the list must descend");
}

static enum slice_metric slice_metric(const struct field *f)
{
	return f->at == offsetof(struct slice, bucket[SLICE_WAKE]) ? SLICE_WAKE : SLICE_RESPONSE;
}

/* [smallest value, count]: ascending, and each the beginning of a bucket. */
static void read_slice_buckets(struct reader *rd, struct json_object *o, const struct field *f,
			       void *data)
{
	const struct buckets list = read_buckets(rd, o, f->key, SLICE_BUCKETS);
	size_t place = reader_enter(rd, f->key, -1), i;
	struct slice *s = data;
	uint64_t left = s->windows, max_ns = s->max_ns[slice_metric(f)], pair[2];
	unsigned int k, above = 0;

	for (i = 0; i < list.n && !*rd->error; i++) {
		get_bucket(rd, &list, i, "", pair);
		k = slice_bucket(pair[0]);
		s->bucket[slice_metric(f)][k] = pair[1];
		if (slice_bucket_lower(k) != pair[0] || k < above || !pair[1] || pair[1] > left)
			reader_fail(rd, "", "%llu does not begin a bucket, is out of order, or has more than the windows",
				    (unsigned long long)pair[0]);
		left -= pair[1];
		above = k + 1;
	}
	if (left)
		reader_fail(rd, "", "fewer than the windows");
	if (s->windows ? slice_bucket(max_ns) + 1 != above : max_ns)
		reader_fail(rd, "", "the last bucket does not have the maximum");
	reader_leave(rd, place);
}

static void check_slice(struct reader *rd, void *data, size_t i)
{
	const struct slice *s = data;

	(void)i;
	if (s->violations > s->windows)
		reader_fail(rd, "violations", "more than windows");
}

static void check_length(struct reader *rd, void *data, size_t i)
{
	const struct slices *s = data;
	uint64_t factor = s->slice_ns / SLICE_FIRST_NS;

	(void)i;
	if ((s->n || s->slice_ns) &&
	    (!s->slice_ns || s->slice_ns % SLICE_FIRST_NS || factor & (factor - 1)))
		reader_fail(rd, "slice_ns", "%llu is not %llu times a power of two",
			    (unsigned long long)s->slice_ns, SLICE_FIRST_NS);
}

/* Each expiry is one of these: see run/expiries.h. 0 due: they were not counted. */
static void check_counters(struct reader *rd, void *data, size_t n)
{
	const struct result_cpu *c = data;
	const uint64_t counted[] = { c->startup, c->warm_up, c->warm_up_missed, c->windows, c->missed,
				     c->unaccounted };
	uint64_t sum = 0;
	size_t i;

	(void)n;
	if (c->violations > c->windows)
		reader_fail(rd, "violations", "more than windows");
	for (i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (__builtin_add_overflow(sum, counted[i], &sum))
			reader_fail(rd, "missed", "with the other counts of expiries more than %llu",
				    (unsigned long long)UINT64_MAX);
	if (c->due && sum != c->due)
		reader_fail(rd, "due", "differs from startup + warm_up + warm_up_missed + windows + missed + unaccounted");
}

/* A user thread's histograms lack the windows whose record was lost. */
static void check_cpu(struct reader *rd, void *data, size_t i)
{
	const struct result_cpu *c = data;
	uint64_t responses = c->hist[TLOB_METRIC_RESPONSE].n;

	(void)i;
	if (responses > c->windows || c->windows - responses > c->lost)
		reader_fail(rd, "windows", "differs from the number of responses by more than lost");;
	if (c->slices && slices_windows(c->slices) > c->windows)
		reader_fail(rd, "slices", "more windows than the CPU");
}

static void read_cpu(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	struct result_cpu *c = data;
	struct json_object *val;
	bool null = json_object_object_get_ex(o, f->key, &val) && !val;

	c->cpu = null ? -1 : reader_int(rd, o, f->key, 0, INT_MAX);
}

/* @data is in a list from the shortest gap on. */
static void check_gap(struct reader *rd, void *data, size_t i)
{
	const struct episode_row *row = data;

	if (!row->gap_ns || (i && (row[-1].gap_ns > UINT64_MAX / 4 || row->gap_ns != 4 * row[-1].gap_ns)))
		reader_fail(rd, "gap_ns", "not four times the one before");
	else if (i && row->n > row[-1].n)
		reader_fail(rd, "n", "more episodes with a longer gap");
	else if (row->n > row->squares || row->longest > row->squares || !row->n != !row->longest)
		reader_fail(rd, "squares", "less than these episodes have");
}

static void check_episodes(struct reader *rd, void *data, size_t i)
{
	const struct episodes *e = data;
	size_t k;

	(void)i;
	if (e->n != EPISODE_GAPS)
		reader_fail(rd, "gaps", "%zu, not %d", e->n, EPISODE_GAPS);
	for (k = 0; k < e->n; k++)
		if (e->at[k].longest > e->over || e->at[k].n > e->over || !e->at[k].n != !e->over)
			reader_fail(rd, "over", "does not fit the episodes");
}

const struct special special_cpu[] = {
	{ &result_counters, NULL, .check = check_counters },
	{ &os_name_record, NULL, .check = check_order },
	{ &slice_record, "wake", .read = read_slice_buckets },
	{ &slice_record, "response", .read = read_slice_buckets },
	{ &slice_record, NULL, .check = check_slice },
	{ &slices_record, NULL, .check = check_length },
	{ &cpu_record, "cpu", .read = read_cpu },
	{ &cpu_record, NULL, .check = check_cpu },
	{ &episode_gap_record, NULL, .check = check_gap },
	{ &episodes_record, NULL, .check = check_episodes },
	{ .of = NULL }
};
