/* SPDX-License-Identifier: GPL-2.0 */
/* What doctor found on the machine of a run, for the page. Without findings nothing is printed. */
#ifndef TLOB_PAGE_FINDINGS_H
#define TLOB_PAGE_FINDINGS_H

#include <stdio.h>

struct result;
struct said;

/* The sentences about windows over their budget. */
void page_bearings(FILE *f, const struct result *r);

/* All findings, what the machine counted, and what was not read. */
void page_findings(FILE *f, const struct result *r);

/* Each --assert with what was found. */
void page_assertions(FILE *f, const struct said *said);

#endif /* TLOB_PAGE_FINDINGS_H */
