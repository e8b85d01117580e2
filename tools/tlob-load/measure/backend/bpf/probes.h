/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that the programs of functions.bpf.c probe, shared with the tool. */
#ifndef TLOB_BACKEND_BPF_PROBES_H
#define TLOB_BACKEND_BPF_PROBES_H

#include <linux/types.h>

#define TLOB_PROBES_MAX		50
#define TLOB_PROBE_COST		50	/* what a probe costs is measured with these programs */
#define TLOB_PROBES_ROOM	64	/* a power of two */

struct tlob_probe {
	__u64	address;
	__u32	set;
	__u32	pad;
};

/* P(i) for each of them, the last one for the cost: the programs are enter_i and leave_i. */
#define TLOB_PROBES(P)							\
	P(0) P(1) P(2) P(3) P(4) P(5) P(6) P(7) P(8) P(9)		\
	P(10) P(11) P(12) P(13) P(14) P(15) P(16) P(17) P(18) P(19)	\
	P(20) P(21) P(22) P(23) P(24) P(25) P(26) P(27) P(28) P(29)	\
	P(30) P(31) P(32) P(33) P(34) P(35) P(36) P(37) P(38) P(39)	\
	P(40) P(41) P(42) P(43) P(44) P(45) P(46) P(47) P(48) P(49)	\
	P(50)

#endif /* TLOB_BACKEND_BPF_PROBES_H */
