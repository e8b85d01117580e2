// SPDX-License-Identifier: GPL-2.0
/* Test only: what this module does in its own way on x86-64 and on arm64. */
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "inject.h"

#ifdef CONFIG_X86
#include <asm/apic.h>
#include <asm/nmi.h>

static int (*on_nmi)(void);

static int x86_on_nmi(unsigned int type, struct pt_regs *regs)
{
	return on_nmi() ? NMI_HANDLED : NMI_DONE;
}

int inject_nmi_init(int (*handler)(void))
{
	on_nmi = handler;
	return register_nmi_handler(NMI_LOCAL, x86_on_nmi, 0, "tlob_inject");
}

void inject_nmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "tlob_inject");
}

int inject_nmi(unsigned int cpu)
{
	apic->send_IPI(cpu, NMI_VECTOR);
	return 0;
}

int inject_pseudo_nmi(void (*handler)(void *arg), void *arg)
{
	return -EOPNOTSUPP;
}

void inject_self(void)
{
	apic->send_IPI(raw_smp_processor_id(), IRQ_WORK_VECTOR);
}

int inject_ipi(enum inject_ipi kind, unsigned int cpu)
{
	static const int vector[INJECT_IPIS] = {
		[IPI_RESCHED] = RESCHEDULE_VECTOR,
		[IPI_CALL] = CALL_FUNCTION_VECTOR,
		[IPI_CALL_SINGLE] = CALL_FUNCTION_SINGLE_VECTOR,
		[IPI_WORK] = IRQ_WORK_VECTOR,
	};

	apic->send_IPI(cpu, vector[kind]);
	return 0;
}

const char *inject_ipi_entry(enum inject_ipi kind, const char **reason)
{
	static const char * const entry[INJECT_IPIS] = {
		[IPI_RESCHED] = "reschedule_entry",
		[IPI_CALL] = "call_function_entry",
		[IPI_CALL_SINGLE] = "call_function_single_entry",
		[IPI_WORK] = "irq_work_entry",
	};

	*reason = NULL;
	return entry[kind];
}
#else
/* A module has no way to make one: pseudo-NMIs belong to the PMU and to backtraces. */
int inject_nmi_init(int (*handler)(void))
{
	return 0;
}

void inject_nmi_exit(void)
{
}

int inject_nmi(unsigned int cpu)
{
	return -EOPNOTSUPP;
}

static struct tracepoint *entry_point, *exit_point, *ipi_point;

static void find_irq(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "irq_handler_entry"))
		entry_point = tp;
	else if (!strcmp(tp->name, "irq_handler_exit"))
		exit_point = tp;
	else if (!strcmp(tp->name, "ipi_entry"))
		ipi_point = tp;
}

/* Does the same as handle_percpu_devid_fasteoi_nmi() and do_handle_IPI(). */
int inject_pseudo_nmi(void (*handler)(void *arg), void *arg)
{
	static struct irqaction action = { .name = "pseudo_nmi" };
	const int irq = 1;

	if (!entry_point)
		for_each_kernel_tracepoint(find_irq, NULL);
	if (!entry_point || !exit_point || !ipi_point)
		return -EOPNOTSUPP;
	preempt_count_add(NMI_OFFSET + HARDIRQ_OFFSET);
	((void (*)(void *, int, struct irqaction *))entry_point->iterator)(NULL, irq, &action);
	((void (*)(void *, const char *))ipi_point->iterator)(NULL, "CPU stop interrupts");
	handler(arg);
	((void (*)(void *, int, struct irqaction *, int))exit_point->iterator)(NULL, irq, &action,
									      IRQ_HANDLED);
	preempt_count_sub(NMI_OFFSET + HARDIRQ_OFFSET);
	return 0;
}

static void nothing(struct irq_work *work)
{
}

static struct irq_work self = IRQ_WORK_INIT_HARD(nothing);

void inject_self(void)
{
	irq_work_queue(&self);
}

/* The address of a function that is not exported, or NULL. */
static void *lookup(const char *symbol)
{
	struct kprobe probe = { .symbol_name = symbol };
	void *addr;

	if (register_kprobe(&probe))
		return NULL;
	addr = probe.addr;
	unregister_kprobe(&probe);
	return addr;
}

static struct irq_work work = IRQ_WORK_INIT_HARD(nothing);

/* A CPU sends itself this kind only; from another one it would be a call. */
static void called(void *queue)
{
	if (queue)
		irq_work_queue(&work);
}

int inject_ipi(enum inject_ipi kind, unsigned int cpu)
{
	/* one sender at a time: while it waits, another adds nothing */
	static call_single_data_t csd;
	static void (*reschedule)(int cpu);

	switch (kind) {
	case IPI_RESCHED:
		if (!reschedule)
			reschedule = lookup("arch_smp_send_reschedule");
		/* its name before 6.4 */
		if (!reschedule)
			reschedule = lookup("smp_send_reschedule");
		if (!reschedule)
			return -ENOENT;
		reschedule(cpu);
		return 0;
	case IPI_CALL:
	case IPI_WORK:
		if (!csd.func)
			csd.func = called;
		csd.info = kind == IPI_WORK ? &work : NULL;
		/* -EBUSY: it still waits, as an interrupt would */
		smp_call_function_single_async(cpu, &csd);
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

const char *inject_ipi_entry(enum inject_ipi kind, const char **reason)
{
	static const char * const reasons[INJECT_IPIS] = {
		[IPI_RESCHED] = "Rescheduling interrupts",
		[IPI_CALL] = "Function call interrupts",
		[IPI_WORK] = "IRQ work interrupts",
	};

	*reason = reasons[kind];
	return "ipi_entry";
}
#endif
