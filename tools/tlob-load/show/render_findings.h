/* SPDX-License-Identifier: GPL-2.0 */
/* What doctor found on the machine of a run, for readers. */
#ifndef TLOB_SHOW_RENDER_FINDINGS_H
#define TLOB_SHOW_RENDER_FINDINGS_H

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

#endif /* TLOB_SHOW_RENDER_FINDINGS_H */
