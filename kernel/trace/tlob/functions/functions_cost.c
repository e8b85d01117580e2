// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of the probe of a call, measured on this machine before each run: a function
 * of the kernel that does nearly nothing is called with a probe and without, by the clock
 * of the split. The probe does in the model of a window what it does in one.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/preempt.h>

#include "../base/clock.h"
#include "../base/probes.h"
#include "functions.h"

#define TLOB_COST_CALLS		16	/* between two readings of the clock */
#define TLOB_COST_ROUNDS	32	/* the shortest counts: the others were disturbed */

u64 tlob_function_probe_ns;

/*
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

#if defined(TLOB_HAS_FPROBES)
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
#elif defined(TLOB_HAS_KRETPROBES)
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
#else
#define tlob_cost_enter	NULL
#define tlob_cost_leave	NULL
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

void tlob_functions_calibrate(void)
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
