/* SPDX-License-Identifier: GPL-2.0 */
/* The JSON of compare and of validate, as far as other formats have a place for it. */
#ifndef TLOB_RESULTS_VERDICT_FILE_H
#define TLOB_RESULTS_VERDICT_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum verdict_state { STATE_GOOD, STATE_BAD, STATE_UNDECIDED };

/* A metric of compare, or a phase of validate. */
struct verdict_item {
	char	*name;
	double	 number;		/* growth as a share, or the longest response in s; or NAN */
};

struct verdict_file {
	bool	 of_machine;		/* of validate */
	enum verdict_state state;
	char	*conditions, **lowered;	/* what it holds for, what lowers its meaning; NULL: not said */
	size_t	 n;
	struct verdict_item *at;
};

/*
 * Reads @text of a file that messages call @path, if it is such a file: 1. 0: it is something
 * else. -errno, printed: it is damaged. verdict_file_free() after 1.
 */
int  verdict_file_parse(struct verdict_file *v, const char *path, const char *text);
void verdict_file_free(struct verdict_file *v);

/* "OK", "not fit": the word of the command for a state of the whole. */
const char *verdict_word(const struct verdict_file *v, enum verdict_state state);

#endif /* TLOB_RESULTS_VERDICT_FILE_H */
