/* SPDX-License-Identifier: GPL-2.0 */
/* What a validation found: text, JSON, page. Its sentences are the same in all. */
#ifndef TLOB_VALIDATE_VALIDATE_RENDER_H
#define TLOB_VALIDATE_VALIDATE_RENDER_H

#include <stdio.h>

#include "validate/validate.h"

#define OFFENDER_FINDINGS	6	/* that are named beside the main offender */

/* The worst window of a phase, and what made it long. */
struct main_offender {
	const struct validate_phase *phase;	/* NULL: no phase is done */
	const struct tlob_window *window;	/* NULL: it was not recorded */
	bool	 known;			/* the parts are measured */
	unsigned int part;
	uint64_t part_ns;
	uint64_t usual_ns;		/* the mean time of the work */
	const struct finding *finding[OFFENDER_FINDINGS];
	size_t	 nfindings;
};

/* Of phase @p, or of the one that did worst. */
void validate_offender_of(struct main_offender *o, const struct validate *v, const struct validate_phase *p);
void validate_offender(struct main_offender *o, const struct validate *v);

/*
 * Texts without a newline, which the caller frees; NULL without memory.
 *
 *	sentence	the verdict
 *	gaps		what it does not rest on; "" if on all phases
 *	cause		"under @io, CPU 2: 312 us, 62 % in interrupts, the largest eth0 (irq 25)"
 *	why		the same without the place: "62 % in interrupts, ..."; needs a window
 */
char *validate_sentence(const struct validate *v);
char *validate_gaps(const struct validate *v);
char *validate_cause(const struct main_offender *o);
char *validate_why(const struct main_offender *o);

/* The longest step of the clocks of the phases, in ns; 0: not known. */
uint64_t validate_clock(const struct validate *v);

/* A report for people, one JSON object, a page. 0, -ENOMEM or -EIO. */
int  validate_text(FILE *f, const struct validate *v);
int  validate_json(FILE *f, const struct validate *v);
int  page_validate(FILE *f, const struct validate *v);

#endif /* TLOB_VALIDATE_VALIDATE_RENDER_H */
