// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a window: armed, fired, begun, then ended or cut off.
 *
 * Each step reads the clock and changes the state in one section with irqs off
 * on the window's CPU. So timers, hooks and the thread never see half a step.
 * Both the budget's timer and the end of the window test elapsed > budget.
 * c->exceeded lets only the first of them report.
 */
#include <linux/error-injection.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/smp.h>

#include "../base/steal.h"
#include "../ring/ring.h"
#include "extra.h"
#include "late.h"
#include "report.h"
#include "window.h"

DEFINE_PER_CPU(struct tlob_cpu, tlob_cpus);

/* More than twice the records that the shortest period makes between two wake-ups. */
const struct tlob_ring_kind tlob_windows_kind = {
	4096, sizeof(struct tlob_window), TLOB_WINDOW_VERSION,
};

/*
 * Returns 0 while the current task has @c, or -EXDEV if it has left the CPU.
 * Returns -ENODEV if the run is over, or if the CPU belongs to another task of
 * another run. Only a claim leaves CLOSED, on that CPU with irqs off. So the
 * answer stays true in a section with irqs off on that CPU.
 */
static int tlob_window_check(const struct tlob_cpu *c)
{
	if (READ_ONCE(c->task) != current)
		return -ENODEV;
	switch (READ_ONCE(c->abort)) {
	case TLOB_ABORT_NONE:
		return READ_ONCE(c->state) == TLOB_CLOSED ? -ENODEV : 0;
	case TLOB_ABORT_MIGRATED:
		return -EXDEV;
	default:
		return -ENODEV;
	}
}

static const char *tlob_state_name(const struct tlob_cpu *c)
{
	if (c->state == TLOB_FIRED)
		return "waking";
	switch (c->split[0].base) {
	case TLOB_WORK_THREAD:
		return "waiting";
	case TLOB_WORK_SLEEP:
		return "sleeping";
	default:
		return "running";
	}
}

/*
 * Reports a violation by @task; called once per violation. @elapsed: ns since
 * t0.
 */
static void tlob_window_exceeded(struct tlob_cpu *c, struct task_struct *task,
				 u64 activation, u64 elapsed)
{
	struct tlob_exceeded x = {
		.cpu = c->cpu,
		.comm = task->comm,
		.pid = task->pid,
		.tag = activation,
		.elapsed = elapsed,
		.threshold = tlob_config.budget_ns,
		.switches = c->split[0].switches,
		.state = tlob_state_name(c),
	};

	memcpy(x.part, c->split[0].part, sizeof(x.part));
	tlob_report_exceeded(&x);

	/*
	 * From here on only claiming and arming are refused. The window continues
	 * to its end and its record. A CPU whose task arms again stops by itself;
	 * tlob_window_end_stopped() ends the rings of the others.
	 */
	if (READ_ONCE(tlob_config.stop_on_exceed) &&
	    !cmpxchg(&tlob_run.stopping, false, true)) {
		tlob_run.stopped_activation = activation;
		/* pairs with smp_load_acquire() in tlob_status_show() */
		smp_store_release(&tlob_run.stopped_cpu, c->cpu);
	}
}

static enum hrtimer_restart tlob_period_fire(struct hrtimer *timer)
{
	struct tlob_cpu *c = container_of(timer, struct tlob_cpu, period_timer);
	struct tlob_split *s;
	u64 now;

	if (c->state != TLOB_ARMED)
		return HRTIMER_NORESTART;
	if (!READ_ONCE(c->active)) {
		/*
		 * The task has left its CPU. The hook that saw this held the
		 * run queue's lock and could not wake it. The task may be moved
		 * between its last check of the state and its sleep. Since 6.12
		 * it may also be moved while it sleeps and its dequeue is
		 * delayed.
		 */
		wake_up_process(c->task);
		return HRTIMER_NORESTART;
	}
	if (READ_ONCE(tlob_run.stopping)) {
		tlob_window_kill_local(c, TLOB_ABORT_DEAD);
		return HRTIMER_NORESTART;
	}

	now = tlob_boundary(c);
	tlob_for_each_split(c, s)
		tlob_split_t1(s, now);
	c->t1 = c->split[0].last;
	if (unlikely(c->t1 - c->t0 > TLOB_SHORT_NS)) {
		c->met_user = tlob_irq_met_user();
		tlob_late_met(c);
	}
	c->delayed_by_pid = current->pid;
	c->delayed_by_idle = is_idle_task(current) ? c->idle_state : -1;
	memcpy(c->delayed_by, current->comm, sizeof(c->delayed_by));
	if (unlikely(c->split[0].track))
		tlob_track_task(c->split[0].track, c->delayed_by);
	WRITE_ONCE(c->state, TLOB_FIRED);
	wake_up_process(c->task);
	tlob_late_fired(c);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart tlob_budget_fire(struct hrtimer *timer)
{
	struct tlob_cpu *c = container_of(timer, struct tlob_cpu, budget_timer);
	struct tlob_split *s;
	u64 now;

	if (!READ_ONCE(c->active) || c->state < TLOB_FIRED || c->exceeded)
		return HRTIMER_NORESTART;

	now = tlob_boundary(c);
	tlob_for_each_split(c, s)
		tlob_split_charge(s, now);
	if (now - c->t0 <= tlob_config.budget_ns) {
		/* the fast clock is behind the timer's clock: check again */
		hrtimer_forward_now(timer, ns_to_ktime(NSEC_PER_USEC));
		return HRTIMER_RESTART;
	}
	c->exceeded = true;
	tlob_late_tick(c, now);
	tlob_window_exceeded(c, c->task, c->activation, now - c->t0);
	return HRTIMER_NORESTART;
}

void tlob_window_init(struct tlob_cpu *c, int cpu)
{
	c->cpu = cpu;
	c->idle_state = -1;
	c->steal_at = &tlob_no_steal;
	tlob_hrtimer_setup(&c->period_timer, tlob_period_fire,
			   HRTIMER_MODE_ABS_PINNED_HARD);
	tlob_hrtimer_setup(&c->budget_timer, tlob_budget_fire,
			   HRTIMER_MODE_ABS_PINNED_HARD);
	tlob_late_init(c);
}

void tlob_steal_ask(struct tlob_cpu *c)
{
	const u64 *at = tlob_steal_find();

	if (at == c->steal_at)
		return;
	c->task_steal = READ_ONCE(*at);
	WRITE_ONCE(c->steal_from, c->task_steal);
	/* a clock is never older than its start; pairs with the acquire in tlob_stolen() */
	smp_store_release(&c->steal_at, at);
}

/*
 * Measures the windows of @task on @c. Runs on that CPU in @task. Returns 0,
 * -ENODEV if the CPU has no run, or -EPERM on another CPU.
 */
int tlob_window_claim(struct tlob_cpu *c, struct task_struct *task)
{
	unsigned long flags;
	int err = 0;

	local_irq_save(flags);
	if (smp_processor_id() != c->cpu) {
		err = -EPERM;
	} else if (tlob_run.state != TLOB_ENABLED || tlob_run.stopping ||
		   READ_ONCE(c->gone) || !cpu_active(c->cpu)) {
		err = -ENODEV;
	} else {
		c->task = task;
		/* anew, since the CPU may have been offline */
		tlob_steal_ask(c);
		WRITE_ONCE(c->pid, task->pid);
		c->ended_at = 0;
		c->abort = TLOB_ABORT_NONE;
		c->state = TLOB_OPEN;
	}
	local_irq_restore(flags);
	return err;
}
ALLOW_ERROR_INJECTION(tlob_window_claim, ERRNO);

/* Starts the cursors for a window at @t0, in ns. Irqs off. */
static void tlob_window_reset(struct tlob_cpu *c, u64 now, u64 t0)
{
	unsigned int i;

	c->t0 = t0;
	/* of a window that was cut off */
	tlob_late_begun(c);
	tlob_late_arm(&c->times, t0, c->limit.late_ns, c->limit.over_ns);
	c->looked = 0;
	c->looked_ns = 0;
	c->exceeded = false;
	c->hw_ns = 0;
	c->idle_state = -1;
	c->wakeup_ns = 0;
	c->steal = READ_ONCE(*c->steal_at);
	c->news = false;
	c->met_user = false;
	for (i = 0; i <= c->two; i++) {
		c->nmi_ns_taken[i] = c->nmi[i].ns;
		c->nmi_count_taken[i] = c->nmi[i].count;
		c->nmi[i].max = 0;
		tlob_split_arm(&c->split[i], now, t0, current->pid,
			       !i && c->moves);
	}
	if (c->hooked && c->steal_at != &tlob_no_steal)
		tlob_split_has_steal(c->hooked);
	if (c->extras)
		tlob_extra_begin(c);
}

/*
 * Opens a window without an expiry, for calibration. Until
 * tlob_window_measured() the time is split like work, but no record is written.
 * Runs in the CPU's own task on that CPU, with nothing armed.
 */
void tlob_window_measure(struct tlob_cpu *c)
{
	unsigned long flags;
	struct tlob_split *s;
	u64 now;

	local_irq_save(flags);
	if (tlob_window_check(c))
		goto out;
	now = tlob_clock();
	tlob_window_reset(c, now, now);
	tlob_for_each_split(c, s) {
		tlob_split_t1(s, now);
		tlob_split_t2(s, now);
	}
	barrier();
	WRITE_ONCE(c->active, true);
out:
	local_irq_restore(flags);
}

/* Ends the window of tlob_window_measure() and returns its on_cpu in ns. */
u64 tlob_window_measured(struct tlob_cpu *c)
{
	unsigned long flags;
	struct tlob_split *s;
	u64 now;

	local_irq_save(flags);
	now = tlob_boundary(c);
	tlob_for_each_split(c, s)
		tlob_split_t3(s, now);
	WRITE_ONCE(c->active, false);
	local_irq_restore(flags);
	return c->split[0].part[TLOB_WORK_ON_CPU];
}

/*
 * Arms the next future expiry of the grid. Runs in the CPU's own task on that
 * CPU. Returns 0, -ENODEV if the run is over, or -EXDEV if the task has left
 * the CPU.
 */
int tlob_window_arm(struct tlob_cpu *c)
{
	u64 period = tlob_config.period_ns;
	unsigned long flags;
	u64 now, next;
	int err;

	local_irq_save(flags);
	err = tlob_window_check(c);
	if (!err && smp_processor_id() != c->cpu) {
		WRITE_ONCE(c->abort, TLOB_ABORT_MIGRATED);
		err = -EXDEV;
	}
	if (!err && READ_ONCE(tlob_run.stopping)) {
		tlob_window_kill_local(c, TLOB_ABORT_DEAD);
		err = -ENODEV;
	}
	if (err)
		goto out;

	now = tlob_clock();
	next = c->activation + 1;
	if (c->grid_start + next * period <= now)
		next = div64_u64(now - c->grid_start, period) + 1;
	if (c->armed_once) {
		tlob_count(&c->stats.missed, next - c->activation - 1);
	} else {
		WRITE_ONCE(c->armed_once, true);
		WRITE_ONCE(c->stats.first_activation, next);
		c->recorded = next - 1;
	}
	WRITE_ONCE(c->activation, next);
	tlob_window_reset(c, now, c->grid_start + next * period);
	c->state = TLOB_ARMED;
	/* an nmi that sees active must see t0 */
	barrier();
	WRITE_ONCE(c->active, true);
	hrtimer_start(&c->period_timer, ns_to_ktime(c->t0),
		      HRTIMER_MODE_ABS_PINNED_HARD);
	/* one ns more, so elapsed > budget holds when the timer fires */
	hrtimer_start(&c->budget_timer,
		      ns_to_ktime(c->t0 + tlob_config.budget_ns + 1),
		      HRTIMER_MODE_ABS_PINNED_HARD);
	if (c->ended_at)
		tlob_count(&c->stats.overhead_ns, tlob_clock() - c->ended_at);
	c->ended_at = 0;
out:
	local_irq_restore(flags);
	return err;
}

/*
 * Sleeps until the armed expiry has fired. Returns 0, -EINTR (the window stays
 * armed), -ENODEV or -EXDEV.
 */
int tlob_window_wait(struct tlob_cpu *c)
{
	int err = 0;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		err = tlob_window_check(c);
		if (err || READ_ONCE(c->state) != TLOB_ARMED)
			break;
		if (signal_pending(current)) {
			err = -EINTR;
			break;
		}
		schedule();
		/* no needless work between here and t2 */
		if (READ_ONCE(c->state) == TLOB_FIRED)
			break;
	}
	__set_current_state(TASK_RUNNING);
	return err;
}

/*
 * Takes t2. Runs in the CPU's own task after tlob_window_wait(). Returns 0,
 * -ENODEV or -EXDEV.
 */
int tlob_window_begin(struct tlob_cpu *c)
{
	unsigned long flags;
	struct tlob_split *s;
	int err;
	u64 now;

	local_irq_save(flags);
	err = tlob_window_check(c);
	if (unlikely(err || !READ_ONCE(c->active) || c->state != TLOB_FIRED)) {
		err = err ?: -ENODEV;
		goto out;
	}
	now = tlob_boundary(c);
	tlob_for_each_split(c, s)
		tlob_split_t2(s, now);
	c->t2 = c->split[0].last;
	WRITE_ONCE(c->state, TLOB_IN_WINDOW);
	tlob_late_begun(c);
out:
	local_irq_restore(flags);
	return err;
}

static void tlob_window_fill(const struct tlob_cpu *c, struct tlob_window *w,
			     u64 activation, u32 flags)
{
	const struct tlob_split *s = &c->split[0];

	/* every byte is set below, so a memset() is not needed: no holes */
	w->version = TLOB_WINDOW_VERSION;
	w->size = sizeof(*w);
	w->cpu = c->cpu;
	w->activation = activation;
	w->t0_ns = c->t0;
	w->irq_latency_ns = c->t1 - c->t0;
	w->wake_ns = c->t2 - c->t0;
	w->response_ns = c->t3 - c->t0;
	w->budget_ns = tlob_config.budget_ns;
	w->missed = activation - c->recorded - 1;
	memcpy(w->part_ns, s->part, sizeof(w->part_ns));
	memcpy(w->wake_count, s->count[0], sizeof(w->wake_count));
	memcpy(w->work_count, s->count[1], sizeof(w->work_count));
	w->flags = flags;
	w->unavailable = tlob_run.unavailable;
	w->largest = s->largest;
	w->delayed_by_pid = c->delayed_by_pid;
	w->delayed_by_idle_state = c->delayed_by_idle;
	memcpy(w->delayed_by, c->delayed_by, sizeof(w->delayed_by));
	w->adjusted_ns = s->adjusted;
	w->clock_steps = s->steps;
	w->errors = s->errors;
	if (s->adjusted || s->steps || s->errors)
		w->flags |= TLOB_WINDOW_INEXACT;
	if (s->throttled)
		w->flags |= TLOB_WINDOW_THROTTLED;
	if (c->met_user)
		w->flags |= TLOB_WINDOW_USER;
	if (c->exceeded)
		w->flags |= TLOB_WINDOW_VIOLATION;
	if (c->stats.windows < tlob_config.warm_up)
		w->flags |= TLOB_WINDOW_WARM_UP;
}

static void tlob_window_count(struct tlob_cpu *c, const struct tlob_window *w)
{
	struct tlob_stats *st = &c->stats;
	unsigned int i;

	tlob_count(&st->windows, 1);
	tlob_count(&st->violations, c->exceeded);
	tlob_count(&st->adjusted_ns, w->adjusted_ns);
	tlob_count(&st->clock_steps, w->clock_steps);
	tlob_count(&st->errors, w->errors);
	if (tlob_split_sum(w->part_ns, false) != w->wake_ns ||
	    tlob_split_sum(w->part_ns, true) != w->response_ns - w->wake_ns)
		tlob_count(&st->sum_failures, 1);
	if (!c->two)
		return;
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		u64 a = c->split[0].part[i], b = c->split[1].part[i];

		WRITE_ONCE(st->difference[i], max(st->difference[i],
						  a > b ? a - b : b - a));
	}
}

/*
 * Takes t3 first. Then gives the verdict, writes the record to @w, and updates
 * histograms, ring and trace. Runs in the CPU's own task. @flags: TLOB_WINDOW_*
 * to add. Returns 0, 1 if over the budget, -ESRCH if no window runs, -ENODEV or
 * -EXDEV.
 */
int tlob_window_end(struct tlob_cpu *c, struct tlob_window *w, u32 flags)
{
	unsigned long irqflags;
	bool report = false;
	u64 now, activation;
	struct tlob_split *s;
	int ret;

	local_irq_save(irqflags);
	ret = tlob_window_check(c);
	if (unlikely(ret || !READ_ONCE(c->active) ||
		     c->state != TLOB_IN_WINDOW)) {
		local_irq_restore(irqflags);
		return ret ?: -ESRCH;
	}
	now = tlob_boundary(c);
	tlob_for_each_split(c, s)
		tlob_split_t3(s, now);
	c->t3 = c->split[0].last;
	if (c->t3 - c->t0 > tlob_config.budget_ns && !c->exceeded) {
		c->exceeded = true;
		report = true;
	}
	/* after this section the end of the run may advance c->activation */
	activation = c->activation;
	/* after a STOP the time until the next arming is not overhead */
	c->ended_at = flags & TLOB_WINDOW_STOPPED ? 0 : c->t3;
	c->state = TLOB_ENDED;
	WRITE_ONCE(c->active, false);
	if (c->extras)
		tlob_extra_close(c);
	WRITE_ONCE(c->busy, true);
	/* the end of a run waits for this, and must not wait for a task that keeps the CPU */
	preempt_disable();
	local_irq_restore(irqflags);

	/*
	 * Until the next arming no hook and no timer touches the split. The
	 * budget's timer keeps running: arming moves it, and if it fires
	 * earlier it finds the window ended. Cancelling it would cost more.
	 */
	tlob_for_each_split(c, s)
		tlob_split_hw(s, c->hw_ns);
	if (report)
		tlob_window_exceeded(c, current, activation, c->t3 - c->t0);
	tlob_window_fill(c, w, activation, flags);
	c->recorded = activation;
	tlob_window_count(c, w);
	if (!(w->flags & TLOB_WINDOW_WARM_UP))
		tlob_hist_window_nonzero(c->hist, w);
	if (c->extras)
		tlob_extra_write(c, activation, w->flags & TLOB_WINDOW_WARM_UP);
	if (unlikely(w->wake_ns > c->limit.late_ns || w->flags & TLOB_WINDOW_WARM_UP))
		tlob_late_write(c, w);
	tlob_ring_write(c->ring, w, sizeof(*w));
	tlob_report_window(w);
	ret = c->exceeded;
	/* pairs with the acquire in tlob_fd_disown() */
	smp_store_release(&c->busy, false);
	preempt_enable();
	return ret;
}

/*
 * Counts every past expiry without a window as missed. After this windows +
 * missed = activation - first_activation + 1. Later expiries, with the file
 * closed, count as missed only if the CPU is armed again in this run.
 */
static void tlob_window_count_missed(struct tlob_cpu *c)
{
	u64 now = tlob_clock(), last = 0, first = c->activation;

	if (!c->armed_once)
		return;
	if (now > c->grid_start)
		last = div64_u64(now - c->grid_start, tlob_config.period_ns);

	switch (c->state) {
	case TLOB_FIRED:
	case TLOB_IN_WINDOW:
		tlob_count(&c->stats.aborted, 1);
		break;
	case TLOB_ARMED:
		break;
	default:
		first++;	/* this activation has its window */
	}
	tlob_count(&c->stats.missed, last >= first ? last - first + 1 : 0);
	WRITE_ONCE(c->activation, max(last, first - 1));
}

bool tlob_window_goes_on(const struct tlob_cpu *c)
{
	unsigned int state = READ_ONCE(c->state);

	return (state == TLOB_ARMED || state == TLOB_FIRED ||
		state == TLOB_IN_WINDOW) && !READ_ONCE(c->abort);
}

/*
 * Ends the rings of @c if the run has stopped and no record follows: no window is open,
 * none is armed again, and no task publishes one. Irqs off; runs on that CPU, or while
 * that CPU is offline. So an arming came before it, or is refused.
 */
static void tlob_window_end_rings(const struct tlob_cpu *c)
{
	if (!READ_ONCE(tlob_run.stopping) || tlob_window_goes_on(c) || READ_ONCE(c->busy))
		return;
	tlob_extra_end(c);
	tlob_ring_end(c->ring);
}

/*
 * Ends the window of @c for good and wakes the task, which learns of it by
 * tlob_window_check(). Irqs off; runs on that CPU, or while that CPU is offline.
 */
void tlob_window_kill_local(struct tlob_cpu *c, enum tlob_abort why)
{
	if (c->state == TLOB_CLOSED)
		return;
	WRITE_ONCE(c->active, false);
	if (c->abort == TLOB_ABORT_MIGRATED)
		tlob_count(&c->stats.migrated, 1);
	else
		WRITE_ONCE(c->abort, why);
	tlob_window_count_missed(c);
	/* even the current task: it may be between its check and schedule() */
	if (c->state == TLOB_ARMED)
		wake_up_process(c->task);
	WRITE_ONCE(c->state, TLOB_CLOSED);
	tlob_window_end_rings(c);
}

/* Runs @call on the CPU of @c with irqs off; may sleep. */
static void tlob_window_on_cpu(struct tlob_cpu *c, smp_call_func_t call)
{
	unsigned long flags;

	if (smp_call_function_single(c->cpu, call, c, true)) {
		/* the CPU is offline, so nothing runs on it */
		local_irq_save(flags);
		call(c);
		local_irq_restore(flags);
	}
}

static void tlob_window_end_rings_ipi(void *info)
{
	tlob_window_end_rings(info);
}

/*
 * Ends the rings of a run that has stopped where no task does: the CPU never had one, its
 * task had left it before, arms nothing more, or was killed while it published. In a
 * thread, from tlob_ring_wake_start() to tlob_ring_wake_stop().
 */
void tlob_window_end_stopped(void)
{
	int cpu;

	if (!READ_ONCE(tlob_run.stopping))
		return;
	for_each_cpu(cpu, &tlob_run.cpus) {
		struct tlob_cpu *c = tlob_cpu(cpu);

		/* no IPI into a window; there is a next time */
		if (!tlob_ring_over(c->ring) && !tlob_window_goes_on(c))
			tlob_window_on_cpu(c, tlob_window_end_rings_ipi);
	}
}

static void tlob_window_kill_ipi(void *info)
{
	tlob_window_kill_local(info, TLOB_ABORT_DEAD);
}

/*
 * Ends the window of @c as tlob_window_kill_local() does, but from any CPU; may sleep.
 * Afterwards no timer of @c runs, and none starts until the next claim.
 */
void tlob_window_kill(struct tlob_cpu *c)
{
	tlob_window_on_cpu(c, tlob_window_kill_ipi);
	hrtimer_cancel(&c->period_timer);
	hrtimer_cancel(&c->budget_timer);
	hrtimer_cancel(&c->look_timer);
}

static struct tlob_ring *tlob_windows_ring(const struct tlob_cpu *c)
{
	return c->ring;
}

static int tlob_windows_open(struct inode *inode, struct file *file)
{
	return tlob_ring_open(inode, file, tlob_windows_ring);
}

const struct file_operations tlob_windows_fops = {
	TLOB_RING_FOPS(tlob_windows_open),
};
