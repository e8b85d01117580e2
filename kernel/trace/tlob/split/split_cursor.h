/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cursor of a split: its state, the cause of the current time, and how time
 * is charged. split.h has the rules, and the events that move the cursor.
 */
#ifndef _TLOB_SPLIT_CURSOR_H
#define _TLOB_SPLIT_CURSOR_H

#if defined(__KERNEL__)
#include <linux/compiler.h>
#include <linux/string.h>
#define TLOB_NOINLINE	noinline __maybe_unused
#elif defined(__bpf__)
#include <stdbool.h>
#include <stddef.h>
#ifndef TLOB_NOINLINE
#define TLOB_NOINLINE	__attribute__((noinline, unused))
#endif
/*
 * The verifier walks through a global function once, not once for each call. Before 5.13 such a
 * function has no pointers.
 */
#ifdef TLOB_BPF_OLDER
#define TLOB_BPF_GLOBAL	static TLOB_NOINLINE
#else
#define TLOB_BPF_GLOBAL	__attribute__((noinline))
#endif
#define memcpy(to, from, n)	__builtin_memcpy(to, from, n)
#define memmove(to, from, n)	__builtin_memmove(to, from, n)
#define memset(to, c, n)	__builtin_memset(to, c, n)
#else
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#define TLOB_NOINLINE	__attribute__((noinline, unused))
#endif
#include <linux/tlob.h>

/* Nested irqs are rare; two levels are the most seen so far. */
#define TLOB_SPLIT_LEVELS	4
/* Between two context switches the cause changes at t0, t1 and a wake-up. */
#define TLOB_SPLIT_SEGMENTS	6
#define TLOB_SPLIT_OUTSIDE	TLOB_NR_PARTS

/*
 * The verifier of BPF programs follows no invariant through memory. It wants
 * each index masked, so sizes are powers of two there. Its programs have a
 * source with entry and exit events. Only threads have names there.
 * A name that must be copied is aligned and has TLOB_NAME_LEN bytes.
 */
#ifdef TLOB_SPLIT_BPF
/* Otherwise the compiler drops a mask where it knows the value. */
static inline __u32 tlob_split_opaque(__u32 i)
{
	__asm__ volatile("" : "+r" (i));
	return i;
}

#define TLOB_SPLIT_PARTS	16
#define TLOB_SPLIT_MASK(i, size)	(tlob_split_opaque(i) & ((size) - 1))
#define TLOB_SPLIT_HAS_MOVES	0
#define TLOB_SPLIT_NAME(name)	NULL
#else
#define TLOB_SPLIT_PARTS	(TLOB_NR_PARTS + 1)
#define TLOB_SPLIT_MASK(i, size)	(i)
#define TLOB_SPLIT_HAS_MOVES	1
#define TLOB_SPLIT_NAME(name)	(name)
#endif
/*
 * BPF programs share the split with a process. The pointer is that process's, so
 * they only test it, and find the track in a map of their own.
 */
#ifdef __bpf__
struct tlob_split;
struct tlob_track;
struct tlob_calls;
static inline struct tlob_track *tlob_split_find_track(const struct tlob_split *s);
static inline struct tlob_calls *tlob_split_find_calls(const struct tlob_split *s);
#define TLOB_SPLIT_TRACK(s)	tlob_split_find_track(s)
#define TLOB_SPLIT_CALLS(s)	tlob_split_find_calls(s)
#else
#define TLOB_SPLIT_TRACK(s)	((s)->track)
#define TLOB_SPLIT_CALLS(s)	((s)->calls)
#endif
#define TLOB_SPLIT_AT(array, i)						\
	((array)[TLOB_SPLIT_MASK(i, sizeof(array) / sizeof((array)[0]))])

enum tlob_phase {
	TLOB_PHASE_OFF,
	TLOB_PHASE_WAKE,
	TLOB_PHASE_WORK,
};

/* Why no boundary is plain: tlob_split.slow. */
enum tlob_slow {
	TLOB_SLOW_NMI	= 1,		/* nmi_ns is not 0 */
	TLOB_SLOW_TRACK	= 2,
	TLOB_SLOW_CALLS	= 4,
	TLOB_SLOW_MOVES	= 8,		/* the source reports durations */
	TLOB_SLOW_EARLY	= 16,		/* it does, and the cursor is before t0 */
	TLOB_SLOW_STEAL	= 32,		/* stolen_ns is not 0 */
};

struct tlob_level {
	__u64	ns;
	const char *name;
	__s32	id;
	__u8	kind;
	bool	lasting;		/* the name outlives the window */
};

struct tlob_segment {
	__u64	ns;
	__u8	cause;
};

/* The spans of the current window, in a circle: split_track.h. */
struct tlob_track {
	__u64	start_ns;		/* end of the last span that is not kept */
	__u32	count;			/* spans since t0 */
	__u32	reserved;
	char	comm[TLOB_NAME_LEN];	/* of the task that runs since t1 */
	struct tlob_span span[TLOB_TIMELINE_SPANS];
};

struct tlob_calls;

struct tlob_split {
	__u64	last;			/* the cursor */
	__u64	t0;
	__u64	short_ns;		/* so long nothing can be stolen: TLOB_SHORT_NS, _ALWAYS */
	__u64	part[TLOB_SPLIT_PARTS];	/* [OUTSIDE]: see moves */
	__u64	thread_ns;		/* THREAD up to the last switch */
	__u64	nmi_ns, nmi_max;	/* for the next boundary */
	__u64	stolen_ns;		/* likewise */
	__u32	nmi_count;
	__s32	own, cur;		/* pids; 0: idle */
	__u8	slow;			/* enum tlob_slow, or 0 */
	__u8	depth;
	__u8	phase;			/* enum tlob_phase */
	__u8	base;			/* enum tlob_part */
	__u8	cause;			/* of the current time */
	__u8	noise;			/* the phase's first part of noise */
	__u8	segments;
	bool	fired;			/* t1 was seen */
	bool	moves;			/* the source reports durations */
	bool	throttled;		/* a limit kept the own task off the CPU */
	__u32	count[2][TLOB_NR_NOISE];	/* [in work][kind] */
	struct tlob_noise largest;
	const char *lasting_name;	/* of largest; copied at t3 */
	__u64	adjusted;
	__u32	switches;		/* the own task left its CPU in work */
	__u32	steps;
	__u32	errors;
	struct tlob_track *track;	/* NULL: none is kept */
	struct tlob_calls *calls;	/* NULL: no function is probed */
	/* not reset: only entries up to depth and segments are valid */
	struct tlob_level level[TLOB_SPLIT_LEVELS];
	struct tlob_segment segment[TLOB_SPLIT_SEGMENTS];
};

/*
 * Padding behind a lasting name, so its bytes can be copied without finding
 * their end. At least TLOB_NAME_LEN - 1 bytes.
 */
#define TLOB_NAME_PAD	"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static inline bool tlob_split_in_work(const struct tlob_split *s)
{
	return s->phase == TLOB_PHASE_WORK;
}

static inline __u8 tlob_split_part(const struct tlob_split *s, unsigned int kind)
{
	return s->noise + kind;
}

static inline void tlob_split_set_phase(struct tlob_split *s,
					enum tlob_phase phase)
{
	s->phase = phase;
	s->noise = phase == TLOB_PHASE_WORK ? TLOB_WORK_IRQ : TLOB_WAKE_IRQ;
}

static inline void tlob_split_set_cause(struct tlob_split *s)
{
	s->cause = s->depth ?
		   tlob_split_part(s, TLOB_SPLIT_AT(s->level, s->depth - 1).kind) :
		   s->base;
}

static inline void tlob_split_set_base(struct tlob_split *s, unsigned int base)
{
	s->base = base;
	tlob_split_set_cause(s);
}

/* Copies a name of TLOB_NAME_LEN bytes. A hook that called it would save registers. */
static __always_inline void tlob_split_copy_comm(struct tlob_noise *noise,
						 const char *comm)
{
#ifdef TLOB_SPLIT_BPF
	comm = __builtin_assume_aligned(comm, 8);
#endif
	memcpy(noise->name, comm, TLOB_NAME_LEN);
}

static inline void tlob_split_copy_name(struct tlob_noise *noise,
					const char *name)
{
	unsigned int i;

	memset(noise->name, 0, sizeof(noise->name));
#ifdef TLOB_SPLIT_BPF
	if (name)
		tlob_split_copy_comm(noise, name);
	return;
#endif
	for (i = 0; name && name[i] && i < sizeof(noise->name) - 1; i++)
		noise->name[i] = name[i];
}

static inline void tlob_split_set_largest(struct tlob_split *s,
					  unsigned int kind, __s32 id, __u64 ns)
{
	struct tlob_noise *l = &s->largest;

	l->ns = ns;
	l->id = id;
	l->kind = kind;
	l->in_work = tlob_split_in_work(s);
}

static inline void tlob_split_largest(struct tlob_split *s, unsigned int kind,
				      __s32 id, const char *name, bool lasting,
				      __u64 ns)
{
	if (ns <= s->largest.ns)
		return;
	tlob_split_set_largest(s, kind, id, ns);
	/* copying costs more than the rest, so it waits until t3 */
	s->lasting_name = lasting ? name : NULL;
	if (!lasting)
		tlob_split_copy_name(&s->largest, name);
}

/* Counts an interruption that has ended; @ns of it lay in the window. */
static inline void tlob_split_noise(struct tlob_split *s, unsigned int kind,
				    __s32 id, const char *name, bool lasting,
				    __u64 ns)
{
	if (!ns)
		return;
	TLOB_SPLIT_AT(s->count[tlob_split_in_work(s)], kind)++;
	tlob_split_largest(s, kind, id, name, lasting, ns);
}

#include "split_track.h"

#include "split_calls.h"

static inline void tlob_split_remember(struct tlob_split *s, unsigned int cause,
				       __u64 ns)
{
	struct tlob_segment *seg = s->segment;

	if (s->segments && seg[s->segments - 1].cause == cause) {
		seg[s->segments - 1].ns += ns;
		return;
	}
	if (s->segments == TLOB_SPLIT_SEGMENTS)
		memmove(seg, seg + 1, --s->segments * sizeof(*seg));
	seg[s->segments].cause = cause;
	seg[s->segments++].ns = ns;
}

/* Returns whether the cursor still waits at t0 for the timer. */
static inline bool tlob_split_is_early(const struct tlob_split *s)
{
	return s->last == s->t0 && !s->fired;
}

/*
 * The steal clock is read only after a stretch that is longer than this: in less time a
 * hypervisor cannot leave a CPU, run something else, and come back. Without a steal clock
 * every stretch counts as short, unless time has stepped back.
 */
#define TLOB_SHORT_NS		2048
#define TLOB_SHORT_ALWAYS	(~0ULL >> 1)

/* Returns whether the steal clock must be read at @now, or time has stepped back. */
static __always_inline bool tlob_split_is_long(const struct tlob_split *s, __u64 now)
{
	return now - s->last > s->short_ns;
}

/*
 * The hypervisor's clock may be faster than ours: by so much of what it counted, as a power
 * of two.
 */
#define TLOB_STEAL_CLOCKS	10

/*
 * Takes what the hypervisor has stolen since the last boundary out of the @ns since then,
 * and returns the rest. @early: the cursor was at t0, and what is more was before that. So
 * was what is found after a short stretch.
 */
static inline __u64 tlob_split_take_stolen(struct tlob_split *s, __u64 ns, bool early)
{
	__u64 stolen = s->stolen_ns, more;

	if (ns <= s->short_ns) {
		stolen = 0;
	} else if (stolen > ns) {
		more = stolen - ns;
		if (!early && more > s->short_ns + (stolen >> TLOB_STEAL_CLOCKS))
			s->adjusted += more;
		stolen = ns;
	}
	s->slow &= ~TLOB_SLOW_STEAL;
	s->stolen_ns = 0;
	TLOB_SPLIT_AT(s->part, tlob_split_in_work(s) ? TLOB_WORK_STEAL :
		      TLOB_WAKE_STEAL) += stolen;
	return ns - stolen;
}

/*
 * Takes the nmis since the last boundary out of the @ns since then. Returns the
 * rest.
 */
static inline __u64 tlob_split_take_nmi(struct tlob_split *s, __u64 ns)
{
	__u64 nmi = s->nmi_ns;

	if (nmi > ns) {
		s->adjusted += nmi - ns;
		nmi = ns;
	}
	s->slow &= ~TLOB_SLOW_NMI;
	TLOB_SPLIT_AT(s->part, tlob_split_part(s, TLOB_NOISE_NMI)) += nmi;
	s->count[tlob_split_in_work(s)][TLOB_NOISE_NMI] += s->nmi_count;
	tlob_split_largest(s, TLOB_NOISE_NMI, 0,
			   TLOB_SPLIT_NAME("nmi" TLOB_NAME_PAD), true,
			   s->nmi_max < nmi ? s->nmi_max : nmi);
	s->nmi_ns = 0;
	s->nmi_max = 0;
	s->nmi_count = 0;
	return ns - nmi;
}

static inline void tlob_split_add(struct tlob_split *s, __u64 ns)
{
	TLOB_SPLIT_AT(s->part, s->cause) += ns;
	if (s->depth)
		TLOB_SPLIT_AT(s->level, s->depth - 1).ns += ns;
}

/*
 * Charges when an nmi, stolen time, durations, a track, calls or a step back make the
 * case not plain.
 */
static inline void tlob_split_charge_any(struct tlob_split *s, __u64 now)
{
	struct tlob_track *spans = TLOB_SPLIT_TRACK(s);
	struct tlob_calls *calls = TLOB_SPLIT_CALLS(s);
	bool early = tlob_split_is_early(s);
	__u64 ns, stolen, nmi;

	if (now < s->last) {
		s->steps += !early;
		if (early)
			tlob_split_take_stolen(s, 0, true);
		return;
	}
	ns = now - s->last;
	if (TLOB_SPLIT_HAS_MOVES && s->last < s->t0) {
		__u64 before = now < s->t0 ? ns : s->t0 - s->last;

		s->part[TLOB_SPLIT_OUTSIDE] += before;
		if (before)
			tlob_split_remember(s, TLOB_SPLIT_OUTSIDE, before);
		ns -= before;
	}
	s->last = now;
	if (TLOB_SPLIT_HAS_MOVES && now >= s->t0)
		s->slow &= ~TLOB_SLOW_EARLY;
	stolen = ns;
	if (s->stolen_ns)
		ns = tlob_split_take_stolen(s, ns, early);
	stolen -= ns;
	nmi = ns;
	if (s->nmi_ns)
		ns = tlob_split_take_nmi(s, ns);
	nmi -= ns;
	tlob_split_add(s, ns);
	if (spans)
		tlob_track_charge(spans, s, ns, nmi, stolen);
	if (calls)
		tlob_calls_moved(calls, s, ns, nmi + stolen);
	if (TLOB_SPLIT_HAS_MOVES && s->moves && ns)
		tlob_split_remember(s, s->cause, ns);
}

/* Begins the segments at t0, which lies between the cursor and @now. */
static inline void tlob_split_begin_moves(struct tlob_split *s, __u64 now)
{
	struct tlob_segment *seg = s->segment;

	seg[0].ns = s->t0 - s->last;
	seg[0].cause = TLOB_SPLIT_OUTSIDE;
	seg[1].ns = now - s->t0;
	seg[1].cause = s->cause;
	s->segments = 2;
	s->part[TLOB_SPLIT_OUTSIDE] += seg[0].ns;
	TLOB_SPLIT_AT(s->part, s->cause) += seg[1].ns;
	s->last = now;
	s->slow = TLOB_SLOW_MOVES;
}

/*
 * Does tlob_split_charge_any() when only durations make the case not plain. Up to @ns of
 * the time go to @part at once, as if they were moved there. Returns how much, or -1 if
 * the case is another.
 */
static inline __s64 tlob_split_charge_moves(struct tlob_split *s, __u64 now,
					    unsigned int part, __u64 ns)
{
	__u64 since = now - s->last;

	if (s->slow != TLOB_SLOW_MOVES || now < s->last)
		return -1;
	s->last = now;
	if (ns > since)
		ns = since;
	since -= ns;
	TLOB_SPLIT_AT(s->part, part) += ns;
	if (since) {
		tlob_split_add(s, since);
		tlob_split_remember(s, s->cause, since);
	}
	return ns;
}

TLOB_CALLS_FUNCTION tlob_split_charge_slow(struct tlob_split *s, __u64 now)
{
	TLOB_CALLS_NOT_NULL(s);
	if (TLOB_SPLIT_HAS_MOVES && s->slow == (TLOB_SLOW_MOVES | TLOB_SLOW_EARLY) &&
	    !s->segments && s->last <= s->t0 && now >= s->t0)
		tlob_split_begin_moves(s, now);
	else if (!TLOB_SPLIT_HAS_MOVES || tlob_split_charge_moves(s, now, s->cause, 0) < 0)
		tlob_split_charge_any(s, now);
	TLOB_CALLS_DONE;
}

/* Moves the cursor to @now. */
static inline void tlob_split_charge(struct tlob_split *s, __u64 now)
{
	if (s->slow || now < s->last) {
		tlob_split_charge_slow(s, now);
		return;
	}
	tlob_split_add(s, now - s->last);
	s->last = now;
}

/*
 * Computes in *@ns what tlob_split_charge() would charge: 0 before t0. Returns
 * false if the case is not plain, or the steal clock must be read.
 */
static __always_inline bool tlob_split_since(const struct tlob_split *s, __u64 *now,
					     __u64 *ns)
{
	*ns = *now - s->last;
	if (*ns > s->short_ns) {
		/* what was stolen before t0 must not be found after it */
		if (*now > s->last || !tlob_split_is_early(s) || s->short_ns != TLOB_SHORT_ALWAYS)
			return false;
		*now = s->last;
		*ns = 0;
	}
	return true;
}

/* Drops open levels where none can be open: an exit was lost. */
static inline void tlob_split_unwind(struct tlob_split *s)
{
	s->errors += s->depth;
	s->depth = 0;
	tlob_split_set_cause(s);
}

#endif /* _TLOB_SPLIT_CURSOR_H */
