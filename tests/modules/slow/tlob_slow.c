// SPDX-License-Identifier: GPL-2.0
/*
 * A regression of known size, which a comparison of kernels must find: a probe of sched_wakeup
 * adds INSTRUCTIONS to every wake-up, and SPIKE more to one of EVERY. With other values it executes
 * as many instructions as these say, and otherwise the same ones.
 */
#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

#include "turn.h"

static unsigned int instructions = 300;
module_param(instructions, uint, 0444);
MODULE_PARM_DESC(instructions, "more in each wake-up, 2 to 1000000 (300)");

static unsigned int spike = 2;
module_param(spike, uint, 0444);
MODULE_PARM_DESC(spike, "more in some wake-ups, 2 to 1000000 (2)");

static unsigned int every = 200;
module_param(every, uint, 0444);
MODULE_PARM_DESC(every, "how many wake-ups have one spike, from 1 on (200)");

static struct tracepoint *wakeup;

static atomic_t wakeups;

/* The rest of the probe is some twenty instructions. */
static void on_wakeup(void *data, struct task_struct *task)
{
	turn(instructions / 2);
	if (atomic_inc_return(&wakeups) % every == 0)
		turn(spike / 2);
}

static void find(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_wakeup"))
		wakeup = tp;
}

static int __init slow_init(void)
{
	if (instructions < 2 || instructions > 1000000 ||
	    spike < 2 || spike > 1000000 || !every)
		return -ERANGE;
	for_each_kernel_tracepoint(find, NULL);
	return wakeup ? tracepoint_probe_register(wakeup, on_wakeup, NULL) :
			-ENOENT;
}

static void __exit slow_exit(void)
{
	tracepoint_probe_unregister(wakeup, on_wakeup, NULL);
	tracepoint_synchronize_unregister();
}

module_init(slow_init);
module_exit(slow_exit);
MODULE_DESCRIPTION("Makes wake-ups slower by a known number of instructions");
MODULE_LICENSE("GPL");
