// SPDX-License-Identifier: GPL-2.0
/*
 * waits-pool THREADS ROUNDS: a pool of at most 4096 threads that sleeps at eight depths and meets
 * at a barrier, again and again. All threads sleep at the same time, and wake in bursts.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define MOST	4096

static pthread_t thread[MOST];
static unsigned int seed[MOST];
static pthread_barrier_t barrier;
static long rounds;

__attribute__((noinline)) static int deep(int n)
{
	struct timespec ts = { .tv_nsec = 20000000 };
	volatile int pad = n;

	if (n)
		return deep(n - 1) + pad;
	nanosleep(&ts, NULL);
	return 1;
}

static void *work(void *own)
{
	long i;

	for (i = 0; i < rounds; i++) {
		deep(rand_r(own) % 8);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long threads = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, i;

	if (!threads || threads > MOST)
		return 129;
	rounds = strtol(argv[2], NULL, 10);
	pthread_barrier_init(&barrier, NULL, (unsigned int)threads);
	for (i = 0; i < threads; i++) {
		seed[i] = (unsigned int)i;
		if (pthread_create(&thread[i], NULL, work, &seed[i]))
			return 1;
	}
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
