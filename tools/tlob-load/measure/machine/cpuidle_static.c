// SPDX-License-Identifier: GPL-2.0
/*
 * The two functions of libcpupower that idle.c calls, for a static tlob-load: Debian has no
 * static libcpupower. Only that build links this file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cpuidle.h>

#include "util/file.h"

static void path_of(char *path, size_t size, unsigned int cpu, unsigned int state)
{
	snprintf(path, size, "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/disable", cpu, state);
}

/* States are numbered without a gap. */
unsigned int cpuidle_state_count(unsigned int cpu)
{
	unsigned int state = 0;
	char path[96];

	for (path_of(path, sizeof(path), cpu, 0); !access(path, F_OK);)
		path_of(path, sizeof(path), cpu, ++state);
	return state;
}

/* 1: disabled, 0: not, -1: the file cannot be read. */
int cpuidle_is_state_disabled(unsigned int cpu, unsigned int state)
{
	char path[96], now[16];

	path_of(path, sizeof(path), cpu, state);
	return file_read_line(path, now, sizeof(now)) ? -1 : !!strtoul(now, NULL, 10);
}
