// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that the wait profiler and offcputime agree on threads that sleep in known ways. Both
 * measure the same sleeps. Needs tlob_load, and offcputime. Prints lines "SLEEPER WHAT us":
 *
 *	own		the time of all its calls that sleep, by its own clock
 *	module		blocked and runnable time of the thread, in `waits`
 *	offcputime	the time that it was off its CPU
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "beside.h"
#include "measure.h"

#define SLEEPS	200
#define FOUND	"/offcputime.txt"

static int ends[2];

static void by_nanosleep(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
}

static void by_futex(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 5000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&cond, &mutex, &until);
	pthread_mutex_unlock(&mutex);
}

static void by_poll(void)
{
	poll(NULL, 0, 7);
}

static void by_pipe(void)
{
	char c;

	if (read(ends[0], &c, 1) != 1)
		die("read");
}

static struct sleeper {
	const char *name;
	void (*sleeps)(void);
	pthread_t thread;
	pid_t tid;
	double own, module, offcputime;	/* us */
} sleepers[] = {
	{ .name = "nanosleep", .sleeps = by_nanosleep }, { .name = "futex", .sleeps = by_futex },
	{ .name = "poll", .sleeps = by_poll }, { .name = "pipe", .sleeps = by_pipe },
};

#define SLEEPERS	(sizeof(sleepers) / sizeof(*sleepers))

static void *sleeper(void *arg)
{
	struct sleeper *s = arg;
	uint64_t began;
	int i;

	pin();
	be(10);
	s->tid = gettid();
	for (i = 0; i < SLEEPS; i++) {
		began = now_ns();
		s->sleeps();
		s->own += (now_ns() - began) / 1e3;
	}
	return NULL;
}

static void all_sleep(void)
{
	unsigned int i;

	for (i = 0; i < SLEEPERS; i++)
		if (pthread_create(&sleepers[i].thread, NULL, sleeper, &sleepers[i]))
			die("pthread_create");
	for (i = 0; i < SLEEPS; i++) {
		usleep(2000);
		if (write(ends[1], "", 1) != 1)
			die("write");
	}
	for (i = 0; i < SLEEPERS; i++)
		pthread_join(sleepers[i].thread, NULL);
}

static struct sleeper *of_tid(pid_t tid)
{
	unsigned int i;

	for (i = 0; i < SLEEPERS; i++)
		if (sleepers[i].tid == tid)
			return &sleepers[i];
	return NULL;
}

static FILE *text(const char *path)
{
	FILE *f = fopen(path, "r");

	if (!f)
		die(path);
	return f;
}

static double field(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at ? strtod(at + strlen(name), NULL) : 0;
}

static void read_module(void)
{
	FILE *f = text(CONTROL "waits");
	struct sleeper *s;
	char line[512];
	char *at;

	while (fgets(line, sizeof(line), f)) {
		at = strstr(line, " tgid=");
		if (!at)
			continue;
		for (*at = 0; at > line && at[-1] != '/'; at--)
			;
		s = of_tid(atoi(at));
		if (s)
			s->module = (field(at + strlen(at) + 1, " blocked_ns=") +
				     field(at + strlen(at) + 1, " runnable_ns=")) / 1e3;
	}
	fclose(f);
}

/* After each stack stands a line "- NAME (TID)", and one of the time in us. */
static void read_offcputime(void)
{
	struct sleeper *s = NULL;
	FILE *f = text(FOUND);
	char line[512], *at;

	while (fgets(line, sizeof(line), f)) {
		at = strrchr(line, '(');
		if (s)
			s->offcputime += strtod(line, NULL);
		s = strstr(line, " - ") && at ? of_tid(atoi(at + 1)) : NULL;
	}
	fclose(f);
}

int main(void)
{
	char line[64], mine[16];
	char *const argv[] = { "offcputime", "-p", mine, NULL };
	unsigned int i;
	pid_t tool;

	if (pipe(ends))
		die("pipe");
	snprintf(mine, sizeof(mine), "%d", getpid());
	snprintf(line, sizeof(line), "on threshold=1us pids=%s", mine);
	tool = beside_begin(argv, FOUND);
	put(CONTROL "waits", line);
	all_sleep();
	put(CONTROL "waits", "off");
	beside_end(tool, argv[0]);
	read_module();
	read_offcputime();
	for (i = 0; i < SLEEPERS; i++)
		printf("%s own %.0f\n%s module %.0f\n%s offcputime %.0f\n", sleepers[i].name,
		       sleepers[i].own, sleepers[i].name, sleepers[i].module, sleepers[i].name,
		       sleepers[i].offcputime);
	return 0;
}
