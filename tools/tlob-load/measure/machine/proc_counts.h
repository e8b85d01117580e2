/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of /proc that everybody may read: /proc/interrupts, /proc/softirqs, steal
 * time, and the times and delays of a thread. Pure but for the last function: text in, numbers
 * out.
 */
#ifndef TLOB_MACHINE_PROC_COUNTS_H
#define TLOB_MACHINE_PROC_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct os_list;

/* A table of /proc with a column for each CPU, reduced to the columns of @ncpus CPUs. */
struct proc_table {
	size_t	 n, ncpus;
	char	**name;			/* "LOC Local timer interrupts", "24 eth0" */
	uint64_t *count;		/* [n * ncpus], row by row */
};

/*
 * Parses /proc/interrupts or /proc/softirqs. Rows that are not per CPU are left out.
 * 0; -EINVAL: no line of CPUs, or one of @cpus has no column; -ENOMEM. Call
 * proc_table_free() in any case.
 */
int  proc_table_parse(struct proc_table *t, const char *text, const int *cpus,
		      size_t ncpus);
void proc_table_free(struct proc_table *t);

/*
 * What came to CPU index @i between the two tables: in the row of that name as @after's row @k, and
 * in all rows, added to @list.
 */
uint64_t proc_row_since(const struct proc_table *before, const struct proc_table *after,
			size_t k, size_t i);
void proc_table_since(const struct proc_table *before, const struct proc_table *after,
		      size_t i, struct os_list *list);

/* Steal time of @cpu in /proc/stat, in ticks of sysconf(_SC_CLK_TCK). 0 or -EINVAL. */
int proc_steal(const char *text, int cpu, uint64_t *ticks);

/* When a process started, in ticks since boot, of the text of its /proc/PID/stat. 0 or -EINVAL. */
int proc_start_time(const char *text, uint64_t *ticks);

/* The same for the bytes of its address space; 0 of a zombie. */
int proc_mapped(const char *text, uint64_t *bytes);

/* Returns whether that text is of a process that has ended: its parent may leave it there for good. */
bool proc_is_dead(const char *text);

/* The second number of schedstat: ns on the run queue. 0 or -EINVAL. */
int proc_run_delay(const char *text, uint64_t *ns);

/* The same of the calling thread. 0 or -errno, prints nothing. */
int proc_own_run_delay(uint64_t *ns);

#endif /* TLOB_MACHINE_PROC_COUNTS_H */
