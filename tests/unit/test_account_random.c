// SPDX-License-Identifier: GPL-2.0
/*
 * The account of a window over a task, at random: first events that make no sense, then
 * possible events beside a model.
 */
#include "account_check.h"

/*
 * Any events, in any order, with any reading of the clock: the sum holds after each event, and
 * at most one verdict is the first.
 */
static void random_events(uint64_t *seed, bool moves)
{
	struct tlob_account a = { .state = unmonitored_tlob };
	unsigned int i, first = 0;
	enum tlob_verdict verdict;
	__u64 now = START;

	for (i = 0; i < 60; i++) {
		uint64_t r = unit_random(seed);
		unsigned int kind = r >> 8 & 1;
		int id = (int)(r >> 9 & 3);

		now += r >> 16 & 0xff;
		now -= r >> 24 & 0x1f;
		verdict = TLOB_VERDICT_WITHIN;
		switch (r % 12) {
		case 0:
			if (tlob_account_start(&a, now, r >> 32 & 0x3ff, moves))
				first = 0;
			break;
		case 1:
			tlob_account_sched(&a, now, preempt_tlob);
			break;
		case 2:
			tlob_account_sched(&a, now, sleep_tlob);
			break;
		case 3:
			tlob_account_sched(&a, now, wakeup_tlob);
			break;
		case 4:
		case 5:
			tlob_account_sched(&a, now, switch_in_tlob);
			break;
		case 6:
			tlob_account_enter(&a, now, kind, id, "x", false);
			break;
		case 7:
			tlob_account_exit(&a, now, kind, id);
			break;
		case 8:
			tlob_account_move(&a, now, kind, id, "x", r >> 40 & 0xff);
			break;
		case 9:
			tlob_account_nmi(&a, r >> 40 & 0x3f, 1, r >> 40 & 0x3f);
			break;
		case 10:
			verdict = tlob_account_verdict(&a, now);
			break;
		default:
			if (r >> 48 & 7)
				tlob_account_stop(&a, now, &verdict);
			else
				tlob_account_reset(&a, now);
		}
		first += verdict == TLOB_VERDICT_FIRST;
		assert_int_equal(first, a.over);
		check_sum(&a, now);
		check_sum(&a, now + 17);
	}
}

static void test_random_events(void **state)
{
	uint64_t seed = 1;
	unsigned int i;

	for (i = 0; i < 20000; i++)
		random_events(&seed, i & 1);
}

/*
 * Possible events of a task that moves between CPUs with their own irqs and nmis. The model
 * adds up the time of each part. Its sums equal the account's after each event.
 */
struct model {
	__u64 now, part[TLOB_NR_PARTS], nmi;	/* nmi: not yet handed over */
	struct {
		unsigned int kind;
		int id;
	} level[TLOB_SPLIT_LEVELS];
	unsigned int depth, base;
};

static void model_go_on(struct model *m, __u64 ns)
{
	unsigned int cause = m->base;

	if (m->depth)
		cause = TLOB_WORK_IRQ + m->level[m->depth - 1].kind;
	m->part[cause] += ns;
	m->now += ns;
}

/* What a hook on the task's CPU does first. */
static void model_boundary(struct model *m, struct tlob_account *a)
{
	if (m->nmi)
		tlob_account_nmi(a, m->nmi, 1, m->nmi);
	m->nmi = 0;
}

static void model_sched(struct model *m, struct tlob_account *a,
			enum events_tlob event)
{
	if (m->depth)
		return;
	if (m->base == TLOB_WORK_ON_CPU)
		model_boundary(m, a);
	sched(a, m->now, event);
	m->base = event == switch_in_tlob ? TLOB_WORK_ON_CPU :
		  event == sleep_tlob ? TLOB_WORK_SLEEP : TLOB_WORK_THREAD;
}

static void model_noise(struct model *m, struct tlob_account *a, uint64_t r)
{
	unsigned int kind = r & 1;
	__u64 ns = r >> 1 & 0x3f;
	int id = (int)m->depth;

	if (r & 0x100) {		/* an nmi */
		m->part[TLOB_WORK_NMI] += ns;
		m->now += ns;
		m->nmi += ns;
	} else if (m->depth && r & 0x200) {
		model_boundary(m, a);
		m->depth--;
		tlob_account_exit(a, m->now, m->level[m->depth].kind,
				  m->level[m->depth].id);
	} else if (m->depth < TLOB_SPLIT_LEVELS) {
		if (m->depth)
			kind = IRQ;
		model_boundary(m, a);
		tlob_account_enter(a, m->now, kind, id, "x", false);
		m->level[m->depth].kind = kind;
		m->level[m->depth++].id = id;
	}
}

static void model_step(struct model *m, struct tlob_account *a, uint64_t r)
{
	bool runs = m->base == TLOB_WORK_ON_CPU;

	model_go_on(m, r >> 32 & 0xff);
	switch (r % 8) {
	case 0:
		model_sched(m, a, runs ? preempt_tlob : switch_in_tlob);
		break;
	case 1:
		if (runs)
			model_sched(m, a, sleep_tlob);
		else
			model_sched(m, a, wakeup_tlob);
		break;
	case 2:			/* from another CPU than the task's */
		if (m->base != TLOB_WORK_SLEEP)
			sched(a, m->now, wakeup_tlob);
		break;
	case 3:
		assert_int_equal(tlob_account_verdict(a, m->now),
				 TLOB_VERDICT_WITHIN);
		break;
	default:
		if (runs)
			model_noise(m, a, r >> 16);
	}
}

static void test_random_life(void **state)
{
	static const struct model none = { .now = START,
					   .base = TLOB_WORK_ON_CPU };
	__u64 part[TLOB_NR_PARTS];
	struct tlob_account a;
	uint64_t seed = 7;
	struct model m;
	int i, j;

	for (i = 0; i < 5000; i++) {
		m = none;
		open_window(&a, false);
		for (j = 0; j < 60; j++) {
			model_step(&m, &a, unit_random(&seed));
			check_sum(&a, m.now);
			tlob_account_parts(&a, m.now, part);
			if (!m.nmi)
				assert_memory_equal(part, m.part, sizeof(part));
		}
		while (m.depth)
			model_noise(&m, &a, 0x200);
		if (m.base != TLOB_WORK_ON_CPU)
			model_sched(&m, &a, switch_in_tlob);
		model_boundary(&m, &a);
		stop(&a, m.now);
		tlob_account_parts(&a, m.now, part);
		assert_memory_equal(part, m.part, sizeof(part));
		assert_int_equal(dirt(&a), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_events),
		cmocka_unit_test(test_random_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
