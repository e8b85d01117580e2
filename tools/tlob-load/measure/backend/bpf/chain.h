/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of BPF programs: what each task did lately, as the nodes of chain_nodes.h. A switch
 * changes the tasks that leave and come, under the lock of the run queue; a wake-up changes the one
 * that is woken, and makes nodes in the ring of its own CPU. All of them have irqs off.
 *
 * A wake-up costs more than all else here. So the past before a wake-up is kept only for tasks that
 * matter: the watched ones, those that wake one of them, those that wake these, and so on. Of any
 * other task it is known what it did since it came to a CPU.
 *
 * The includer has CPU_REF and what belongs to it; SHARED, a variable with turns_valid and chain_forgot;
 * and CPU_STRUCT, of which each CPU has one, with chain_seq, in_irq, in_softirq, sent_by, turns, and
 * what timers.h needs.
 */
#ifndef TLOB_BACKEND_BPF_CHAIN_H
#define TLOB_BACKEND_BPF_CHAIN_H

#ifdef TLOB_BPF_OLDER
#define has_chain				false
#define chain_wakes(c, task, watched)		0
#define chain_switches(c, prev, next, state, now) ((void)0)
#define chain_migrates(task)			((void)0)
#define chain_interrupt(c, is, id)		((void)0)
#define chain_softirq_ends(c, nr)		((void)0)
#else

#define NET_RX_SOFTIRQ	3

/* The tool says it. */
const volatile bool has_chain SEC(".rodata.has_chain");
/* All tasks matter. */
const volatile bool chain_all SEC(".rodata.chain_all");

/* CHAIN_NODES of each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct chain_node);
} chain_nodes SEC(".maps");

/* The verifier wants a place. No chain leads here. */
static struct chain_node no_node;

enum { CHAIN_UNSEEN, CHAIN_RUNS, CHAIN_EARLY, CHAIN_SLEEPS, CHAIN_WAITS };

/* By the lower bits of its number. */
struct chain_task {
	__u32	pid;
	__u32	phase;			/* CHAIN_EARLY: it was woken before it has left its CPU */
	__u8	flags, policy;		/* of the sleep, or the wait for a CPU */
	__s16	prio;			/* the last time it left a CPU */
	__u32	matters;
	__u64	at;			/* the phase began, except CHAIN_RUNS */
	__u64	head;			/* the node of what came before @since */
	__u64	since;
	__u64	throttled_ns;		/* CHAIN_THROTTLED: throttled_clock() as that began */
};

struct chain_task chain_task[CHAIN_TASKS] SEC(".bss.chain");

struct sched_entity___chain {
	unsigned char sched_delayed;	/* since 6.12: it sleeps, and is in the queue */
} CORE;

struct task_struct___chain {
	int	prio;
	unsigned int policy;
	struct sched_entity___chain se;
} CORE;

static NOINLINE int chain_begins(struct chain_task *r, __u32 pid)
{
	__u64 since = SHARED.turns_valid;

	if (!r)
		return 0;
	/* a task that is known no more, because two have the same lower bits */
	if (r->pid) {
		since = bpf_ktime_get_ns();
		__sync_fetch_and_add(&SHARED.chain_forgot, 1);
	}
	__builtin_memset(r, 0, sizeof(*r));
	r->pid = pid;
	r->prio = CHAIN_NO_PRIO;
	/* it has done since then what it does now */
	r->since = since;
	r->at = since;
	return 0;
}

static inline bool chain_matters(const struct chain_task *r)
{
	return chain_all || r->matters;
}

/* What @r did before @now is not known. */
static inline void chain_forgets(struct chain_task *r, __u64 now)
{
	r->head = 0;
	r->since = now;
}

static inline struct chain_task *chain_of(const struct task_struct *task)
{
	__u32 pid = task->pid;
	struct chain_task *r = &chain_task[pid & (CHAIN_TASKS - 1)];

	if (r->pid != pid)
		chain_begins(r, pid);
	return r;
}

/* A node of @task from r->since until @to, after which r->since begins. */
static inline struct chain_node *chain_push(CPU_STRUCT *c, struct chain_task *r,
					    const struct task_struct *task, __u8 type, __u64 to)
{
	const struct task_struct___chain *t = (void *)task;
	__u64 cpu = bpf_get_smp_processor_id(), seq = c->chain_seq + 1;
	__u32 key = cpu * CHAIN_NODES + (seq & (CHAIN_NODES - 1));
	struct chain_node *n = bpf_map_lookup_elem(&chain_nodes, &key);

	if (!n)
		n = &no_node;
	/* first: who reads the node that was here finds out */
	ONCE(c->chain_seq) = seq;
	n->id = cpu << CHAIN_CPU_SHIFT | seq;
	n->from = r->since;
	n->to = to;
	n->parent = r->head;
	n->pid = task->pid;
	n->type = type;
	n->by = CHAIN_BY_TASK;
	n->flags = 0;
	n->policy = t->policy;
	n->prio = t->prio;
	copy_name(n->comm, task);
	return n;
}

static inline void chain_add(CPU_STRUCT *c, struct chain_task *r, const struct task_struct *task,
			     __u8 type, __u64 to)
{
	r->head = chain_push(c, r, task, type, to)->id;
	r->since = to;
}

/* Who had @cpu while @task waited for it until @now. @has: the one that leaves it now, or NULL. */
static NOINLINE int chain_behind(struct chain_node *n, CPU_REF cpu, __u64 from, __u64 now,
				 const struct task_struct *has)
{
	struct tlob_turns_wait w = { .from = from, .now = now };
	__u64 comm[TLOB_NAME_LEN / 8] = {};
	const struct chain_task *other;
	struct tlob_noise longest;

	if (!n || !cpu)
		return 0;
	if (has)
		copy_name(comm, has);
	tlob_turns_longest(TURNS_OF(cpu), SHARED.turns_valid, &w, has ? (__s32)has->pid : TLOB_TURNS_UNKNOWN,
			   (const char *)comm, &longest);
	n->other = longest.id;
	n->other_ns = longest.ns;
	__builtin_memcpy(n->other_comm, longest.name, TLOB_NAME_LEN);
	other = &chain_task[longest.id & (CHAIN_TASKS - 1)];
	n->other_prio = other->pid == (__u32)longest.id ? other->prio : CHAIN_NO_PRIO;
	n->other_policy = other->policy;
	return 0;
}

/* The wait of @task for @cpu, which is long enough, has ended at @now, or goes on for another CPU. */
static NOINLINE int chain_waited(struct chain_task *r, const struct task_struct *task, CPU_REF cpu, __u64 now,
				 const struct task_struct *has)
{
	CPU_STRUCT *c = this_cpu();
	struct chain_node *n;
	__u64 from;

	if (!r || !cpu)
		return 0;
	from = r->at;
	if (from > r->since + CHAIN_LEAST_NS)
		chain_add(c, r, task, CHAIN_RUN, from);
	if (r->flags & CHAIN_THROTTLED) {
		from = throttled_until(from, now, throttled_clock(task) - r->throttled_ns);
		n = chain_push(c, r, task, CHAIN_WAIT, from);
		n->other_ns = 0;
		n->flags = CHAIN_THROTTLED;
		r->head = n->id;
		r->since = from;
		if (from == now)
			return 0;
	}
	n = chain_push(c, r, task, CHAIN_WAIT, now);
	n->other_ns = 0;
	chain_behind(n, cpu, from, now, has);
	r->head = n->id;
	r->since = now;
	return 0;
}

/* Something else than a task woke @task at @now, which has slept since @slept: its own past goes on. */
static NOINLINE int chain_slept(struct chain_task *r, const struct task_struct *task, __u64 slept, __u64 now,
				__u8 by)
{
	CPU_STRUCT *c = this_cpu();
	const struct watch_timer *expiring = expiring_at(c, preempt_count());
	struct chain_node *n;
	__u64 to = now;

	if (!r)
		return 0;
	if (slept > r->since + CHAIN_LEAST_NS)
		chain_add(c, r, task, CHAIN_RUN, slept);
	if (by == CHAIN_BY_TIMER && expiring->timer && expiring->expiry_ns < now)
		to = expiring->expiry_ns > r->since ? expiring->expiry_ns : r->since;
	if (now - to < CHAIN_LEAST_NS)
		to = now;
	n = chain_push(c, r, task, CHAIN_SLEEP, to);
	n->by = by;
	n->flags = r->flags & CHAIN_BLOCKED;
	n->other = by == CHAIN_BY_IRQ ? c->in_irq : by == CHAIN_BY_SOFTIRQ ? (__s32)c->in_softirq - 1 : 0;
	r->head = n->id;
	r->since = to;
	if (to < now)
		chain_add(c, r, task, CHAIN_TIMER_LATE, now);
	return 0;
}

/*
 * The kernel did not report that @task came to its CPU. It did after the last switch here that was
 * reported, if that was after its wake-up.
 */
static NOINLINE int chain_came_unseen(struct chain_task *r, const struct task_struct *task, __u64 now)
{
	CPU_STRUCT *c = this_cpu();
	__u64 came;

	if (!r)
		return 0;
	came = tlob_turns_at(&c->turns, 0)->since;
	came = came < now && came > r->at ? came : now;
	if (r->phase == CHAIN_UNSEEN || (r->phase == CHAIN_SLEEPS && !chain_matters(r)))
		chain_forgets(r, came);
	else if (r->phase == CHAIN_SLEEPS)
		chain_slept(r, task, r->at, came, CHAIN_BY_UNSEEN);
	else if (came > r->at + CHAIN_LEAST_NS)
		chain_waited(r, task, REF_OF_THIS(c), came, NULL);
	return 0;
}

static inline int chain_softirq(const struct task_struct *current, int count)
{
	if (bpf_core_field_exists(current->softirq_disable_cnt))
		count = current->softirq_disable_cnt;
	return count & PREEMPT_SOFTIRQ;
}

/* Whether @current itself runs here, by @count, the preempt_count: no interrupt, and not the idle task. */
static inline bool chain_in_task(const struct task_struct *current, int count)
{
	return !(count & (PREEMPT_NMI | PREEMPT_HARDIRQ)) && !chain_softirq(current, count) && current->pid;
}

/* What wakes a task here, by @count, the preempt_count. */
static inline __u8 chain_waker(CPU_STRUCT *c, const struct task_struct *current, int count)
{
	const struct watch_timer *expiring;

	if (chain_in_task(current, count))
		return CHAIN_BY_TASK;
	if (count & PREEMPT_NMI)
		return CHAIN_BY_NMI;
	expiring = expiring_at(c, count);
	if (expiring->timer && expiring->pid == current->pid)
		return CHAIN_BY_TIMER;
	if (count & PREEMPT_HARDIRQ || !chain_softirq(current, count))
		return CHAIN_BY_IRQ;
	/* over loopback, a veth or a tunnel: its sender, whose softirq it is */
	if (c->in_softirq - 1 == NET_RX_SOFTIRQ && c->sent_by && c->sent_by == (__u32)current->pid)
		return CHAIN_BY_TASK;
	return c->in_softirq - 1 == TIMER_SOFTIRQ ? CHAIN_BY_TIMER : CHAIN_BY_SOFTIRQ;
}

/* As task_throttled(), at less cost for tasks that no group limits. */
static inline bool chain_throttled(const struct task_struct *task)
{
	const struct task_struct___chain *t = (void *)task;

	return (t->prio < 0 || t->prio >= LIMITS_RT_PRIO || bpf_core_field_exists(((struct task_struct___read *)t)->throttled)) &&
	       task_throttled(task);
}

/* @task begins to wait for a CPU. */
static inline void chain_throttles(struct chain_task *r, const struct task_struct *task, bool throttled)
{
	r->flags = throttled ? CHAIN_THROTTLED : 0;
	if (throttled)
		r->throttled_ns = throttled_clock(task);
}

/* @task, which sleeps or is about to, is woken. Returns the node of what came before, 0: not known. */
static inline __u64 chain_wakes(CPU_STRUCT *c, struct task_struct *task, bool watched)
{
	const struct task_struct___chain *t = (void *)task;
	struct chain_task *r = chain_of(task), *waker;
	struct task_struct *current;
	__u32 phase = r->phase;
	__u64 now, slept;
	__u8 by;

	if (watched)
		r->matters = 1;
	if (!chain_matters(r))
		return 0;
	if (phase == CHAIN_WAITS || phase == CHAIN_EARLY)
		return r->head;
	/* it stays on its CPU */
	if (phase == CHAIN_RUNS && task->on_rq && !(bpf_core_field_exists(t->se.sched_delayed) && t->se.sched_delayed))
		return r->head;
	now = bpf_ktime_get_ns();
	current = current_task();
	by = chain_waker(c, current, preempt_count());
	if (by == CHAIN_BY_TASK) {
		waker = chain_of(current);
		if (waker->phase != CHAIN_RUNS && waker->phase != CHAIN_EARLY) {
			chain_came_unseen(waker, current, now);
			waker->phase = CHAIN_RUNS;
		}
		waker->matters = 1;
		r->head = chain_push(c, waker, current, CHAIN_RUN, now)->id;
	} else {
		slept = phase == CHAIN_RUNS ? now : r->at;
		chain_slept(r, task, slept, now, by);
	}
	r->since = now;
	r->at = now;
	chain_throttles(r, task, chain_throttled(task));
	/* a switch on another CPU may say meanwhile that it sleeps */
	if (phase != CHAIN_RUNS || __sync_val_compare_and_swap(&r->phase, CHAIN_RUNS, CHAIN_EARLY) != CHAIN_RUNS)
		r->phase = CHAIN_WAITS;
	return r->head;
}

static inline void chain_switches(CPU_STRUCT *c, struct task_struct *prev, struct task_struct *next,
				  unsigned int state, __u64 now)
{
	const struct task_struct___chain *left = (void *)prev;
	struct chain_task *r;
	__u32 phase;

	if (prev->pid) {
		r = chain_of(prev);
		phase = r->phase;
		if (phase != CHAIN_RUNS && phase != CHAIN_EARLY)
			chain_came_unseen(r, prev, now);
		r->at = now;
		r->prio = left->prio;
		r->policy = left->policy;
		if (state && phase != CHAIN_EARLY) {
			r->flags = state & TASK_UNINTERRUPTIBLE ? CHAIN_BLOCKED : 0;
			r->phase = CHAIN_SLEEPS;
		} else {
			chain_throttles(r, prev, leaves_throttled(prev, next));
			r->phase = CHAIN_WAITS;
		}
	}
	if (!next->pid)
		return;
	r = chain_of(next);
	/* one that has had no switch or wake-up before may have waited */
	if (r->phase == CHAIN_UNSEEN || (r->phase == CHAIN_SLEEPS && !chain_matters(r)))
		chain_forgets(r, now);
	else if (r->phase == CHAIN_SLEEPS)
		chain_slept(r, next, r->at, now, CHAIN_BY_UNSEEN);
	else if (r->phase == CHAIN_WAITS && now > r->at + CHAIN_LEAST_NS)
		chain_waited(r, next, REF_OF_THIS(c), now, prev);
	r->phase = CHAIN_RUNS;
}

/* A task that waits for a CPU is about to be moved to another one; not while it is woken. */
static inline void chain_migrates(struct task_struct *task)
{
	struct chain_task *r = &chain_task[task->pid & (CHAIN_TASKS - 1)];
	__u64 now;

	if (r->pid != task->pid || r->phase != CHAIN_WAITS || !task->on_rq)
		return;
	now = bpf_ktime_get_ns();
	if (now <= r->at + CHAIN_LEAST_NS)
		return;
	chain_waited(r, task, REF_OF(task_cpu(task)), now, NULL);
	r->at = now;
	/* another CPU may have some of the quota left */
	r->flags = 0;
}

/* Another task may have had its number. A child matters as its parent does. */
SEC("tp_btf/sched_wakeup_new")
int sched_wakeup_new(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct chain_task *r = &chain_task[task->pid & (CHAIN_TASKS - 1)];

	__builtin_memset(r, 0, sizeof(*r));
	r->pid = task->pid;
	r->prio = CHAIN_NO_PRIO;
	r->since = bpf_ktime_get_ns();
	r->at = r->since;
	r->matters = chain_of(current_task())->matters;
	chain_wakes(this_cpu(), task, false);
	return 0;
}

/* A software device gives a packet to this CPU's NET_RX. A packet that it sends itself is its cause's. */
SEC("tp_btf/netif_rx")
int netif_rx(__u64 *ctx)
{
	const struct task_struct *current = current_task();

	if (chain_in_task(current, preempt_count()))
		ONCE(this_cpu()->sent_by) = current->pid;
	return 0;
}

/* An irq with the number @id, or a softirq, begins or ends here. */
#define chain_interrupt(c, is, id)		\
do {						\
	if (has_chain)				\
		ONCE((c)->is) = (id);		\
} while (0)

/* The softirq @nr ends here. */
#define chain_softirq_ends(c, nr)		\
do {						\
	chain_interrupt(c, in_softirq, 0);	\
	if ((nr) == NET_RX_SOFTIRQ)		\
		chain_interrupt(c, sent_by, 0);	\
} while (0)

#endif

#endif /* TLOB_BACKEND_BPF_CHAIN_H */
