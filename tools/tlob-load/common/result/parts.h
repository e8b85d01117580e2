/* SPDX-License-Identifier: GPL-2.0 */
/* The names of the parts of a window, of its flags and of the kinds of noise. */
#ifndef TLOB_RESULT_PARTS_H
#define TLOB_RESULT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/tlob.h>
#include "hist.h"

/* enum tlob_part as in `hist`: "wake.irq"; and without its phase: "irq". */
const char *part_name(unsigned int part);
const char *part_short_name(unsigned int part);

/* All parts of a phase, as bits of `unavailable`. */
#define PARTS_OF_WAKE	((1U << TLOB_WORK_ON_CPU) - 1)
#define PARTS_OF_WORK	(((1U << TLOB_NR_PARTS) - 1) & ~PARTS_OF_WAKE)

/* The parts that attach never measures: it does not see the hardware, nor phases. */
#define ATTACH_LACKS	((PARTS_OF_WAKE & ~(1U << TLOB_WAKE_IRQ_DELAY)) | 1U << TLOB_WORK_HW)

/* Without a single part of the wake phase there is no t1, so no irq latency. */
static inline bool irq_is_available(uint32_t unavailable)
{
	return (unavailable & PARTS_OF_WAKE) != PARTS_OF_WAKE;
}

/* True if no part is available, in neither phase: the two phases are all that is known. */
static inline bool parts_are_unavailable(uint32_t unavailable)
{
	return (unavailable & (PARTS_OF_WAKE | PARTS_OF_WORK)) ==
	       (PARTS_OF_WAKE | PARTS_OF_WORK);
}

/*
 * How a part is drawn, the same in both phases: the letter of a bar, and the colour on a terminal
 * (one of 256) and on a page (CSS). This is the order of bars and legends. Colour-blind readers
 * distinguish them: Okabe and Ito's palette, and three more.
 *
 *	KIND(name, letter, terminal, page)
 */
#define PART_KINDS(KIND)			\
	KIND(irq_delay, 'd', 227, "#f0e442")	\
	KIND(irq,       'i', 214, "#e69f00")	\
	KIND(softirq,   's', 175, "#cc79a7")	\
	KIND(nmi,       'n', 132, "#7a1f50")	\
	KIND(thread,    't', 166, "#d55e00")	\
	KIND(sched,     'w', 117, "#56b4e9")	\
	KIND(on_cpu,    '=', 35,  "#009e73")	\
	KIND(sleep,     'z', 252, "#cccccc")	\
	KIND(steal,     'v', 99,  "#4b2ca0")	\
	KIND(hw,        'h', 25,  "#0072b2")

enum part_kind_id {
#define PART_KIND_ID(name, ...)	KIND_##name,
	PART_KINDS(PART_KIND_ID)
	NR_PART_KINDS
};

struct part_kind {
	const char *name;		/* part_short_name() */
	char	 letter;
	unsigned char terminal;
	const char *colour;
};

extern const struct part_kind part_kinds[NR_PART_KINDS];
enum part_kind_id part_kind(unsigned int part);

/* For people: what the part is; its colour on a page. */
const char *part_meaning(unsigned int part);
const char *part_colour(unsigned int part);

/* The name of bit @i of tlob_window.flags if a stored window can have it; else NULL. */
const char *window_flag_name(unsigned int i);

#define NR_WINDOW_FLAGS	15

/*
 * Returns whether the timer's interrupt was late though no code of this system kept it off: it
 * met user code, and no interrupt can have run unseen.
 */
static inline bool window_met_user(const struct tlob_window *w)
{
	return w->flags & TLOB_WINDOW_USER && !(w->unavailable & 1U << TLOB_WAKE_IRQ);
}

/*
 * A flag of the tool's own: a signal had stopped it, and SIGCONT came in this window. Its largest
 * interruption has the name TLOB_STOPPED then.
 */
#define WINDOW_CONTINUED	(1U << 9)

/*
 * Further ones, for windows of attach: it was cut off; it was open when attach ended; its task slept
 * mostly for locks; it may have ended in the middle of a cycle; a softirq runs its timer, so
 * delayed_by is who had the CPU meanwhile. The last one is in no file: the window has no phases, and
 * the parts of a task.
 */
#define WINDOW_CUT	(1U << 10)
#define WINDOW_OPEN	(1U << 11)
#define WINDOW_LOCK	(1U << 12)
#define WINDOW_UNCLEAR	(1U << 13)
#define WINDOW_SOFT_TIMER	(1U << 14)
#define WINDOW_OF_TASK	(1U << 15)

/* The metrics of a result: those of windows, and what is between two of a thread of attach. */
enum { RESULT_INTERVAL = TLOB_NR_METRICS, RESULT_METRICS };

extern const char *const result_metric_names[RESULT_METRICS];

/* Returns whether two records are of one window. */
static inline bool window_is_same(const struct tlob_window *a, const struct tlob_window *b)
{
	return a->cpu == b->cpu && a->activation == b->activation && a->t0_ns == b->t0_ns;
}

/*
 * Returns whether the SIGCONT that the main thread took at @at came in @w. The measuring thread may
 * have continued before, by less than a stop takes that matters.
 */
static inline bool window_was_stopped(const struct tlob_window *w, uint64_t at)
{
	return at >= w->t0_ns && at - w->t0_ns <= 2 * w->response_ns;
}

/* "irq", "softirq", "nmi", "thread"; "unknown" for any other @kind. */
const char *noise_kind_name(unsigned int kind);

/* In the window of a task: no other task ran while it waited for the CPU. */
static inline bool noise_is_idle(unsigned int kind, int32_t id)
{
	return kind == TLOB_NOISE_THREAD && !id;
}

/* A window in which the tool was stopped; noise_is_idle() as well. */
static inline bool noise_is_stop(unsigned int kind, int32_t id, const char *name)
{
	return noise_is_idle(kind, id) && !strcmp(name, TLOB_STOPPED);
}

#define SLEPT_FOR_LOCK	"lock"	/* the name of a cause, as TLOB_STOPPED is one */
/* The same, of the part sleep: no thread is known to have worked for the window of a key. */
#define BETWEEN_THREADS	"between threads"

/* What kept the task itself from running: TLOB_THROTTLED and its like; noise_is_idle() as well. */
static inline bool noise_is_kept(unsigned int kind, int32_t id, const char *name)
{
	return noise_is_idle(kind, id) && strcmp(name, "idle") != 0;
}

static inline bool noise_is_throttled(unsigned int kind, int32_t id, const char *name)
{
	return noise_is_idle(kind, id) && !strcmp(name, TLOB_THROTTLED);
}

#endif /* TLOB_RESULT_PARTS_H */
