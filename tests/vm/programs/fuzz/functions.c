// SPDX-License-Identifier: GPL-2.0
/* Random writes to the file `functions`: mostly valid sets, else the parser sees nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../guest/addresses.h"
#include "fuzz.h"

static const char * const names[] = {
	"vfs_read", "vfs_write", "schedule", "do_exit", "mutex_lock", "rt_spin_lock",
	"kernel_clone", "hrtimer_interrupt",
};

#define ADDRESSES	(sizeof(names) / sizeof(*names))

static unsigned long long address[ADDRESSES];

static void find_all(void)
{
	find_addresses(names, address, ADDRESSES);
}

/* A good address, one in the middle of a function, of no function, or anything. */
static unsigned long long any_address(void)
{
	unsigned long long good = address[rnd(ADDRESSES)];

	switch (rnd(16)) {
	case 0:
		return good + rnd(64);
	case 1:
		return (unsigned long long)rnd(0) << 33 | rnd(0);
	case 2:
		return 0;
	default:
		return good;
	}
}

/* Makes a set, removes all, or writes bytes. Fails with -1 and errno. */
long functions_write(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	unsigned int i, n = 1 + rnd(3);
	char path[256], text[256];
	size_t len;
	long result;
	int fd;

	pthread_once(&once, find_all);
	snprintf(path, sizeof(path), "%s/functions", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC | (rnd(2) ? O_TRUNC : 0));
	if (fd < 0)
		return -1;
	len = snprintf(text, sizeof(text), "f%u", rnd(3));
	for (i = 0; i < n; i++)
		len += snprintf(text + len, sizeof(text) - len, rnd(8) ? " %llx" : "\t0x%llx\n",
				any_address());
	if (!rnd(8))
		text[rnd(len)] = rnd(256);
	/* sometimes much, from anywhere */
	result = rnd(8) ? write(fd, text, len) : write(fd, memory(), rnd(1 << 17));
	close(fd);
	return result;
}
