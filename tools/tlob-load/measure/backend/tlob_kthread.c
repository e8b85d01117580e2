// SPDX-License-Identifier: GPL-2.0
/*
 * The main thread's reading from the module: records and histograms of kernel threads,
 * and the timelines, longest waits and late windows of all.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/status.h"
#include "backend/tlob.h"
#include "backend/tlob_rings.h"
#include "machine/cpus.h"
#include "machine/knobs.h"
#include "util/error.h"
#include "util/file.h"

static int kthread_open(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);
	char *path;
	size_t i;
	int err = 0;

	tlob->fd = malloc(b->cpus->n * sizeof(*tlob->fd));
	if (!tlob->fd)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < b->cpus->n; i++)
		tlob->fd[i] = -1;
	for (i = 0; i < b->cpus->n && !err; i++) {
		path = control_path(&tlob->control, b->cpus->list[i], "windows");
		if (!path)
			return fail(-ENOMEM, "out of memory");
		tlob->fd[i] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (tlob->fd[i] < 0)
			err = fail(-errno, "%s: %s", path, errno == EBUSY ?
				   "another process reads it" : strerror(errno));
		free(path);
	}
	return err;
}

static int kthread_read(struct backend_run *b, size_t i, struct tlob_window *w,
			size_t n)
{
	struct tlob *tlob = tlob_of(b);
	ssize_t got;

	if (tlob->fd[i] < 0)
		return -ENODATA;
	do {
		got = read(tlob->fd[i], w, n * sizeof(*w));
	} while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EAGAIN)
		return 0;
	if (!got) {	/* the run has ended and all records are read */
		close(tlob->fd[i]);
		tlob->fd[i] = -1;
		return -ENODATA;
	}
	if (got < 0)
		return fail(-errno, "CPU %d: windows: %s", b->cpus->list[i],
			    strerror(errno));
	if (got % (ssize_t)sizeof(*w) || w->version != TLOB_WINDOW_VERSION)
		return fail(-EPROTO, "CPU %d: the module's records have another version: load the module that matches this tool",
			    b->cpus->list[i]);
	return (int)(got / (ssize_t)sizeof(*w));
}

static int kthread_hist(struct backend_run *b, size_t i, struct tlob_hist *hist,
			bool running)
{
	char *path, *text;
	int err;

	path = control_path(&tlob_of(b)->control, b->cpus->list[i], "hist");
	if (!path)
		return fail(-ENOMEM, "out of memory");
	err = file_read(path, &text);
	if (err) {
		fail(err, "%s: %s", path, strerror(-err));
	} else {
		err = hist_parse(hist, text, running);
		if (err)
			fail(err, "%s: unknown format: the kernel part does not match this tool",
			     path);
		free(text);
	}
	free(path);
	return err;
}

void tlob_kthread_close(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);
	size_t i;

	for (i = 0; tlob->fd && i < b->cpus->n; i++)
		if (tlob->fd[i] >= 0)
			close(tlob->fd[i]);
	free(tlob->fd);
	tlob->fd = NULL;
}

const struct backend_kthread tlob_kthread = {
	.open = kthread_open,
	.read = kthread_read,
	.hist = kthread_hist,
};

/* A knob, so that a killed run switches it off. */
int tlob_waits_on(struct backend_run *b)
{
	const struct control *c = &tlob_of(b)->control;
	char *path = control_path(c, -1, "waits");
	int err;

	if (!path)
		return fail(-ENOMEM, "out of memory");
	err = knobs_set(b->knobs, path, "on windows", "off");
	free(path);
	return err ? control_error(c, "waits", "on windows", err) : 0;
}

const struct tlob_timeline *tlob_timelines_find(struct backend_run *b, size_t i,
						const struct tlob_window *w)
{
	return tlob_rings_find(tlob_of(b)->timelines, i, w);
}

const struct tlob_window_wait *tlob_waits_find(struct backend_run *b, size_t i,
					       const struct tlob_window *w)
{
	const struct tlob_run_wait *r = tlob_rings_find(tlob_of(b)->waits, i, w);

	return r ? &r->wait : NULL;
}

bool tlob_late_next(struct backend_run *b, size_t i, struct late_window *to)
{
	const struct tlob_late_window *l = tlob_rings_next(tlob_of(b)->late, i);

	if (l)
		*to = (struct late_window){ .w = l->window, .stacks = l->late };
	return l;
}
