// SPDX-License-Identifier: GPL-2.0
/*
 * The actor that sets and removes sets of functions, while runs begin and end, the module
 * goes, and tasks of all other actors are inside of these functions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "../guest/addresses.h"
#include "soak.h"

/* Called in all contexts; some sleep, or never return. Not all kernels have all. */
static const char * const names[] = {
	"vfs_read", "vfs_write", "ksys_read", "do_exit", "schedule", "try_to_wake_up",
	"hrtimer_interrupt", "mutex_lock", "rt_spin_lock", "_raw_spin_lock", "kernel_clone",
	"do_nanosleep", "do_wait", "handle_mm_fault", "__alloc_pages_noprof", "kmem_cache_free",
};

#define NAMES	(sizeof(names) / sizeof(*names))

static unsigned long long address[NAMES];

/* Adds a set of one to four functions. The kernel part refuses those that cannot be traced. */
static int add_set(void)
{
	unsigned int i, k, n = 1 + rnd(4);
	char text[128];
	size_t len;

	len = snprintf(text, sizeof(text), "s%u", rnd(3));
	for (i = 0; i < n; i++) {
		k = rnd(NAMES);
		if (address[k])
			len += snprintf(text + len, sizeof(text) - len, " %llx", address[k]);
	}
	return write_file(control("functions"), text);
}

/* The next records of a CPU, if it has any. */
static int read_records(void)
{
	struct tlob_functions f;
	unsigned int i, k;
	ssize_t n;
	int fd;

	fd = open(control("per_cpu/cpu%u/functions", rnd(cpus)), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (k = 0; k < 8 && !shared->unloading; k++) {
		n = read(fd, &f, sizeof(f));
		if (n != sizeof(f))
			break;
		for (i = 0; i < TLOB_FUNCTION_SETS; i++)
			if (f.set[i].unreturned > f.set[i].calls || (i >= f.sets && f.set[i].calls))
				defect("functions: set %u of %u: %u calls, %u not returned", i, f.sets,
				       f.set[i].calls, f.set[i].unreturned);
	}
	close(fd);
	return 0;
}

int functions_clear(void)
{
	int fd = open(control("functions"), O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

void act_functions(void)
{
	static const char * const bad[] = {
		"", "s", "s 0", "s 1 2 3", "S 10", "s ffffffffffffffff", "s x", "s\t\n", "0 1",
	};
	static char text[STATUS_MAX];
	unsigned int i;
	int err;

	find_addresses(names, address, NAMES);
	while (!shared->stop) {
		rest_at_gate();
		/* the module is not loaded */
		if (access(control("functions"), F_OK)) {
			sleep_us(1000);
			continue;
		}
		/* each set makes a run begin and end later */
		if (rnd(2))
			count(FUNCTIONS_CLEAR, functions_clear());
		count(FUNCTIONS_ADD, add_set());
		i = rnd(sizeof(bad) / sizeof(*bad));
		if (!write_file(control("functions"), bad[i]))
			defect("functions took '%s'", bad[i]);
		count(FUNCTIONS_LIST, read_text(control("functions"), text, sizeof(text)));
		err = read_records();
		count(FUNCTIONS_READ, err);
		sleep_us(rnd(50000));
	}
}
