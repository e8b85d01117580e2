/* SPDX-License-Identifier: GPL-2.0 */
/* The options that name a new session, of `history add` and `compare --history`. */
#ifndef TLOB_HISTORY_NAMES_H
#define TLOB_HISTORY_NAMES_H

#include "history/session.h"
#include "options/option_value.h"

/* Rows of a table whose CONFIG has a struct session_names called names. */
#define SESSION_OPTIONS \
	{ TEXT("build", 0, "NAME", names.build, "a name"), .basic = true, \
	  .fallback = "--commit, or the release", .brief = "the build of the session" }, \
	{ TEXT("commit", 0, "TEXT", names.commit, "a name"), .fallback = "empty", \
	  .brief = "the commit of the build, also for --append" }, \
	{ READ("label", 0, "TEXT", session_label), .at = AT(struct session_names, names), \
	  .noun = "a name", .brief = "a name for the session (repeatable)" }

/* Reads --label. */
int session_label(const struct value *v, void *to);

/* Takes the names over. 0 or -ENOMEM, printed. */
int session_name(struct session *s, const struct session_names *names);

#endif /* TLOB_HISTORY_NAMES_H */
