// SPDX-License-Identifier: GPL-2.0
/*
 * A hypervisor's clock of what it has stolen from CPU 0, for guests without one: it counts what
 * this module says. tlob_load is told about it where it asks KVM, on CPU 0 only.
 */
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/smp.h>

#include "inject.h"

/* Never freed: the hooks of a monitor that has asked may read it for some time. */
static u64 *clock;
static bool on;

#ifdef CONFIG_X86_64
/*
 * A probe at the place of a call of ftrace cannot change the stack, so this returns. It leaves
 * the register of the result alone.
 */
noinline void inject_return(void)
{
}

/* The function returns at once with what KVM's register would have. */
static int on_ask(struct kprobe *p, struct pt_regs *regs)
{
	regs->ax = raw_smp_processor_id() ? 0 : virt_to_phys(clock) | 1;
	regs->ip = (unsigned long)inject_return;
	return 1;
}

/* With one of these the probe is not optimized, and may change where it returns to. */
static void after_ask(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe ask = {
	.symbol_name = "tlob_steal_told", .pre_handler = on_ask, .post_handler = after_ask,
};

int inject_steal_on(void)
{
	int err;

	if (on)
		return 0;
	if (!clock)
		clock = (u64 *)get_zeroed_page(GFP_KERNEL);
	if (!clock)
		return -ENOMEM;
	err = register_kprobe(&ask);
	on = !err;
	return err;
}

void inject_steal_off(void)
{
	if (!on)
		return;
	unregister_kprobe(&ask);
	ask.addr = NULL;
	ask.flags = 0;
	on = false;
}
#else
int inject_steal_on(void)
{
	return -EOPNOTSUPP;
}

void inject_steal_off(void)
{
}
#endif

void inject_stolen(u64 ns)
{
	if (on)
		WRITE_ONCE(*clock, *clock + ns);
}
