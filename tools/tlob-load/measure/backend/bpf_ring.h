/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of windows from a measuring thread to the main thread: one producer, one
 * consumer, no lock and no system call. A full ring drops the new record. Each begins
 * with the activation of its window, a uint64_t.
 */
#ifndef TLOB_BACKEND_BPF_RING_H
#define TLOB_BACKEND_BPF_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define BPF_RING_RECORDS	1024U	/* 204 ms at a period of 200 us, as the module */

struct bpf_ring {
	_Alignas(64) _Atomic uint32_t head;
	_Alignas(64) _Atomic uint32_t tail;
	uint32_t records;		/* a power of two */
	size_t	size;			/* of a record, a multiple of 8 */
	char	*at;			/* [records] of them */
};

/* @n rings of @records, a power of two, each of @size; or NULL: out of memory. */
struct bpf_ring *bpf_rings_new(size_t n, size_t size, uint32_t records);
void bpf_rings_free(struct bpf_ring *rings, size_t n);

/* The producer: where the next record goes, and that it is there. NULL: full. */
void *bpf_ring_room(struct bpf_ring *q);
void bpf_ring_put(struct bpf_ring *q);

/*
 * The consumer: the record of window @activation, valid until the next call; NULL: it was
 * dropped. Ask in order.
 */
const void *bpf_ring_find(struct bpf_ring *q, uint64_t activation);

/* The consumer of all: the oldest record, which stays until bpf_ring_taken(); NULL: none. */
const void *bpf_ring_next(const struct bpf_ring *q);
void bpf_ring_taken(struct bpf_ring *q);

#endif /* TLOB_BACKEND_BPF_RING_H */
