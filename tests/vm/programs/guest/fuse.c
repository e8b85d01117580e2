// SPDX-License-Identifier: GPL-2.0
/*
 * Enable bits in pages of a FUSE file system that its unprivileged user stops answering.
 * Only programs of that user may wait for these pages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuse_server.h"
#include "guest.h"
#include "words.h"

#define GROUP	"fuse"

#define DIR		"/tmp/tlob-fuse"
#define USER		1000
#define OTHER_USER	1001
#define CLIENTS		40
#define SWITCHES	10

/* Shared by all processes. */
static struct {
	struct fuse_server fuse;
	unsigned int ready;
	pid_t server;
} *s;

/* As uid 1000. */
static void mount_fuse(void)
{
	int fd = fuse_mount(DIR, USER);
	pid_t pid;

	if (fd < 0)
		fail("a FUSE file system cannot be mounted: %s", strerror(-fd));
	pid = fork();
	if (!pid)
		fuse_serve(fd, &s->fuse);
	s->server = pid;
	close(fd);
}

/* A process with a word in a page of that file, which it has given back. */
static void client(unsigned int i)
{
	size_t size = getpagesize();
	int fd = open(DIR "/" FUSE_FILE, O_RDWR | O_CLOEXEC);
	uint32_t *p;

	check(fd >= 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd,
		 (off_t)(i * size));
	check(p != MAP_FAILED);
	/* the file is read only when a page of it is needed */
	check_eq(madvise(p, size, MADV_RANDOM), 0);
	check_eq(enroll(p, BIT), 0);
	check_eq(madvise(p, size, MADV_DONTNEED), 0);
	__atomic_add_fetch(&s->ready, 1, __ATOMIC_RELEASE);
	/* a thread that comes back to user mode writes what it owes before */
	for (;;)
		sleep_ns(MS);
}

static void wait_for(const unsigned int *counter, unsigned int value)
{
	uint64_t until = now_ns() + PATIENCE;

	while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < value && now_ns() < until)
		sleep_ns(MS);
	check(__atomic_load_n(counter, __ATOMIC_ACQUIRE) >= value);
}

/* As uid 1000: the file system and its clients. No page of the file is cached at the end. */
static void hostile_user(int ready)
{
	unsigned int i;
	int fd;

	mount_fuse();
	words_open();
	for (i = 0; i < CLIENTS; i++)
		if (!fork())
			client(i);
	wait_for(&s->ready, CLIENTS);
	__atomic_store_n(&s->fuse.mute, true, __ATOMIC_RELEASE);
	fd = open(DIR "/" FUSE_FILE, O_RDWR | O_CLOEXEC);
	check(fd >= 0);
	check_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	check_eq(write(ready, "", 1), 1);
	for (;;)
		pause();
}

/* A process of another user, whose word follows the monitor. */
static void other_user(int go, int done)
{
	static uint32_t word;
	unsigned int i;
	char c;

	check_eq(setresuid(OTHER_USER, OTHER_USER, OTHER_USER), 0);
	words_open();
	check_eq(enroll(&word, BIT), 0);
	check_eq(write(done, "", 1), 1);
	for (i = 0; i < 2 * SWITCHES; i++) {
		check_eq(read(go, &c, 1), 1);
		/* its page is there, so its bit was written before */
		check_eq(load(&word), i % 2 ? 0 : 1U << BIT);
		check_eq(write(done, "", 1), 1);
	}
	_exit(0);
}

static void begin(pid_t *hostile)
{
	int up[2];
	char c;

	if (access("/dev/fuse", F_OK))
		skip("this guest has no FUSE");
	mkdir(DIR, 0700);
	check_eq(chown(DIR, USER, USER), 0);
	check_eq(chmod("/dev/tlob", 0666), 0);
	check_eq(chmod("/dev/fuse", 0666), 0);	/* as udev does */
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(s != MAP_FAILED);
	check_eq(pipe(up), 0);
	*hostile = fork();
	if (!*hostile)
		hostile_user(up[1]);
	close(up[1]);
	if (read(up[0], &c, 1) != 1)
		fail("the file system has not come");
	close(up[0]);
}

/* Ends the server, and with it every wait for a page. */
static void end(pid_t hostile)
{
	kill(s->server, SIGKILL);
	kill(hostile, SIGKILL);
	check_eq(waitpid(hostile, NULL, 0), hostile);
	check_counter("owed", 0);
	check_eq(chmod("/dev/tlob", 0660), 0);
	check_eq(chmod("/dev/fuse", 0600), 0);
}

/* Each call returns, and the words of others have their bits when it does. */
TEST(only_its_user_waits)
{
	static uint32_t word;
	int go[2], done[2], i;
	uint64_t lost;
	pid_t hostile, other;
	char c;

	words_begin();
	begin(&hostile);
	check_eq(enroll(&word, BIT), 0);
	lost = counter("lost_forks");
	check_eq(pipe(go), 0);
	check_eq(pipe(done), 0);
	other = fork();
	if (!other)
		other_user(go[0], done[1]);
	check_eq(read(done[0], &c, 1), 1);
	for (i = 0; i < 2 * SWITCHES; i++) {
		set("monitor_enable", "%d", !(i % 2));
		check_eq(load(&word), i % 2 ? 0 : 1U << BIT);
		check_eq(write(go[1], "", 1), 1);
		check_eq(read(done[0], &c, 1), 1);
	}
	reap(other);
	/* someone does wait, or nothing was tested */
	wait_for(&s->fuse.unanswered, 1);
	check(counter("owed") > 0);
	check_eq(counter("lost_forks"), lost);
	note("%u requests unanswered, %llu threads owe a word", s->fuse.unanswered,
	     (unsigned long long)counter("owed"));
	end(hostile);
	check_eq(leave(&word, BIT), 0);
}

/* The module cannot go while they wait. It says so at once, and goes afterwards. */
TEST(module_stays)
{
	int fd = open("/tlob_load.ko", O_RDONLY | O_CLOEXEC), tlob;
	pid_t hostile;
	uint64_t until;
	long err;

	if (fd < 0)
		skip("no /tlob_load.ko to load again");
	tlob = words_begin();
	begin(&hostile);
	set("monitor_enable", "1");
	wait_for(&s->fuse.unanswered, 1);
	close(tlob);
	/* clients also have /dev/tlob open; owed says that they hold it once more */
	check(counter("owed") > 0);
	check_errno(syscall(SYS_delete_module, "tlob_load", O_NONBLOCK), EAGAIN);
	set("monitor_enable", "0");
	end(hostile);
	/* what came before may have taken longer than that in a slow kernel */
	until = now_ns() + PATIENCE;
	do {
		sleep_ns(10 * MS);
		err = syscall(SYS_delete_module, "tlob_load", O_NONBLOCK);
	} while (err && errno == EAGAIN && now_ns() < until);
	check_eq(err, 0);
	check_eq(syscall(SYS_finit_module, fd, "", 0), 0);
}
