/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time in kernel functions, inside the windows of a run.
 *
 * functions.c has the sets and the control files, functions_probe.c the probes of
 * the kernel and what one costs, functions_window.c what a probe does in a window of a
 * run, and what is kept of it, functions_task.c the same in windows of the monitor.
 * split_calls.h charges.
 *
 * The sets change under tlob_mutex while no run is enabled. Probes are attached
 * before the first window can be armed, and detached after the last one has
 * ended. In between the sets are constant. They belong to runs, or to the monitor
 * while functions_monitor is 1: a run then has no sets.
 *
 * A probe runs in any context, an nmi and the middle of any lock among them. It
 * calls nothing that may be probed but the kernel's clock, which is notrace, and
 * takes no lock.
 */
#ifndef _TLOB_FUNCTIONS_H
#define _TLOB_FUNCTIONS_H

#include <linux/mutex.h>

#include "../base/compat.h"
#include "../base/base.h"
#include "../base/options.h"
#include "../monitor/hooks.h"
#include "../window/extra.h"
#include "../window/window.h"

#define TLOB_FUNCTION_NAME	16	/* with its NUL */
#define TLOB_FUNCTION_MODULE	64	/* with its NUL */

struct tlob_function_set {
	char	name[TLOB_FUNCTION_NAME];
	unsigned int nr;
	unsigned long *address;		/* [nr], ascending */
	char	module[TLOB_FUNCTION_MODULE]; /* held while the set exists; "": none */
	u64	missed;			/* by the probes, in the last run */
};

extern struct tlob_function_set tlob_function_set[TLOB_FUNCTION_SETS];
extern unsigned int tlob_function_sets;

/* functions.c */
extern const struct tlob_room tlob_functions_room;

/* Sums over the windows of a run. */
struct tlob_function_total {
	u64	calls, net_ns, max_ns, max_function;
	u64	open, unreturned, missed;
};

/* Whose calls a reference is into. The entry decides it. */
enum tlob_call_owner {
	TLOB_CALL_OF_RUN = 1,		/* place: the CPU */
	TLOB_CALL_OF_TASK,		/* place: the number of the tlob_task_calls */
	TLOB_CALL_OF_MODEL,
};

/*
 * A probe keeps this from the entry of a call to its exit. By then the sets may be those of
 * another run, and the calls at `place` may be gone or new: so only this knows where the call
 * was kept, and it is still there only if the serials are equal.
 */
struct tlob_function_call {
	u64	serial;
	u32	place;
	u16	owner;			/* enum tlob_call_owner */
	u16	index;
};

/*
 * functions_window.c. Both run in a probe, with preemption disabled. enter()
 * returns whether the exit is wanted. @sp: at the entry.
 */
bool tlob_function_enter(struct tlob_function_call *call, unsigned int set,
			 unsigned long function, unsigned long sp);
void tlob_function_leave(const struct tlob_function_call *call);
/*
 * All calls, of runs, the monitor and the model, begin with a serial above all that
 * earlier ones have used. Those that exist together may use the same: their owner and
 * place differ. retire() is called when no probe can enter them any more.
 */
void tlob_function_calls_init(struct tlob_calls *calls);
void tlob_function_calls_retire(const struct tlob_calls *calls);
/* The address of the function that @ip, where a probe of @set was hit, belongs to. */
u64  tlob_function_start(unsigned int set, u64 ip);
/* Those of struct tlob_extra. */
size_t tlob_functions_bytes(void);
int  tlob_functions_alloc(struct tlob_cpu *c, int node);
void tlob_functions_free(struct tlob_cpu *c);
void tlob_functions_forget(struct tlob_cpu *c);
void tlob_functions_begin(struct tlob_cpu *c);
void tlob_functions_close(struct tlob_cpu *c);
void tlob_functions_write(struct tlob_cpu *c, u64 activation, bool warm_up);
void tlob_functions_end(const struct tlob_cpu *c);
void tlob_functions_exited(struct tlob_cpu *c, pid_t pid);
extern const struct file_operations tlob_functions_ring_fops, tlob_functions_hist_fops;
/* Adds what CPU @c has of set @set. Under tlob_mutex. */
void tlob_function_add_total(const struct tlob_cpu *c, unsigned int set,
			     struct tlob_function_total *to);

/* functions_task.c. The same for windows of the monitor. */
#ifdef TLOB_HAS_MONITOR
void tlob_functions_task_init(void);
/*
 * Windows that begin from now on have times in functions, and from end() on none has. No probe is
 * attached. Under tlob_mutex; may sleep. begin() returns 0 or -ENOMEM.
 */
int  tlob_functions_task_begin(void);
void tlob_functions_task_end(void);
bool tlob_function_enter_task(struct tlob_function_call *call, unsigned int set,
			      unsigned long function, unsigned long sp);
void tlob_function_leave_task(const struct tlob_function_call *call);
#else
static inline void tlob_functions_task_init(void) { }
static inline int tlob_functions_task_begin(void)
{
	return -EOPNOTSUPP;
}

static inline void tlob_functions_task_end(void) { }
static inline bool tlob_function_enter_task(struct tlob_function_call *call, unsigned int set,
					    unsigned long function, unsigned long sp)
{
	return false;
}

static inline void tlob_function_leave_task(const struct tlob_function_call *call) { }
#endif

/* The sets belong to the monitor, or to runs. */
static __always_inline bool tlob_functions_of_monitor(void)
{
#ifdef TLOB_HAS_MONITOR
	return READ_ONCE(tlob_functions_monitored);
#else
	return false;
#endif
}

/*
 * functions_window.c. A window in which probes are measured, and the same in it. The
 * caller knows that no other task and no interrupt uses it.
 */
struct tlob_cpu *tlob_functions_model(void);
void tlob_functions_model_free(struct tlob_cpu *c);
bool tlob_function_enter_model(struct tlob_cpu *c, struct tlob_function_call *call,
			       unsigned long function, unsigned long sp);
void tlob_function_leave_model(struct tlob_cpu *c, const struct tlob_function_call *call);

/* functions_probe.c: ns that the probe of a call adds to a window, measured; 0: unknown. */
extern u64 tlob_function_probe_ns;
/*
 * Returns whether runs have the sets. A run that began while the monitor had them does without,
 * also after the monitor has given them back. Under tlob_mutex.
 */
bool tlob_functions_of_run(void);
/* Under tlob_mutex; may sleep. */
int  tlob_functions_attach(void);
void tlob_functions_detach(void);
const char *tlob_functions_mechanism(void);
unsigned int tlob_functions_limit(void);
bool tlob_function_can_be_probed(unsigned long address);
u64  tlob_function_missed(unsigned int set);

#endif /* _TLOB_FUNCTIONS_H */
