/* SPDX-License-Identifier: GPL-2.0 */
/* The results that a command takes: its operands, and the names in a file. */
#ifndef TLOB_READ_NAMES_H
#define TLOB_READ_NAMES_H

#include <stddef.h>

struct names {
	char	**at;			/* [n] */
	size_t	 n, room;
	char	*text;			/* of --files-from: the names are in it */
	char	**own;			/* of folders; [nown] */
	size_t	 nown;
};

/*
 * @operands ends with NULL; @list is the file of --files-from, or - for stdin, or NULL.
 * It has one name in a line, and empty lines are ignored. @names points into both. A folder stands
 * for its files *.json and *.json.gz, in the order of their names. 0 or -errno, printed. Call names_free() also after an error; it also takes a zeroed list.
 */
int  names_find(struct names *names, char **operands, const char *list);
void names_free(struct names *names);

/*
 * Refuses a file that is there twice, by its inode or by its bytes, before any of them is parsed:
 * -EINVAL, printed. Pipes are not looked at.
 */
int  names_check_copies(const struct names *names);

/*
 * Refuses @output if it is one of the @n files, which it would overwrite: -EUSAGE, printed. NULL and
 * - for stdout are none.
 */
int  names_check_output(const char *output, char *const *names, size_t n);

#endif /* TLOB_READ_NAMES_H */
