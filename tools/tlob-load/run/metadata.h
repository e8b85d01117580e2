/* SPDX-License-Identifier: GPL-2.0 */
/* Metadata of a result: the settings and the circumstances of the run. */
#ifndef TLOB_RUN_METADATA_H
#define TLOB_RUN_METADATA_H

#include <stdbool.h>
#include <stdio.h>

struct cpus;
struct run_config;
struct result;

/* Facts for any result (malloc). NULL: out of memory. */
char *metadata_command(int argc, char **argv);	/* quoted for a shell */
char *metadata_kernel(void);			/* release and version */
char *metadata_machine(void);			/* "x86_64" */

/* True in a guest that counts instructions instead of time. */
bool metadata_deterministic(void);

/* True in a virtual machine; known on x86 only. */
bool metadata_virtual(void);
#define METADATA_VIRTUAL "this is a virtual machine: all times include delays by its host"

/* Fills in the metadata and notes that are known before the run. 0 or -ENOMEM, printed. */
int metadata_before(struct result *r, const struct run_config *config,
		    const struct cpus *cpus, int argc, char **argv);

/* Adds notes that are known only after the run. 0 or -ENOMEM, printed. */
int metadata_after(struct result *r);

#endif /* TLOB_RUN_METADATA_H */
