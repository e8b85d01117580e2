/* SPDX-License-Identifier: GPL-2.0 */
/* What runs on each CPU: --dump-tasks. Pure C, for BPF and for the tool. */
#ifndef TLOB_BACKEND_BPF_TASKS_H
#define TLOB_BACKEND_BPF_TASKS_H

#include <linux/tlob.h>
#include <linux/types.h>

#define TLOB_CELL_TASKS		64	/* CPUs that are looked at */
#define TLOB_CELL_FRAMES	32

/* What runs on a CPU, as sched_switch has noted it. */
struct tlob_cell_running {
	__u64	seq;			/* odd: it is written just now; 0: nothing was noted */
	__u64	scratch;
	char	name[TLOB_NAME_LEN];
	__s32	pid, prio;
};

/* What ran on each CPU at the violation of one; by the CPU of that one. */
struct tlob_cell_tasks {
	__u64	activation;		/* of the violation */
	__s64	frames;			/* bytes of @frame; < 0: not known */
	__u64	frame[TLOB_CELL_FRAMES]; /* this CPU's stack, the hook first */
	struct {
		char	name[TLOB_NAME_LEN];
		__s32	pid, prio;
		__u64	known;
	} at[TLOB_CELL_TASKS];
};

/* With the module: the same in a ring of all CPUs. */
struct tlob_module_tasks {
	__u64	cpu;			/* of the violation */
	struct tlob_cell_tasks tasks;
};

#endif /* TLOB_BACKEND_BPF_TASKS_H */
