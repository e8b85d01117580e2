// SPDX-License-Identifier: GPL-2.0
/* /proc/interrupts and its like: any text gives lists that are in order, or an error. */
#include "fuzz.h"
#include "result/os_counts.h"
#include "machine/proc_counts.h"

#define NR_CPUS	3

static void check_list(const struct os_list *list)
{
	size_t i, k;

	CHECK(list->n <= OS_NAMES);
	for (i = 0; i < list->n; i++) {
		CHECK(memchr(list->at[i].name, 0, OS_NAME_LEN));
		CHECK(!i || list->at[i].count <= list->at[i - 1].count);
		for (k = 0; k < i; k++)
			CHECK(strcmp(list->at[i].name, list->at[k].name) != 0);
	}
}

/* Nothing came between a table and itself; all of it came since the empty one. */
static void check_table(const struct proc_table *t)
{
	const struct proc_table empty = { .ncpus = NR_CPUS };
	struct os_list *list = calloc(1, sizeof(*list));
	size_t i, k;

	CHECK(list);
	for (k = 0; k < t->n; k++)
		CHECK(t->name[k] && !strchr(t->name[k], '\n'));
	for (i = 0; i < NR_CPUS; i++) {
		memset(list, 0, sizeof(*list));
		proc_table_since(&empty, t, i, list);
		check_list(list);
	}
	memset(list, 0, sizeof(*list));
	/* of two rows of one name the first counts, which the kernel does not write */
	proc_table_since(t, t, 0, list);
	check_list(list);
	free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int cpus[NR_CPUS] = { 0, 2, 3 };
	char *text = fuzz_text(data, size);
	struct proc_table t;
	uint64_t v;
	int err;

	err = proc_table_parse(&t, text, cpus, NR_CPUS);
	CHECK(!err || err == -EINVAL);
	check_table(&t);
	proc_table_free(&t);
	err = proc_steal(text, 2, &v);
	CHECK(!err || err == -EINVAL);
	err = proc_run_delay(text, &v);
	CHECK(!err || err == -EINVAL);
	free(text);
	return 0;
}
