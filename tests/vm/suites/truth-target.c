// SPDX-License-Identifier: GPL-2.0
/*
 * truth-target - what the cases of tests/vm/suites/truth are made of
 *
 *	truth-target cycle CASE [PRIORITY]	a FIFO 50 thread, each 10 ms: a region of 1 ms, from
 *					region_start() to region_end(), for ever. In each fourth
 *					one CASE happens, for 4 ms more. Priority 0: the default policy;
 *					-1: SCHED_DEADLINE with 0.3 ms of each 10 ms
 *	truth-target noise [KIND NS]...	interruptions of tlob_inject at once, each 41 ms
 *	truth-target hog NAME PRIORITY	a FIFO thread computes for 4 ms, each 41 ms; priority 0: a
 *					SCHED_DEADLINE one
 *	truth-target chain		hog of FIFO 60; then it wakes blip of FIFO 55, which takes 20 us
 *	truth-target exit		a FIFO 60 child touches memory for 4 ms and exits, each 41 ms
 *	truth-target stop PID		stops PID for 4 ms, each 41 ms
 *	truth-target freeze FILE	freezes the group of cgroup.freeze for 4 ms, each 41 ms
 *	truth-target load		computes for ever, with the default policy
 *
 * "cycle" prints its pid first. CASE is "none" or a name in happen() or begin() below.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MSEC	1000000ULL
#define PERIOD	(10 * MSEC)
#define WORK	MSEC
#define LATE	(4 * MSEC)
#define NOISE	(41 * MSEC)	/* ten of them meet each ms of a period */
#define OWN_RUNTIME	(3 * MSEC / 10)
#define FAULTS	((size_t)4 << 20)

static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static uint32_t word;
static sem_t semaphore;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int fds[2], begins[2], timer = -1, events = -1;

__attribute__((noinline)) void region_start(void);
__attribute__((noinline)) void region_end(void);
void region_start(void)
{
	__asm__ volatile("nop");
}

void region_end(void)
{
	__asm__ volatile("nop; nop");
}

static void failed(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000 * MSEC + (uint64_t)t.tv_nsec;
}

static struct timespec time_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / (1000 * MSEC)), .tv_nsec = (long)(ns % (1000 * MSEC)) };
}

static void sleep_until_on(clockid_t clock, uint64_t at)
{
	const struct timespec t = time_of(at);

	while (clock_nanosleep(clock, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static void sleep_until(uint64_t at)
{
	sleep_until_on(CLOCK_MONOTONIC, at);
}

/* Of the thread's own time: another one does not shorten it. */
static void compute(uint64_t ns)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void become(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, priority ? SCHED_FIFO : SCHED_OTHER, &param))
		failed("sched_setscheduler");
}

/* As in <linux/sched/types.h>. A file cannot include that and <sched.h>. */
struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t	 nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static void become_deadline(uint64_t runtime, uint64_t deadline, uint64_t period)
{
	const struct attr attr = {
		.size = sizeof(attr), .policy = 6, .runtime = runtime, .deadline = deadline,
		.period = period,
	};

	if (syscall(SYS_sched_setattr, 0, &attr, 0))
		failed("sched_setattr");
}

static void on_signal(int signal)
{
	(void)signal;
	compute(LATE);
}

static long futex(int op, uint32_t value)
{
	return syscall(SYS_futex, &word, op, value, NULL, NULL, 0);
}

static bool is(const char *what, const char *one)
{
	return !strcmp(what, one);
}

static bool is_lock(const char *what)
{
	return is(what, "mutex") || is(what, "inherit") || is(what, "inversion") || is(what, "robust") ||
	       is(what, "rwlock") || is(what, "handover");
}

/* Takes the lock just before the cycle, and keeps it for LATE behind its begin. */
static void *hold(void *arg)
{
	const char *what = arg;
	bool spin = is(what, "inherit") || is(what, "inversion");

	prctl(PR_SET_NAME, "holder");
	become(spin ? 0 : 40);
	for (;;) {
		while (!__atomic_load_n(&word, __ATOMIC_ACQUIRE))
			usleep(200);
		if (is(what, "rwlock"))
			pthread_rwlock_wrlock(&rwlock);
		else
			pthread_mutex_lock(&mutex);
		__atomic_store_n(&word, 2, __ATOMIC_RELEASE);
		while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 2)
			usleep(200);
		if (spin)
			compute(LATE);
		else
			usleep(LATE / 1000);
		if (is(what, "rwlock"))
			pthread_rwlock_unlock(&rwlock);
		else
			pthread_mutex_unlock(&mutex);
		__atomic_store_n(&word, 0, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Waits for the mutex before the cycle does, and gives it on at once. */
static void *hand_over(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "relay");
	become(55);
	for (;;) {
		while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) != 2)
			usleep(500);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

/* What another thread does a while after this one begins to wait for it. */
static void *answer(void *what)
{
	const char *how = what;
	char bytes[4096];

	prctl(PR_SET_NAME, "answerer");
	become(55);
	for (;;) {
		while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) != 1)
			usleep(500);
		usleep(LATE / 1000);
		__atomic_store_n(&word, 0, __ATOMIC_RELEASE);
		if (is(how, "futex"))
			futex(FUTEX_WAKE_PRIVATE, 1);
		else if (is(how, "semaphore") || is(how, "events"))
			sem_post(&semaphore);
		else if (is(how, "condition"))
			pthread_cond_signal(&condition);
		else if (is(how, "pipe") && read(fds[0], bytes, sizeof(bytes)) < 0)
			failed("read");
		else if ((is(how, "poll") || is(how, "socket")) && write(fds[1], "", 1) < 0)
			failed("write");
	}
	return NULL;
}

/* Begins each cycle. */
static void *feed(void *unused)
{
	uint64_t at = now(CLOCK_MONOTONIC);

	(void)unused;
	prctl(PR_SET_NAME, "feeder");
	become(60);
	for (;;) {
		sleep_until(at += PERIOD);
		if (write(begins[1], "", 1) < 0)
			failed("write");
	}
	return NULL;
}

static void start(void *(*thread)(void *), const void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, thread, (void *)arg))
		failed("pthread_create");
}

/* A timer begins each cycle: of CLOCK_REALTIME, or of CLOCK_MONOTONIC by a signal, which is blocked. */
static void start_timer(const char *what)
{
	const struct itimerspec each = { .it_value = time_of(PERIOD), .it_interval = time_of(PERIOD) };
	struct epoll_event in = { .events = EPOLLIN };
	timer_t id;
	sigset_t set;

	if (is(what, "posix_timer")) {
		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		if (sigprocmask(SIG_BLOCK, &set, NULL) || timer_create(CLOCK_MONOTONIC, NULL, &id) ||
		    timer_settime(id, 0, &each, NULL))
			failed("timer_create");
		return;
	}
	timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);
	events = epoll_create1(EPOLL_CLOEXEC);
	if (timer < 0 || events < 0 || timerfd_settime(timer, 0, &each, NULL) ||
	    epoll_ctl(events, EPOLL_CTL_ADD, timer, &in))
		failed("timerfd");
}

static void prepare(const char *what)
{
	pthread_mutexattr_t attr;
	char bytes[4096] = "";

	pthread_mutexattr_init(&attr);
	if (is(what, "inherit") || is(what, "handover"))
		pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	if (is(what, "robust"))
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&mutex, &attr);
	sem_init(&semaphore, 0, 0);
	if (is(what, "socket") ? socketpair(AF_UNIX, SOCK_STREAM, 0, fds) : pipe(fds))
		failed("pipe");
	if (is(what, "pipe")) {
		fcntl(fds[1], F_SETPIPE_SZ, 4096);
		if (write(fds[1], bytes, sizeof(bytes)) < 0)
			failed("write");
	}
	if (is(what, "handover"))
		start(hand_over, NULL);
	if (is_lock(what))
		start(hold, what);
	else if (is(what, "futex") || is(what, "poll") || is(what, "semaphore") || is(what, "condition") ||
		 is(what, "pipe") || is(what, "socket") || is(what, "events"))
		start(answer, what);
	if (is(what, "events") && !pipe(begins))
		start(feed, NULL);
	if (is(what, "timerfd") || is(what, "epoll") || is(what, "posix_timer"))
		start_timer(what);
	signal(SIGUSR1, on_signal);
}

/* The other side has its lock when the cycle begins. */
static void before(const char *what)
{
	if (!is_lock(what))
		return;
	__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) != 2)
		usleep(500);
}

/* Returns FAULTS bytes. */
static void *touch(void)
{
	char *memory = mmap(NULL, FAULTS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	if (memory == MAP_FAILED)
		failed("mmap");
	for (i = 0; i < FAULTS; i += 4096)
		memory[i] = 1;
	return memory;
}

static void read_zeroes(void)
{
	static char bytes[1 << 16];
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + LATE;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		if (read(fd, bytes, sizeof(bytes)) < 0)
			failed("/dev/zero");
	close(fd);
}

static void await_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		usleep(LATE / 1000);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) < 0)
		failed("child");
}

static void happen(const char *what)
{
	struct pollfd in = { .fd = fds[0], .events = POLLIN };
	char bytes[4096] = "";

	if (is(what, "grow")) {
		compute(LATE);
	} else if (is(what, "signal")) {
		raise(SIGUSR1);
	} else if (is(what, "fault")) {
		munmap(touch(), FAULTS);
	} else if (is(what, "syscall")) {
		read_zeroes();
	} else if (is(what, "child")) {
		await_child();
	} else if (is(what, "rwlock")) {
		__atomic_store_n(&word, 3, __ATOMIC_RELEASE);
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
	} else if (is_lock(what)) {
		__atomic_store_n(&word, 3, __ATOMIC_RELEASE);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	} else if (is(what, "futex")) {
		__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 1)
			futex(FUTEX_WAIT_PRIVATE, 1);
	} else if (is(what, "semaphore") || is(what, "events")) {
		__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
		while (sem_wait(&semaphore))
			;
	} else if (is(what, "condition")) {
		__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
		pthread_mutex_lock(&mutex);
		pthread_cond_wait(&condition, &mutex);
		pthread_mutex_unlock(&mutex);
	} else if (is(what, "pipe")) {
		__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
		if (write(fds[1], bytes, sizeof(bytes)) < 0)
			failed("write");
	} else if (is(what, "poll") || is(what, "socket")) {
		__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
		if (is(what, "poll"))
			poll(&in, 1, -1);
		if (read(fds[0], bytes, 1) < 0)
			failed("read");
	} else if (is(what, "sleep")) {
		usleep(LATE / 1000);
	}
}

/* Waits for the next cycle, which is due at @at if nothing else begins it. */
static void begin(const char *what, uint64_t at)
{
	struct epoll_event in;
	uint64_t bytes;
	sigset_t set;

	if (is(what, "events")) {
		if (read(begins[0], &bytes, 1) < 0)
			failed("read");
	} else if (is(what, "posix_timer")) {
		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		sigwaitinfo(&set, NULL);
	} else if (is(what, "yield")) {
		sched_yield();
	} else if (is(what, "tai")) {
		sleep_until_on(CLOCK_TAI, at + now(CLOCK_TAI) - now(CLOCK_MONOTONIC));
	} else if (timer >= 0) {
		if (is(what, "epoll"))
			epoll_wait(events, &in, 1, -1);
		if (read(timer, &bytes, sizeof(bytes)) < 0)
			failed("timerfd");
	} else {
		sleep_until(at);
	}
}

static void cycle(const char *what, int priority)
{
	uint64_t at = now(CLOCK_MONOTONIC) + PERIOD;
	unsigned int n;

	if (is(what, "yield"))
		become_deadline(PERIOD / 2, PERIOD, PERIOD);
	else if (priority < 0)
		become_deadline(OWN_RUNTIME, PERIOD, PERIOD);
	else
		become(priority);
	prepare(what);
	printf("%d\n", getpid());
	fflush(stdout);
	for (n = 0; ; n++, at += PERIOD) {
		bool now_it = n % 4 == 3;

		if (now_it)
			before(what);
		while (at < now(CLOCK_MONOTONIC))
			at += PERIOD;
		begin(what, at);
		region_start();
		compute(WORK);
		if (now_it)
			happen(what);
		region_end();
	}
}

/* @of: @n words, a kind and its ns after each other. */
static void inject(char **of, int n)
{
	int fd = open("/sys/kernel/debug/tlob_inject/plan", O_WRONLY), used, i;
	uint64_t at = now(CLOCK_MONOTONIC);
	char lines[400];

	if (fd < 0)
		failed("plan");
	become(1);
	for (;; at += NOISE) {
		while (at < now(CLOCK_MONOTONIC) + 20 * MSEC)
			at += NOISE;
		for (i = used = 0; i < n; i += 2)
			used += snprintf(lines + used, sizeof(lines) - (size_t)used, "%s %llu %s\n", of[i],
					 (unsigned long long)at, of[i + 1]);
		if (write(fd, lines, (size_t)used) < 0)
			failed("plan");
		sleep_until(at + 10 * MSEC);
	}
}

static uint32_t turn;

static void *blip(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "blip");
	become(55);
	for (;;) {
		syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
		__atomic_store_n(&turn, 0, __ATOMIC_RELEASE);
		compute(20000);
	}
	return NULL;
}

static void hog(const char *name, int priority, bool chain)
{
	uint64_t at = now(CLOCK_MONOTONIC);

	prctl(PR_SET_NAME, name);
	if (chain)
		start(blip, NULL);
	if (priority)
		become(priority);
	else
		become_deadline(3 * LATE / 2, 2 * LATE, NOISE / 2);
	for (;; at += NOISE) {
		sleep_until(at);
		compute(LATE);
		if (chain) {
			__atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
			syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		}
	}
}

static void exits(void)
{
	uint64_t at = now(CLOCK_MONOTONIC);
	pid_t pid;

	prctl(PR_SET_NAME, "exits");
	become(60);
	for (;; at += NOISE) {
		sleep_until(at);
		pid = fork();
		if (!pid) {
			touch();
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			failed("child");
	}
}

static void stop(pid_t pid)
{
	uint64_t at = now(CLOCK_MONOTONIC);

	become(70);
	for (;; at += NOISE) {
		sleep_until(at);
		kill(pid, SIGSTOP);
		sleep_until(at + LATE);
		kill(pid, SIGCONT);
	}
}

static void freeze(const char *path)
{
	uint64_t at = now(CLOCK_MONOTONIC);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	become(70);
	for (;; at += NOISE) {
		sleep_until(at);
		if (write(fd, "1", 1) < 0)
			failed(path);
		sleep_until(at + LATE);
		if (write(fd, "0", 1) < 0)
			failed(path);
	}
}

static int number(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if ((argc == 3 || argc == 4) && is(what, "cycle"))
		cycle(argv[2], argc == 4 ? number(argv[3]) : 50);
	else if (argc >= 4 && argc % 2 == 0 && is(what, "noise"))
		inject(argv + 2, argc - 2);
	else if (argc == 4 && is(what, "hog"))
		hog(argv[2], number(argv[3]), false);
	else if (argc == 2 && is(what, "chain"))
		hog("hog", 60, true);
	else if (argc == 2 && is(what, "exit"))
		exits();
	else if (argc == 3 && is(what, "stop"))
		stop(number(argv[2]));
	else if (argc == 3 && is(what, "freeze"))
		freeze(argv[2]);
	else if (argc == 2 && is(what, "load"))
		for (prctl(PR_SET_NAME, "load"); ;)
			;
	fprintf(stderr, "truth-target: see its first lines\n");
	return 129;
}
