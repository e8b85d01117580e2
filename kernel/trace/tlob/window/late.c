// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks of late windows, and the ring that has them. The hooks and timers of a CPU fill its
 * record from t0 to t2, the measured task writes it after t3.
 */
#include <linux/error-injection.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <asm/irq_regs.h>
#include <asm/syscall.h>

#include "../base/arch.h"
#include "../ring/ring.h"
#include "extra.h"
#include "late.h"

struct tlob_lates {
	struct tlob_ring *ring;
	struct tlob_late_window record;	/* of the current window */
};

/* Late windows are few; a violation in each window fills this in 64 windows. */
static const struct tlob_ring_kind tlob_lates_kind = {
	64, sizeof(struct tlob_late_window), TLOB_WINDOW_VERSION,
};

/* < 0: the current task is in none. The numbers of 32-bit programs mean other calls. */
static s64 tlob_system_call(void)
{
	struct pt_regs *regs = task_pt_regs(current);

	if (current->flags & TLOB_PF_NEVER_USER & ~PF_EXITING || !tlob_user_is_64bit(regs))
		return -1;
	return syscall_get_nr(current, regs);
}

/* Notes the stack of the current task. @blocked: it leaves its CPU, and waits. Irqs off. */
static void tlob_late_fill(struct tlob_late_stack *s, bool blocked)
{
	unsigned long frame[TLOB_LATE_FRAMES];
	unsigned int i, nr;

	nr = stack_trace_save(frame, ARRAY_SIZE(frame), 0);
	for (i = 0; i < nr; i++)
		s->frame[i] = frame[i];
	s->size = nr * sizeof(s->frame[0]);
	s->link = tlob_irq_met_link();
	s->call = tlob_system_call();
	s->pid = current->pid ?: TLOB_LATE_IDLE;
	s->blocked = blocked;
}

/* Notes the stack of the current task. Irqs off, on @c. */
static void tlob_late_look(struct tlob_cpu *c, enum tlob_late_moment moment, bool blocked)
{
	tlob_late_fill(&c->lates->record.late.at[moment], blocked);
	c->looked |= 1U << moment;
}

static bool tlob_late_waits_at(const struct tlob_cpu *c, u64 now)
{
	return c->state == TLOB_FIRED && tlob_late_waits(&c->times, c->t0, c->t1, now);
}

/* User code cannot keep interrupts off, and neither can the task that waits. */
void tlob_late_met(struct tlob_cpu *c)
{
	if (tlob_late_is(&c->times, c->t1) && !c->met_user && current->pid && current != c->task)
		tlob_late_look(c, TLOB_LATE_MET, false);
}

/* The time that the stack takes belongs to what the interrupt has met. */
void tlob_late_tick(struct tlob_cpu *c, u64 now)
{
	struct tlob_split *s;

	if (c->looked & 1U << TLOB_LATE_TICK || current == c->task || !tlob_late_waits_at(c, now))
		return;
	tlob_late_look(c, TLOB_LATE_TICK, false);
	now = tlob_boundary(c);
	/* osnoise reports the interrupt when it ends, net of nmis */
	if (c->moves) {
		c->looked_ns = now - c->split[0].last;
		c->looked_ns -= min(c->looked_ns, c->split[0].nmi_ns);
	}
	tlob_for_each_split(c, s)
		tlob_split_charge_met(s, now);
}

/* The event of the tick's irq is the next one. Its clock is another. */
u64 tlob_late_unlooked(struct tlob_cpu *c, u64 duration)
{
	u64 ns = min(c->looked_ns, duration);

	c->looked_ns = 0;
	return duration - ns;
}

void tlob_late_left(struct tlob_cpu *c, bool blocked)
{
	struct tlob_split *s;
	u64 now;

	if (!tlob_late_waits_at(c, c->split[0].last))
		return;
	tlob_late_look(c, TLOB_LATE_LEFT, blocked);
	now = tlob_boundary(c);
	tlob_for_each_split(c, s)
		tlob_split_charge_left(s, now);
}

/*
 * In an irq: returns whether what it has met may run on when it ends. A softirq runs to its end,
 * also one that begins then. So does the kernel's code up to its way to user mode, unless the
 * kernel is preempted. preempt=lazy counts as preemptible since Linux 6.13, and lets a task of no
 * real time go on.
 */
static bool tlob_late_goes_on(void)
{
	return local_softirq_pending() || in_serving_softirq() ||
	       !(tlob_irq_met_user() || preempt_model_full() || preempt_model_rt());
}

void tlob_late_watch(struct tlob_cpu *c)
{
	if (!tlob_late_goes_on())
		return;
	c->looked |= TLOB_LATE_LOOK;
	/* its clock may be a little ahead of ours */
	hrtimer_start(&c->look_timer,
		      ns_to_ktime(c->t1 + tlob_late_after(&c->times, c->t0, c->t1) + NSEC_PER_USEC),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

static enum hrtimer_restart tlob_look_fire(struct hrtimer *timer)
{
	struct tlob_cpu *c = container_of(timer, struct tlob_cpu, look_timer);
	struct tlob_split *s;
	u64 now;

	/* it may be the timer of a window that was cut off */
	if (!READ_ONCE(c->active) || c->state != TLOB_FIRED)
		return HRTIMER_NORESTART;
	now = tlob_boundary(c);
	tlob_for_each_split(c, s)
		tlob_split_charge(s, now);
	tlob_late_tick(c, now);
	if (tlob_late_may_look(now, c->times.over_at))
		return HRTIMER_NORESTART;
	/* it was delayed, and a look now would make a violation */
	hrtimer_set_expires(timer, ns_to_ktime(c->times.over_at + NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

void tlob_late_init(struct tlob_cpu *c)
{
	tlob_hrtimer_setup(&c->look_timer, tlob_look_fire, HRTIMER_MODE_ABS_PINNED_HARD);
}

void tlob_late_write(struct tlob_cpu *c, const struct tlob_window *w)
{
	struct tlob_lates *l = c->lates;
	unsigned int i;

	tlob_late_learn(&c->limit, w);
	if (!(c->looked & ~TLOB_LATE_LOOK) || w->flags & TLOB_WINDOW_WARM_UP)
		return;
	l->record.window = *w;
	for (i = 0; i < TLOB_NR_LATE; i++)
		if (!(c->looked & 1U << i))
			l->record.late.at[i].pid = 0;
	tlob_ring_write(l->ring, &l->record, sizeof(l->record));
}

static size_t tlob_lates_bytes(void)
{
	return sizeof(struct tlob_lates) + tlob_ring_bytes(&tlob_lates_kind);
}

/* Returns 0, or -ENOMEM; then tlob_lates_free(). */
static int tlob_lates_alloc(struct tlob_cpu *c, int node)
{
	tlob_late_begin(&c->limit, tlob_config.budget_ns);
	c->lates = kzalloc_node(sizeof(*c->lates), GFP_KERNEL, node);
	if (!c->lates)
		return -ENOMEM;
	tlob_memory_add(sizeof(*c->lates));
	c->lates->ring = tlob_ring_alloc(&tlob_lates_kind, node);
	return c->lates->ring ? 0 : -ENOMEM;
}
ALLOW_ERROR_INJECTION(tlob_lates_alloc, ERRNO);

/* No probe, no timer and no thread uses them. A reader keeps its own reference. */
static void tlob_lates_free(struct tlob_cpu *c)
{
	if (!c->lates)
		return;
	tlob_ring_put(c->lates->ring);
	tlob_memory_sub(sizeof(*c->lates));
	kfree(c->lates);
	c->lates = NULL;
}

/* Returns the ring for a reader, or NULL. Under tlob_mutex. */
static struct tlob_ring *tlob_lates_ring(const struct tlob_cpu *c)
{
	return c->lates ? c->lates->ring : NULL;
}

/* No late window follows. */
static void tlob_lates_end(const struct tlob_cpu *c)
{
	if (c->lates)
		tlob_ring_end(c->lates->ring);
}

static int tlob_lates_open(struct inode *inode, struct file *file)
{
	return tlob_ring_open(inode, file, tlob_lates_ring);
}

static const struct file_operations tlob_lates_fops = {
	TLOB_RING_FOPS(tlob_lates_open),
};

const struct tlob_extra tlob_lates_extra = {
	.file = "late_windows",
	.fops = &tlob_lates_fops,
	.bytes = tlob_lates_bytes,
	.alloc = tlob_lates_alloc,
	.free = tlob_lates_free,
	.end = tlob_lates_end,
};
