/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinds raw copies of user stacks by their programs' .eh_frame, without frame
 * pointers, and names the frames. What is known of a process is kept for its next copy, for the
 * processes whose copies came last.
 */
#ifndef TLOB_WAITS_UNWIND_H
#define TLOB_WAITS_UNWIND_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/tlob.h>

#define UNWIND_FRAMES	64

/* A function of a program. Each exists once, until unwind_free(). */
struct wait_frame {
	const char *name;		/* as in the source; "0x..." without a symbol */
	const char *file;		/* that has the code; "": none is mapped there */
	const char *build_id;		/* hexadecimal; "": it has none */
	bool	 inlined;		/* into the next frame */
};

struct unwind;

/*
 * What is kept of programs is mostly DWARF, of libc alone 12 MB where that has any. It is read only
 * for places that no process had before, and so many bytes of it are kept, or those of one process.
 */
#define UNWIND_DWARF	(100U << 20)

/* NULL: out of memory. */
struct unwind *unwind_new(size_t dwarf_max);
void unwind_free(struct unwind *u);

/*
 * Writes the frames of @copy to @frame, innermost first. Returns how many, 0 if the process
 * is gone or nothing is mapped at its instruction pointer. *@whole: the outermost frame was
 * reached.
 */
size_t unwind_copy(struct unwind *u, const struct tlob_wait_copy *copy,
		   const struct wait_frame *frame[UNWIND_FRAMES], bool *whole);

/* The same for the instruction pointer alone: one frame, and what is inlined there. */
size_t unwind_innermost(struct unwind *u, const struct tlob_wait_copy *copy,
			const struct wait_frame *frame[UNWIND_FRAMES]);

/* The frame of an address without a name, for example in a process that is gone. */
const struct wait_frame *unwind_raw(struct unwind *u, __u64 addr);
/* A frame of the kernel. */
const struct wait_frame *unwind_kernel(struct unwind *u, const char *name);

#endif /* TLOB_WAITS_UNWIND_H */
