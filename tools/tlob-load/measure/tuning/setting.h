/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A setting that the user names, for --setting:
 *
 *	setting = NAME				the rows of --tune with that name
 *		| governor=VALUE		a frequency governor for the measured CPUs
 *		| SYSCTL=VALUE			as in vm.stat_interval=10
 *		| /PATH=VALUE			a file of /sys or /proc
 *		| NAME: ON COMMAND / OFF COMMAND
 */
#ifndef TLOB_TUNING_SETTING_H
#define TLOB_TUNING_SETTING_H

#include <stdbool.h>

struct tune;

#define SETTING_LEN	256

enum setting_kind { SETTING_ROWS, SETTING_FILE, SETTING_COMMANDS };

struct setting {
	enum setting_kind kind;
	char	name[SETTING_LEN];	/* "governor=performance", "vm.stat_interval=10", "mine" */
	char	what[SETTING_LEN];	/* of its rows: the name without =VALUE */
	char	path[SETTING_LEN];	/* of the file */
	const char *value;		/* in the text; NULL: none */
	char	on[SETTING_LEN], off[SETTING_LEN];
};

/* 0, or -EINVAL with what is wrong in @why. @text stays in use. */
int setting_parse(struct setting *s, const char *text, char *why, unsigned int size);

/* Its rows replace others of that name or file; none if the machine has it already. 0 or -ENOMEM. @s stays in use. */
int setting_add(struct tune *t, const struct setting *s);

#endif /* TLOB_TUNING_SETTING_H */
