/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part that made a window long, who took most of it, and how many violations each
 * of these made. Every output that names a cause asks cause_of().
 */
#ifndef TLOB_RESULT_CAUSES_H
#define TLOB_RESULT_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

#define CAUSES_KEPT	32

struct cause {
	uint8_t	 part;			/* enum tlob_part: of two phases the one that had more */
	bool	 has_name;		/* of who took it */
	bool	 nearly_all;		/* that one took nearly all of it */
	bool	 is_minor;		/* it explains less than half of the excess over the budget */
	bool	 soft;			/* of a late timer: a softirq runs it */
	uint8_t	 kind;			/* enum tlob_noise_kind */
	int32_t	 id;			/* like struct tlob_noise.id */
	char	 name[TLOB_NAME_LEN];
	uint64_t ns;			/* of the part, in both phases */
};

/*
 * Returns false if no part of @w is measured. @usual_ns: the mean time of the work. The
 * work counts by what exceeds it, or as a whole if it alone exceeds the budget. In a
 * window within its budget a small part is no cause: the work is.
 */
bool cause_of(struct cause *c, const struct tlob_window *w, uint64_t usual_ns);

#define PLACE_NAME	64
#define PLACE_STACK	768	/* a longer one lacks its root */

/* Where in the kernel a task kept a CPU, or interrupts off. */
struct kernel_place {
	char	 function[PLACE_NAME];	/* "": only @entry is known */
	char	 entry[PLACE_NAME];	/* how the kernel was entered: "openat()"; "": not known */
	/* "ROOT;...;FUNCTION", of several windows the one that came first; "": @function is not known */
	char	 stack[PLACE_STACK];
};

static inline bool place_is_known(const struct kernel_place *p)
{
	return *p->function || *p->entry;
}

/* A cause, with its part in the first phase that has it, and its violations. */
struct cause_count {
	uint8_t	 part;
	bool	 has_name;
	bool	 soft;
	uint8_t	 kind;
	int32_t	 id;
	char	 name[TLOB_NAME_LEN];
	uint64_t windows;
	struct kernel_place place;		/* only in a list of places */
};

/*
 * The table has a fixed size. When it is full, the cause with the fewest windows makes
 * room, and @others counts its windows: the sum stays the number of all.
 */
struct causes {
	size_t	 n;
	uint64_t others;
	struct cause_count at[CAUSES_KEPT];
	uint64_t windows, work_ns;	/* of the mean while windows come; not in a file */
};

/* Takes a window after the warm-up. A violation counts, if its parts are measured. */
void causes_window(struct causes *all, const struct tlob_window *w);

/* @w, which was counted and is one of the worst, gets WINDOW_CONTINUED, and its cause follows. */
void causes_continued(struct causes *all, struct tlob_window *w);

/* A violation of @c at a known place. The list is one of places: a cause has several. */
void causes_place(struct causes *all, const struct cause *c, const struct kernel_place *place);

/* The place of @cause in @places with the most windows; NULL: none is known. */
const struct cause_count *causes_place_of(const struct causes *places,
					  const struct cause_count *cause);

/* Adds all of @from. */
void causes_merge(struct causes *all, const struct causes *from);

#endif /* TLOB_RESULT_CAUSES_H */
