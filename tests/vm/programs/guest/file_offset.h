/* SPDX-License-Identifier: GPL-2.0 */
/* The place of a program's code in its file, for bindings. */
#ifndef FILE_OFFSET_H
#define FILE_OFFSET_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the offset of @code in its mapped file, or 0. @path gets the file's name. */
static inline uint64_t file_offset(const void *code, char path[4096])
{
	uint64_t from, to, offset, at = (uintptr_t)code, found = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[5000], *p;

	/* FROM-TO PERM OFFSET DEVICE INODE PATH */
	while (f && !found && fgets(line, sizeof(line), f)) {
		from = strtoull(line, &p, 16);
		to = strtoull(p + 1, &p, 16);
		if (at < from || at >= to)
			continue;
		offset = strtoull(p + strlen(" r-xp "), &p, 16);
		p = strchr(p, '/');
		if (!p)
			break;
		p[strcspn(p, "\n")] = 0;
		snprintf(path, 4096, "%s", p);
		found = at - from + offset;
	}
	if (f)
		fclose(f);
	return found;
}

#endif /* FILE_OFFSET_H */
