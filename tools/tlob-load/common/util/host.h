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

/*
 * Who measured, as malloc()ed texts. NULL: not known, or out of memory. Boot and run are not known
 * in guests that count instructions, where each boot is a copy of the others.
 */
char *host_boot_id(void);			/* the kernel's, new with each boot */
char *host_machine_id(void);			/* a hash of /etc/machine-id, which is confidential */
char *host_run_id(void);			/* 128 random bits */

/*
 * *@path = "DIR/HOST-RUN.json" (malloc), in @dir, which is made if it is missing. Without a
 * @run_id (NULL) the number of this process stands for it. 0 or -errno, printed.
 */
int host_result_path(char **path, const char *dir, const char *run_id);

/* True in a guest that counts instructions instead of time. */
bool host_deterministic(void);

/*
 * What /proc/cpuinfo says of its first processor, or "". The main thread reads it once: of many
 * processors the file is long.
 */
const char *host_processor(void);

/* True in a virtual machine; known on x86 only. */
bool host_virtual(void);
#define HOST_VIRTUAL "this is a virtual machine: all times include delays by its host"

#endif /* TLOB_UTIL_HOST_H */
