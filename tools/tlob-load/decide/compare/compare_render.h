/* SPDX-License-Identifier: GPL-2.0 */
/* Prints a comparison for people, programs and CI systems. */
#ifndef TLOB_COMPARE_COMPARE_RENDER_H
#define TLOB_COMPARE_COMPARE_RENDER_H

#include <stdio.h>

#include "compare/campaign.h"
#include "compare/config.h"
#include "compare/decision.h"
#include "result/stats.h"
#include "util/testcases.h"
#include "util/units.h"

struct comparison {
	const struct compare_config *o;
	const struct campaign *c;
	const struct decision *d;	/* one for each statistic */
	struct rule rule;
	struct sequential at;		/* with o->sequential */
	enum decision_verdict verdict;
	struct moved moved[MOVED_MOST];
	size_t	 nmoved;
};

/* All five: 0, -ENOMEM or -EIO; print no error. Text has one screen, with -v all of it. */
int compare_text(FILE *f, const struct comparison *all);
int compare_json(FILE *f, const struct comparison *all);
int compare_junit(FILE *f, const struct comparison *all);
int compare_ktap(FILE *f, const struct comparison *all);
int compare_markdown(FILE *f, const struct comparison *all);

/* "OK", "REGRESSION", "INCONCLUSIVE". */
const char *verdict_name(enum decision_verdict v);

/* To @buf, which is returned: ns as a duration, an @absolute share as a percentage, or "missed". */
const char *quantity_text(char buf[DURATION_LEN], bool absolute, double value);

/* The events of a side: "100 of 400 000 in 2 episodes" */
#define SIDE_LEN	(2 * COUNT_LEN + 48)
const char *compare_side(char buf[SIDE_LEN], const struct events *e, size_t gap);
void compare_put_side(struct builder *b, struct json_object *to, const char *key, const struct events *e, size_t gap);

/*
 * One line each, written to @buf, which is returned: the effect on statistic @s, the
 * reason for its verdict, its margin with the source, and the missed expiries of
 * all runs.
 */
#define COMPARE_LINE	TESTCASE_LINE
const char *compare_line(char buf[COMPARE_LINE], const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *compare_found(char buf[COMPARE_LINE], const struct comparison *all,
			  size_t s);
const char *compare_why(char buf[COMPARE_LINE], const struct comparison *all,
			size_t s);
const char *compare_margin(char buf[COMPARE_LINE], const struct comparison *all,
			   size_t s);
/* The quantiles that got worse and decide nothing; "": none, or a REGRESSION says it. */
const char *compare_moved(char buf[COMPARE_LINE], const struct comparison *all);
const char *compare_misses(char buf[COMPARE_LINE], const struct comparison *all);

/* With --sequential: which look decided, or what the next one needs. "" without. */
const char *compare_next(char buf[COMPARE_LINE], const struct comparison *all);

/*
 * After INCONCLUSIVE the command that would settle it, and why. "" else. The second one
 * is about statistic @s, whose verdict may differ from the verdict of all.
 */
const char *compare_advice(char buf[COMPARE_LINE], const struct comparison *all);
const char *compare_settle(char buf[COMPARE_LINE], const struct comparison *all, size_t s);

/* The conditions of both sides, or "A: ...; B: ..." where they differ. malloc(), NULL: no memory. */
char *compare_conditions(const struct campaign *c);

/* The statistic that the verdict is about: the first that has it. */
size_t compare_deciding(const struct comparison *all);

/*
 * The three lines of the one screen: what has the verdict, one statistic with its effect
 * or the names of several; why, of the one that decides; and what moved most, on which
 * CPU, of @shifts: 0 or -ENOMEM.
 */
const char *compare_headline(char buf[COMPARE_LINE], const struct comparison *all);
const char *compare_because(char buf[COMPARE_LINE], const struct comparison *all);
int compare_where(char buf[COMPARE_LINE], const struct comparison *all,
		  const struct shifts *shifts);

/* "A 3.817us, B 4.154us: +8.84 % (+7.10 % to +9.20 %)" */
const char *compare_effect(char buf[COMPARE_LINE], const struct comparison *all,
			   size_t s);

/* An effect with its sign, "+12.3 %" or for rates "+0.01 % of expiries"; a share without. */
#define EFFECT_LEN	40
const char *effect_text(char buf[EFFECT_LEN], const struct decision *d, double effect);
const char *share_text(char buf[EFFECT_LEN], const struct decision *d, double share);

/* "+7.10 % to +9.20 %", "at least +7.10 %", "no bounds". */
#define BOUNDS_LEN	(2 * EFFECT_LEN + 8)
const char *bounds_text(char buf[BOUNDS_LEN], const struct decision *d);

/* A page: the verdict, the pairs, where it moved, each CPU. 0, -ENOMEM or -EIO. */
int page_compare(FILE *f, const struct comparison *all);

#endif /* TLOB_COMPARE_COMPARE_RENDER_H */
