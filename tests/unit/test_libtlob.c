// SPDX-License-Identifier: GPL-2.0
/* libtlob against a fake kernel: what it asks for, and what it makes of the answers. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tlob.h"
#include "unit.h"

#define FD	1000		/* of the fake device */

/* The answers of the fake kernel, and the requests. */
static struct {
	bool device;
	int errno_of_start, errno_of_stop, errno_of_register;
	unsigned int opens, closes, starts, stops;
	uint32_t *word;			/* that is registered */
	struct tlob_start_ns start;
} k;

int __real_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long cmd, ...);
int __real_close(int fd);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long cmd, ...);
int __wrap_close(int fd);

/* Each program has it in its own memory, in the size of the header it was built with. */
_Static_assert(sizeof(struct tlob_site) == 24, "the size of a site is ABI");

static int answer(int err)
{
	errno = err;
	return err ? -1 : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, "/dev/tlob")) {
		errno = ENOENT;
		return -1;
	}
	assert_int_equal(flags, O_RDWR | O_CLOEXEC);
	if (!k.device) {
		errno = ENOENT;
		return -1;
	}
	k.opens++;
	return FD;
}

int __wrap_close(int fd)
{
	if (fd != FD)
		return __real_close(fd);
	k.closes++;
	return 0;
}

static int enroll(const struct tlob_enable *e)
{
	assert_int_equal(e->bit, 0);
	assert_int_equal(e->reserved, 0);
	if (k.errno_of_register)
		return answer(k.errno_of_register);
	assert_null(k.word);
	k.word = (uint32_t *)(uintptr_t)e->addr;
	*k.word |= 1;
	return 0;
}

static int leave(const struct tlob_enable *e)
{
	if ((uintptr_t)k.word != e->addr)
		return answer(ENOENT);
	*k.word &= ~1U;
	k.word = NULL;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long cmd, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	assert_int_equal(fd, FD);
	switch (cmd) {
	case TLOB_IOC_REGISTER:
		return enroll(arg);
	case TLOB_IOC_UNREGISTER:
		return leave(arg);
	case TLOB_IOC_RING:
		assert_int_equal(((struct tlob_ring_setup *)arg)->format,
				 TLOB_FORMAT_EVENT);
		return 0;
	case TLOB_IOC_START_NS:
		k.starts++;
		k.start = *(struct tlob_start_ns *)arg;
		return answer(k.errno_of_start);
	case TLOB_IOC_STOP_WAIT:
		((struct tlob_task_window_wait *)arg)->wait.ns = 43;
		/* fallthrough */
	case TLOB_IOC_STOP_NS:
		((struct tlob_task_window *)arg)->tag = 42;
		/* fallthrough */
	case TLOB_IOC_TRACE_STOP:
		k.stops++;
		return answer(k.errno_of_stop);
	}
	fail_msg("ioctl %lx", cmd);
	return -1;
}

static int fresh(void **state)
{
	memset(&k, 0, sizeof(k));
	k.device = true;
	return 0;
}

/* Without /dev/tlob every call returns the error and does nothing else. */
TEST_WITH(no_device, fresh, NULL)
{
	struct tlob_task_window w;
	struct tlob_event event;

	k.device = false;
	errno = E2BIG;
	assert_int_equal(tlob_open(), -ENOENT);
	assert_false(tlob_enabled());
	assert_int_equal(tlob_begin(1000, 0), -ENODEV);
	assert_int_equal(tlob_end(), -ENODEV);
	assert_int_equal(tlob_end_window(&w), -ENODEV);
	assert_int_equal(tlob_events(), -ENODEV);
	assert_int_equal(tlob_read(&event, 1), -ENODEV);
	tlob_close();
	assert_int_equal(errno, E2BIG);
	assert_int_equal(k.closes, 0);
	/* a second close is harmless */
	tlob_close();
	/* a device that comes later is found */
	assert_int_equal(tlob_open(), -ENOENT);
	k.device = true;
	assert_int_equal(tlob_open(), 0);
	assert_true(tlob_enabled());
	tlob_close();
	tlob_close();
	assert_false(tlob_enabled());
	assert_int_equal(k.closes, 1);
}

TEST_WITH(begin_and_end, fresh, NULL)
{
	struct tlob_task_window_wait wait = { .wait.ns = 0 };
	struct tlob_task_window w = { 0 };

	assert_int_equal(tlob_open(), 0);
	errno = E2BIG;
	assert_int_equal(tlob_begin(123456, 7), 0);
	assert_int_equal(k.start.threshold_ns, 123456);
	assert_int_equal(k.start.tag, 7);
	assert_int_equal(k.start.notify_fd, -1);
	assert_int_equal(k.start.flags, 0);
	assert_int_equal(tlob_end(), 0);
	k.errno_of_stop = EOVERFLOW;
	assert_int_equal(tlob_end(), 1);
	assert_int_equal(tlob_end_window(&w), 1);
	assert_int_equal(w.tag, 42);
	assert_int_equal(tlob_end_wait(&wait), 1);
	assert_int_equal(wait.window.tag, 42);
	assert_int_equal(wait.wait.ns, 43);
	k.errno_of_stop = ESRCH;
	assert_int_equal(tlob_end(), -ESRCH);
	k.errno_of_start = EEXIST;
	assert_int_equal(tlob_begin(1000, 0), -EEXIST);
	assert_int_equal(errno, E2BIG);
	tlob_close();
}

/* While the bit is 0 there is no system call. */
TEST_WITH(off, fresh, NULL)
{
	assert_int_equal(tlob_open(), 0);
	*k.word = 0;
	assert_false(tlob_enabled());
	assert_int_equal(tlob_begin(1000, 0), -ENODEV);
	assert_int_equal(tlob_end(), -ENODEV);
	assert_int_equal(k.starts + k.stops, 0);
	*k.word = 1;
	assert_int_equal(tlob_begin(1000, 0), 0);
	assert_int_equal(k.starts, 1);
	tlob_close();
}

TEST_WITH(calls_nest, fresh, NULL)
{
	assert_int_equal(tlob_open(), 0);
	assert_int_equal(tlob_open(), 0);
	assert_int_equal(k.opens, 1);
	tlob_close();
	assert_true(tlob_enabled());
	tlob_close();
	assert_false(tlob_enabled());
	assert_null(k.word);
	assert_int_equal(k.closes, 1);
}

TEST_WITH(register_fails, fresh, NULL)
{
	k.errno_of_register = ENOSPC;
	assert_int_equal(tlob_open(), -ENOSPC);
	assert_false(tlob_enabled());
	assert_int_equal(tlob_begin(1000, 0), -ENODEV);
	tlob_close();
	assert_int_equal(k.closes, 1);
}

/* Events go to the library's own file, after the first tlob_events(). */
TEST_WITH(events, fresh, NULL)
{
	assert_int_equal(tlob_open(), 0);
	assert_int_equal(tlob_begin(1000, 0), 0);
	assert_int_equal(k.start.notify_fd, -1);
	assert_int_equal(tlob_events(), FD);
	assert_int_equal(tlob_begin(1000, 0), 0);
	assert_int_equal(k.start.notify_fd, FD);
	tlob_close();
	/* not to a file that is closed */
	assert_int_equal(tlob_open(), 0);
	assert_int_equal(tlob_begin(1000, 0), 0);
	assert_int_equal(k.start.notify_fd, -1);
	tlob_close();
}

/* Each part of a program has its own site, and all share one file. */
TEST_WITH(sites, fresh, NULL)
{
	struct tlob_site other = { 0 };

	assert_int_equal(tlob_open(), 0);
	k.word = NULL;
	assert_int_equal(tlob_site_open(&other), 0);
	assert_ptr_equal(k.word, &other.bits);
	assert_int_equal(k.opens, 1);
	tlob_close();
	assert_int_equal(k.closes, 0);
	assert_false(tlob_enabled());
	assert_int_equal(tlob_site_begin(&other, 1000, 0), 0);
	tlob_site_close(&other);
	assert_int_equal(k.closes, 1);
	assert_int_equal(other.bits, 0);
}

/* Every part whose word is not registered tries again, and learns why it fails. */
TEST_WITH(sites_try_again, fresh, NULL)
{
	struct tlob_site other = { 0 };

	k.device = false;
	assert_int_equal(tlob_open(), -ENOENT);
	assert_int_equal(tlob_site_open(&other), -ENOENT);
	k.device = true;
	assert_int_equal(tlob_open(), 0);
	k.word = NULL;
	/* the first part has opened the device, but that does not register this word */
	k.errno_of_register = ENOSPC;
	assert_int_equal(tlob_site_open(&other), -ENOSPC);
	assert_int_equal(tlob_site_open(&other), -ENOSPC);
	k.errno_of_register = 0;
	assert_int_equal(tlob_site_open(&other), 0);
	assert_ptr_equal(k.word, &other.bits);
	/* once: the fake kernel fails the test if a word is registered before it */
	assert_int_equal(tlob_site_open(&other), 0);
	assert_int_equal(tlob_site_begin(&other, 1000, 0), 0);
	/* and again after the last close */
	while (other.opens)
		tlob_site_close(&other);
	assert_null(k.word);
	assert_int_equal(tlob_site_open(&other), 0);
	assert_ptr_equal(k.word, &other.bits);
	tlob_site_close(&other);
	tlob_close();
	tlob_close();
	assert_int_equal(k.opens, 1);
	assert_int_equal(k.closes, 1);
}

static void *opens(void *arg)
{
	int i;

	for (i = 0; i < 1000; i++) {
		tlob_open();
		tlob_close();
	}
	return NULL;
}

/* A child can open and close, even if its parent's threads did so during the fork. */
TEST_WITH(threads_and_forks, fresh, NULL)
{
	pthread_t thread[4];
	int i, status;
	pid_t pid;

	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, opens, NULL), 0);
	for (i = 0; i < 20; i++) {
		pid = fork();
		if (!pid) {
			alarm(600);
			tlob_open();
			tlob_close();
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	assert_int_equal(k.opens, k.closes);
	assert_null(k.word);
}

UNIT_MAIN(NULL, NULL)
