// SPDX-License-Identifier: GPL-2.0
/* per_cpu/cpuN/windows: whole records, one reader, counted losses, a hostile mapping. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"
#include "isolated.h"

#define GROUP	"ring"

#define MS		1000000ULL
#define CAPACITY	4096
/* ns; a shorter period leaves the reader of a debug kernel no time */
#define SHORTEST	(debug_kernel ? 500000 : 50000)

static struct tlob_window win[CAPACITY + 1];
/* volatile, or the compiler warns of the bad address. */
static void *volatile bad_address = (void *)1;

static void start(uint64_t period)
{
	setup("kthread", "0", period, MS, "none");
	enable();
}

TEST(one_reader)
{
	char name[64] = "per_cpu/cpu0/windows";
	int fd;

	start(MS);
	fd = open_cpu(0, "windows", O_RDONLY);
	check_errno(open(tlob_path(name), O_RDONLY), EBUSY);
	close(fd);
	close(open_cpu(0, "windows", O_RDONLY));
}

/* Reads until the ring is empty (EAGAIN). */
static void drain(int fd)
{
	while (read(fd, win, sizeof(win)) > 0)
		;
	check_eq(errno, EAGAIN);
}

TEST(whole_records)
{
	char buf[4 * sizeof(*win)];
	uint64_t before, later = 0;
	ssize_t n;
	int fd;

	/* 5 ms: a read has time to find the ring empty */
	start(5 * MS);
	fd = open_cpu(0, "windows", O_RDONLY | O_NONBLOCK);
	check_errno(read(fd, buf, sizeof(*win) - 1), EINVAL);
	drain(fd);
	more_windows(0, 8);
	check_eq(read(fd, buf, sizeof(*win) + 7), sizeof(*win));
	check_eq(read(fd, buf, 3 * sizeof(*win) - 1), 2 * sizeof(*win));
	check_errno(read(fd, bad_address, sizeof(buf)), EFAULT);
	check_eq(read(fd, buf, sizeof(buf)), sizeof(buf));
	close(fd);
	/* a second reader gets later records only; one of a window that was counted may still come */
	more_windows(0, 8);
	before = status(0, "windows");
	fd = open_cpu(0, "windows", O_RDONLY | O_NONBLOCK);
	more_windows(0, 1);
	disable();
	while ((n = read(fd, win, sizeof(win))) > 0)
		later += n / sizeof(*win);
	check(later >= 1 && later <= status(0, "windows") - before + 1);
	close(fd);
}

/* A new run and its reader, of which no window has ended before poll() was asked. */
static int without_window(struct pollfd *p)
{
	unsigned int tries;
	int ready;

	for (tries = 0; tries < 100; tries++) {
		start(500 * MS);
		p->fd = open_cpu(0, "windows", O_RDONLY);
		ready = poll(p, 1, 0);
		if (!status(0, "windows")) {
			check_eq(ready, 0);
			return p->fd;
		}
		/* the first expiry came at once, or the host did something else */
		close(p->fd);
		disable();
	}
	fail("each run has a window at once");
}

TEST(blocks_and_ends)
{
	struct pollfd p = { .events = POLLIN };
	int fd = without_window(&p);

	check_eq(read(fd, win, sizeof(win)) % sizeof(*win), 0);
	check_eq(poll(&p, 1, PATIENCE / MS), 1);
	check_eq(p.revents, POLLIN);
	disable();
	check_eq(poll(&p, 1, 0), 1);
	check_eq(p.revents, POLLIN | POLLHUP);
	check(read(fd, win, sizeof(win)) > 0);
	check_eq(read(fd, win, sizeof(win)), 0);
	check_eq(poll(&p, 1, 0), 1);
	check_eq(p.revents, POLLHUP);
	close(fd);
}

/* A full ring keeps its 4096 records and drops the new ones. */
TEST(drops_new)
{
	uint64_t lost, windows;
	size_t i;
	int fd;

	start(50000);
	fd = open_cpu(0, "windows", O_RDONLY);
	more_windows(0, CAPACITY + 1);
	disable();
	lost = status(0, "lost");
	windows = status(0, "windows");
	check(lost > 0);
	check_eq(read(fd, win, sizeof(win)), CAPACITY * sizeof(*win));
	check_eq(read(fd, win, sizeof(win)), 0);
	/* the first reader of a run misses nothing but the lost records */
	check_eq(CAPACITY + lost, windows);
	for (i = 0; i < CAPACITY; i++) {
		check_window(&win[i]);
		if (i)
			check_eq(win[i].activation,
				 win[i - 1].activation + 1 + win[i].missed);
	}
	close(fd);
	note("%llu lost of %llu", (unsigned long long)lost,
	     (unsigned long long)windows);
}

static struct tlob_ring_page *map(int fd, size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

TEST(map_errors)
{
	size_t size = status(-1, "ring_bytes"), page = sysconf(_SC_PAGESIZE);
	int fd;

	start(MS);
	fd = open_cpu(0, "windows", O_RDWR);
	check_errno((long)map(fd, size - page), EINVAL);
	check_errno((long)map(fd, size + page), EINVAL);
	check_errno((long)mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0),
		    EINVAL);
	check_errno((long)mmap(NULL, size, PROT_READ, MAP_SHARED, fd, page),
		    EINVAL);
	close(fd);
	/* O_RDONLY maps read-only */
	fd = open_cpu(0, "windows", O_RDONLY);
	check(mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED);
	check_errno((long)map(fd, size), EACCES);
	close(fd);
}

static const struct tlob_window *record(const struct tlob_ring_page *p,
					uint32_t i)
{
	return (const void *)((const char *)p + p->data_offset +
			      (size_t)(i % p->capacity) * p->record_size);
}

TEST(map_reads)
{
	size_t size = status(-1, "ring_bytes");
	struct tlob_ring_page *p;
	uint32_t tail, seen = 0;
	uint64_t last = 0;
	int fd;

	start(SHORTEST);
	fd = open_cpu(0, "windows", O_RDWR);
	p = map(fd, size);
	check(p != MAP_FAILED);
	check_eq(p->version, TLOB_WINDOW_VERSION);
	check_eq(p->record_size, sizeof(struct tlob_window));
	check_eq(p->capacity, CAPACITY);
	tail = p->data_tail;
	/* more records than the ring holds: the kernel uses the tail that we write */
	while (seen < 3 * CAPACITY) {
		uint32_t head = __atomic_load_n(&p->data_head,
						__ATOMIC_ACQUIRE);

		for (; tail != head; tail++, seen++) {
			const struct tlob_window *w = record(p, tail);

			check_window(w);
			if (last)
				check_eq(w->activation, last + 1 + w->missed);
			last = w->activation;
		}
		__atomic_store_n(&p->data_tail, tail, __ATOMIC_RELEASE);
		sleep_ns(20 * MS);
	}
	check_eq(p->dropped, 0);
	check_eq(status(0, "lost"), 0);
	disable();
	close(fd);
	/* the mapping outlives the file and the run */
	check_eq(p->capacity, CAPACITY);
	munmap(p, size);
}

/* The kernel stays within its ring, even if a reader writes false values into the page. */
TEST(map_hostile)
{
	size_t size = status(-1, "ring_bytes");
	struct tlob_ring_page *p;
	unsigned int seed = 1, i, j;
	int fd;

	start(SHORTEST);
	fd = open_cpu(0, "windows", O_RDWR | O_NONBLOCK);
	p = map(fd, size);
	check(p != MAP_FAILED);
	for (i = 0; i < 300; i++) {
		for (j = 0; j < sizeof(*p) / 4; j++)
			((volatile uint32_t *)p)[j] = rand_r(&seed) * 2654435761U;
		memset((char *)p + 4096, rand_r(&seed), size - 4096);
		sleep_ns(MS);
		if (read(fd, win, sizeof(win)) < 0)
			check_eq(errno, EAGAIN);
	}
	/* the run continues, at any speed */
	more_windows(0, 1);
	check_no_defect(0);
	close(fd);
	munmap(p, size);
	/* the next reader gets correct records */
	fd = open_cpu(0, "windows", O_RDONLY);
	read_windows(fd, win, 100);
	for (i = 0; i < 100; i++)
		check_window(&win[i]);
	close(fd);
}

TEST(never_enabled)
{
	char name[64];
	int cpu = 0, fd;

	/* a CPU that is not in `cpus` of any run was never measured */
	start(MS);
	disable();
	while (cpu < 64 && snprintf(name, sizeof(name), "per_cpu/cpu%d/windows",
				    ++cpu) && access(tlob_path(name), F_OK))
		;
	if (cpu >= 64)
		skip("this guest has one possible CPU");
	fd = open(tlob_path(name), O_RDONLY);
	check_eq(fd, -1);
	check_eq(errno, ENODEV);
}

/* What wakes a run's readers does not come to a CPU that is isolated, measured or not. */
TEST_ON(woken_off_isolated_cpus, 2)
{
	unsigned int i, woken;
	int fd;

	if (!isolate(true))
		skip("no cpuset can isolate a CPU here");
	trace_switches_to("tlob_wake");
	start(MS);
	fd = open_cpu(0, "windows", O_RDONLY);
	/* each time the reader waits for the next 100 ms */
	for (i = 0; i < 20; i++) {
		read_windows(fd, win, 1);
		sleep_ns(100 * MS);
		read_windows(fd, win, 100);
	}
	close(fd);
	disable();
	woken = trace_lines_on(0, "tlob_wake");
	note("the thread that wakes came %u times to CPU 0", woken);
	check(woken > 0);
	check_eq(trace_lines_on(1, "tlob_wake"), 0);
	trace_off();
	check(isolate(false));
}
