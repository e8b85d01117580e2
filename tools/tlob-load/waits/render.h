/* SPDX-License-Identifier: GPL-2.0 */
/* What `tlob-load waits` prints and writes. All return 0, -ENOMEM or -EIO. */
#ifndef TLOB_WAITS_RENDER_H
#define TLOB_WAITS_RENDER_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "waits/profile.h"

/* What a file of a profile says about its making. */
struct waits_facts {
	const char *command, *kernel, *machine, *scope, *backend;
	uint64_t duration_ns;
	time_t	started;
};

struct waits_view {
	size_t	rows;			/* at most */
	bool	threads;		/* a row for each task; else tasks of one name are one */
	bool	bpf;			/* advice is for BPF programs, else for the module */
};

/* A table in 80 columns, each row with its worst stack. */
int waits_text(FILE *f, const struct wait_profile *p, const struct waits_view *view);

/* "NAME;OUTERMOST;...;INNERMOST MICROSECONDS", one line for each stack. */
int waits_folded(FILE *f, const struct wait_profile *p);

/* Prints a task at a time: there may be many. */
int waits_json(FILE *f, const struct wait_profile *p, const struct waits_facts *facts);

#endif /* TLOB_WAITS_RENDER_H */
