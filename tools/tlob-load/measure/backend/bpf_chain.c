// SPDX-License-Identifier: GPL-2.0
/* Pure, but for the names of interrupts. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "backend/bpf.h"
#include "backend/bpf_chain.h"

#define MAX_RT_PRIO	100		/* of the kernel: a lower number is real-time */
#define MARGIN		8		/* nodes that may be written right now */
#define GAP_NS		100000		/* between readings of the clock; more is something not seen */

/* Copies the node @id. Returns false if its place was used again since. */
static bool read_node(const struct chain_ring *ring, uint64_t id, struct chain_node *to)
{
	uint64_t cpu = id >> CHAIN_CPU_SHIFT, seq = id & ((1ULL << CHAIN_CPU_SHIFT) - 1);

	if (!id || cpu >= ring->ncpus)
		return false;
	*to = ring->node[cpu * CHAIN_NODES + seq % CHAIN_NODES];
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return to->id == id &&
	       __atomic_load_n(&ring->seq[cpu * ring->stride], __ATOMIC_RELAXED) - seq < CHAIN_NODES - MARGIN;
}

void chain_policy(char to[CHAIN_POLICY], int prio, unsigned int policy)
{
	*to = 0;
	if (prio < 0)
		snprintf(to, CHAIN_POLICY, "DEADLINE");
	else if (prio < MAX_RT_PRIO)
		snprintf(to, CHAIN_POLICY, "%s %d", policy == SCHED_FIFO ? "FIFO" : policy == SCHED_RR ? "RR" :
			 "boosted to", MAX_RT_PRIO - 1 - prio);
}

bool chain_next(const struct chain_ring *ring, unsigned int cpu, uint64_t *seq, struct chain_node *to, uint64_t *lost)
{
	uint64_t last, oldest;

	for (;; ++*lost) {
		last = __atomic_load_n(&ring->seq[cpu * ring->stride], __ATOMIC_ACQUIRE);
		if (last == *seq)
			return false;
		oldest = last - *seq < CHAIN_NODES - MARGIN ? *seq + 1 : last - (CHAIN_NODES - MARGIN) + 1;
		*lost += oldest - *seq - 1;
		*seq = oldest;
		if (read_node(ring, (uint64_t)cpu << CHAIN_CPU_SHIFT | *seq, to))
			return true;
	}
}

static void put_waited(struct chain_segment *s, const struct chain_node *n)
{
	if (n->flags & CHAIN_THROTTLED) {
		s->kind = SEGMENT_THROTTLED;
		return;
	}
	s->kind = SEGMENT_WAIT;
	s->other.kind = TLOB_NOISE_THREAD;
	/* a name stands for all of the wait only if that task had most of it */
	if (n->other_ns <= (n->to - n->from) / 2)
		return;
	s->other.id = n->other;
	memcpy(s->other.name, n->other_comm, sizeof(s->other.name));
	if (!n->other || n->other_prio == CHAIN_NO_PRIO)
		return;
	chain_policy(s->other.policy, n->other_prio, n->other_policy);
	/* why it could run then is another question */
	if (!*s->other.policy)
		snprintf(s->other.policy, CHAIN_POLICY, "ordinary");
}

static void put_slept(struct chain_segment *s, const struct chain_node *n)
{
	static const uint8_t ends[] = {
		[CHAIN_BY_TIMER] = END_TIMER, [CHAIN_BY_IRQ] = END_IRQ, [CHAIN_BY_SOFTIRQ] = END_SOFTIRQ,
		[CHAIN_BY_NMI] = END_NMI, [CHAIN_BY_UNSEEN] = END_UNKNOWN,
	};
	bool known = (n->by == CHAIN_BY_IRQ && n->other) || (n->by == CHAIN_BY_SOFTIRQ && n->other >= 0);

	s->kind = SEGMENT_SLEEP;
	s->by = n->by < sizeof(ends) ? ends[n->by] : END_UNKNOWN;
	s->blocked = n->flags & CHAIN_BLOCKED;
	s->other.kind = n->by == CHAIN_BY_SOFTIRQ ? TLOB_NOISE_SOFTIRQ : TLOB_NOISE_IRQ;
	if (!known)
		return;
	s->other.id = n->other;
	bpf_name_noise(s->other.kind, &s->other.id, s->other.name);
}

static void put_node(struct chain_segment *s, const struct chain_node *n)
{
	s->tid = n->pid;
	memcpy(s->comm, n->comm, sizeof(s->comm));
	chain_policy(s->policy, n->prio, n->policy);
	if (n->type == CHAIN_WAIT)
		put_waited(s, n);
	else if (n->type == CHAIN_SLEEP)
		put_slept(s, n);
	else
		s->kind = n->type == CHAIN_RUN ? SEGMENT_RUN : SEGMENT_TIMER_LATE;
}

static void reverse(struct chain_segment *s, size_t n)
{
	struct chain_segment swapped;
	size_t i;

	for (i = 0; i < n / 2; i++) {
		swapped = s[i];
		s[i] = s[n - 1 - i];
		s[n - 1 - i] = swapped;
	}
}

/* The time of @n, or of nothing that is known, before @end until @from. Returns how many segments that is. */
static size_t put_before(struct chain_segment *to, const struct chain_node *n, uint64_t from, uint64_t end)
{
	*to = (struct chain_segment){ .kind = SEGMENT_UNKNOWN, .ns = end > from ? end - from : 0 };
	if (n && to->ns)
		put_node(to, n);
	return !!to->ns;
}

size_t chain_walk(const struct chain_ring *ring, const struct chain_ref *ref, struct chain_segment *to, size_t n)
{
	uint64_t id = ref->head, end = ref->to, from;
	size_t i = 0, steps;
	struct chain_node node;

	if (!ring->node || !id || end <= ref->from)
		return 0;
	for (steps = 0; steps < (n - 1) / 2 && end > ref->from && read_node(ring, id, &node); steps++) {
		/* what came before lies before */
		if (node.from > end || node.to < node.from)
			break;
		if (node.to + GAP_NS < end) {
			from = node.to > ref->from ? node.to : ref->from;
			i += put_before(&to[i], NULL, from, end);
			end = from;
		}
		from = node.from > ref->from ? node.from : ref->from;
		i += put_before(&to[i], &node, from, end);
		end = from;
		id = node.parent;
	}
	i += put_before(&to[i], NULL, ref->from, end);
	reverse(to, i);
	return i;
}
