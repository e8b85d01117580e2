// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/os_counts.h"
#include "result/tables.h"

/* Moves entry @i up to its place. */
static void sort_up(struct os_list *list, size_t i)
{
	for (; i && list->at[i].count > list->at[i - 1].count; i--) {
		struct os_name swap = list->at[i];

		list->at[i] = list->at[i - 1];
		list->at[i - 1] = swap;
	}
}

void os_list_add(struct os_list *list, const char *name, uint64_t count)
{
	size_t i = 0;

	if (!count)
		return;
	while (i < list->n && strncmp(list->at[i].name, name, OS_NAME_LEN - 1))
		i++;
	if (i == list->n) {
		if (list->n == OS_NAMES) {
			list->dropped++;
			i--;
			if (count <= list->at[i].count)
				return;
		} else {
			list->n++;
		}
		snprintf(list->at[i].name, sizeof(list->at[i].name), "%s", name);
		list->at[i].count = 0;
	}
	/* the order depends on it: a damaged file must not wrap it */
	if (__builtin_add_overflow(list->at[i].count, count, &list->at[i].count))
		list->at[i].count = UINT64_MAX;
	sort_up(list, i);
}

static void list_merge(struct os_list *a, const struct os_list *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		os_list_add(a, b->at[i].name, b->at[i].count);
	a->dropped += b->dropped;
}

int os_counts_add(struct os_counts **a, const struct os_counts *b)
{
	struct os_counts *sum = *a;

	if (!b)
		return 0;
	if (!sum) {
		sum = malloc(sizeof(*sum));
		if (!sum)
			return -ENOMEM;
		*sum = *b;
		*a = sum;
		return 0;
	}
	sum->known &= b->known;
	record_add(&os_record, sum, b);
	list_merge(&sum->irq, &b->irq);
	list_merge(&sum->softirq, &b->softirq);
	return 0;
}
