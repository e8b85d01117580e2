// SPDX-License-Identifier: GPL-2.0
/* A user thread's windows: read() and ioctl() on its tlob_fd. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/tlob.h"
#include "util/error.h"

struct tlob_thread {
	char	*path;			/* of its tlob_fd */
	int	 fd;
	struct tlob_fd_page *page;	/* MAP_FAILED: not mapped */
};

int tlob_thread_open(struct backend_thread *t)
{
	struct tlob_thread *own = calloc(1, sizeof(*own));
	int err;

	if (!own)
		return fail(-ENOMEM, "CPU %d: out of memory", t->cpu);
	t->data = own;
	own->fd = -1;
	own->page = MAP_FAILED;
	own->path = control_path(&tlob_of(t->run)->control, t->cpu, "tlob_fd");
	if (!own->path)
		return fail(-ENOMEM, "CPU %d: out of memory", t->cpu);
	own->fd = open(own->path, O_RDONLY | O_CLOEXEC);
	if (own->fd < 0) {
		err = -errno;
		/* the run may have ended by a violation before this thread began */
		if (err == -ENODEV)
			return err;
		return fail(err, "%s: %s", own->path, err == -EBUSY ?
			    "another process measures this CPU" : strerror(-err));
	}
	own->page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED,
			 own->fd, 0);
	if (own->page == MAP_FAILED)
		return fail(-errno, "%s: mmap: %s", own->path, strerror(errno));
	t->interference = (const volatile uint64_t *)&own->page->interference;
	return 0;
}

static int failed(const struct backend_thread *t, int err)
{
	const struct tlob_thread *own = t->data;

	switch (err) {
	case -EXDEV:
		return fail(err, "CPU %d: the thread was migrated: another process changed its affinity",
			    t->cpu);
	case -EPROTO:
		return fail(err, "CPU %d: the module's records have another version: load the module that matches this tool",
			    t->cpu);
	}
	return fail(err, "CPU %d: %s: %s", t->cpu, own->path, strerror(-err));
}

int tlob_thread_next(struct backend_thread *t, struct tlob_window *w)
{
	const struct tlob_thread *own = t->data;
	ssize_t n;

	do {	/* EINTR does not end the window: the same sleep continues */
		n = read(own->fd, w, sizeof(*w));
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno == ENODEV) {
		w->flags = TLOB_WINDOW_NONE;
		return 0;
	}
	if (n < 0)
		return failed(t, -errno);
	if (n != sizeof(*w) || w->version != TLOB_WINDOW_VERSION)
		return failed(t, -EPROTO);
	return !(w->flags & TLOB_WINDOW_LAST);
}

int tlob_thread_last(struct backend_thread *t, struct tlob_window *w)
{
	const struct tlob_thread *own = t->data;
	int ret;

	if (!ioctl(own->fd, TLOB_IOC_STOP, w) || errno == EOVERFLOW)
		return 0;
	if (errno != ENODEV)
		return failed(t, -errno);
	/* The run ended first, and read() still has its last record. */
	ret = tlob_thread_next(t, w);
	return ret < 0 ? ret : 0;
}

void tlob_thread_close(struct backend_thread *t)
{
	struct tlob_thread *own = t->data;

	if (!own)
		return;
	if (own->page != MAP_FAILED)
		munmap(own->page, (size_t)sysconf(_SC_PAGESIZE));
	if (own->fd >= 0)
		close(own->fd);
	free(own->path);
	free(own);
	t->data = NULL;
}
