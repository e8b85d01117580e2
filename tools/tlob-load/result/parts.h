/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of a window, its flags and the kinds of noise are called. */
#ifndef TLOB_RESULT_PARTS_H
#define TLOB_RESULT_PARTS_H

#include <stddef.h>
#include <stdint.h>

/* enum tlob_part as in `hist`: "wake.irq"; and without its phase: "irq". */
const char *part_name(unsigned int part);
const char *part_short_name(unsigned int part);

/* For people: what the part is, and its CSS colour. */
const char *part_meaning(unsigned int part);
const char *part_colour(unsigned int part);

/* Those of TLOB_WINDOW_* that a stored window can have, by name. */
extern const struct window_flag {
	uint32_t flag;
	const char *name;
} window_flags[];

extern const size_t nwindow_flags;

/* "irq", "softirq", "nmi", "thread"; "unknown" for any other @kind. */
const char *noise_kind_name(unsigned int kind);

#endif /* TLOB_RESULT_PARTS_H */
