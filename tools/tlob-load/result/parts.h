/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of a window and the kinds of noise are called. */
#ifndef TLOB_PARTS_H
#define TLOB_PARTS_H

/* enum tlob_part as in `hist`: "wake.irq"; and without its phase: "irq". */
const char *part_name(unsigned int part);
const char *part_short_name(unsigned int part);

/* "irq", "softirq", "nmi", "thread"; "unknown" for any other @kind. */
const char *noise_kind_name(unsigned int kind);

#endif /* TLOB_PARTS_H */
