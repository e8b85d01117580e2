/* SPDX-License-Identifier: GPL-2.0 */
/* What a validation found, as one self-contained page. */
#ifndef TLOB_PAGE_VALIDATE_H
#define TLOB_PAGE_VALIDATE_H

#include <stdio.h>

struct validate;

/* 0, -ENOMEM or -EIO. */
int page_validate(FILE *f, const struct validate *v);

#endif /* TLOB_PAGE_VALIDATE_H */
