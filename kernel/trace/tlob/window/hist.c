// SPDX-License-Identifier: GPL-2.0
/*
 * The histograms of the measured CPUs, and the file `hist`.
 *
 * During a run every metric has a histogram, except for unavailable parts. Most
 * buckets are empty. So the end of a run packs the others into a struct
 * tlob_packed, which stays readable, and frees the histograms.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "window.h"

struct tlob_packed {
	struct {
		u64	n, sum, min, max;
		unsigned int buckets;
	} metric[TLOB_NR_METRICS];
	unsigned int room, used;	/* elements of bucket[] */
	/* metric after metric, the buckets of each in order */
	struct {
		u64	count;
		unsigned int index;
	} bucket[];
};

static bool tlob_metric_available(unsigned int metric, u32 unavailable)
{
	return metric < TLOB_METRIC_PARTS ||
	       !(unavailable & (1U << (metric - TLOB_METRIC_PARTS)));
}

/* Returns the bytes of the histograms of one CPU. */
size_t tlob_hist_bytes(u32 unavailable)
{
	unsigned int i, n = 0;

	for (i = 0; i < TLOB_NR_METRICS; i++)
		n += tlob_metric_available(i, unavailable);
	return n * PAGE_ALIGN(sizeof(struct tlob_hist));
}

/*
 * Allocates the histograms of @c, before its first window of a run. Returns 0 or
 * -ENOMEM; tlob_hist_free() then frees what is there.
 */
int tlob_hist_alloc(struct tlob_cpu *c, u32 unavailable)
{
	unsigned int i;

	for (i = 0; i < TLOB_NR_METRICS; i++) {
		if (!tlob_metric_available(i, unavailable))
			continue;
		c->hist[i] = vzalloc_node(sizeof(*c->hist[i]),
					  cpu_to_node(c->cpu));
		if (!c->hist[i])
			return -ENOMEM;
		tlob_memory_add(PAGE_ALIGN(sizeof(*c->hist[i])));
	}
	return 0;
}

static void tlob_hist_free_buckets(struct tlob_cpu *c)
{
	unsigned int i;

	for (i = 0; i < TLOB_NR_METRICS; i++) {
		if (c->hist[i])
			tlob_memory_sub(PAGE_ALIGN(sizeof(*c->hist[i])));
		vfree(c->hist[i]);
		c->hist[i] = NULL;
	}
}

/* The writer may continue, so a bucket may be new since the count. */
static unsigned int tlob_packed_room(const struct tlob_cpu *c)
{
	unsigned int i, b, n = 0;

	for (i = 0; i < TLOB_NR_METRICS; i++) {
		if (!c->hist[i])
			continue;
		n++;			/* the zeros */
		for (b = 0; b < TLOB_HIST_BUCKETS; b++)
			n += !!READ_ONCE(c->hist[i]->bucket[b]);
	}
	return n;
}

/* Returns false if @p has too little room. */
static bool tlob_pack_metric(struct tlob_packed *p, const struct tlob_cpu *c,
			     unsigned int metric)
{
	const struct tlob_hist *h = c->hist[metric];
	u64 n = READ_ONCE(h->n), zeros, count;
	unsigned int b, first = TLOB_HIST_BUCKETS, last = 0;

	zeros = tlob_hist_zeros(c->hist[TLOB_METRIC_RESPONSE], metric, n);
	/* the first value may come now: tlob_packed_show() skips the metric, so it has no bucket */
	if (!(n + zeros))
		return true;
	p->metric[metric].n = n + zeros;
	p->metric[metric].sum = READ_ONCE(h->sum);
	p->metric[metric].min = zeros ? 0 : READ_ONCE(h->min);
	p->metric[metric].max = READ_ONCE(h->max);
	for (b = 0; b < TLOB_HIST_BUCKETS; b++) {
		count = READ_ONCE(h->bucket[b]) + (b ? 0 : zeros);
		if (!count)
			continue;
		if (p->used == p->room)
			return false;
		p->bucket[p->used].index = b;
		p->bucket[p->used++].count = count;
		p->metric[metric].buckets++;
		first = min(first, b);
		last = b;
	}
	if (!p->metric[metric].buckets)
		return true;
	/* A value may be on its way: its extreme is there, and not yet its bucket. */
	if (tlob_hist_index(p->metric[metric].min) != first)
		p->metric[metric].min = tlob_hist_lower(first);
	if (tlob_hist_index(p->metric[metric].max) != last)
		p->metric[metric].max = tlob_hist_upper(last);
	return true;
}

static bool tlob_pack_into(struct tlob_packed *p, const struct tlob_cpu *c)
{
	unsigned int i;

	for (i = 0; i < TLOB_NR_METRICS; i++)
		if (c->hist[i] && !tlob_pack_metric(p, c, i))
			return false;
	return true;
}

static void tlob_packed_free(struct tlob_packed *p)
{
	if (p)
		tlob_memory_sub(struct_size(p, bucket, p->room));
	kvfree(p);
}

/* Returns the histograms of @c without empty buckets, or NULL. May sleep. */
static struct tlob_packed *tlob_pack(const struct tlob_cpu *c)
{
	unsigned int room, more = 0;
	struct tlob_packed *p;

	/* Ends: the buckets that can be new since the count are finite. */
	for (;;) {
		room = tlob_packed_room(c) + more;
		p = kvzalloc(struct_size(p, bucket, room), GFP_KERNEL);
		if (!p)
			return NULL;
		p->room = room;
		tlob_memory_add(struct_size(p, bucket, room));
		if (tlob_pack_into(p, c))
			return p;
		tlob_packed_free(p);
		more = 2 * more + 64;
	}
}

/*
 * The run is over: @c gets no more windows. Without memory the histograms stay
 * as they are until the next run.
 */
void tlob_hist_end(struct tlob_cpu *c)
{
	/* no histogram: the run did not begin */
	if (!c->hist[TLOB_METRIC_RESPONSE])
		return;
	c->packed = tlob_pack(c);
	if (c->packed)
		tlob_hist_free_buckets(c);
}

void tlob_hist_free(struct tlob_cpu *c)
{
	tlob_hist_free_buckets(c);
	tlob_packed_free(c->packed);
	c->packed = NULL;
}

static void tlob_packed_show(struct seq_file *m, const struct tlob_packed *p)
{
	unsigned int i, b, at = 0;

	for (i = 0; i < TLOB_NR_METRICS; i++) {
		if (!p->metric[i].n)
			continue;
		seq_printf(m, "%s n=%llu sum=%llu min=%llu max=%llu\n",
			   tlob_metric_names[i], p->metric[i].n,
			   p->metric[i].sum, p->metric[i].min,
			   p->metric[i].max);
		for (b = 0; b < p->metric[i].buckets; b++, at++)
			seq_printf(m, "%s %llu %llu %llu\n",
				   tlob_metric_names[i],
				   tlob_hist_lower(p->bucket[at].index),
				   tlob_hist_upper(p->bucket[at].index),
				   p->bucket[at].count);
	}
}

/*
 * The measured CPU keeps counting meanwhile, so a line may be one window ahead
 * of another. The numbers are exact once the run has ended.
 */
static int tlob_hist_show(struct seq_file *m, void *v)
{
	const struct tlob_cpu *c = m->private;
	struct tlob_packed *p;
	int err = 0;

	mutex_lock(&tlob_mutex);
	if (c->packed) {
		tlob_packed_show(m, c->packed);
	} else if (c->hist[TLOB_METRIC_RESPONSE]) {
		p = tlob_pack(c);
		if (p)
			tlob_packed_show(m, p);
		else
			err = -ENOMEM;
		tlob_packed_free(p);
	}
	mutex_unlock(&tlob_mutex);
	return err;
}

static int tlob_hist_open(struct inode *inode, struct file *file)
{
	return tlob_may_open() ?:
	       single_open(file, tlob_hist_show, inode->i_private);
}

const struct file_operations tlob_hist_fops = {
	.owner = THIS_MODULE,
	.open = tlob_hist_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};
