// SPDX-License-Identifier: GPL-2.0
/*
 * A program with regions of a known kind, for tlob-load attach: a region begins at
 * region_start() and ends at region_end().
 *
 *	attach-target sleep N MS	N regions that sleep MS
 *	attach-target spin N MS		N that compute for MS of CPU time
 *	attach-target threads N MS	N that sleep in each of two threads
 *	attach-target fork N MS		N that sleep here, and N in a child
 *	attach-target exit MS		one whose process exits after MS, in it
 *	attach-target forever MS	sleeping ones without end, a line at the first
 *	attach-target hang		one that does not end, a line at the first
 *	attach-target stubborn		the same, and SIGTERM is ignored
 *	attach-target nested N		N starts in one region
 *	attach-target recursive N MS	N regions four deep: the innermost sleeps MS, each has its end
 *	attach-target leave N MS	N regions, which longjmp() leaves from the second call in every third,
 *					and then it sleeps MS
 *	attach-target spawn N MS	N threads, one after the other, with a region each
 *	attach-target exec N MS		one that ends in an exec, of `sleep N MS`
 *	attach-target exec_thread N MS	the same of the second thread, and the first one is in one as well
 *	attach-target hand_over N	N that begin here and end in another thread
 *	attach-target clock N		N in each of two threads, and a line for each: the tid, and the time before
 *					and after its start, and before and after its end
 *	attach-target start | stop	only one of the two
 *	attach-target cost N		prints the mean ns of N regions, of N starts and of N ends
 *	attach-target lock N MS		N that wait for a mutex with priority inheritance, which another thread
 *					named holder has for MS
 *	attach-target libc N MS		N times usleep() and getppid() of the library
 *	attach-target none		no region
 *	attach-target signals		prints whether SIGINT and SIGPIPE are ignored
 *	attach-target probes N MS	N regions that sleep MS, from the static probe target:begin
 *					to target:end, each at two places
 *
 * Exits with 7, to be distinguished from others.
 */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A static probe, as <sys/sdt.h> makes it. */
#define PROBE(name)							\
	__asm__ volatile("990:	nop\n"					\
		"	.pushsection .note.stapsdt, \"\", \"note\"\n"	\
		"	.balign 4\n"					\
		"	.4byte 992f-991f, 994f-993f, 3\n"		\
		"991:	.asciz \"stapsdt\"\n"				\
		"992:	.balign 4\n"					\
		"993:	.8byte 990b, probes_base, 0\n"			\
		"	.asciz \"target\"\n"				\
		"	.asciz \"" name "\"\n"				\
		"	.asciz \"\"\n"					\
		"994:	.balign 4\n"					\
		"	.popsection")

__asm__(".pushsection .stapsdt.base, \"a\"\nprobes_base: .space 1\n.popsection");

/* Not inlined, and not the same code as each other. */
__attribute__((noinline)) void region_start(void);
__attribute__((noinline)) void region_end(void);

static int count, ms;

void region_start(void)
{
	__asm__ volatile("nop");
}

void region_end(void)
{
	__asm__ volatile("nop; nop");
}

static void sleep_ms(void)
{
	usleep((useconds_t)ms * 1000);
}

static void spin_ms(void)
{
	struct timespec ts;
	long long now, end = 0;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		now = ts.tv_sec * 1000000000LL + ts.tv_nsec;
		if (!end)
			end = now + ms * 1000000LL;
	} while (now < end);
}

static void *regions(void *work)
{
	void (*const *run)(void) = work;
	int i;

	for (i = 0; i < count; i++) {
		region_start();
		(*run)();
		region_end();
	}
	return NULL;
}

static void (*sleeping)(void) = sleep_ms;
static void (*spinning)(void) = spin_ms;

static void two_threads(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, regions, &sleeping))
		exit(1);
	regions(&sleeping);
	pthread_join(thread, NULL);
}

static void with_child(void)
{
	pid_t pid = fork();

	regions(&sleeping);
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void tell(void)
{
	puts("in the region");
	fflush(stdout);
}

static void hang(void)
{
	region_start();
	tell();
	for (;;)
		pause();
}

static void stubborn(void)
{
	signal(SIGTERM, SIG_IGN);
	hang();
}

static void forever(void)
{
	tell();
	for (count = 1;;)
		regions(&sleeping);
}

static void nested(void)
{
	int i;

	for (i = 0; i < count; i++)
		region_start();
	region_end();
}

static __attribute__((noinline)) void recurse(int deeper)
{
	region_start();
	if (deeper)
		recurse(deeper - 1);
	else
		sleep_ms();
	region_end();
}

static void recursive(void)
{
	int i;

	for (i = 0; i < count; i++)
		recurse(3);
}

static jmp_buf caught;

static __attribute__((noinline)) void throws(void)
{
	region_start();
	longjmp(caught, 1);
}

static __attribute__((noinline)) void calls(void)
{
	region_start();
	throws();
}

static void leave(void)
{
	volatile int i;

	for (i = 0; i < count; i++) {
		if (setjmp(caught)) {
			sleep_ms();
			continue;
		}
		if (i % 3 == 0)
			calls();
		region_start();
		region_end();
	}
}

static void exec_inside(void)
{
	char n[16], time[16];

	snprintf(n, sizeof(n), "%d", count);
	snprintf(time, sizeof(time), "%d", ms);
	region_start();
	execl("/proc/self/exe", "attach-target", "sleep", n, time, NULL);
}

static void *exec_there(void *unused)
{
	usleep(10000);
	exec_inside();
	return unused;
}

static void exec_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec_there, NULL))
		exit(1);
	region_start();
	pthread_join(thread, NULL);
}

static void spawn(void)
{
	pthread_t thread;
	int i, n = count;

	for (i = 0; i < n; i++) {
		count = 1;
		if (pthread_create(&thread, NULL, regions, &sleeping))
			exit(1);
		pthread_join(thread, NULL);
	}
}

static sem_t begun, ended;

static void *ends_all(void *unused)
{
	int i;

	for (i = 0; i < count; i++) {
		sem_wait(&begun);
		region_end();
		sem_post(&ended);
	}
	return unused;
}

static void hand_over(void)
{
	pthread_t thread;
	int i;

	if (pthread_create(&thread, NULL, ends_all, NULL))
		exit(1);
	for (i = 0; i < count; i++) {
		region_start();
		sem_post(&begun);
		sem_wait(&ended);
	}
	pthread_join(thread, NULL);
}

static long long clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Of all lengths: some sleep, some run for a while, most do nothing. */
static void *clocked(void *unused)
{
	long long before, inside, ending;
	int i, k;

	for (i = 0; i < count; i++) {
		before = clock_ns();
		region_start();
		inside = clock_ns();
		if (i % 50 == 0)
			usleep(1000);
		for (k = 0; i % 10 == 0 && k < 100; k++)
			clock_ns();
		ending = clock_ns();
		region_end();
		printf("%d %lld %lld %lld %lld\n", (int)syscall(SYS_gettid), before, inside, ending, clock_ns());
	}
	return unused;
}

static void in_two_threads(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, clocked, NULL))
		exit(1);
	clocked(NULL);
	pthread_join(thread, NULL);
}

/* The ends come first: no start is before them. Of the starts each leaves the one before. */
static void cost(void)
{
	long long times[4];
	int i;

	times[0] = clock_ns();
	for (i = 0; i < count; i++)
		region_end();
	times[1] = clock_ns();
	for (i = 0; i < count; i++) {
		region_start();
		region_end();
	}
	times[2] = clock_ns();
	for (i = 0; i < count; i++)
		region_start();
	times[3] = clock_ns();
	printf("%lld %lld %lld\n", (times[2] - times[1]) / count, (times[3] - times[2]) / count,
	       (times[1] - times[0]) / count);
}

static pthread_mutex_t mutex;

static void *holds(void *unused)
{
	int i;

	prctl(PR_SET_NAME, "holder");
	for (i = 0; i < count; i++) {
		pthread_mutex_lock(&mutex);
		sem_post(&begun);
		sleep_ms();
		pthread_mutex_unlock(&mutex);
		sem_wait(&ended);
	}
	return unused;
}

static void lock(void)
{
	pthread_mutexattr_t inherits;
	pthread_t thread;
	int i;

	pthread_mutexattr_init(&inherits);
	pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
	if (pthread_mutex_init(&mutex, &inherits) || pthread_create(&thread, NULL, holds, NULL))
		exit(1);
	for (i = 0; i < count; i++) {
		sem_wait(&begun);
		region_start();
		pthread_mutex_lock(&mutex);
		region_end();
		pthread_mutex_unlock(&mutex);
		sem_post(&ended);
	}
	pthread_join(thread, NULL);
}

static void libc(void)
{
	int i;

	for (i = 0; i < count; i++) {
		sleep_ms();
		getppid();
	}
}

static void exit_inside(void)
{
	ms = count;
	region_start();
	sleep_ms();
	_exit(7);
}

static void show_signals(void)
{
	struct sigaction interrupt, broken_pipe;

	sigaction(SIGINT, NULL, &interrupt);
	sigaction(SIGPIPE, NULL, &broken_pipe);
	printf("SIGINT %s, SIGPIPE %s\n",
	       interrupt.sa_handler == SIG_IGN ? "ignored" : "default",
	       broken_pipe.sa_handler == SIG_IGN ? "ignored" : "default");
	region_start();
	region_end();
}

static void sleep_regions(void)
{
	regions(&sleeping);
}

static void spin_regions(void)
{
	regions(&spinning);
}

/* A template turns one probe into a place for each kind of region. */
#define PROBED_REGION(name, code)					\
static __attribute__((noinline)) void name(void)			\
{									\
	PROBE("begin");							\
	sleep_ms();							\
	__asm__ volatile(code);						\
	PROBE("end");							\
}

PROBED_REGION(probed_int, "nop")
PROBED_REGION(probed_float, "nop; nop")

static void probes(void)
{
	int i;

	for (i = 0; i < count; i++)
		if (i % 3)
			probed_int();
		else
			probed_float();
}

static void none(void)
{
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "sleep", sleep_regions }, { "spin", spin_regions },
	{ "threads", two_threads }, { "fork", with_child },
	{ "exit", exit_inside }, { "forever", forever }, { "hang", hang },
	{ "stubborn", stubborn }, { "nested", nested },
	{ "start", region_start }, { "stop", region_end }, { "libc", libc },
	{ "recursive", recursive }, { "leave", leave }, { "exec", exec_inside },
	{ "exec_thread", exec_thread }, { "hand_over", hand_over }, { "clock", in_two_threads },
	{ "spawn", spawn }, { "cost", cost }, { "lock", lock },
	{ "none", none }, { "signals", show_signals }, { "probes", probes },
};

int main(int argc, char **argv)
{
	size_t i;

	count = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1;
	ms = argc > 3 ? (int)strtol(argv[3], NULL, 10) : count;
	for (i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 7;
		}
	fprintf(stderr, "usage: attach-target MODE [N] [MS]\n");
	return 1;
}
