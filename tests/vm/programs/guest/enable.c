// SPDX-License-Identifier: GPL-2.0
/* Enable bits follow the monitor, in pages that stay, go away and come back. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "words.h"

#define GROUP	"enable"

#define WORDS	64		/* the limit for a process */

TEST(follows_the_monitor)
{
	static uint32_t word = OTHERS;
	int i;

	words_begin();
	check_eq(enroll(&word, BIT), 0);
	for (i = 0; i < 20; i++) {
		check_eq(load(&word), OTHERS);
		set("monitor_enable", "1");
		check_eq(load(&word), OTHERS | 1U << BIT);
		set("monitor_enable", "0");
	}
	check_eq(load(&word), OTHERS);
	check_eq(counter("failures"), 0);
}

/* Each bit of a word is registered on its own. */
TEST(every_bit)
{
	static uint32_t word;
	unsigned int bit;

	words_begin();
	for (bit = 0; bit < 32; bit++)
		check_eq(enroll(&word, bit), 0);
	set("monitor_enable", "1");
	check_eq(load(&word), UINT32_MAX);
	for (bit = 0; bit < 32; bit += 2)
		check_eq(leave(&word, bit), 0);
	check_eq(load(&word), 0xaaaaaaaa);
	set("monitor_enable", "0");
	check_eq(load(&word), 0);
}

/* Registering sets the bit to the monitor's state; unregistering clears it. */
TEST(at_registration)
{
	static uint32_t word = OTHERS;

	words_begin();
	set("monitor_enable", "1");
	check_eq(enroll(&word, BIT), 0);
	check_eq(load(&word), OTHERS | 1U << BIT);
	check_eq(leave(&word, BIT), 0);
	check_eq(load(&word), OTHERS);
	check_errno(leave(&word, BIT), ENOENT);
	set("monitor_enable", "0");
	/* registering also corrects a bit that is wrongly 1 */
	word |= 1U << BIT;
	check_eq(enroll(&word, BIT), 0);
	check_eq(load(&word), OTHERS);
	check_eq(leave(&word, BIT), 0);
	set("monitor_enable", "1");
	check_eq(load(&word), OTHERS);
	set("monitor_enable", "0");
}

TEST(refused)
{
	static uint32_t word[2];
	struct tlob_enable e = { .addr = (uintptr_t)word, .reserved = 1 };
	uint32_t *page = pages(2, PROT_READ | PROT_WRITE);
	size_t size = getpagesize();
	int tlob = words_begin();

	check_errno(enroll((char *)word + 2, BIT), EINVAL);
	check_errno(enroll((char *)word + 1, BIT), EINVAL);
	check_errno(enroll(word, 32), EINVAL);
	check_errno(enroll(word, UINT32_MAX), EINVAL);
	check_errno(ioctl(tlob, TLOB_IOC_REGISTER, &e), EINVAL);
	check_errno(ioctl(tlob, TLOB_IOC_REGISTER, 8), EFAULT);
	check_errno(enroll(NULL, BIT), EFAULT);
	check_errno(enroll((void *)0xffff800000000000, BIT), EFAULT);
	check_errno(enroll((void *)-4L, BIT), EFAULT);
	check_errno(leave((char *)word + 2, BIT), EINVAL);
	check_errno(leave(word, 32), EINVAL);
	check_errno(leave(word, BIT), ENOENT);
	page[0] = OTHERS;
	check_eq(mprotect(page, size, PROT_READ), 0);
	check_errno(enroll(page, BIT), EFAULT);
	check_eq(page[0], OTHERS);
	/* memory that the program has never touched is accepted */
	page = (void *)((char *)page + size);
	check_eq(enroll(page, BIT), 0);
	check_errno(enroll(page, BIT), EADDRINUSE);
	check_eq(enroll(page, BIT + 1), 0);
	check_eq(leave(page, BIT), 0);
	check_errno(leave(page, BIT), ENOENT);
	check_eq(leave(page, BIT + 1), 0);
	munmap(page, size);
	check_errno(enroll(page, BIT), EFAULT);
}

#ifdef __aarch64__
/* The upper byte of an address is a tag, which does not belong to the place of the word. */
TEST(address_with_tag)
{
	static uint32_t word = OTHERS;
	void *tagged = (void *)((uintptr_t)&word | 0x5aUL << 56);

	words_begin();
	check_eq(enroll(tagged, BIT), 0);
	check_errno(enroll(&word, BIT), EADDRINUSE);
	set("monitor_enable", "1");
	check_eq(load(&word), OTHERS | 1U << BIT);
	set("monitor_enable", "0");
	check_eq(leave(&word, BIT), 0);
	check_errno(leave(tagged, BIT), ENOENT);
}
#endif

TEST(limit)
{
	static uint32_t word[WORDS + 1];
	int i;

	words_begin();
	for (i = 0; i < WORDS; i++)
		check_eq(enroll(&word[i], BIT), 0);
	check_errno(enroll(&word[i], BIT), ENOSPC);
	check_errno(enroll(&word[0], BIT), EADDRINUSE);
	set("monitor_enable", "1");
	for (i = 0; i < WORDS; i++)
		check_eq(load(&word[i]), 1U << BIT);
	check_eq(load(&word[i]), 0);
	/* an unregistered word frees its place */
	check_eq(leave(&word[3], BIT), 0);
	check_eq(enroll(&word[WORDS], BIT), 0);
	check_eq(load(&word[WORDS]), 1U << BIT);
	check_eq(load(&word[3]), 0);
	set("monitor_enable", "0");
	for (i = 0; i < WORDS; i++)
		check_eq(load(&word[i]), 0);
}

/* A page that is gone or read-only does not keep the other words from their update. */
TEST(page_goes)
{
	size_t size = getpagesize(), step = size / sizeof(uint32_t);
	uint32_t *p = pages(4, PROT_READ | PROT_WRITE);
	uint64_t failures;
	int i;

	words_begin();
	for (i = 0; i < 4; i++)
		check_eq(enroll(&p[i * step], BIT), 0);
	failures = counter("failures");
	check_eq(munmap(&p[step], size), 0);
	check_eq(mprotect(&p[2 * step], size, PROT_READ), 0);
	set("monitor_enable", "1");
	check_eq(load(&p[0]), 1U << BIT);
	check_eq(load(&p[3 * step]), 1U << BIT);
	check_counter("failures", failures + 2);
	check_counter("stale", 2);
	check_eq(load(&p[2 * step]), 0);
	/* the next update tries the word again */
	check_eq(mprotect(&p[2 * step], size, PROT_READ | PROT_WRITE), 0);
	set("monitor_enable", "0");
	set("monitor_enable", "1");
	check_comes(&p[2 * step], 1U << BIT);
	check_counter("stale", 1);
	set("monitor_enable", "0");
	/* a counter never goes back, unlike the number of words that are wrong now */
	check(counter("failures") > failures + 2);
	/* a word whose page is gone can be unregistered */
	check_eq(leave(&p[step], BIT), 0);
	check_errno(leave(&p[step], BIT), ENOENT);
	check_counter("stale", 0);
}

/* The kernel faults in a page that the program gave back (MADV_DONTNEED). */
TEST(page_is_not_there)
{
	uint32_t *p = pages(1, PROT_READ | PROT_WRITE);
	uint64_t failures;
	int i;

	words_begin();
	check_eq(enroll(p, BIT), 0);
	failures = counter("failures");
	for (i = 0; i < 20; i++) {
		check_eq(madvise(p, getpagesize(), MADV_DONTNEED), 0);
		set("monitor_enable", "1");
		check_comes(p, 1U << BIT);
		set("monitor_enable", "0");
		check_comes(p, 0);
	}
	check_eq(counter("failures"), failures);
}

/* A word in a shared file: both mappings show its bit. */
TEST(shared_file)
{
	int fd = memfd_create("tlob", MFD_CLOEXEC);
	uint32_t *a, *b;

	words_begin();
	check_eq(ftruncate(fd, getpagesize()), 0);
	a = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	b = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	check(a != MAP_FAILED && b != MAP_FAILED);
	check_eq(enroll(a, BIT), 0);
	check_errno(enroll(b, BIT), EFAULT);
	set("monitor_enable", "1");
	check_comes(b, 1U << BIT);
	/* now the page lies beyond the end of the file */
	check_eq(ftruncate(fd, 0), 0);
	set("monitor_enable", "0");
	check_eq(leave(a, BIT), 0);
}

static int userfault(uint32_t *p)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)p, getpagesize() },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		skip("no userfaultfd: %s", strerror(errno));
	check_eq(ioctl(fd, UFFDIO_API, &api), 0);
	check_eq(ioctl(fd, UFFDIO_REGISTER, &reg), 0);
	return fd;
}

/*
 * On and off, with a page that never comes: that update is given up and counted. @word has its bit
 * at once. Returns the ns that switching on took.
 */
static uint64_t given_up(const uint32_t *word)
{
	uint64_t failures = counter("failures"), begun, took;

	begun = now_ns();
	set("monitor_enable", "1");
	took = now_ns() - begun;
	check_eq(load(word), 1U << BIT);
	check_counter("failures", failures + 1);
	set("monitor_enable", "0");
	check_eq(load(word), 0);
	return took;
}

/*
 * User space holds a page back. Neither the update nor the worker waits for it: the program's
 * other word gets its bit at once. The held page gets its bit if it comes in time.
 */
TEST(userfault_blocks_nobody)
{
	uint32_t *p = pages(1, PROT_READ | PROT_WRITE);
	static uint32_t word;
	struct uffdio_zeropage zero = {
		.range = { (uintptr_t)p, getpagesize() },
	};
	unsigned int tries = 0;
	uint64_t took;
	int fd;

	words_begin();
	fd = userfault(p);
	check_eq(ioctl(fd, UFFDIO_ZEROPAGE, &zero), 0);
	check_eq(enroll(p, BIT), 0);
	check_eq(enroll(&word, BIT), 0);
	check_eq(madvise(p, getpagesize(), MADV_DONTNEED), 0);
	/* the worker tries for a second; a busy host may need as long for other reasons, now and then */
	do {
		check(tries++ < 20);
		took = given_up(&word);
	} while (took >= 1000 * MS);
	/* now the page comes */
	set("monitor_enable", "1");
	sleep_ns(20 * MS);
	check_eq(ioctl(fd, UFFDIO_ZEROPAGE, &zero), 0);
	check_comes(p, 1U << BIT);
	set("monitor_enable", "0");
	check_comes(p, 0);
}
