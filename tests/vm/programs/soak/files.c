// SPDX-License-Identifier: GPL-2.0
/* Actors with files open: measured threads, and readers of the rings. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/tlob.h>
#include "split.h"

#include "soak.h"

static void check_record(const struct tlob_window *w)
{
	if (w->flags & TLOB_WINDOW_NONE)
		return;
	if (w->version != TLOB_WINDOW_VERSION || w->size != sizeof(*w) ||
	    w->wake_ns > w->response_ns ||
	    tlob_split_sum(w->part_ns, false) != w->wake_ns ||
	    tlob_split_sum(w->part_ns, true) != w->response_ns - w->wake_ns)
		defect("record of cpu %u, activation %llu", w->cpu,
		       (unsigned long long)w->activation);
}

static int sys(long ret)
{
	return ret < 0 ? -errno : 0;
}

/* A wrong call must be refused. */
static void refused(enum action action, const char *what, int err)
{
	if (!err)
		defect("%s was not refused", what);
	count(action, err ? 0 : -ENODATA);
}

static void bad_call(int fd)
{
	struct tlob_window w;
	char c[8];

	switch (rnd(5)) {
	case 0:
		refused(FD_BAD, "a short read", sys(read(fd, c, sizeof(c))));
		break;
	case 1:
		refused(FD_BAD, "an unknown ioctl", sys(ioctl(fd, 0xb9ff, c)));
		break;
	case 2:
		refused(FD_BAD, "a write", sys(write(fd, c, sizeof(c))));
		break;
	case 3:
		/* ends the window, if there is one */
		refused(FD_BAD, "STOP to NULL", sys(ioctl(fd, TLOB_IOC_STOP, NULL)));
		break;
	default:
		refused(FD_BAD, "pread", sys(pread(fd, &w, sizeof(w), 4096)));
	}
}

static void map_fd_page(int fd)
{
	volatile const struct tlob_fd_page *page;

	page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	count(FD_MMAP, page == MAP_FAILED ? -errno : 0);
	if (page == MAP_FAILED)
		return;
	(void)page->interference;
	if (rnd(2))
		munmap((void *)page, getpagesize());
}

/* The fork has the file, but may not read it. */
static void fork_reads(int fd)
{
	struct tlob_window w;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, 0);
		alarm(5);
		refused(FD_FORK, "read in a fork", sys(read(fd, &w, sizeof(w))));
		/* the fork may hold the file longer than its owner */
		sleep_us(rnd(20000));
		_exit(0);
	}
	if (rnd(2))
		waitpid(pid, NULL, 0);
}

/* Another actor may end the run, or begin one of kernel threads. */
static void begin_user_run(void)
{
	count(DISABLE, write_file(control("enable"), "0"));
	write_file(control("workload"), "user");
	count(ENABLE, write_file(control("enable"), "1"));
}

/* A measured thread's whole life, ended by itself or by SIGKILL. */
static void measured(void)
{
	struct sched_param param = { .sched_priority = 1 + rnd(60) };
	int cpu = rnd(cpus), fd, err;
	struct tlob_window w;
	unsigned int n;

	if (pin(cpu))
		_exit(0);
	/*
	 * Waits for a run of user threads. On a slow kernel other actors may end each run
	 * before this thread gets to it, so at last it begins one.
	 */
	for (n = 20; ; n--) {
		if (n < 10 && !rnd(3))
			begin_user_run();
		fd = open(control("per_cpu/cpu%d/tlob_fd", cpu), O_RDONLY);
		if (!count(FD_OPEN, fd < 0 ? -errno : 0))
			break;
		/* the module may be away for longer than 20 tries */
		if (access(control("enable"), F_OK))
			_exit(0);
		if (!n || shared->stop || shared->unloading)
			_exit(0);
		sleep_us(rnd(10000));
	}
	sched_setscheduler(0, SCHED_FIFO, &param);
	for (n = 3 + rnd(40); n && !shared->stop && !shared->unloading; n--) {
		err = count(FD_READ, sys(read(fd, &w, sizeof(w))));
		if (!err)
			check_record(&w);
		else if (err == -ENODEV || err == -EXDEV)
			break;
		make_calls();
		switch (rnd(9)) {
		case 0:
		case 6:
			err = sys(ioctl(fd, TLOB_IOC_STOP, &w));
			/* a window over its budget has also ended */
			if (!err || err == -EOVERFLOW)
				check_record(&w);
			count(FD_STOP, err == -EOVERFLOW ? 0 : err);
			break;
		case 1:
		case 7:
			bad_call(fd);
			break;
		case 2:
			map_fd_page(fd);
			break;
		case 3:
			fork_reads(fd);
			break;
		case 4:
			if (rnd(3))
				count(FD_MIGRATE, pin((cpu + 1) % cpus));
			break;
		case 5:
			sleep_us(rnd(5000));
			break;
		}
	}
	if (rnd(2))
		close(fd);
	_exit(0);
}

void act_fd(void)
{
	while (!shared->stop) {
		pid_t pid;
		int st;

		rest_at_gate();
		if (access(control("enable"), F_OK)) {
			sleep_us(20000);
			continue;
		}
		pid = fork();

		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			other_choices(getpid());
			measured();
		}
		if (rnd(2)) {
			sleep_us(rnd(200000));
			kill(pid, SIGKILL);
			waitpid(pid, &st, 0);
			count(FD_KILL, WIFSIGNALED(st) ? 0 : -ESRCH);
		} else {
			/* reads end with the run; a fork may outlive it */
			uint64_t end = now_us() + 5000000;

			while (waitpid(pid, &st, WNOHANG) != pid) {
				sleep_us(1000);
				if (now_us() > end || shared->stop || shared->unloading)
					kill(pid, SIGKILL);
			}
		}
	}
}

static void scribble(struct tlob_ring_page *page, size_t size)
{
	volatile uint32_t *word = (volatile uint32_t *)page;
	unsigned int i;

	for (i = 0; i < 200; i++) {
		unsigned int at = rnd(4) ? rnd(sizeof(*page) / 4) :
					   rnd(size / 4);

		word[at] = rnd(3) ? rnd(5000) : ~rnd(3);
	}
	count(RING_SCRIBBLE, 0);
}

void act_ring(void)
{
	static struct tlob_window w[256];
	/* one page and 4096 records, as docs/reference/kernel-interface.md says */
	size_t page = getpagesize();
	size_t size = page + (4096 * sizeof(*w) + page - 1) / page * page;
	struct tlob_ring_page *map;
	unsigned int n;
	ssize_t got;
	int fd;

	while (!shared->stop) {
		rest_at_gate();
		if (access(control("enable"), F_OK))
			sleep_us(20000);
		fd = open(control("per_cpu/cpu%u/windows", rnd(cpus)),
			  O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (count(RING_OPEN, fd < 0 ? -errno : 0)) {
			sleep_us(rnd(20000));
			continue;
		}
		map = NULL;
		if (rnd(2)) {
			map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
				   fd, 0);
			if (count(RING_MMAP, map == MAP_FAILED ? -errno : 0))
				map = NULL;
		}
		for (n = rnd(20); n && !shared->stop && !shared->unloading; n--) {
			struct pollfd p = { .fd = fd, .events = POLLIN };

			count(RING_POLL, sys(poll(&p, 1, rnd(150))));
			got = read(fd, w, sizeof(w));
			count(RING_READ, sys(got));
			/* scribble() overwrites the records of a mapping: do not check them */
			if (map)
				scribble(map, size);
			else
				for (got /= (ssize_t)sizeof(*w); got > 0; got--)
					check_record(&w[got - 1]);
		}
		close(fd);
		if (map) {
			/* the mapping may outlive the file, run and module use */
			sleep_us(rnd(50000));
			scribble(map, size);
			munmap(map, size);
		}
		sleep_us(rnd(20000));
	}
}
