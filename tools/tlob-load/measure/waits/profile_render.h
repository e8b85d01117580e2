/* SPDX-License-Identifier: GPL-2.0 */
/* A profile of waits as text, as folded stacks, as a file, and as a page. */
#ifndef TLOB_WAITS_PROFILE_RENDER_H
#define TLOB_WAITS_PROFILE_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "result/blocked.h"
#include "waits/profile.h"

/* The facts about the measurement that a file of a profile has. */
struct waits_facts {
	const char *command, *kernel, *machine, *scope, *backend;
	uint64_t duration_ns;
	time_t	started;
	const struct blocked_thread *blocked;	/* [nblocked]: in none of the rows */
	size_t	nblocked;
	const struct critical_path *critical;	/* or NULL */
};

struct waits_view {
	size_t	rows;			/* at most */
	bool	all;			/* so many, also where a terminal has no room for them */
	bool	threads;		/* a row for each task; else tasks of one name are one */
	bool	idle;			/* also threads of the kernel that wait for work */
	const char *blocked;		/* who waits since before the start, or NULL */
	const struct critical_path *critical;	/* the path of a process, or NULL */
	bool	bpf;			/* advice is for BPF programs, else for the module */
};

/*
 * A page, see report/pager.h: the longest wait, a table, each row with its worst stack, and what is
 * missing in it. 0, -ENOMEM or -EIO.
 */
int waits_text(FILE *f, const struct wait_profile *p, const struct waits_view *view);

/* "NAME;OUTERMOST;...;INNERMOST MICROSECONDS", one line for each stack. */
int waits_folded(FILE *f, const struct wait_profile *p);

/* Prints a task at a time: there may be many. */
int waits_json(FILE *f, const struct wait_profile *p, const struct waits_facts *facts);

/* A page, as report draws it of that file. */
int waits_page(FILE *f, const struct wait_profile *p, const struct waits_facts *facts);

#endif /* TLOB_WAITS_PROFILE_RENDER_H */
