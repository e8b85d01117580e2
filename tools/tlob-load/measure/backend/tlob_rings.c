// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/tlob.h"
#include "backend/tlob_rings.h"
#include "machine/cpus.h"
#include "util/error.h"

#define READ_BYTES	65536

/* What every record begins with. */
struct head {
	__u16	version, size;
	__u32	cpu;
	__u64	activation;
};

#define BEGINS_WITH_HEAD(type)						\
	_Static_assert(offsetof(struct type, activation) ==		\
		       offsetof(struct head, activation), #type)
BEGINS_WITH_HEAD(tlob_timeline);
BEGINS_WITH_HEAD(tlob_run_wait);
BEGINS_WITH_HEAD(tlob_functions);
BEGINS_WITH_HEAD(tlob_window);
_Static_assert(!offsetof(struct tlob_late_window, window), "likewise");

/* The records of a CPU that were read, in the order of their windows. */
struct ring {
	int	 fd;			/* -1: none */
	uint64_t empty;			/* the batch of windows in hand when no record was left */
	size_t	 n, next;
	char	*at;
};

struct tlob_rings {
	const struct backend_run *run;
	size_t	 size;			/* of a record */
	size_t	 ncpus;
	struct ring cpu[];
};

static int open_one(const struct backend_run *b, size_t i, const char *file, struct ring *r)
{
	char *path = control_path(&tlob_of(b)->control, b->cpus->list[i], file);
	int err = 0;

	r->at = malloc(READ_BYTES);
	if (!path || !r->at) {
		free(path);
		return fail(-ENOMEM, "out of memory");
	}
	r->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (r->fd < 0)
		err = fail(-errno, "%s: %s", path, errno == EBUSY ?
			   "another process reads it" : strerror(errno));
	free(path);
	return err;
}

int tlob_rings_open(struct tlob_rings **r, const struct backend_run *b, const char *file,
		    size_t size)
{
	size_t i;
	int err = 0;

	*r = calloc(1, sizeof(**r) + b->cpus->n * sizeof((*r)->cpu[0]));
	if (!*r)
		return fail(-ENOMEM, "out of memory");
	(*r)->run = b;
	(*r)->size = size;
	(*r)->ncpus = b->cpus->n;
	for (i = 0; i < b->cpus->n; i++)
		(*r)->cpu[i] = (struct ring){ .fd = -1, .empty = UINT64_MAX };
	for (i = 0; i < b->cpus->n && !err; i++)
		err = open_one(b, i, file, &(*r)->cpu[i]);
	return err;
}

void tlob_rings_close(struct tlob_rings *r)
{
	size_t i;

	for (i = 0; r && i < r->ncpus; i++) {
		if (r->cpu[i].fd >= 0)
			close(r->cpu[i].fd);
		free(r->cpu[i].at);
	}
	free(r);
}

/* The oldest record that was not taken, which may have to be read. NULL: none is there. */
static const struct head *oldest(const struct tlob_rings *r, struct ring *of)
{
	ssize_t got;

	if (of->next == of->n) {
		do {
			got = read(of->fd, of->at, READ_BYTES);
		} while (got < 0 && errno == EINTR);
		of->next = 0;
		of->n = got > 0 ? (size_t)got / r->size : 0;
		if (!of->n)
			of->empty = r->run->batch;
	}
	return of->next < of->n ? (const void *)(of->at + of->next * r->size) : NULL;
}

const void *tlob_rings_find(struct tlob_rings *r, size_t i, const struct tlob_window *w)
{
	struct ring *of = &r->cpu[i];
	const struct head *at;

	/* the records of windows in hand were there before, so another read() finds none of them */
	if (of->next == of->n && of->empty == r->run->batch)
		return NULL;
	for (;;) {
		at = oldest(r, of);
		if (!at || at->activation >= w->activation)
			break;
		of->next++;
	}
	return at && at->activation == w->activation ? at : NULL;
}

const void *tlob_rings_next(struct tlob_rings *r, size_t i)
{
	const void *at = oldest(r, &r->cpu[i]);

	r->cpu[i].next += !!at;
	return at;
}
