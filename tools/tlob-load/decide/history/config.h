/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `tlob-load history`. */
#ifndef TLOB_HISTORY_CONFIG_H
#define TLOB_HISTORY_CONFIG_H

#include "compare/config.h"

/* The order of HISTORY_VERBS. */
enum history_verb {
	HISTORY_ADD, HISTORY_LIST, HISTORY_SHOW, HISTORY_ACCEPT, HISTORY_REJECT, HISTORY_REMOVE,
	HISTORY_EXPORT, NR_HISTORY_VERBS,
};
#define HISTORY_VERBS "add", "list", "show", "accept", "reject", "remove", "export"

struct history_config {
	enum history_verb verb;
	const char *dir;
	struct session_names names;
	const char *html, *csv;		/* files, or NULL */
	char	**rest;			/* results, or numbers of sessions, in the argv */
	size_t	 nrest;
};

#endif /* TLOB_HISTORY_CONFIG_H */
