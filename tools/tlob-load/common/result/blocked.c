// SPDX-License-Identifier: GPL-2.0
/* Threads that wait since before they were watched, as a list and in words. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "result/blocked.h"
#include "util/printable.h"

int blocked_add(struct blocked_thread **list, size_t *n, const struct blocked_thread *t)
{
	struct blocked_thread *at;

	if (*n == BLOCKED_MAX)
		return 0;
	at = reallocarray(*list, *n + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	*list = at;
	at[(*n)++] = *t;
	return 0;
}

char *blocked_text(const struct blocked_thread *list, size_t n)
{
	char *text = NULL, more[32] = "", name[PRINTABLE_NAME];

	if (n > 1)
		snprintf(more, sizeof(more), ", and %zu more", n - 1);
	return asprintf(&text, "%s/%u%s%s%s", printable(name, list->comm, sizeof(list->comm)), list->tid,
			*list->function ? " in " : "", list->function, more) < 0 ? NULL : text;
}
