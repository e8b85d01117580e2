// SPDX-License-Identifier: GPL-2.0
/*
 * A regression of known size, which a comparison of kernels must find: a probe of sched_wakeup
 * adds INSTRUCTIONS to every wake-up.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

static unsigned int instructions = 300;
module_param(instructions, uint, 0444);
MODULE_PARM_DESC(instructions, "more in each wake-up, 10 to 1000000 (300)");

static struct tracepoint *wakeup;

/* Two instructions a turn; the rest of the probe is some ten. */
static void on_wakeup(void *data, struct task_struct *task)
{
	unsigned long turns = instructions / 2;

	asm volatile("1: dec %0\n\tjnz 1b" : "+r" (turns) : : "cc");
}

static void find(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_wakeup"))
		wakeup = tp;
}

static int __init slow_init(void)
{
	if (instructions < 10 || instructions > 1000000)
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
