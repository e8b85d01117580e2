/* SPDX-License-Identifier: GPL-2.0 */
/* The control file `functions`, as it reads. Pure: no I/O. */
#ifndef TLOB_FUNCTIONS_CONTROL_TEXT_H
#define TLOB_FUNCTIONS_CONTROL_TEXT_H

#include "result/functions.h"

struct functions_text {
	char	 mechanism[FUNCTION_SET_NAME];	/* "fprobe", "kretprobe", "none" */
	uint64_t limit;			/* functions of all sets */
	uint64_t probe_ns;		/* of a call, in a window; 0: not measured yet */
	char	 refused[160];		/* why the last set was; "": it was not */
	size_t	 sets;
	struct function_set set[FUNCTION_SETS];	/* without words */
};

/* Fills in @t from @text, which is cut up. 0 or -EINVAL. Unknown words are skipped. */
int functions_text_parse(struct functions_text *t, char *text);

#endif /* TLOB_FUNCTIONS_CONTROL_TEXT_H */
