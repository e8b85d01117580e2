// SPDX-License-Identifier: GPL-2.0
/* Watches: each activation of a thread is a window, from its wake-up to its next rest. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"
#include "sched_events.h"
#include "watched.h"

#define GROUP	"activation"

/* Finds the next activation of @tid in the kernel's own events, from @at on. */
static size_t next_expected(const struct sched_events *e, size_t at, pid_t tid,
			    uint64_t *waking, uint64_t *in, uint64_t *out)
{
	*waking = 0;
	*in = 0;
	for (; at < e->n; at++) {
		const struct sched_event *s = &e->event[at];

		if (s->kind == SCHED_WAKING && s->tid == tid && !*waking)
			*waking = s->ns;
		if (s->kind != SCHED_SWITCH || !*waking)
			continue;
		if (s->next == tid && !*in)
			*in = s->ns;
		if (s->tid == tid && s->state & 1) {
			*out = s->ns;
			return at + 1;
		}
	}
	return 0;
}

/* The least and the largest difference of two clocks that look at the same moments. */
struct spread {
	int64_t least, most;
	int n;
};

static void spread_add(struct spread *s, uint64_t ours, uint64_t theirs)
{
	int64_t d = (int64_t)(ours - theirs);

	if (!s->n++ || d < s->least)
		s->least = d;
	if (s->n == 1 || d > s->most)
		s->most = d;
}

static void spread_check(const char *what, const struct spread *s)
{
	note("%s: the record is %lld to %lld ns after the kernel's event", what,
	     (long long)s->least, (long long)s->most);
	if (!deterministic() || debug_kernel)
		return;
	/* both probes of an event run one after the other, in the same instructions */
	check(s->most - s->least <= 100);
	check(s->most < 5000 && s->least > -5000);
}

/*
 * A thread with a timer: each window begins at the expiry that the thread asked for, and it
 * agrees with the kernel's events of the same wake-ups and switches.
 */
TEST(timed)
{
	struct spread begins = { 0 }, runs = { 0 }, ends = { 0 };
	struct tlob_task_activation w;
	uint64_t waking, in, out;
	struct sched_events e;
	struct actor a;
	size_t at = 0;
	int fd, i;

	pin(0);
	fd = activations_open();
	actor_start(&a, periodic);
	check_eq(watch(fd, a.tid, HOUR), 0);
	sched_events_begin(&e, 0);
	signal_fd(a.go);
	actor_join(&a);
	sched_events_end(&e);

	/* on a busy host an expiry has passed before its sleep, and then there is no activation */
	if (!deterministic()) {
		for (i = 0; activation_next(fd, &w); i++)
			check_eq(w.nr, i + 1);
		goto out;
	}
	/* from the start signal to the first sleep */
	check(activation_next(fd, &w));
	check_eq(w.nr, 1);
	check_eq(w.timer_ns, 0);
	check_eq(w.waker.kind, TLOB_WAKER_TASK);
	check_eq(w.waker.tid, getpid());
	at = next_expected(&e, at, a.tid, &waking, &in, &out);
	check(at);
	for (i = 0; i < ROUNDS; i++) {
		check(activation_next(fd, &w));
		check_eq(w.nr, i + 2);
		check_eq(w.window.tid, a.tid);
		check_eq(w.window.tgid, getpid());
		/* the last one ends with the thread */
		check_eq(w.window.flags, i < ROUNDS - 1 ? TLOB_TASK_ENDED : TLOB_TASK_CUT);
		check_eq(w.window.part_ns[TLOB_TASK_PART_SLEEPING], 0);
		check_eq(w.window.start_ns, a.due[i]);
		check_eq(w.waker.kind, TLOB_WAKER_IRQ);
		check(a.woke[i] > w.window.start_ns + w.wake_ns);
		check(a.rests[i] < activation_end(&w));
		if (i == ROUNDS - 1)
			break;
		at = next_expected(&e, at, a.tid, &waking, &in, &out);
		check(at);
		spread_add(&begins, w.window.start_ns + w.timer_ns, waking);
		spread_add(&runs, w.window.start_ns + w.wake_ns, in);
		spread_add(&ends, activation_end(&w), out);
	}
	check(!activation_next(fd, &w));
	spread_check("sched_waking", &begins);
	spread_check("switched in", &runs);
	spread_check("switched out", &ends);
out:
	unpin();
	close(fd);
	monitor_off();
}

/* Computes while it is watched, and rests once. */
static void *busy(void *arg)
{
	struct actor *a = arg;

	actor_ready(a);
	spin_ns(10 * MS);
	await_fd(a->work);
	return NULL;
}

/* How often a thread of this process has gone to sleep. */
static unsigned long sleeps_of(pid_t tid)
{
	char path[64], text[4096];
	const char *at;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	read_file(path, text, sizeof(text));
	at = strstr(text, "\nvoluntary_ctxt_switches:");
	check(at);
	return strtoul(strchr(at, ':') + 1, NULL, 10);
}

/*
 * The first activation is the one after the call, also of a thread that runs meanwhile: the
 * caller itself, and one that is preempted by the caller, or runs on another CPU.
 */
TEST(first)
{
	struct tlob_task_activation w;
	unsigned long slept;
	struct actor a;
	uint64_t due;
	int fd = activations_open();

	check_eq(watch(fd, (pid_t)syscall(SYS_gettid), HOUR), 0);
	due = now_ns() + 20 * MS;
	sleep_until(due);
	sleep_ns(MS);
	check(activation_next(fd, &w));
	check_eq(w.nr, 1);
	/* on a busy host it may be too late to sleep */
	if (deterministic())
		check_eq(w.window.start_ns, due);
	close(fd);

	fd = activations_open();
	actor_start(&a, busy);
	pin(0);
	signal_fd(a.go);
	sleep_ns(2 * MS);
	slept = sleeps_of(a.tid);
	check_eq(watch(fd, a.tid, HOUR), 0);
	if (deterministic())
		check_eq(sleeps_of(a.tid), slept);
	while (deterministic() && sleeps_of(a.tid) == slept)
		sleep_ns(MS);
	sleep_ns(MS);
	signal_fd(a.work);
	actor_join(&a);
	unpin();
	check(activation_next(fd, &w) || !deterministic());
	if (deterministic()) {
		check_eq(w.nr, 1);
		check_eq(w.waker.tid, getpid());
		check_eq(w.window.flags, TLOB_TASK_CUT);
	}
	check(!activation_next(fd, &w));
	close(fd);
	monitor_off();
}

static void *by_the_clock(void *arg)
{
	struct actor *a = arg;
	struct timespec t;

	actor_ready(a);
	check_eq(clock_gettime(CLOCK_REALTIME, &t), 0);
	t.tv_sec += 2;
	check_eq(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL), 0);
	a->woke[0] = now_ns();
	return NULL;
}

/* A sleep until a time of day ends early because the clock is set: the activation begins then. */
TEST(clock_is_set)
{
	struct tlob_task_activation w;
	struct timespec t, old;
	struct actor a;
	uint64_t set_at;
	int fd = activations_open();

	actor_start(&a, by_the_clock);
	check_eq(watch(fd, a.tid, HOUR), 0);
	signal_fd(a.go);
	sleep_ns(20 * MS);
	check_eq(clock_gettime(CLOCK_REALTIME, &old), 0);
	t = old;
	t.tv_sec += 3;
	set_at = now_ns();
	check_eq(clock_settime(CLOCK_REALTIME, &t), 0);
	actor_join(&a);
	check_eq(clock_settime(CLOCK_REALTIME, &old), 0);
	/* to the sleep; on a busy host it may have been too late to sleep */
	check(activation_next(fd, &w));
	check_eq(w.nr, 1);
	if (activation_next(fd, &w)) {
		check_eq(w.nr, 2);
		check_eq(w.timer_ns, 0);
		check(w.window.start_ns >= set_at);
		check(w.window.start_ns + w.wake_ns <= a.woke[0]);
	} else {
		check(!deterministic());
	}
	close(fd);
	monitor_off();
}

/* Threads of a pool: each activation has its waker, and none is lost. */
TEST(pool)
{
	struct actor a[3];
	struct tlob_task_activation w;
	unsigned int seen[3] = { 0 };
	int fd = activations_open(), i, j;

	for (j = 0; j < 3; j++) {
		actor_start(&a[j], pooled);
		check_eq(watch(fd, a[j].tid, HOUR), 0);
		signal_fd(a[j].go);
	}
	for (i = 0; i < ROUNDS; i++)
		for (j = 0; j < 3; j++) {
			/* until they rest, so that each signal is a wake-up */
			sleep_ns(MS);
			signal_fd(a[j].work);
		}
	for (j = 0; j < 3; j++)
		actor_join(&a[j]);
	while (activation_next(fd, &w)) {
		for (j = 0; j < 3 && a[j].tid != (pid_t)w.window.tid; j++)
			;
		check(j < 3);
		check_eq(w.nr, ++seen[j]);
		check_eq(w.waker.kind, TLOB_WAKER_TASK);
		check_eq(w.waker.tid, getpid());
		check_eq(w.timer_ns, 0);
	}
	for (j = 0; j < 3; j++) {
		/* on a busy host it may be busy at one signal and find the next ones there */
		check(seen[j] >= 1 && seen[j] <= ROUNDS + 1);
		if (deterministic())
			check_eq(seen[j], ROUNDS + 1);
	}
	close(fd);
	monitor_off();
}

/* A violation is reported once, at its moment; the record at the end has it as well. */
TEST(late)
{
	unsigned int reported, over[2] = { 0 }, cut = 0;
	struct tlob_task_activation w;
	struct actor a;
	int fd = activations_open();

	actor_start(&a, periodic);
	check_eq(watch(fd, a.tid, 50 * US), 0);
	trace_on("tlob_budget_exceeded");
	signal_fd(a.go);
	actor_join(&a);
	reported = trace_count("tlob_budget_exceeded");
	trace_off();
	while (activation_next(fd, &w)) {
		over[!!(w.window.flags & (TLOB_TASK_ENDED | TLOB_TASK_CUT))] +=
			!!(w.window.flags & TLOB_TASK_VIOLATION);
		cut += !!(w.window.flags & TLOB_TASK_CUT);
	}
	/* the last activation exits with the thread */
	check_eq(cut, 1);
	check_eq(reported, over[1]);
	/* a late timer finds that the end has given the verdict */
	check(over[0] <= over[1]);
	if (deterministic()) {
		check_eq(over[0], over[1]);
		/* on a debug kernel the way to the first sleep takes longer than the budget */
		check(over[1] == ROUNDS || (debug_kernel && over[1] == ROUNDS + 1));
	}
	close(fd);
	monitor_off();
}

/* A late activation has the stack of the task that left the CPU to it, and no other one has any. */
TEST(stacks)
{
	const struct sched_param highest = { .sched_priority = 96 };
	struct tlob_late_activation r;
	unsigned int mine = 0;
	struct actor a;
	int fd, i;

	pin(0);
	fd = activations_open();
	actor_start(&a, periodic);
	check_eq(watch(fd, a.tid, 400 * US), 0);
	check_eq(sched_setscheduler(0, SCHED_FIFO, &highest), 0);
	signal_fd(a.go);
	for (i = 0; i < 4; i++) {
		sleep_ns(5 * MS / 2);
		spin_ns(5 * MS / 2);
	}
	actor_join(&a);
	while (late_activation_next(fd, &r)) {
		const struct tlob_late_stack *left = &r.late.at[TLOB_LATE_LEFT];

		if (r.looked)
			check(r.activation.window.elapsed_ns > 200 * US);
		if (r.looked & 1 << TLOB_LATE_LEFT && left->pid == getpid() &&
		    left->call == __NR_clock_nanosleep) {
			mine++;
			check_eq(left->blocked, 1);
		}
	}
	/* a busy host may leave no activation */
	if (deterministic())
		check(mine >= 3);
	close(fd);
	monitor_off();
}
