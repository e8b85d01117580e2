// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of functions in the cell of the backend `bpf`. They move no cursor, so what they
 * charge has to agree with what hooks charge later.
 */
#include <string.h>

#include <linux/types.h>

#include "unit.h"

static __u64 the_time;

static inline __u64 tlob_cell_clock(void)
{
	return the_time;
}

static __u64 all_stolen;

struct tlob_cell;

static inline __u64 tlob_cell_steal(const struct tlob_cell *c)
{
	(void)c;
	return all_stolen;
}

#include "backend/bpf/cell.h"
#include "calls_open.h"

#define OWN	100
#define OTHER	200
#define IDLE	0
#define T0	100000
#define SP	0x10000ULL
#define SETS	3

static struct tlob_cell cell;
static struct tlob_calls all_calls;
static char comm[TLOB_NAME_LEN] __attribute__((aligned(8))) = "other";

static void enter(__u64 at, unsigned int level, unsigned int set, __u64 sp)
{
	the_time = at;
	tlob_cell_call_enter(&cell, &all_calls, at, cell.steal, level, set, 0x1000 + set, sp);
}

static void leave(__u64 at, unsigned int set, __u64 sp)
{
	the_time = at;
	tlob_cell_call_leave(&cell, &all_calls, at, cell.steal, 0x1000 + set, sp);
}

static void arm(void)
{
	memset(&cell, 0, sizeof(cell));
	tlob_calls_init(&all_calls, 0);
	cell.pid = OWN;
	cell.calls = &all_calls;
	cell.sets = SETS;
	tlob_cell_arm(&cell, T0, 1000000, 1);
}

static void switch_at(__u64 at, __s32 prev, bool blocked, __s32 next)
{
	the_time = at;
	tlob_cell_switch(&cell, prev, comm, blocked, next);
}

/* t1 at T0 + 100, t2 at T0 + 500. */
static void begin(void)
{
	arm();
	switch_at(T0 - 500, OWN, true, IDLE);
	the_time = T0 + 100;
	tlob_cell_open(&cell, TLOB_CELL_T1, 0, 0);
	switch_at(T0 + 300, IDLE, false, OWN);
	the_time = T0 + 500;
	tlob_cell_begin(&cell);
}

static __u64 end(__u64 at)
{
	the_time = at;
	return tlob_cell_end(&cell);
}

static __u64 part_of(unsigned int set, enum tlob_part p)
{
	return all_calls.time[set].part_ns[p];
}

/* A call over t2, which no hook has applied: each side has its part. */
TEST(over_t2)
{
	arm();
	switch_at(T0 - 500, OWN, true, IDLE);
	the_time = T0 + 100;
	tlob_cell_open(&cell, TLOB_CELL_T1, 0, 0);
	switch_at(T0 + 300, IDLE, false, OWN);
	enter(T0 + 350, TLOB_CALL_TASK, 0, SP);
	the_time = T0 + 500;
	tlob_cell_begin(&cell);
	leave(T0 + 800, 0, SP);
	assert_int_equal(part_of(0, TLOB_WAKE_SCHED), 150);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 300);
	assert_true(cell.begun);	/* the cursor waits for a hook */
	end(T0 + 1000);
	assert_int_equal(cell.split.part[TLOB_WORK_ON_CPU], 500);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 300);
	assert_int_equal(all_calls.time[0].calls, 1);
	assert_int_equal(all_calls.time[0].max_ns, 450);
}

/* A probe between the reading of t2 and its store: t2 is not before it. */
TEST(within_t2)
{
	begin();
	cell.begun = 0;
	enter(T0 + 510, TLOB_CALL_IRQ, 0, SP);
	leave(T0 + 530, 0, SP);
	cell.begun = 1;
	end(T0 + 1000);
	assert_int_equal(cell.t2, T0 + 530);
	assert_int_equal(part_of(0, TLOB_WAKE_SCHED), 20);
	assert_int_equal(cell.split.part[TLOB_WORK_ON_CPU], 470);
}

/*
 * Before t0 a call counts nothing; another task's call that continues has its time from t0. Calls
 * of the measured task are its wait, and never count.
 */
TEST(before_t0)
{
	arm();
	enter(T0 - 800, TLOB_CALL_TASK, 0, SP - 100);
	leave(T0 - 700, 0, SP - 100);
	enter(T0 - 600, TLOB_CALL_TASK, 1, SP);
	assert_int_equal(all_calls.time[0].calls + all_calls.time[1].calls, 0);
	switch_at(T0 - 500, OWN, true, OTHER);
	enter(T0 - 400, TLOB_CALL_TASK, 2, 0x900000);
	assert_int_equal(all_calls.time[2].calls, 0);
	leave(T0 + 30, 2, 0x900000);
	switch_at(T0 + 60, OTHER, true, OWN);
	leave(T0 + 90, 1, SP);
	assert_int_equal(part_of(2, TLOB_WAKE_IRQ_DELAY), 30);
	assert_int_equal(part_of(1, TLOB_WAKE_IRQ_DELAY), 0);
	assert_int_equal(all_calls.time[2].calls, 1);
	assert_int_equal(all_calls.time[1].calls, 0);
}

/* Nested, recursive, of two sets; the exit of a set's inner call does not count. */
TEST(nested)
{
	begin();
	enter(T0 + 1000, TLOB_CALL_TASK, 0, SP);
	enter(T0 + 1100, TLOB_CALL_TASK, 0, SP - 64);
	enter(T0 + 1200, TLOB_CALL_TASK, 1, SP - 128);
	leave(T0 + 1500, 1, SP - 128);
	leave(T0 + 1600, 0, SP - 64);
	leave(T0 + 2000, 0, SP);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 700);
	assert_int_equal(part_of(1, TLOB_WORK_ON_CPU), 300);
	assert_int_equal(all_calls.time[0].calls, 2);
	assert_int_equal(all_calls.time[0].max_ns, 700);
	assert_int_equal(calls_open(&all_calls), 0);
}

/* Irqs and nmis are taken out, also the nmi that no hook has seen yet. */
TEST(interrupted)
{
	begin();
	enter(T0 + 1000, TLOB_CALL_TASK, 0, SP);
	the_time = T0 + 1100;
	tlob_cell_enter(&cell, TLOB_NOISE_IRQ, 9);
	enter(T0 + 1110, TLOB_CALL_IRQ, 1, SP - 900);
	leave(T0 + 1150, 1, SP - 900);
	the_time = T0 + 1200;
	tlob_cell_exit(&cell, TLOB_NOISE_IRQ, 9);
	the_time = T0 + 1400;
	tlob_cell_nmi(&cell, 50, true);
	leave(T0 + 1500, 0, SP);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 350);
	assert_int_equal(part_of(0, TLOB_WORK_IRQ), 0);
	assert_int_equal(part_of(1, TLOB_WORK_IRQ), 40);
	end(T0 + 2000);
	assert_int_equal(cell.split.part[TLOB_WORK_NMI], 50);
	assert_int_equal(cell.split.part[TLOB_WORK_ON_CPU], 1350);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 350);
}

/* Asleep inside, while another task calls; then the own task returns. */
TEST(sleeps)
{
	begin();
	enter(T0 + 1000, TLOB_CALL_TASK, 0, SP);
	switch_at(T0 + 1100, OWN, true, OTHER);
	enter(T0 + 1200, TLOB_CALL_TASK, 1, 0x900000);
	leave(T0 + 1250, 1, 0x900000);
	the_time = T0 + 1400;
	tlob_cell_wakeup(&cell, true);
	switch_at(T0 + 1600, OTHER, false, OWN);
	leave(T0 + 1700, 0, SP);
	assert_int_equal(part_of(0, TLOB_WORK_ON_CPU), 200);
	assert_int_equal(part_of(0, TLOB_WORK_SLEEP), 250);
	assert_int_equal(part_of(1, TLOB_WORK_SLEEP), 50);
	assert_int_equal(part_of(0, TLOB_WORK_THREAD), 0);
}

/* Lost calls are counted: a half-done hook, a death, no room; calls that have left are not. */
TEST(counted)
{
	unsigned int i;

	begin();
	cell.busy = 1;
	enter(T0 + 900, TLOB_CALL_IRQ, 2, SP);
	cell.busy = 0;
	assert_int_equal(all_calls.unseen[2], 1);

	switch_at(T0 + 1000, OWN, false, OTHER);
	enter(T0 + 1100, TLOB_CALL_TASK, 0, 0x900000);
	switch_at(T0 + 1200, OTHER, false, OWN);
	tlob_cell_call_migrated(&all_calls, OTHER);
	assert_int_equal(calls_open(&all_calls), 0);
	assert_int_equal(all_calls.lost[0], 0);

	switch_at(T0 + 1300, OWN, false, OTHER);
	enter(T0 + 1400, TLOB_CALL_TASK, 1, 0x900000);
	tlob_calls_exited(&all_calls, &cell.split, OTHER);
	assert_int_equal(all_calls.lost[1], 1);
	assert_int_equal(all_calls.time[1].unreturned, 1);
	switch_at(T0 + 1500, OTHER, false, OWN);

	for (i = 0; i < TLOB_CALLS + 5; i++)
		enter(T0 + 2000 + i, TLOB_CALL_TASK, i % 2, SP - 64ULL * i);
	assert_true(all_calls.full[0] + all_calls.full[1] > 0);
}

/* It returns while no window is open: the next window does not have it. */
TEST(between)
{
	begin();
	switch_at(T0 + 1000, OWN, false, OTHER);
	enter(T0 + 1100, TLOB_CALL_TASK, 0, 0x900000);
	switch_at(T0 + 1200, OTHER, false, OWN);
	end(T0 + 1300);
	assert_int_equal(all_calls.time[0].unreturned, 1);
	leave(T0 + 1400, 0, 0x900000);
	assert_int_equal(calls_open(&all_calls), 0);
	enter(T0 + 1500, TLOB_CALL_TASK, 0, 0x900000);	/* not in a window: none */
	assert_int_equal(calls_open(&all_calls), 0);
	tlob_cell_arm(&cell, T0 + 10000, 1000000, 2);
	switch_at(T0 + 9000, OWN, true, OTHER);
	enter(T0 + 10100, TLOB_CALL_TASK, 1, 0x900000 - 64);
	leave(T0 + 10200, 1, 0x900000 - 64);
	assert_int_equal(part_of(0, TLOB_WAKE_IRQ_DELAY), 0);
	assert_int_equal(part_of(1, TLOB_WAKE_IRQ_DELAY), 100);
	assert_int_equal(all_calls.lost[0], 0);
}

struct made { unsigned int set; __u64 sp; };

static void any_event(uint64_t *seed, struct made made[8])
{
	unsigned int what = (unsigned int)(unit_random(seed) % 16);
	int id = (int)(unit_random(seed) % 3);
	struct made *m = &made[what % 8];

	__u64 before = the_time;

	the_time += unit_random(seed) % 100;
	switch (what) {
	case 0: case 1:
		tlob_cell_enter(&cell, what, id);
		break;
	case 2: case 3:
		tlob_cell_exit(&cell, what - 2, id);
		break;
	case 4:
		/* it is alone in its time */
		tlob_cell_nmi(&cell, unit_random(seed) % (the_time - before + 1), true);
		break;
	case 5:
		tlob_cell_switch(&cell, cell.split.cur, comm, unit_random(seed) % 2, id ? OWN : OTHER);
		break;
	case 6:
		/* from another CPU calls that are open learn of it at the next boundary only */
		tlob_cell_wakeup(&cell, true);
		break;
	case 7:
		if (!cell.split.fired)
			tlob_cell_open(&cell, TLOB_CELL_T1, 0, 0);
		else if (cell.split.phase == TLOB_PHASE_WAKE && !cell.begun)
			tlob_cell_begin(&cell);
		break;
	default:
		if (m->sp) {
			leave(the_time, m->set, m->sp);
			m->sp = 0;
			break;
		}
		*m = (struct made){ .set = (unsigned int)id, .sp = SP - 8 * (unit_random(seed) % 99) };
		/* the clock was read a little before */
		tlob_cell_call_enter(&cell, &all_calls, the_time - unit_random(seed) % 5, cell.steal,
				     (unsigned int)unit_random(seed) % 3, m->set,
				     0x1000 + m->set, m->sp);
	}
}

/* Whatever comes: no part of all sets is larger than the window's. */
TEST(conserves)
{
	uint64_t seed = 18, in_sets = 0;
	unsigned int i, n, p, set;

	arm();
	for (i = 0; i < 20000; i++) {
		struct made made[8] = { { .sp = 0 } };
		__u64 t0 = the_time + 100;

		tlob_cell_arm(&cell, t0, 1000000, i);
		for (n = (unsigned int)(unit_random(&seed) % 120); n; n--)
			any_event(&seed, made);
		if (the_time < t0)
			the_time = t0;
		end(the_time + 50);
		for (p = 0; p < TLOB_NR_PARTS; p++) {
			uint64_t sum = 0;

			for (set = 0; set < SETS; set++)
				sum += part_of(set, p);
			in_sets += sum;
			if (sum > cell.split.part[p])
				fail_msg("window %u part %u: %lu in sets, but %llu", i, p, sum,
					 cell.split.part[p]);
		}
		for (set = 0; set < SETS; set++)
			assert_true(all_calls.time[set].unreturned <= all_calls.time[set].calls);
	}
	assert_true(in_sets > 20000);
}

UNIT_MAIN(NULL, NULL)
