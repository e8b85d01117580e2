// SPDX-License-Identifier: GPL-2.0
/* Who had a CPU while a task waited for it, against a model that knows each ns. */
#include <stdio.h>
#include <string.h>

#include "turns.h"
#include "unit.h"

#define OWN	99

static void comes(struct tlob_turns *t, __u64 now, __s32 pid)
{
	char comm[TLOB_NAME_LEN] = "";

	snprintf(comm, sizeof(comm), "task%d", pid);
	tlob_turns_note(t, now, pid, comm);
}

static struct tlob_noise longest_in(const struct tlob_turns *t, const struct tlob_turns_wait *w,
				    __s32 pid)
{
	static const char name[TLOB_NAME_LEN] = "current";
	struct tlob_noise n;

	tlob_turns_longest(t, 1000, w, pid, name, &n);
	return n;
}

static struct tlob_noise longest(const struct tlob_turns *t, __u64 from, __u64 now, __s32 pid)
{
	const struct tlob_turns_wait w = { .from = from, .now = now };

	return longest_in(t, &w, pid);
}

/* The task that runs last is not the one that had the CPU: 20 ms, then 5 us of another. */
TEST(test_longest_is_not_last)
{
	struct tlob_turns t = {};
	struct tlob_noise n;

	comes(&t, 1000, OWN);
	comes(&t, 2000, 60);
	comes(&t, 20002000, 55);
	n = longest(&t, 2001, 20007000, 55);
	assert_int_equal(n.ns, 19999999);
	assert_int_equal(n.id, 60);
	assert_int_equal(n.kind, TLOB_NOISE_THREAD);
	assert_string_equal(n.name, "task60");
}

/* Many short turns of one task are more than one long turn of another. */
TEST(test_sum)
{
	struct tlob_turns t = {};
	struct tlob_noise n;
	__u64 now = 2000;

	for (int i = 0; i < 4; i++, now += 100) {
		comes(&t, now, 7);
		comes(&t, now + 60, i == 2 ? 8 : 9 + i);
	}
	n = longest(&t, 2000, now, 12);
	assert_int_equal(n.id, 7);
	assert_int_equal(n.ns, 240);
}

TEST(test_idle)
{
	struct tlob_turns t = {};
	struct tlob_noise n;

	comes(&t, 1500, 0);
	comes(&t, 3000, 8);
	n = longest(&t, 2000, 3100, 8);
	assert_int_equal(n.ns, 1000);
	assert_int_equal(n.id, 0);
	assert_string_equal(n.name, "idle");
}

/* Without a switch since then, the task that leaves had it all; where it is unknown, nobody did. */
TEST(test_no_switch)
{
	struct tlob_turns t = {};
	struct tlob_noise n;

	n = longest(&t, 2000, 2500, 8);
	assert_int_equal(n.ns, 500);
	assert_int_equal(n.id, 8);
	assert_string_equal(n.name, "current");
	assert_int_equal(longest(&t, 2000, 2500, TLOB_TURNS_UNKNOWN).ns, 0);
	/* from before the log was kept: others may have followed */
	comes(&t, 900, 7);
	n = longest(&t, 2000, 2500, 8);
	assert_int_equal(n.id, 8);
	assert_int_equal(longest(&t, 2000, 2500, TLOB_TURNS_UNKNOWN).ns, 0);
	assert_int_equal(longest(&t, 2500, 2500, 8).ns, 0);
	assert_int_equal(longest(&t, 2501, 2500, 8).ns, 0);
	/* a wait that began before the log was kept */
	assert_int_equal(longest(&t, 950, 2500, 8).ns, 0);
}

/* What ran before the first turn that is known may be one task: it is not named. */
TEST(test_unknown)
{
	struct tlob_turns t = {};
	struct tlob_noise n;

	comes(&t, 900, 7);
	comes(&t, 2400, 8);
	assert_int_equal(longest(&t, 2000, 2600, 8).ns, 0);
	n = longest(&t, 2000, 2801, 8);
	assert_int_equal(n.ns, 401);
	assert_int_equal(n.id, 8);
}

TEST(test_longer_than_the_log)
{
	struct tlob_turns t = {};
	__u64 now = 2000;

	comes(&t, 1500, 5);
	for (unsigned int i = 0; i < TLOB_TURNS; i++, now += 10)
		comes(&t, now, 100 + (int)i % 2);
	/* 500 ns of 5 are not in the log any more; 101 has 160 */
	assert_int_equal(longest(&t, 1500, now, 101).ns, 0);
	assert_int_equal(longest(&t, 1990, now, 101).ns, 10 * TLOB_TURNS / 2);
}

/* A limit, a stop and a freeze have the id 0 and names of their own. */
TEST(test_kept)
{
	static const char * const names[] = {
		[TLOB_KEPT_THROTTLED] = TLOB_THROTTLED, [TLOB_KEPT_STOPPED] = TLOB_STOPPED,
		[TLOB_KEPT_FROZEN] = TLOB_FROZEN,
	};
	struct tlob_noise n;

	for (unsigned int by = TLOB_KEPT_THROTTLED; by <= TLOB_KEPT_FROZEN; by++) {
		tlob_turns_kept(by, 1000, 1500, &n);
		assert_int_equal(n.ns, 500);
		assert_int_equal(n.id, 0);
		assert_int_equal(n.kind, TLOB_NOISE_THREAD);
		assert_string_equal(n.name, names[by]);
		/* clocks of two CPUs */
		tlob_turns_kept(by, 1500, 1000, &n);
		assert_int_equal(n.ns, 0);
	}
}

#define SPAN	4000

/* Each ns has its task in the model. */
TEST(test_random)
{
	static __s32 ran[SPAN];
	uint64_t seed = 1;

	for (int round = 0; round < 2000; round++) {
		unsigned int turns = 1 + unit_random(&seed) % TLOB_TURNS;
		__u64 at = 1000, from, now, sum[8] = {}, most = 0, got = 0;
		struct tlob_turns t = {};
		struct tlob_noise n;
		__s32 pid = 0;

		memset(ran, -1, sizeof(ran));
		for (unsigned int i = 0; i < turns; i++) {
			__u64 next = at + unit_random(&seed) % 90;

			pid = (__s32)(unit_random(&seed) % 8);
			comes(&t, at, pid);
			for (__u64 k = at; k < next; k++)
				ran[k - 1000] = pid;
			at = next;
		}
		now = at;
		from = 1000 + unit_random(&seed) % (now - 999);
		for (__u64 k = from; k < now; k++)
			sum[ran[k - 1000]]++;
		n = longest(&t, from, now, pid);
		for (int i = 0; i < 8; i++)
			most = sum[i] > most ? sum[i] : most;
		got = n.ns ? sum[n.id] : 0;
		assert_int_equal(n.ns, most);
		assert_int_equal(got, most);
	}
}

/* A softirq of 100 ns with an irq of 30 in it, in which an nmi took 10; the end of an earlier irq. */
TEST(test_away)
{
	struct tlob_away a = { .since = 1000 };

	tlob_away_leave(&a, 1005);
	tlob_away_enter(&a, 1010, TLOB_NOISE_SOFTIRQ);
	tlob_away_enter(&a, 1050, TLOB_NOISE_IRQ);
	tlob_away_nmi(&a, 10);
	tlob_away_leave(&a, 1080);
	tlob_away_leave(&a, 1110);
	assert_int_equal(a.ns[TLOB_NOISE_SOFTIRQ], 70);
	assert_int_equal(a.ns[TLOB_NOISE_IRQ], 20);
	assert_int_equal(a.ns[TLOB_NOISE_NMI], 10);
	assert_int_equal(a.depth, 0);
	/* more than are kept apart */
	for (unsigned int i = 0; i < 2 * TLOB_AWAY_DEPTH; i++)
		tlob_away_enter(&a, 1200 + i, TLOB_NOISE_IRQ);
	for (unsigned int i = 0; i < 2 * TLOB_AWAY_DEPTH; i++)
		tlob_away_leave(&a, 1300 + i);
	assert_int_equal(a.ns[TLOB_NOISE_IRQ], 20 + 107);
	/* an nmi came between a reading of the clock and its account */
	tlob_away_enter(&a, 1400, TLOB_NOISE_IRQ);
	tlob_away_nmi(&a, 50);
	tlob_away_leave(&a, 1420);
	assert_int_equal(a.ns[TLOB_NOISE_IRQ], 20 + 107);
}

/* The CPU was idle for 300 ns. An irq took 200 of them. Then a task ran for 150. */
TEST(test_interrupted_turn)
{
	struct tlob_turns t = {};
	struct tlob_noise n;

	comes(&t, 1000, 0);
	tlob_away_enter(&t.away, 1050, TLOB_NOISE_IRQ);
	tlob_away_leave(&t.away, 1250);
	comes(&t, 1300, 5);
	n = longest(&t, 1000, 1450, 5);
	assert_int_equal(n.id, 5);
	assert_int_equal(n.ns, 150);
	n = longest(&t, 1000, 1390, 5);
	assert_int_equal(n.id, 0);
	assert_int_equal(n.ns, 100);
}

/* The hypervisor took 40 ns of an irq and 100 of the task's turn. */
TEST(test_stolen_turn)
{
	struct tlob_turns t = { .away.stolen = 7000 };

	comes(&t, 1000, 5);
	tlob_away_enter(&t.away, 1050, TLOB_NOISE_IRQ);
	tlob_away_stolen(&t.away, 7040);
	tlob_away_leave(&t.away, 1150);
	assert_int_equal(t.away.ns[TLOB_NOISE_IRQ], 60);
	tlob_away_stolen(&t.away, 7140);
	assert_int_equal(longest(&t, 1000, 1500, 5).ns, 300);
	comes(&t, 1500, 0);
	assert_int_equal(longest(&t, 1000, 1600, 0).ns, 300);
	assert_int_equal(longest(&t, 1000, 1600, 0).id, 5);
}

/* A timer was due at 5000 and came at 5900. */
TEST(test_stolen_delay)
{
	struct tlob_turns t = { .away.stolen = 7000 };

	/* nothing is known of the CPU yet */
	assert_int_equal(tlob_turns_stolen(&t, 1000, 5000, 5900, 7800), 0);
	comes(&t, 4400, 0);
	assert_int_equal(tlob_turns_stolen(&t, 1000, 5000, 5900, 7800), 800);
	assert_int_equal(tlob_turns_stolen(&t, 1000, 5000, 5900, 8800), 900);
	assert_int_equal(tlob_turns_stolen(&t, 4401, 5000, 5900, 7800), 0);
	/* it may have been stolen while the task ran before that */
	comes(&t, 4500, 5);
	assert_int_equal(tlob_turns_stolen(&t, 1000, 5000, 5900, 7500), 0);
	assert_int_equal(tlob_turns_stolen(&t, 1000, 5000, 5900, 7700), 200);
	comes(&t, 5100, 5);
	assert_int_equal(tlob_turns_stolen(&t, 1000, 5000, 5900, 7500), 500);
	assert_int_equal(tlob_turns_stolen(&t, 1000, 5900, 5900, 7500), 0);
}

/* Task 4 had 500 ns after an irq of 300, and an irq of 40 came in them; another task waited before. */
TEST(test_interrupted_before)
{
	struct tlob_turns_wait w = { .from = 1300, .now = 1880 };
	struct tlob_turns t = {};
	struct tlob_noise n;

	comes(&t, 1000, 4);
	tlob_away_enter(&t.away, 1000, TLOB_NOISE_IRQ);
	/* it wakes the task that waits from here on: its time so far lies before the wait */
	tlob_away_charge(&t.away, 1300);
	w.away = tlob_away_sum(&t.away);
	assert_int_equal(w.away, 300);
	tlob_away_leave(&t.away, 1300);
	tlob_away_enter(&t.away, 1500, TLOB_NOISE_IRQ);
	tlob_away_leave(&t.away, 1540);
	comes(&t, 1840, 5);
	n = longest_in(&t, &w, 5);
	assert_int_equal(n.id, 4);
	assert_int_equal(n.ns, 500);
}

static bool was_most(const struct tlob_turns *t, const struct tlob_turn_mark *m, uint64_t from,
		     uint64_t now, uint64_t away)
{
	const struct tlob_turns_wait w = { .from = from, .now = now, .away = away };

	return tlob_turns_was_most(t, m, &w);
}

/* Task 4 is met at 1200 in its turn from 1000 to 2000, and others run after it. */
TEST(test_was_most)
{
	struct tlob_turn_mark m;
	struct tlob_turns t = {};
	int i;

	comes(&t, 1000, 4);
	tlob_turns_mark(&t, &m);
	assert_false(was_most(&t, &m, 1100, 2000, 0));
	comes(&t, 2000, 5);
	assert_true(was_most(&t, &m, 1100, 2000, 0));
	assert_true(was_most(&t, &m, 1100, 2899, 0));
	/* not more than half */
	assert_false(was_most(&t, &m, 1100, 2900, 0));
	assert_false(was_most(&t, &m, 2000, 2100, 0));
	for (i = 1; i < TLOB_TURNS; i++)
		comes(&t, 2000 + i, 5 + i);
	assert_true(was_most(&t, &m, 1100, 2100, 0));
	/* the log has lost its end */
	comes(&t, 2050, 4);
	assert_false(was_most(&t, &m, 1100, 2100, 0));

	/* an interrupt had 300 of the turn */
	t = (struct tlob_turns){};
	comes(&t, 1000, 4);
	tlob_turns_mark(&t, &m);
	tlob_away_enter(&t.away, 1500, TLOB_NOISE_IRQ);
	tlob_away_leave(&t.away, 1800);
	comes(&t, 2000, 5);
	assert_true(was_most(&t, &m, 1100, 2299, 0));
	assert_false(was_most(&t, &m, 1100, 2300, 0));

	/* the wait began after half of that: only the rest is missing in it */
	t = (struct tlob_turns){};
	comes(&t, 1000, 4);
	tlob_turns_mark(&t, &m);
	tlob_away_enter(&t.away, 1100, TLOB_NOISE_IRQ);
	tlob_away_leave(&t.away, 1400);
	comes(&t, 2000, 5);
	assert_true(was_most(&t, &m, 1400, 2599, 300));
	assert_false(was_most(&t, &m, 1400, 2600, 300));
}

UNIT_MAIN(NULL, NULL)
