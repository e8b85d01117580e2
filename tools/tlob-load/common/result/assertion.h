/* SPDX-License-Identifier: GPL-2.0 */
/* The outcome of each condition of --assert. */
#ifndef TLOB_RESULT_ASSERTION_H
#define TLOB_RESULT_ASSERTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/condition.h"
#include "util/error.h"

struct result;

#define ASSERTION_FOUND	200

struct assertion {
	const char *text;		/* the condition, as given */
	enum condition_outcome outcome;
	bool	 has_value;		/* it was compared, and is not CONDITION_MISSED */
	uint64_t value;			/* ns, or a count */
	char	 found[ASSERTION_FOUND]; /* "45.2us on CPU 3", "no data: no window" */
};

struct assertions {
	struct assertion *at;
	size_t	 n;
};

/* The outcome of an --assert as a file has it. */
struct said_assertion {
	char	*condition, *found;
	bool	 holds, decided, has_value;
	uint64_t value;
};

struct said {
	struct said_assertion *at;
	size_t	 n;
};

/* Of assertions that were judged here, and those that a file says. */
struct verdicts {
	unsigned int n, failed, undecided;
};

struct verdicts verdicts_of(const struct assertions *judged, const struct said *said);

/* EXIT_ASSERTION, EXIT_INCONCLUSIVE or EXIT_PASS: one that failed outranks one that is undecided. */
enum exit_code verdicts_exit(struct verdicts v);

/* "FAILED 2 assertions", "UNDECIDED 1 assertion" or "passed". */
#define VERDICTS_TEXT	40
const char *verdicts_text(char buf[VERDICTS_TEXT], struct verdicts v);

void said_free(struct said *said);

/*
 * Evaluate the @n conditions of @list on the CPUs of @r. If no verdict can rest on @r, all are
 * undecided. 0 or -ENOMEM; assertions_free() frees @all, also a zeroed one. Print nothing. The
 * texts in @list must stay.
 */
int assertions_judge(struct assertions *all, const struct condition *list, unsigned int n,
		     const struct result *r);
void assertions_free(struct assertions *all);

/* One line on stderr for each that does not hold. */
void assertions_complain(const struct assertions *all);

#endif /* TLOB_RESULT_ASSERTION_H */
