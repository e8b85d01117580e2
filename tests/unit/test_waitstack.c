// SPDX-License-Identifier: GPL-2.0
/*
 * The table of stacks (waitstack.h): against a list that compares everything, with hashes that
 * collide, full sets and tasks that are gone. And the code words of a stack.
 */
#include "unit.h"
#include "waitstack.h"

#define ENTRIES		24
#define KEYS		64

static bool gone_task[8];

static bool is_gone(__u64 task)
{
	return gone_task[task];
}

/* Keys that differ in as little as possible: a task, a length, the last frame. */
static struct tlob_wait_key random_key(uint64_t *seed)
{
	struct tlob_wait_key key = { .task = 1 + unit_random(seed) % 3 };
	unsigned int i, n;

	key.nr_kernel = unit_random(seed) % 3;
	key.nr_code = unit_random(seed) % 3;
	n = key.nr_kernel + key.nr_code;
	for (i = 0; i < n; i++)
		key.frame[i] = i + 1 < n ? 7 : unit_random(seed) % 3;
	return key;
}

static struct tlob_wait_set *new_set(__u16 nr)
{
	struct tlob_wait_set *set = calloc(1, sizeof(*set));

	assert_non_null(set);
	set->entry = calloc(nr, sizeof(*set->entry));
	assert_non_null(set->entry);
	tlob_wait_set_clear(set, nr);
	return set;
}

static void free_set(struct tlob_wait_set *set)
{
	free(set->entry);
	free(set);
}

/* The set must have each key once, with its count. */
struct model {
	struct tlob_wait_key key[KEYS];
	uint64_t count[KEYS];
	unsigned int nr;
};

static unsigned int model_find(const struct model *m, const struct tlob_wait_key *key)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		if (tlob_wait_same(&m->key[i], key))
			break;
	return i;
}

static void model_sweep(struct model *m)
{
	unsigned int i, k = 0;

	for (i = 0; i < m->nr; i++) {
		if (is_gone(m->key[i].task))
			continue;
		m->key[k] = m->key[i];
		m->count[k++] = m->count[i];
	}
	m->nr = k;
}

static void compare(struct tlob_wait_set *set, const struct model *m, uint64_t hashes)
{
	unsigned int i;

	assert_int_equal(set->used, m->nr);
	for (i = 0; i < m->nr; i++) {
		const struct tlob_wait_entry *e =
			tlob_wait_find(set, tlob_wait_hash(&m->key[i]) % hashes << 32, &m->key[i]);

		assert_non_null(e);
		assert_int_equal(e->blocked.count, m->count[i]);
	}
}

/* @hashes: so many different hashes; with 1 all keys collide. */
static void at_random(uint64_t hashes)
{
	struct tlob_wait_set *set = new_set(ENTRIES);
	struct model m = { .nr = 0 };
	uint64_t seed = 17 + hashes;
	unsigned int round, full = 0, before;

	memset(gone_task, 0, sizeof(gone_task));
	for (round = 0; round < 20000; round++) {
		struct tlob_wait_key key = random_key(&seed);
		uint64_t hash = tlob_wait_hash(&key) % hashes << 32;
		struct tlob_wait_entry *e = tlob_wait_find(set, hash, &key);
		unsigned int i = model_find(&m, &key);

		assert_int_equal(!!e, i < m.nr);
		if (!e)
			e = tlob_wait_add(set, hash, &key);
		if (!e) {
			assert_int_equal(m.nr, ENTRIES);
			full++;
			gone_task[1 + round % 3] = true;
			before = m.nr;
			model_sweep(&m);
			assert_int_equal(tlob_wait_sweep(set, is_gone), before - m.nr);
			memset(gone_task, 0, sizeof(gone_task));
			continue;
		}
		if (i == m.nr) {
			m.key[m.nr] = key;
			m.count[m.nr++] = 0;
		}
		tlob_wait_total_add(&e->blocked, 5);
		m.count[i]++;
		if (!(round % 64))
			compare(set, &m, hashes);
	}
	assert_true(full > 10);
	compare(set, &m, hashes);
	free_set(set);
}

TEST(test_colliding)
{
	at_random(1);
	at_random(3);
	at_random(1000);
}

/* An entry that is used again is another stack, for who remembers its number. */
TEST(test_generations)
{
	struct tlob_wait_set *set = new_set(1);
	struct tlob_wait_key key = { .task = 1, .nr_kernel = 1, .frame = { 5 } };
	struct tlob_wait_entry *e = tlob_wait_add(set, 9, &key);
	uint32_t first;

	assert_non_null(e);
	first = e->generation;
	e->epoch = 3;
	assert_null(tlob_wait_add(set, 9, &key));
	gone_task[1] = true;
	assert_int_equal(tlob_wait_sweep(set, is_gone), 1);
	gone_task[1] = false;
	assert_null(tlob_wait_find(set, 9, &key));
	e = tlob_wait_add(set, 9, &key);
	assert_int_not_equal(e->generation, first);
	assert_int_equal(e->epoch, 0);
	free_set(set);
}

TEST(test_total)
{
	struct tlob_wait_total t = { 0 };

	tlob_wait_total_add(&t, 7);
	tlob_wait_total_add(&t, 9);
	tlob_wait_total_add(&t, 0);
	assert_int_equal(t.count, 3);
	assert_int_equal(t.total_ns, 16);
	assert_int_equal(t.max_ns, 9);
}

/* The upper half of a word is its signature. */
static __u64 is_code(void *arg, __u64 word)
{
	__u64 addr = word & 0xffffffff;

	++*(unsigned int *)arg;
	return addr >= 0x1000 && addr < 0x2000 ? addr : 0;
}

TEST(test_trace)
{
	static const __u64 stack[] = { 0, 0x1000, 0x7fff0000, 0x5a00001fff, 0x2000, 0x1000 };
	__u64 deep[TLOB_WAIT_CODE * 2];
	struct tlob_wait_key key = { .nr_kernel = 2, .nr_code = 1, .frame = { 11, 12, 13 } };
	static const __u64 expected[] = { 11, 12, 13, 0x1000, 0x1fff, 0x1000 };
	unsigned int calls = 0, i;

	tlob_wait_trace(&key, stack, ARRAY_SIZE(stack), is_code, &calls);
	assert_int_equal(key.nr_kernel, 2);
	assert_int_equal(key.nr_code, 4);
	assert_memory_equal(key.frame, expected, sizeof(expected));
	assert_int_equal(calls, ARRAY_SIZE(stack));

	/* no more than there is room for */
	for (i = 0; i < ARRAY_SIZE(deep); i++)
		deep[i] = 0x1000 + i;
	key.nr_kernel = TLOB_WAIT_FRAMES;
	key.nr_code = 1;
	tlob_wait_trace(&key, deep, ARRAY_SIZE(deep), is_code, &calls);
	assert_int_equal(key.nr_code, TLOB_WAIT_CODE);
	assert_int_equal(key.frame[TLOB_WAIT_FRAMES + TLOB_WAIT_CODE - 1],
			 0x1000 + TLOB_WAIT_CODE - 2);
}

/* Every part of a key counts, also where the words are the same. */
TEST(test_keys_differ)
{
	struct tlob_wait_key a = { .task = 1, .nr_kernel = 2, .nr_code = 1, .frame = { 5, 6, 7 } };
	struct tlob_wait_key b = a;

	assert_true(tlob_wait_same(&a, &b));
	assert_true(tlob_wait_hash(&a) == tlob_wait_hash(&b));
	/* behind the key's words */
	b.frame[3] = 9;
	assert_true(tlob_wait_same(&a, &b));
	assert_true(tlob_wait_hash(&a) == tlob_wait_hash(&b));
	b = a;
	b.frame[2] = 8;
	assert_false(tlob_wait_same(&a, &b));
	assert_false(tlob_wait_hash(&a) == tlob_wait_hash(&b));
	b = a;
	b.task = 2;
	assert_false(tlob_wait_same(&a, &b));
	assert_false(tlob_wait_hash(&a) == tlob_wait_hash(&b));
	b = a;
	b.nr_kernel = 1;
	b.nr_code = 2;
	assert_false(tlob_wait_same(&a, &b));
	assert_false(tlob_wait_hash(&a) == tlob_wait_hash(&b));
}

UNIT_MAIN(NULL, NULL)
