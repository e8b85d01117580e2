// SPDX-License-Identifier: GPL-2.0
/* Watches come and go, are refused, and cost. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"
#include "watched.h"

#define GROUP	"activation"

static void no_permission(int fd)
{
	pid_t pid = fork();

	check(pid >= 0);
	if (!pid) {
		/* the file has the right, and its user has not */
		if (setuid(1000) || !watch(fd, getppid(), HOUR) || errno != EPERM)
			_exit(1);
		fd = open("/dev/tlob", O_RDWR);
		if (fd < 0 || !watch(fd, getpid(), HOUR) || errno != EPERM)
			_exit(2);
		_exit(0);
	}
	reap(pid);
}

/* Each error; a watch keeps its slot, and is gone with its file and the monitor. */
TEST(errors)
{
	struct tlob_watch w = { .threshold_ns = MS, .flags = TLOB_START_EVERY };
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_FUNCTIONS };
	uint32_t call = SYS_read;
	struct actor a;
	int fd, other;

	set("monitor_enable", "0");
	fd = open("/dev/tlob", O_RDWR);
	check(fd >= 0);
	check_errno(watch(fd, getpid(), HOUR), ENODEV);
	set("monitor_enable", "1");
	check_errno(watch(fd, 0, HOUR), ESRCH);
	check_errno(watch(fd, -1, HOUR), ESRCH);
	check_errno(watch(fd, 4000000, HOUR), ESRCH);
	check_errno(watch(fd, getpid(), 0), EINVAL);
	check_errno(watch(fd, getpid(), 999), ERANGE);
	check_errno(watch(fd, getpid(), HOUR + 1), ERANGE);
	w.tid = getpid();
	w.reserved = 1;
	check_errno(ioctl(fd, TLOB_IOC_WATCH, &w), EINVAL);
	w.reserved = 0;
	w.flags = 2;
	check_errno(ioctl(fd, TLOB_IOC_WATCH, &w), EINVAL);
	w.flags = 0;
	w.nr_until = TLOB_WATCH_UNTIL + 1;
	check_errno(ioctl(fd, TLOB_IOC_WATCH, &w), EINVAL);
	check_errno(ioctl(fd, TLOB_IOC_WATCH, (void *)8), EFAULT);
	/* kthreadd makes no system calls */
	check_errno(watch_until(fd, 2, HOUR, &call, 1), EINVAL);
	check_eq(watch(fd, 2, HOUR), 0);

	check_eq(watch(fd, getpid(), HOUR), 0);
	check_errno(watch(fd, getpid(), HOUR), EBUSY);
	other = open("/dev/tlob", O_RDWR);
	check_errno(watch(other, getpid(), HOUR), EBUSY);
	close(fd);
	check_eq(watch(other, getpid(), HOUR), 0);
	/* the watch does not disturb windows by START of the same file */
	check_errno(stop_window(other), ESRCH);
	check_eq(start_ns(other, HOUR, -1, 0), 0);
	sleep_ns(MS);
	check_eq(stop_window(other), 0);
	sleep_ns(MS);
	check_errno(stop_window(other), ESRCH);
	set("monitor_enable", "0");
	set("monitor_enable", "1");
	check_eq(watch(other, getpid(), HOUR), 0);
	close(other);

	fd = open("/dev/tlob", O_RDWR);
	check_eq(ioctl(fd, TLOB_IOC_RING, &request), 0);
	check_errno(watch(fd, getpid(), HOUR), EINVAL);
	close(fd);
	fd = activations_open();
	actor_start(&a, periodic);
	check_eq(watch(fd, a.tid, HOUR), 0);
	signal_fd(a.go);
	actor_join(&a);
	check_errno(watch(fd, a.tid, HOUR), ESRCH);
	no_permission(fd);
	close(fd);
	monitor_off();
}

/* Starts threads of the user @uid and watches them. Returns how many; all have errno @refusal. */
static unsigned int watch_user(int fd, uid_t uid, unsigned int n, pid_t *pid, int refusal)
{
	unsigned int i, got = 0;

	for (i = 0; i < n; i++) {
		int ready = eventfd(0, EFD_CLOEXEC);

		check(ready >= 0);
		pid[i] = fork();
		check(pid[i] >= 0);
		if (!pid[i]) {
			check(!setuid(uid));
			signal_fd(ready);
			for (;;)
				pause();
		}
		await_fd(ready);
		close(ready);
		if (!watch(fd, pid[i], HOUR))
			got++;
		else
			check_eq(errno, refusal);
	}
	return got;
}

/*
 * Slots: each watch keeps one, and gives it back. Root's watches count for the user whose
 * threads they are: no user takes more than a quarter, and all of them leave the reserve.
 */
TEST(slots)
{
	unsigned int i, got, all = (unsigned int)monitor_stat("slots"), share = all / 4;
	uint64_t no_slot = monitor_stat("no_slot");
	pid_t pid[2048];
	int fd;

	check(all <= 1024);
	set("monitor_enable", "1");
	fd = open("/dev/tlob", O_RDWR);
	got = watch_user(fd, 1000, share + 8, pid, EDQUOT);
	check_eq(got, share);
	check_eq(monitor_stat("no_slot"), no_slot);
	for (i = 1; i < 4; i++)
		got += watch_user(fd, 1000 + i, share, &pid[i * share + 8], ENOSPC);
	check_eq(got, all - all / 8);
	check_eq(monitor_stat("no_slot"), no_slot + all / 8);
	/* also of those that rest */
	check_eq(monitor_stat("used"), got);
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	check_eq(monitor_stat("used"), got + 1);
	check_eq(stop_window(fd), 0);
	for (i = 0; i < all + 8; i++) {
		kill(pid[i], SIGKILL);
		check_eq(waitpid(pid[i], NULL, 0), pid[i]);
	}
	check_eq(monitor_stat("used"), 0);
	check_eq(watch_user(fd, 1000, 1, pid, 0), 1);
	close(fd);
	kill(pid[0], SIGKILL);
	check_eq(waitpid(pid[0], NULL, 0), pid[0]);
	monitor_off();
}

/* Wakes its peer and rests, over and over. */
struct peer {
	int mine, other;
	volatile bool *over;
};

static void *ping(void *arg)
{
	const struct peer *p = arg;

	while (!*p->over) {
		signal_fd(p->other);
		await_fd(p->mine);
	}
	signal_fd(p->other);
	return NULL;
}

/*
 * Threads that wake each other all the time on two CPUs, while files that watch them come
 * and go, and threads exit in an activation: no event is out of order.
 */
TEST(storm)
{
	volatile bool over = false;
	unsigned int seen, round;
	struct tlob_task_activation w;
	struct peer peers[2];
	pthread_t thread[2];
	pid_t tid = getpid();
	int fd, i, fds[2];

	set("monitor_enable", "1");
	for (i = 0; i < 2; i++)
		fds[i] = eventfd(0, EFD_CLOEXEC);
	for (i = 0; i < 2; i++) {
		peers[i] = (struct peer){ fds[i], fds[!i], &over };
		check_eq(pthread_create(&thread[i], NULL, ping, &peers[i]), 0);
	}
	for (round = 0; round < 100; round++) {
		pid_t pid = fork();

		if (!pid) {
			sleep_ns(100 * US);
			_exit(0);
		}
		check(pid > 0);
		fd = activations_open();
		/* the threads have the next tids, as nobody else forks here */
		for (i = 0; i < 8; i++)
			watch(fd, tid + i, i % 2 ? 20 * US : HOUR);
		watch(fd, pid, 20 * US);
		/* not until none is left: a slow CPU makes them as fast as it reads them */
		for (seen = 0; seen < 8; seen += activation_next(fd, &w))
			sleep_ns(100 * US);
		close(fd);
		check_eq(waitpid(pid, NULL, 0), pid);
	}
	over = true;
	for (i = 0; i < 2; i++)
		check_eq(pthread_join(thread[i], NULL), 0);
	monitor_off();
}

/* Returns the ns of one wake-up and the two switches of two threads that are not watched. */
static uint64_t round_trip(void)
{
	volatile bool over = false;
	int fds[2] = { eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC) }, i;
	struct peer peer = { fds[0], fds[1], &over };
	pthread_t thread;
	uint64_t began;

	check_eq(pthread_create(&thread, NULL, ping, &peer), 0);
	for (i = 0; i < 100; i++) {
		await_fd(fds[1]);
		signal_fd(fds[0]);
	}
	began = now_ns();
	for (i = 0; i < 1000; i++) {
		await_fd(fds[1]);
		signal_fd(fds[0]);
	}
	began = now_ns() - began;
	over = true;
	await_fd(fds[1]);
	signal_fd(fds[0]);
	check_eq(pthread_join(thread, NULL), 0);
	close(fds[0]);
	close(fds[1]);
	return began / 1000;
}

#define STACKS		64	/* late activations of a file that have some at once */

static long uid_of_next;

/* Its activation goes on in the nap. */
static void *naps_as_user(void *arg)
{
	struct actor *a = arg;

	pin(0);
	/* of this thread only */
	check_eq(syscall(SYS_setresuid, uid_of_next, uid_of_next, uid_of_next), 0);
	actor_ready(a);
	sleep_ns(2000 * MS);
	await_fd(a->work);
	return NULL;
}

/* Threads of one user that are late leave stacks to those of another one. */
TEST(stacks_are_shared)
{
	static struct actor late[STACKS + 1];
	static const uint32_t call = SYS_read;
	const struct sched_param highest = { .sched_priority = 96 };
	unsigned int i, greedy = 0, other = 0;
	struct tlob_late_activation r;
	int fd = activations_open();

	for (i = 0; i <= STACKS; i++) {
		uid_of_next = i < STACKS ? 1000 : 1001;
		actor_start(&late[i], naps_as_user);
		check_eq(watch_until(fd, late[i].tid, 20 * MS, &call, 1), 0);
	}
	pin(0);
	check_eq(sched_setscheduler(0, SCHED_FIFO, &highest), 0);
	/* they run one after the other, in this order */
	for (i = 0; i <= STACKS; i++)
		signal_fd(late[i].go);
	spin_ns(100 * MS);
	sleep_ns(3000 * MS);
	for (i = 0; i <= STACKS; i++) {
		signal_fd(late[i].work);
		actor_join(&late[i]);
	}
	while (late_activation_next(fd, &r)) {
		if (!r.looked || !(r.activation.window.flags & (TLOB_TASK_ENDED | TLOB_TASK_CUT)))
			continue;
		if (r.activation.window.tid == (__u32)late[STACKS].tid)
			other++;
		else
			greedy++;
	}
	note("%u late activations of one user have stacks, %u of another one", greedy, other);
	check(greedy > 0);
	check(other > 0);
	unpin();
	close(fd);
	monitor_off();
}

/* Threads that are not watched pay little for those that are. */
TEST(cost)
{
	uint64_t off, on, watched, open, own, after;
	struct actor a, b;
	int fd;

	needs_sizes();
	if (!deterministic())
		skip("needs a guest that counts instructions");
	pin(0);
	off = round_trip();
	fd = activations_open();
	on = round_trip();
	actor_start(&a, pooled);
	check_eq(watch(fd, a.tid, HOUR), 0);
	signal_fd(a.go);
	watched = round_trip();
	/* a window by START ends, and the activation of a watched thread is open meanwhile */
	napper_start(&b, fd, 4000 * MS);
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	check_eq(stop_window(fd), 0);
	sleep_ns(3000 * MS);
	open = round_trip();
	note("in an open activation of another thread %llu", (unsigned long long)open);
	check(open <= watched + 40);
	actor_join(&b);
	check_eq(watch(fd, getpid(), HOUR), 0);
	own = round_trip();
	note("two wake-ups and two switches: off %llu, monitor on %llu, another thread watched %llu, one of both %llu",
	     (unsigned long long)off, (unsigned long long)on, (unsigned long long)watched,
	     (unsigned long long)own);
	pooled_end(&a);
	close(fd);
	/* the last watch has taken its probes along; the scheduler's own paths vary a little */
	after = round_trip();
	note("the monitor on again without a watch: %llu", (unsigned long long)after);
	check(after <= on + 40);
	/* for each wake-up and each switch; each of the two switches is noted, with the steal clock */
	check(watched <= (after > on ? after : on) + 4UL * 26 + 2UL * 74);
	unpin();
	monitor_off();
}
