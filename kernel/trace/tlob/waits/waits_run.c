// SPDX-License-Identifier: GPL-2.0
/*
 * The longest wait of each window of a run. Its thread writes it to a ring of its
 * own after t3, before the window's record. All memory is allocated when the run
 * begins, and only with the setting `longest_wait`.
 *
 * The hooks of the profiler outlive a run. They look at the memory of a run only in
 * an open window: on its CPU, with irqs off. The end of a run closes the window on
 * that CPU before it frees anything.
 */
#include <linux/error-injection.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>

#include "../ring/ring.h"
#include "waits.h"

struct tlob_run_waits {
	struct tlob_ring *ring;
	u64	activation;		/* the window of @longest */
	struct tlob_longest longest;
};

static const struct tlob_ring_kind tlob_run_waits_kind = {
	1024, sizeof(struct tlob_run_wait), TLOB_RUN_WAIT_VERSION,
};

static bool tlob_run_waits_wanted(void)
{
	return tlob_config.longest_wait;
}

static size_t tlob_run_waits_bytes(void)
{
	return sizeof(struct tlob_run_waits) + tlob_ring_bytes(&tlob_run_waits_kind);
}

/* Returns 0, or -ENOMEM; then tlob_run_waits_free(). */
static int tlob_run_waits_alloc(struct tlob_cpu *c, int node)
{
	c->waits = kzalloc_node(sizeof(*c->waits), GFP_KERNEL, node);
	if (!c->waits)
		return -ENOMEM;
	tlob_memory_add(sizeof(*c->waits));
	c->waits->ring = tlob_ring_alloc(&tlob_run_waits_kind, node);
	return c->waits->ring ? 0 : -ENOMEM;
}
ALLOW_ERROR_INJECTION(tlob_run_waits_alloc, ERRNO);

/* No thread uses them. A reader keeps its own reference. */
static void tlob_run_waits_free(struct tlob_cpu *c)
{
	if (!c->waits)
		return;
	tlob_ring_put(c->waits->ring);
	tlob_memory_sub(sizeof(*c->waits));
	kfree(c->waits);
	c->waits = NULL;
}

/* Returns the ring for a reader, or NULL. Under tlob_mutex. */
static struct tlob_ring *tlob_run_waits_ring(const struct tlob_cpu *c)
{
	return c->waits ? c->waits->ring : NULL;
}

bool tlob_wait_in_run(const struct task_struct *task)
{
	const struct tlob_cpu *c = tlob_this_cpu();

	return READ_ONCE(c->active) && READ_ONCE(c->task) == task &&
	       READ_ONCE(c->state) == TLOB_IN_WINDOW;
}

void tlob_wait_run_add(const struct tlob_longest *wait)
{
	struct tlob_cpu *c = tlob_this_cpu();
	struct tlob_run_waits *r = c->waits;

	if (!r || (r->activation == c->activation && wait->ns <= r->longest.ns))
		return;
	r->activation = c->activation;
	r->longest = *wait;
}

void tlob_wait_run_noted(const struct tlob_wait_work *w)
{
	struct tlob_run_waits *r;
	unsigned long flags;

	local_irq_save(flags);
	r = tlob_wait_in_run(current) ? tlob_this_cpu()->waits : NULL;
	if (r && r->longest.owed == w->serial) {
		r->longest.stack = w->id;
		r->longest.owed = 0;
	}
	local_irq_restore(flags);
}

/*
 * After t3, in the measured task: no hook adds to its window any more. Numbers of
 * activations begin at 1, so an unused @r belongs to no window.
 */
static void tlob_run_waits_write(struct tlob_cpu *c, u64 activation, bool warm_up)
{
	const struct tlob_run_waits *r = c->waits;
	struct tlob_run_wait record = {
		.version = TLOB_RUN_WAIT_VERSION,
		.size = sizeof(record),
		.cpu = c->cpu,
		.activation = activation,
	};

	if (!r || r->activation != activation || !r->longest.ns)
		return;
	tlob_longest_fill(&r->longest, current->tgid, &init_pid_ns, true,
			  &record.wait);
	tlob_ring_write(r->ring, &record, sizeof(record));
}

/* No wait follows. */
static void tlob_run_waits_end(const struct tlob_cpu *c)
{
	if (c->waits)
		tlob_ring_end(c->waits->ring);
}

static int tlob_longest_waits_open(struct inode *inode, struct file *file)
{
	return tlob_ring_open(inode, file, tlob_run_waits_ring);
}

static const struct file_operations tlob_longest_waits_fops = {
	TLOB_RING_FOPS(tlob_longest_waits_open),
};

const struct tlob_extra tlob_run_waits_extra = {
	.file = "longest_waits",
	.fops = &tlob_longest_waits_fops,
	.wanted = tlob_run_waits_wanted,
	.bytes = tlob_run_waits_bytes,
	.alloc = tlob_run_waits_alloc,
	.free = tlob_run_waits_free,
	.write = tlob_run_waits_write,
	.end = tlob_run_waits_end,
};
