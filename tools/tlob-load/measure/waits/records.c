// SPDX-License-Identifier: GPL-2.0
/* Reads the file waits_records: docs/reference/kernel-interface.md. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/array.h"
#include "util/error.h"
#include "waits/records.h"
#include "waitstack.h"

#define BUFFER	(256U << 10)

int wait_records_open(struct wait_records *r, const struct control *c)
{
	char *path = control_path(c, -1, "waits_records");
	int err = 0;

	r->buffer = malloc(BUFFER);
	if (!path || !r->buffer) {
		err = fail(-ENOMEM, "out of memory");
	} else {
		r->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (r->fd < 0 && errno == EBUSY)
			err = fail(-EBUSY, "%s is in use: another tlob-load waits is running", path);
		else if (r->fd < 0 && errno == ENOENT)
			err = control_missing(c, "waits_records");
		else if (r->fd < 0)
			err = fail(-errno, "%s: %s", path, strerror(errno));
	}
	free(path);
	return err;
}

void wait_records_clear(struct wait_records *r)
{
	while (r->nchain)
		attach_wait_clear(&r->chain[--r->nchain].wait);
	r->ntask = 0;
	r->nstack = 0;
}

void wait_records_close(struct wait_records *r)
{
	if (r->fd >= 0)
		close(r->fd);
	wait_records_clear(r);
	free(r->buffer);
	free(r->task);
	free(r->stack);
	free(r->chain);
	*r = (struct wait_records)WAIT_RECORDS_NONE;
}

int wait_records_add_task(struct wait_records *r, const struct tlob_wait_task *task)
{
	struct tlob_wait_task *to = array_add(r->task, r->ntask, r->task_room);

	if (!to)
		return -ENOMEM;
	memcpy(to, task, sizeof(*to));
	r->ntask++;
	return 0;
}

int wait_records_add_stack(struct wait_records *r, const struct tlob_wait_stack *stack)
{
	struct tlob_wait_stack *to = array_add(r->stack, r->nstack, r->stack_room);

	if (!to)
		return -ENOMEM;
	memcpy(to, stack, sizeof(*to));
	r->nstack++;
	return 0;
}

int wait_records_add_chain(struct wait_records *r, const struct wait_chain *chain)
{
	struct wait_chain *to = array_add(r->chain, r->nchain, r->chain_room);
	size_t n = chain->wait.nchain;

	if (!to)
		return -ENOMEM;
	*to = *chain;
	to->wait.chain = malloc(n * sizeof(*to->wait.chain));
	if (!to->wait.chain)
		return -ENOMEM;
	memcpy(to->wait.chain, chain->wait.chain, n * sizeof(*to->wait.chain));
	r->nchain++;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct tlob_wait_task *l = a, *r = b;

	return l->id < r->id ? -1 : l->id > r->id;
}

/* Tasks are in the order of their exit, and the oldest one may exit last. So each id is looked up. */
static bool is_among(const struct wait_records *r, size_t n, uint64_t task)
{
	size_t at = array_first(k, n, r->task[k].id >= task);

	return at < n && r->task[at].id == task;
}

void wait_records_evict(struct wait_records *r, size_t n, struct tlob_wait_task *others)
{
	size_t i, kept = 0;

	qsort(r->task, n, sizeof(*r->task), by_id);
	for (i = 0; i < r->nstack; i++)
		if (!is_among(r, n, r->stack[i].task))
			r->stack[kept++] = r->stack[i];
	r->nstack = kept;
	for (i = kept = 0; i < r->nchain; i++) {
		if (is_among(r, n, r->chain[i].task))
			attach_wait_clear(&r->chain[i].wait);
		else
			r->chain[kept++] = r->chain[i];
	}
	r->nchain = kept;
	for (i = 0; i < n; i++) {
		tlob_wait_total_merge(&others->blocked, &r->task[i].blocked);
		tlob_wait_total_merge(&others->runnable, &r->task[i].runnable);
	}
	r->ntask -= n;
	memmove(r->task, r->task + n, r->ntask * sizeof(*r->task));
}

/* Takes the record at @at. @left bytes were read from there on. Returns its size or -errno. */
static ssize_t take_record(struct wait_records *r, const void *at, size_t left,
			   wait_copy_taker take, void *arg)
{
	static const size_t sizes[] = {
		[TLOB_WAIT_STATUS] = sizeof(struct tlob_wait_status),
		[TLOB_WAIT_TASK] = sizeof(struct tlob_wait_task),
		[TLOB_WAIT_STACK] = sizeof(struct tlob_wait_stack),
		[TLOB_WAIT_COPY] = sizeof(struct tlob_wait_copy),
	};
	struct { __u16 type, size; } head;
	int err = 0;

	if (left < sizeof(head))
		return -EPROTO;
	memcpy(&head, at, sizeof(head));
	if (!head.type || head.type > TLOB_WAIT_COPY || head.size != sizes[head.type] ||
	    head.size > left)
		return -EPROTO;
	switch (head.type) {
	case TLOB_WAIT_STATUS:
		memcpy(&r->status, at, sizeof(r->status));
		break;
	case TLOB_WAIT_TASK:
		err = wait_records_add_task(r, at);
		break;
	case TLOB_WAIT_STACK:
		err = wait_records_add_stack(r, at);
		break;
	case TLOB_WAIT_COPY:
		take(arg, at);
		break;
	}
	return err ? err : head.size;
}

static int take_records(struct wait_records *r, size_t n, wait_copy_taker take, void *arg)
{
	size_t at = 0;
	ssize_t size;

	while (at < n) {
		size = take_record(r, (char *)r->buffer + at, n - at, take, arg);
		if (size < 0)
			return (int)size;
		at += size;
	}
	return 0;
}

int wait_records_take(struct wait_records *r, wait_copy_taker take, void *arg)
{
	ssize_t n;
	int err = 0;

	while (!err && (n = read(r->fd, r->buffer, BUFFER)) != 0) {
		if (n > 0)
			err = take_records(r, (size_t)n, take, arg);
		else if (errno != EINTR)
			err = -errno;
		/* the copies have been unwound: nothing needs these user stacks any more */
		explicit_bzero(r->buffer, BUFFER);
	}
	if (!err)
		return 0;
	return fail(err, "waits_records: %s", err == -EPROTO ?
		    "records of another version: module and tool do not match" : strerror(-err));
}

int wait_records_read(struct wait_records *r, wait_copy_taker take, void *arg)
{
	wait_records_clear(r);
	if (lseek(r->fd, 0, SEEK_SET))
		return fail(-errno, "waits_records: %s", strerror(errno));
	return wait_records_take(r, take, arg);
}
