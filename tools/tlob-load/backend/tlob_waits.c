// SPDX-License-Identifier: GPL-2.0
/* Reads the longest waits of windows from the module: run --waits. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/tlob.h"
#include "machine/cpus.h"
#include "machine/knobs.h"
#include "util/error.h"

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
static bool read_more(struct run_wait_files *f)
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
	} while (read_more(f));
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
