/* SPDX-License-Identifier: GPL-2.0 */
/* What several manuals have in common. */
#ifndef TLOB_HELP_SHARED_H
#define TLOB_HELP_SHARED_H

#define DURATIONS "T is a duration: a number and a unit, ns, us, ms, s, m, h or d, as in 1.5ms."

#define HELP_OPTION \
	{ "help", 'h', true, "[=WHAT]", ARGUMENT_WORDS, "all", NULL, \
	  "print the short help; --help=all prints everything", NULL, NULL }

#define VERSION_OPTION \
	{ "version", 0, false, NULL, ARGUMENT_TEXT, NULL, NULL, "print the version", NULL, NULL }

/* 0, 1, 2, 77 and 129 of run and attach. */
extern const struct manual_entry exits_of_assertions[];

#endif /* TLOB_HELP_SHARED_H */
