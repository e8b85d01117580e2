/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The chain behind a wait: what the task that ended it did meanwhile, before that the task that had
 * woken it, and so on. Its segments add up to the wait.
 */
#ifndef TLOB_RESULT_CHAIN_H
#define TLOB_RESULT_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

#define CHAIN_SEGMENTS	128
#define CHAIN_POLICY	16

/* What the task of a segment did. */
enum chain_kind {
	SEGMENT_UNKNOWN,		/* nor which task that was */
	SEGMENT_RUN,
	SEGMENT_WAIT,			/* for a CPU; @other: who had it longest */
	SEGMENT_THROTTLED,
	SEGMENT_SLEEP,			/* until @by, which is no task; @other: which irq or softirq */
	SEGMENT_TIMER_LATE,		/* the timer that woke it had expired */
	SEGMENT_KINDS
};

/* END_MEASURED: the measurement ended, and it still slept. */
enum chain_end { END_UNKNOWN, END_TIMER, END_IRQ, END_SOFTIRQ, END_NMI, END_MEASURED, CHAIN_ENDS };

/* In files. */
extern const char *const chain_kinds[SEGMENT_KINDS], *const chain_ends[CHAIN_ENDS];

struct chain_other {
	uint8_t	 kind;			/* enum tlob_noise_kind */
	int32_t	 id;			/* like struct tlob_noise.id; 0: an idle CPU */
	char	 name[TLOB_NAME_LEN];	/* "": not known */
	char	 policy[CHAIN_POLICY];	/* "FIFO 20", "ordinary"; "": not known */
};

struct chain_segment {
	uint64_t ns;
	uint32_t tid;
	uint8_t	 kind;			/* enum chain_kind */
	uint8_t	 by;			/* enum chain_end */
	bool	 blocked;		/* no signal could end this sleep, as for a disk */
	char	 comm[TLOB_NAME_LEN];
	char	 policy[CHAIN_POLICY];	/* "FIFO 20"; "": ordinary, or not known */
	struct chain_other other;
};

/* Who had the time of a process. */
struct critical_path {
	uint64_t ns;
	uint32_t pid;
	char	 comm[TLOB_NAME_LEN];
	uint64_t lost;			/* nodes that were overwritten before they were read: some of the path is not known */
	struct chain_segment *row;	/* the largest first; they add up to @ns */
	size_t	 nrow;
};

#endif /* TLOB_RESULT_CHAIN_H */
