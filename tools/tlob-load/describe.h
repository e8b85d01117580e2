/* SPDX-License-Identifier: GPL-2.0 */
/* Under which settings and circumstances a result was found. */
#ifndef TLOB_DESCRIBE_H
#define TLOB_DESCRIBE_H

#include <stdbool.h>
#include <stdio.h>

struct cpus;
struct options;
struct result;

/* What any result says of its circumstances (malloc), or NULL without memory. */
char *describe_command(int argc, char **argv);	/* as it can be typed again */
char *describe_kernel(void);			/* release and version */
/* A word as a shell must have it. */
void describe_word(FILE *f, const char *word);

char *describe_machine(void);

bool describe_deterministic(void);
bool describe_virtual(void);
#define DESCRIBE_VIRTUAL "this is a virtual machine: what its host does is in every number"

/* Fills the words and notes of @r that are known before. 0 or -ENOMEM, printed. */
int describe_before(struct result *r, const struct options *o,
		    const struct cpus *cpus, int argc, char **argv);

/* Adds the notes that are only known after the run. 0 or -ENOMEM, printed. */
int describe_after(struct result *r);

#endif /* TLOB_DESCRIBE_H */
