/* SPDX-License-Identifier: GPL-2.0 */
/* Experiments with kernel arguments: guests with and without them measure for room try. */
#ifndef TLOB_LAB_LAB_TRY_H
#define TLOB_LAB_LAB_TRY_H

#include "lab/lab.h"
#include "options/option_value.h"

struct run_config;

/* Reads --try: arguments of the kernel, separated by spaces, that are set together. */
int lab_read_try(const struct value *v, void *config);

/* Checks what --try excludes, and what needs it. Takes the metric and the margin. 0 or -EINVAL. */
int lab_check_try(struct lab_config *o, const struct value *v);

/* Fills in what the options of run say about an experiment. */
void lab_describe_try(struct lab_config *o, const struct run_config *run);

/* Carries it out, or prints its plan. Errors have been printed. */
enum exit_code lab_try(const struct lab_config *o);

#endif /* TLOB_LAB_LAB_TRY_H */
