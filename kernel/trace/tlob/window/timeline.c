// SPDX-License-Identifier: GPL-2.0
/*
 * Timelines: what happened in each window of a CPU, span by span. split_track.h
 * makes them while the cursor moves. Timelines have a ring of their own. The
 * measured thread writes there after t3, and before it writes the window's
 * record. A reader of the record therefore finds the timeline in that ring. If it
 * is not there, it was dropped. All memory is allocated when the run begins.
 */
#include <linux/error-injection.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../ring/ring.h"
#include "extra.h"
#include "window.h"

struct tlob_timelines {
	struct tlob_ring *ring;
	struct tlob_track track;	/* of the current window; the hooks' */
	struct tlob_timeline record;	/* of the last one; the thread's */
};

/* 200 ms of windows from a period of 200 us on: timelines are large. */
static const struct tlob_ring_kind tlob_timelines_kind = {
	1024, sizeof(struct tlob_timeline), TLOB_TIMELINE_VERSION,
};

static bool tlob_timelines_wanted(void)
{
	return tlob_config.timeline;
}

static size_t tlob_timelines_bytes(void)
{
	return sizeof(struct tlob_timelines) + tlob_ring_bytes(&tlob_timelines_kind);
}

/* Returns 0, or -ENOMEM; then tlob_timelines_free(). */
static int tlob_timelines_alloc(struct tlob_cpu *c, int node)
{
	c->timelines = kzalloc_node(sizeof(*c->timelines), GFP_KERNEL, node);
	if (!c->timelines)
		return -ENOMEM;
	tlob_memory_add(sizeof(*c->timelines));
	c->timelines->ring = tlob_ring_alloc(&tlob_timelines_kind, node);
	return c->timelines->ring ? 0 : -ENOMEM;
}
ALLOW_ERROR_INJECTION(tlob_timelines_alloc, ERRNO);

/* No probe and no thread uses them. A reader keeps its own reference. */
static void tlob_timelines_free(struct tlob_cpu *c)
{
	if (!c->timelines)
		return;
	tlob_ring_put(c->timelines->ring);
	tlob_memory_sub(sizeof(*c->timelines));
	kfree(c->timelines);
	c->timelines = NULL;
}

/* Returns the ring for a reader, or NULL. Under tlob_mutex. */
static struct tlob_ring *tlob_timelines_ring(const struct tlob_cpu *c)
{
	return c->timelines ? c->timelines->ring : NULL;
}

/* The split was just armed. Irqs off. */
static void tlob_timelines_begin(struct tlob_cpu *c)
{
	if (c->timelines)
		tlob_split_set_track(c->split, &c->timelines->track);
}

/* After t3, in the measured task. */
static void tlob_timelines_write(struct tlob_cpu *c, u64 activation, bool warm_up)
{
	struct tlob_timeline *record;

	if (!c->timelines)
		return;
	record = &c->timelines->record;
	tlob_track_copy(record, &c->timelines->track);
	record->cpu = c->cpu;
	record->activation = activation;
	tlob_ring_write(c->timelines->ring, record, sizeof(*record));
}

/* No timeline follows. */
static void tlob_timelines_end(const struct tlob_cpu *c)
{
	if (c->timelines)
		tlob_ring_end(c->timelines->ring);
}

static int tlob_timelines_open(struct inode *inode, struct file *file)
{
	return tlob_ring_open(inode, file, tlob_timelines_ring);
}

static const struct file_operations tlob_timelines_fops = {
	TLOB_RING_FOPS(tlob_timelines_open),
};

const struct tlob_extra tlob_timelines_extra = {
	.file = "timelines",
	.fops = &tlob_timelines_fops,
	.ordered = true,
	.wanted = tlob_timelines_wanted,
	.bytes = tlob_timelines_bytes,
	.alloc = tlob_timelines_alloc,
	.free = tlob_timelines_free,
	.begin = tlob_timelines_begin,
	.write = tlob_timelines_write,
	.end = tlob_timelines_end,
};
