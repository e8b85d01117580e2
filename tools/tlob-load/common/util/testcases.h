/* SPDX-License-Identifier: GPL-2.0 */
/* Test cases for CI systems: JUnit XML and KTAP. Pure but for the output. */
#ifndef TLOB_UTIL_TESTCASES_H
#define TLOB_UTIL_TESTCASES_H

#include <stddef.h>
#include <stdio.h>

enum testcase_outcome {
	TESTCASE_PASSED,
	TESTCASE_FAILED,
	TESTCASE_ERROR,		/* it could not be decided; KTAP has no word for it: not ok */
};

#define TESTCASE_LINE	512

struct testcase {
	enum testcase_outcome outcome;
	const char *name;		/* as in "p99.9(wake)<30us" */
	const char *type;		/* of the outcome, as in "REGRESSION" */
	char	 found[TESTCASE_LINE];	/* the number, in words */
	char	 why[TESTCASE_LINE];	/* the reason for the outcome; "": found says it */
};

struct testsuite {
	const char *command;		/* "gate", which is "tlob-load gate" there */
	const struct testcase *at;
	size_t	 n;
	const char *conditions;		/* what all hold for, or NULL */
	char	*const *lowered;	/* what lowers their meaning; NULL: nothing */
};

/* Both: 0 or -EIO; print no error. */
int testcases_junit(FILE *f, const struct testsuite *suite);
int testcases_ktap(FILE *f, const struct testsuite *suite);

#endif /* TLOB_UTIL_TESTCASES_H */
