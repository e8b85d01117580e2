/* SPDX-License-Identifier: GPL-2.0 */
/* Files that gzip compressed (RFC 1952). */
#ifndef TLOB_READ_GUNZIP_H
#define TLOB_READ_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

bool gunzip_is(const char *bytes, size_t n);

/*
 * Unpacks all members of @bytes into *@text (malloc), *@length bytes and a NUL, at most @most. 0;
 * -EBADMSG: damaged; -EFBIG; -ENOMEM; -EOPNOTSUPP: this build has no zlib. Prints nothing.
 */
int gunzip(const char *bytes, size_t n, size_t most, char **text, size_t *length);

#endif /* TLOB_READ_GUNZIP_H */
