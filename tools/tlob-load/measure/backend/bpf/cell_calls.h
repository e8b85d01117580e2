/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of functions in a cell. Their probes run in any context, most with irqs on. They move
 * no cursor: they have irqs off while they change the calls (split_calls.h), and only read the
 * split. One that has interrupted a hook with irqs on, or comes from an nmi, only counts. While no
 * window is open only the thread changes the calls. A return then marks its call, as one on another
 * CPU does with the module.
 */
#ifndef TLOB_BACKEND_BPF_CELL_CALLS_H
#define TLOB_BACKEND_BPF_CELL_CALLS_H

#include "backend/bpf/cell_memory.h"

/*
 * Charges all time up to @now to the call that was active. The cursor stays where it
 * is, and may still wait for t2. Irqs are off, and no hook is half done. @steal is
 * tlob_cell_steal_until(), which was read before they were off: hooks may have read more since.
 */
static inline void tlob_cell_calls_until(struct tlob_cell *c, struct tlob_calls *calls,
					 __u64 now, __u64 steal)
{
	struct tlob_split *s = &c->split;
	bool in_work = tlob_cell_in_work(c);
	unsigned int cause = s->cause;
	__u64 nmi[2], t2, stolen;

	/* before t2 is applied the stolen time is said to be on the way there */
	stolen = s->stolen_ns + (steal > c->steal ? steal - c->steal : 0);
	nmi[0] = TLOB_CELL_ONCE(c->nmi[0].ns) - c->nmi_ns_taken[0];
	nmi[1] = TLOB_CELL_ONCE(c->nmi[1].ns) - c->nmi_ns_taken[1];
	nmi[tlob_split_in_work(s)] += stolen + s->nmi_ns;
	if (c->begun) {
		t2 = tlob_cell_later(c->t2, s->last);
		t2 = tlob_cell_later(t2, TLOB_CELL_ONCE(c->nmi[0].end));
		tlob_calls_until(calls, s, cause, t2 < now ? t2 : now, false, nmi[0]);
		cause = TLOB_WORK_ON_CPU;
	}
	tlob_calls_until(calls, s, cause, now, in_work, in_work ? nmi[1] : nmi[0]);
	if (!in_work)
		calls->wake_last = calls->last;
}

/* A function begins. Irqs are off since after @now was read. */
static inline void tlob_cell_call_enter(struct tlob_cell *c, struct tlob_calls *calls,
					__u64 now, __u64 steal, unsigned int level,
					unsigned int set, __u64 function, __u64 sp)
{
	__u64 key = tlob_call_key(&c->split, level, set);

	if (!TLOB_CELL_ONCE(c->active))
		return;
	if (TLOB_CELL_ONCE(c->busy)) {
		TLOB_SPLIT_AT(calls->unseen, set)++;
		return;
	}
	if (tlob_calls_nested(calls, key, sp))
		return;
	tlob_cell_calls_until(c, calls, now, steal);
	tlob_calls_enter(calls, &c->split, now, key, sp, function);
}

static inline bool tlob_cell_is_call(const struct tlob_call *call, __u64 function,
				     __u64 sp)
{
	return call->sp == sp && call->function == function &&
	       !tlob_call_is_gone(call);
}

/* A call returns while only the thread may change the list of calls. */
static inline void tlob_cell_call_left(struct tlob_calls *calls, __u64 function, __u64 sp)
{
	struct tlob_call *call;
	__u32 i;

	for (i = TLOB_CALL_FIRST; i < TLOB_CALLS; i++) {
		call = &TLOB_SPLIT_AT(calls->call, i);
		if (!tlob_cell_is_call(call, function, sp))
			continue;
		TLOB_CELL_ONCE(call->serial) = call->serial | TLOB_CALL_LEFT;
		return;
	}
}

/* A function ends. Like tlob_cell_call_enter(); a call without an entry does not count. */
static inline void tlob_cell_call_leave(struct tlob_cell *c, struct tlob_calls *calls,
					__u64 now, __u64 steal, __u64 function, __u64 sp)
{
	struct tlob_call *call;
	tlob_call_ref next;
	__u32 round;

	if (!TLOB_CELL_ONCE(c->active) || TLOB_CELL_ONCE(c->busy)) {
		tlob_cell_call_left(calls, function, sp);
		return;
	}
	tlob_calls_for_each(calls, call, next, round) {
		if (!tlob_cell_is_call(call, function, sp))
			continue;
		tlob_cell_calls_until(c, calls, now, steal);
		tlob_calls_leave(calls, &c->split, call);
		return;
	}
}

#ifndef TLOB_BPF_OLDER
/* The task @pid moves to another CPU. Any task may run on the CPU of these calls meanwhile. */
static inline void tlob_cell_call_migrated(struct tlob_calls *calls, __s32 pid)
{
	struct tlob_call *call;
	__u64 serial;
	__u32 i;

	for (i = TLOB_CALL_FIRST; i < TLOB_CALLS; i++) {
		call = &TLOB_SPLIT_AT(calls->call, i);
		serial = TLOB_CELL_ONCE(call->serial);
		if (serial && tlob_call_is_of(call, pid))
			__sync_val_compare_and_swap(&call->serial, serial,
						    serial | TLOB_CALL_LEFT);
	}
}
#endif

/* The running task has changed before t1, when a switch moves no cursor. Irqs are off. */
static inline void tlob_cell_calls_switch(struct tlob_cell *c)
{
	struct tlob_calls *calls = TLOB_SPLIT_CALLS(&c->split);
	__u64 now;

	if (!calls)
		return;
	if (c->busy) {
		c->lost++;
		return;
	}
	now = tlob_cell_clock();
	tlob_cell_calls_until(c, calls, now, tlob_cell_steal_until(c, now));
	tlob_calls_switch(calls, &c->split);
}

#endif /* TLOB_BACKEND_BPF_CELL_CALLS_H */
