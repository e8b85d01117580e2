/* SPDX-License-Identifier: GPL-2.0 */
/* Prints what doctor found, as text and on pages: its report, and the findings on the machine of a run. */
#ifndef TLOB_REPORT_FINDINGS_RENDER_H
#define TLOB_REPORT_FINDINGS_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/layout.h"

struct examination;
struct finding;
struct findings;
struct result;

/*
 * The outcome and the first findings, a line each with what mends it here. With @all each
 * finding with what is wanted, and lists of the rest. 0 or -EIO.
 */
int examination_text(FILE *f, const struct examination *e, bool all, bool colour);

/* All of one rule, and what it found. 0 or -EIO. */
int examination_rule(FILE *f, const struct finding *one, bool colour);

/* "high  governor: powersave; wanted: ...; now: ...", wrapped. 0 or -ENOMEM. */
int render_finding(FILE *f, const struct finding *one);

/* The rest is about a run, and prints nothing for one without findings. */

/* "2 high and 3 medium findings in 41 rules, 4 not read". */
void findings_words(FILE *f, const struct findings *from);

/* The findings that bear on windows over their budget, at most @most, each on its line. */
void render_bearings(FILE *f, const struct result *r, size_t most);

/* All findings, and what the machine counted. 0 or -ENOMEM. */
int  render_findings(FILE *f, const struct result *r);

/* What the machine counted; nothing if that says nothing. 0, -ENOMEM or -EIO. */
int  render_counts(FILE *f, enum table_form form, const struct findings *from);

/* On a page: the rules that are findings, what the machine counted, what was not read. 0 or -errno. */
int  page_findings(FILE *f, const struct findings *from);

/* The same of @n rules, without counts. */
int  page_rules(FILE *f, const char *title, const struct finding *at, size_t n);

#endif /* TLOB_REPORT_FINDINGS_RENDER_H */
