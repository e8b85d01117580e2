/* SPDX-License-Identifier: GPL-2.0 */
/* The options of attach: attach/attach_options.c fills them in. */
#ifndef TLOB_OPTIONS_ATTACH_CONFIG_H
#define TLOB_OPTIONS_ATTACH_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "options/function_request.h"
#include "result/activation.h"
#include "result/condition.h"
#include "result/tags.h"
#include "util/action.h"

/* As --chain has them. */
enum { ATTACH_CHAIN_ON, ATTACH_CHAIN_OFF, ATTACH_CHAIN_ALL };

struct attach_config {
	const char *program;		/* NULL: the program of --pid */
	char	**args;			/* its arguments; ends with NULL */
	const char *library;		/* the file with both places; NULL: the program */
	const char *start, *stop;	/* places: see code/symbols.h */
	const char *key;		/* of windows, as it was given; NULL: they belong to threads */
	enum tlob_key key_start, key_stop; /* where it is at either place */
	int	 pid;			/* 0: start the program */
	/* instead of a region, the activations of threads: attach/threads.h */
	int	 tid;			/* 0: not by tid */
	const char *comm;		/* a glob for names of threads, or NULL */
	const char *cgroup;		/* or NULL */
	bool	 rt;			/* only real-time threads */
	const char *until;		/* as it was given, or NULL */
	uint32_t until_nr[TLOB_WATCH_UNTIL];
	unsigned int nuntil;
	const char *backend;		/* of activations, or BACKEND_AUTO */
	uint64_t budget_ns;
	bool	 by_deadline;		/* the budget is the deadline of the threads */
	uint64_t duration_ns;		/* 0: until the process ends */
	bool	 all;			/* count windows of every process */
	int	 chain;			/* by BPF, the chain behind a wait */
	bool	 waits;			/* name the longest wait of each window */
	struct function_requests functions;
	struct action_config act;	/* --on-violation and --on-end */
	struct condition assertion[CONDITIONS_MAX];
	unsigned int nassertion;
	const char *json;		/* file, "-" for stdout, or NULL */
	const char *output_dir;		/* where the JSON gets a name of its own, or NULL */
	struct tag_list tags;
	bool	 wait;			/* for another run on this machine */
	const char *html;		/* a file, as json */
	const char *junit, *ktap, *markdown;	/* the same */
	const char *windows;		/* the same: a line for each window */
	const char *mappings;		/* the same: a line for each file mapped as code */
	bool	 has_progress;
	uint64_t progress_ns;		/* between lines; 0: none */
	double	 inexact;		/* the share of windows that may be unmeasured in a verdict */
	bool	 quiet, verbose;
};

#endif /* TLOB_OPTIONS_ATTACH_CONFIG_H */
