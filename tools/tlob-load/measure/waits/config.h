/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `tlob-load waits`: waits/waits_options.c fills them in. */
#ifndef TLOB_WAITS_CONFIG_H
#define TLOB_WAITS_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "waits/profile.h"

/* As --chain has them. */
enum { WAITS_CHAIN_ON, WAITS_CHAIN_OFF };

struct waits_config {
	uint64_t duration_ns;		/* 0: no limit */
	uint64_t threshold_ns;
	uint64_t rows;			/* of the table */
	bool	rows_given;		/* also where a terminal has no room for them */
	bool	threads;		/* each has a row */
	bool	idle;			/* threads of the kernel have rows as well */
	const char *pids;		/* as the kernel takes them, or NULL */
	const char *critical;		/* the path of this process, or NULL */
	const char *cgroup;		/* absolute, below the unified hierarchy, or NULL */
	bool	in_windows;
	const char *backend;		/* or BACKEND_AUTO */
	int	chain;			/* by BPF, what was behind the longest waits; see below */
	bool	follow;
	enum wait_profile_side side;
	const char *folded, *json, *html;	/* files, "-" for stdout, or NULL */
	char	**command;		/* ends with NULL; NULL: none */
};

#endif /* TLOB_WAITS_CONFIG_H */
