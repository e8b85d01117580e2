/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `tlob-load try` has found about rules of doctor on this machine. A file keeps it, with a
 * line for each rule:
 *
 *	RULE <tab> DATE <tab> KERNEL <tab> TEXT
 */
#ifndef TLOB_RESULT_TRIED_H
#define TLOB_RESULT_TRIED_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define TRIED_FILE	"/var/lib/tlob-load/tried"	/* or $TLOB_TRIED_FILE */

struct tried {
	const char *rule, *kernel, *text;
	time_t	 when;
};

const char *tried_path(void);

/* Adds @n findings to the file, in place of older ones about their rules. 0 or -errno, prints nothing. */
int tried_add(const struct tried *tried, size_t n);

/*
 * "helps: p99.9 ... (2026-11-24, Linux 6.12.9)" about @rule from the file below @root (malloc); NULL:
 * nothing is known, or no memory.
 */
char *tried_text(const char *root, const char *rule);

/* Returns whether @line of the file is about the rule. */
bool tried_is_about(const char *line, const char *rule);

#endif /* TLOB_RESULT_TRIED_H */
