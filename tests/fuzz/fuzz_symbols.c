// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of a hostile ELF file. The first line of the input is the place to find, the rest is
 * the file. Every lookup of its debug file gets the same bytes.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static const uint8_t *file_data;
static size_t file_size;

static int fuzz_open(void)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK(write(fd, file_data, file_size) == (ssize_t)file_size);
	return fd;
}

/* elfobj.c itself, on files without a name. */
#define realpath(path, resolved) strdup(path)
#define file_open_regular(path) fuzz_open()
#include "code/elfobj.c"
#undef file_open_regular
#include "code/symbols.h"

static void look_for(const struct symbols *s, const char *place)
{
	char why[512] = "", *name = NULL;
	struct tlob_offsets places = { 0 };
	unsigned int i;

	if (symbols_find(s, place, &places, &name, why, sizeof(why))) {
		CHECK(*why && !strchr(why, '\n'));
		return;
	}
	/* the kernel will put a breakpoint there */
	CHECK(!*why && places.nr && places.nr <= TLOB_BINDING_OFFSETS);
	for (i = 0; i < places.nr; i++) {
		CHECK(places.at[i] < file_size);
		CHECK(elfobj_is_code(&s->file, places.at[i]));
	}
	CHECK(name && *name);
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	char *place, why[512] = "";
	struct symbols s;

	if (!end)
		return 0;
	place = fuzz_text(data, (size_t)(end - data));
	file_data = end + 1;
	file_size = size - (size_t)(file_data - data);
	if (symbols_open(&s, "/dir/file", "/root", why, sizeof(why))) {
		CHECK(*why && !strchr(why, '\n'));
	} else {
		look_for(&s, place);
		symbols_close(&s);
	}
	free(place);
	return 0;
}
