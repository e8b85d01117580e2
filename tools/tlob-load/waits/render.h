/* SPDX-License-Identifier: GPL-2.0 */
/* What `tlob-load waits` prints and writes. All return 0, -ENOMEM or -EIO. */
#ifndef TLOB_WAITS_RENDER_H
#define TLOB_WAITS_RENDER_H

#include <stdio.h>
#include <time.h>

#include "waits/profile.h"

/* What a file of a profile says about its making. */
struct waits_facts {
	const char *command, *kernel, *machine, *scope, *backend;
	uint64_t duration_ns;
	time_t	started;
};

/* A table of at most @rows tasks in 80 columns, each with its worst stack. */
int waits_text(FILE *f, const struct wait_profile *p, size_t rows);

/* "NAME;OUTERMOST;...;INNERMOST MICROSECONDS", one line for each stack. */
int waits_folded(FILE *f, const struct wait_profile *p);

int waits_json(FILE *f, const struct wait_profile *p, const struct waits_facts *facts);

#endif /* TLOB_WAITS_RENDER_H */
