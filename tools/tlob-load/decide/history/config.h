/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `tlob-load history` and `gate`. */
#ifndef TLOB_HISTORY_CONFIG_H
#define TLOB_HISTORY_CONFIG_H

#include "compare/config.h"
#include "history/session.h"

/* The order of HISTORY_VERBS. */
enum history_verb {
	HISTORY_ADD, HISTORY_LIST, HISTORY_SHOW, HISTORY_ACCEPT, HISTORY_REJECT, HISTORY_REMOVE,
	HISTORY_EXPORT, NR_HISTORY_VERBS,
};
#define HISTORY_VERBS "add", "list", "show", "accept", "reject", "remove", "export"

/* What a new session is called. */
struct session_names {
	const char *build, *commit;	/* or NULL */
	const char *label[SESSION_LABELS];
	unsigned int nlabels;
};

struct history_config {
	enum history_verb verb;
	const char *dir;
	struct session_names names;
	const char *html, *csv;		/* files, or NULL */
	char	**rest;			/* results, or numbers of sessions, in the argv */
	size_t	 nrest;
};

/* The first one is what compare has: the rows of both tables have it at 0. */
struct gate_config {
	struct compare_config compare;
	const char *history, *switch_to;	/* of the history; or NULL */
	struct session_names names;
};

#endif /* TLOB_HISTORY_CONFIG_H */
