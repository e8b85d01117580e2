// SPDX-License-Identifier: GPL-2.0
/*
 * An ordinary program without tlob-load, for the tests of bindings. It is linked statically at
 * fixed addresses, so that an offset in the file differs from its address. Without an argument
 * it prints the start and stop of a region. With a number it runs through the region so often.
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
