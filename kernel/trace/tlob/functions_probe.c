// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of functions: fprobe, or kretprobes where the kernel has no fprobe.
 * compat.h tells which.
 *
 * The handlers do only what differs between both. Outside of windows they return
 * at once, and the kernel then leaves the function's return alone.
 *
 * A task that is inside of a function while its probe is detached returns through
 * the kernel's own code, without our handler. So the module may go.
 */
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
	if (READ_ONCE(tlob_functions_monitored))
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

struct tlob_fprobe {
	struct fprobe fp;
	unsigned int set;
};

static struct tlob_fprobe tlob_fprobe[TLOB_FUNCTION_SETS];
static unsigned int tlob_fprobes;	/* attached */

const char *tlob_functions_mechanism(void)
{
	return "fprobe";
}

static notrace int tlob_fprobe_enter(TLOB_FPROBE_PROTO)
{
	if (likely(!tlob_watched()))
		return 1;
	return !tlob_probe_enter(data, container_of(fp, struct tlob_fprobe, fp)->set,
				 ip, TLOB_FPROBE_SP(regs));
}

static notrace void tlob_fprobe_leave(TLOB_FPROBE_PROTO)
{
	tlob_probe_leave(data);
}

static int tlob_functions_attach_set(unsigned int set)
{
	struct tlob_function_set *s = &tlob_function_set[set];
	struct fprobe *fp = &tlob_fprobe[set].fp;
	int err;

	tlob_fprobe[set].set = set;
	*fp = (struct fprobe) {
		.entry_handler = tlob_fprobe_enter,
		.exit_handler = tlob_fprobe_leave,
		.entry_data_size = sizeof(struct tlob_function_call),
	};
	tlob_fprobe_set_room(fp, TLOB_FUNCTIONS_ROOM);
	err = register_fprobe_ips(fp, s->address, s->nr);
	if (!err)
		tlob_fprobes++;
	return err;
}

static void tlob_functions_detach_set(unsigned int set)
{
	unregister_fprobe(&tlob_fprobe[set].fp);
}

static u64 tlob_functions_missed_now(unsigned int set)
{
	return READ_ONCE(tlob_fprobe[set].fp.nmissed);
}

/* Before the first is detached, so all are counted by what is attached. */
static unsigned int tlob_functions_attached(void)
{
	return tlob_fprobes;
}

static void tlob_functions_none_attached(void)
{
	tlob_fprobes = 0;
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

static struct tlob_kretprobe *tlob_kretprobe[TLOB_FUNCTION_SETS];
static unsigned int tlob_kretprobe_sets;

const char *tlob_functions_mechanism(void)
{
	return "kretprobe";
}

static notrace int tlob_kretprobe_enter(struct kretprobe_instance *ri,
					struct pt_regs *regs)
{
	const struct tlob_kretprobe *k;

	if (likely(!tlob_watched()))
		return 1;
	k = container_of(get_kretprobe(ri), struct tlob_kretprobe, rp);
	return !tlob_probe_enter((void *)ri->data, k->set, k->function,
				 kernel_stack_pointer(regs));
}

static notrace int tlob_kretprobe_leave(struct kretprobe_instance *ri,
					struct pt_regs *regs)
{
	tlob_probe_leave((void *)ri->data);
	return 0;
}

/* Detaches the first @nr of @k, with one grace period for all. */
static void tlob_kretprobes_detach(struct tlob_kretprobe *k, unsigned int nr)
{
	struct kretprobe *rp[TLOB_FUNCTIONS_MAX];
	unsigned int i;

	for (i = 0; i < nr; i++)
		rp[i] = &k[i].rp;
	unregister_kretprobes(rp, nr);
}

static int tlob_functions_attach_set(unsigned int set)
{
	struct tlob_function_set *s = &tlob_function_set[set];
	struct tlob_kretprobe *k = kvcalloc(s->nr, sizeof(*k), GFP_KERNEL);
	unsigned int i;
	int err = 0;

	if (!k)
		return -ENOMEM;
	for (i = 0; i < s->nr; i++) {
		k[i].set = set;
		k[i].function = s->address[i];
		k[i].rp.kp.addr = (void *)s->address[i];
		k[i].rp.entry_handler = tlob_kretprobe_enter;
		k[i].rp.handler = tlob_kretprobe_leave;
		k[i].rp.data_size = sizeof(struct tlob_function_call);
		k[i].rp.maxactive = TLOB_FUNCTIONS_ROOM;
		err = register_kretprobe(&k[i].rp);
		if (err)
			break;
		/* a breakpoint instead */
		if (!kprobe_ftrace(&k[i].rp.kp)) {
			i++;
			err = -EINVAL;
			break;
		}
	}
	if (err) {
		if (i)
			tlob_kretprobes_detach(k, i);
		kvfree(k);
		return err;
	}
	tlob_kretprobe[set] = k;
	tlob_kretprobe_sets++;
	return 0;
}

static u64 tlob_functions_missed_now(unsigned int set)
{
	u64 missed = 0;
	unsigned int i;

	for (i = 0; i < tlob_function_set[set].nr; i++)
		missed += tlob_kretprobe[set][i].rp.nmissed +
			  tlob_kretprobe[set][i].rp.kp.nmissed;
	return missed;
}

static void tlob_functions_detach_set(unsigned int set)
{
	tlob_kretprobes_detach(tlob_kretprobe[set], tlob_function_set[set].nr);
	kvfree(tlob_kretprobe[set]);
	tlob_kretprobe[set] = NULL;
}

static unsigned int tlob_functions_attached(void)
{
	return tlob_kretprobe_sets;
}

static void tlob_functions_none_attached(void)
{
	tlob_kretprobe_sets = 0;
}
#else
#define TLOB_FUNCTIONS_MAX	0

const char *tlob_functions_mechanism(void)
{
	return NULL;
}

static int tlob_functions_attach_set(unsigned int set)
{
	return -EOPNOTSUPP;
}

static void tlob_functions_detach_set(unsigned int set)
{
}

static u64 tlob_functions_missed_now(unsigned int set)
{
	return 0;
}

static unsigned int tlob_functions_attached(void)
{
	return 0;
}

static void tlob_functions_none_attached(void)
{
}
#endif

unsigned int tlob_functions_limit(void)
{
	return TLOB_FUNCTIONS_MAX;
}

/* Calls that the kernel did not report, in this run or in the last one. */
u64 tlob_function_missed(unsigned int set)
{
	return set < tlob_functions_attached() ? tlob_functions_missed_now(set) :
						 tlob_function_set[set].missed;
}

/* Attaches all sets. Returns 0, -ENOMEM or the kernel's error; then none is. */
int tlob_functions_attach(void)
{
	unsigned int i;
	int err;

	if (tlob_function_sets)
		tlob_functions_calibrate();
	for (i = 0; i < tlob_function_sets; i++) {
		tlob_function_set[i].missed = 0;
		err = tlob_functions_attach_set(i);
		if (err) {
			tlob_functions_detach();
			return err;
		}
	}
	return 0;
}
ALLOW_ERROR_INJECTION(tlob_functions_attach, ERRNO);

/* Afterwards no handler runs and none starts. */
void tlob_functions_detach(void)
{
	unsigned int i, attached = tlob_functions_attached();

	if (!attached)
		return;
	/* while a probe is detached, the kernel counts each call as missed */
	for (i = 0; i < attached; i++)
		tlob_function_set[i].missed = tlob_functions_missed_now(i);
	for (i = 0; i < attached; i++)
		tlob_functions_detach_set(i);
	tlob_functions_none_attached();
	/* the exits' handlers run with preemption disabled */
	synchronize_rcu();
}
