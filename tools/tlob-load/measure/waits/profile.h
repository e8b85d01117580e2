/* SPDX-License-Identifier: GPL-2.0 */
/* A profile of waits: tasks, each with stacks that have names. */
#ifndef TLOB_WAITS_PROFILE_H
#define TLOB_WAITS_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

#include "util/ksyms.h"
#include "waits/records.h"
#include "waits/unwind.h"

/* How a stack ends. */
enum wait_ends {
	WAIT_ENDS_WHOLE,		/* where the stack begins */
	WAIT_ENDS_CUT,			/* deeper than what was copied, or without .eh_frame */
	WAIT_ENDS_32BIT,		/* a 32-bit program: only its innermost function */
	WAIT_ENDS_UNREAD,		/* no copy: only the innermost function */
};

/* Waits of one task whose frames are the same. */
struct wait_path {
	const struct wait_frame **frame;	/* innermost first: the kernel's, the user's */
	size_t	nkernel, nframe;
	enum wait_ends ends;
	struct tlob_wait_total blocked;
	struct tlob_wait_waker waker;		/* of the longest */
};

struct wait_row {
	struct tlob_wait_task task;
	const struct attach_wait *longest;	/* of the snapshot, with its chain; or NULL */
	struct wait_path *path;			/* by descending total */
	size_t	npath;
};

/* The frames that the copies of one stack unwound to. */
struct wait_user {
	uint64_t stack;				/* tlob_wait_stack.id, or the number of a trace */
	enum wait_ends ends;
	unsigned int round;			/* of the profile, when it was last there */
	bool	 kept;				/* counted in nkept */
	size_t	n;
	const struct wait_frame *frame[];
};

struct wait_profile {
	struct wait_row *row;			/* by descending blocked time */
	size_t	nrow;
	struct tlob_wait_status status;
	uint64_t skipped, unseen;		/* as in wait_records */
	uint64_t broken;			/* copies that did not unwind to their end */
	uint64_t gone;				/* copies whose process was gone */
	uint64_t left_unread;			/* copies that were left, as memory is limited */
	uint64_t barred;			/* copies that did not unwind, of processes that exist */
	uint64_t bits32;			/* user stacks of 32-bit programs */
	/* until wait_profile_free(): */
	struct unwind *unwind;
	bool	unread;				/* user stacks: there may be no memory for them */
	bool	others_barred;			/* without CAP_SYS_PTRACE */
	struct ksyms kernel;
	void	*users;				/* struct wait_user by stack: a tree of tsearch() */
	size_t	nuser, nkept;			/* of them; those that the last snapshot had */
	unsigned int round;			/* its calls */
};

/* 0 or -errno, printed. */
int  wait_profile_init(struct wait_profile *p);
void wait_profile_free(struct wait_profile *p);

/* A wait_copy_taker: unwinds @copy at once. */
void wait_profile_take_copy(void *profile, const struct tlob_wait_copy *copy);

/*
 * Forgets the frames of stacks that the snapshot @r does not have, except what came since the last
 * call: a copy may be newer than the snapshot. Worth a snapshot when the profile is full: its
 * frames have doubled.
 */
bool wait_profile_is_full(const struct wait_profile *p);
void wait_profile_forget(struct wait_profile *p, const struct wait_records *r);

#define WAIT_PATH_FRAMES	(TLOB_WAIT_FRAMES + UNWIND_FRAMES)

/* Writes the frames of @s, innermost first. Returns how many; the first *@nkernel are the kernel's. */
size_t wait_profile_frames(struct wait_profile *p, const struct tlob_wait_stack *s,
			   const struct wait_frame *frame[WAIT_PATH_FRAMES], size_t *nkernel);

enum wait_profile_side { PROFILE_BOTH, PROFILE_KERNEL, PROFILE_USER };

/*
 * Makes the rows of the last snapshot, with frames of one side or of both. Drops former
 * rows. 0 or -ENOMEM, printed.
 */
int  wait_profile_fill(struct wait_profile *p, const struct wait_records *r, enum wait_profile_side side);

#endif /* TLOB_WAITS_PROFILE_H */
