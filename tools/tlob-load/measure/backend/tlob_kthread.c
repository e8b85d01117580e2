// SPDX-License-Identifier: GPL-2.0
/*
 * The main thread's reading from the module: records and histograms of kernel threads,
 * and the timelines and longest waits of all.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/status.h"
#include "backend/tlob.h"
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
		return fail(-EPROTO, "CPU %d: records of another version: the module does not match this tool",
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

#define READ_TIMELINES	32

/* Those of a CPU that were read, in the order of their windows. */
struct timelines {
	int	 fd;			/* -1: none */
	size_t	 n, next;
	struct tlob_timeline at[READ_TIMELINES];
};

int tlob_timelines_open(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);
	char *path;
	size_t i;
	int err = 0;

	tlob->timelines = calloc(b->cpus->n, sizeof(*tlob->timelines));
	if (!tlob->timelines)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < b->cpus->n; i++)
		tlob->timelines[i].fd = -1;
	for (i = 0; i < b->cpus->n && !err; i++) {
		path = control_path(&tlob->control, b->cpus->list[i], "timelines");
		if (!path)
			return fail(-ENOMEM, "out of memory");
		tlob->timelines[i].fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (tlob->timelines[i].fd < 0)
			err = fail(-errno, "%s: %s", path, errno == EBUSY ?
				   "another process reads it" : strerror(errno));
		free(path);
	}
	return err;
}

/* Reads the next ones. False: none is there. */
static bool read_more(struct timelines *t)
{
	ssize_t got;

	do {
		got = read(t->fd, t->at, sizeof(t->at));
	} while (got < 0 && errno == EINTR);
	t->next = 0;
	t->n = got > 0 ? (size_t)got / sizeof(t->at[0]) : 0;
	return t->n;
}

/*
 * A timeline is in its ring before the record of its window. So if the next one is of a
 * later window, or if there is none, this window's was dropped.
 */
const struct tlob_timeline *tlob_timelines_find(struct backend_run *b, size_t i,
						const struct tlob_window *w)
{
	struct timelines *t = &tlob_of(b)->timelines[i];

	do {
		for (; t->next < t->n; t->next++)
			if (t->at[t->next].activation >= w->activation)
				return t->at[t->next].activation == w->activation ?
				       &t->at[t->next] : NULL;
	} while (read_more(t));
	return NULL;
}

void tlob_timelines_close(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);
	size_t i;

	for (i = 0; tlob->timelines && i < b->cpus->n; i++)
		if (tlob->timelines[i].fd >= 0)
			close(tlob->timelines[i].fd);
	free(tlob->timelines);
	tlob->timelines = NULL;
}

#define READ_WAITS	64

/* Those of a CPU that were read, in the order of their windows. */
struct run_wait_files {
	int	 fd;			/* -1: none */
	size_t	 n, next;
	struct tlob_run_wait at[READ_WAITS];
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

static int open_one(struct backend_run *b, size_t i)
{
	char *path = control_path(&tlob_of(b)->control, b->cpus->list[i], "longest_waits");
	int fd, err = 0;

	if (!path)
		return fail(-ENOMEM, "out of memory");
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		err = fail(-errno, "%s: %s", path, errno == EBUSY ?
			   "another process reads it" : strerror(errno));
	tlob_of(b)->waits[i].fd = fd;
	free(path);
	return err;
}

int tlob_waits_open(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);
	size_t i;
	int err = 0;

	tlob->waits = calloc(b->cpus->n, sizeof(*tlob->waits));
	if (!tlob->waits)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < b->cpus->n; i++)
		tlob->waits[i].fd = -1;
	for (i = 0; i < b->cpus->n && !err; i++)
		err = open_one(b, i);
	return err;
}

/* Reads the next ones. False: none is there. */
static bool read_more_waits(struct run_wait_files *f)
{
	ssize_t got;

	do {
		got = read(f->fd, f->at, sizeof(f->at));
	} while (got < 0 && errno == EINTR);
	f->next = 0;
	f->n = got > 0 ? (size_t)got / sizeof(f->at[0]) : 0;
	return f->n;
}

/* A wait is in its ring before the record of its window, as a timeline is. */
const struct tlob_window_wait *tlob_waits_find(struct backend_run *b, size_t i,
					       const struct tlob_window *w)
{
	struct run_wait_files *f = &tlob_of(b)->waits[i];

	do {
		for (; f->next < f->n; f->next++)
			if (f->at[f->next].activation >= w->activation)
				return f->at[f->next].activation == w->activation ?
				       &f->at[f->next].wait : NULL;
	} while (read_more_waits(f));
	return NULL;
}

void tlob_waits_close(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);
	size_t i;

	for (i = 0; tlob->waits && i < b->cpus->n; i++)
		if (tlob->waits[i].fd >= 0)
			close(tlob->waits[i].fd);
	free(tlob->waits);
	tlob->waits = NULL;
}
