/* SPDX-License-Identifier: GPL-2.0 */
/* Reads what a program has written to its terminal. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <unistd.h>

/*
 * All bytes that wait at @fd, which does not block. A worker of the kernel hands them over line by
 * line and may be late: one read returns what it has, and only a read that finds nothing waits for
 * the worker. Valid until the next call.
 */
static inline const char *terminal_read(int fd)
{
	static char text[65536];
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return text;
}

#endif
