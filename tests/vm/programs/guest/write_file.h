/* SPDX-License-Identifier: GPL-2.0 */
/* Files of settings: the programs of the guests write to them. */
#ifndef WRITE_FILE_H
#define WRITE_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Writes @text to the file, which exists, in one call. Returns 0 or -errno. */
static inline int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

#endif /* WRITE_FILE_H */
