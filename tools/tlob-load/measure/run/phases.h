/* SPDX-License-Identifier: GPL-2.0 */
/* Work of several phases, from a file: docs/reference/phases.schema.json describes it. */
#ifndef TLOB_RUN_PHASES_H
#define TLOB_RUN_PHASES_H

#include <stddef.h>

#include "workspec.h"

#define PHASES_MAX	64
#define PHASES_FORMAT	"tlob-load phases"
#define PHASES_VERSION	1

struct phases {
	size_t	n;
	struct tlob_work at[PHASES_MAX];
	char	*text;			/* "loops:20000, sleep:50us", as results show it */
};

struct run_config;

/* Reads the file that --work names, if it does. As phases_read(). */
int  phases_of_work(struct phases *p, struct run_config *o);

/* Reads the file @path. 0; -EUSAGE: not such a file; -errno. Printed. */
int  phases_read(struct phases *p, const char *path);

/* The same for its text; @path is for messages. */
int  phases_parse(struct phases *p, const char *json, const char *path);
void phases_free(struct phases *p);

#endif /* TLOB_RUN_PHASES_H */
