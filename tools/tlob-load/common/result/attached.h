/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows of attach, from the monitor's records into a struct result: its response is the time in
 * the region, or of the activation. What only attach knows is in struct attached.
 */
#ifndef TLOB_RESULT_ATTACHED_H
#define TLOB_RESULT_ATTACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>
#include "binding.h"
#include "result/activations.h"
#include "result/blocked.h"
#include "result/result.h"

/* Violations whose windows are still open: the kernel's default number of slots. */
#define ATTACH_OPEN	1024
#define ATTACH_OTHERS	64	/* other processes kept apart */

/* The value of struct result.workload. */
#define WORKLOAD_ATTACH	"attach"

struct attach_place {
	char	*text;			/* as in the source */
	struct tlob_offsets at;
};

/* A window over its budget that is still open. */
struct attach_open {
	bool	 announced;		/* its line has been printed */
	uint64_t seen_ns;		/* CLOCK_MONOTONIC, by the tool */
	uint32_t state;			/* enum tlob_task_state, when the budget was over */
	struct kept_window k;
};

struct attached {
	char	*file;			/* that start and stop are in, or which threads are watched */
	char	*debug_file;		/* where its symbols were found, or NULL */
	char	*program;		/* of the process */
	struct attach_place start, stop;
	char	*key;			/* of --key, as it was given; NULL: windows belong to threads */
	bool	 all;			/* other processes count as well */
	bool	 of_threads;		/* windows are activations; else they are of a region */
	bool	 by_deadline;		/* the budget is the deadline that the threads have */
	bool	 started_it;		/* the process was started by us */
	bool	 ended;			/* the process has ended */
	int	 status;		/* of wait(), if we started it */
	int	 pid;
	uint64_t began_ns;		/* CLOCK_MONOTONIC */
	uint64_t unmeasured_most;	/* with more of a million windows unmeasured there is no verdict */
	size_t	 nother;		/* other processes; ATTACH_OTHERS: at least */
	struct activations activations;	/* n 0: none has ended or was cut */
	struct blocked_thread *blocked;	/* [nblocked]: of these threads, those that waited throughout */
	size_t	 nblocked;

	/* Not in a file: */
	uint32_t other[ATTACH_OTHERS];
	struct episode_track episodes;	/* of windows over the budget, of all threads together */
	size_t	 nopen;
	struct attach_open *at;		/* [ATTACH_OPEN] */
};

/* Returns whether @r is a result of attach. */
static inline bool result_is_of_attach(const struct result *r)
{
	return r->attached;
}

/* An empty result, to be filled here. 0 or -ENOMEM. result_free() also takes a zeroed one. */
int  attach_begin(struct result *r);

/*
 * Fills in @r->work by what was watched: "work to done in prog", the same for two builds of a
 * program. 0 or -ENOMEM.
 */
int  attach_describe(struct result *r);

/* The meaning of a record. */
enum attach_event {
	ATTACH_OTHER,			/* another process: only counted */
	ATTACH_UNMEASURED,		/* events are missing: only counted */
	ATTACH_WITHIN,
	ATTACH_OVER,			/* over budget and still open: kept in at */
	ATTACH_VIOLATION,		/* a window over its budget has ended */
};

/* Accounts for a record that came at @now_ns; @f: its times in functions, or NULL. */
enum attach_event attach_record(struct result *r, uint64_t now_ns,
				const struct tlob_task_window *w,
				const struct window_functions *f);

/* Windows over the budget, ended or not. */
uint64_t attach_late(const struct result *r);

/* The window of at[@i] was no violation. */
void attach_drop(struct result *r, size_t i);

/* The last record has come: fills in @r->all. Violations in at stay open. */
void attach_end(struct result *r);

/*
 * After the last record: takes the counts of the binding @name from the @text of monitor_stat.
 * 0 or -ENOENT.
 */
int  attach_stat(struct result *r, const char *text, const char *name);

/* The enum tlob_part of enum tlob_task_part @part. */
unsigned int attach_part_of(unsigned int part);

/* The window of @w in a result, without what else is known of it. */
void attach_kept(struct kept_window *to, const struct tlob_task_window *w);

/* What made @k long. Returns false if that is not known. */
bool attach_cause_of(const struct result *r, const struct kept_window *k, struct cause *c);

/* The place of @k among the worst windows of @r, by thread and start, or NULL. */
struct kept_window *attach_worst_of(struct result *r, const struct kept_window *k);

/* Keeps who held the lock for which @k slept. The record of @k was taken last. */
void attach_holder(struct result *r, const struct kept_window *k,
		   const struct tlob_wait_waker *holder);

/* The same of what a window of a key has: the thread that began it, and how long it was elsewhere. */
void attach_begun(struct result *r, const struct kept_window *k, uint32_t begun_by, uint64_t elsewhere_ns);

/* @k, whose record was taken last, was made late at @place, which may be unknown. */
void attach_place(struct result *r, const struct kept_window *k,
		  const struct kernel_place *place);

#endif /* TLOB_RESULT_ATTACHED_H */
