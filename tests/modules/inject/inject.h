/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_INJECT_H
#define TLOB_INJECT_H

#include <linux/types.h>

struct dentry;

/* arch.c. The kinds of interrupts between CPUs; arm64 has one for both calls. */
enum inject_ipi { IPI_RESCHED, IPI_CALL, IPI_CALL_SINGLE, IPI_WORK, INJECT_IPIS };

/* @handler runs in each nmi and returns whether that was one of this module. */
int  inject_nmi_init(int (*handler)(void));
void inject_nmi_exit(void);

/* Each returns 0, or -EOPNOTSUPP where there is no such thing. */
int  inject_nmi(unsigned int cpu);
int  inject_ipi(enum inject_ipi kind, unsigned int cpu);

/*
 * Calls @handler with @arg as the handler of an interrupt that is an NMI, as on arm64: in its
 * context, and with the tracepoints of an irq and of an IPI around it. Returns 0, or
 * -EOPNOTSUPP where there is no such thing. Irqs are off.
 */
int  inject_pseudo_nmi(void (*handler)(void *arg), void *arg);

/* An interrupt of this CPU that does nothing. */
void inject_self(void);

/*
 * The tracepoint of the entry of a kind. Where all kinds share one, *@reason is what
 * it tells; else NULL.
 */
const char *inject_ipi_entry(enum inject_ipi kind, const char **reason);

/* It aims nmis. */
#ifdef CONFIG_X86
int  inject_aim_init(struct dentry *dir);
void inject_aim_exit(void);
#else
static inline int inject_aim_init(struct dentry *dir)
{
	return 0;
}

static inline void inject_aim_exit(void)
{
}
#endif

/*
 * The write() of a file of commands: gives @command the text, up to 127 bytes.
 * Returns @size, -EINVAL, -EFAULT, or what @command returns if that is not 0.
 */
ssize_t inject_write(const char __user *buf, size_t size,
		     int (*command)(const char *text));

void inject_clock_init(struct dentry *dir);
void inject_sleep_init(struct dentry *dir);
void inject_functions_init(struct dentry *dir);
void inject_reap_init(struct dentry *dir);
void inject_load_init(struct dentry *dir);

/* inject.c: what runs in an irq and in an nmi. Here because they can be probed. */
struct irq_work;
void inject_irq_work(struct irq_work *work);
int  inject_on_nmi(void);

/* steal.c: the clock of CPU 0 is there from on() to off(), and counts @ns. 0 or -errno. */
int  inject_steal_on(void);
void inject_steal_off(void);
void inject_stolen(u64 ns);
void inject_return(void);

/* keep.c: 0 or -errno. */
int  inject_keep_init(struct dentry *dir);
void inject_keep_exit(void);

/* Known to the linker, so that a stack has their names. */
struct work_struct;
void inject_keep_preempt(u64 ns);
void inject_keep_lock(u64 ns);
void inject_keep_irqlock(u64 ns);
void inject_keep_irqs(u64 ns);
void inject_keep_work(struct work_struct *work);
int  inject_keep_thread(void *unused);

/* functions.c: known to the linker, so that each can be probed. */
struct completion;
void tlob_inject(void);
void inject_fn_leaf(u64 ns);
void inject_fn_outer(u64 ns);
void inject_fn_recurse(unsigned int n, u64 ns);
void inject_fn_ping(unsigned int n, u64 ns);
void inject_fn_pong(unsigned int n, u64 ns);
void inject_fn_nap(u64 ns);
void inject_fn_hold(void);
int  inject_fn_move(unsigned int cpu, u64 ns);
void inject_fn_last(u64 ns, struct completion *done);
void inject_fn_empty(void);

#endif /* TLOB_INJECT_H */
