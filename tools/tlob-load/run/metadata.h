/* SPDX-License-Identifier: GPL-2.0 */
/* Under which settings and circumstances a result was found. */
#ifndef TLOB_METADATA_H
#define TLOB_METADATA_H

#include <stdbool.h>
#include <stdio.h>

struct cpus;
struct run_config;
struct result;

/* What any result says of its circumstances (malloc), or NULL without memory. */
char *metadata_command(int argc, char **argv);	/* as it can be typed again */
char *metadata_kernel(void);			/* release and version */

char *metadata_machine(void);

bool metadata_deterministic(void);
bool metadata_virtual(void);
#define METADATA_VIRTUAL "this is a virtual machine: what its host does is in every number"

/* Fills the words and notes of @r that are known before. 0 or -ENOMEM, printed. */
int metadata_before(struct result *r, const struct run_config *o,
		    const struct cpus *cpus, int argc, char **argv);

/* Adds the notes that are only known after the run. 0 or -ENOMEM, printed. */
int metadata_after(struct result *r);

#endif /* TLOB_METADATA_H */
