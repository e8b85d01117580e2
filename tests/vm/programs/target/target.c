// SPDX-License-Identifier: GPL-2.0
/*
 * A program that knows nothing of tlob-load, for the tests that bind regions of
 * one. Linked statically, at fixed addresses, so that an offset in the file is no
 * address. Without an argument it prints the start and stop of a region, else it
 * runs through it so many times.
 */
#include "../guest/region.h"

int main(int argc, char **argv)
{
	char path[4096];
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

	if (argc == 1)
		printf("%" PRIu64 " %" PRIu64 "\n",
		       file_offset((void *)outer_start, path),
		       file_offset((void *)outer_stop, path));
	while (n--) {
		outer_start();
		inner_start();
		inner_stop();
		outer_stop();
	}
	return 0;
}
