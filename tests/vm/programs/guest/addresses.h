/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses of the kernel's functions, for sets of functions. */
#ifndef ADDRESSES_H
#define ADDRESSES_H

#include <stdio.h>
#include <string.h>

/* Stores the addresses of the @n @names; 0 stays where this kernel has no such symbol. */
static inline void find_addresses(const char *const *names, unsigned long long *address,
				  unsigned int n)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long at;
	char line[512], name[256];
	unsigned int i;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %*c %255s", &at, name) != 2)
			continue;
		for (i = 0; i < n; i++)
			if (!strcmp(name, names[i]))
				address[i] = at;
	}
	if (file)
		fclose(file);
}

#endif /* ADDRESSES_H */
