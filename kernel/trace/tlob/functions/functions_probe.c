// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of functions, and what the one of a call costs: fprobe, or kretprobes where the
 * kernel has no fprobe. compat.h decides which.
 *
 * The handlers do only what differs between both. Outside of windows they return
 * at once, and the kernel then leaves the function's return alone.
 *
 * A task that is inside of a function while its probe is detached returns through
 * the kernel's own code, without our handler. So the module may go.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/error-injection.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../base/clock.h"
#include "../base/probes.h"
#include "functions.h"

#ifdef CONFIG_DYNAMIC_FTRACE
/* Asks without attaching: these operations are never registered. */
bool tlob_function_can_be_probed(unsigned long address)
{
	static struct ftrace_ops ops;
	bool can = !ftrace_set_filter_ips(&ops, &address, 1, 0, 1);

	/* it leaves pointers to what it has freed */
	ftrace_free_filter(&ops);
	memset(&ops, 0, sizeof(ops));
	return can;
}
#else
bool tlob_function_can_be_probed(unsigned long address)
{
	return false;
}
#endif

/* Returns whether the exit is wanted. */
static __always_inline bool tlob_probe_enter(struct tlob_function_call *call, unsigned int set,
					     unsigned long function, unsigned long sp)
{
	if (tlob_functions_of_monitor())
		return tlob_function_enter_task(call, set, function, sp);
	return tlob_active() && tlob_function_enter(call, set, function, sp);
}

/* The sets may belong to others than at the entry: only @call says whose it was. */
static __always_inline void tlob_probe_leave(const struct tlob_function_call *call)
{
	if (unlikely(call->index >= TLOB_CALLS))
		return;
	if (call->owner == TLOB_CALL_OF_TASK)
		tlob_function_leave_task(call);
	else if (call->owner == TLOB_CALL_OF_RUN)
		tlob_function_leave(call);
}

#define TLOB_COST_CALLS		16	/* between two readings of the clock */
#define TLOB_COST_ROUNDS	32	/* the shortest counts: the others were disturbed */

u64 tlob_function_probe_ns;

/*
 * The cost of the probe of a call is measured on this machine before each run: a function of the
 * kernel that does nearly nothing is called with a probe and without, by the clock of the split.
 * The probe does in the model of a window what it does in one.
 *
 * This function is in every kernel, never inline, exported, can be traced, and calls nothing.
 * Linux 7 has jiffies_to_usecs() inline.
 */
static u64 (* const tlob_cost_function)(u64) = nsecs_to_jiffies64;

/* The task that measures. Other tasks may also call the function. */
static struct tlob_cpu *tlob_cost_model;
static struct task_struct *tlob_cost_task;

static bool __maybe_unused tlob_cost_is_ours(void)
{
	return READ_ONCE(tlob_cost_task) == current && !interrupt_context_level() &&
	       irqs_disabled();
}

/*
 * Of each mechanism: the probes of a set, with room for @room calls that have not returned where
 * it wants to know. add() returns them or ERR_PTR(-errno). After remove() and a grace period no
 * handler runs; it never fails.
 */
#if defined(TLOB_HAS_FPROBES)
#define TLOB_FUNCTIONS_MAX	1000
/*
 * Calls that have not returned. Those of tasks without a window take no room, but
 * while their entry is looked at.
 */
#define TLOB_FUNCTIONS_ROOM	4096
#define TLOB_REMOVE_TRIES	10	/* to remove a probe, 20 ms apart */

/* Never in a module's memory: a probe that cannot be removed stays, and needs this structure. */
struct tlob_function_probes {
	struct fprobe fp;
	struct rcu_head rcu;
	unsigned int set;
};

const char *tlob_functions_mechanism(void)
{
	return "fprobe";
}

static notrace int tlob_probed_entry(TLOB_FPROBE_PROTO)
{
	if (likely(!tlob_watched()))
		return 1;
	return !tlob_probe_enter(data, container_of(fp, struct tlob_function_probes, fp)->set,
				 ip, TLOB_FPROBE_SP(regs));
}

static notrace void tlob_probed_exit(TLOB_FPROBE_PROTO)
{
	tlob_probe_leave(data);
}

static notrace int tlob_cost_enter(TLOB_FPROBE_PROTO)
{
	if (!tlob_cost_is_ours())
		return 1;
	return !tlob_function_enter_model(tlob_cost_model, data, ip, TLOB_FPROBE_SP(regs));
}

static notrace void tlob_cost_leave(TLOB_FPROBE_PROTO)
{
	tlob_function_leave_model(tlob_cost_model, data);
}

static struct tlob_function_probes *
tlob_function_probes_add(unsigned int set, unsigned long *address, unsigned int nr,
			 unsigned int room, tlob_probe_entry entry, tlob_probe_exit exit)
{
	struct tlob_function_probes *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int err;

	if (!p)
		return ERR_PTR(-ENOMEM);
	p->set = set;
	p->fp.entry_handler = entry;
	p->fp.exit_handler = exit;
	p->fp.entry_data_size = sizeof(struct tlob_function_call);
	tlob_fprobe_set_room(&p->fp, room);
	err = register_fprobe_ips(&p->fp, address, nr);
	if (!err)
		return p;
	/* calls may have hit the first ones before a later one was refused */
	kfree_rcu(p, rcu);
	return ERR_PTR(err);
}

/*
 * Removing needs memory on some kernels from 6.14 on, and fails for good where ftrace
 * has found itself broken. The probe is there as before then.
 */
static void tlob_function_probes_remove(struct tlob_function_probes *p)
{
	unsigned int tries;
	int err;

	for (tries = 0; tries < TLOB_REMOVE_TRIES; tries++) {
		err = unregister_fprobe(&p->fp);
		if (err != -ENOMEM)
			break;
		msleep(20);
	}
	if (!err) {
		kfree_rcu(p, rcu);
		return;
	}
	/* the kernel looks at this before it calls a handler: the module may still go */
	disable_fprobe(&p->fp);
	pr_warn("tlob_load: the kernel cannot remove probes of functions (error %d): they do nothing any more, and cost time until the next boot\n",
		err);
}

static u64 tlob_function_probes_missed(const struct tlob_function_probes *p, unsigned int nr)
{
	return READ_ONCE(p->fp.nmissed);
}
#elif defined(TLOB_HAS_KRETPROBES)
/* Attaching takes ms each. */
#define TLOB_FUNCTIONS_MAX	50
#define TLOB_FUNCTIONS_ROOM	512	/* calls of each that have not returned */

struct tlob_kretprobe {
	struct kretprobe rp;
	unsigned int set;
	unsigned long function;
};

struct tlob_function_probes {
	unsigned int nr;		/* attached */
	struct tlob_kretprobe probe[];
};

const char *tlob_functions_mechanism(void)
{
	return "kretprobe";
}

static notrace int tlob_probed_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct tlob_kretprobe *k;
	struct kretprobe *rp;

	if (likely(!tlob_watched()))
		return 1;
	rp = get_kretprobe(ri);
	/* it is being removed */
	if (unlikely(!rp))
		return 1;
	k = container_of(rp, struct tlob_kretprobe, rp);
	return !tlob_probe_enter((void *)ri->data, k->set, k->function,
				 kernel_stack_pointer(regs));
}

static notrace int tlob_probed_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	tlob_probe_leave((void *)ri->data);
	return 0;
}

static notrace int tlob_cost_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (!tlob_cost_is_ours())
		return 1;
	return !tlob_function_enter_model(tlob_cost_model, (void *)ri->data,
					  (unsigned long)tlob_cost_function,
					  kernel_stack_pointer(regs));
}

static notrace int tlob_cost_leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	tlob_function_leave_model(tlob_cost_model, (void *)ri->data);
	return 0;
}

static int tlob_kretprobe_add(struct tlob_kretprobe *k, unsigned int room)
{
	int err;

	k->rp.kp.addr = (void *)k->function;
	k->rp.data_size = sizeof(struct tlob_function_call);
	k->rp.maxactive = room;
	err = register_kretprobe(&k->rp);
	if (err)
		return err;
	if (kprobe_ftrace(&k->rp.kp))
		return 0;
	/* a breakpoint instead */
	unregister_kretprobe(&k->rp);
	return -EINVAL;
}

/* Removes all probes of @p with one grace period. */
static void tlob_function_probes_remove(struct tlob_function_probes *p)
{
	struct kretprobe *rp[TLOB_FUNCTIONS_MAX];
	unsigned int i, left = 0;

	for (i = 0; i < p->nr; i++)
		rp[i] = &p->probe[i].rp;
	if (p->nr)
		unregister_kretprobes(rp, p->nr);
	/* the kernel marks those so that it could not disarm, and keeps them in its table */
	for (i = 0; i < p->nr; i++)
		left += !p->probe[i].rp.kp.addr;
	if (!left) {
		kvfree(p);
		return;
	}
	pr_warn("tlob_load: the kernel cannot remove %u probes of functions: they do nothing any more, and cost time until the next boot\n",
		left);
}

static struct tlob_function_probes *
tlob_function_probes_add(unsigned int set, unsigned long *address, unsigned int nr,
			 unsigned int room, tlob_probe_entry entry, tlob_probe_exit exit)
{
	struct tlob_function_probes *p = kvzalloc(struct_size(p, probe, nr), GFP_KERNEL);
	int err = p ? 0 : -ENOMEM;

	while (!err && p->nr < nr) {
		struct tlob_kretprobe *k = &p->probe[p->nr];

		k->set = set;
		k->function = address[p->nr];
		k->rp.entry_handler = entry;
		k->rp.handler = exit;
		err = tlob_kretprobe_add(k, room);
		if (!err)
			p->nr++;
	}
	if (!err)
		return p;
	if (p)
		tlob_function_probes_remove(p);
	return ERR_PTR(err);
}

static u64 tlob_function_probes_missed(const struct tlob_function_probes *p, unsigned int nr)
{
	u64 missed = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		missed += p->probe[i].rp.nmissed + p->probe[i].rp.kp.nmissed;
	return missed;
}
#else
#define TLOB_FUNCTIONS_MAX	0
#define TLOB_FUNCTIONS_ROOM	0
#define tlob_probed_entry	NULL
#define tlob_probed_exit	NULL
#define tlob_cost_enter		NULL
#define tlob_cost_leave		NULL

const char *tlob_functions_mechanism(void)
{
	return NULL;
}

static struct tlob_function_probes *
tlob_function_probes_add(unsigned int set, unsigned long *address, unsigned int nr,
			 unsigned int room, tlob_probe_entry entry, tlob_probe_exit exit)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void tlob_function_probes_remove(struct tlob_function_probes *p)
{
}

static u64 tlob_function_probes_missed(const struct tlob_function_probes *p, unsigned int nr)
{
	return 0;
}
#endif

/* ns of one round. */
static u64 tlob_cost_round(void)
{
	u64 (*function)(u64) = tlob_cost_function;
	unsigned long flags;
	unsigned int i;
	u64 begin, end;

	/* each call must be one */
	OPTIMIZER_HIDE_VAR(function);
	local_irq_save(flags);
	begin = tlob_clock();
	for (i = 0; i < TLOB_COST_CALLS; i++)
		function(0);
	end = tlob_clock();
	local_irq_restore(flags);
	return end - begin;
}

static u64 tlob_cost_shortest(void)
{
	u64 shortest = U64_MAX;
	unsigned int i;

	for (i = 0; i < TLOB_COST_ROUNDS; i++)
		shortest = min(shortest, tlob_cost_round());
	return shortest;
}

/* Before the probes of the sets are attached. Under tlob_mutex; sleeps. */
static void tlob_functions_calibrate(void)
{
	unsigned long address = (unsigned long)tlob_cost_function;
	struct tlob_function_probes *probes;
	u64 bare, probed;

	tlob_function_probe_ns = 0;
	tlob_cost_model = tlob_functions_model();
	if (!tlob_cost_model)
		return;
	/* windows of the monitor may not have switched it on yet */
	tlob_clock_attach(TLOB_FOR_COST);
	bare = tlob_cost_shortest();
	probes = tlob_function_probes_add(0, &address, 1, 4 * num_possible_cpus(),
					  tlob_cost_enter, tlob_cost_leave);
	if (!IS_ERR(probes)) {
		WRITE_ONCE(tlob_cost_task, current);
		probed = tlob_cost_shortest();
		WRITE_ONCE(tlob_cost_task, NULL);
		tlob_function_probes_remove(probes);
		/* the exits' handlers run with preemption disabled */
		synchronize_rcu();
		if (probed > bare)
			tlob_function_probe_ns = div_u64(probed - bare, TLOB_COST_CALLS);
	}
	tlob_clock_detach(TLOB_FOR_COST);
	tlob_functions_model_free(tlob_cost_model);
	tlob_cost_model = NULL;
}

/* The probes of sets 0 ... tlob_nr_attached - 1. Under tlob_mutex. */
static struct tlob_function_probes *tlob_attached[TLOB_FUNCTION_SETS];
static unsigned int tlob_nr_attached;

unsigned int tlob_functions_limit(void)
{
	return TLOB_FUNCTIONS_MAX;
}

/* Calls that the kernel did not report, in this run or in the last one. */
u64 tlob_function_missed(unsigned int set)
{
	const struct tlob_function_set *s = &tlob_function_set[set];

	return set < tlob_nr_attached ?
	       tlob_function_probes_missed(tlob_attached[set], s->nr) : s->missed;
}

bool tlob_functions_of_run(void)
{
	return tlob_function_sets && !tlob_functions_of_monitor() &&
	       (tlob_run.state != TLOB_ENABLED || tlob_nr_attached);
}

/* Attaches all sets. Returns 0, -ENOMEM or the kernel's error; then none is. */
int tlob_functions_attach(void)
{
	unsigned int i;

	if (tlob_function_sets)
		tlob_functions_calibrate();
	for (i = 0; i < tlob_function_sets; i++) {
		struct tlob_function_set *s = &tlob_function_set[i];
		struct tlob_function_probes *p;

		s->missed = 0;
		p = tlob_function_probes_add(i, s->address, s->nr, TLOB_FUNCTIONS_ROOM,
					     tlob_probed_entry, tlob_probed_exit);
		if (IS_ERR(p)) {
			tlob_functions_detach();
			return PTR_ERR(p);
		}
		tlob_attached[tlob_nr_attached++] = p;
	}
	return 0;
}
ALLOW_ERROR_INJECTION(tlob_functions_attach, ERRNO);

/* Afterwards no handler runs and none starts. */
void tlob_functions_detach(void)
{
	unsigned int i, attached = tlob_nr_attached;

	if (!attached)
		return;
	/* while a probe is detached, the kernel counts each call as missed */
	for (i = 0; i < attached; i++)
		tlob_function_set[i].missed = tlob_function_missed(i);
	tlob_nr_attached = 0;
	for (i = 0; i < attached; i++)
		tlob_function_probes_remove(tlob_attached[i]);
	/* the exits' handlers run with preemption disabled */
	synchronize_rcu();
}
