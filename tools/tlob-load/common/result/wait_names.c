// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "result/wait_names.h"

const char *const waker_kinds[TLOB_WAKER_NMI + 1] = {
	[TLOB_WAKER_UNKNOWN] = "unknown", [TLOB_WAKER_TASK] = "task",
	[TLOB_WAKER_IRQ] = "irq", [TLOB_WAKER_SOFTIRQ] = "softirq", [TLOB_WAKER_NMI] = "nmi",
};

const char *waker_text(char buf[WAKER_LEN], const struct tlob_wait_waker *w)
{
	char name[PRINTABLE_NAME];

	if (w->kind == TLOB_WAKER_TASK && !w->tid)
		snprintf(buf, WAKER_LEN, "another process");
	else if (w->kind == TLOB_WAKER_TASK)
		snprintf(buf, WAKER_LEN, "%s/%u", printable(name, w->comm, sizeof(w->comm)), w->tid);
	else
		snprintf(buf, WAKER_LEN, "%s", w->kind && w->kind <= TLOB_WAKER_NMI ?
			 waker_kinds[w->kind] : "?");
	return buf;
}

bool wait_frame_is_common(const char *name)
{
	static const char * const common[] = {
		"__schedule", "schedule", "do_syscall_64", "entry_SYSCALL_64_after_hwframe",
		"ret_from_fork", "ret_from_fork_asm",
	};
	size_t i;

	for (i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (!strcmp(name, common[i]))
			return true;
	return !strncmp(name, "__x64_sys_", 10) || !strncmp(name, "__do_sys_", 9);
}
