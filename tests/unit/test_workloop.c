// SPDX-License-Identifier: GPL-2.0
/*
 * The loops of the work under a fake clock: how gaps are counted, and how much work is done.
 */
#include <linux/types.h>

#include "unit.h"

/*
 * Every reading moves the clock by step, and each quick_every-th by 1 instead. Reading gap_at,
 * or each gap_every-th, moves it by gap as well.
 */
#include "workspec.h"

struct tlob_work_env {
	__u64 now, step, gap;
	__u64 readings, gap_at, gap_every, quick_every;
	__u64 interference;
	bool  irq_in_gap;	/* the gap is an irq: the counter moves with it */
	__u64 hw;
	__u64 relaxed, end_after;
};

static __u64 tlob_env_clock(struct tlob_work_env *env)
{
	bool quick = env->quick_every && env->readings % env->quick_every == 0;

	env->now += quick ? 1 : env->step;
	if (++env->readings == env->gap_at ||
	    (env->gap_every && env->readings % env->gap_every == 0)) {
		env->now += env->gap;
		env->interference += env->irq_in_gap;
	}
	return env->now;
}

static __u64 tlob_env_interference(struct tlob_work_env *env)
{
	return env->interference;
}

static void tlob_env_hw(struct tlob_work_env *env, __u64 ns)
{
	env->hw += ns;
}

static bool tlob_env_relax(struct tlob_work_env *env)
{
	return ++env->relaxed == env->end_after;
}

static __u64 tlob_env_user(struct tlob_work_env *env, const struct tlob_work *w)
{
	return w->amount + 1000;
}

#include "workloop.h"

/* Only the work of user threads is handed over. */
TEST(test_user_kinds)
{
	struct tlob_work_env env = { .step = 10 };
	struct tlob_work w = { .amount = 3 };
	unsigned int i;

	for (i = 0; i < TLOB_NR_WORK; i++) {
		w.type = (enum tlob_work_type)i;
		if (tlob_work_is_user(&w))
			assert_int_equal(tlob_run_work(&env, &w, NULL, 5000), 1003);
	}
	w.type = TLOB_KIND_LOOPS;
	assert_int_not_equal(tlob_run_work(&env, &w, NULL, 5000), 1003);
}

TEST(test_spin_counts_own_time)
{
	struct tlob_work_env env = { .step = 10 };

	assert_int_equal(tlob_run_spin(&env, 1000, 5000), 1000);
	/* the first reading starts, a hundred more count */
	assert_int_equal(env.readings, 101);
	assert_int_equal(env.hw, 0);
}

TEST(test_gap_without_cause_is_hw)
{
	struct tlob_work_env env = { .step = 10, .gap = 6000, .gap_at = 50 };

	assert_int_equal(tlob_run_spin(&env, 1000, 5000), 1000);
	assert_int_equal(env.hw, 6010);
	/* the gap is not own time, so there is one more turn */
	assert_int_equal(env.readings, 102);
}

TEST(test_gap_of_an_irq_is_not_hw)
{
	struct tlob_work_env env = {
		.step = 10, .gap = 6000, .gap_at = 50, .irq_in_gap = true,
	};

	assert_int_equal(tlob_run_spin(&env, 1000, 5000), 1000);
	assert_int_equal(env.hw, 0);
	assert_int_equal(env.readings, 102);
}

TEST(test_short_gap_is_own_time)
{
	struct tlob_work_env env = { .step = 10, .gap = 500, .gap_at = 50 };

	assert_int_equal(tlob_run_spin(&env, 1000, 5000), 1000);
	assert_int_equal(env.readings, 51);
	assert_int_equal(env.hw, 0);
}

TEST(test_gap_at_the_threshold)
{
	struct tlob_work_env env = { .step = 10, .gap = 4990, .gap_at = 50 };

	tlob_run_spin(&env, 10000, 5000);
	assert_int_equal(env.hw, 0);
	env = (struct tlob_work_env){ .step = 10, .gap = 4991, .gap_at = 50 };
	tlob_run_spin(&env, 10000, 5000);
	assert_int_equal(env.hw, 5001);
}

/* A clock without an interval within the threshold must not make the work endless. */
TEST(test_clock_slower_than_the_threshold)
{
	struct tlob_work_env env = {
		.step = 6000, .gap = 100000, .gap_at = 100,
	};

	assert_int_equal(tlob_run_spin(&env, 600000, 5000), 600000);
	/* 64 find that out, 100 count, the first starts, one is a gap */
	assert_int_equal(env.readings, 166);
	assert_int_equal(env.hw, 64 * 6000 + 106000);
}

/* The work must not take far too long when only some readings are quick. */
TEST(test_clock_mostly_slower_than_the_threshold)
{
	struct tlob_work_env env = { .step = 6000, .quick_every = 10 };

	assert_in_range(tlob_run_spin(&env, 600000, 5000), 600000, 606000);
	assert_true(env.readings < 200);
}

/* The clock steps so slowly that two readings fit into a step: each second interval is 0. */
TEST(test_clock_steps_beyond_the_threshold)
{
	struct tlob_work_env env = { .gap = 125, .gap_every = 2, .end_after = 1000000 };

	assert_int_equal(tlob_run_spin(&env, 200000, 124), 200000);
	assert_int_equal(env.hw, 64 * 125);
}

/* Many gaps are hardware too, as long as intervals remain between them. */
TEST(test_many_gaps_are_still_hw)
{
	struct tlob_work_env env = { .step = 10, .gap = 6000, .gap_every = 2 };

	assert_int_equal(tlob_run_spin(&env, 10000, 5000), 10000);
	assert_in_range(env.hw, 999 * 6010, 1001 * 6010);
}

TEST(test_elapsed_counts_everything)
{
	struct tlob_work_env env = { .step = 10, .gap = 6000, .gap_at = 50 };

	assert_int_equal(tlob_run_elapsed(&env, 7000), 7000);
	assert_int_equal(env.hw, 0);
}

/* A clock that steps back neither counts as hardware nor ends the work. */
TEST(test_clock_steps_back)
{
	struct tlob_work_env env = {
		.now = 1000, .step = 10, .gap = (__u64)-25, .gap_at = 50,
	};

	assert_int_equal(tlob_run_spin(&env, 1000, 5000), 1000);
	assert_int_equal(env.hw, 0);
	env = (struct tlob_work_env){
		.now = 1000, .step = 10, .gap = (__u64)-25, .gap_at = 2,
	};
	assert_true(tlob_run_elapsed(&env, 1000) >= 1000);
	assert_true(env.readings > 100);
}

TEST(test_loops_relax_in_chunks)
{
	struct tlob_work_env env = { .step = 0 };

	tlob_run_loops(&env, 10 * TLOB_LOOPS_CHUNK + 1);
	assert_int_equal(env.relaxed, 11);
}

TEST(test_loops_differ)
{
	struct tlob_work_env env = { .step = 0 };
	__u64 a = tlob_run_loops(&env, 1000);

	assert_int_equal(a, tlob_run_loops(&env, 1000));
	assert_int_not_equal(a, tlob_run_loops(&env, 1001));
}

/* Every kind of work ends within a chunk after it has to. */
TEST(test_relax_ends)
{
	static const char * const works[] = {
		"spin:3600s", "elapsed:3600s", "loops:1000000000000",
		"mem:chase,ws=4K,n=1000000000", "mem:stream,ws=4K,n=1000000000",
	};
	size_t i;

	for (i = 0; i < sizeof(works) / sizeof(*works); i++) {
		struct tlob_work_env env = { .step = 10, .end_after = 3 };
		__u64 *mem = calloc(1, 4096);
		struct tlob_work w;

		assert_int_equal(tlob_parse_work(works[i], &w), 0);
		tlob_run_work(&env, &w, mem, 5000);
		assert_int_equal(env.relaxed, 3);
		free(mem);
	}
}

TEST(test_chase_is_one_cycle)
{
	static const __u64 sizes[] = { 64, 65, 1000, 4096 };
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		__u64 lines = sizes[i], at = 0, n = 0;
		__u64 *mem = calloc(lines, TLOB_WORK_LINE);

		tlob_chase_init(mem, lines, 1);
		do {
			at = mem[at * 8];
			assert_true(at < lines);
			n++;
		} while (at && n <= lines);
		assert_int_equal(n, lines);
		free(mem);
	}
}

TEST(test_stream_touches_every_word)
{
	struct tlob_work_env env = { .step = 0 };
	__u64 *mem = calloc(1, 8192);
	__u64 sum = tlob_run_stream(&env, mem, 8192, 3);
	size_t i;

	for (i = 0; i < 1024; i++)
		assert_int_equal(mem[i], 3);
	assert_int_equal(sum, 1024 * (1 + 2 + 3));
	free(mem);
}

UNIT_MAIN(NULL, NULL)
