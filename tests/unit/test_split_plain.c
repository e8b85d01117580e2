// SPDX-License-Identifier: GPL-2.0
/*
 * The split's functions for the plain case: they do what the whole ones do, or refuse and
 * change nothing.
 */
#include <stdlib.h>

#include "split_check.h"

/* How often each of the functions for the plain case took an event. */
static struct {
	unsigned int enter, exit, unfired, plain, moves, charged;
} taken;

/* Returns the second split, which must take no short way: as if an nmi of 0 ns waits. */
static struct tlob_split *whole(struct tlob_split *s)
{
	if (s[1].moves)
		s[1].slow |= TLOB_SLOW_NMI;
	return &s[1];
}

/* One event to two splits: the plain function first, as the hooks do; the whole one. */
static void both_enter(struct tlob_split *s, __u64 now, unsigned int kind,
		       int id, const char *name, bool lasting)
{
	if (tlob_split_enter_plain(&s[0], now, kind, id, name, lasting))
		taken.enter++;
	else
		tlob_split_enter(&s[0], now, kind, id, name, lasting);
	tlob_split_enter(whole(s), now, kind, id, name, lasting);
}

static void both_exit(struct tlob_split *s, __u64 now, unsigned int kind, int id)
{
	if (tlob_split_exit_plain(&s[0], now, kind, id))
		taken.exit++;
	else
		tlob_split_exit(&s[0], now, kind, id);
	tlob_split_exit(whole(s), now, kind, id);
}

/* Returns whether the next charge of the first takes the short way of durations. */
static bool is_short(const struct tlob_split *s, __u64 now)
{
	return s->slow == TLOB_SLOW_MOVES && now >= s->last;
}

static void both_move(struct tlob_split *s, __u64 now, unsigned int kind, int id,
		      const char *name, bool lasting, __u64 ns)
{
	taken.charged += is_short(s, now);
	tlob_split_move(&s[0], now, kind, id, name, lasting, ns);
	tlob_split_move(whole(s), now, kind, id, name, lasting, ns);
}

static void both_switch(struct tlob_split *s, __u64 now, int prev,
			const char *name, bool blocked, int next)
{
	if (tlob_split_switch_unfired(&s[0], prev, next))
		taken.unfired++;
	else if (tlob_split_switch_plain(&s[0], now, prev, name, blocked, next))
		taken.plain++;
	else if (tlob_split_switch_moves(&s[0], now, prev, name, blocked, next))
		taken.moves++;
	else
		tlob_split_switch(&s[0], now, prev, name, blocked, next);
	tlob_split_switch(whole(s), now, prev, name, blocked, next);
}

static void both_nmi(struct tlob_split *s, __u64 ns)
{
	tlob_split_nmi(&s[0], ns, 1, ns);
	tlob_split_nmi(&s[1], ns, 1, ns);
}

/* Returns how much is left of segments of each cause: empty ones make no difference. */
static void left_of(const struct tlob_split *s, __u64 *ns)
{
	unsigned int i;

	memset(ns, 0, (TLOB_SPLIT_OUTSIDE + 1) * sizeof(*ns));
	for (i = 0; i < s->segments; i++)
		ns[s->segment[i].cause] += s->segment[i].ns;
}

static void assert_same(const struct tlob_split *s)
{
	__u64 left[2][TLOB_SPLIT_OUTSIDE + 1];

	assert_memory_equal(s[0].part, s[1].part,
			    sizeof(*s[0].part) * (TLOB_SPLIT_OUTSIDE + 1));
	assert_memory_equal(s[0].count, s[1].count, sizeof(s[0].count));
	assert_memory_equal(&s[0].largest, &s[1].largest, sizeof(s[0].largest));
	assert_int_equal(s[0].last, s[1].last);
	assert_int_equal(s[0].switches, s[1].switches);
	assert_int_equal(s[0].errors, s[1].errors);
	assert_int_equal(s[0].steps, s[1].steps);
	assert_int_equal(s[0].adjusted, s[1].adjusted);
	assert_int_equal(s[0].nmi_ns, s[1].nmi_ns);
	/* before the timer fires a switch ends no segment, so there the others differ */
	if (!tlob_split_in_work(s))
		return;
	left_of(&s[0], left[0]);
	left_of(&s[1], left[1]);
	assert_memory_equal(left[0], left[1], sizeof(left[0]));
}

/* Returns the time since the last boundary, without nmis. */
static __u64 unspent(const struct tlob_split *s, __u64 now)
{
	return now > s->last + s->nmi_ns ? now - s->last - s->nmi_ns : 0;
}

/*
 * Some events, most of them possible, with nmis and steps back of the clock. No steps
 * before the timer has fired: a switch there does not look at the clock.
 */
static void random_events(struct tlob_split *s, unsigned int *seed, __u64 *now)
{
	static const int pids[] = { IDLE, OWN, OTHER, OTHER + 1 };
	static const char name[TLOB_NAME_LEN] = "other", irq[] = "disk";
	unsigned int i;

	for (i = rand_r(seed) % 12; i; i--) {
		unsigned int kind = rand_r(seed) % 8 ? IRQ : SOFTIRQ;
		int id = rand_r(seed) % 3;
		__u64 passed = rand_r(seed) % 100, fits;

		/* what of it lies before t0 is not handed over */
		if (*now >= s->t0 && passed > 1 && rand_r(seed) % 8 == 0)
			both_nmi(s, passed / 2);
		*now += passed;
		if (s->fired && rand_r(seed) % 16 == 0)
			*now -= rand_r(seed) % 200;
		switch (rand_r(seed) % 5) {
		case 0:
		case 1:
			if (s->moves) {
				/* one that is too long would be taken from older segments */
				fits = tlob_split_in_work(s) ? 150 : unspent(&s[1], *now);
				both_move(s, *now, kind, id, id ? irq : name, !id,
					  rand_r(seed) % (fits + 1));
				break;
			}
			both_enter(s, *now, kind, id, id ? irq : name, !id);
			if (rand_r(seed) % 4)
				both_exit(s, *now += rand_r(seed) % 60, kind, id);
			break;
		case 2:
			both_exit(s, *now, kind, id);
			break;
		case 3:
			both_switch(s, *now, rand_r(seed) % 16 ? s->cur : OTHER,
				    name, rand_r(seed) % 2,
				    pids[rand_r(seed) % 4]);
			break;
		default:
			tlob_split_wakeup(&s[0], *now);
			tlob_split_wakeup(whole(s), *now);
		}
	}
}

static void both_at(struct tlob_split *s, __u64 now,
		    void (*what)(struct tlob_split *s, __u64 now))
{
	what(&s[0], now);
	what(whole(s), now);
	assert_same(s);
}

/* The functions for the plain case do what the whole ones do. */
TEST(test_plain_is_the_same)
{
	static const char comm[TLOB_NAME_LEN] = "other", timer[] = "local_timer" TLOB_NAME_PAD;
	unsigned int seed = 1, i;

	for (i = 0; i < 50000; i++) {
		/* t0 comes at once, or late */
		__u64 now = 1000, t0 = now + rand_r(&seed) % 2000;
		struct tlob_split s[2];
		bool moves = i % 2;

		tlob_split_arm(&s[0], now, t0, OWN, moves);
		/* a steal clock, after which fewer stretches are plain */
		if (i % 4 == 2)
			s[0].short_ns = 50;
		s[1] = s[0];
		random_events(s, &seed, &now);
		now = now > t0 ? now : t0;
		if (!moves)
			both_enter(s, now += 5, IRQ, 236, timer, true);
		both_at(s, now += 5, tlob_split_t1);
		if (moves)
			both_move(s, now += 5, IRQ, 236, timer, true, 10);
		else
			both_exit(s, now += 5, IRQ, 236);
		random_events(s, &seed, &now);
		both_switch(s, now += 5, s->cur, comm, false, OWN);
		both_at(s, now += 5, tlob_split_t2);
		random_events(s, &seed, &now);
		both_switch(s, now += 5, s->cur, comm, false, OWN);
		both_at(s, now += 5, tlob_split_t3);
	}
	assert_true(taken.enter > i / 2);
	assert_true(taken.exit > i / 2);
	assert_true(taken.unfired > i / 2);
	assert_true(taken.plain > i / 2);
	assert_true(taken.moves > i / 2);
	assert_true(taken.charged > i / 2);
}

/*
 * Durations are short only after t0, and with nothing else pending. The functions refuse others, and
 * leave the split as it was.
 */
TEST(test_not_short)
{
	static const char name[TLOB_NAME_LEN] = "other";
	struct tlob_split s, before;

	tlob_split_arm(&s, 1000, 2000, OWN, true);
	/* an irq that runs across t0 is cut there */
	assert_int_equal(s.slow, TLOB_SLOW_MOVES | TLOB_SLOW_EARLY);
	tlob_split_move(&s, 1999, IRQ, 1, name, false, 10);
	assert_int_equal(s.slow, TLOB_SLOW_MOVES | TLOB_SLOW_EARLY);
	before = s;
	assert_false(tlob_split_switch_moves(&s, 2100, OWN, name, false, IDLE));
	assert_memory_equal(&s, &before, sizeof(s));
	tlob_split_move(&s, 2000, IRQ, 1, name, false, 10);
	assert_int_equal(s.slow, TLOB_SLOW_MOVES);
	tlob_split_t1(&s, 2040);
	tlob_split_nmi(&s, 10, 1, 10);
	before = s;
	assert_false(tlob_split_switch_moves(&s, 2100, OWN, name, false, IDLE));
	assert_memory_equal(&s, &before, sizeof(s));
	tlob_split_move(&s, 2100, IRQ, 1, name, true, 50);
	assert_int_equal(s.slow, TLOB_SLOW_MOVES);
	before = s;
	assert_false(tlob_split_switch_moves(&s, 2099, OWN, name, false, IDLE));
	assert_false(tlob_split_switch_moves(&s, 2200, OTHER, name, false, IDLE));
	assert_memory_equal(&s, &before, sizeof(s));
	assert_true(tlob_split_switch_moves(&s, 2200, OWN, name, false, IDLE));
	/* what ran before the switch cannot have been interrupted after it */
	assert_int_equal(s.segments, 0);
	assert_int_equal(s.part[TLOB_WAKE_NMI], 10);
	assert_int_equal(s.part[TLOB_WAKE_IRQ], 50);
	assert_int_equal(s.part[TLOB_WAKE_SCHED] + s.part[TLOB_WAKE_IRQ_DELAY], 140);
	/* an irq over t0 and t1, after another that ended before t0 */
	tlob_split_arm(&s, 1000, 2000, OWN, true);
	tlob_split_move(&s, 1300, IRQ, 1, name, false, 10);
	tlob_split_t1(&s, 2040);
	tlob_split_move(&s, 2100, IRQ, 236, name, false, 900);
	assert_int_equal(s.adjusted, 0);
	assert_int_equal(s.part[TLOB_WAKE_IRQ], 100);
}

UNIT_MAIN(NULL, NULL)
