// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the tracepoints, chooses the noise source, attaches and detaches its
 * probes, and has the probes that every source needs: the scheduler's.
 */
#include <linux/binfmts.h>
#include <linux/delay.h>
#include <linux/error-injection.h>
#include <linux/interrupt.h>
#include <linux/seq_file.h>
#include <linux/smp.h>

#include "monitor.h"
#include "noise.h"

/* power:cpu_idle's state at the exit; linux/cpuidle.h calls it PWR_EVENT_EXIT. */
#define TLOB_IDLE_EXIT	((unsigned int)-1)

/* How long osnoise may take to report one interrupt: a virtual CPU may stand. */
#define TLOB_NOISE_PING_MS	20

static const char * const tlob_softirq_names[NR_SOFTIRQS] = {
	[HI_SOFTIRQ] = "HI", [TIMER_SOFTIRQ] = "TIMER",
	[NET_TX_SOFTIRQ] = "NET_TX", [NET_RX_SOFTIRQ] = "NET_RX",
	[BLOCK_SOFTIRQ] = "BLOCK", [IRQ_POLL_SOFTIRQ] = "IRQ_POLL",
	[TASKLET_SOFTIRQ] = "TASKLET", [SCHED_SOFTIRQ] = "SCHED",
	[HRTIMER_SOFTIRQ] = "HRTIMER", [RCU_SOFTIRQ] = "RCU",
};

const char *tlob_softirq_name(unsigned int nr)
{
	return nr < NR_SOFTIRQS ? tlob_softirq_names[nr] : NULL;
}

/*
 * The handler has interrupted a cursor that may be half moved, so it only adds
 * to an account that the next boundary reads. What lies before t0 is cut here,
 * where the end is known.
 */
void tlob_nmi_ended(struct tlob_cpu *c, unsigned int i, u64 ns, bool count)
{
	struct tlob_nmi *nmi = &c->nmi[i];
	u64 now = tlob_clock(), t0 = READ_ONCE(c->t0);

	tlob_interfere(c);
	ns = now > t0 ? min(ns, now - t0) : 0;
	if (ns) {
		nmi->ns += ns;
		nmi->count += count;
		if (ns > nmi->max)
			nmi->max = ns;
	}
	WRITE_ONCE(c->nmi_entries, c->nmi_entries + 1);
	WRITE_ONCE(c->late, true);
}

/* 6.1 tells the state from before it saw a signal, which kept the task runnable. */
static __always_inline bool tlob_blocked(bool preempt,
					 const struct task_struct *prev,
					 unsigned int prev_state)
{
	return !preempt && prev_state != TASK_RUNNING &&
	       READ_ONCE(prev->__state) != TASK_RUNNING;
}

static noinline void tlob_window_switch(bool preempt, struct task_struct *prev,
					struct task_struct *next,
					unsigned int prev_state)
{
	bool blocked = tlob_blocked(preempt, prev, prev_state);
	struct tlob_cpu *c = tlob_this_cpu();
	struct tlob_split *s;
	u64 now;

	tlob_interfere(c);
	now = tlob_boundary(c);
	tlob_for_each_split(c, s)
		tlob_split_switch(s, now, prev->pid, prev->comm,
				  blocked, next->pid);
}

static noinline void tlob_monitored_switch(bool preempt,
					   struct task_struct *prev,
					   struct task_struct *next,
					   unsigned int prev_state)
{
	if (tlob_active())
		tlob_window_switch(preempt, prev, next, prev_state);
	tlob_monitor_switch(tlob_this_cpu(), prev, next,
			    tlob_blocked(preempt, prev, prev_state));
}

/* Under the rq's lock, irqs off, on the CPU that switches. */
static void tlob_sched_switch(void *data, bool preempt,
			      struct task_struct *prev,
			      struct task_struct *next, unsigned int prev_state)
{
	u32 watched = tlob_watched() | READ_ONCE(tlob_monitor_used);

	if (likely(!watched))
		return;
	if (likely(watched == TLOB_ONLY_ACTIVE))
		tlob_window_switch(preempt, prev, next, prev_state);
	else
		tlob_monitored_switch(preempt, prev, next, prev_state);
}

/*
 * Runs where the task was woken from. Only its own CPU may move the cursor, so
 * another one leaves the time in the mailbox; the first is the one that counts.
 * A task that wakes itself does not sleep, and that path has irqs on.
 */
static noinline void tlob_wakeup(struct tlob_cpu *c)
{
	struct tlob_split *s;
	u64 now;

	if (c->cpu == raw_smp_processor_id()) {
		/* the wake-up at every expiry changes nothing */
		if (c->split[0].base != TLOB_WORK_SLEEP)
			return;
		now = tlob_boundary(c);
		tlob_for_each_split(c, s)
			tlob_split_wakeup(s, now);
	} else {
		cmpxchg(&c->wakeup_ns, 0, tlob_clock());
		/* after the time; a boundary in between looks once more */
		smp_store_release(&c->late, true);
	}
}

static void tlob_sched_wakeup(void *data, struct task_struct *p)
{
	struct tlob_cpu *c = per_cpu_ptr(&tlob_cpus, task_cpu(p));

	if (unlikely(READ_ONCE(c->active)) && c->task == p && p != current)
		tlob_wakeup(c);
	if (unlikely(READ_ONCE(tlob_monitor_used)) && p != current)
		tlob_monitor_wakeup(p);
}

/*
 * The task is about to leave its CPU. A CPU that is no longer active pushes its
 * tasks away: that is its going offline, not a migration.
 */
static void tlob_sched_migrate_task(void *data, struct task_struct *p,
				    int dest_cpu)
{
	struct tlob_cpu *c = per_cpu_ptr(&tlob_cpus, task_cpu(p));

	if (likely(c->task != p) || dest_cpu == c->cpu)
		return;
	cmpxchg(&c->abort, TLOB_ABORT_NONE, cpu_active(c->cpu) ?
		TLOB_ABORT_MIGRATED : TLOB_ABORT_DEAD);
	WRITE_ONCE(c->active, false);
}

/* In the task that exits. A fork may hold its file open for ever. */
static void tlob_sched_process_exit(TLOB_EXIT_PROTO)
{
	struct tlob_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&tlob_cpus);
	if (c->task == p)
		tlob_window_kill_local(c, TLOB_ABORT_DEAD);
	local_irq_restore(flags);
	if (unlikely(READ_ONCE(tlob_monitor_used)))
		tlob_monitor_exited();
}

static void tlob_sched_process_exec(void *data, struct task_struct *p,
				    pid_t old_pid, struct linux_binprm *bprm)
{
	if (unlikely(READ_ONCE(tlob_monitor_used)))
		tlob_monitor_exec(bprm->secureexec);
}

/*
 * The state stays after the exit: an irq that ends idling with irqs off runs
 * only after cpuidle has reported the exit, but still in the idle task.
 */
static void tlob_cpu_idle(void *data, unsigned int state, unsigned int cpu)
{
	if (tlob_active() && state != TLOB_IDLE_EXIT)
		tlob_this_cpu()->idle_state = state;
}

static struct tlob_probe tlob_sched_probes[] = {
	TLOB_PROBE("sched_switch", tlob_sched_switch),
	TLOB_PROBE("sched_wakeup", tlob_sched_wakeup),
	TLOB_PROBE("sched_migrate_task", tlob_sched_migrate_task),
	TLOB_PROBE("sched_process_exit", tlob_sched_process_exit),
	TLOB_PROBE("sched_process_exec", tlob_sched_process_exec),
	TLOB_PROBE("cpu_idle", tlob_cpu_idle),
};

struct tlob_noise_source tlob_sched_source = {
	.name = "sched",
	.probe = tlob_sched_probes,
	.probes = ARRAY_SIZE(tlob_sched_probes),
};

static struct tlob_noise_source * const tlob_sources[] = {
	&tlob_sched_source, &tlob_osnoise_source, &tlob_hooks_source,
};

static void tlob_probe_found(struct tracepoint *tp, void *priv)
{
	struct tlob_noise_source *source = priv;
	unsigned int i;

	for (i = 0; i < source->probes; i++)
		if (!strcmp(source->probe[i].name, tp->name))
			source->probe[i].tp = tp;
}

void tlob_source_find(struct tlob_noise_source *source)
{
	for_each_kernel_tracepoint(tlob_probe_found, source);
}

/* 0, or -EOPNOTSUPP: a tracepoint of the scheduler is not in this kernel. */
int tlob_noise_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tlob_sources); i++)
		tlob_source_find(tlob_sources[i]);
	/* cpu_idle, the last, is only for a name */
	for (i = 0; i + 1 < tlob_sched_source.probes; i++) {
		if (tlob_sched_probes[i].tp)
			continue;
		pr_err("tlob_load: tracepoint %s is not in this kernel\n",
		       tlob_sched_probes[i].name);
		return -EOPNOTSUPP;
	}
	return 0;
}

bool tlob_probe_attached(const struct tlob_noise_source *source,
			 const char *name)
{
	unsigned int i;

	for (i = 0; i < source->probes; i++)
		if (!strcmp(source->probe[i].name, name))
			return source->probe[i].attached;
	return false;
}

static void tlob_source_remove(struct tlob_noise_source *source)
{
	unsigned int i;

	for (i = 0; i < source->probes; i++) {
		struct tlob_probe *p = &source->probe[i];

		if (p->attached)
			tracepoint_probe_unregister(p->tp, p->fn, NULL);
		p->attached = false;
	}
}

static int tlob_source_add(struct tlob_noise_source *source)
{
	unsigned int i;
	int err;

	for (i = 0; i < source->probes; i++) {
		struct tlob_probe *p = &source->probe[i];

		if (!p->tp || (p->not_rt && IS_ENABLED(CONFIG_PREEMPT_RT)))
			continue;
		err = tracepoint_probe_register(p->tp, p->fn, NULL);
		if (err) {
			tlob_source_remove(source);
			return err;
		}
		p->attached = true;
	}
	return 0;
}

int tlob_source_attach(struct tlob_noise_source *source, unsigned int user)
{
	int err = source->users ? 0 : tlob_source_add(source);

	if (!err)
		source->users |= user;
	return err;
}

void tlob_source_detach(struct tlob_noise_source *source, unsigned int user)
{
	if (!(source->users & user))
		return;
	source->users &= ~user;
	if (!source->users)
		tlob_source_remove(source);
}

/* Afterwards no probe that @user alone had runs on any CPU. */
static void tlob_sources_detach(unsigned int user)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tlob_sources); i++)
		tlob_source_detach(tlob_sources[i], user);
	tracepoint_synchronize_unregister();
}

static enum hrtimer_restart tlob_noise_ping(struct hrtimer *timer)
{
	return HRTIMER_NORESTART;
}

static void tlob_noise_ping_start(void *info)
{
	hrtimer_start(info, ns_to_ktime(tlob_clock() + 50 * NSEC_PER_USEC),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Makes one timer interrupt on each CPU of @cpus and sees whether osnoise
 * reports it: its tracer may be off, stopped, or restricted to other CPUs.
 */
static bool tlob_osnoise_arrives(const struct cpumask *cpus)
{
	struct hrtimer timer;
	unsigned int ms;
	u64 before;
	int cpu;

	if (!tlob_probe_attached(&tlob_osnoise_source, "irq_noise"))
		return false;
	for_each_cpu(cpu, cpus) {
		before = READ_ONCE(tlob_cpu(cpu)->osnoise_events);
		tlob_hrtimer_setup_on_stack(&timer, tlob_noise_ping);
		if (!smp_call_function_single(cpu, tlob_noise_ping_start,
					      &timer, true))
			for (ms = 0; ms < TLOB_NOISE_PING_MS &&
			     READ_ONCE(tlob_cpu(cpu)->osnoise_events) == before;
			     ms++)
				usleep_range(1000, 1500);
		hrtimer_cancel(&timer);
		destroy_hrtimer_on_stack(&timer);
		if (READ_ONCE(tlob_cpu(cpu)->osnoise_events) == before)
			return false;
	}
	return true;
}

static u32 tlob_noise_unavailable(const struct tlob_noise_source *source)
{
	unsigned int gives = source->gives(), kind;
	u32 mask = 0;

	for (kind = 0; kind < TLOB_NOISE_THREAD; kind++)
		if (!(gives & (1U << kind)))
			mask |= (1U << (TLOB_WAKE_IRQ + kind)) |
				(1U << (TLOB_WORK_IRQ + kind));
	return mask;
}

/*
 * Attaches what @wanted needs for @cpus and sets tlob_run.source and
 * .unavailable. 0; -EOPNOTSUPP osnoise is wanted and does not arrive on each of
 * them; -ENOMEM.
 */
int tlob_noise_attach(enum tlob_source wanted, const struct cpumask *cpus)
{
	enum tlob_source source = wanted;
	int err, cpu;

	if (wanted != TLOB_HOOKS) {
		err = tlob_source_attach(&tlob_osnoise_source, TLOB_FOR_RUN);
		if (err)
			goto detach;
		if (tlob_osnoise_arrives(cpus)) {
			if (wanted == TLOB_AUTO)
				source = TLOB_OSNOISE;
		} else if (wanted == TLOB_AUTO) {
			source = TLOB_HOOKS;
			tlob_source_detach(&tlob_osnoise_source, TLOB_FOR_RUN);
		} else {
			err = -EOPNOTSUPP;
			goto detach;
		}
	}
	if (source != TLOB_OSNOISE) {
		err = tlob_source_attach(&tlob_hooks_source, TLOB_FOR_RUN);
		if (err)
			goto detach;
	}
	for_each_cpu(cpu, cpus) {
		tlob_cpu(cpu)->splits = source == TLOB_BOTH ? 2 : 1;
		tlob_cpu(cpu)->end = tlob_cpu(cpu)->split +
				     tlob_cpu(cpu)->splits;
		tlob_cpu(cpu)->moves = source != TLOB_HOOKS;
		tlob_cpu(cpu)->hooked = source == TLOB_OSNOISE ?
					NULL : tlob_cpu(cpu)->end - 1;
	}
	tlob_run.unavailable = tlob_noise_unavailable(source == TLOB_HOOKS ?
						      &tlob_hooks_source :
						      &tlob_osnoise_source);
	err = tlob_source_attach(&tlob_sched_source, TLOB_FOR_RUN);
	if (err)
		goto detach;
	tlob_run.source = source;
	tlob_run.compared = source == TLOB_BOTH;
	return 0;
detach:
	tlob_noise_detach();
	return err;
}
ALLOW_ERROR_INJECTION(tlob_noise_attach, ERRNO);

/* Afterwards no probe of a run runs on any CPU. */
void tlob_noise_detach(void)
{
	tlob_sources_detach(TLOB_FOR_RUN);
	tlob_run.source = TLOB_AUTO;
}

/*
 * What the monitor needs, on all CPUs: always the hooks, since osnoise's events
 * come only from CPUs that its tracer is active on, and that may end at any time.
 * Sets *@unavailable to 1 << enum tlob_part. 0, -ENOMEM.
 */
int tlob_noise_attach_monitor(u32 *unavailable)
{
	int err = tlob_source_attach(&tlob_hooks_source, TLOB_FOR_MONITOR);

	if (!err)
		err = tlob_source_attach(&tlob_sched_source, TLOB_FOR_MONITOR);
	if (err)
		tlob_noise_detach_monitor();
	else
		*unavailable = tlob_noise_unavailable(&tlob_hooks_source);
	return err;
}
ALLOW_ERROR_INJECTION(tlob_noise_attach_monitor, ERRNO);

/* Afterwards no probe of the monitor runs on any CPU. */
void tlob_noise_detach_monitor(void)
{
	tlob_sources_detach(TLOB_FOR_MONITOR);
}

/* Lines of `status`. */
void tlob_noise_show(struct seq_file *m)
{
	static const char * const names[] = {
		[TLOB_AUTO] = "none", [TLOB_OSNOISE] = "osnoise",
		[TLOB_HOOKS] = "hooks", [TLOB_BOTH] = "both",
	};
	u32 softirq = (1U << TLOB_WAKE_SOFTIRQ) | (1U << TLOB_WORK_SOFTIRQ);
	unsigned int i, j;

	seq_printf(m, "noise_source: %s\n", names[tlob_run.source]);
	seq_puts(m, "tracepoints:");
	for (i = 0; i < ARRAY_SIZE(tlob_sources); i++)
		for (j = 0; j < tlob_sources[i]->probes; j++)
			if (tlob_sources[i]->probe[j].attached)
				seq_printf(m, " %s",
					   tlob_sources[i]->probe[j].name);
	seq_puts(m, "\nunavailable:");
	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (tlob_run.unavailable & (1U << i))
			seq_printf(m, " %s",
				   tlob_metric_names[TLOB_METRIC_PARTS + i]);
	seq_puts(m, tlob_run.unavailable ? "\n" : " none\n");
	if (tlob_run.unavailable) {
		seq_puts(m, "unavailable_because:");
		if (IS_ENABLED(CONFIG_PREEMPT_RT))
			seq_puts(m, " softirqs run in threads on PREEMPT_RT: see thread");
		if (!IS_ENABLED(CONFIG_PREEMPT_RT) ||
		    tlob_run.unavailable & ~softirq)
			seq_puts(m, " this kernel lacks tracepoints for the others");
		seq_putc(m, '\n');
	}
	if (tlob_run.source == TLOB_HOOKS || tlob_run.source == TLOB_BOTH)
		seq_printf(m, "notes: %s\n", tlob_hooks_source.note);
}
