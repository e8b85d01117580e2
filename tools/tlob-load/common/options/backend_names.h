/* SPDX-License-Identifier: GPL-2.0 */
/* The names of --backend. Pure: options are parsed without the backends. */
#ifndef TLOB_OPTIONS_BACKEND_NAMES_H
#define TLOB_OPTIONS_BACKEND_NAMES_H

/* NAME(name): the best backend first. Each is known, also if this build lacks it. */
#define BACKENDS(NAME)	NAME(tlob) NAME(bpf) NAME(posix)

#define BACKEND_AUTO	"auto"
#define BACKEND_POSIX	"posix"

/* "auto tlob bpf posix" */
#define BACKEND_WORD(name)	" " #name
#define BACKEND_WORDS	BACKEND_AUTO BACKENDS(BACKEND_WORD)

#endif /* TLOB_OPTIONS_BACKEND_NAMES_H */
