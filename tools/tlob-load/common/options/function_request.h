/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the words of --functions. Pure: no I/O.
 *
 *	request = NAME = word [, word]...
 *	        | @PRESET			the set has the preset's name
 *	        | list				print what matches, and end
 *	word    = a name or a pattern of names (* ? [abc]), or @PRESET
 *	NAME    = a to z first, then also 0 to 9 and _; at most 15
 */
#ifndef TLOB_OPTIONS_FUNCTION_REQUEST_H
#define TLOB_OPTIONS_FUNCTION_REQUEST_H

#include <stdbool.h>

#include "result/functions.h"

struct condition;

struct function_request {
	char	 name[FUNCTION_SET_NAME];
	const char *words;		/* behind NAME=, or "@PRESET" */
};

struct function_requests {
	unsigned int n;
	bool	 list;
	struct function_request at[FUNCTION_SETS];
};

/* Adds one. @text must stay. 0, or -EINVAL with one line in @err. */
int function_request_add(struct function_requests *r, const char *text, char *err,
			 unsigned int size);

extern const struct function_preset {
	const char *name, *words, *reason;
} function_presets[];			/* ends with a NULL name */

/* The preset of "@NAME", whose name has @n characters with the @; NULL: there is none. */
const struct function_preset *function_preset_find(const char *word, size_t n);

/*
 * The first word of *@words, which moves behind it and its comma. Its length; 0: no more
 * words.
 */
size_t function_word(const char **words, const char **word);

/* Finds the sets in @r that conditions on functions name. 0, or -EINVAL with one line in @err. */
int function_requests_bind(const struct function_requests *r, struct condition *list,
			   unsigned int n, char *err, unsigned int size);

#endif /* TLOB_OPTIONS_FUNCTION_REQUEST_H */
