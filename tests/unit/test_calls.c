// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of sets of functions in a window: each ns of a part is in one set at most,
 * and a call that never returns does no harm.
 */
#include "split_check.h"
#include "calls_open.h"

static struct tlob_split split;
static struct tlob_calls all_calls;

#define SP	0x10000ULL	/* of the measured task, deeper calls below it */

/* A call of @set, @deep levels below SP. Returns NULL if it has no entry. */
static struct tlob_call *begin_call(uint64_t now, unsigned int set, unsigned int level,
			      unsigned int deep)
{
	uint64_t key = tlob_call_key(&split, level, set), sp = SP - 64ULL * deep;

	if (tlob_calls_nested(&all_calls, key, sp))
		return NULL;
	tlob_split_charge(&split, now);
	return tlob_calls_enter(&all_calls, &split, now, key, sp, 0x1000 + set);
}

static void leave(uint64_t now, struct tlob_call *c)
{
	tlob_split_charge(&split, now);
	tlob_calls_leave(&all_calls, &split, c);
}

/* At 2500, the work's start; three sets. */
static void begin(void)
{
	tlob_calls_init(&all_calls, 0);
	tlob_split_arm(&split, 1000, 2000, OWN, false);
	tlob_calls_begin(&all_calls, &split, 3);
	tlob_split_switch(&split, 1100, OWN, "own\0\0\0\0\0\0\0\0\0\0\0\0", true, IDLE);
	tlob_split_t1(&split, 2040);
	tlob_split_switch(&split, 2300, IDLE, "swapper\0\0\0\0\0\0\0\0", false, OWN);
	tlob_split_t2(&split, 2500);
}

static uint64_t part_of(unsigned int set, enum tlob_part p)
{
	return all_calls.time[set].part_ns[p];
}

/* A call of the same set adds nothing, one of another set is taken out. */
TEST(nested)
{
	struct tlob_call *a, *b;

	begin();
	a = begin_call(3000, 0, 0, 0);
	assert_null(begin_call(3100, 0, 0, 1));
	b = begin_call(3200, 1, 0, 2);
	leave(3500, b);
	leave(4000, a);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 700);
	assert_int_equal(part_of(1, TLOB_WORK_ON_CPU), 300);
	assert_int_equal(all_calls.time[0].calls, 2);
	assert_int_equal(all_calls.time[0].max_ns, 700);
	assert_int_equal(all_calls.time[0].max_function, 0x1000);
	assert_int_equal(calls_open(&all_calls), 0);
	tlob_split_t3(&split, 5000);
	assert_int_equal(split.part[TLOB_WORK_ON_CPU], 2500);
}

/* Exits in the order of the entries, as fprobes of one function have them since 6.14. */
TEST(same_order)
{
	struct tlob_call *a, *b;

	begin();
	a = begin_call(3000, 1, 0, 0);
	b = begin_call(3010, 0, 0, 0);
	leave(3500, a);
	leave(3510, b);
	tlob_split_charge(&split, 9000);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 500);
	assert_int_equal(part_of(1, TLOB_WORK_ON_CPU), 10);
	assert_int_equal(calls_open(&all_calls), 0);
}

#ifndef TLOB_SPLIT_BPF
/* The exit could not move the cursor: what comes after it belongs to the call around. */
TEST(left)
{
	struct tlob_call *a, *b;

	begin();
	a = begin_call(3000, 0, 0, 0);
	b = begin_call(3100, 1, 0, 1);
	b->serial |= TLOB_CALL_LEFT;
	tlob_split_charge(&split, 4000);
	assert_int_equal(part_of(1, TLOB_WORK_ON_CPU), 0);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 1000);
	/* a deeper call of its set is not inside of it */
	b = begin_call(4000, 1, 0, 2);
	assert_non_null(b);
	b->serial |= TLOB_CALL_LEFT;
	assert_non_null(begin_call(4100, 1, 0, 3));
	leave(5000, a);
	assert_int_equal(part_of(1, TLOB_WORK_ON_CPU), 900);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 1100);
}
#endif

/* Asleep the time is the call's, unless another task is in one; waiting it is not. */
TEST(sleeping)
{
	struct tlob_call *a, *b;

	begin();
	a = begin_call(3000, 0, 0, 0);
	tlob_split_switch(&split, 3100, OWN, "own\0\0\0\0\0\0\0\0\0\0\0\0", true, OTHER);
	b = begin_call(3200, 1, 0, 99999);
	leave(3250, b);
	tlob_split_wakeup(&split, 3400);
	tlob_split_switch(&split, 3600, OTHER, "other\0\0\0\0\0\0\0\0\0\0", false, OWN);
	leave(3700, a);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 200);
	assert_int_equal(part_of(0, TLOB_WORK_SLEEP), 250);
	assert_int_equal(part_of(1, TLOB_WORK_SLEEP), 50);
	assert_int_equal(part_of(0, TLOB_WORK_THREAD), 0);
	assert_int_equal(split.part[TLOB_WORK_THREAD], 200);
}

/* The measured task waits for its window in calls: they are in none. An irq's are not its wait. */
TEST(own_wait)
{
	struct tlob_call *irq, *c;

	tlob_calls_init(&all_calls, 0);
	tlob_split_arm(&split, 1000, 2000, OWN, false);
	tlob_calls_begin(&all_calls, &split, 1);
	assert_null(begin_call(1200, 0, TLOB_CALL_TASK, 0));
	assert_int_equal(all_calls.full[0], 0);
	irq = begin_call(1300, 0, TLOB_CALL_IRQ, 0);
	assert_non_null(irq);
	leave(1400, irq);
	tlob_split_t1(&split, 2040);
	tlob_split_t2(&split, 2500);
	c = begin_call(3000, 0, TLOB_CALL_TASK, 0);
	leave(3200, c);
	assert_int_equal(all_calls.time[0].calls, 1);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 200);
}

/* A call begins before t0, goes through two windows and ends in the third. */
TEST(straddles)
{
	struct tlob_functions f = { 0 };
	struct tlob_call *a;

	tlob_calls_init(&all_calls, 0);
	tlob_split_arm(&split, 1000, 2000, OWN, false);
	tlob_calls_begin(&all_calls, &split, 3);
	tlob_split_switch(&split, 1100, OWN, "own\0\0\0\0\0\0\0\0\0\0\0\0", true, OTHER);
	a = begin_call(1500, 0, 0, 0);
	assert_int_equal(all_calls.time[0].calls, 0);
	tlob_split_t1(&split, 2040);
	assert_int_equal(part_of(0, TLOB_WAKE_IRQ_DELAY), 40);
	assert_int_equal(all_calls.time[0].calls, 1);
	tlob_split_switch(&split, 2300, OTHER, "other\0\0\0\0\0\0\0\0\0\0", false, OWN);
	tlob_split_t2(&split, 2500);
	tlob_split_t3(&split, 2600);
	tlob_calls_end(&all_calls);
	tlob_calls_copy(&f, &all_calls, 3);
	assert_int_equal(f.set[0].part_ns[TLOB_WAKE_THREAD], 260);
	assert_int_equal(f.set[0].max_ns, 300);
	assert_int_equal(f.set[0].unreturned, 1);
	assert_int_equal(calls_open(&all_calls), 1);

	tlob_split_arm(&split, 2700, 3000, OWN, false);
	tlob_calls_begin(&all_calls, &split, 3);
	tlob_split_switch(&split, 2800, OWN, "own\0\0\0\0\0\0\0\0\0\0\0\0", true, OTHER);
	leave(3100, a);
	assert_int_equal(part_of(0, TLOB_WAKE_IRQ_DELAY), 100);
	assert_int_equal(all_calls.time[0].calls, 1);
	assert_int_equal(all_calls.time[0].max_ns, 100);
	assert_int_equal(all_calls.time[0].unreturned, 0);
	assert_int_equal(calls_open(&all_calls), 0);
}

/* Exits that never come: a later call shows it, a jump does not, and a task dies. */
TEST(lost)
{
	struct tlob_call *a, *b;
	const unsigned int room = TLOB_CALLS - TLOB_CALL_FIRST;
	unsigned int i;

	begin();
	a = begin_call(3000, 0, 0, 5);
	/* a function at the same place: the first one ended with a jump to it */
	assert_non_null(begin_call(3100, 1, 0, 5));
	assert_int_equal(calls_open(&all_calls), 2);
	/* the task is higher up: both have ended */
	b = begin_call(3200, 2, 0, 4);
	assert_int_equal(calls_open(&all_calls), 1);
	assert_int_equal(all_calls.lost[0] + all_calls.lost[1], 2);
	assert_int_equal(all_calls.time[0].unreturned, 1);
	assert_ptr_equal(tlob_calls_active(&all_calls), b);
	assert_ptr_equal(a, b);
	leave(3300, b);

	/* a call of an irq that has ended */
	tlob_split_enter(&split, 3400, IRQ, 1, "eth0" TLOB_NAME_PAD, true);
	begin_call(3410, 0, TLOB_CALL_IRQ, 900);
	tlob_split_exit(&split, 3500, IRQ, 1);
	a = begin_call(3600, 1, TLOB_CALL_TASK, 0);
	assert_int_equal(calls_open(&all_calls), 1);
	leave(3700, a);
	assert_int_equal(part_of(0, TLOB_WORK_IRQ), 90);

	/* it returned on another CPU */
	a = begin_call(3800, 0, 0, 0);
	a->serial |= TLOB_CALL_LEFT;
	assert_int_equal(calls_open(&all_calls), 0);
	begin_call(3900, 1, 0, 0);
	assert_int_equal(calls_open(&all_calls), 1);
	assert_int_equal(all_calls.lost[0], 2);

	tlob_calls_exited(&all_calls, &split, OWN);
	assert_int_equal(calls_open(&all_calls), 0);
	assert_ptr_equal(tlob_calls_active(&all_calls), tlob_calls_none(&all_calls));

	/* no room */
	for (i = 0; i < room + 5; i++)
		begin_call(4000 + i, i % 2, 0, i);
	/* two of five are of the set of the last one, so they need none */
	assert_int_equal(all_calls.full[0] + all_calls.full[1], 3);
	tlob_split_t3(&split, 5000);
	tlob_calls_end(&all_calls);
	assert_int_equal(all_calls.time[0].unreturned + all_calls.time[1].unreturned, room + 4);
}

/* Two tasks that sleep in calls in turns: each takes one place, not one a time. */
TEST(turns)
{
	static const char comm[TLOB_NAME_LEN] __attribute__((aligned(8))) = "other";
	struct tlob_call *c[2] = { NULL };
	uint64_t now = 3000;
	unsigned int i;

	begin();
	for (i = 0; i < 4 * TLOB_CALLS; i++) {
		if (c[i % 2])
			leave(now += 10, c[i % 2]);
		c[i % 2] = begin_call(now += 10, 0, 0, i % 2 * 50000);
		assert_non_null(c[i % 2]);
		tlob_split_switch(&split, now += 10, i % 2 ? OTHER : OWN, comm, true,
				  i % 2 ? OWN : OTHER);
	}
	assert_int_equal(all_calls.full[0], 0);
	assert_int_equal(calls_open(&all_calls), 2);
}

/* Events and calls at random, also impossible ones, against a split without calls. */
TEST(conserves)
{
	uint64_t seed = 18, in_sets = 0;
	unsigned int i, n, p, set;

	tlob_calls_init(&all_calls, 0);
	for (i = 0; i < 20000; i++) {
		struct tlob_call *open[SPLIT_EVENTS] = { NULL };
		struct tlob_split plain;
		uint64_t now = 1000;

		tlob_split_arm(&split, now, now, OWN, false);
		plain = split;
		tlob_calls_begin(&all_calls, &split, 3);
		for (n = (unsigned int)(unit_random(&seed) % 120); n; n--) {
			unsigned int what = (unsigned int)(unit_random(&seed) % (2UL * SPLIT_EVENTS));
			int id = (int)(unit_random(&seed) % 3);
			uint64_t ns = unit_random(&seed) % 40;

			now += unit_random(&seed) % 100;
			if (what >= SPLIT_EVENTS) {
				struct tlob_call **c = &open[what - SPLIT_EVENTS];

				tlob_split_charge(&plain, now);
				if (*c && (*c)->serial)
					leave(now, *c);
				*c = *c ? NULL : begin_call(now, id, (unsigned int)ns % 3,
						      (unsigned int)unit_random(&seed) % 9);
				if (!*c)
					tlob_split_charge(&split, now);
				continue;
			}
			split_event(&split, what, now, id, ns);
			split_event(&plain, what, now, id, ns);
		}
		tlob_split_t3(&split, now + 100);
		tlob_split_t3(&plain, now + 100);
		tlob_calls_end(&all_calls);
		assert_memory_equal(split.part, plain.part, sizeof(*plain.part) * TLOB_NR_PARTS);
		for (p = 0; p < TLOB_NR_PARTS; p++) {
			uint64_t sum = 0;

			for (set = 0; set < 3; set++)
				sum += part_of(set, p);
			assert_true(sum <= split.part[p]);
			in_sets += sum;
		}
		for (set = 0; set < 3; set++)
			assert_true(all_calls.time[set].unreturned <= all_calls.time[set].calls);
	}
	assert_true(in_sets > 20000);
}

UNIT_MAIN(NULL, NULL)
