/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel, the machine and the command line, as every result has them. */
#ifndef TLOB_UTIL_HOST_H
#define TLOB_UTIL_HOST_H

#include <stdbool.h>

/* malloc()ed texts. NULL: out of memory. */
char *host_command(int argc, char **argv);	/* quoted for a shell */
char *host_kernel(void);			/* release and version */
char *host_machine(void);			/* "x86_64" */
char *host_name(void);

/* True in a guest that counts instructions instead of time. */
bool host_deterministic(void);

/* True in a virtual machine; known on x86 only. */
bool host_virtual(void);
#define HOST_VIRTUAL "this is a virtual machine: all times include delays by its host"

#endif /* TLOB_UTIL_HOST_H */
