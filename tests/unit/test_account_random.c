// SPDX-License-Identifier: GPL-2.0
/*
 * The account of a task with windows, at random: events that make no sense, possible events
 * against a model, and several windows against accounts of their own.
 */
#include "account_check.h"

#define WINDOWS	6

/*
 * Any events, in any order, with any reading of the clock: the sums of each window hold after
 * each event, and at most one verdict of it is the first.
 */
static void random_events(uint64_t *seed)
{
	struct tlob_account_window w[3] = {}, *own;
	struct tlob_account a = {};
	unsigned int i, j, first[3] = {};
	struct tlob_account_record r;
	__u64 now = START;

	for (i = 0; i < 60; i++) {
		uint64_t x = unit_random(seed);
		unsigned int kind = x >> 8 & 1;
		int id = (int)(x >> 9 & 3);

		own = &w[j = x >> 11 & 3 ? x >> 12 & 1 : 2];
		now += x >> 16 & 0xff;
		now -= x >> 24 & 0x1f;
		switch (x % 11) {
		case 0:
			if (own->open)
				break;
			tlob_account_open(&a, own, now, x >> 32 & 0x3ff);
			first[j] = 0;
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
			tlob_account_nmi(&a, x >> 40 & 0x3f, 1, x >> 40 & 0x3f);
			break;
		case 9:
			first[j] += tlob_account_verdict(&a, own, now) == TLOB_VERDICT_FIRST;
			break;
		default:
			if (!own->open)
				break;
			if (x >> 48 & 3)
				tlob_account_stop(&a, now);
			tlob_account_close(&a, own);
		}
		for (j = 0; j < ARRAY_SIZE(w); j++) {
			assert_int_equal(first[j], w[j].over);
			if (!w[j].open)
				continue;
			tlob_account_read(&a, &w[j], now, &r);
			check_record(&r);
			tlob_account_read(&a, &w[j], now + 17, &r);
			check_record(&r);
		}
	}
}

TEST(test_random_events)
{
	uint64_t seed = 1;
	unsigned int i;

	for (i = 0; i < 20000; i++)
		random_events(&seed);
}

/*
 * Possible events of a task that moves between CPUs with their own irqs and nmis. The model
 * adds up the time of each part, counts, and knows the largest interruption. The account has the
 * same after each event.
 */
struct model {
	__u64 now, part[TLOB_NR_PARTS], nmi;	/* nmi: not yet handed over */
	__u32 count[TLOB_NR_NOISE], switches;
	struct {
		unsigned int kind;
		int id;
		__u64 ns;		/* without what interrupts it */
	} level[TLOB_SPLIT_LEVELS];
	unsigned int depth, base;
	struct tlob_noise largest;
};

static const char * const model_names[] = { "irq" TLOB_NAME_PAD, "softirq" TLOB_NAME_PAD, "nmi" };

static void model_happened(struct model *m, unsigned int kind, int id, __u64 ns)
{
	m->count[kind] += ns > 0;
	if (ns <= m->largest.ns)
		return;
	m->largest.ns = ns;
	m->largest.kind = (__u8)kind;
	m->largest.id = id;
}

static void model_go_on(struct model *m, __u64 ns)
{
	unsigned int cause = m->base;

	if (m->depth) {
		cause = TLOB_WORK_IRQ + m->level[m->depth - 1].kind;
		m->level[m->depth - 1].ns += ns;
	}
	m->part[cause] += ns;
	m->now += ns;
}

/* The first thing that a hook on the task's CPU does. */
static void model_boundary(struct model *m, struct task *a)
{
	if (m->nmi) {
		tlob_account_nmi(&a->acc, m->nmi, 1, m->nmi);
		model_happened(m, TLOB_NOISE_NMI, 0, m->nmi);
	}
	m->nmi = 0;
}

static void model_sched(struct model *m, struct task *a,
			enum events_tlob event)
{
	if (m->depth)
		return;
	if (m->base == TLOB_WORK_ON_CPU)
		model_boundary(m, a);
	sched(a, m->now, event);
	if (event == wakeup_tlob && m->base != TLOB_WORK_SLEEP)
		return;
	m->switches += m->base == TLOB_WORK_ON_CPU;
	m->base = event == switch_in_tlob ? TLOB_WORK_ON_CPU :
		  event == sleep_tlob ? TLOB_WORK_SLEEP : TLOB_WORK_THREAD;
}

static void model_noise(struct model *m, struct task *a, uint64_t r)
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
		tlob_account_exit(&a->acc, m->now, m->level[m->depth].kind,
				  m->level[m->depth].id);
		model_happened(m, m->level[m->depth].kind, m->level[m->depth].id,
			       m->level[m->depth].ns);
	} else if (m->depth < TLOB_SPLIT_LEVELS) {
		if (m->depth)
			kind = IRQ;
		model_boundary(m, a);
		tlob_account_enter(&a->acc, m->now, kind, id, model_names[kind], r & 0x400);
		m->level[m->depth].ns = 0;
		m->level[m->depth].kind = kind;
		m->level[m->depth++].id = id;
	}
}

static void model_step(struct model *m, struct task *a, uint64_t r)
{
	bool runs = m->base == TLOB_WORK_ON_CPU;

	model_go_on(m, r >> 32 & 0xff);
	switch (r % 8) {
	case 0:
		model_sched(m, a, runs ? preempt_tlob : switch_in_tlob);
		break;
	case 1:
		model_sched(m, a, runs ? sleep_tlob : wakeup_tlob);
		break;
	case 2:			/* needless, by an irq or from another CPU than the task's */
		if (m->base != TLOB_WORK_SLEEP)
			sched(a, m->now, wakeup_tlob);
		break;
	case 3:
		assert_int_equal(tlob_account_verdict(&a->acc, &a->w, m->now),
				 TLOB_VERDICT_WITHIN);
		break;
	default:
		if (runs)
			model_noise(m, a, r >> 16);
	}
}

static void model_compare(const struct model *m, const struct tlob_account_record *r)
{
	assert_memory_equal(r->sums.part, m->part, sizeof(m->part));
	assert_memory_equal(r->sums.count, m->count, sizeof(m->count));
	assert_int_equal(r->sums.switches, m->switches);
	assert_int_equal(r->largest.ns, m->largest.ns);
	if (!m->largest.ns)
		return;
	assert_int_equal(r->largest.kind, m->largest.kind);
	assert_int_equal(r->largest.id, m->largest.id);
	assert_true(r->largest.in_work);
	if (m->largest.kind != TLOB_NOISE_NMI)
		assert_int_equal(strncmp(r->largest.name, model_names[m->largest.kind], TLOB_NAME_LEN - 1), 0);
}

TEST(test_random_life)
{
	static const struct model none = { .now = START,
					   .base = TLOB_WORK_ON_CPU };
	struct tlob_account_record r;
	uint64_t seed = 7;
	struct model m;
	struct task a;
	int i, j;

	for (i = 0; i < 5000; i++) {
		m = none;
		open_window(&a);
		for (j = 0; j < 60; j++) {
			model_step(&m, &a, unit_random(&seed));
			check_sum(&a, m.now);
			r = record_at(&a, m.now);
			if (!m.nmi)
				model_compare(&m, &r);
		}
		while (m.depth)
			model_noise(&m, &a, 0x200);
		if (m.base != TLOB_WORK_ON_CPU)
			model_sched(&m, &a, switch_in_tlob);
		model_boundary(&m, &a);
		stop(&a, m.now);
		model_compare(&m, &a.ended);
		assert_int_equal(dirt(&a), 0);
	}
}

/*
 * Windows over one task, each against an account that has only this window and the same events.
 * Whatever opens and ends in between, both have the same.
 */
struct several {
	struct tlob_account all;
	struct tlob_account_window w[WINDOWS];
	struct task alone[WINDOWS];
	__u64 now;
	int open_irqs;
};

/* @passed: the time did, else there is too little for it, which is counted. */
static void each_nmi(struct several *s, __u64 ns, bool passed)
{
	unsigned int i;

	s->now += passed ? ns : 0;
	tlob_account_nmi(&s->all, ns, 1, ns);
	for (i = 0; i < WINDOWS; i++)
		if (s->w[i].open)
			tlob_account_nmi(&s->alone[i].acc, ns, 1, ns);
}

static void each_sched(struct several *s, enum events_tlob event)
{
	struct tlob_noise other = { .id = (__s32)(s->now % 5), .name = "other" };
	unsigned int i;

	if (s->open_irqs || tlob_da_next(s->all.state, event) == INVALID_STATE)
		return;
	if (event == switch_in_tlob) {
		other.ns = s->now - s->all.waits_since;
		tlob_account_waited(&s->all, s->now, &other);
	}
	tlob_account_sched(&s->all, s->now, event);
	for (i = 0; i < WINDOWS; i++) {
		if (!s->w[i].open)
			continue;
		if (event == switch_in_tlob)
			tlob_account_waited(&s->alone[i].acc, s->now, &other);
		sched(&s->alone[i], s->now, event);
	}
}

static void each_irq(struct several *s, bool enter)
{
	const char *name = "irq" TLOB_NAME_PAD;
	bool lasts = s->open_irqs & 1;
	unsigned int i;
	int id;

	if (s->all.state != running_tlob || s->open_irqs == (enter ? 3 : 0))
		return;
	id = enter ? ++s->open_irqs : s->open_irqs--;
	if (enter)
		tlob_account_enter(&s->all, s->now, IRQ, id, name, lasts);
	else
		tlob_account_exit(&s->all, s->now, IRQ, id);
	for (i = 0; i < WINDOWS; i++) {
		struct tlob_account *a = &s->alone[i].acc;

		if (s->w[i].open && enter)
			tlob_account_enter(a, s->now, IRQ, id, name, lasts);
		else if (s->w[i].open)
			tlob_account_exit(a, s->now, IRQ, id);
	}
}

/* The exit of an irq that nothing has begun: an error of each open window. */
static void each_wrong_exit(struct several *s)
{
	unsigned int i;

	tlob_account_exit(&s->all, s->now, IRQ, 99);
	for (i = 0; i < WINDOWS; i++)
		if (s->w[i].open)
			tlob_account_exit(&s->alone[i].acc, s->now, IRQ, 99);
}

static void compare_window(struct several *s, unsigned int i)
{
	struct tlob_account_record r, alone;

	tlob_account_read(&s->all, &s->w[i], s->now, &r);
	check_record(&r);
	alone = record_at(&s->alone[i], s->now);
	/* padding is behind the last of them */
	assert_memory_equal(&r.sums, &alone.sums,
			    offsetof(struct tlob_account_sums, errors) + sizeof(r.sums.errors));
	assert_int_equal(r.elapsed, alone.elapsed);
	assert_int_equal(r.other.ns, alone.other.ns);
	assert_int_equal(r.other.id, alone.other.id);
	assert_int_equal(r.largest.ns, alone.largest.ns);
	assert_int_equal(r.largest.id, alone.largest.id);
	assert_string_equal(r.largest.name, alone.largest.name);
}

static void several_step(struct several *s, uint64_t r)
{
	unsigned int i = r >> 8 & 7, k;

	s->now += r >> 32 & 0xff;
	switch (r % 9) {
	case 0:
	case 1:
		if (i >= WINDOWS || s->open_irqs || s->w[i].open ||
		    (s->all.newest && s->all.state != running_tlob))
			break;
		/* a new window is a boundary for the others */
		for (k = 0; k < WINDOWS; k++)
			if (s->w[k].open)
				tlob_split_charge(&s->alone[k].acc.split, s->now);
		tlob_account_open(&s->all, &s->w[i], s->now, 1);
		memset(&s->alone[i], 0, sizeof(s->alone[i]));
		tlob_account_open(&s->alone[i].acc, &s->alone[i].w, s->now, 1);
		break;
	case 2:			/* by its task, or by another CPU at any moment */
		if (i < WINDOWS && s->w[i].open) {
			compare_window(s, i);
			tlob_account_close(&s->all, &s->w[i]);
		}
		break;
	case 3:
		each_sched(s, s->all.state == running_tlob ? preempt_tlob : switch_in_tlob);
		break;
	case 4:
		each_sched(s, s->all.state == running_tlob ? sleep_tlob : wakeup_tlob);
		break;
	case 5:
		if (s->all.newest && s->all.state == running_tlob)
			each_nmi(s, (r >> 40 & 0x3f) + 1, r >> 48 & 7);
		if (s->all.newest && !(r >> 51 & 7))
			each_wrong_exit(s);
		break;
	default:
		if (s->all.newest)
			each_irq(s, r >> 16 & 1);
	}
	if (!s->all.newest)
		s->open_irqs = 0;
	for (i = 0; i < WINDOWS; i++)
		if (s->w[i].open)
			compare_window(s, i);
}

TEST(test_random_windows)
{
	unsigned int i, j, most = 0;
	uint64_t seed = 3;

	for (i = 0; i < 2000; i++) {
		struct several s = { .now = START };

		for (j = 0; j < 200; j++) {
			unsigned int n = 0, k;

			several_step(&s, unit_random(&seed));
			for (k = 0; k < WINDOWS; k++)
				n += s.w[k].open;
			most = n > most ? n : most;
		}
	}
	assert_int_equal(most, WINDOWS);
}

UNIT_MAIN(NULL, NULL)
