/* SPDX-License-Identifier: GPL-2.0 */
/* Why a window was long, as a part of a sentence. */
#ifndef TLOB_REPORT_CAUSE_TEXT_H
#define TLOB_REPORT_CAUSE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "result/causes.h"
#include "result/result.h"
#include "util/printable.h"

/*
 * Prints what happened in the part of @c: "in interrupts, the largest eth0 (irq 25)".
 * @of_task: in a window of attach. @with_pid: a thread is this one, not all of its name.
 */
void cause_text(FILE *f, const struct cause *c, bool of_task, bool with_pid);

/*
 * Prints where in the kernel a task was that made @part long, behind what cause_text() says of it:
 * " in recently_deleted, openat()". Nothing if that is not known.
 */
void place_text(FILE *f, unsigned int part, const struct kernel_place *place);

/*
 * The part that made window @w long: "99 % in interrupts, the largest eth0 (irq 25)".
 * @usual_ns: the mean time of its work. @r: the run, for what its work needs; or NULL.
 */
void cause_of_window_text(FILE *f, const struct tlob_window *w, uint64_t usual_ns,
			  const struct result *r);

/* The same while the run continues, of a window with @place. */
void cause_of_late_text(FILE *f, const struct tlob_window *w, uint64_t usual_ns,
			const struct kernel_place *place);

/* The same of attach: "58 % waiting for the CPU: others ran, or it woke up". Nothing if no part is known. */
void cause_of_region_text(FILE *f, const struct result *r, const struct kept_window *k);

/* Writes the same as one name to @buf: of who took the time, or of the part; "": not measured. */
const char *cause_name(char buf[PRINTABLE_NAME], const struct tlob_window *w,
		       uint64_t usual_ns);

#endif /* TLOB_REPORT_CAUSE_TEXT_H */
