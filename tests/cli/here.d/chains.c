// SPDX-License-Identifier: GPL-2.0
/*
 * A thread whose cycles are late because of a chain of others. In each of CYCLES of 10 ms "watched"
 * asks "first" for something, which asks "second", which wakes "watched". LINK is how they ask.
 * "first" computes for 4 ms, "second" for 0.2 ms, unless the LINK is one of
 *
 *	mutex	"first" has a plain mutex while it computes, "second" has it next, then "watched"
 *	hog	both compute for 0.2 ms, and "hog" of a higher priority has the CPU of "first" for 4 ms
 *	nap	"second" sleeps for 4 ms
 *	child	"watched" has a child by vfork(), which computes for 4 ms
 *
 * chains LINK CYCLES: prints the tid of "watched", and begins when its stdin ends or has a line.
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS	1000000
#define PERIOD	(10 * MS)

enum { FIRST, SECOND, WATCHED, HOG, STATIONS };

static const char *const names[STATIONS] = { "first", "second", "watched", "hog" };

struct station {
	int	 in, out, epoll;	/* in == out: an eventfd */
	uint32_t word;			/* futex */
	sem_t	 sem;
	pid_t	 tid;
};

static struct station station[STATIONS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t locked[STATIONS], done;
static const char *link_;
static long cycles;

static int is(const char *name)
{
	return !strcmp(link_, name);
}

/* On the CPU, not by the clock: who else has it adds to that. */
static void compute(long ns)
{
	struct timespec a, b;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	while ((b.tv_sec - a.tv_sec) * 1000 * MS + b.tv_nsec - a.tv_nsec < ns);
}

static void nap(long ns)
{
	const struct timespec t = { .tv_nsec = ns };

	nanosleep(&t, NULL);
}

/* Over loopback. */
static void connect_tcp(int fd[2])
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int server = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(at);

	fd[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(server, (struct sockaddr *)&at, size) || listen(server, 1) ||
	    getsockname(server, (struct sockaddr *)&at, &size) || connect(fd[1], (struct sockaddr *)&at, size))
		err(1, "tcp");
	fd[0] = accept(server, NULL, NULL);
}

static void open_link(struct station *s)
{
	struct epoll_event e = { .events = EPOLLIN };
	int fd[2] = { -1, -1 };

	sem_init(&s->sem, 0, 0);
	if (is("tcp"))
		connect_tcp(fd);
	else if (is("socket") ? socketpair(AF_UNIX, SOCK_STREAM, 0, fd) : pipe(fd))
		err(1, "%s", link_);
	s->in = fd[0];
	s->out = fd[1];
	if (is("eventfd") || is("epoll"))
		s->in = s->out = eventfd(0, 0);
	s->epoll = epoll_create1(0);
	if (s->epoll < 0 || epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->in, &e))
		err(1, "epoll");
}

static void ask(struct station *s)
{
	uint64_t one = 1;

	if (is("futex")) {
		__atomic_store_n(&s->word, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &s->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	} else if (is("semaphore") || is("mutex") || is("hog") || is("nap")) {
		sem_post(&s->sem);
	} else if (is("signal")) {
		syscall(SYS_tgkill, getpid(), s->tid, SIGUSR1);
	} else if (write(s->out, &one, 8) != 8) {
		err(1, "write");
	}
}

static void wait_for(struct station *s)
{
	struct epoll_event e;
	uint64_t one;
	sigset_t set;
	int signal;

	if (is("futex")) {
		while (!__atomic_exchange_n(&s->word, 0, __ATOMIC_SEQ_CST))
			syscall(SYS_futex, &s->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	} else if (is("semaphore") || is("mutex") || is("hog") || is("nap")) {
		while (sem_wait(&s->sem))
			;
	} else if (is("signal")) {
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigwait(&set, &signal);
	} else {
		if (is("epoll"))
			epoll_wait(s->epoll, &e, 1, -1);
		if (read(s->in, &one, 8) != 8)
			err(1, "read");
	}
}

static void with_mutex(const struct station *s, long ns)
{
	pthread_mutex_lock(&mutex);
	sem_post(&locked[s - station]);
	compute(ns);
	pthread_mutex_unlock(&mutex);
}

static void serve(struct station *s, int nr)
{
	wait_for(s);
	if (nr == HOG) {
		compute(4 * MS);
		return;
	}
	if (is("mutex")) {
		with_mutex(s, nr == FIRST ? 4 * MS : MS / 20);
		return;
	}
	if (is("nap") && nr == SECOND)
		nap(4 * MS);
	compute(nr == FIRST && !is("hog") && !is("nap") ? 4 * MS : MS / 5);
	ask(&station[nr + 1]);
}

/* By priority: what the machine permits. */
static void begin(int nr)
{
	struct sched_param p = { .sched_priority = nr == HOG ? 30 : nr == WATCHED || (nr == SECOND && is("mutex")) ? 20 : 10 };
	int cpu = sched_getcpu(), n = CPU_SETSIZE;
	cpu_set_t set;

	pthread_setname_np(pthread_self(), names[nr]);
	station[nr].tid = gettid();
	sched_setscheduler(0, SCHED_FIFO, &p);
	if (!is("hog") && !is("cpus"))
		return;
	/* "first" and "hog" share a CPU; the others another one, if there is one */
	sched_getaffinity(0, sizeof(set), &set);
	for (cpu = 0; cpu < n && !CPU_ISSET(cpu, &set); cpu++)
		;
	if (nr == SECOND || nr == WATCHED)
		for (n = cpu + 1; n < CPU_SETSIZE && !CPU_ISSET(n, &set); n++)
			;
	if (n < CPU_SETSIZE)
		cpu = n;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *helper(void *of)
{
	struct station *s = of;
	int nr = (int)(s - station);
	long i;

	begin(nr);
	sem_post(&done);
	for (i = 0; i < cycles; i++)
		serve(s, nr);
	return NULL;
}

/* "first" has the lock before "second" waits for it, and that one before "watched" does. */
static void cycle_of_mutex(void)
{
	sem_post(&station[FIRST].sem);
	sem_wait(&locked[FIRST]);
	sem_post(&station[SECOND].sem);
	nap(MS / 2);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	sem_wait(&locked[SECOND]);
}

static void cycle_of_child(void)
{
	pid_t pid = vfork();

	if (!pid) {
		prctl(PR_SET_NAME, "child");
		compute(4 * MS);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void *watched(void *of)
{
	struct timespec at;
	long i;

	begin(WATCHED);
	printf("%d\n", gettid());
	fflush(stdout);
	getchar();
	clock_gettime(CLOCK_MONOTONIC, &at);
	for (i = 0; i < cycles; i++) {
		at.tv_nsec += PERIOD;
		at.tv_sec += at.tv_nsec / (1000 * MS);
		at.tv_nsec %= 1000 * MS;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		if (is("hog"))
			ask(&station[HOG]);
		if (is("mutex")) {
			cycle_of_mutex();
		} else if (is("child")) {
			cycle_of_child();
		} else {
			ask(&station[FIRST]);
			wait_for(&station[WATCHED]);
		}
	}
	return of;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	sigset_t set;
	int i;

	if (argc != 3)
		errx(1, "chains LINK CYCLES");
	link_ = argv[1];
	cycles = atol(argv[2]);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < STATIONS; i++) {
		open_link(&station[i]);
		sem_init(&locked[i], 0, 0);
	}
	sem_init(&done, 0, 0);
	for (i = 0; i < STATIONS; i++) {
		if (i == WATCHED)
			continue;
		if (i != HOG || is("hog")) {
			pthread_create(&thread, NULL, helper, &station[i]);
			sem_wait(&done);
		}
	}
	pthread_create(&thread, NULL, watched, NULL);
	pthread_join(thread, NULL);
	return 0;
}
