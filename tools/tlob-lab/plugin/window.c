// SPDX-License-Identifier: GPL-2.0
/*
 * Recording of windows. Visits of blocks are kept from the arming on, and dropped when the CPU
 * halts before the handler has run. At t3 the visits from the expiry on become a path: straight
 * runs of instructions, which do not depend on where QEMU cut its blocks. Most windows take one
 * of few paths, so each path is written once.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

/* A window that executes more is given up: it is counted only, and the tool says so. */
#define MOST_VISITS	(64U << 20)
#define LINE_BYTES	64

enum cut { T1, T2, T3, NR_CUTS, NO_CUT = NR_CUTS };

struct visit {
	const struct block *b;
	uint32_t done;			/* instructions executed of it */
	size_t	 access;		/* number of its first memory access */
};

/* A straight run of instructions. */
struct segment {
	uint64_t start;
	uint32_t bytes, n;
	enum ending ending;
};

struct path {
	uint64_t hash;
	uint32_t *token;
	size_t	 n;
};

/* Tokens of a path: the number of a segment, or one of these. */
#define TOKEN_CUT(cut)	(UINT32_MAX - (cut))

#define GROW(array, n, room)						\
	((n) < (room) || grow((void **)&(array), sizeof(*(array)), &(room)))

static struct {
	FILE	*out;
	uint64_t address[NR_MARKS];
	const uint64_t *wakes;
	unsigned long nwakes;
	int	 err;

	bool	 region;		/* windows begin at t2: nothing waits for an expiry */
	bool	 recording, halted, given_up;
	enum cut awaits;		/* the next reading of the clock */
	uint64_t executed;		/* when the last block began */
	unsigned long windows;

	struct visit *visit;
	size_t	 visits, visits_room, most_visits;
	size_t	 cut[NR_CUTS];		/* number of the first visit after it */
	uint64_t *access;		/* lines of memory */
	size_t	 accesses, accesses_room;

	struct segment *segment;
	size_t	 segments, segments_room;
	uint32_t *slot;			/* hash table: number + 1 of a segment */
	size_t	 slots;
	struct path *path;
	size_t	 paths, paths_room;
	uint32_t *token;
	size_t	 tokens, tokens_room;

	struct {
		uint64_t line;
		unsigned long round;	/* in which it was seen */
	} *seen;
	size_t	 seen_room;
	unsigned long round;
} w;

static bool grow(void **array, size_t size, size_t *room)
{
	size_t more = *room ? 2 * *room : 4096;
	void *p = w.err ? NULL : realloc(*array, more * size);

	if (!p) {
		w.err = w.err ? w.err : -ENOMEM;
		return false;
	}
	*array = p;
	*room = more;
	return true;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

int windows_init(FILE *out, const uint64_t addresses[NR_MARKS],
		 const uint64_t *wakes, unsigned long n)
{
	w.out = out;
	memcpy(w.address, addresses, sizeof(w.address));
	w.wakes = wakes;
	w.nwakes = n;
	w.region = !addresses[MARK_ARM];
	w.awaits = NO_CUT;
	w.most_visits = MOST_VISITS;
	fprintf(out, "tlob-plugin 1\n");
	return 0;
}

enum mark mark_of(uint64_t address)
{
	enum mark m;

	for (m = MARK_ARM; m < NR_MARKS; m++)
		if (address && address == w.address[m])
			return m;
	return MARK_NONE;
}

static void forget(void)
{
	w.visits = 0;
	w.accesses = 0;
}

/* ---- a window as a path ---- */

static bool slots_grow(void)
{
	size_t room = w.slots ? 2 * w.slots : 8192, i, at;
	uint32_t *slot = calloc(room, sizeof(*slot));

	if (!slot) {
		w.err = -ENOMEM;
		return false;
	}
	for (i = 0; i < w.segments; i++) {
		at = mix(mix(0, w.segment[i].start), w.segment[i].n);
		while (slot[at & (room - 1)])
			at++;
		slot[at & (room - 1)] = i + 1;
	}
	free(w.slot);
	w.slot = slot;
	w.slots = room;
	return true;
}

/* The number of an equal segment, which is written when it is new. */
static uint32_t segment_number(const struct segment *s)
{
	const struct segment *have;
	size_t at;

	if ((w.segments * 2 >= w.slots && !slots_grow()) ||
	    !GROW(w.segment, w.segments, w.segments_room))
		return 0;
	at = mix(mix(0, s->start), s->n);
	for (;; at++) {
		if (!w.slot[at & (w.slots - 1)])
			break;
		have = &w.segment[w.slot[at & (w.slots - 1)] - 1];
		if (have->start == s->start && have->n == s->n &&
		    have->bytes == s->bytes && have->ending == s->ending)
			return have - w.segment;
	}
	w.segment[w.segments] = *s;
	w.slot[at & (w.slots - 1)] = ++w.segments;
	fprintf(w.out, "segment %" PRIx64 " %u %u %c\n", s->start, s->bytes, s->n,
		s->ending);
	return w.segments - 1;
}

static void token_add(uint32_t token)
{
	if (GROW(w.token, w.tokens, w.tokens_room))
		w.token[w.tokens++] = token;
}

static void path_write(const struct path *p)
{
	size_t i, k;

	fputs("path", w.out);
	for (i = 0; i < p->n; i += k) {
		for (k = 1; i + k < p->n && p->token[i + k] == p->token[i]; k++)
			;
		if (p->token[i] > TOKEN_CUT(NR_CUTS))
			fprintf(w.out, " t%u", UINT32_MAX - p->token[i] + 1);
		else if (k > 1)
			fprintf(w.out, " %u*%zu", p->token[i], k);
		else
			fprintf(w.out, " %u", p->token[i]);
	}
	fputc('\n', w.out);
}

/* The number of the path in w.token, which is written when it is new. */
static size_t path_number(void)
{
	size_t bytes = w.tokens * sizeof(*w.token), i;
	struct path p = { .n = w.tokens };

	for (i = 0; i < w.tokens; i++)
		p.hash = mix(p.hash, w.token[i]);
	for (i = 0; i < w.paths; i++)
		if (w.path[i].hash == p.hash && w.path[i].n == p.n &&
		    !memcmp(w.path[i].token, w.token, bytes))
			return i;
	p.token = malloc(bytes + !bytes);
	if (!p.token || !GROW(w.path, w.paths, w.paths_room)) {
		free(p.token);
		w.err = -ENOMEM;
		return 0;
	}
	memcpy(p.token, w.token, bytes);
	path_write(&p);
	w.path[w.paths] = p;
	return w.paths++;
}

/*
 * The visits from @first on, without the @skip first instructions of that one, as tokens. Code
 * that continues behind a visit without a jump belongs to the same segment: QEMU ends a block at a
 * page, before a timer's event and after an access to a device, and not always at the same place.
 */
static void make_tokens(size_t first, uint32_t skip)
{
	struct segment s = { 0 };
	size_t i, c;
	bool cut;

	w.tokens = 0;
	for (i = first; i < w.cut[T3]; i++) {
		const struct visit *v = &w.visit[i];
		uint32_t from = i == first ? skip : 0;
		bool whole = v->done >= v->b->n;
		uint32_t to = whole ? v->b->n : v->done;

		for (c = T1, cut = false; c < NR_CUTS; c++)
			cut = cut || w.cut[c] == i;
		if (s.n && (cut || s.ending != ENDS_PLAIN ||
			    s.start + s.bytes != v->b->address)) {
			token_add(segment_number(&s));
			s.n = 0;
		}
		for (c = T1; c < NR_CUTS; c++)
			if (w.cut[c] == i)
				token_add(TOKEN_CUT(c));
		if (!s.n)
			s = (struct segment){
				.start = v->b->address + v->b->offset[from],
			};
		s.n += v->done - from;
		s.bytes = v->b->address + v->b->offset[to] - s.start;
		s.ending = whole ? v->b->ending : ENDS_PLAIN;
	}
	if (s.n)
		token_add(segment_number(&s));
	token_add(TOKEN_CUT(T3));
}

/* ---- cache lines ---- */

/* The number of lines that the accesses @from to @to, exclusive, touch. */
static unsigned long lines(size_t from, size_t to)
{
	unsigned long n = 0;
	size_t i, at;

	if (w.seen_room < 4 * (to - from)) {
		free(w.seen);
		for (w.seen_room = 4096; w.seen_room < 4 * (to - from);)
			w.seen_room *= 2;
		w.seen = calloc(w.seen_room, sizeof(*w.seen));
		if (!w.seen) {
			w.seen_room = 0;
			w.err = -ENOMEM;
			return 0;
		}
	}
	w.round++;
	for (i = from; i < to; i++) {
		for (at = mix(0, w.access[i]);; at++) {
			at &= w.seen_room - 1;
			if (w.seen[at].round != w.round) {
				w.seen[at].line = w.access[i];
				w.seen[at].round = w.round;
				n++;
				break;
			}
			if (w.seen[at].line == w.access[i])
				break;
		}
	}
	return n;
}

static size_t access_of(size_t visit)
{
	return visit < w.visits ? w.visit[visit].access : w.accesses;
}

/* ---- the life of a window ---- */

static uint64_t instructions(size_t from, size_t to)
{
	uint64_t sum = 0;

	for (; from < to; from++)
		sum += w.visit[from].done;
	return sum;
}

/* All visits up to t3 are complete. */
static void window_write(void)
{
	uint64_t awake = instructions(0, w.cut[T2]), skip = 0, wake = UINT64_MAX;
	size_t first = 0;

	if (w.windows < w.nwakes)
		wake = w.wakes[w.windows];
	/* Not idle at the expiry: t0 lies @wake instructions before t2. */
	if (awake > wake) {
		for (skip = awake - wake; skip >= w.visit[first].done; first++)
			skip -= w.visit[first].done;
		awake = wake;
	}
	make_tokens(first, skip);
	fprintf(w.out, "window %zu %" PRIu64 " %" PRIu64 " %lu %lu %s\n",
		path_number(), awake, instructions(w.cut[T2], w.cut[T3]),
		lines(access_of(first), access_of(w.cut[T2])),
		lines(access_of(w.cut[T2]), access_of(w.cut[T3])),
		first || skip ? "busy" : w.halted ? "idle" : "armed");
}

static void visit_complete(struct visit *v, uint64_t executed)
{
	v->done = executed - w.executed;
	if (v->b->ending == ENDS_HALT && v->done >= v->b->n &&
	    w.cut[T1] == SIZE_MAX && w.awaits == NO_CUT) {
		forget();
		w.halted = true;
		w.given_up = false;	/* the window begins here */
	} else if (v->b->ending == ENDS_CLOCK && v->done >= v->b->n &&
		   w.awaits != NO_CUT) {
		if (w.region && w.awaits == T2) {
			forget();
			w.cut[T1] = 0;
		}
		w.cut[w.awaits] = w.visits;
		if (w.awaits == T3) {
			w.recording = false;
			if (!w.given_up)
				window_write();
			/* without a line, too: the guest has it, and the next wake is not its */
			w.windows++;
		}
		w.awaits = NO_CUT;
	}
}

static void record(void)
{
	forget();
	memset(w.cut, 0xff, sizeof(w.cut));	/* SIZE_MAX */
	w.recording = true;
	w.halted = false;
	w.given_up = false;
	w.awaits = NO_CUT;
}

static void mark_reached(enum mark m)
{
	switch (m) {
	case MARK_ARM:
		record();
		break;
	case MARK_FIRE:
		if (w.cut[T1] == SIZE_MAX)
			w.awaits = T1;
		break;
	case MARK_BEGIN:
		/* a start or a boundary of a hook within a region is nested: the first one counts */
		if (w.region && (!w.recording || w.cut[T2] == SIZE_MAX)) {
			record();
			w.awaits = T2;
		} else if (!w.region && w.cut[T1] != SIZE_MAX && w.cut[T2] == SIZE_MAX) {
			w.awaits = T2;
		}
		break;
	case MARK_END:
		if (w.recording && w.cut[T2] != SIZE_MAX)
			w.awaits = T3;
		break;
	default:
		break;
	}
}

void block_begins(const struct block *b, uint64_t executed)
{
	if (w.recording && w.visits)
		visit_complete(&w.visit[w.visits - 1], executed);
	w.executed = executed;
	if (b->mark)
		mark_reached(b->mark);
	if (!w.recording)
		return;
	if (w.visits == w.most_visits) {
		forget();
		w.given_up = true;
	}
	if (GROW(w.visit, w.visits, w.visits_room))
		w.visit[w.visits++] = (struct visit){
			.b = b, .access = w.accesses,
		};
}

static void access_add(uint64_t line)
{
	if (GROW(w.access, w.accesses, w.accesses_room))
		w.access[w.accesses++] = line;
}

void memory_accessed(uint64_t address, unsigned int size)
{
	uint64_t line = address / LINE_BYTES;

	if (!w.recording)
		return;
	access_add(line);
	if ((address + size - 1) / LINE_BYTES != line)
		access_add(line + 1);
}

unsigned long windows_seen(void)
{
	return w.windows;
}

int windows_finish(void)
{
	fprintf(w.out, "end %lu\n", w.windows);
	if (!w.err && (fflush(w.out) || ferror(w.out)))
		w.err = -EIO;
	return w.err;
}
