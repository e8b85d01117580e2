/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that must not be probed. */
#ifndef TLOB_FUNCTIONS_REFUSED_H
#define TLOB_FUNCTIONS_REFUSED_H

/* Returns why @name must not be probed; NULL: it may. */
const char *function_refused(const char *name);

/* The same for BPF programs, which lock RCU around each of their runs. */
const char *function_refused_by_bpf(const char *name);

#endif /* TLOB_FUNCTIONS_REFUSED_H */
