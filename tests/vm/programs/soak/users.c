// SPDX-License-Identifier: GPL-2.0
/*
 * Actors that are no root: windows, words and regions of two users, daemons that fork, and
 * words in a FUSE file system whose server stops answering.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "../guest/fuse_server.h"
#include "soak.h"

#define FUSE_DIR	"/tmp/tlob-soak"

static int sys(long ret)
{
	return ret < 0 ? -errno : 0;
}

bool let_users_in(void)
{
	return !chmod("/dev/tlob", 0666);
}

int enroll(int fd, const uint32_t *word, unsigned int bit)
{
	struct tlob_enable e = { .addr = (uintptr_t)word, .bit = bit };

	return sys(ioctl(fd, TLOB_IOC_REGISTER, &e));
}

int become_user(void)
{
	unsigned int uid = 1000 + rnd(2);
	int err;

	if (rnd(3))
		err = sys(setresgid(uid, uid, uid)) ?: sys(setresuid(uid, uid, uid));
	else
		err = count(USER_NAMESPACE, enter_user_namespace(uid, 0));
	/* another user's process forgets whose death it dies */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return err;
}

/*
 * A daemon: its parent registers a word, forks and ends at once. The daemon must have the word,
 * since the file that it inherits keeps the module.
 */
static void daemonize(int fd)
{
	static uint32_t word;
	unsigned int bit = rnd(32);
	pid_t pid;
	int st;

	pid = fork();
	if (!pid) {
		if (enroll(fd, &word, bit))
			_exit(0);
		if (fork())
			_exit(0);
		if (count(DAEMON, enroll(fd, &word, bit) == -EADDRINUSE ? 0 : -ENOENT))
			defect("a daemon has not inherited its word");
		_exit(0);
	}
	waitpid(pid, &st, 0);
}

/* Gives the page of a word back, or the memory of it, and registers another. */
static void move_word(int fd, uint32_t **page)
{
	size_t size = getpagesize();

	if (*page && rnd(2))
		munmap(*page, size);
	else if (*page)
		madvise(*page, size, MADV_DONTNEED);
	*page = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*page == MAP_FAILED) {
		*page = NULL;
		return;
	}
	count(USER_REGISTER, enroll(fd, *page, rnd(32)));
}

static void unprivileged(void)
{
	struct tlob_start_ns s = { .notify_fd = -1 };
	uint32_t *page = NULL;
	unsigned int n;
	int fd, err;

	if (become_user())
		_exit(0);
	fd = open("/dev/tlob", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		_exit(0);
	for (n = rnd(60); n && !shared->stop && !shared->unloading; n--) {
		switch (rnd(8)) {
		case 0:
			daemonize(fd);
			break;
		case 1:
			move_word(fd, &page);
			break;
		default:
			s.threshold_ns = 1000 + rnd(2000000);
			s.notify_fd = rnd(2) ? fd : -1;
			count(USER_START, sys(ioctl(fd, TLOB_IOC_START_NS, &s)));
			task_region();
			err = rnd(8) ? sys(ioctl(fd, TLOB_IOC_TRACE_STOP)) : 0;
			count(USER_STOP, err == -EOVERFLOW ? 0 : err);
		}
	}
	_exit(0);
}

void act_users(void)
{
	while (!shared->stop) {
		pid_t pid;
		int st;

		rest_at_gate();
		if (!let_users_in()) {
			sleep_us(20000);
			continue;
		}
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			other_choices(getpid());
			unprivileged();
		}
		if (!rnd(4)) {
			sleep_us(rnd(50000));
			kill(pid, SIGKILL);
		}
		waitpid(pid, &st, 0);
		sleep_us(rnd(50000));
	}
}

/* Has a word in a page of the file, and gives the page back again and again. */
static void fuse_client(int fd)
{
	size_t size = getpagesize();
	int file = open(FUSE_DIR "/" FUSE_FILE, O_RDWR | O_CLOEXEC);
	uint32_t *p;

	if (file < 0)
		_exit(0);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file,
		 (off_t)(rnd(16) * size));
	if (p == MAP_FAILED)
		_exit(0);
	count(FUSE_REGISTER, enroll(fd, p, rnd(32)));
	while (!shared->stop && !shared->unloading) {
		madvise(p, size, MADV_DONTNEED);
		posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
		sleep_us(rnd(5000));
	}
	_exit(0);
}

/* Forks. The child ends with its parent, even if that has ended already. */
static pid_t fork_child(void)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
		_exit(0);
	return pid;
}

/* As a user: mounts, lets clients run, and stops answering. */
static void fuse_user(struct fuse_server *s)
{
	int fd = fuse_mount(FUSE_DIR, 1000), tlob, i;

	if (count(FUSE_MOUNT, fd < 0 ? fd : 0))
		_exit(0);
	if (!fork_child())
		fuse_serve(fd, s);
	close(fd);
	tlob = open("/dev/tlob", O_RDWR | O_CLOEXEC);
	if (tlob < 0)
		_exit(0);
	for (i = 0; i < 4; i++) {
		if (!fork_child()) {
			other_choices(getpid());
			fuse_client(tlob);
		}
	}
	for (i = 0; i < 50 && !shared->stop && !shared->unloading; i++) {
		sleep_us(10000);
		__atomic_store_n(&s->mute, i > 10, __ATOMIC_RELEASE);
	}
	_exit(0);
}

void act_fuse(void)
{
	struct fuse_server *s;

	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	mkdir(FUSE_DIR, 0700);
	if (s == MAP_FAILED || chown(FUSE_DIR, 1000, 1000))
		return;
	chmod("/dev/fuse", 0666);
	while (!shared->stop && can_fuse) {
		pid_t pid;
		int st;

		rest_at_gate();
		if (!let_users_in()) {
			sleep_us(20000);
			continue;
		}
		s->mute = false;
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			other_choices(getpid());
			fuse_user(s);
		}
		/* the server and the clients end with it */
		waitpid(pid, &st, 0);
		sleep_us(100000 + rnd(100000));
	}
}
