/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: several runs of one build, with what became of it. docs/how-to/history.md describes
 * its file, session.json.
 */
#ifndef TLOB_HISTORY_SESSION_H
#define TLOB_HISTORY_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "compare/config.h"
#include "result/stats.h"

#define SESSION_RUNS	STATS_MAX_PAIRS

/* The numbers of each run that a session keeps for lists and pages. */
#define SESSION_VALUES	8
extern const char * const session_values[SESSION_VALUES];
enum { VALUE_WAKE_P99 = 2, VALUE_RESPONSE_P999 = 5, VALUE_MISS_RATE = 7 };	/* of session_values */

enum session_state {
	SESSION_ACCEPTED,		/* a part of the baseline */
	SESSION_REJECTED,
	SESSION_OPEN,			/* slower than the baseline, and not confirmed yet */
};
extern const char * const session_states[];

struct session_run {
	uint64_t fingerprint;		/* result_fingerprint(), or of its bytes */
	time_t	 started;
	double	 value[SESSION_VALUES];	/* ns or a share; INFINITY: missed; NAN: not known */
};

struct session {
	unsigned int number;		/* its folder in the history, from 1 on */
	enum session_state state;
	uint64_t key;			/* facts_key() of its runs */
	char	*build;			/* what --switch boots or starts */
	char	*commit;		/* or NULL */
	char	**labels;		/* ends with NULL, or NULL */
	char	*host, *kernel;		/* or NULL */
	char	*settings;		/* in words */
	uint64_t duration_ns;		/* of its first run; 0: not known, or it does not matter */
	time_t	 added;
	char	*verdict;		/* of gate: "OK", "REGRESSION", "INCONCLUSIVE"; or NULL */
	char	*because;		/* the reason of the verdict, or NULL */
	unsigned int against;		/* the session that a confirmation compares with; 0: none */
	bool	 deterministic;		/* runs of equal builds are copies of one another */
	size_t	 nruns;
	struct session_run *run;
	unsigned int series;		/* sessions that compare would compare, from 1 on; not in the file */
};

void session_free(struct session *s);

/*
 * Fills in runs, key and circumstances from the files of one session, which must have the same
 * facts. Without a build it becomes the release of the kernel. 0 or -errno, printed.
 */
int session_measure(struct session *s, char *const files[], size_t n);

/* campaign_unequal() of two sessions. */
bool session_is_unequal(const struct session *a, const struct session *b);

/* When its first run began. */
time_t session_started(const struct session *s);

/* The median of a number over its runs; NAN if a run lacks it. */
double session_median(const struct session *s, unsigned int value);

/* 0, -ENOMEM or -EIO; 0 or -EINVAL with the reason in @err. Neither prints. */
int session_write(FILE *f, const struct session *s);
int session_parse(struct session *s, const char *text, char *err, size_t size);

#endif /* TLOB_HISTORY_SESSION_H */
