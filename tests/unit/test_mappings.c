// SPDX-License-Identifier: GPL-2.0
/* attach --mappings: what is mapped as code already. */
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"
#include "attach/mappings.h"

/* Whoever starts a process names its files: they must not write to a terminal. */
TEST(test_mapped_name)
{
	int fd = memfd_create("a\033[2Jz", MFD_CLOEXEC);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	void *code;

	assert_int_equal(ftruncate(fd, 4096), 0);
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(code, MAP_FAILED);
	mappings_before(f, getpid());
	fclose(f);
	assert_contains(text, "/memfd:a\\x1b[2Jz (deleted)\n");
	assert_lacks(text, "\033");
	free(text);
	munmap(code, 4096);
	close(fd);
}

UNIT_MAIN(NULL, NULL)
