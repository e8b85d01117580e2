/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs of Go. Their runtime runs goroutines on its threads: one that waits for a mutex leaves
 * its thread, which takes another goroutine or rests. So what a thread sleeps for says nothing of
 * the program's locks.
 */
#ifndef TLOB_MACHINE_GO_PROGRAMS_H
#define TLOB_MACHINE_GO_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Processes that were looked at. */
struct go_programs {
	struct go_program {
		uint32_t tgid;
		bool	 is_go;
	} *at;
	size_t	 n, room;
};

/* Returns whether the process @tgid runs such a program; false: also one that has gone. */
bool go_programs_have(struct go_programs *g, uint32_t tgid);
void go_programs_free(struct go_programs *g);

#endif /* TLOB_MACHINE_GO_PROGRAMS_H */
