/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which tasks a CPU ran lately: a short log of its switches, and who of them had the CPU
 * longest while a task waited for it. Pure C: compiled in the kernel, in BPF programs and
 * in the unit tests.
 *
 * The lock of the CPU's run queue orders all access but that to @away, and that of the CPU itself
 * with irqs off: a switch notes the task that comes under it, and a task that waits is switched in
 * or moved to another CPU under it.
 *
 * A switch is not noted while nothing is watched. So an entry from before @valid says only
 * that its task came; others may have followed it. Every switch since @valid is noted.
 */
#ifndef _TLOB_TURNS_H
#define _TLOB_TURNS_H

#include "split_cursor.h"

#define TLOB_TURNS_BITS		5
#define TLOB_TURNS		32	/* 1 << TLOB_TURNS_BITS */

#ifdef __bpf__
/* The verifier looks at a global function once, not at each of its calls. */
#define TLOB_TURNS_GLOBAL	__attribute__((noinline))
#else
#define TLOB_TURNS_GLOBAL	static inline
#endif

/* For tlob_turns_longest(): the task that runs now is not known but by the log. */
#define TLOB_TURNS_UNKNOWN	(-1)

/* One access each, where the other side may be an nmi or another CPU. BPF has its own. */
#ifdef __KERNEL__
#define TLOB_AWAY_SET(field, value)	WRITE_ONCE(field, value)
#define TLOB_AWAY_GET(field)		READ_ONCE(field)
#elif !defined(TLOB_AWAY_GET)
#define TLOB_AWAY_SET(field, value)	((field) = (value))
#define TLOB_AWAY_GET(field)		(field)
#endif

/*
 * What interrupts took on a CPU while a task waits for it, each kind without those that interrupt
 * it, and what the hypervisor took. Only the CPU itself changes it, with irqs off or in an nmi.
 * Others read @ns and @stolen without a lock.
 */
#define TLOB_AWAY_DEPTH		4	/* of interrupts that are kept apart; a power of two */

struct tlob_away {
	__u64	ns[TLOB_NOISE_THREAD];	/* so far, by kind */
	__u64	stolen;			/* the steal clock as it was last read */
	__u64	since;			/* the last boundary */
	__u32	depth;
	__u8	kind[TLOB_AWAY_DEPTH];
};

static inline void tlob_away_charge(struct tlob_away *a, __u64 now)
{
	unsigned int kind = a->kind[(a->depth - 1) & (TLOB_AWAY_DEPTH - 1)];
	__u64 since = TLOB_AWAY_GET(a->since);

	/* an nmi may have moved it beyond a reading of the clock */
	if (a->depth && now > since && kind < TLOB_NOISE_THREAD)
		TLOB_AWAY_SET(a->ns[kind], a->ns[kind] + now - since);
	TLOB_AWAY_SET(a->since, now);
}

static inline void tlob_away_enter(struct tlob_away *a, __u64 now, unsigned int kind)
{
	tlob_away_charge(a, now);
	a->kind[a->depth++ & (TLOB_AWAY_DEPTH - 1)] = kind;
}

/* An interrupt that began before the task waited has no begin here. */
static inline void tlob_away_leave(struct tlob_away *a, __u64 now)
{
	if (!a->depth)
		return;
	tlob_away_charge(a, now);
	a->depth--;
}

/* An nmi has taken @ns. In nmi context. */
static inline void tlob_away_nmi(struct tlob_away *a, __u64 ns)
{
	TLOB_AWAY_SET(a->ns[TLOB_NOISE_NMI], a->ns[TLOB_NOISE_NMI] + ns);
	TLOB_AWAY_SET(a->since, a->since + ns);
}

/* The steal clock is at @clock. Called before any other function here. */
static __always_inline void tlob_away_stolen(struct tlob_away *a, __u64 clock)
{
	if (clock == a->stolen)
		return;
	TLOB_AWAY_SET(a->since, a->since + clock - a->stolen);
	TLOB_AWAY_SET(a->stolen, clock);
}

/* A task came to the CPU. */
struct tlob_turn {
	__u64	since;			/* ns */
	__u64	away;			/* what interrupts and the hypervisor had taken by then */
	__s32	pid;			/* 0: idle */
	__u32	reserved;
	char	comm[TLOB_NAME_LEN];
};

struct tlob_turns {
	__u64	n;			/* turns so far */
	struct tlob_away away;
	struct tlob_turn turn[TLOB_TURNS];
};

static __always_inline __u64 tlob_away_sum(const struct tlob_away *a)
{
	return TLOB_AWAY_GET(a->ns[TLOB_NOISE_IRQ]) + TLOB_AWAY_GET(a->ns[TLOB_NOISE_SOFTIRQ]) +
	       TLOB_AWAY_GET(a->ns[TLOB_NOISE_NMI]) + TLOB_AWAY_GET(a->stolen);
}

/* The task @pid with the name @comm, of TLOB_NAME_LEN bytes, comes to the CPU at @now. */
static __always_inline void tlob_turns_note(struct tlob_turns *t, __u64 now, __s32 pid,
					    const char *comm)
{
	struct tlob_turn *turn = &t->turn[t->n & (TLOB_TURNS - 1)];

#ifdef TLOB_SPLIT_BPF
	comm = __builtin_assume_aligned(comm, 8);
#endif
	turn->since = now;
	turn->away = tlob_away_sum(&t->away);
	turn->pid = pid;
	memcpy(turn->comm, comm, TLOB_NAME_LEN);
	t->n++;
}

/* In TLOB_BPF_OLDER a CPU's number stands for its log: no global function has pointers. */
#if defined(__bpf__) && defined(TLOB_BPF_OLDER)
#define TLOB_TURNS_REF	__u32
static inline const struct tlob_turns *tlob_turns_of(__u32 cpu);
#else
#define TLOB_TURNS_REF	const struct tlob_turns *
#define tlob_turns_of(ref)	(ref)
#endif

/* Returns the turn before the last @back turns, which exist. */
static inline const struct tlob_turn *tlob_turns_at(const struct tlob_turns *t,
						    unsigned int back)
{
	return &t->turn[(t->n - 1 - back) & (TLOB_TURNS - 1)];
}

/* A task waits for the CPU from @from until @now, ns. */
struct tlob_turns_wait {
	__u64	from, now;
	__u64	away;			/* tlob_away_sum() at @from; 0: not known */
};

/* A turn that had begun at some moment. */
struct tlob_turn_mark {
	__u64	n;			/* turns by then */
	__u64	since;			/* it began, ns */
	__u64	away;			/* as in struct tlob_turn */
};

static inline void tlob_turns_mark(const struct tlob_turns *t, struct tlob_turn_mark *m)
{
	m->n = t->n;
	m->since = tlob_turns_at(t, 0)->since;
	m->away = tlob_turns_at(t, 0)->away;
}

/* A function of its own, so that the verifier does not follow each case through the loop. */
TLOB_TURNS_GLOBAL __u64 tlob_turns_max(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/*
 * Returns whether the turn of @m has ended, and had more than half of @w, without what interrupts
 * and the hypervisor took of it meanwhile. So no other task had more in sum.
 */
static inline bool tlob_turns_was_most(const struct tlob_turns *t, const struct tlob_turn_mark *m,
				       const struct tlob_turns_wait *w)
{
	const struct tlob_turn *next = &t->turn[m->n & (TLOB_TURNS - 1)];
	/* as in tlob_turns_ns() */
	__u64 before = tlob_turns_max(m->away, w->away);
	__u64 begin = tlob_turns_max(m->since, w->from);

	begin += tlob_turns_max(next->away, before) - before;
	if (t->n - m->n - 1 >= TLOB_TURNS)
		return false;
	return next->since > begin && next->since <= w->now &&
	       next->since - begin > (w->now - w->from) / 2;
}

/*
 * Returns the number of turns since @from that are known, the newest first. If even the oldest
 * of them began after @from, what ran before it is unknown.
 */
TLOB_TURNS_GLOBAL unsigned int tlob_turns_since(TLOB_TURNS_REF ref, __u64 valid, __u64 from)
{
	const struct tlob_turns *t = tlob_turns_of(ref);
	unsigned int i;

	if (!t)
		return 0;
	for (i = 0; i < TLOB_TURNS && i < t->n; i++) {
		if (tlob_turns_at(t, i)->since < valid)
			return i;
		if (tlob_turns_at(t, i)->since <= from)
			return i + 1;
	}
	return i;
}

/*
 * Returns the ns of the turn @back in @w, without what the hypervisor took, nor interrupts while
 * the CPU was awaited.
 */
static inline __u64 tlob_turns_ns(const struct tlob_turns *t, unsigned int back,
				  struct tlob_turns_wait w)
{
	const struct tlob_turn *turn = tlob_turns_at(t, back);
	__u64 begin = tlob_turns_max(turn->since, w.from);
	__u64 end = back ? tlob_turns_at(t, back - 1)->since : w.now;
	__u64 away = back ? tlob_turns_at(t, back - 1)->away : tlob_away_sum(&t->away);
	/* of a turn that began before the wait not those before it */
	__u64 before = tlob_turns_max(turn->away, w.away);

	begin += tlob_turns_max(away, before) - before;
	return tlob_turns_max(end, begin) - begin;
}

/*
 * Returns the ns of all turns from one on that belong to the same task. A global function has five
 * arguments, and perhaps no pointers: @which is how far back that one is, and the number of turns
 * above TLOB_TURNS_BITS. The others are those of a tlob_turns_wait.
 */
TLOB_TURNS_GLOBAL __u64 tlob_turns_sum(TLOB_TURNS_REF ref, unsigned int which,
				       __u64 from, __u64 now, __u64 away)
{
	const struct tlob_turns *t = tlob_turns_of(ref);
	const struct tlob_turns_wait w = { .from = from, .now = now, .away = away };
	unsigned int i, back = which & (TLOB_TURNS - 1), turns = which >> TLOB_TURNS_BITS;
	__u64 ns = 0;
	__s32 pid;

	if (!t)
		return 0;
	pid = tlob_turns_at(t, back)->pid;
	for (i = 0; i < TLOB_TURNS && i < turns; i++)
		if (i >= back && tlob_turns_at(t, i)->pid == pid)
			ns += tlob_turns_ns(t, i, w);
	return ns;
}

/*
 * Finds the task that had the CPU longest in sum in @w, when a task waited for it. @pid and
 * @comm: the task that has it at the end; or TLOB_TURNS_UNKNOWN.
 * @longest->ns is its sum, 0 if it is not known. @longest->id 0: the CPU was idle.
 */
static inline void tlob_turns_longest(TLOB_TURNS_REF ref, __u64 valid,
				      const struct tlob_turns_wait *w, __s32 pid,
				      const char *comm, struct tlob_noise *longest)
{
	const struct tlob_turns *t = tlob_turns_of(ref);
	__u64 ns = w->now - w->from, from = w->from, oldest, sum, most = 0;
	unsigned int turns, i;

	memset(longest, 0, sizeof(*longest));
	if (w->now <= from)
		return;
	turns = tlob_turns_since(ref, valid, from);
	/* no switch was noted since then, so there was none: if each was to be noted */
	if (!turns && (pid == TLOB_TURNS_UNKNOWN || valid > from))
		return;
	/* the sum and its turn in one number, also for the verifier */
	for (i = 0; i < TLOB_TURNS && i < turns; i++) {
		sum = tlob_turns_sum(ref, i | turns << TLOB_TURNS_BITS, from, w->now, w->away);
		most = tlob_turns_max(most, sum << TLOB_TURNS_BITS | i);
	}
	if (turns) {
		ns = most >> TLOB_TURNS_BITS;
		/* what ran before it may be one task */
		oldest = tlob_turns_at(t, turns - 1)->since;
		if (oldest > from && oldest - from >= ns)
			return;
		i = most & (TLOB_TURNS - 1);
		pid = tlob_turns_at(t, i)->pid;
		comm = tlob_turns_at(t, i)->comm;
	}
	longest->ns = ns;
	longest->id = pid;
	longest->kind = TLOB_NOISE_THREAD;
	longest->in_work = 1;
	if (pid)
		tlob_split_copy_comm(longest, comm);
	else
		memcpy(longest->name, "idle", sizeof("idle"));
}

/*
 * Returns what the hypervisor took of the delay of a timer on this CPU, from @expiry until @now,
 * when the steal clock is at @clock: only what it cannot have taken before. An idle CPU has
 * nothing that could be taken until its interrupt is due.
 */
static inline __u64 tlob_turns_stolen(const struct tlob_turns *t, __u64 valid, __u64 expiry,
				      __u64 now, __u64 clock)
{
	__u64 stolen = clock - t->away.stolen, before = 0;
	const struct tlob_turn *last = tlob_turns_at(t, 0);

	if (!t->n || last->since < valid || now <= expiry)
		return 0;
	if (last->pid && last->since < expiry)
		before = expiry - last->since;
	stolen = stolen > before ? stolen - before : 0;
	return stolen < now - expiry ? stolen : now - expiry;
}

/* Why a task did not run, if not because of another task. */
enum tlob_kept {
	TLOB_KEPT_NOT,
	TLOB_KEPT_THROTTLED,
	TLOB_KEPT_STOPPED,
	TLOB_KEPT_FROZEN,
};

/* Like tlob_turns_longest(), if @by kept the task from running from @from until @now. */
static inline void tlob_turns_kept(enum tlob_kept by, __u64 from, __u64 now,
				   struct tlob_noise *longest)
{
	memset(longest, 0, sizeof(*longest));
	longest->ns = now > from ? now - from : 0;
	longest->kind = TLOB_NOISE_THREAD;
	longest->in_work = 1;
	if (by == TLOB_KEPT_STOPPED)
		memcpy(longest->name, TLOB_STOPPED, sizeof(TLOB_STOPPED));
	else if (by == TLOB_KEPT_FROZEN)
		memcpy(longest->name, TLOB_FROZEN, sizeof(TLOB_FROZEN));
	else
		memcpy(longest->name, TLOB_THROTTLED, sizeof(TLOB_THROTTLED));
}

#endif /* _TLOB_TURNS_H */
