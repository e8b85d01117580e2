// SPDX-License-Identifier: LGPL-2.1
/*
 * libtlob: all parts of a process share one open /dev/tlob, and each part has its
 * own registered word. tlob_lock protects opening and closing. Begin and end take
 * no lock, allocate nothing and make one system call, or two with markers.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "markers.h"
#include "tlob.h"

#define DEVICE	"/dev/tlob"

static pthread_mutex_t tlob_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int sites;	/* open ones */
static int device = -1;
static int notify = -1;		/* fd for events: @device, or -1 for none */

static void lock(void)
{
	pthread_mutex_lock(&tlob_lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&tlob_lock);
}

/* Keeps other threads out of the lock during a fork, so the child finds it free. */
__attribute__((constructor)) static void before_main(void)
{
	pthread_atfork(lock, unlock, unlock);
}

static int site_ioctl(unsigned long cmd, const struct tlob_site *site)
{
	struct tlob_enable e = {
		.addr = (uintptr_t)&site->bits,
		.bit = TLOB_BIT_MONITOR,
	};

	return ioctl(device, cmd, &e) ? -errno : 0;
}

/*
 * A child inherits the registered words, and @registered with its memory. No fork comes
 * between the two changes: the lock is held.
 */
static int site_register(struct tlob_site *site)
{
	int err;

	if (device < 0)
		device = open(DEVICE, O_RDWR | O_CLOEXEC);
	err = device < 0 ? -errno : site_ioctl(TLOB_IOC_REGISTER, site);
	site->registered = !err;
	return err;
}

int tlob_site_open(struct tlob_site *site)
{
	int err = 0, saved = errno;

	lock();
	if (!site->opens++) {
		sites++;
		tlob_markers_open(&site->bits);
	}
	/* An open device may be another part's: it does not say that this word is registered. */
	if (!site->registered)
		err = site_register(site);
	unlock();
	errno = saved;
	return err;
}

static void release(void)
{
	tlob_markers_release();
	if (device >= 0)
		close(device);
	device = -1;
	notify = -1;
}

void tlob_site_close(struct tlob_site *site)
{
	int saved = errno;

	lock();
	if (site->opens && !--site->opens) {
		if (site->registered)
			site_ioctl(TLOB_IOC_UNREGISTER, site);
		site->registered = 0;
		tlob_markers_close(&site->bits);
		/* For a child that could not take over its parent's registration. */
		__atomic_store_n(&site->bits, 0, __ATOMIC_RELAXED);
		if (!--sites)
			release();
	}
	unlock();
	errno = saved;
}

static bool is_set(const struct tlob_site *site, unsigned int bit)
{
	return __atomic_load_n(&site->bits, __ATOMIC_RELAXED) & (1U << bit);
}

int tlob_site_begin(struct tlob_site *site, uint64_t budget_ns, uint64_t tag)
{
	struct tlob_start_ns start = {
		.threshold_ns = budget_ns,
		.tag = tag,
		.notify_fd = __atomic_load_n(&notify, __ATOMIC_RELAXED),
	};
	int err = -ENODEV, saved = errno;

	if (is_set(site, TLOB_BIT_START))
		tlob_marker_start(budget_ns, tag);
	if (is_set(site, TLOB_BIT_MONITOR))
		err = ioctl(device, TLOB_IOC_START_NS, &start) ? -errno : 0;
	errno = saved;
	return err;
}

static int window_end(unsigned long cmd, void *record)
{
	if (!ioctl(device, cmd, record))
		return 0;
	return errno == EOVERFLOW ? 1 : -errno;
}

static int site_end(struct tlob_site *site, unsigned long cmd, void *record)
{
	int result = -ENODEV, saved = errno;

	if (is_set(site, TLOB_BIT_MONITOR))
		result = window_end(cmd, record);
	if (is_set(site, TLOB_BIT_STOP))
		tlob_marker_stop(result);
	errno = saved;
	return result;
}

int tlob_site_end(struct tlob_site *site, struct tlob_task_window *w)
{
	return site_end(site, w ? TLOB_IOC_STOP_NS : TLOB_IOC_TRACE_STOP, w);
}

int tlob_site_end_wait(struct tlob_site *site, struct tlob_task_window_wait *w)
{
	return site_end(site, TLOB_IOC_STOP_WAIT, w);
}

int tlob_events(void)
{
	struct tlob_ring_setup setup = { .format = TLOB_FORMAT_EVENT };
	int err = -ENODEV, saved = errno;

	lock();
	if (device >= 0)
		err = ioctl(device, TLOB_IOC_RING, &setup) ? -errno : device;
	if (err >= 0)
		__atomic_store_n(&notify, device, __ATOMIC_RELAXED);
	unlock();
	errno = saved;
	return err;
}

int tlob_read(struct tlob_event *event, size_t n)
{
	int saved = errno;
	ssize_t size = -1;

	if (device < 0)
		return -ENODEV;
	size = read(device, event, n * sizeof(*event));
	if (size < 0)
		size = -errno;
	else
		size /= sizeof(*event);
	errno = saved;
	return size;
}
