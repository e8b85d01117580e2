/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of records from a worker to the collector: one producer, one consumer, no
 * lock and no system call. The indexes wrap at 2^32. Slots [tail, head) belong to
 * the consumer, the rest to the producer.
 */
#ifndef TLOB_RUN_SPSC_H
#define TLOB_RUN_SPSC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

#define SPSC_SLOTS	4096U		/* 204 ms at the shortest period */

struct spsc_slot {
	struct tlob_window w;
	uint64_t hw_ns;			/* hardware gaps in the work */
};

/* Each index has its own cache line, so the two sides do not slow each other. */
struct spsc {
	_Alignas(64) _Atomic uint32_t head;
	uint32_t tail_seen;		/* the last tail that the producer read */
	_Alignas(64) _Atomic uint32_t tail;
	_Alignas(64) struct spsc_slot slot[SPSC_SLOTS];
};

/* The slot to fill next, or NULL: the ring is full. */
static inline struct spsc_slot *spsc_reserve(struct spsc *q)
{
	uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);

	if (head - q->tail_seen == SPSC_SLOTS) {
		q->tail_seen = atomic_load_explicit(&q->tail,
						    memory_order_acquire);
		if (head - q->tail_seen == SPSC_SLOTS)
			return NULL;
	}
	return &q->slot[head % SPSC_SLOTS];
}

/* Gives the reserved slot to the consumer. */
static inline void spsc_commit(struct spsc *q)
{
	uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);

	atomic_store_explicit(&q->head, head + 1, memory_order_release);
}

/* For the consumer: how many records wait. */
static inline uint32_t spsc_count(struct spsc *q)
{
	return atomic_load_explicit(&q->head, memory_order_acquire) -
	       atomic_load_explicit(&q->tail, memory_order_relaxed);
}

/* The oldest record, if there is one. It stays until spsc_release(). */
static inline struct spsc_slot *spsc_oldest(struct spsc *q)
{
	return &q->slot[atomic_load_explicit(&q->tail, memory_order_relaxed) % SPSC_SLOTS];
}

/* The same, or NULL. */
static inline struct spsc_slot *spsc_peek(struct spsc *q)
{
	return spsc_count(q) ? spsc_oldest(q) : NULL;
}

/* Gives the oldest slot back to the producer. */
static inline void spsc_release(struct spsc *q)
{
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);

	atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
}

#endif /* TLOB_RUN_SPSC_H */
