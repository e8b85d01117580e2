/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A result of waits as it is compared and drawn: for each stack how often and how long tasks
 * waited on it. Tasks of one name are one: pids differ from run to run. Pure: no I/O.
 */
#ifndef TLOB_REPORT_WAITS_RESULT_H
#define TLOB_REPORT_WAITS_RESULT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/tlob.h>
#include "result/kept.h"

/* The file's first keys. */
#define WAITS_FORMAT	"tlob-load waits"
#define WAITS_VERSION	1

struct waits_entry {
	char	*text;			/* "TASK;OUTERMOST;...;INNERMOST" */
	struct tlob_wait_total blocked;
};

/* What was behind the longest wait of a task. */
struct waits_chain {
	char	*task;
	uint32_t tid;
	struct attach_wait wait;	/* its time and its chain */
};

struct waits_result {
	char	*command, *kernel, *machine, *scope, *backend;
	uint64_t duration_ns, threshold_ns;
	uint64_t lost;			/* waits that no stack has */
	uint64_t idle;			/* stacks of threads of the kernel that wait for work: in no entry */
	struct waits_entry *entry;	/* by text, after waits_result_sort() */
	size_t	 n, room;
	struct waits_chain *chain;	/* the longest first, after waits_result_sort() */
	size_t	 nchain, chain_room;
	struct critical_path critical;	/* pid 0: none */
};

/* Both accept a struct of zeros. */
void waits_result_free(struct waits_result *r);
/* Prints a name for the text of an entry: ';' separates them, as in folded stacks. */
void waits_put_name(FILE *f, const char *name);
/* Takes @text, from malloc(), over, also with an error. 0 or -ENOMEM. */
int  waits_result_add(struct waits_result *r, char *text, const struct tlob_wait_total *blocked);
/* Takes over @task, from malloc(), and what @wait has, also with an error. 0 or -ENOMEM. */
int  waits_result_add_chain(struct waits_result *r, char *task, uint32_t tid, const struct attach_wait *wait);
/* Sorts, and adds up entries of the same text. */
void waits_result_sort(struct waits_result *r);

/* One stack in two results. */
struct waits_change {
	const char *text;
	struct tlob_wait_total side[2];	/* zeros: it is not there */
	int64_t	 more_ns;		/* what the second one has more */
};

/*
 * Lists the stacks of both in *@list (malloc), those with the largest change first. 0 or
 * -ENOMEM.
 */
int  waits_changes(const struct waits_result *a, const struct waits_result *b,
		   struct waits_change **list, size_t *n);

/* 0, or -EINVAL with the reason in @why: the two cannot be compared. */
int  waits_comparable(const struct waits_result *a, const struct waits_result *b, char *why,
		      size_t size);

#endif /* TLOB_REPORT_WAITS_RESULT_H */
