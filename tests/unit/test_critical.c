// SPDX-License-Identifier: GPL-2.0
/* The path of a process, from what its threads did and the chains between. */
#if __has_include(<bpf/bpf.h>)
#include "backend/bpf_chain.c"
#include "waits/critical.c"
#include "unit.h"

#define US	1000ULL

enum { FIRST = 11, WATCHED = 17, OTHER };

static struct chain_node nodes[CHAIN_NODES];
static uint64_t seq;
static const struct chain_ring ring = { nodes, &seq, 1, 1 };
static struct critical path;
static struct critical_path got;

void bpf_name_noise(unsigned int kind, int32_t *id, char name[TLOB_NAME_LEN])
{
	snprintf(name, TLOB_NAME_LEN, "disk");
}

static struct chain_node *node(uint64_t parent, uint32_t pid, unsigned int type, uint64_t from, uint64_t to)
{
	struct chain_node *n = &nodes[++seq % CHAIN_NODES];

	*n = (struct chain_node){
		.id = seq, .parent = parent, .pid = pid, .type = (uint8_t)type, .from = from * US, .to = to * US,
		.prio = 79, .policy = SCHED_FIFO,
	};
	snprintf(n->comm, sizeof(n->comm), "task-%u", pid);
	return n;
}

static void begin(void)
{
	memset(nodes, 0, sizeof(nodes));
	seq = 0;
	free(got.row);
	memset(&got, 0, sizeof(got));
	critical_free(&path);
	critical_begin(&path, 0);
}

/* @pid comes at @at after the node @parent, which ends at @from; or leaves. */
static void comes_at(uint32_t pid, uint64_t parent, uint64_t from, uint64_t at)
{
	assert_int_equal(critical_move(&path, node(parent, pid, CHAIN_CAME, from, at), &ring), 0);
}

static void leaves_at(uint32_t pid, uint64_t at, uint8_t flags)
{
	struct chain_node *n = node(0, pid, CHAIN_LEFT, 0, at);

	n->flags = flags;
	assert_int_equal(critical_move(&path, n, &ring), 0);
}

/* The time of the rows of @pid of this kind, in us. */
static uint64_t of(uint32_t pid, unsigned int kind)
{
	uint64_t ns = 0;
	size_t i;

	for (i = 0; i < got.nrow; i++)
		if (got.row[i].tid == pid && got.row[i].kind == kind)
			ns += got.row[i].ns;
	return ns / US;
}

static void ends_at(uint64_t at, bool gone)
{
	uint64_t ns = 0;
	size_t i;

	assert_int_equal(critical_end(&path, &got, at * US, gone), 0);
	for (i = 0; i < got.nrow; i++) {
		assert_true(!i || got.row[i].ns <= got.row[i - 1].ns);
		ns += got.row[i].ns;
	}
	assert_int_equal(ns, got.ns);
}

/* It runs, waits for another task, and runs until the end. */
TEST(test_one_thread)
{
	struct chain_node *n;

	begin();
	leaves_at(WATCHED, 1000, 0);
	n = node(0, FIRST, CHAIN_RUN, 900, 5000);
	comes_at(WATCHED, n->id, 5000, 5010);
	ends_at(6000, false);
	assert_int_equal(got.ns, 6000 * US);
	assert_int_equal(of(WATCHED, SEGMENT_RUN), 1990);
	assert_int_equal(of(FIRST, SEGMENT_RUN), 4010);
	assert_int_equal(got.nrow, 2);
	assert_string_equal(got.row[0].policy, "FIFO 20");
}

/* What it did while it was preempted for a moment counts as its own; longer, as the wait that it was. */
TEST(test_preempted)
{
	struct chain_node *n;

	begin();
	leaves_at(WATCHED, 1000, CHAIN_READY);
	comes_at(WATCHED, 0, 500, 1020);
	leaves_at(WATCHED, 2000, CHAIN_READY);
	n = node(0, WATCHED, CHAIN_WAIT, 2000, 3000);
	comes_at(WATCHED, n->id, 3000, 3000);
	leaves_at(WATCHED, 4000, CHAIN_READY);
	ends_at(4500, false);
	assert_int_equal(of(WATCHED, SEGMENT_RUN), 3000);
	assert_int_equal(of(WATCHED, SEGMENT_WAIT), 1500);
}

/* Of several threads the first one that came has the time; only while all are off the chain has. */
TEST(test_threads)
{
	struct chain_node *n;

	begin();
	comes_at(WATCHED, 0, 0, 100);
	comes_at(OTHER, 0, 0, 200);
	leaves_at(WATCHED, 1000, 0);
	leaves_at(OTHER, 3000, CHAIN_BLOCKED);
	n = node(0, FIRST, CHAIN_RUN, 0, 4000);
	comes_at(WATCHED, n->id, 4000, 4000);
	comes_at(OTHER, 0, 0, 4100);
	leaves_at(OTHER, 4300, 0);
	leaves_at(WATCHED, 4500, 0);
	ends_at(5000, false);
	assert_int_equal(of(0, SEGMENT_UNKNOWN), 100);
	assert_int_equal(of(WATCHED, SEGMENT_RUN), 900 + 500);
	assert_int_equal(of(OTHER, SEGMENT_RUN), 2000);
	assert_int_equal(of(FIRST, SEGMENT_RUN), 1000);
	assert_int_equal(of(WATCHED, SEGMENT_SLEEP), 500);
}

/* What was not seen is not known, and the end of the process is that of the path. */
TEST(test_unseen)
{
	begin();
	leaves_at(WATCHED, 1000, 0);
	leaves_at(WATCHED, 2000, 0);
	comes_at(WATCHED, 0, 0, 3000);
	comes_at(WATCHED, 0, 0, 3500);
	leaves_at(WATCHED, 4000, 0);
	ends_at(9000, true);
	assert_int_equal(got.ns, 4000 * US);
	assert_int_equal(of(WATCHED, SEGMENT_RUN), 1500);
	assert_int_equal(of(0, SEGMENT_UNKNOWN), 2500);
	/* nothing at all */
	begin();
	ends_at(1000, false);
	assert_int_equal(of(0, SEGMENT_UNKNOWN), 1000);
}

/* Rows are added up on the way: many pieces take no room. */
TEST(test_many)
{
	uint64_t i;

	begin();
	leaves_at(WATCHED, 1, 0);
	for (i = 1; i < 20000; i++) {
		comes_at(WATCHED, 0, 0, 100 * i);
		leaves_at(WATCHED, 100 * i + 50, 0);
		assert_true(path.nrow < 3UL * MERGE_MIN);
	}
	ends_at(100 * i, true);
	assert_int_equal(got.nrow, 2);
	assert_int_equal(of(WATCHED, SEGMENT_RUN), 1 + 19999 * 50);
}

/* Nodes are read in their order, each once; those that were overwritten are counted. */
TEST(test_next)
{
	struct chain_node n;
	uint64_t at = 0, lost = 0;
	unsigned int i;

	begin();
	assert_false(chain_next(&ring, 0, &at, &n, &lost));
	for (i = 0; i < 3; i++)
		node(0, FIRST + i, CHAIN_RUN, i, i + 1);
	for (i = 0; i < 3; i++) {
		assert_true(chain_next(&ring, 0, &at, &n, &lost));
		assert_int_equal(n.pid, FIRST + i);
	}
	assert_false(chain_next(&ring, 0, &at, &n, &lost));
	for (i = 0; i < 2 * CHAIN_NODES; i++)
		node(0, FIRST, CHAIN_RUN, i, i + 1);
	for (i = 0; chain_next(&ring, 0, &at, &n, &lost); i++)
		;
	assert_in_range(i, CHAIN_NODES - 2 * MARGIN, CHAIN_NODES);
	assert_int_equal(lost + i, 2 * CHAIN_NODES);
	assert_int_equal(at, seq);
}
#else
#include "unit.h"
#endif

UNIT_MAIN(NULL, NULL)
