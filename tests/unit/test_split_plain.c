// SPDX-License-Identifier: GPL-2.0
/*
 * The split's functions for the plain case: they do what the whole ones do, or refuse and
 * change nothing.
 */
#include <stdlib.h>

#include "split_check.h"

/* How often each of the functions for the plain case took an event. */
static struct {
	unsigned int enter, exit, unfired, plain;
} taken;

/* One event to two splits: the plain function first, as the hooks do; the whole one. */
static void both_enter(struct tlob_split *s, __u64 now, unsigned int kind,
		       int id, const char *name, bool lasting)
{
	if (tlob_split_enter_plain(&s[0], now, kind, id, name, lasting))
		taken.enter++;
	else
		tlob_split_enter(&s[0], now, kind, id, name, lasting);
	tlob_split_enter(&s[1], now, kind, id, name, lasting);
}

static void both_exit(struct tlob_split *s, __u64 now, unsigned int kind, int id)
{
	if (tlob_split_exit_plain(&s[0], now, kind, id))
		taken.exit++;
	else
		tlob_split_exit(&s[0], now, kind, id);
	tlob_split_exit(&s[1], now, kind, id);
}

static void both_switch(struct tlob_split *s, __u64 now, int prev,
			const char *name, bool blocked, int next)
{
	if (tlob_split_switch_unfired(&s[0], prev, next))
		taken.unfired++;
	else if (tlob_split_switch_plain(&s[0], now, prev, name, blocked, next))
		taken.plain++;
	else
		tlob_split_switch(&s[0], now, prev, name, blocked, next);
	tlob_split_switch(&s[1], now, prev, name, blocked, next);
}

static void both_nmi(struct tlob_split *s, __u64 ns)
{
	tlob_split_nmi(&s[0], ns, 1, ns);
	tlob_split_nmi(&s[1], ns, 1, ns);
}

static void assert_same(const struct tlob_split *s)
{
	assert_memory_equal(s[0].part, s[1].part,
			    sizeof(*s[0].part) * TLOB_NR_PARTS);
	assert_memory_equal(s[0].count, s[1].count, sizeof(s[0].count));
	assert_memory_equal(&s[0].largest, &s[1].largest, sizeof(s[0].largest));
	assert_int_equal(s[0].last, s[1].last);
	assert_int_equal(s[0].switches, s[1].switches);
	assert_int_equal(s[0].errors, s[1].errors);
	assert_int_equal(s[0].steps, s[1].steps);
	assert_int_equal(s[0].adjusted, s[1].adjusted);
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
		__u64 passed = rand_r(seed) % 100;

		/* what of it lies before t0 is not handed over */
		if (*now >= s->t0 && passed > 1 && rand_r(seed) % 8 == 0)
			both_nmi(s, passed / 2);
		*now += passed;
		if (s->fired && rand_r(seed) % 16 == 0)
			*now -= rand_r(seed) % 200;
		switch (rand_r(seed) % 5) {
		case 0:
		case 1:
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
			tlob_split_wakeup(&s[1], *now);
		}
	}
}

static void both_at(struct tlob_split *s, __u64 now,
		    void (*what)(struct tlob_split *s, __u64 now))
{
	what(&s[0], now);
	what(&s[1], now);
	assert_same(s);
}

/* The functions for the plain case do what the whole ones do. */
static void test_plain_is_the_same(void **state)
{
	static const char comm[TLOB_NAME_LEN] = "other";
	unsigned int seed = 1, i;

	for (i = 0; i < 50000; i++) {
		/* t0 comes at once, or late */
		__u64 now = 1000, t0 = now + rand_r(&seed) % 2000;
		struct tlob_split s[2];
		bool moves = i % 8 == 0;

		tlob_split_arm(&s[0], now, t0, OWN, moves);
		s[1] = s[0];
		random_events(s, &seed, &now);
		now = now > t0 ? now : t0;
		both_enter(s, now += 5, IRQ, 236, "local_timer" TLOB_NAME_PAD, true);
		both_at(s, now += 5, tlob_split_t1);
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
}

/* They refuse a split that is not plain, and leave it as it was. */
static void test_not_plain(void **state)
{
	static const char name[TLOB_NAME_LEN] = "other";
	struct tlob_split s, before;

	in_work(&s);
	before = s;
	assert_false(tlob_split_enter_plain(&s, s.last - 1, IRQ, 1, name, true));
	assert_false(tlob_split_exit_plain(&s, 2600, IRQ, 1));
	assert_false(tlob_split_switch_plain(&s, 2600, OTHER, name, false, OWN));
	assert_false(tlob_split_switch_unfired(&s, OWN, OTHER));
	assert_memory_equal(&s, &before, sizeof(s));
	tlob_split_nmi(&s, 10, 1, 10);
	before = s;
	assert_false(tlob_split_enter_plain(&s, 2600, IRQ, 1, name, true));
	assert_false(tlob_split_switch_plain(&s, 2600, OWN, name, false, OTHER));
	assert_memory_equal(&s, &before, sizeof(s));
	/* its name would have to be copied */
	in_work(&s);
	tlob_split_enter(&s, 2600, IRQ, 1, name, false);
	before = s;
	assert_false(tlob_split_exit_plain(&s, 9000, IRQ, 1));
	assert_memory_equal(&s, &before, sizeof(s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_is_the_same),
		cmocka_unit_test(test_not_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
