/* SPDX-License-Identifier: GPL-2.0 */
/* The names of --backend. Pure: options are parsed without the backends. */
#ifndef TLOB_BACKEND_NAMES_H
#define TLOB_BACKEND_NAMES_H

#include <stdbool.h>

/* NAME(name): the best backend first. Each is known, also if this build lacks it. */
#define BACKENDS(NAME)	NAME(tlob) NAME(bpf) NAME(posix)

#define BACKEND_AUTO	"auto"

/* True for "auto" and the name of a backend. */
bool backend_is_name(const char *name);

/* "auto, tlob, bpf or posix". */
const char *backend_names(void);

#endif /* TLOB_BACKEND_NAMES_H */
