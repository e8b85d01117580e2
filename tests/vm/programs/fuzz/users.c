// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor's calls in a process of an unprivileged user, with the files that it inherits
 * from root. It forks and may end before its child, and it may have words in a FUSE file
 * system that stops answering.
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
#include "fuzz.h"

#define FUSE_DIR	"/tmp/tlob-fuzz"

static void some_calls(void)
{
	unsigned int n;

	for (n = rnd(30); n; n--) {
		int fd = any_fd();

		switch (rnd(4)) {
		case 0:
			monitor_register(fd);
			break;
		case 1:
			monitor_stop(fd);
			break;
		case 2:
			monitor_start(fd);
			break;
		default:
			monitor_setup(fd);
		}
		/* a child may outlive us, as a daemon does */
		if (!rnd(16) && fork() < 0)
			return;
	}
}

/* Returns whether the file system was there. Its server ends a second later. */
static int words_in_fuse(unsigned int uid)
{
	struct fuse_server *s;
	size_t size = getpagesize();
	int fd, file, tlob, i;
	uint32_t *p;

	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return -errno;
	fd = fuse_mount(FUSE_DIR, uid);
	if (fd < 0)
		return fd;
	if (!fork()) {
		alarm(1);
		fuse_serve(fd, s);
	}
	close(fd);
	file = open(FUSE_DIR "/" FUSE_FILE, O_RDWR | O_CLOEXEC);
	tlob = open("/dev/tlob", O_RDWR | O_CLOEXEC);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	if (p == MAP_FAILED)
		return -errno;
	for (i = 0; i < 20; i++) {
		struct tlob_enable e = { .addr = (uintptr_t)p, .bit = rnd(32) };

		ioctl(tlob, TLOB_IOC_REGISTER, &e);
		madvise(p, size, MADV_DONTNEED);
		posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
		if (i == 10)
			__atomic_store_n(&s->mute, true, __ATOMIC_RELEASE);
		usleep(1000);
	}
	return 0;
}

static void user(void)
{
	unsigned int uid = 1000 + rnd(2);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!rnd(4) && !access("/dev/fuse", F_OK))
		_exit(-words_in_fuse(uid));
	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		_exit(errno);
	some_calls();
	_exit(0);
}

long monitor_user(void)
{
	pid_t pid;
	int st;

	chmod("/dev/tlob", 0666);
	chmod("/dev/fuse", 0666);
	mkdir(FUSE_DIR, 0777);
	chmod(FUSE_DIR, 0777);
	pid = fork();
	if (!pid)
		user();
	/* a signal comes now and then */
	while (pid > 0 && waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		return -1;
	errno = WIFEXITED(st) ? WEXITSTATUS(st) : EINTR;
	return errno ? -1 : 0;
}
