/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of time that the hypervisor has stolen from a CPU, in ns. KVM writes it into a
 * variable of the guest, each time before it runs the CPU, if the kernel has said where.
 */
#ifndef _TLOB_STEAL_H
#define _TLOB_STEAL_H

#include <linux/types.h>

/* The clock of a CPU from which nothing is known to be stolen: it stays 0. */
extern const u64 tlob_no_steal;

/* Asks the hypervisor whether it counts at all. */
void tlob_steal_init(void);

/* Returns this CPU's clock, which does not change until it goes offline. Not in an nmi. */
const u64 *tlob_steal_find(void);

/*
 * Returns what the kernel has told KVM about this CPU: the physical address of its struct
 * kvm_steal_time, whose first field is the clock, with bit 0 set. 0: nothing. The tests
 * return the address of a clock of their own here.
 */
u64 tlob_steal_told(void);

#endif /* _TLOB_STEAL_H */
