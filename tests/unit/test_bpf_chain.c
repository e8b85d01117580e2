// SPDX-License-Identifier: GPL-2.0
/* The chain behind a wait: the walk along nodes, which BPF programs may overwrite, and its sentence. */
#if __has_include(<bpf/bpf.h>)
#include "backend/bpf_chain.c"
#include "report/chain_text.h"
#include "sample.h"
#include "unit.h"

#define CPUS	2
#define US	1000ULL
#define ID(cpu, seq)	((uint64_t)(cpu) << CHAIN_CPU_SHIFT | (seq))
#define STEPS	((CHAIN_SEGMENTS - 1) / 2)
#define WATCHED	17

enum { FIRST = 11, SECOND, HOG };

static struct chain_node nodes[CPUS * CHAIN_NODES];
/* of each CPU, with something else behind it */
static uint64_t seqs[2 * CPUS];
static const struct chain_ring ring = { nodes, seqs, 2, CPUS };
static struct chain_segment found[CHAIN_SEGMENTS];

void bpf_name_noise(unsigned int kind, int32_t *id, char name[TLOB_NAME_LEN])
{
	snprintf(name, TLOB_NAME_LEN, kind == TLOB_NOISE_SOFTIRQ ? "NET_RX" : "disk");
}

static void begin(void)
{
	memset(nodes, 0, sizeof(nodes));
	memset(seqs, 0, sizeof(seqs));
}

/* Times in us. */
static struct chain_node *node(uint64_t id, uint64_t parent, uint32_t pid, unsigned int type, uint64_t from,
			       uint64_t to)
{
	struct chain_node *n = &nodes[(id >> CHAIN_CPU_SHIFT) * CHAIN_NODES + id % CHAIN_NODES];

	*n = (struct chain_node){
		.id = id, .parent = parent, .pid = pid, .type = (uint8_t)type, .from = from * US, .to = to * US,
		.prio = 120, .policy = SCHED_OTHER,
	};
	snprintf(n->comm, sizeof(n->comm), "%s", pid == FIRST ? "first" : pid == SECOND ? "second" : "watched");
	seqs[2 * (id >> CHAIN_CPU_SHIFT)] = id & 0xffffff;
	return n;
}

/* The segments of the wait from @from until @to in us: they add up to it. Returns their number. */
static size_t walk(uint64_t head, uint64_t from, uint64_t to)
{
	const struct chain_ref ref = { head, from * US, to * US };
	size_t n = chain_walk(&ring, &ref, found, CHAIN_SEGMENTS), i;
	uint64_t sum = 0;

	for (i = 0; i < n; i++) {
		assert_true(found[i].ns);
		assert_int_equal(!found[i].tid, found[i].kind == SEGMENT_UNKNOWN);
		sum += found[i].ns;
	}
	assert_int_equal(sum, n ? (to - from) * US : 0);
	return n;
}

static void said(size_t n, const char *what)
{
	struct attach_wait wait = { .chain = found, .nchain = n };
	char *text = NULL;
	size_t size = 0, i;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	for (i = 0; i < n; i++)
		wait.ns += found[i].ns;
	chain_text(f, &wait, WATCHED);
	fclose(f);
	assert_string_equal(text, what);
	assert_true(strlen(text) <= 200);
	free(text);
}

/* "second" woke the thread, and "first" that one, on another CPU: both are named, and their policy. */
TEST(test_chain)
{
	struct chain_node *n;

	begin();
	node(ID(0, 5), 0, WATCHED, CHAIN_RUN, 0, 1000);
	n = node(ID(1, 9), ID(0, 5), FIRST, CHAIN_RUN, 1000, 5000);
	n->prio = 79;
	n->policy = SCHED_FIFO;
	node(ID(0, 6), ID(1, 9), SECOND, CHAIN_RUN, 5000, 5200);
	assert_int_equal(walk(ID(0, 6), 1000, 5201), 2);
	assert_int_equal(found[0].tid, FIRST);
	/* readings of the clock: the last one had the time until the wake-up was noted */
	assert_int_equal(found[1].ns, 201 * US);
	said(2, "4 ms of 4.2 ms: first/11 (FIFO 20) computed, then woke second/12, which woke it");
	/* the wait began within a node, or after all of them */
	assert_int_equal(walk(ID(0, 6), 2000, 5200), 2);
	assert_int_equal(found[0].ns, 3000 * US);
	assert_int_equal(walk(ID(0, 6), 5100, 5200), 1);
	said(1, "100 us of 100 us: second/12 computed, then woke it");
	assert_int_equal(walk(ID(0, 6), 5200, 5200), 0);
	assert_int_equal(walk(0, 1000, 5200), 0);
}

/* A wait behind another task, whose name needs most of it; a limit. */
TEST(test_waits)
{
	struct chain_node *n;

	begin();
	n = node(ID(0, 2), 0, FIRST, CHAIN_WAIT, 1000, 5000);
	n->other = HOG;
	n->other_ns = 3900 * US;
	n->other_prio = 49;
	n->other_policy = SCHED_RR;
	snprintf(n->other_comm, sizeof(n->other_comm), "hog");
	node(ID(0, 3), ID(0, 2), FIRST, CHAIN_RUN, 5000, 5200);
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	said(2, "4 ms of 4.2 ms: first/11 waited for a CPU behind hog/13 (RR 50), then woke it");
	n->other_prio = 120;
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	said(2, "4 ms of 4.2 ms: first/11 waited for a CPU behind hog/13 (ordinary), then woke it");
	n->other_prio = CHAIN_NO_PRIO;
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	said(2, "4 ms of 4.2 ms: first/11 waited for a CPU behind hog/13, then woke it");
	n->other_ns = 2000 * US;
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	said(2, "4 ms of 4.2 ms: first/11 waited for a CPU, then woke it");
	n->other_ns = 4000 * US;
	n->other = 0;
	snprintf(n->other_comm, sizeof(n->other_comm), "idle");
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	said(2, "4 ms of 4.2 ms: first/11 waited for a CPU that was idle, then woke it");
	n->flags = CHAIN_THROTTLED;
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	said(2, "4 ms of 4.2 ms: first/11 was throttled by a limit, then woke it");
}

/* A timer or an interrupt ended a sleep: the chain goes on with what the sleeper did before. */
TEST(test_ends)
{
	struct chain_node *n;

	begin();
	n = node(ID(0, 2), 0, FIRST, CHAIN_SLEEP, 1000, 5000);
	n->by = CHAIN_BY_TIMER;
	node(ID(0, 3), ID(0, 2), FIRST, CHAIN_RUN, 5000, 5200);
	assert_int_equal(walk(ID(0, 3), 500, 5200), 3);
	said(3, "4 ms of 4.7 ms: first/11 slept until its timer expired, then woke it");
	n->by = CHAIN_BY_IRQ;
	n->flags = CHAIN_BLOCKED;
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	said(2, "4 ms of 4.2 ms: first/11 was blocked until an interrupt came, then woke it");
	n->other = 24;
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	said(2, "4 ms of 4.2 ms: first/11 was blocked until disk (irq 24) came, then woke it");
	n->by = CHAIN_BY_SOFTIRQ;
	n->other = -1;
	n->flags = 0;
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	said(2, "4 ms of 4.2 ms: first/11 slept until a softirq came, then woke it");
	n->type = CHAIN_TIMER_LATE;
	n->pid = WATCHED;
	assert_int_equal(walk(ID(0, 2), 1000, 5000), 1);
	said(1, "4 ms of 4 ms: it waited for its timer, which was late");
}

/* Places that were used again, or are about to be, end the chain. So do numbers that no node has. */
TEST(test_overwritten)
{
	begin();
	node(ID(0, 2), 0, FIRST, CHAIN_RUN, 1000, 5000);
	node(ID(0, 3), ID(0, 2), SECOND, CHAIN_RUN, 5000, 5200);
	seqs[0] = 2 + CHAIN_NODES - MARGIN;
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	said(2, "4 ms of 4.2 ms: not known");
	seqs[0] = 2 + CHAIN_NODES - MARGIN - 1;
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	assert_int_equal(found[0].kind, SEGMENT_RUN);
	node(ID(0, 2 + CHAIN_NODES), 0, WATCHED, CHAIN_RUN, 1000, 5000);
	seqs[0] = 100;
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	assert_int_equal(found[0].kind, SEGMENT_UNKNOWN);
	nodes[3].parent = ID(CPUS, 1);
	assert_int_equal(walk(ID(0, 3), 1000, 5200), 2);
	assert_int_equal(found[0].kind, SEGMENT_UNKNOWN);
	assert_int_equal(walk(ID(CPUS, 1), 1000, 5200), 1);
	assert_int_equal(found[0].kind, SEGMENT_UNKNOWN);
}

/* Nodes that a program wrote meanwhile may lead anywhere: the walk ends. */
TEST(test_circles)
{
	begin();
	node(ID(0, 1), ID(0, 1), FIRST, CHAIN_RUN, 4000, 4000);
	assert_int_equal(walk(ID(0, 1), 1000, 4000), 1);
	node(ID(0, 2), ID(0, 3), FIRST, CHAIN_RUN, 4000, 5000);
	node(ID(0, 3), ID(0, 2), SECOND, CHAIN_RUN, 3000, 4000);
	assert_int_equal(walk(ID(0, 2), 1000, 5000), 3);
	assert_int_equal(found[0].kind, SEGMENT_UNKNOWN);
	assert_int_equal(found[0].ns, 2000 * US);
	/* it ends before it begins, or after the time that is left */
	node(ID(0, 4), 0, FIRST, CHAIN_RUN, 5000, 4000);
	assert_int_equal(walk(ID(0, 4), 1000, 5000), 1);
	assert_int_equal(found[0].kind, SEGMENT_UNKNOWN);
	/* something came between, which was not seen */
	node(ID(0, 5), 0, FIRST, CHAIN_RUN, 1000, 2000);
	assert_int_equal(walk(ID(0, 5), 1000, 5000), 2);
	assert_int_equal(found[1].kind, SEGMENT_UNKNOWN);
	assert_int_equal(found[1].ns, 3000 * US);
	assert_int_equal(walk(ID(0, 5), 4000, 5000), 1);
}

/* As many nodes as are followed; each is 1 us. */
TEST(test_steps)
{
	uint64_t i;

	begin();
	for (i = 1; i <= 200; i++)
		node(ID(0, i), i > 1 ? ID(0, i - 1) : 0, i % 2 ? FIRST : SECOND, CHAIN_RUN, i, i + 1);
	assert_int_equal(walk(ID(0, 200), 1, 201), STEPS + 1);
	assert_int_equal(found[0].kind, SEGMENT_UNKNOWN);
	assert_int_equal(found[0].ns, (200 - STEPS) * US);
	assert_int_equal(walk(ID(0, STEPS), 1, STEPS + 1), STEPS);
	assert_int_equal(found[0].kind, SEGMENT_RUN);
	/* each with a gap before the next */
	for (i = 1; i <= 200; i++)
		node(ID(0, i), i > 1 ? ID(0, i - 1) : 0, FIRST, CHAIN_RUN, 1000 * i, 1000 * i + 1);
	assert_true(walk(ID(0, 200), 1, 201000) <= CHAIN_SEGMENTS);
}

/* With many tasks in between only some are named. The longest names fit. */
TEST(test_hops)
{
	uint64_t i;

	begin();
	node(ID(0, 1), 0, FIRST, CHAIN_RUN, 0, 4000);
	for (i = 2; i <= 6; i++)
		node(ID(0, i), ID(0, i - 1), (uint32_t)(20 + i), CHAIN_RUN, 4000 + i, 4001 + i);
	assert_int_equal(walk(ID(0, 6), 0, 4007), 6);
	said(6, "4 ms of 4.01 ms: first/11 computed, then woke watched/22, which woke watched/23, which woke 3 more, the last of which woke it");
	for (i = 0; i < 6; i++) {
		memset(found[i].comm, 'x', TLOB_NAME_LEN - 1);
		found[i].tid = (uint32_t)(4194301 + i);
		snprintf(found[i].policy, CHAIN_POLICY, "FIFO 20");
	}
	found[0].kind = SEGMENT_WAIT;
	found[0].other = (struct chain_other){ .kind = TLOB_NOISE_THREAD, .id = 4194303, .name = "yyyyyyyyyyyyyyy", .policy = "FIFO 50" };
	said(3, "4 ms of 4 ms: xxxxxxxxxxxxxxx/4194301 (FIFO 20) waited for a CPU behind yyyyyyyyyyyyyyy/4194303 (FIFO 50), then woke xxxxxxxxxxxxxxx/4194302, which woke xxxxxxxxxxxxxxx/4194303, which woke it");
}
#else
#include "unit.h"
#endif

UNIT_MAIN(NULL, NULL)
