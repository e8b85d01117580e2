/* SPDX-License-Identifier: GPL-2.0 */
/* The live line on a terminal during a run. */
#ifndef TLOB_RUN_PROGRESS_H
#define TLOB_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct collector;

struct progress {
	bool	shown;		/* the line is on the terminal now */
	bool	wanted;
	uint64_t next_ns;	/* when to print it again, since the start */
};

/* Shows nothing if @quiet, or if stderr is not a terminal. */
void progress_init(struct progress *p, bool quiet);
void progress_show(struct progress *p, const struct collector *c,
		   uint64_t elapsed_ns);
void progress_clear(struct progress *p);

#endif /* TLOB_RUN_PROGRESS_H */
