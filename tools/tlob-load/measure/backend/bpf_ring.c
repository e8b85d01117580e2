// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "backend/bpf_ring.h"

struct bpf_ring *bpf_rings_new(size_t n, size_t size, uint32_t records)
{
	struct bpf_ring *rings = aligned_alloc(64, n * sizeof(*rings));
	size_t i;

	if (!rings)
		return NULL;
	memset(rings, 0, n * sizeof(*rings));
	for (i = 0; i < n; i++) {
		rings[i].size = size;
		rings[i].records = records;
		rings[i].at = calloc(records, size);
		if (!rings[i].at) {
			bpf_rings_free(rings, n);
			return NULL;
		}
	}
	return rings;
}

void bpf_rings_free(struct bpf_ring *rings, size_t n)
{
	size_t i;

	for (i = 0; rings && i < n; i++)
		free(rings[i].at);
	free(rings);
}

static void *record(const struct bpf_ring *q, uint32_t i)
{
	return q->at + i % q->records * q->size;
}

void *bpf_ring_room(struct bpf_ring *q)
{
	uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&q->tail, memory_order_acquire) == q->records)
		return NULL;
	return record(q, head);
}

void bpf_ring_put(struct bpf_ring *q)
{
	uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);

	atomic_store_explicit(&q->head, head + 1, memory_order_release);
}

/* The record that is found stays in the ring until the next call. */
const void *bpf_ring_find(struct bpf_ring *q, uint64_t activation)
{
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
	uint32_t head = atomic_load_explicit(&q->head, memory_order_acquire);
	const uint64_t *r = NULL;

	for (; tail != head; tail++) {
		r = record(q, tail);
		if (*r >= activation)
			break;
	}
	atomic_store_explicit(&q->tail, tail, memory_order_release);
	return tail != head && *r == activation ? r : NULL;
}

const void *bpf_ring_next(const struct bpf_ring *q)
{
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);

	return tail == atomic_load_explicit(&q->head, memory_order_acquire) ? NULL : record(q, tail);
}

void bpf_ring_taken(struct bpf_ring *q)
{
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);

	atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
}
