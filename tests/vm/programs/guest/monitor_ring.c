// SPDX-License-Identifier: GPL-2.0
/* The ring of /dev/tlob: its formats, its mapping, and how readers are woken. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"

#define GROUP	"monitor_ring"

#define MS	1000000ULL
#define US	1000ULL

/* TLOB_START_EVERY puts every window into a ring that has the format of windows. */
TEST(every_window)
{
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_EVENT };
	struct tlob_task_window w;
	int fd = monitor_open_windows(), other;

	check_errno(ioctl(fd, TLOB_IOC_RING, &request), EBUSY);
	request.format = TLOB_FORMAT_FUNCTIONS + 1;
	check_errno(ioctl(fd, TLOB_IOC_RING, &request), EINVAL);
	request.format = TLOB_FORMAT_WINDOW;
	request.flags = 1;
	check_errno(ioctl(fd, TLOB_IOC_RING, &request), EINVAL);

	other = open("/dev/tlob", O_RDWR);
	request.format = TLOB_FORMAT_EVENT;
	request.flags = 0;
	check_eq(ioctl(other, TLOB_IOC_RING, &request), 0);
	check_errno(start_ns(fd, 1000 * MS, other, TLOB_START_EVERY), EINVAL);
	check_errno(start_ns(fd, 1000 * MS, -1, TLOB_START_EVERY), EINVAL);
	close(other);

	check_eq(start_ns(fd, 1000 * MS, fd, TLOB_START_EVERY), 0);
	check_eq(stop_window(fd), 0);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_task_window(&w);
	check_eq(w.flags, TLOB_TASK_ENDED);

	/* one record when the budget ends, one when the window ends */
	check_eq(start_ns(fd, 100 * US, fd, TLOB_START_EVERY), 0);
	spin_ns(MS);
	check_errno(stop_window(fd), EOVERFLOW);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_task_window(&w);
	check_eq(w.flags, TLOB_TASK_VIOLATION);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_task_window(&w);
	check_eq(w.flags, TLOB_TASK_VIOLATION | TLOB_TASK_ENDED);
	check_errno(read(fd, &w, sizeof(w)), EAGAIN);
	close(fd);
	monitor_off();
}

/* The mapping: its header, reading by index, a full ring, and a false tail. */
TEST(mapped)
{
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_EVENT };
	const int prot = PROT_READ | PROT_WRITE;
	int fd = monitor_open();
	struct tlob_ring_page *page;
	struct tlob_event *e;
	uint32_t i;

	check_eq(ioctl(fd, TLOB_IOC_RING, &request), 0);
	check(mmap(NULL, request.length - 4096, prot, MAP_SHARED, fd, 0) == MAP_FAILED);
	check_eq(errno, EINVAL);
	check(mmap(NULL, request.length, prot, MAP_PRIVATE, fd, 0) == MAP_FAILED);
	check_eq(errno, EINVAL);
	check(mmap(NULL, request.length, prot, MAP_SHARED, fd, 4096) == MAP_FAILED);
	check_eq(errno, EINVAL);
	page = mmap(NULL, request.length, prot, MAP_SHARED, fd, 0);
	check(page != MAP_FAILED);
	check_eq(page->record_size, sizeof(*e));
	check_eq(page->version, TLOB_EVENT_VERSION);
	check_eq(page->capacity & (page->capacity - 1), 0);
	check(page->data_offset + (uint64_t)page->capacity * page->record_size <=
	      request.length);
	e = (void *)((char *)page + page->data_offset);

	/* the kernel ignores a tail beyond the head */
	page->data_tail = 1U << 31;
	for (i = 0; i < page->capacity + 3; i++) {
		check_eq(start_us(fd, 1, fd, i), 0);
		check_errno(stop_window(fd), EOVERFLOW);
	}
	check_eq(page->data_head, page->capacity);
	check_eq(page->dropped, 3);
	check_eq(e[0].tag, 0);
	check_eq(e[page->capacity - 1].tag, page->capacity - 1);
	__atomic_store_n(&page->data_tail, 2, __ATOMIC_RELEASE);
	check_eq(start_us(fd, 1, fd, 999), 0);
	check_errno(stop_window(fd), EOVERFLOW);
	check_eq(page->data_head, page->capacity + 1);
	check_eq(e[0].tag, 999);
	/* a read of no bytes is refused */
	check_eq(read(fd, e, 0), -1);
	check_eq(errno, EINVAL);
	close(fd);
	/* the mapping outlives the file */
	check_eq(e[0].tag, 999);
	munmap(page, request.length);
	monitor_off();
}

/* A new record wakes poll() and a reader that waits. */
TEST(readers_are_woken)
{
	int fd = monitor_open();
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct tlob_event e;
	pid_t pid = fork();

	check(pid >= 0);
	if (!pid) {
		check_eq(poll(&p, 1, PATIENCE / MS), 1);
		check_eq(p.revents, POLLIN);
		check_eq(read(fd, &e, sizeof(e)), sizeof(e));
		check_eq(e.tag, 1);
		/* waits for the second record */
		check_eq(read(fd, &e, sizeof(e)), sizeof(e));
		check_eq(e.tag, 2);
		_exit(0);
	}
	check_eq(poll(&p, 1, 0), 0);
	for (int i = 1; i <= 2; i++) {
		sleep_ns(50 * MS);
		check_eq(start_us(fd, 1, fd, i), 0);
		check_errno(stop_window(fd), EOVERFLOW);
	}
	reap(pid);
	close(fd);
	monitor_off();
}
