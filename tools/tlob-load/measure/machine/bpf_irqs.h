/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs on tracepoints, shared by the loaders that have them. Those on interrupts are irq_entry
 * and irq_exit for irqs, vector_entry and vector_exit for the vectors of x86 with tracepoints of
 * their own, softirq_entry and softirq_exit. The first four are raw, because each vector gets the
 * same two. Other raw programs are run, not attached.
 */
#ifndef TLOB_MACHINE_BPF_IRQS_H
#define TLOB_MACHINE_BPF_IRQS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_link;
struct bpf_object;

#define BPF_IRQS_VECTORS	11
#define BPF_IRQS_LINKS		(2 + 2 * BPF_IRQS_VECTORS)	/* at most */
#define BPF_IRQS_WHY		192				/* has room for all reasons */

/* Which interrupts the programs can see on this kernel. */
struct bpf_irqs {
	uint32_t vectors;		/* with tracepoints, as bits: for bpf_irqs_attach() */
	uint32_t lacking;		/* kinds that programs cannot see: 1 << enum tlob_noise_kind */
	char	 why[BPF_IRQS_WHY];	/* the reasons; "" if none is lacking */
	/*
	 * A task may leave the code that keeps the CPU before it leaves the CPU, so another interrupt says
	 * more. Where any code is preempted, it leaves at the end of that. On PREEMPT_RT no program may
	 * start a timer there.
	 */
	bool	 look_again;
};

/*
 * Before loading: leaves out what this kernel has no tracepoint for. On PREEMPT_RT these are also
 * softirqs: threads preempt them there, so their hooks would not nest. 0 or -ENOMEM, not printed.
 */
int bpf_irqs_choose(struct bpf_object *object, struct bpf_irqs *irqs);

/* Takes a new link to the @n of @to, or returns the error of libbpf instead of one. Not printed. */
int bpf_keep_link(struct bpf_link *link, struct bpf_link **to, size_t *n);

/* Adds @reason to @why, unless it is there already. */
void bpf_irqs_reason(char why[BPF_IRQS_WHY], const char *reason);

/* Attaches the raw ones of the loaded programs, which attach nowhere by themselves. The rest is as below. */
int bpf_irqs_attach_raw(struct bpf_object *object, uint32_t vectors, struct bpf_link **link, size_t *n);

/*
 * Attaches the loaded programs: those on interrupts first. Adds the new links to the @n that @link
 * has. 0 or -errno, not printed.
 */
int bpf_irqs_attach(struct bpf_object *object, uint32_t vectors, struct bpf_link **link,
		    size_t *n);

#endif /* TLOB_MACHINE_BPF_IRQS_H */
