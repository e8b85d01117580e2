/* SPDX-License-Identifier: GPL-2.0 */
/* What doctor found on the machine of a run, for the page. Without findings nothing is printed. */
#ifndef TLOB_PAGE_FINDINGS_H
#define TLOB_PAGE_FINDINGS_H

#include <stdio.h>

struct result;

/* The sentences about windows over their budget. */
void page_bearings(FILE *f, const struct result *r);

/* All findings, what the machine counted, and what was not read. */
void page_findings(FILE *f, const struct result *r);

/* Each --assert of the run with what was found, and how many failed. */
void page_assertions(FILE *f, const struct result *r);
unsigned int page_failed(const struct result *r);

#endif /* TLOB_PAGE_FINDINGS_H */
