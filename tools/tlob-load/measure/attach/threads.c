// SPDX-License-Identifier: GPL-2.0
/*
 * Finds threads in /proc and lets BPF programs watch them. A thread that is watched already is refused.
 * After the first scan the BPF programs find those that run. Left to further scans are those that do not
 * leave a CPU any more after they were named or came to the cgroup, and those that found all slots taken.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/threads.h"
#include "attach/watch_bpf.h"
#include "machine/cgroup.h"
#include "machine/limits.h"
#include "options/attach_config.h"
#include "result/result.h"
#include "util/error.h"

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE	6
#endif

/* The calls in which threads wait for their next activation. An architecture may lack some. */
static const struct {
	const char *name;
	uint32_t nr;
} calls[] = {
	{ "clock_nanosleep", SYS_clock_nanosleep }, { "nanosleep", SYS_nanosleep },
	{ "epoll_pwait", SYS_epoll_pwait }, { "ppoll", SYS_ppoll },
	{ "pselect6", SYS_pselect6 }, { "futex", SYS_futex },
	{ "read", SYS_read }, { "readv", SYS_readv }, { "recvfrom", SYS_recvfrom },
	{ "recvmsg", SYS_recvmsg }, { "recvmmsg", SYS_recvmmsg },
	{ "accept4", SYS_accept4 }, { "ioctl", SYS_ioctl },
	{ "rt_sigtimedwait", SYS_rt_sigtimedwait }, { "msgrcv", SYS_msgrcv },
	{ "mq_timedreceive", SYS_mq_timedreceive }, { "io_getevents", SYS_io_getevents },
	{ "sched_yield", SYS_sched_yield },
#ifdef SYS_accept
	{ "accept", SYS_accept },
#endif
#ifdef SYS_semtimedop
	{ "semtimedop", SYS_semtimedop },
#endif
#ifdef SYS_epoll_wait
	{ "epoll_wait", SYS_epoll_wait }, { "poll", SYS_poll }, { "pause", SYS_pause },
#endif
#ifdef SYS_select
	{ "select", SYS_select },
#endif
#ifdef SYS_epoll_pwait2
	{ "epoll_pwait2", SYS_epoll_pwait2 },
#endif
#ifdef SYS_io_uring_enter
	{ "io_uring_enter", SYS_io_uring_enter },
#endif
#ifdef SYS_futex_waitv
	{ "futex_waitv", SYS_futex_waitv },
#endif
};

/* Threads to which --until does not apply: how a message about one ends, and a note on all of them. */
static const struct {
	int err;
	bool refused;		/* on the first scan, even among others */
	const char *one, *some;
} without_calls[THREADS_WITHOUT_CALLS] = {
	{ EINVAL, false, "is a kernel thread and makes no system calls",
	  "kernel threads were skipped: they make no system calls" },
	{ EOPNOTSUPP, false, "is in a 32-bit program: its system call numbers differ",
	  "threads of 32-bit programs were skipped: their system call numbers differ" },
	/* a verdict over the rest would be one over fewer threads than were asked for */
	{ EACCES, true, "may be in a 32-bit program, whose system call numbers differ: " THREADS_READ " to find out",
	  "threads that started later were skipped, because they may belong to 32-bit programs: " THREADS_READ " to find out" },
};

bool threads_are_chosen(const struct attach_config *o)
{
	return o->tid || o->comm || o->cgroup ||
	       (o->pid && !o->program && !o->library && !o->start && !o->stop);
}

static bool call_number(const char *word, size_t n, uint32_t *nr)
{
	unsigned long value;
	char text[32], *end;
	size_t i;

	if (!n || n >= sizeof(text))
		return false;
	memcpy(text, word, n);
	text[n] = 0;
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(text, calls[i].name)) {
			*nr = calls[i].nr;
			return true;
		}
	value = strtoul(text, &end, 10);
	*nr = (uint32_t)value;
	return isdigit((unsigned char)*text) && !*end && value < 4096;
}

int threads_until(const char *list, uint32_t until[TLOB_WATCH_UNTIL], unsigned int *n,
		  const char **bad)
{
	size_t length;

	for (*n = 0; ; list += length + 1) {
		length = strcspn(list, ",");
		*bad = list;
		if (*n == TLOB_WATCH_UNTIL)
			return -E2BIG;
		if (!call_number(list, length, &until[(*n)++]))
			return -EINVAL;
		if (!list[length])
			return 0;
	}
}

int threads_tgid(int tid)
{
	char path[64], line[128];
	int tgid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && !tgid && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &tgid) != 1)
			tgid = 0;
	if (f)
		fclose(f);
	return tgid;
}

int threads_process_of(int tid)
{
	char path[64], line[128];
	int tgid = threads_tgid(tid);

	if (!tgid)
		return fail(-ESRCH, "--tid %d: no such thread", tid);
	/* A thread of the kernel executes no file. A first thread that has ended has none any more. */
	snprintf(path, sizeof(path), "/proc/%d/exe", tid);
	return readlink(path, line, sizeof(line)) < 0 && errno == ENOENT ? 0 : tgid;
}

char *threads_text(const struct attach_config *o)
{
	const char *rt = o->rt ? "real-time " : "", *comm = o->comm ? " named " : "";
	const char *name = o->comm ? o->comm : "";
	char *text = NULL;
	int n;

	if (o->tid)
		n = asprintf(&text, "thread %d", o->tid);
	else if (o->pid)
		n = asprintf(&text, "%sthreads%s%s of process %d", rt, comm, name, o->pid);
	else if (o->cgroup)
		n = asprintf(&text, "%sthreads%s%s of %s", rt, comm, name, o->cgroup);
	else
		n = asprintf(&text, "%sthreads%s%s", rt, comm, name);
	return n < 0 ? NULL : text;
}

char *threads_rest_text(const struct attach_config *o)
{
	char *text = NULL;

	if (!o->until)
		return strdup("sleep");
	return asprintf(&text, "sleep in %s", o->until) < 0 ? NULL : text;
}

int threads_begin(struct threads *t, const struct attach_config *o)
{
	t->o = o;
	t->first = true;
	return o->cgroup ? cgroup_find(o->cgroup, &t->cgroup, NULL) : 0;
}

void threads_end(struct threads *t)
{
	free(t->cgroup);
	t->cgroup = NULL;
}

static bool is_realtime(int tid)
{
	int policy = sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK;

	return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

static bool has_name(int tid, const char *glob)
{
	char path[64], name[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fgets(name, sizeof(name), f))
		name[strcspn(name, "\n")] = 0;
	fclose(f);
	return !fnmatch(glob, name, 0);
}

/* Returns whether @err says that --until does not apply to @tid. It is skipped then. */
static bool leave_out(struct threads *t, int tid, int err)
{
	size_t i;

	for (i = 0; i < THREADS_WITHOUT_CALLS; i++)
		if (t->o->nuntil && err == without_calls[i].err) {
			t->without_calls[i] = tid;
			return true;
		}
	return false;
}

/*
 * After the first scan. Refuses to measure if --until left out every thread, or one that it may apply
 * to. 0 or -errno, printed.
 */
static int refuse_left_out(const struct threads *t)
{
	size_t i;

	for (i = 0; i < THREADS_WITHOUT_CALLS; i++)
		if (t->without_calls[i] && (!t->others || without_calls[i].refused))
			return fail(-without_calls[i].err, "--until: thread %d %s", t->without_calls[i],
				    without_calls[i].one);
	return 0;
}

int threads_notes(const struct threads *t, char ***notes)
{
	size_t i;
	int err = 0;

	for (i = 0; i < THREADS_WITHOUT_CALLS && !err; i++)
		if (t->without_calls[i])
			err = notes_add(notes, "--until: %s", without_calls[i].some);
	return err;
}

/* 0 or -errno, printed. A thread that has gone is none. */
static int watch(struct threads *t, int tid)
{
	int err;

	if ((t->o->rt && !is_realtime(tid)) || (t->o->comm && !has_name(tid, t->o->comm)))
		return 0;
	/* the tool's own wake-ups come from what it reads */
	if (tid == getpid())
		return 0;
	t->found = true;
	err = t->bpf->add(t->bpf_run, tid);
	if (err && leave_out(t, tid, -err))
		return 0;
	t->others |= err != -ESRCH;
	switch (-err) {
	case 0:
	case EBUSY:		/* it is watched already */
		return 0;
	case ESRCH:
		return t->first && t->o->tid ?
		       fail(-ESRCH, "--tid %d: no such thread", tid) : 0;
	case ENOSPC:
		t->refused_now++;
		return 0;
	default:
		return fail(err, "watching thread %d: %s", tid, strerror(-err));
	}
}

/* Each process or thread whose directory is in @path. */
static int watch_in(struct threads *t, const char *path, int (*one)(struct threads *t, int id))
{
	DIR *d = opendir(path);
	struct dirent *e;
	int err = 0;

	while (d && !err && (e = readdir(d)))
		if (isdigit((unsigned char)*e->d_name))
			err = one(t, atoi(e->d_name));
	if (d)
		closedir(d);
	return err;
}

static int watch_process(struct threads *t, int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return watch_in(t, path, watch);
}

static struct threads *walking;		/* nftw() passes nothing on */
static int walk_error;

static int walk(const char *path, const struct stat *st, int type, struct FTW *at)
{
	char file[4096];
	FILE *f;
	int tid;

	(void)st;
	(void)at;
	if (type != FTW_D)
		return 0;
	snprintf(file, sizeof(file), "%s/cgroup.threads", path);
	f = fopen(file, "re");
	while (f && !walk_error && fscanf(f, "%d", &tid) == 1)
		walk_error = watch(walking, tid);
	if (f)
		fclose(f);
	return walk_error;
}

static int watch_cgroup(struct threads *t)
{
	walking = t;
	walk_error = 0;
	nftw(t->cgroup, walk, 8, FTW_PHYS);
	return walk_error;
}

/* Of one thread, in the place of watch(): @t->deadline_ns, or UINT64_MAX if they have none in common. */
static int take_deadline(struct threads *t, int tid)
{
	uint64_t deadline = limit_deadline(tid);

	if ((t->o->rt && !is_realtime(tid)) || (t->o->comm && !has_name(tid, t->o->comm)))
		return 0;
	if (!deadline || (t->deadline_ns && t->deadline_ns != deadline))
		deadline = UINT64_MAX;
	t->deadline_ns = deadline;
	return 0;
}

uint64_t threads_deadline(const struct attach_config *o)
{
	struct threads t = { .o = o };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", o->pid);
	if (o->tid)
		take_deadline(&t, o->tid);
	else if (o->pid)
		watch_in(&t, path, take_deadline);
	return t.deadline_ns == UINT64_MAX ? 0 : t.deadline_ns;
}

int threads_scan(struct threads *t)
{
	int err;

	t->refused_now = 0;
	if (t->o->tid)
		err = watch(t, t->o->tid);
	else if (t->o->pid)
		err = watch_process(t, t->o->pid);
	else if (t->cgroup)
		err = watch_cgroup(t);
	else
		err = watch_in(t, "/proc", watch_process);
	if (!err && t->first)
		err = refuse_left_out(t);
	t->first = false;
	t->bpf->sweep(t->bpf_run);
	if (t->refused_now > t->refused)
		t->refused = t->refused_now;
	return err;
}
