/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads from the kernel's events which files a process maps as code. This works also for a program
 * that ended before its /proc/PID/maps could be read.
 */
#ifndef TLOB_ATTACH_MAPPINGS_H
#define TLOB_ATTACH_MAPPINGS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct mapping_ring;

struct mappings {
	struct mapping_ring *ring;	/* of each CPU; NULL: not open */
	size_t	 n;
	uint64_t lost;			/* events for which a ring had no room */
};

/* Before the program starts. 0 or -errno, printed. mappings_close() accepts what has failed. */
int  mappings_open(struct mappings *m);
void mappings_close(struct mappings *m);

/* Prints what a process has mapped before. What cannot be read is left out. */
void mappings_before(FILE *f, pid_t pid);

/*
 * Prints what @pid has mapped since the last call, a line each as in /proc/PID/maps, in the order
 * of its events on one CPU, CPU by CPU.
 */
void mappings_take(struct mappings *m, FILE *f, pid_t pid);

#endif /* TLOB_ATTACH_MAPPINGS_H */
