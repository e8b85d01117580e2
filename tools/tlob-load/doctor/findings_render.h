/* SPDX-License-Identifier: GPL-2.0 */
/* Prints doctor's findings on the machine of a run as text and on a page; nothing without any. */
#ifndef TLOB_DOCTOR_FINDINGS_RENDER_H
#define TLOB_DOCTOR_FINDINGS_RENDER_H

#include <stddef.h>
#include <stdio.h>

struct findings;
struct result;

/* "2 high, 3 medium findings in 41 rules, 4 not read". */
#define FINDINGS_WORDS	120
void findings_words(char buf[FINDINGS_WORDS], const struct findings *f);

/* The findings that bear on windows over their budget, at most @most, each on its line. */
void render_bearings(FILE *f, const struct result *r, size_t most);

/* All findings, and what the machine counted; nothing without any. 0 or -ENOMEM. */
int  render_findings(FILE *f, const struct result *r);

/* The same on a page: the sentences about windows over their budget. */
void page_bearings(FILE *f, const struct result *r);

/* All findings, what the machine counted, and what was not read. */
void page_findings(FILE *f, const struct result *r);

#endif /* TLOB_DOCTOR_FINDINGS_RENDER_H */
