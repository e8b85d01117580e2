// SPDX-License-Identifier: GPL-2.0
/* Who keeps the module, when it does not go. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "soak.h"

/* Prints the files of the module that process @pid has open. */
static void print_files_of(const char *pid)
{
	char path[300], target[256], stat[256] = "";
	struct dirent *e;
	ssize_t n;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	read_text(path, stat, sizeof(stat));
	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid, e->d_name);
		n = readlink(path, target, sizeof(target) - 1);
		if (n <= 0)
			continue;
		target[n] = 0;
		if (strstr(target, "/tlob"))
			dprintf(1, "# %s is open: %.40s\n", target, stat);
	}
	if (dir)
		closedir(dir);
}

/* The same of its mappings. */
static void print_maps_of(const char *pid)
{
	static char maps[STATUS_MAX];
	char path[300], *line;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	if (read_text(path, maps, sizeof(maps)))
		return;
	for (line = strtok(maps, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, "/tlob_load") || strstr(line, "/dev/tlob"))
			dprintf(1, "# process %s maps %s\n", pid, line);
}

void print_holders(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		if (!isdigit(e->d_name[0]))
			continue;
		print_files_of(e->d_name);
		print_maps_of(e->d_name);
	}
	if (dir)
		closedir(dir);
}
