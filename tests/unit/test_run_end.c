// SPDX-License-Identifier: GPL-2.0
/*
 * How a run with user threads ends. On a busy host they may make their last windows,
 * and end, between any two steps of the main thread: here they do so at each of them.
 */
#include <limits.h>
#include <poll.h>

#include "run/measure.c"
#include "unit.h"

#define WINDOWS	4U

/* The threads: at each step one more window is made, until the last one. */
static struct {
	unsigned int step, first, made, drained, lost, ends_after;
	bool meets_condition;
	enum collect_cut cut;
	struct run *run;
} t;

bool __wrap_collect_ended(const struct collector *c);
int __wrap_collect_drain(struct collector *c);
int __wrap_collect_begin(struct collector *c);
int __wrap_collect_cut(struct collector *c, enum collect_cut *why, int *cpu);
uint64_t __wrap_workers_lost(const struct workers *ws, size_t cpu);
bool __wrap_workers_failed(const struct workers *ws);
void __wrap_workers_go(struct workers *ws);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);

static void step(void)
{
	if (t.step++ >= t.first && t.made < t.ends_after)
		t.made++;
}

bool __wrap_collect_ended(const struct collector *c)
{
	bool ended;

	step();
	ended = t.made == t.ends_after;
	step();
	return ended;
}

int __wrap_collect_drain(struct collector *c)
{
	step();
	t.drained = t.made;
	c->r->cpu[0].windows = t.drained > t.lost ? t.drained - t.lost : 0;
	if (t.meets_condition && t.drained == t.ends_after)
		c->stop.by = t.run->o.stop_on;
	step();
	return 0;
}

int __wrap_collect_begin(struct collector *c)
{
	return 0;
}

int __wrap_collect_cut(struct collector *c, enum collect_cut *why, int *cpu)
{
	*why = t.cut;
	if (t.cut == CUT_POLICY)
		c->r->policy_changed = strdup("other (CPU 3)");
	*cpu = 3;
	return 0;
}

uint64_t __wrap_workers_lost(const struct workers *ws, size_t cpu)
{
	return t.lost < t.made ? t.lost : t.made;
}

bool __wrap_workers_failed(const struct workers *ws)
{
	return false;
}

void __wrap_workers_go(struct workers *ws)
{
}

static int start_nothing(struct backend_run *b)
{
	return 0;
}

static const struct backend no_backend = { .start = start_nothing };

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	step();
	assert_true(t.step < 1000);
	return 0;
}

/* Measures with threads that begin at step @first. Returns what run_measure() does. */
static int ends(struct run *run, unsigned int first)
{
	static const int cpu0;

	memset(run, 0, sizeof(*run));
	t.step = t.made = t.drained = 0;
	t.first = first;
	t.run = run;
	run->o.quiet = true;
	run->o.windows = WINDOWS;
	run->o.stop_on[0].text = "wake>1ns";
	run->backend.backend = &no_backend;
	assert_int_equal(result_init(&run->r, &cpu0, 1), 0);
	run->collector.r = &run->r;
	run->collector.config = &run->o;
	run->collector.workers = &run->workers;
	run->armed = true;
	return run_measure(run);
}

TEST(at_any_step)
{
	struct run run;
	unsigned int first;

	t.ends_after = WINDOWS;
	t.lost = 0;
	t.meets_condition = false;
	for (first = 0; first < 40; first++) {
		assert_int_equal(ends(&run, first), 0);
		assert_null(run.r.stopped_by);
		assert_int_equal(run.r.cpu[0].windows, WINDOWS);
		result_free(&run.r);
	}
}

/* A thread has counted to its end, and the main thread came too late for some. */
TEST(lost)
{
	struct run run;
	unsigned int first;

	t.ends_after = WINDOWS;
	t.lost = 2;
	t.meets_condition = false;
	for (first = 0; first < 40; first++) {
		assert_int_equal(ends(&run, first), 0);
		assert_null(run.r.stopped_by);
		result_free(&run.r);
	}
}

TEST(condition_met_by_the_last)
{
	struct run run;
	unsigned int first;

	t.ends_after = WINDOWS - 1;
	t.lost = 0;
	t.meets_condition = true;
	for (first = 0; first < 40; first++) {
		assert_int_equal(ends(&run, first), 0);
		assert_ptr_equal(run.collector.stop.by, run.o.stop_on);
		result_free(&run.r);
	}
}

/* The kernel says why the threads have ended before the run. */
TEST(cut_short)
{
	static const struct {
		enum collect_cut why;
		int err;
		const char *stopped_by;
	} cuts[] = {
		{ CUT_DISABLED, -ECANCELED, "another process, which disabled it" },
		{ CUT_OFFLINE, -ECANCELED, "CPU 3 going offline" },
		{ CUT_NONE, -ECANCELED, "the end of its threads" },
		{ CUT_POLICY, -ECANCELED, "another process, which changed the policy to other (CPU 3)" },
		{ CUT_VIOLATION, 0, "a violation (CPU 3)" },
	};
	struct run run;
	unsigned int first;
	size_t i;

	t.ends_after = WINDOWS - 1;
	t.lost = 0;
	t.meets_condition = false;
	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		t.cut = cuts[i].why;
		for (first = 0; first < 40; first++) {
			assert_int_equal(ends(&run, first), cuts[i].err);
			assert_string_equal(run.r.stopped_by, cuts[i].stopped_by);
			result_free(&run.r);
		}
	}
	t.cut = CUT_NONE;
}

/* A CPU that was offline and is back: others measure on, but the run is cut short. */
TEST(offline_for_a_moment)
{
	struct run run;

	t.ends_after = UINT_MAX;
	t.lost = 0;
	t.meets_condition = false;
	t.cut = CUT_OFFLINE;
	assert_int_equal(ends(&run, 0), -ECANCELED);
	assert_string_equal(run.r.stopped_by, "CPU 3 going offline");
	result_free(&run.r);
	t.cut = CUT_NONE;
}

UNIT_MAIN(NULL, NULL)
