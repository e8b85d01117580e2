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
#include <linux/pid_namespace.h>
#include <linux/slab.h>

#include "ring.h"
#include "waits.h"

struct tlob_run_waits {
	struct tlob_ring *ring;
	u64	activation;		/* the window that @longest is of */
	struct tlob_longest longest;
};

size_t tlob_run_waits_bytes(void)
{
	return sizeof(struct tlob_run_waits) + tlob_ring_bytes(TLOB_RING_WAITS);
}

/* Returns 0, or -ENOMEM; then tlob_run_waits_free(). */
int tlob_run_waits_alloc(struct tlob_cpu *c, int node)
{
	c->waits = kzalloc_node(sizeof(*c->waits), GFP_KERNEL, node);
	if (!c->waits)
		return -ENOMEM;
	tlob_memory_add(sizeof(*c->waits));
	c->waits->ring = tlob_ring_alloc(TLOB_RING_WAITS, node);
	return c->waits->ring ? 0 : -ENOMEM;
}
ALLOW_ERROR_INJECTION(tlob_run_waits_alloc, ERRNO);

/* No thread uses them. A reader keeps its own reference. */
void tlob_run_waits_free(struct tlob_cpu *c)
{
	if (!c->waits)
		return;
	tlob_ring_put(c->waits->ring);
	tlob_memory_sub(sizeof(*c->waits));
	kfree(c->waits);
	c->waits = NULL;
}

/* Returns the ring for a reader, or NULL. Under tlob_mutex. */
struct tlob_ring *tlob_run_waits_ring(const struct tlob_cpu *c)
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
 * activations begin at 1, so an unused @r is of no window.
 */
void tlob_run_waits_write(struct tlob_cpu *c, u64 activation)
{
	const struct tlob_run_waits *r = c->waits;
	struct tlob_run_wait record = {
		.version = TLOB_RUN_WAIT_VERSION,
		.size = sizeof(record),
		.cpu = c->cpu,
		.activation = activation,
	};

	if (r->activation != activation || !r->longest.ns)
		return;
	tlob_longest_fill(&r->longest, current->tgid, &init_pid_ns, true,
			  &record.wait);
	tlob_ring_write_wait(r->ring, &record);
}

/* No wait follows. */
void tlob_run_waits_end(const struct tlob_cpu *c)
{
	if (c->waits)
		tlob_ring_end(c->waits->ring);
}
