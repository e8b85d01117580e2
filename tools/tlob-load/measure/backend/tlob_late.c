// SPDX-License-Identifier: GPL-2.0
/* The module's late windows and their stacks: per_cpu/cpuN/late_windows. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/late_names.h"
#include "backend/tlob.h"
#include "machine/cpus.h"
#include "util/error.h"

#define READ_RECORDS	8

/* Those of a CPU that were read, in their order. */
struct late_file {
	int	 fd;			/* -1: none */
	size_t	 n, next;
	struct tlob_late_window at[READ_RECORDS];
};

struct tlob_lates {
	struct late_names names;
	struct late_file cpu[];
};

int tlob_late_begin(struct backend_run *b)
{
	struct tlob_lates *l;
	size_t i;

	l = calloc(1, sizeof(*l) + b->cpus->n * sizeof(l->cpu[0]));
	if (!l)
		return fail(-ENOMEM, "out of memory");
	tlob_of(b)->lates = l;
	for (i = 0; i < b->cpus->n; i++)
		l->cpu[i].fd = -1;
	return late_names_begin(&l->names);
}

int tlob_late_open(struct backend_run *b)
{
	struct late_file *f;
	char *path;
	size_t i;
	int err = 0;

	for (i = 0; i < b->cpus->n && !err; i++) {
		f = &tlob_of(b)->lates->cpu[i];
		path = control_path(&tlob_of(b)->control, b->cpus->list[i], "late_windows");
		if (!path)
			return fail(-ENOMEM, "out of memory");
		f->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (f->fd < 0)
			err = fail(-errno, "%s: %s", path, errno == EBUSY ?
				   "another process reads it" : strerror(errno));
		free(path);
	}
	return err;
}

/* Reads the next ones. False: none is there. */
static bool read_more(struct late_file *f)
{
	ssize_t got;

	do {
		got = read(f->fd, f->at, sizeof(f->at));
	} while (got < 0 && errno == EINTR);
	f->next = 0;
	f->n = got > 0 ? (size_t)got / sizeof(f->at[0]) : 0;
	return f->n;
}

/* The record of @w, which is in its ring before the window's own; or the next one. */
static const struct tlob_late_window *find(struct late_file *f, const struct tlob_window *w)
{
	const struct tlob_late_window *at;

	do {
		for (; f->next < f->n; f->next++) {
			at = &f->at[f->next];
			if (!w || at->window.activation == w->activation)
				return at;
			if (at->window.activation > w->activation)
				return NULL;
		}
	} while (read_more(f));
	return NULL;
}

int tlob_late_find(struct backend_run *b, size_t i, const struct tlob_window *w,
		   uint64_t usual_ns, struct late_window *to)
{
	struct tlob_lates *l = tlob_of(b)->lates;
	const struct tlob_late_window *found = find(&l->cpu[i], w);
	int err;

	if (!found)
		return 0;
	err = late_names_find(&l->names, b, &found->window, &found->late, usual_ns, to);
	l->cpu[i].next++;
	return err ? err : 1;
}

void tlob_late_close(struct backend_run *b)
{
	struct tlob_lates *l = tlob_of(b)->lates;
	size_t i;

	if (!l)
		return;
	for (i = 0; i < b->cpus->n; i++)
		if (l->cpu[i].fd >= 0)
			close(l->cpu[i].fd);
	late_names_end(&l->names);
	free(l);
	tlob_of(b)->lates = NULL;
}
