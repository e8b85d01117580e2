// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of functions: fprobe, or kretprobes where the kernel has no fprobe.
 * compat.h decides which.
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
#include <linux/rcupdate.h>
#include <linux/slab.h>

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

struct tlob_function_probes *tlob_function_probes_add(unsigned int set, unsigned long *address,
						      unsigned int nr, unsigned int room,
						      tlob_probe_entry entry,
						      tlob_probe_exit exit)
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
void tlob_function_probes_remove(struct tlob_function_probes *p)
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

struct tlob_function_probes *tlob_function_probes_add(unsigned int set, unsigned long *address,
						      unsigned int nr, unsigned int room,
						      tlob_probe_entry entry,
						      tlob_probe_exit exit)
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

/* Removes all probes of @p with one grace period. */
void tlob_function_probes_remove(struct tlob_function_probes *p)
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

const char *tlob_functions_mechanism(void)
{
	return NULL;
}

struct tlob_function_probes *tlob_function_probes_add(unsigned int set, unsigned long *address,
						      unsigned int nr, unsigned int room,
						      tlob_probe_entry entry,
						      tlob_probe_exit exit)
{
	return ERR_PTR(-EOPNOTSUPP);
}

void tlob_function_probes_remove(struct tlob_function_probes *p)
{
}

static u64 tlob_function_probes_missed(const struct tlob_function_probes *p, unsigned int nr)
{
	return 0;
}
#endif

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

bool tlob_functions_are_attached(void)
{
	return tlob_nr_attached;
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
