/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of stacks on which tasks waited. Pure C: compiled in the kernel and
 * in the unit tests.
 *
 * The kernel cannot unwind user code without frame pointers, and distributions
 * build without them. So it keeps two things: once a raw copy for the reader to
 * unwind, and each time a *trace*: the instruction pointer and those words on
 * the stack that point into executable memory, from the top. Return addresses
 * are among them. A word that an earlier call left behind may also be. So equal
 * stacks may have different traces, and the reader adds up what it unwound to
 * the same frames. But stacks that differ within the first TLOB_WAIT_CODE code
 * words never have the same trace, also where their frames have the same sizes.
 *
 * A *key* is a task, a kernel stack and a trace. Keys are compared whole: a
 * collision of hashes merges nothing.
 *
 * A set is a part of the table with a lock of its own, which the caller holds.
 * Nothing is allocated: a set has a fixed number of entries.
 */
#ifndef _TLOB_WAITSTACK_H
#define _TLOB_WAITSTACK_H

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <stdbool.h>
#include <string.h>
#endif
#include <linux/types.h>
#include <linux/tlob.h>

#define TLOB_WAIT_CHAINS	16U	/* hash chains of a set */
#define TLOB_WAIT_NO_ENTRY	0xffffU

struct tlob_wait_key {
	__u64	task;			/* tlob_wait_task.id */
	__u16	nr_kernel;		/* frame[] begins with these */
	__u16	nr_code;		/* these follow */
	__u64	frame[TLOB_WAIT_FRAMES + TLOB_WAIT_CODE];
};

struct tlob_wait_entry {
	__u64	hash;
	__u32	generation;		/* changes when the entry gets a new key */
	__u16	next;			/* in its chain, or of the free entries */
	__u64	epoch;			/* of the reader who has its raw copy */
	struct tlob_wait_key key;	/* key.task == 0: free */
	struct tlob_wait_total blocked;
	struct tlob_wait_waker waker;	/* of the longest wait */
};

struct tlob_wait_set {
	struct tlob_wait_entry *entry;
	__u16	nr, used;
	__u16	free;			/* first free entry */
	__u16	chain[TLOB_WAIT_CHAINS];
};

static inline void tlob_wait_total_add(struct tlob_wait_total *t, __u64 ns)
{
	t->count++;
	t->total_ns += ns;
	if (ns > t->max_ns)
		t->max_ns = ns;
}

static inline void tlob_wait_total_merge(struct tlob_wait_total *t,
					 const struct tlob_wait_total *other)
{
	t->count += other->count;
	t->total_ns += other->total_ns;
	if (other->max_ns > t->max_ns)
		t->max_ns = other->max_ns;
}

/* One round of the finalizer of MurmurHash3 for each word. */
static inline __u64 tlob_wait_mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
	return hash ^ hash >> 33;
}

static inline __u64 tlob_wait_mix_words(__u64 hash, const __u64 *word,
					unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		hash = tlob_wait_mix(hash, word[i]);
	return hash;
}

static inline __u64 tlob_wait_hash(const struct tlob_wait_key *key)
{
	return tlob_wait_mix_words(tlob_wait_mix(key->task, key->nr_kernel),
				   key->frame, key->nr_kernel + key->nr_code);
}

/*
 * A number for a trace in the process @tgid: its threads with the same number have the
 * same callers. 0: the instruction pointer alone may belong to any stack.
 */
static inline __u64 tlob_wait_trace_hash(const __u64 *code, unsigned int nr,
					 __u32 tgid)
{
	return nr < 2 ? 0 : tlob_wait_mix_words(tlob_wait_mix(tgid, nr), code, nr);
}

static inline bool tlob_wait_same(const struct tlob_wait_key *a,
				  const struct tlob_wait_key *b)
{
	return a->task == b->task && a->nr_kernel == b->nr_kernel &&
	       a->nr_code == b->nr_code &&
	       !memcmp(a->frame, b->frame, (a->nr_kernel + a->nr_code) *
		       sizeof(a->frame[0]));
}

/* Empties @set. @nr is below TLOB_WAIT_NO_ENTRY. */
static inline void tlob_wait_set_clear(struct tlob_wait_set *set, __u16 nr)
{
	unsigned int i;

	set->nr = nr;
	set->used = 0;
	set->free = nr ? 0 : TLOB_WAIT_NO_ENTRY;
	for (i = 0; i < TLOB_WAIT_CHAINS; i++)
		set->chain[i] = TLOB_WAIT_NO_ENTRY;
	for (i = 0; i < nr; i++) {
		set->entry[i].key.task = 0;
		set->entry[i].next = i + 1 < nr ? i + 1 : TLOB_WAIT_NO_ENTRY;
	}
}

/* The lowest bits of @hash choose the set. */
static inline __u16 *tlob_wait_chain(struct tlob_wait_set *set, __u64 hash)
{
	return &set->chain[(hash >> 32) % TLOB_WAIT_CHAINS];
}

static inline struct tlob_wait_entry *
tlob_wait_find(struct tlob_wait_set *set, __u64 hash,
	       const struct tlob_wait_key *key)
{
	__u16 i = *tlob_wait_chain(set, hash);

	for (; i != TLOB_WAIT_NO_ENTRY; i = set->entry[i].next)
		if (set->entry[i].hash == hash &&
		    tlob_wait_same(&set->entry[i].key, key))
			return &set->entry[i];
	return NULL;
}

/* Adds a key that the set has not. Returns NULL if the set is full. */
static inline struct tlob_wait_entry *
tlob_wait_add(struct tlob_wait_set *set, __u64 hash,
	      const struct tlob_wait_key *key)
{
	__u16 *chain = tlob_wait_chain(set, hash), i = set->free;
	struct tlob_wait_entry *e;
	__u32 generation;

	if (i == TLOB_WAIT_NO_ENTRY)
		return NULL;
	e = &set->entry[i];
	set->free = e->next;
	set->used++;
	generation = e->generation + 1;
	memset(e, 0, sizeof(*e));
	e->generation = generation;
	e->hash = hash;
	e->key.task = key->task;
	e->key.nr_kernel = key->nr_kernel;
	e->key.nr_code = key->nr_code;
	memcpy(e->key.frame, key->frame, (key->nr_kernel + key->nr_code) *
	       sizeof(key->frame[0]));
	e->next = *chain;
	*chain = i;
	return e;
}

/*
 * Frees the entries of tasks for which @gone returns true. Returns how many
 * entries it has freed.
 */
static inline unsigned int tlob_wait_sweep(struct tlob_wait_set *set,
					   bool (*gone)(__u64 task))
{
	unsigned int c, freed = 0;

	for (c = 0; c < TLOB_WAIT_CHAINS; c++) {
		__u16 *link = &set->chain[c];

		while (*link != TLOB_WAIT_NO_ENTRY) {
			__u16 i = *link;
			struct tlob_wait_entry *e = &set->entry[i];

			if (!gone(e->key.task)) {
				link = &e->next;
				continue;
			}
			*link = e->next;
			e->key.task = 0;
			e->next = set->free;
			set->free = i;
			set->used--;
			freed++;
		}
	}
	return freed;
}

/*
 * Appends to @key the addresses of code among the words of a stack, at most
 * TLOB_WAIT_CODE with those that the key has already. @code returns the address
 * that a word stands for, or 0: a return address may be signed.
 */
static inline void tlob_wait_trace(struct tlob_wait_key *key, const __u64 *word,
				   unsigned int nr,
				   __u64 (*code)(void *arg, __u64 word),
				   void *arg)
{
	unsigned int i;

	for (i = 0; i < nr && key->nr_code < TLOB_WAIT_CODE; i++) {
		__u64 addr = code(arg, word[i]);

		if (addr)
			key->frame[key->nr_kernel + key->nr_code++] = addr;
	}
}

#endif /* _TLOB_WAITSTACK_H */
