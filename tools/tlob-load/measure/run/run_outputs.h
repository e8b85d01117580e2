/* SPDX-License-Identifier: GPL-2.0 */
/* The output of a run: the page at its end, and files. */
#ifndef TLOB_RUN_RUN_OUTPUTS_H
#define TLOB_RUN_RUN_OUTPUTS_H

#include <stdbool.h>
#include <stdio.h>

#include "util/file.h"

struct result;
struct run_config;

enum run_output {
	/* written at the end */
	OUT_JSON, OUT_JUNIT, OUT_KTAP, OUT_MARKDOWN, OUT_HIST, OUT_TIMELINE, OUT_HTML, NR_RENDERED,
	OUT_TRACE = NR_RENDERED,	/* the backend writes it */
	OUT_SAMPLES,			/* a process writes them */
	NR_OUTPUTS
};

struct run_outputs {
	struct output at[NR_OUTPUTS];
	int (*page)(FILE *f, struct result *r);	/* writes OUT_HTML: a terminal has no pages */
	bool kept;			/* a checkpoint of this run has the name of the JSON file */
};

/*
 * Opens the files that @o names, before the run: a wrong path fails then. 0 or -errno,
 * printed. run_outputs_drop() also after an error.
 */
int  run_outputs_open(struct run_outputs *out, const struct run_config *o);

/*
 * Judges the assertions, and prints and writes the result. A run that was cut short, not
 * @whole, has a result, but no verdict for a CI. 0 or -errno, printed.
 */
int  run_outputs_write(struct run_outputs *out, const struct run_config *o, struct result *r,
		       bool whole);

/* Writes the result so far in the place of the JSON file. A failure is printed. */
void run_outputs_checkpoint(struct run_outputs *out, const struct run_config *o,
			    const struct result *r);

/* Like outputs_drop(). A checkpoint stays. */
void run_outputs_drop(struct run_outputs *out, int err);

#endif /* TLOB_RUN_RUN_OUTPUTS_H */
