/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of the monitor that hooks of the noise sources and of waits call. All of these run
 * with irqs off. The scheduler's hooks call theirs while windows exist or c->monitored
 * is set. Hooks of irqs and nmis call theirs on a CPU with c->monitored or c->awaited.
 */
#ifndef _TLOB_MONITOR_HOOKS_H
#define _TLOB_MONITOR_HOOKS_H

#include <linux/sched.h>
#include <linux/types.h>

#include "../base/options.h"
#include "../split/turns.h"

struct tlob_cpu;

/* The noise source of the monitor, which noise.c hands over as the module begins. */
struct tlob_monitor_noise {
	/*
	 * Under tlob_mutex; may sleep. Sets *@unavailable to a mask of 1 << enum
	 * tlob_part. Returns 0 or -ENOMEM.
	 */
	int  (*attach)(u32 *unavailable);
	void (*detach)(void);
};

#ifdef TLOB_HAS_MONITOR
/*
 * 0 while no window exists. The hooks of the scheduler test it first, so a
 * system without windows pays for one load. START and STOP do not write it: it
 * stays for up to two seconds after the last window. It is never
 * TLOB_ONLY_ACTIVE.
 */
#define TLOB_USED		256U
#define TLOB_USED_ENDING	512U	/* perhaps no window is left */
extern u32 tlob_monitor_used;

/*
 * The sets of functions belong to the monitor: windows that begin have times in them. Changes only
 * while no probe is attached.
 */
extern bool tlob_functions_monitored;

/* Since when each switch is noted (split/turns.h), in ns. U64_MAX: none is. */
extern u64 tlob_turns_valid;
/* Those of each CPU. Under the lock of its run queue; of this one with irqs off. */
DECLARE_PER_CPU(struct tlob_turns, tlob_turns);

static __always_inline u32 tlob_monitor_in_use(void)
{
	return READ_ONCE(tlob_monitor_used);
}

/* With the arguments of the tracepoint. */
void tlob_monitor_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state);
/*
 * @task, which is queued on a CPU, is about to be moved to another one. Under the lock of
 * the run queue that it leaves.
 */
void tlob_monitor_migrates(struct task_struct *task);
void tlob_monitor_wakeup(struct task_struct *task);
void tlob_monitor_exited(void);
void tlob_monitor_exec(bool hidden);
void tlob_monitor_enter(struct tlob_cpu *c, unsigned int kind, s32 id,
			const char *name, bool lasting);
void tlob_monitor_leave(struct tlob_cpu *c, unsigned int kind, s32 id);
/* The open irq is an IPI of a kind; @name as for tlob_split_name_irq(). */
void tlob_monitor_name_irq(struct tlob_cpu *c, const char *name);
void tlob_monitor_nmi(struct tlob_cpu *c, u64 ns, bool count);

void tlob_monitor_set_noise(const struct tlob_monitor_noise *noise);
#else
static __always_inline u32 tlob_monitor_in_use(void)
{
	return 0;
}

static inline void tlob_monitor_switch(void *data, bool preempt, struct task_struct *prev,
				       struct task_struct *next, unsigned int prev_state) { }
static inline void tlob_monitor_migrates(struct task_struct *task) { }
static inline void tlob_monitor_wakeup(struct task_struct *task) { }
static inline void tlob_monitor_exited(void) { }
static inline void tlob_monitor_exec(bool hidden) { }
static inline void tlob_monitor_enter(struct tlob_cpu *c, unsigned int kind, s32 id,
				      const char *name, bool lasting) { }
static inline void tlob_monitor_leave(struct tlob_cpu *c, unsigned int kind, s32 id) { }
static inline void tlob_monitor_name_irq(struct tlob_cpu *c, const char *name) { }
static inline void tlob_monitor_nmi(struct tlob_cpu *c, u64 ns, bool count) { }
static inline void tlob_monitor_set_noise(const struct tlob_monitor_noise *noise) { }
#endif /* TLOB_HAS_MONITOR */

#endif /* _TLOB_MONITOR_HOOKS_H */
