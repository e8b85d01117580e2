// SPDX-License-Identifier: GPL-2.0
/*
 * tlob-32bit WHAT [FILE...]: a 32-bit program of x86 or arm that uses tlob-load, for the
 * tests of group bits32, which name what it does. It has no C library: none of 32 bits
 * has to be there. Prints the line that fails. Exit: 0 all is right, 1 not.
 */
#include "system.h"

#include <linux/tlob.h>

#define TAG	(5ULL << 40)	/* no 32 bits hold it */
#define BIT	7
#define OWN	0x80000001U	/* the program's own bits of its word */
#define MS	1000000
#define S	1000000000ULL

static int device(void)
{
	int fd = sys(NR_open, (long)"/dev/tlob", O_RDWR, 0);

	check(fd >= 0);
	return fd;
}

static int control(int fd, unsigned long cmd, void *arg)
{
	return sys(NR_ioctl, fd, cmd, (long)arg);
}

static void nap(void)
{
	static const long long time[2] = { 0, 20LL * MS };

	/*
	 * On a slow guest a shorter time is over before the task sleeps. Not every kernel has the
	 * calls with times of 32 bits.
	 */
	check(sys6(NR_clock_nanosleep_time64, CLOCK_MONOTONIC, 0, (long)time, 0, 0, 0) == 0);
}

/* START and STOP in us, and the event of the violation. */
static void in_us(char **file)
{
	static struct tlob_start s = { .threshold_us = 1, .tag = TAG };
	static struct tlob_event e;
	int fd = device();

	s.notify_fd = fd;
	check(control(fd, TLOB_IOC_TRACE_START, &s) == 0);
	check(control(fd, TLOB_IOC_TRACE_START, &s) == -EEXIST);
	nap();
	check(control(fd, TLOB_IOC_TRACE_STOP, NULL) == -EOVERFLOW);
	check(sys(NR_read, fd, (long)&e, sizeof(e)) == sizeof(e));
	check(e.tag == TAG && e.threshold_us == 1);
	check((long)e.tid == sys(NR_getpid, 0, 0, 0));
}

static void check_task_window(const struct tlob_task_window *w, unsigned int flags)
{
	__u64 sum = 0;
	int i;

	check(w->version == TLOB_EVENT_VERSION && w->size == sizeof(*w));
	check(w->flags == flags);
	check((long)w->tid == sys(NR_getpid, 0, 0, 0));
	check(w->tag == TAG);
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		sum += w->part_ns[i];
	check(sum == w->elapsed_ns && sum >= MS);
	check(w->part_ns[TLOB_TASK_PART_SLEEPING] > 0);
}

/* START and STOP in ns, with the records that only a copy of their size can fill. */
static void in_ns(char **file)
{
	static struct tlob_start_ns s = { .threshold_ns = 3600 * S, .tag = TAG, .notify_fd = -1 };
	static struct tlob_task_window_wait with_wait;
	static struct tlob_task_window w;
	int fd = device();

	check(control(fd, TLOB_IOC_START_NS, &s) == 0);
	nap();
	check(control(fd, TLOB_IOC_STOP_NS, &w) == 0);
	check_task_window(&w, TLOB_TASK_ENDED);
	check(w.threshold_ns == 3600 * S);
	check(control(fd, TLOB_IOC_STOP_NS, &w) == -ESRCH);

	s.threshold_ns = MS / 2;
	check(control(fd, TLOB_IOC_START_NS, &s) == 0);
	nap();
	check(control(fd, TLOB_IOC_STOP_WAIT, &with_wait) == -EOVERFLOW);
	check_task_window(&with_wait.window, TLOB_TASK_ENDED | TLOB_TASK_VIOLATION);
	check(with_wait.wait.ns == 0);

	check(control(fd, TLOB_IOC_START_NS, &s) == 0);
	check(control(fd, TLOB_IOC_STOP_NS, (void *)8) == -EFAULT);
}

/* The mapping of a ring, with its first page. */
static struct tlob_ring_page *map(int fd, unsigned long length, unsigned int record)
{
	long at = sys6(NR_mmap2, 0, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct tlob_ring_page *page = (void *)at;

	check(at < -4095 || at > 0);
	check(page->record_size == record);
	check(page->data_offset + page->capacity * page->record_size <= length);
	return page;
}

static void *record(struct tlob_ring_page *page, unsigned int i)
{
	return (char *)page + page->data_offset + i * page->record_size;
}

/* The file's ring: windows come into its mapping. */
static void ring(char **file)
{
	static struct tlob_start_ns s = {
		.threshold_ns = 3600 * S, .tag = TAG, .flags = TLOB_START_EVERY,
	};
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_WINDOW };
	struct tlob_task_window w;
	struct tlob_ring_page *page;
	int fd = device(), i;

	check(control(fd, TLOB_IOC_RING, &request) == 0);
	check(request.length > 0 && request.length < 1U << 30);
	page = map(fd, request.length, sizeof(w));
	s.notify_fd = fd;
	for (i = 0; i < 3; i++) {
		check(control(fd, TLOB_IOC_START_NS, &s) == 0);
		nap();
		check(control(fd, TLOB_IOC_TRACE_STOP, NULL) == 0);
	}
	check(__atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) == 3);
	for (i = 0; i < 3; i++)
		check_task_window(record(page, i), TLOB_TASK_ENDED);
	__atomic_store_n(&page->data_tail, 2, __ATOMIC_RELEASE);
	check(sys(NR_read, fd, (long)&w, sizeof(w)) == sizeof(w));
	check_task_window(&w, TLOB_TASK_ENDED);
	check(page->data_tail == 3);
}

static unsigned int word = OWN;

static void comes(unsigned int value)
{
	int naps;

	/* a busy host may stop the guest */
	for (naps = 0; naps < 1000 && __atomic_load_n(&word, __ATOMIC_ACQUIRE) != value; naps++)
		nap();
	check(word == value);
}

/* An enable bit in a word of this program. The monitor is on. */
static void words(char **file)
{
	struct tlob_enable e = { .addr = (unsigned long)&word, .bit = BIT };
	int fd = device();

	check(control(fd, TLOB_IOC_REGISTER, &e) == 0);
	check(control(fd, TLOB_IOC_REGISTER, &e) == -EADDRINUSE);
	comes(OWN | 1U << BIT);
	check(control(fd, TLOB_IOC_UNREGISTER, &e) == 0);
	check(word == OWN);
	check(control(fd, TLOB_IOC_UNREGISTER, &e) == -ENOENT);
	/* beyond what the program can have */
	e.addr = 1ULL << 32;
	check(control(fd, TLOB_IOC_REGISTER, &e) == -EFAULT);
}

static void check_window(const struct tlob_window *w)
{
	__u64 sum = 0;
	int i;

	check(w->version == TLOB_WINDOW_VERSION && w->size == sizeof(*w));
	for (i = 0; i < TLOB_NR_PARTS; i++)
		sum += w->part_ns[i];
	check(sum == w->response_ns && sum > 0);
	check(w->budget_ns == 10 * S);
}

/* The thread of a run: FILE is its tlob_fd. */
static void run(char **file)
{
	static struct tlob_window w;
	int fd = sys(NR_open, (long)file[0], O_RDONLY, 0), i;
	const struct tlob_fd_page *page;
	long at;

	check(fd >= 0);
	at = sys6(NR_mmap2, 0, 4096, PROT_READ, MAP_SHARED, fd, 0);
	check(at < -4095 || at > 0);
	page = (void *)at;
	check(sys(NR_read, fd, (long)&w, sizeof(w)) == sizeof(w));
	check(w.flags & TLOB_WINDOW_NONE);
	for (i = 0; i < 5; i++) {
		check(sys(NR_read, fd, (long)&w, sizeof(w)) == sizeof(w));
		check_window(&w);
	}
	nap();
	check(page->interference > 0);
	check(control(fd, TLOB_IOC_STOP, &w) == 0);
	check_window(&w);
	check(w.flags & TLOB_WINDOW_STOPPED);
	check(w.part_ns[TLOB_WORK_SLEEP] > 0);
	check(control(fd, TLOB_IOC_STOP, &w) == -ESRCH);
}

/* Records of a run of kernel threads: FILE is its `windows`, the next one the mapping's length. */
static void windows(char **file)
{
	int fd = sys(NR_open, (long)file[0], O_RDWR, 0), i;
	static struct tlob_window w[2];
	struct tlob_ring_page *page;

	check(fd >= 0);
	page = map(fd, number(file[1]), sizeof(*w));
	check(sys(NR_read, fd, (long)w, sizeof(w)) >= (long)sizeof(*w));
	check_window(&w[0]);
	for (i = 0; i < 1000 && __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) < 5; i++)
		nap();
	check_window(record(page, 4));
}

static const struct {
	const char *name;
	void (*run)(char **file);
} doings[] = {
	{ "in_us", in_us }, { "in_ns", in_ns }, { "ring", ring }, { "words", words },
	{ "run", run }, { "windows", windows },
};

int bits32_main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; argc > 1 && i < sizeof(doings) / sizeof(*doings); i++)
		if (same(doings[i].name, argv[1])) {
			doings[i].run(argv + 2);
			return 0;
		}
	return 1;
}
