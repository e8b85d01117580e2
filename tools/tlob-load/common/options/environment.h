/* SPDX-License-Identifier: GPL-2.0 */
/* Options that also come from the environment, as TLOB_OPT_NAME: for images and CI systems. */
#ifndef TLOB_OPTIONS_ENVIRONMENT_H
#define TLOB_OPTIONS_ENVIRONMENT_H

#include "options/manual.h"

/* A command line with the options of the environment in front of its own. */
struct environment {
	int	 argc;
	char	**argv;			/* ends with NULL; the strings 1 to @n are ours */
	int	 n;
};

/*
 * Adds to a command line what @env has for the options of @m that have manual_option.env, as
 * in --period=1ms. An option that the command line has counts only there. An empty variable
 * counts as none. Returns 0; -ENOMEM; -EINVAL: a TLOB_OPT_ variable names no such option, or a
 * list has more than ENVIRONMENT_MAX lines, with one line in @err. environment_free() is for all.
 */
#define ENVIRONMENT_MAX	64
int  environment_read(struct environment *e, const struct manual *m, char **env, int argc,
		      char **argv, char *err, unsigned int size);
void environment_free(struct environment *e);

/* Removes these variables: loads, and the runs of validate, do not get them. */
void environment_forget(void);

/*
 * Adds to @err, the message about the command line of @e, which variable is wrong. @bad is the
 * argument with the wrong value; 0: several options contradict each other.
 */
void environment_explain(const struct environment *e, const struct manual *m, int bad, char *err,
			 unsigned int size);

#endif /* TLOB_OPTIONS_ENVIRONMENT_H */
