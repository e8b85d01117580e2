// SPDX-License-Identifier: GPL-2.0
/* The wait profiler and tasks that are not like others: vfork's parent, workers of io_uring. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "waits.h"

#define MS	1000000ULL
#define US	1000ULL

/* The parent waits until its child has called _exit(), and the child shares its stack. */
static void vfork_parent(void)
{
	const struct tlob_wait_stack *s;
	const struct tlob_wait_task *t;
	int fd = records_open();
	unsigned int nr;
	struct waits *w;
	pid_t pid;

	set("waits", "on");
	pid = vfork();
	if (!pid) {
		sleep_ns(waits_ms(6));
		_exit(0);
	}
	check_eq(waitpid(pid, NULL, 0), pid);
	set("waits", "off");
	w = waits_read(fd);
	t = waits_task(w, getpid());
	if (deterministic() && !debug_kernel)
		check(t->blocked.max_ns >= waits_ms(6) && t->blocked.max_ns < waits_ms(7));
	for (s = waits_stacks(w, t->id, &nr); nr; nr--, s++)
		if (s->blocked.max_ns == t->blocked.max_ns)
			break;
	check(nr);
	check_eq(s->waker.kind, TLOB_WAKER_TASK);
	check_eq(s->waker.tid, pid);
	check(s->nr_code);
	/* the child has a sleep of its own, with a stack */
	t = waits_task(w, pid);
	check(waits_stacks(w, t->id, &nr));
	close(fd);
}

/* A ring with one entry, by the system calls themselves. */
static int ring_with_one(const struct io_uring_sqe *what)
{
	struct io_uring_params p = { .sq_entries = 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 1, &p);
	struct io_uring_sqe *sqe;
	char *sq;

	if (ring < 0 && (errno == ENOSYS || errno == EPERM))
		skip("the kernel has no io_uring, or forbids it");
	check(ring >= 0);
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(uint32_t), PROT_READ | PROT_WRITE,
		  MAP_SHARED, ring, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, p.sq_entries * sizeof(*sqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		   IORING_OFF_SQES);
	check(sq != MAP_FAILED && sqe != MAP_FAILED);
	*sqe = *what;
	*(uint32_t *)(sq + p.sq_off.array) = 0;
	__atomic_store_n((uint32_t *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	return ring;
}

/*
 * A worker has the memory of its process, and never goes to user mode: it has a kernel stack and
 * owes no user stack.
 */
static void io_worker(void)
{
	unsigned int i, k, nr, workers = 0, tries;
	const struct tlob_wait_stack *s;
	struct io_uring_sqe read_pipe;
	int pipes[2], fd, ring;
	struct waits *w;
	char c = 0;

	check_eq(pipe(pipes), 0);
	read_pipe = (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .flags = IOSQE_ASYNC, .fd = pipes[0],
		.addr = (uintptr_t)&c, .len = 1,
	};
	ring = ring_with_one(&read_pipe);
	fd = records_open();
	set("waits", "on pids=%d", getpid());
	check_eq(syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0), 1);
	sleep_ns(waits_ms(5));
	check_eq(write(pipes[1], "x", 1), 1);
	check_eq(syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0), 0);
	/* the worker goes to sleep again, or exits with its ring */
	sleep_ns(waits_ms(2));
	close(ring);
	sleep_ns(waits_ms(2));
	set("waits", "off");
	check_eq(c, 'x');
	w = waits_read(fd);
	for (i = 0; i < w->tasks; i++) {
		const struct tlob_wait_task *t = &w->task[i];

		if (strncmp(t->comm, "iou-", 4))
			continue;
		workers++;
		check_eq(t->tgid, getpid());
		for (k = 0, s = waits_stacks(w, t->id, &nr); k < nr; k++) {
			check_eq(s[k].nr_code, 0);
			check(s[k].nr_kernel);
		}
		if (deterministic())
			check(t->blocked.max_ns >= waits_ms(4) && nr);
	}
	note("%u workers", workers);
	check(workers || !deterministic());
	for (tries = 0; status_field("waits", "owed"); tries++) {
		check(tries < 500);
		sleep_ns(10 * MS);
	}
	close(fd);
}

const struct test waits_tasks_tests[] = {
	{ "vfork_parent", vfork_parent, 0 },
	{ "io_worker", io_worker, 0 },
	{ }
};
