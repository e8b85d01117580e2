// SPDX-License-Identifier: GPL-2.0
/*
 * Reports violations at the moment when the budget is over. BPF has no timer that
 * is a hard one on PREEMPT_RT. A real-time thread that sleeps has one. So on each
 * measured CPU a watcher, below the measuring thread, sleeps until then, and the
 * hook at the expiry of its timer reports the split so far. The watcher itself
 * runs after the window. It is one priority below: what is between the two could
 * keep it from its CPU.
 *
 * A timer of a window that has ended must not expire in the next one. So the thread
 * wakes the watcher when it has chosen the next expiry. The watcher then runs while
 * the thread sleeps, and waits for the new deadline.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "backend/bpf.h"
#include "backend/bpf/shared.h"
#include "machine/cgroup.h"
#include "machine/cpus.h"
#include "options/run_config.h"
#include "parts.h"
#include "result/result.h"
#include "util/error.h"
#include "util/units.h"

#define WATCHER_LEAST	1		/* its priority */
#define WATCHER_STACK		(64U << 10)
#define READ_MS			20
#define KEPT			16384	/* violations; later ones are only counted */

struct watcher {
	_Atomic uint32_t round;		/* a futex: changes with each deadline */
	_Atomic uint64_t deadline;	/* of the next window; 0: none yet */
	struct backend_run *b;
	size_t	 index;			/* of the CPU in b->cpus->list */
	pthread_t thread;
	bool	 started;
	atomic_bool placed;		/* it has its CPU */
	int	 err;			/* why it did not watch, once it has ended */
};

struct bpf_watch {
	atomic_bool stop;
	struct watcher *at;		/* [ncpus] */
	int	 violations;		/* the queue of the programs */
	pthread_t reader;
	bool	 reads;
	struct tlob_cell_violation *kept;
	size_t	 nkept;
	uint64_t dropped;
};

/*
 * Waits until the deadline has passed or there is another one. FUTEX_WAIT_BITSET
 * takes an absolute time of CLOCK_MONOTONIC.
 */
static void wait_for_news(struct watcher *w, uint32_t round)
{
	uint64_t at = atomic_load(&w->deadline) + bpf_clock_offset;
	const struct timespec until = {
		.tv_sec = (time_t)(at / 1000000000),
		.tv_nsec = (long)(at % 1000000000),
	};
	bool forever = !atomic_load(&w->deadline);

	if (!syscall(SYS_futex, &w->round, FUTEX_WAIT_BITSET_PRIVATE, round,
		     forever ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY) ||
	    errno != ETIMEDOUT)
		return;
	/* over: there is nothing to wait for until the next deadline */
	syscall(SYS_futex, &w->round, FUTEX_WAIT_BITSET_PRIVATE, round, NULL, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

/* Goes to the CPU of @w, from inside of its partition as the measuring thread. */
static int take_place(const struct watcher *w)
{
	int cpu = w->b->cpus->list[w->index], err;

	err = cgroup_enter(w->b->cgroup);
	if (!err)
		err = cpus_pin(cpu);
	return err ? err : bpf_object_introduce(bpf_of(w->b), cpu, true);
}

static void *watch_cpu(void *arg)
{
	struct watcher *w = arg;
	struct bpf *bpf = bpf_of(w->b);
	uint32_t round;

	pthread_setname_np(pthread_self(), "tlob-watch");
	w->err = take_place(w);
	if (w->err)
		return NULL;
	atomic_store(&w->placed, true);
	for (;;) {
		round = atomic_load(&w->round);
		if (atomic_load(&bpf->watch->stop))
			return NULL;
		wait_for_news(w, round);
	}
}

static void wake_watcher(struct watcher *w)
{
	atomic_fetch_add(&w->round, 1);
	syscall(SYS_futex, &w->round, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void bpf_watch_window(struct backend_thread *t, uint64_t deadline)
{
	struct bpf_watch *watch = bpf_of(t->run)->watch;

	if (!watch)
		return;
	atomic_store(&watch->at[t->index].deadline, deadline);
	wake_watcher(&watch->at[t->index]);
}

static void keep_all(struct bpf_watch *watch)
{
	struct tlob_cell_violation v;

	while (!bpf_map_lookup_and_delete_elem(watch->violations, NULL, &v)) {
		if (watch->nkept == KEPT)
			watch->dropped++;
		else
			watch->kept[watch->nkept++] = v;
	}
}

/* A queue wakes nothing, which would be an interrupt on the measured CPU. */
static void *read_queue(void *arg)
{
	struct bpf_watch *watch = arg;
	const struct timespec wait = { .tv_nsec = READ_MS * 1000000L };

	pthread_setname_np(pthread_self(), "tlob-read");
	while (!atomic_load(&watch->stop)) {
		keep_all(watch);
		nanosleep(&wait, NULL);
	}
	keep_all(watch);
	return NULL;
}

/* A thread without signals, of FIFO priority @priority, or an ordinary one for 0. */
static int spawn(pthread_t *thread, void *(*function)(void *), void *arg, int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	pthread_attr_t attr;
	sigset_t all, old;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, WATCHER_STACK);
	if (priority) {
		pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
		pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
		pthread_attr_setschedparam(&attr, &param);
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(thread, &attr, function, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}

/* Returns whether a watcher can run below the measuring thread. */
static bool can_watch(const struct run_config *o)
{
	return (o->sched.policy == SCHED_FIFO || o->sched.policy == SCHED_RR) &&
	       o->sched.priority > WATCHER_LEAST;
}

static int spawn_all(struct backend_run *b)
{
	struct bpf_watch *watch = bpf_of(b)->watch;
	size_t i;
	int err;

	err = spawn(&watch->reader, read_queue, watch, 0);
	watch->reads = !err;
	for (i = 0; i < b->cpus->n && !err; i++) {
		struct watcher *w = &watch->at[i];

		w->b = b;
		w->index = i;
		err = spawn(&w->thread, watch_cpu, w, (int)b->config->sched.priority - 1);
		w->started = !err;
	}
	return err ? fail(err, "cannot create a thread that watches the budget: %s",
			  strerror(-err)) : 0;
}

int bpf_watch_start(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);
	struct bpf_map *map = bpf_object__find_map_by_name(bpf->object, "violations");
	struct bpf_watch *watch;

	/* nothing would read them, and a watcher's thread runs once a window */
	if (!b->config->trace)
		return 0;
	if (!can_watch(b->config))
		return result_note(b->r, "violations are reported at the end of their window: only a workload above fifo:%d can be watched",
				   WATCHER_LEAST);
	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return fail(-ENOMEM, "out of memory");
	bpf->watch = watch;
	watch->at = calloc(b->cpus->n, sizeof(*watch->at));
	watch->kept = calloc(KEPT, sizeof(*watch->kept));
	if (!watch->at || !watch->kept)
		return fail(-ENOMEM, "out of memory");
	watch->violations = bpf_map__fd(map);
	return spawn_all(b);
}

static int note_failure(struct backend_run *b, const struct watcher *w, bool placed)
{
	const char *why = w->err ? strerror(-w->err) : "another real-time task had it";

	return placed ? 0 : result_note(b->r, "CPU %d was not watched (%s): its violations are not in the trace",
					b->cpus->list[w->index], why);
}

/* At the priority of the thread that has measured it gets the CPU, which that thread had as well. */
static int end_watcher(struct backend_run *b, struct watcher *w)
{
	const struct tlob_policy *p = &b->config->sched;
	const struct sched_param param = { .sched_priority = (int)p->priority };
	bool placed = atomic_load(&w->placed);

	pthread_setschedparam(w->thread, (int)p->policy, &param);
	wake_watcher(w);
	pthread_join(w->thread, NULL);
	w->started = false;
	return note_failure(b, w, placed);
}

int bpf_watch_stop(struct backend_run *b)
{
	struct bpf_watch *watch = bpf_of(b)->watch;
	int err = 0;
	size_t i;

	if (!watch)
		return 0;
	atomic_store(&watch->stop, true);
	for (i = 0; i < b->cpus->n && watch->at; i++) {
		if (watch->at[i].started)
			keep_error(&err, end_watcher(b, &watch->at[i]));
	}
	if (watch->reads)
		pthread_join(watch->reader, NULL);
	watch->reads = false;
	return err;
}

void bpf_watch_free(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);

	bpf_watch_stop(b);
	if (!bpf->watch)
		return;
	free(bpf->watch->kept);
	free(bpf->watch->at);
	free(bpf->watch);
	bpf->watch = NULL;
}

static const char *state_name(const struct tlob_cell_violation *v)
{
	if (v->base < TLOB_WORK_ON_CPU)
		return "waking";
	return v->base == TLOB_WORK_THREAD ? "waiting" :
	       v->base == TLOB_WORK_SLEEP ? "sleeping" : "running";
}

#define PART_TEXT(PHASE, NAME, phase, name, meaning)			\
	fprintf(f, " " #phase "_" #name "=%" PRIu64,			\
		(uint64_t)v->part_ns[TLOB_##PHASE##_##NAME]);

/* With the fields of the module's event. */
static void add_violation(struct trace_lines *lines, const struct backend_run *b,
			  const struct tlob_cell_violation *v)
{
	char *parts = NULL;
	size_t size;
	FILE *f = open_memstream(&parts, &size);

	if (f) {
		TLOB_PARTS(PART_TEXT)
		fclose(f);
	}
	trace_line_add(lines, v->t0_ns + v->elapsed_ns, v->cpu, v->pid,
		       "tlob_budget_exceeded: cpu=%u pid=%d threshold=%" PRIu64 " elapsed=%" PRIu64
		       " switches=%u state=%s tag=%" PRIu64 "%s", v->cpu, v->pid, b->config->budget_ns,
		       (uint64_t)v->elapsed_ns, v->switches, state_name(v), (uint64_t)v->activation,
		       parts ? parts : "");
	free(parts);
}

/* Beyond KEPT, and those that the reader was too slow for. */
static uint64_t dropped(const struct backend_run *b)
{
	uint64_t sum = bpf_of(b)->watch->dropped;
	size_t i;

	for (i = 0; i < b->cpus->n; i++)
		sum += bpf_of(b)->cells[b->cpus->list[i]].unqueued;
	return sum;
}

static unsigned long put_head(struct backend_run *b, FILE *out)
{
	const struct bpf_watch *watch = bpf_of(b)->watch;
	char budget[DURATION_LEN];

	fprintf(out, "# violations of the budget %s: tlob_budget_exceeded%s\n",
		duration_exact(budget, b->config->budget_ns), bpf_of(b)->trace.instance ? "" :
		"; the events of the kernel need tracefs and root");
	if (!watch)
		fprintf(out, "# not watched: only a workload above fifo:%d can be\n", WATCHER_LEAST);
	else if (dropped(b))
		fprintf(out, "# %" PRIu64 " more were dropped\n", dropped(b));
	else
		return 1;
	return 2;
}

/* The kernel's trace, if there is one, with a line for each violation at its time. */
int bpf_watch_save(struct backend_run *b, FILE *out)
{
	const struct bpf_watch *watch = bpf_of(b)->watch;
	struct trace_lines lines = { .before = put_head(b, out) };
	size_t i;

	for (i = 0; watch && i < watch->nkept; i++)
		add_violation(&lines, b, &watch->kept[i]);
	if (!bpf_of(b)->trace.instance && !lines.n)
		warning("%s has no violation: the backend bpf traces %s, and the events of the kernel need tracefs and root",
			b->config->trace, watch ? "windows over their budget only" :
			"only what runs above fifo:1");
	return trace_save(&bpf_of(b)->trace, out, &lines, b->r);
}
