// SPDX-License-Identifier: GPL-2.0
/*
 * Timelines: what happened in each window of a CPU, span by span. split_track.h
 * makes them while the cursor moves. Timelines have a ring of their own. The
 * measured thread writes there after t3, and before it writes the window's
 * record. A reader of the record therefore finds the timeline in that ring. If it
 * is not there, it was dropped. All memory is allocated when the run begins.
 */
#include <linux/error-injection.h>
#include <linux/slab.h>

#include "ring.h"
#include "tlob.h"

struct tlob_timelines {
	struct tlob_ring *ring;
	struct tlob_track track;	/* of the current window; the hooks' */
	struct tlob_timeline record;	/* of the last one; the thread's */
};

/* Of a CPU whose timelines are kept. */
size_t tlob_timelines_bytes(void)
{
	return sizeof(struct tlob_timelines) + tlob_ring_bytes(TLOB_RING_TIMELINES);
}

/* Returns 0, or -ENOMEM; then tlob_timelines_free(). */
int tlob_timelines_alloc(struct tlob_cpu *c, int node)
{
	c->timelines = kzalloc_node(sizeof(*c->timelines), GFP_KERNEL, node);
	if (!c->timelines)
		return -ENOMEM;
	tlob_memory_add(sizeof(*c->timelines));
	c->timelines->ring = tlob_ring_alloc(TLOB_RING_TIMELINES, node);
	return c->timelines->ring ? 0 : -ENOMEM;
}
ALLOW_ERROR_INJECTION(tlob_timelines_alloc, ERRNO);

/* No probe and no thread uses them. A reader keeps its own reference. */
void tlob_timelines_free(struct tlob_cpu *c)
{
	if (!c->timelines)
		return;
	tlob_ring_put(c->timelines->ring);
	tlob_memory_sub(sizeof(*c->timelines));
	kfree(c->timelines);
	c->timelines = NULL;
}

/* Returns the ring for a reader, or NULL. Under tlob_mutex. */
struct tlob_ring *tlob_timelines_ring(const struct tlob_cpu *c)
{
	return c->timelines ? c->timelines->ring : NULL;
}

/* The split was just armed. Irqs off. */
void tlob_timelines_begin(struct tlob_cpu *c)
{
	tlob_split_set_track(c->split, &c->timelines->track);
}

/* After t3, in the measured task. */
void tlob_timelines_write(struct tlob_cpu *c, u64 activation)
{
	struct tlob_timeline *record = &c->timelines->record;

	tlob_track_copy(record, &c->timelines->track);
	record->cpu = c->cpu;
	record->activation = activation;
	tlob_ring_write_timeline(c->timelines->ring, record);
}

/* No timeline follows. */
void tlob_timelines_end(const struct tlob_cpu *c)
{
	if (c->timelines)
		tlob_ring_end(c->timelines->ring);
}
