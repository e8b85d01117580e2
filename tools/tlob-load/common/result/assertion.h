/* SPDX-License-Identifier: GPL-2.0 */
/* The outcome of each condition of --assert. */
#ifndef TLOB_RESULT_ASSERTION_H
#define TLOB_RESULT_ASSERTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/condition.h"

struct result;

#define ASSERTION_FOUND	160

struct assertion {
	const char *text;		/* the condition, as given */
	enum condition_outcome outcome;	/* missing data never passes */
	bool	 has_value;		/* it was compared, and is not CONDITION_MISSED */
	uint64_t value;			/* ns, or a count */
	char	 found[ASSERTION_FOUND]; /* "45.2us on CPU 3", "no data: no window" */
};

struct assertions {
	struct assertion *at;
	size_t	 n, failed;
};

/* The outcome of an --assert as a file has it. */
struct said_assertion {
	char	*condition, *found;
	bool	 holds, has_value;
	uint64_t value;
};

struct said {
	struct said_assertion *at;
	size_t	 n;
};

/* How many failed. */
unsigned int said_failed(const struct said *said);
void said_free(struct said *said);

/*
 * Evaluate the @n conditions of @list: on the CPUs of @r, or on the numbers @d. @any says
 * whether @d has a window that ended. 0 or -ENOMEM; assertions_free() frees @all, also
 * a zeroed one. Print nothing. The texts in @list must stay.
 */
int assertions_judge(struct assertions *all, const struct condition *list, unsigned int n,
		     const struct result *r);
int assertions_judge_data(struct assertions *all, const struct condition *list,
			  unsigned int n, const struct condition_data *d, bool any);
void assertions_free(struct assertions *all);

/* One line on stderr for each that failed. */
void assertions_complain(const struct assertions *all);

#endif /* TLOB_RESULT_ASSERTION_H */
