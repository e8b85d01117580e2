/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A history: a folder with a folder for each session, whose name is its number. A number is taken
 * by rename(), so writers need no lock, and what a killed one leaves has a name that begins with a
 * dot. There is no index: everything is in the sessions.
 */
#ifndef TLOB_HISTORY_HISTORY_H
#define TLOB_HISTORY_HISTORY_H

#include <limits.h>

#include "history/session.h"

struct history {
	char	*dir;
	struct session *at;		/* [n], in the order of their numbers */
	size_t	 n;
	unsigned int nseries;
};

/*
 * Reads all sessions. What is not one is named in a warning and skipped. The folder may be missing
 * with @create. 0 or -errno, printed. Call history_free() also after an error.
 */
int  history_read(struct history *h, const char *dir, bool create);
void history_free(struct history *h);

/* The state that a session has by now: others may write it. 0 or -errno, printed. */
int history_state(const struct history *h, const struct session *s, enum session_state *state);

/* Gives each session its series: the sessions that compare would compare. 0 or -errno, printed. */
int history_sort(struct history *h);

/* The session of that number, or NULL. */
struct session *history_find(const struct history *h, unsigned int number);

/*
 * The session with the runs of @s, which are @files, in *@same; NULL: none has any of them. Counted
 * instructions of another build may be the same, and are another session. 0, or -EEXIST, printed: a
 * session has some of the runs, or has others as well.
 */
int history_same(const struct history *h, const struct session *s, char *const files[],
		 struct session **same);

/* The file of run @i of a session, or with SIZE_MAX its folder. Returns @buf. */
#define HISTORY_PATH	(PATH_MAX + 64)
const char *history_path(char buf[HISTORY_PATH], const char *dir, const struct session *s, size_t i);

/*
 * Copies the results into a new session, which appears whole or not at all, also next to other
 * writers. Sets s->number and s->added. 0 or -errno, printed.
 */
int history_add(const char *dir, struct session *s, char *const files[]);

/* Replaces the session's file. 0 or -errno, printed. */
int history_update(const char *dir, const struct session *s);

/* Removes a session with its results. 0 or -errno, printed. */
int history_remove(const char *dir, const struct session *s);

#endif /* TLOB_HISTORY_HISTORY_H */
