/* SPDX-License-Identifier: GPL-2.0 */
/* Time in functions, for the page. Nothing without --functions. */
#ifndef TLOB_PAGE_FUNCTIONS_H
#define TLOB_PAGE_FUNCTIONS_H

#include <stdio.h>

struct attach_result;
struct result;

/* The same of attach. */
void page_attach_functions(FILE *f, const struct attach_result *a, size_t n);

/* A table of the sets on all CPUs, and one of them in the @n worst windows. */
void page_functions(FILE *f, const struct result *r, size_t n);

#endif /* TLOB_PAGE_FUNCTIONS_H */
