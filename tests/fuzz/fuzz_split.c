// SPDX-License-Identifier: GPL-2.0
/*
 * The split. First any sequence of calls, as a broken source may make it: the parts always add
 * up to the time from t0 to the cursor. Then possible sequences, against a model that notes the
 * cause of each nanosecond: every part is exact, and there are no errors.
 */
#include "fuzz.h"
#include "split.h"

#define OWN	100
#define START	1000
#define T0	1100
#define END	6000		/* of the model's time */

static uint64_t all_parts(const struct tlob_split *s)
{
	return tlob_split_sum(s->part, false) + tlob_split_sum(s->part, true);
}

static void check_state(const struct tlob_split *s)
{
	uint64_t remembered = 0;
	unsigned int i;

	CHECK(all_parts(s) == (s->last > s->t0 ? s->last - s->t0 : 0));
	for (i = 0; i < TLOB_NR_PARTS; i++)
		CHECK(s->part[i] <= all_parts(s));	/* none is below 0 */
	CHECK(s->depth <= TLOB_SPLIT_LEVELS);
	CHECK(s->segments <= TLOB_SPLIT_SEGMENTS);
	CHECK(s->cause < TLOB_NR_PARTS && s->base < TLOB_NR_PARTS);
	for (i = 0; i < s->segments; i++) {
		CHECK(s->segment[i].cause <= TLOB_SPLIT_OUTSIDE);
		remembered += s->segment[i].ns;
	}
	CHECK(remembered <= s->last);
	CHECK(s->thread_ns <= s->part[TLOB_WAKE_THREAD] + s->part[TLOB_WORK_THREAD]);
	CHECK(s->largest.ns <= all_parts(s));
	CHECK(memchr(s->largest.name, 0, sizeof(s->largest.name)));
}

static void any_sequence(struct fuzz_bytes *b)
{
	static const int pids[] = { 0, OWN, OWN + 1, OWN + 2 };
	static const char * const names[] = {
		"timer" TLOB_NAME_PAD, "disk" TLOB_NAME_PAD, "a name of more than sixteen", NULL,
	};
	struct tlob_split s;
	uint64_t now = START, flags = fuzz_take(b, 1);

	tlob_split_arm(&s, now, now + fuzz_take(b, 1) * 4, OWN, flags & 1);
	while (b->left) {
		unsigned int op = (unsigned int)fuzz_take(b, 1), arg;
		/* one byte gives all parameters of an event */
		unsigned int kind;
		int id, pid, prev;
		const char *name;

		arg = (unsigned int)fuzz_take(b, 1);
		kind = arg % 4 ? TLOB_NOISE_IRQ : TLOB_NOISE_SOFTIRQ;
		id = (int)(arg / 4 % 3);
		pid = pids[arg % 4];
		prev = pids[arg / 4 % 4];
		name = names[arg % 4];
		now += fuzz_take(b, 1);
		if (op >= 0xf0)		/* the clock steps back, or jumps */
			now = op == 0xff ? now + 1000000 :
			      now - (now > 500 ? 300 : 0);
		switch (op % 10) {
		case 0:
			tlob_split_enter(&s, now, kind, id, name, arg & 1);
			break;
		case 1:
			tlob_split_exit(&s, now, kind, id);
			break;
		case 2:
			tlob_split_switch(&s, now, prev, name, arg & 64,
					  pid);
			break;
		case 3:
			tlob_split_move(&s, now, kind, id, name, false,
					fuzz_take(b, 1) * 8);
			break;
		case 4:
			tlob_split_nmi(&s, arg, 1, arg);
			break;
		case 5:
			tlob_split_wakeup(&s, now - (now > 100 ? arg % 8 : 0));
			break;
		case 6:
			tlob_split_t1(&s, now);
			break;
		case 7:
			tlob_split_t2(&s, now);
			break;
		case 8:
			tlob_split_charge(&s, now);
			break;
		case 9:
			tlob_split_t3(&s, now);
			break;
		}
		check_state(&s);
	}
	tlob_split_t3(&s, now);
	check_state(&s);
	tlob_split_hw(&s, now % 1000);
	check_state(&s);
}

struct model {
	uint8_t cause[END];
	uint64_t now;
	struct {
		unsigned int kind;
		int id;
	} stack[TLOB_SPLIT_LEVELS];
	unsigned int depth, base;
	int cur;
	bool fired, work;
};

/* Advances the time and notes the cause of each nanosecond. */
static uint64_t go_on(struct model *m, uint64_t ns)
{
	unsigned int cause = m->base;

	CHECK(m->now + ns <= END);
	if (m->depth)
		cause = (m->work ? TLOB_WORK_IRQ : TLOB_WAKE_IRQ) +
			m->stack[m->depth - 1].kind;
	while (ns--)
		m->cause[m->now++] = (uint8_t)cause;
	return m->now;
}

static void model_switch(struct model *m, struct tlob_split *s, int next,
			 bool blocked)
{
	int prev = m->cur;

	if (m->depth || next == prev)
		return;
	tlob_split_switch(s, m->now, prev, "task", blocked, next);
	m->cur = next;
	if (!m->work && m->fired)
		m->base = !next || next == OWN ? TLOB_WAKE_SCHED :
			  TLOB_WAKE_THREAD;
	else if (m->work && next == OWN)
		m->base = TLOB_WORK_ON_CPU;
	else if (m->work && prev == OWN)
		m->base = blocked ? TLOB_WORK_SLEEP : TLOB_WORK_THREAD;
}

/* One event, if it is possible now. False: the window has ended. */
static bool model_step(struct model *m, struct tlob_split *s,
		       struct fuzz_bytes *b)
{
	unsigned int op = (unsigned int)fuzz_take(b, 1);
	int id = (int)(op >> 4);

	/* t0 has come when the timer's handler runs */
	if (!m->fired && m->now < T0 && op % 8 == 4)
		go_on(m, T0 - m->now);
	go_on(m, fuzz_take(b, 1));
	switch (op % 8) {
	case 0:		/* irqs nest two deep, and none interrupts itself */
		if (m->depth >= TLOB_SPLIT_LEVELS - 1 ||
		    (m->depth && m->stack[m->depth - 1].kind == TLOB_NOISE_IRQ &&
		     m->stack[m->depth - 1].id == id))
			break;
		tlob_split_enter(s, m->now, TLOB_NOISE_IRQ, id, "irq" TLOB_NAME_PAD, true);
		m->stack[m->depth].kind = TLOB_NOISE_IRQ;
		m->stack[m->depth++].id = id;
		break;
	case 1:
		if (m->depth)
			break;
		tlob_split_enter(s, m->now, TLOB_NOISE_SOFTIRQ, id, "soft", false);
		m->stack[m->depth].kind = TLOB_NOISE_SOFTIRQ;
		m->stack[m->depth++].id = id;
		break;
	case 2:
		if (!m->depth)
			break;
		m->depth--;
		tlob_split_exit(s, m->now, m->stack[m->depth].kind,
				m->stack[m->depth].id);
		break;
	case 3:
		model_switch(m, s, id % 2 ? 200 + id : 0, id & 2);
		break;
	case 4:
		if (m->fired || m->now < T0)
			break;
		tlob_split_t1(s, m->now);
		m->fired = true;
		m->base = !m->cur || m->cur == OWN ? TLOB_WAKE_SCHED :
			  TLOB_WAKE_THREAD;
		break;
	case 5:
		if (m->base != TLOB_WORK_SLEEP)
			break;
		tlob_split_wakeup(s, m->now);
		m->base = TLOB_WORK_THREAD;
		break;
	case 6:
		model_switch(m, s, OWN, false);
		if (!m->fired || m->work || m->depth || m->cur != OWN)
			break;
		tlob_split_t2(s, m->now);
		m->work = true;
		m->base = TLOB_WORK_ON_CPU;
		break;
	case 7:
		if (!m->work || m->depth || m->cur != OWN)
			break;
		tlob_split_t3(s, m->now);
		return false;
	}
	return true;
}

static void check_model(const struct model *m, const struct tlob_split *s)
{
	uint64_t part[TLOB_NR_PARTS] = { 0 }, t;
	unsigned int i;

	for (t = T0; t < s->last; t++)
		part[m->cause[t]]++;
	for (i = 0; i < TLOB_NR_PARTS; i++)
		CHECK(part[i] == s->part[i]);
	CHECK(!s->errors && !s->steps && !s->adjusted);
}

static void possible_sequence(struct fuzz_bytes *b)
{
	static struct model m;
	struct tlob_split s;

	m.now = START;
	m.depth = 0;
	m.base = TLOB_WAKE_IRQ_DELAY;
	m.cur = OWN;
	m.fired = false;
	m.work = false;
	tlob_split_arm(&s, m.now, T0, OWN, false);
	while (b->left && m.now < END - 256 && model_step(&m, &s, b))
		check_state(&s);
	check_model(&m, &s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes any = { data, size }, possible = { data, size };

	any_sequence(&any);
	possible_sequence(&possible);
	return 0;
}
