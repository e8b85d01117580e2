// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose requests change threads, for tlob-load attach --key.
 *
 *	keys queue N MS		N requests: this thread computes MS of CPU time for each, and a worker sleeps MS
 *	keys made N MS		the same; make_request() returns the request as it begins
 *	keys one N MS		N on this thread, which sleeps MS in each
 *	keys two N		N pairs on this thread: both begin, then both end
 *	keys recursive N	N on this thread, four deep
 *	keys again N		N begin on this thread with the same number, and the last one ends
 *	keys ends N		N end that have not begun
 *	keys endless N MS	N begin, and none ends; then it sleeps MS
 *	keys exec N MS		one that an exec leaves, of `queue N MS`
 *
 * For each request it prints a line: its number, the tids of both threads, and the ns of CLOCK_MONOTONIC
 * before and after its begin, as the first thread handed it over, as the second one had it, and before and
 * after its end.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct request {
	long	 nr;
	long long begins, begun, handed, taken, ends, ended;
	int	 from, to;
};

/* Not inlined, and not the same code as each other. */
__attribute__((noinline)) void request_begins(struct request *r, long nr);
__attribute__((noinline)) void request_ends(struct request *r, long nr);
__attribute__((noinline)) struct request *make_request(long nr);

static long count, ms;
static struct request *all;
static int queue[2];

void request_begins(struct request *r, long nr)
{
	__asm__ volatile("nop" : : "r" (r), "r" (nr));
}

void request_ends(struct request *r, long nr)
{
	__asm__ volatile("nop; nop" : : "r" (r), "r" (nr));
}

struct request *make_request(long nr)
{
	__asm__ volatile("nop; nop; nop");
	return &all[nr];
}

/* With @nr where a Go program has its goroutine. */
static void call(void (*f)(struct request *r, long nr), struct request *r, long nr)
{
#if defined(__x86_64__)
	register long g __asm__("r14") = nr;
#else
	register long g __asm__("x28") = nr;
#endif

	__asm__ volatile("" : "+r" (g));
	f(r, nr);
	__asm__ volatile("" : : "r" (g));
}

static long long now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void compute(void)
{
	long long end = now(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000LL;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void begin(struct request *r, long nr)
{
	r->nr = nr;
	r->from = (int)syscall(SYS_gettid);
	r->begins = now(CLOCK_MONOTONIC);
	call(request_begins, r, nr);
	r->begun = now(CLOCK_MONOTONIC);
}

static void end(struct request *r, long nr)
{
	r->to = (int)syscall(SYS_gettid);
	r->ends = now(CLOCK_MONOTONIC);
	call(request_ends, r, nr);
	r->ended = now(CLOCK_MONOTONIC);
}

static void tell(const struct request *r)
{
	printf("%ld %d %d %lld %lld %lld %lld %lld %lld\n", r->nr, r->from, r->to, r->begins, r->begun, r->handed, r->taken,
	       r->ends, r->ended);
}

static void *work(void *unused)
{
	struct request *r;
	long i;

	for (i = 0; i < count && read(queue[0], &r, sizeof(r)) == sizeof(r); i++) {
		r->taken = now(CLOCK_MONOTONIC);
		usleep((useconds_t)ms * 1000);
		end(r, r->nr);
	}
	return unused;
}

static void requests(int is_made)
{
	pthread_t worker;
	long i;

	if (pipe(queue) || pthread_create(&worker, NULL, work, NULL))
		exit(1);
	for (i = 0; i < count; i++) {
		struct request *r = &all[i];

		if (is_made) {
			r->nr = i;
			r->from = (int)syscall(SYS_gettid);
			r->begins = now(CLOCK_MONOTONIC);
			r = make_request(i);
			r->begun = now(CLOCK_MONOTONIC);
		} else {
			begin(r, i);
		}
		compute();
		r->handed = now(CLOCK_MONOTONIC);
		if (write(queue[1], &r, sizeof(r)) != sizeof(r))
			exit(1);
		/* as one that waits for its next connection */
		usleep(3000 + (useconds_t)ms * 1000);
	}
	pthread_join(worker, NULL);
	for (i = 0; i < count; i++)
		tell(&all[i]);
}

static __attribute__((noinline)) void recurse(struct request *r, int deeper)
{
	request_begins(r, r->nr);
	if (deeper)
		recurse(r, deeper - 1);
	else
		usleep(1000);
	request_ends(r, r->nr);
}

static void on_this_thread(const char *how)
{
	long i;

	for (i = 0; i < count; i++) {
		struct request *r = &all[i];

		r->nr = i;
		if (!strcmp(how, "one") || !strcmp(how, "two") || !strcmp(how, "endless"))
			begin(r, i);
		if (!strcmp(how, "two"))
			begin(r + count, i + count);
		if (!strcmp(how, "again"))
			begin(all, 0);
		if (!strcmp(how, "recursive"))
			recurse(r, 3);
		if (!strcmp(how, "one"))
			usleep((useconds_t)ms * 1000);
		if (!strcmp(how, "one") || !strcmp(how, "two") || !strcmp(how, "ends"))
			end(r, i);
		if (!strcmp(how, "two"))
			end(r + count, i + count);
	}
	if (!strcmp(how, "again"))
		end(all, 0);
	if (!strcmp(how, "endless"))
		usleep((useconds_t)ms * 1000);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 1;
	count = atol(argv[2]);
	ms = argc > 3 ? atol(argv[3]) : 1;
	all = calloc((size_t)count * 2, sizeof(*all));
	if (!all)
		return 1;
	if (!strcmp(argv[1], "queue") || !strcmp(argv[1], "made")) {
		requests(!strcmp(argv[1], "made"));
	} else if (!strcmp(argv[1], "exec")) {
		begin(all, 0);
		execl("/proc/self/exe", argv[0], "queue", argv[2], argv[3], NULL);
		return 1;
	} else {
		on_this_thread(argv[1]);
	}
	return 0;
}
