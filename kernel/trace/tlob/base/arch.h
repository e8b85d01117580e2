/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All code of the kernel part that depends on the architecture: x86-64, arm64, and others
 * without an inline clock. No other file tests for one, but compat.h, where a kernel's
 * version also counts.
 *
 *			x86-64				arm64
 * clock		TSC				CNTVCT_EL0
 * timer, IPIs		tracepoints irq_vectors		irq_handler_entry: arch_timer, IPI
 * kinds of IPIs	their vectors			tracepoint ipi_entry inside of that
 * nmis			tracepoint nmi_handler		none: pseudo-NMIs hit those of irqs, which
 *							cannot be used: tlob_irq_is_nmi()
 */
#ifndef _TLOB_ARCH_H
#define _TLOB_ARCH_H

#include <linux/clocksource.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <asm/irq_regs.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

#ifdef CONFIG_X86
#include <asm/hypervisor.h>
#endif

/*
 * TLOB_CYCLES is set if the clocksource may be a counter that one instruction reads.
 *
 * tlob_cycles() reads it after all loads before, and before all that follow.
 * tlob_is_cycles() returns whether a clocksource is that counter, without an erratum's
 * workaround: the vDSO reads it in the same way.
 */
#if defined(CONFIG_X86_64) && defined(CONFIG_GENERIC_GETTIMEOFDAY)
#include <asm/tsc.h>

#define TLOB_CYCLES

static __always_inline u64 tlob_cycles(void)
{
	return rdtsc_ordered();
}

static inline bool tlob_is_cycles(const struct clocksource *clock)
{
	return clock->vdso_clock_mode == VDSO_CLOCKMODE_TSC;
}
#elif defined(CONFIG_ARM64) && defined(CONFIG_GENERIC_GETTIMEOFDAY)
#include <asm/arch_timer.h>

#define TLOB_CYCLES

/*
 * The kernel may read CNTPCT_EL0, as a host that runs guests does. Its CNTVOFF_EL2 is 0
 * then, so both are the same.
 */
static __always_inline u64 tlob_cycles(void)
{
	return __arch_counter_get_cntvct();
}

/* With an erratum that 32-bit programs alone cannot work around it is NOCOMPAT. */
static inline bool tlob_is_cycles(const struct clocksource *clock)
{
	return clock->vdso_clock_mode == VDSO_CLOCKMODE_ARCHTIMER ||
	       clock->vdso_clock_mode == VDSO_CLOCKMODE_ARCHTIMER_NOCOMPAT;
}
#endif

/* In an irq: returns whether it has interrupted user code, which cannot keep irqs off. */
static inline bool tlob_irq_met_user(void)
{
	struct pt_regs *regs = get_irq_regs();

	return regs && user_mode(regs);
}

/*
 * In an irq: returns the link register that the interrupted code of the kernel had. 0: not in an
 * irq, or it was user code, or the architecture has no such register.
 */
static inline u64 tlob_irq_met_link(void)
{
#ifdef CONFIG_ARM64
	struct pt_regs *regs = get_irq_regs();

	return regs && !user_mode(regs) ? regs->regs[30] : 0;
#else
	return 0;
#endif
}

/*
 * tlob_arch_counts_steal() returns whether KVM can count what it steals. It asks the hypervisor,
 * for long. KVM's signature may come after another hypervisor's, which it imitates.
 * tlob_arch_steal() returns where KVM writes what it steals from this CPU, as its register has
 * it. Only if it can.
 */
#ifdef CONFIG_X86_64
#include <asm/kvm_para.h>
#include <asm/msr.h>
#include <asm/processor.h>

static inline bool tlob_arch_counts_steal(void)
{
	u32 base, eax, signature[3];

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return false;
	for (base = 0x40000000; base < 0x40010000; base += 0x100) {
		cpuid(base, &eax, &signature[0], &signature[1], &signature[2]);
		if (!memcmp(signature, KVM_SIGNATURE, sizeof(signature)))
			return cpuid_eax(base | KVM_CPUID_FEATURES) &
			       (1U << KVM_FEATURE_STEAL_TIME);
	}
	return false;
}

static inline u64 tlob_arch_steal(void)
{
	u32 low, high;

	return rdmsr_safe(MSR_KVM_STEAL_TIME, &low, &high) ? 0 : (u64)high << 32 | low;
}
#else
static inline bool tlob_arch_counts_steal(void)
{
	return false;
}

static inline u64 tlob_arch_steal(void)
{
	return 0;
}
#endif

/*
 * TLOB_TIMER_VECTOR is the tracepoint without which the timer's interrupts are not seen,
 * or "" where irq_handler_entry has them.
 */
#ifdef CONFIG_X86
#define TLOB_TIMER_VECTOR	"local_timer_entry"
#else
#define TLOB_TIMER_VECTOR	""
#endif

/*
 * TLOB_VECTOR_EVENTS is the header of the vectors' events, which are of one class, and
 * TLOB_VECTOR_PROBE() is TLOB_PROBE_OF() any of them. Elsewhere none is found.
 */
#ifdef CONFIG_X86
#define TLOB_VECTOR_EVENTS	"asm/trace/irq_vectors.h"
#define TLOB_VECTOR_PROBE(_fn)	TLOB_PROBE_OF(local_timer_entry, _fn)
#else
#define TLOB_VECTOR_EVENTS	"trace/events/irq.h"
#define TLOB_VECTOR_PROBE(_fn)	(_fn)
#endif

/*
 * TLOB_TIMER_NAME is the name of the timer's interrupt where irq_handler_entry or the event
 * irq_noise has it, else "". It is the largest interruption of most windows.
 */
#if defined(CONFIG_ARM64)
#define TLOB_TIMER_NAME	"arch_timer"
#elif defined(CONFIG_X86)
#define TLOB_TIMER_NAME	"local_timer"
#else
#define TLOB_TIMER_NAME	""
#endif

/*
 * TLOB_IPI_ENTRY is the tracepoint that reports the kind of an IPI whose irq_handler_entry
 * does not. "" is none. x86 kernels also have this tracepoint, but never hit it.
 */
#ifdef CONFIG_X86
#define TLOB_IPI_ENTRY	""
#else
#define TLOB_IPI_ENTRY	"ipi_entry"
#endif

/* TLOB_IPI_PROBE() is TLOB_PROBE_OF() it. Since 7.x only some architectures have its header. */
#ifdef CONFIG_ARM64
#define TLOB_IPI_PROBE(_fn)	TLOB_PROBE_OF(ipi_entry, _fn)
#else
#define TLOB_IPI_PROBE(_fn)	(_fn)
#endif

/*
 * Returns whether an irq's tracepoint was hit in an NMI. The interrupt controller of arm64 makes
 * some interrupts NMIs: the PMU's, and the IPIs that stop a CPU or print its stack. Their
 * flow handlers hit the tracepoints of irqs, also while irqs are off, so in the middle of
 * a hook. A hook of irqs must then return at once: what it interrupts may be
 * moving the cursor, and may hold the lock of a monitored task. On x86 no NMI hits them.
 */
static __always_inline bool tlob_irq_is_nmi(void)
{
#ifdef CONFIG_X86
	return false;
#else
	return in_nmi();
#endif
}

/*
 * Returns whether interrupts come without a tracepoint. Under Hyper-V the synthetic timer and the
 * devices of VMBus have vectors of their own, whose handlers have none (kernel/cpu/mshyperv.c).
 */
static inline bool tlob_irqs_are_hidden(void)
{
#ifdef CONFIG_X86
	return hypervisor_is_type(X86_HYPER_MS_HYPERV);
#else
	return false;
#endif
}

/* Why a part is not measured, after "unavailable_because: " of `status`. */
#ifdef CONFIG_X86
#define TLOB_LACKING	(tlob_irqs_are_hidden() ?					\
			 "Hyper-V interrupts have no tracepoints" :			\
			 "this kernel lacks tracepoints for the others")
#else
#define TLOB_LACKING	"nmis have no tracepoint on this architecture"
#endif

/*
 * The return address that user code has stored as @word. With pointer authentication arm64
 * stores it signed, in bits that no address of user space uses.
 */
static inline unsigned long tlob_user_code(unsigned long word)
{
#if !defined(CONFIG_ARM64)
	return word;
#elif defined(ptrauth_strip_user_insn_pac)
	return ptrauth_strip_user_insn_pac(word);
#else
	return ptrauth_clear_pac(word);
#endif
}

/* Returns whether @regs belong to 64-bit user code. */
static inline bool tlob_user_is_64bit(struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return user_64bit_mode(regs);
#else
	return !test_thread_flag(TIF_32BIT);
#endif
}

#endif /* _TLOB_ARCH_H */
