// SPDX-License-Identifier: GPL-2.0
/*
 * --dump-tasks with the module. Its event of a violation comes from the budget's timer, on the CPU
 * of the window. A BPF program there notes what runs on each CPU: bpf/tasks.bpf.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "backend/bpf/tasks.h"
#include "backend/bpf_dumps.h"
#include "backend/tlob.h"
#include "machine/bpf_load.h"
#include "machine/cpus.h"
#include "util/error.h"

struct tlob_tasks {
	const struct cpus *cpus;	/* of the run */
	struct bpf_object *object;
	struct bpf_link *link[2];	/* one for each program */
	struct ring_buffer *ring;	/* of all CPUs; it is sorted into @dumps */
	struct bpf_dumps dumps;
};

extern const char tlob_tasks_object[], tlob_tasks_object_end[];
BPF_EMBED(tlob_tasks_object, TLOB_TASKS_OBJECT);

/* A record of the ring. Violations that no run of ours has are other CPUs'. */
static int take(void *data, void *record, size_t size)
{
	const struct tlob_module_tasks *from = record;
	struct tlob_tasks *t = data;
	size_t i;

	(void)size;
	for (i = 0; i < t->cpus->n; i++)
		if ((uint64_t)t->cpus->list[i] == from->cpu)
			bpf_dumps_put(&t->dumps, i, &from->tasks);
	return 0;
}

static int attach(struct tlob_tasks *t)
{
	struct bpf_program *p;
	size_t n = 0;
	long err = 0;

	bpf_object__for_each_program(p, t->object) {
		struct bpf_link *link = bpf_program__attach(p);

		err = libbpf_get_error(link);
		if (err)
			break;
		t->link[n++] = link;
	}
	return (int)err;
}

static int load(struct tlob_tasks *t)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "tlob_tasks");
	size_t size = (size_t)(tlob_tasks_object_end - tlob_tasks_object);
	unsigned int tries = 0;
	int err;

	bpf_load_quietly();
	do {
		bpf_object__close(t->object);
		t->object = bpf_object__open_mem(tlob_tasks_object, size, &opts);
		err = t->object ? bpf_object__load(t->object) : -errno;
	} while (bpf_load_interrupted(err, &tries));
	if (!err)
		err = attach(t);
	if (err)
		return bpf_load_failed(err);
	t->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(t->object, "dumps"), take, t, NULL);
	return t->ring ? 0 : fail(-errno, "cannot read the tasks: %s", strerror(errno));
}

int tlob_tasks_open(struct backend_run *b)
{
	struct tlob_tasks *t;
	char why[256];
	int err;

	if (bpf_load_probe(why, sizeof(why)))
		return fail(-EOPNOTSUPP, "--dump-tasks needs BPF: %s", why);
	t = calloc(1, sizeof(*t));
	if (!t)
		return fail(-ENOMEM, "out of memory");
	t->cpus = b->cpus;
	tlob_of(b)->tasks = t;
	err = bpf_dumps_begin(&t->dumps, b->cpus->n);
	return err ? err : load(t);
}

void tlob_tasks_close(struct backend_run *b)
{
	struct tlob_tasks *t = tlob_of(b)->tasks;
	size_t i;

	if (!t)
		return;
	for (i = 0; i < sizeof(t->link) / sizeof(t->link[0]); i++)
		bpf_link__destroy(t->link[i]);
	ring_buffer__free(t->ring);
	bpf_object__close(t->object);
	bpf_dumps_end(&t->dumps);
	free(t);
	tlob_of(b)->tasks = NULL;
}

/* The timer wrote them before the window had its record. */
size_t tlob_tasks_find(struct backend_run *b, size_t i, const struct tlob_window *w,
		       struct window_task to[WINDOW_TASKS])
{
	struct tlob_tasks *t = tlob_of(b)->tasks;

	ring_buffer__consume(t->ring);
	return bpf_dumps_find(&t->dumps, i, b->cpus->list[i], w, to);
}
