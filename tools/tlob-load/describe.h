/* SPDX-License-Identifier: GPL-2.0 */
/* Under which settings and circumstances a result was found. */
#ifndef TLOB_DESCRIBE_H
#define TLOB_DESCRIBE_H

struct cpus;
struct options;
struct result;

/* Fills the words and notes of @r that are known before. 0 or -ENOMEM, printed. */
int describe_before(struct result *r, const struct options *o,
		    const struct cpus *cpus, int argc, char **argv);

/* Adds the notes that are only known after the run. 0 or -ENOMEM, printed. */
int describe_after(struct result *r);

#endif /* TLOB_DESCRIBE_H */
