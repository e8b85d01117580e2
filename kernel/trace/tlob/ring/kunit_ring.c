// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the ring with a lying mapped page, and with indexes that wrap. ring.c
 * includes this file, which uses its internals.
 */
#include <linux/prandom.h>
#include <kunit/test.h>

#define TEST_RECORDS	4096U

static const struct tlob_ring_kind test_kind = {
	TEST_RECORDS, sizeof(struct tlob_window), TLOB_WINDOW_VERSION,
};

static struct tlob_ring *test_ring(struct kunit *test)
{
	struct tlob_ring *ring = tlob_ring_alloc(&test_kind, NUMA_NO_NODE);

	KUNIT_ASSERT_NOT_NULL(test, ring);
	/* as tlob_ring_open() leaves it */
	ring->attached = true;
	ring->opened = true;
	return ring;
}

static void write_one(struct tlob_ring *ring, u64 activation)
{
	struct tlob_window w = { .activation = activation };

	tlob_ring_write(ring, &w, sizeof(w));
}

static u64 activation(struct tlob_ring *ring, u32 i)
{
	const struct tlob_window *w = tlob_ring_record(ring, i);

	return w->activation;
}

static void ring_start_at(struct tlob_ring *ring, u32 at)
{
	ring->head = at;
	ring->tail = at;
	ring->page->data_head = at;
	ring->page->data_tail = at;
}

/* The 32-bit indexes wrap; the records between them do not change. */
static void ring_wraps(struct kunit *test)
{
	struct tlob_ring *ring = test_ring(test);
	u64 i;

	ring_start_at(ring, U32_MAX - 10);
	for (i = 0; i < TEST_RECORDS + 5; i++)
		write_one(ring, i);
	/* full: the five newest were dropped, the oldest are there */
	KUNIT_EXPECT_EQ(test, ring->dropped, 5);
	KUNIT_EXPECT_EQ(test, ring->page->dropped, 5);
	KUNIT_EXPECT_EQ(test, ring->head - ring->tail, TEST_RECORDS);
	for (i = 0; i < TEST_RECORDS; i++)
		KUNIT_EXPECT_EQ(test, activation(ring, ring->tail + i), i);
	/* a reader through the mapping takes ten, and ten fit again */
	WRITE_ONCE(ring->page->data_tail, ring->tail + 10);
	for (i = 0; i < 11; i++)
		write_one(ring, TEST_RECORDS + i);
	KUNIT_EXPECT_EQ(test, ring->dropped, 6);
	KUNIT_EXPECT_EQ(test, ring->tail, (u32)(U32_MAX - 10 + 10));
	tlob_ring_put(ring);
}

/* The ring ignores an index outside of the unread records. */
static void ring_ignores_lies(struct kunit *test)
{
	struct tlob_ring *ring = test_ring(test);
	u32 lies[] = { 0, 99, 121, 120 + TEST_RECORDS, U32_MAX, 1U << 31 };
	unsigned int i;

	ring_start_at(ring, 100);
	for (i = 0; i < 20; i++)
		write_one(ring, i);
	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		WRITE_ONCE(ring->page->data_tail, lies[i]);
		KUNIT_EXPECT_EQ(test, tlob_ring_sync_tail(ring, 120), 100U);
		KUNIT_EXPECT_EQ(test, ring->tail, 100U);
	}
	/* both ends are valid */
	WRITE_ONCE(ring->page->data_tail, 120);
	KUNIT_EXPECT_EQ(test, tlob_ring_sync_tail(ring, 120), 120U);
	tlob_ring_put(ring);
}

/*
 * Random words in the page after every record do not change the kernel's own
 * indexes.
 */
static void ring_under_noise(struct kunit *test)
{
	struct tlob_ring *ring = test_ring(test);
	u64 written = 0, read = 0, i;
	struct rnd_state rnd;
	u32 head, tail;

	prandom_seed_state(&rnd, 1);
	ring_start_at(ring, U32_MAX - 1000);
	for (i = 0; i < 5 * TEST_RECORDS; i++) {
		head = ring->head;
		tail = ring->tail;
		write_one(ring, i);
		written += ring->head - head;
		read += ring->tail - tail;
		KUNIT_ASSERT_LE(test, ring->head - head, 1U);
		KUNIT_ASSERT_LE(test, ring->head - ring->tail,
				TEST_RECORDS);
		ring->page->data_tail = prandom_u32_state(&rnd) & 1 ?
			prandom_u32_state(&rnd) :
			ring->head - prandom_u32_state(&rnd) % 8;
		ring->page->data_head = prandom_u32_state(&rnd);
		ring->page->capacity = prandom_u32_state(&rnd);
		ring->page->data_offset = prandom_u32_state(&rnd);
		ring->page->record_size = prandom_u32_state(&rnd);
	}
	KUNIT_EXPECT_EQ(test, written + ring->dropped, 5ULL * TEST_RECORDS);
	KUNIT_EXPECT_GT(test, read, 0ULL);
	tlob_ring_put(ring);
}

/* Without a reader nothing is kept, and nothing counts as lost. */
static void ring_without_reader(struct kunit *test)
{
	struct tlob_ring *ring = test_ring(test);

	ring->attached = false;
	write_one(ring, 1);
	KUNIT_EXPECT_EQ(test, ring->head, 0U);
	KUNIT_EXPECT_EQ(test, tlob_ring_lost(ring), 0ULL);
	tlob_ring_put(ring);
}

static struct kunit_case tlob_ring_cases[] = {
	KUNIT_CASE(ring_wraps),
	KUNIT_CASE(ring_ignores_lies),
	KUNIT_CASE(ring_under_noise),
	KUNIT_CASE(ring_without_reader),
	{}
};

static struct kunit_suite tlob_ring_suite = {
	.name = "tlob_ring",
	.test_cases = tlob_ring_cases,
};

kunit_test_suite(tlob_ring_suite);
