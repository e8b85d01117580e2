/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers for tests of watches: threads whose activations are windows. */
#ifndef WATCHED_H
#define WATCHED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/tlob.h>

#define MS	1000000ULL
#define US	1000ULL
#define HOUR	(3600000 * MS)		/* a budget that no test exceeds */
#define ROUNDS	24

/* TLOB_IOC_WATCH; @budget: ns; @until: @n numbers of system calls. */
int  watch_until(int fd, pid_t tid, uint64_t budget, const uint32_t *until, uint32_t n);
int  watch(int fd, pid_t tid, uint64_t budget);
/* Switches the monitor on, and opens a file for records of activations. */
int  activations_open(void);
/* Reads and checks the next record. Returns whether one was there. */
bool activation_next(int fd, struct tlob_task_activation *a);
/* The same with its stacks. */
bool late_activation_next(int fd, struct tlob_late_activation *r);
uint64_t activation_end(const struct tlob_task_activation *a);

/* A thread of this process, which the tests watch. */
struct actor {
	pthread_t thread;
	pid_t tid;			/* 0: it has not begun */
	int ready, go;			/* eventfds */
	uint64_t due[ROUNDS], woke[ROUNDS], rests[ROUNDS]; /* its own clock */
	int work, epoll;		/* eventfds */
	uint32_t lock;			/* a futex */
	uint64_t nap_ns;
};

void signal_fd(int fd);
uint64_t await_fd(int fd);		/* how many signals have come */
void sleep_until(uint64_t ns);		/* of CLOCK_MONOTONIC */

/* Starts @run, and waits until it rests in actor_ready(). */
void actor_start(struct actor *a, void *(*run)(void *));
/* The thread says that it exists, and rests until `go` is signalled. */
void actor_ready(struct actor *a);
/* Waits until the thread is gone and its last window is cut. */
void actor_join(struct actor *a);

/* For actor_start(): a window each millisecond, with 100 us of work; fills due, woke and rests. */
void *periodic(void *arg);
/* For actor_start(): 20 us of work for each of the first ROUNDS signals of `work`. */
void *pooled(void *arg);
/* Lets a pooled() thread end, and joins it. */
void pooled_end(struct actor *a);
/* Starts a thread that sleeps for @ns in the middle of its activation: only read() is a rest. */
void napper_start(struct actor *a, int fd, uint64_t ns);

#endif /* WATCHED_H */
