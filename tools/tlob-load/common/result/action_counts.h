/* SPDX-License-Identifier: GPL-2.0 */
/* What became of the violations that --on-violation asks for actions at. */
#ifndef TLOB_RESULT_ACTION_COUNTS_H
#define TLOB_RESULT_ACTION_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct action_counts {
	bool	 asked;			/* else all are 0, and a file has none of them */
	uint64_t met;			/* windows that met the condition */
	uint64_t taken;			/* of them: the actions were taken */
	uint64_t busy;			/* those of a window before were under way */
	uint64_t limited;		/* more than --at-most permits */
	uint64_t not_run;		/* somebody had killed the process that takes them */
	uint64_t failed;		/* single actions */
	uint64_t killed;		/* commands that still ran after the run */
};

#endif /* TLOB_RESULT_ACTION_COUNTS_H */
