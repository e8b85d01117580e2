/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a task that blocks is stopped or frozen, as in kernel/trace/tlob/base/stopped.h. */
#ifndef TLOB_ATTACH_BPF_STOPPED_H
#define TLOB_ATTACH_BPF_STOPPED_H

#include <bpf/bpf_core_read.h>

#include "turns.h"

#define TASK_INTERRUPTIBLE	0x1
#define TASK_STOPPED_OR_TRACED	0x0c
#define TASK_FROZEN		0x8000

struct task_struct___stopped {
	unsigned int frozen : 1;
} __attribute__((preserve_access_index));

/* @task leaves its CPU in @state. */
static inline enum tlob_kept task_stopped(const void *task, unsigned int state)
{
	const struct task_struct___stopped *t = task;

	if (state & TASK_STOPPED_OR_TRACED)
		return TLOB_KEPT_STOPPED;
	if (state & TASK_FROZEN ||
	    (state & TASK_INTERRUPTIBLE && bpf_core_field_exists(t->frozen) &&
	     BPF_CORE_READ_BITFIELD(t, frozen)))
		return TLOB_KEPT_FROZEN;
	return TLOB_KEPT_NOT;
}

#endif /* TLOB_ATTACH_BPF_STOPPED_H */
