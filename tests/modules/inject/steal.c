// SPDX-License-Identifier: GPL-2.0
/*
 * A hypervisor's clock of what it has stolen from CPU 0, for guests without one: it counts what
 * this module says. On x86 tlob_load is told about it where it asks KVM. On arm64 the kernel's own
 * variable, which BPF programs read, points to it.
 */
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "inject.h"

/* Never freed: the hooks of a monitor that has asked may read it for some time. */
static u64 *page;
static bool on;

static bool make_page(void)
{
	if (!page)
		page = (u64 *)get_zeroed_page(GFP_KERNEL);
	return page;
}

#ifdef CONFIG_X86_64
#define CLOCK	0		/* where in the page */

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
	regs->ax = raw_smp_processor_id() ? 0 : virt_to_phys(page) | 1;
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
	if (!make_page())
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
#elif defined(CONFIG_ARM64)
#define CLOCK	1

static u64 **clock_of_cpu;

/* Returns where CPU 0 has its pointer to the clock. No module may ask for it by name. */
static u64 **find_pointer(void)
{
	struct kprobe lookup = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*address_of)(const char *name), address;

	if (register_kprobe(&lookup))
		return NULL;
	address_of = (void *)lookup.addr;
	unregister_kprobe(&lookup);
	address = address_of("stolen_time_region");
	return address ? per_cpu_ptr((u64 * __percpu *)address, 0) : NULL;
}

int inject_steal_on(void)
{
	if (on)
		return 0;
	clock_of_cpu = find_pointer();
	if (!clock_of_cpu || *clock_of_cpu)
		return clock_of_cpu ? -EBUSY : -ENOENT;
	if (!make_page())
		return -ENOMEM;
	WRITE_ONCE(*clock_of_cpu, page);
	on = true;
	return 0;
}

void inject_steal_off(void)
{
	if (on)
		WRITE_ONCE(*clock_of_cpu, NULL);
	on = false;
}
#else
#define CLOCK	0

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
		WRITE_ONCE(page[CLOCK], page[CLOCK] + ns);
}
