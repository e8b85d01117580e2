// SPDX-License-Identifier: GPL-2.0
/* Enable bits of this program, for the tests: see words.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "words.h"

static int tlob;		/* /dev/tlob */

int words_open(void)
{
	tlob = open("/dev/tlob", O_RDWR | O_CLOEXEC);
	if (tlob < 0)
		fail("/dev/tlob: %s", strerror(errno));
	return tlob;
}

int words_begin(void)
{
	words_open();
	set("monitor_enable", "0");
	return tlob;
}

static int word_ioctl(unsigned long cmd, const void *addr, unsigned int bit)
{
	struct tlob_enable e = { .addr = (uintptr_t)addr, .bit = bit };

	return ioctl(tlob, cmd, &e);
}

int enroll(const void *addr, unsigned int bit)
{
	return word_ioctl(TLOB_IOC_REGISTER, addr, bit);
}

int leave(const void *addr, unsigned int bit)
{
	return word_ioctl(TLOB_IOC_UNREGISTER, addr, bit);
}

uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

void check_comes(const uint32_t *word, uint32_t value)
{
	uint64_t end = now_ns() + PATIENCE;

	while (load(word) != value && now_ns() < end)
		sleep_ns(MS);
	check_eq(load(word), value);
}

uint32_t *pages(size_t n, int prot)
{
	uint32_t *p = mmap(NULL, n * getpagesize(), prot,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(p != MAP_FAILED);
	return p;
}

uint64_t counter(const char *name)
{
	return status_field("enable_bits", name);
}

void check_counter(const char *name, uint64_t value)
{
	uint64_t end = now_ns() + PATIENCE;

	while (counter(name) != value && now_ns() < end)
		sleep_ns(10 * MS);
	check_eq(counter(name), value);
}
