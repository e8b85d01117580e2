// SPDX-License-Identifier: GPL-2.0
/* Reading the offsets of the process's time namespace, time_namespaces(7). */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/timens.h"
#include "util/file.h"

int64_t timens_parse(const char *text)
{
	const char *line = strstr(text, "monotonic");
	int64_t s, ns;

	if (!line || sscanf(line, "monotonic %" SCNd64 " %" SCNd64, &s, &ns) != 2)
		return 0;
	return s * 1000000000 + ns;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int64_t ahead;

static void read_ahead(void)
{
	char *text;

	/* kernels without time namespaces lack the file */
	if (file_read("/proc/self/timens_offsets", &text))
		return;
	ahead = timens_parse(text);
	free(text);
}

/* A namespace with a process in it keeps its offsets, and this process stays in its own. */
int64_t timens_ahead_ns(void)
{
	pthread_once(&once, read_ahead);
	return ahead;
}

uint64_t timens_kernel_ns(uint64_t ns)
{
	return ns - (uint64_t)timens_ahead_ns();
}
