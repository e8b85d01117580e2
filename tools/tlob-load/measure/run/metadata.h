/* SPDX-License-Identifier: GPL-2.0 */
/* Metadata of a result: the settings and the circumstances of the run. */
#ifndef TLOB_RUN_METADATA_H
#define TLOB_RUN_METADATA_H

struct cpus;
struct run_config;
struct result;

/* Fills in the metadata and notes that are known before the run. 0 or -ENOMEM, printed. */
int metadata_before(struct result *r, const struct run_config *config,
		    const struct cpus *cpus, int argc, char **argv);

/* Adds notes that are known only after the run. 0 or -ENOMEM, printed. */
int metadata_after(struct result *r);

#endif /* TLOB_RUN_METADATA_H */
