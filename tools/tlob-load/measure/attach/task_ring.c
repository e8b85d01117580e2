// SPDX-License-Identifier: GPL-2.0
/* Mapping and draining the ring of /dev/tlob. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/task_ring.h"
#include "util/error.h"

#define DEVICE		"/dev/tlob"
#define NO_MATCH	"the kernel part does not match this tool"

static int device_open(void)
{
	int fd = open(DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	switch (errno) {
	case ENOENT:
		return fail(-EOPNOTSUPP, DEVICE " does not exist, though the module is loaded: is it of this version, and does udev or devtmpfs manage /dev?");
	case ENODEV:
	case ENXIO:
		return fail(-EOPNOTSUPP, DEVICE " has no device behind it: is the module loaded?");
	case EACCES:
	case EPERM:
		return fail(-EACCES, DEVICE ": permission denied: run as root");
	default:
		return fail(-errno, DEVICE ": %s", strerror(errno));
	}
}

static int device_map(struct task_ring *r)
{
	static const size_t sizes[] = {
		[TLOB_FORMAT_WINDOW] = sizeof(struct tlob_task_window),
		[TLOB_FORMAT_WAIT] = sizeof(struct tlob_task_window_wait),
		[TLOB_FORMAT_FUNCTIONS] = sizeof(struct tlob_task_window_functions),
	};
	struct tlob_ring_setup setup = { .format = r->format };
	void *map;

	r->record_size = sizes[r->format];
	if (ioctl(r->fd, TLOB_IOC_RING, &setup))
		return fail(-errno, DEVICE ": %s", errno == ENOTTY ||
			    errno == EINVAL ? NO_MATCH : strerror(errno));
	map = mmap(NULL, setup.length, PROT_READ | PROT_WRITE, MAP_SHARED,
		   r->fd, 0);
	if (map == MAP_FAILED)
		return fail(-errno, DEVICE ": mmap: %s", strerror(errno));
	r->page = map;
	r->length = setup.length;
	if (r->page->version != TLOB_EVENT_VERSION ||
	    r->page->record_size != r->record_size)
		return fail(-EPROTO, DEVICE ": records of another version: " NO_MATCH);
	return 0;
}

int task_ring_open(struct task_ring *r, enum tlob_format format)
{
	int err;

	*r = (struct task_ring){ .fd = device_open(), .format = format };
	err = r->fd < 0 ? r->fd : device_map(r);
	if (err)
		task_ring_close(r);
	return err;
}

void task_ring_close(struct task_ring *r)
{
	if (r->page)
		munmap(r->page, r->length);
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct task_ring){ .fd = -1 };
}

int task_ring_listen(const struct task_ring *r, const char *name)
{
	struct tlob_listen listen = { .flags = TLOB_START_EVERY };

	snprintf(listen.name, sizeof(listen.name), "%s", name);
	if (!ioctl(r->fd, TLOB_IOC_LISTEN, &listen))
		return 0;
	switch (errno) {
	case EPERM:
		return fail(-EACCES, DEVICE ": listening to a binding needs CAP_SYS_ADMIN: run as root");
	case ENOTTY:
		return fail(-EPROTO, DEVICE ": " NO_MATCH);
	case ENOENT:
		return fail(-ENOENT, "another process removed the binding %s",
			    name);
	default:
		return fail(-errno, DEVICE ": listening to %s: %s", name,
			    strerror(errno));
	}
}

int task_ring_drain(struct task_ring *r,
		    void (*take)(void *data, const union task_record *record),
		    void *data)
{
	const char *records = (const char *)r->page + r->page->data_offset;
	union task_record w;
	uint32_t head, tail = r->page->data_tail;

	memset(&w, 0, sizeof(w));
	/* Pairs with the kernel's release: records before head are complete. */
	head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	while (tail != head) {
		memcpy(&w, records + (tail % r->page->capacity) * r->record_size,
		       r->record_size);
		if (w.f.window.version != TLOB_EVENT_VERSION)
			return fail(-EPROTO, DEVICE ": a record of another version: " NO_MATCH);
		take(data, &w);
		/* Gives the slot back to the kernel. */
		__atomic_store_n(&r->page->data_tail, ++tail, __ATOMIC_RELEASE);
	}
	return 0;
}

uint64_t task_ring_dropped(const struct task_ring *r)
{
	return __atomic_load_n(&r->page->dropped, __ATOMIC_RELAXED);
}
