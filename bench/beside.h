/* SPDX-License-Identifier: GPL-2.0 */
/* Tools that run next to a measurement. */
#ifndef BESIDE_H
#define BESIDE_H

#include <sys/types.h>

/* Starts @argv, its output to @out, and leaves it time to attach what it attaches. */
pid_t beside_begin(char *const argv[], const char *out);
/*
 * Ends it by SIGINT, also if it is stopped. Dies if it fails; a death by the signal is no
 * failure.
 */
void beside_end(pid_t tool, const char *name);

#endif /* BESIDE_H */
