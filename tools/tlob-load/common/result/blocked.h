/* SPDX-License-Identifier: GPL-2.0 */
/* A thread that waits since before it was watched. */
#ifndef TLOB_RESULT_BLOCKED_H
#define TLOB_RESULT_BLOCKED_H

#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>
#include "result/causes.h"

#define BLOCKED_MAX	1024

struct blocked_thread {
	uint32_t tid;
	char	 comm[TLOB_NAME_LEN];
	char	 function[PLACE_NAME];	/* of the kernel, in which it waits; "": not known */
};

/* Adds @t to the @n threads of @list, which has BLOCKED_MAX at most. 0 or -ENOMEM. */
int  blocked_add(struct blocked_thread **list, size_t *n, const struct blocked_thread *t);

/* Of at least one: "servo/4711 in futex_wait_queue, and 3 more": malloc(), or NULL. */
char *blocked_text(const struct blocked_thread *list, size_t n);

#endif /* TLOB_RESULT_BLOCKED_H */
