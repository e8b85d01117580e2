// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include "report/chain_text.h"
#include "report/parts_text.h"
#include "result/wait_names.h"
#include "util/printable.h"
#include "util/units.h"

#define HOPS_NAMED	2		/* the sentence has 200 characters with the longest plain names */

static void put_task(FILE *f, const char *comm, int64_t tid, const char *policy)
{
	char name[PRINTABLE_NAME];

	fprintf(f, "%s/%" PRId64, printable(name, comm, TLOB_NAME_LEN), tid);
	if (*policy)
		fprintf(f, " (%.*s)", CHAIN_POLICY, policy);
}

static void put_who(FILE *f, const struct chain_segment *s, uint32_t tid)
{
	if (s->tid == tid)
		fputs("it", f);
	else
		put_task(f, s->comm, s->tid, s->policy);
}

static void put_end(FILE *f, const struct chain_segment *s)
{
	static const char * const ends[CHAIN_ENDS] = {
		[END_UNKNOWN] = "something unknown woke it", [END_TIMER] = "its timer expired",
		[END_IRQ] = "an interrupt came", [END_SOFTIRQ] = "a softirq came", [END_NMI] = "an NMI came",
		[END_MEASURED] = "the measurement ended",
	};
	struct tlob_noise n = { .kind = s->other.kind, .id = s->other.id };
	char name[128];

	fprintf(f, " %s until ", s->blocked ? "was blocked" : "slept");
	memcpy(n.name, s->other.name, sizeof(n.name));
	if (s->other.name[0])
		fprintf(f, "%s came", noise_name(name, sizeof(name), &n));
	else
		fputs(ends[s->by < CHAIN_ENDS ? s->by : END_UNKNOWN], f);
}

void chain_what(FILE *f, const struct chain_segment *s)
{
	const struct chain_other *other = &s->other;

	if (s->kind == SEGMENT_RUN)
		fputs(" computed", f);
	else if (s->kind == SEGMENT_THROTTLED)
		fputs(" was throttled by a limit", f);
	else if (s->kind == SEGMENT_TIMER_LATE)
		fputs(" waited for its timer, which was late", f);
	else if (s->kind == SEGMENT_SLEEP)
		put_end(f, s);
	else if (!*other->name)
		fputs(" waited for a CPU", f);
	else if (!other->id)
		fputs(" waited for a CPU that was idle", f);
	else {
		fputs(" waited for a CPU behind ", f);
		put_task(f, other->name, other->id, other->policy);
	}
}

static void put_segment(FILE *f, const struct chain_segment *s, uint32_t tid)
{
	if (s->kind == SEGMENT_UNKNOWN) {
		fputs("not known", f);
		return;
	}
	put_who(f, s, tid);
	chain_what(f, s);
}

/* Pieces of the same task, in which it did the same. */
static bool is_same(const struct chain_segment *a, const struct chain_segment *b)
{
	return a->kind == b->kind && a->tid == b->tid;
}

static bool is_same_other(const struct chain_segment *a, const struct chain_segment *b)
{
	return is_same(a, b) && a->other.id == b->other.id && a->by == b->by &&
	       !memcmp(a->other.name, b->other.name, sizeof(a->other.name));
}

static uint64_t sum_of(const struct attach_wait *w, const struct chain_segment *as,
		       bool (*same)(const struct chain_segment *a, const struct chain_segment *b))
{
	uint64_t ns = 0;
	size_t i;

	for (i = 0; i < w->nchain; i++)
		if (same(&w->chain[i], as))
			ns += w->chain[i].ns;
	return ns;
}

/* The largest sum has the last of its pieces; among them that which had most says for what it waited. */
static const struct chain_segment *find_most(const struct attach_wait *w, size_t *last, uint64_t *ns)
{
	const struct chain_segment *most = NULL, *s;
	uint64_t sum, best = 0;

	*ns = 0;
	for (s = w->chain; s < w->chain + w->nchain; s++) {
		sum = sum_of(w, s, is_same);
		if (sum < *ns || (sum == *ns && most && !is_same(s, most)))
			continue;
		if (sum > *ns)
			best = 0;
		*ns = sum;
		*last = (size_t)(s - w->chain);
		if (sum_of(w, s, is_same_other) > best) {
			best = sum_of(w, s, is_same_other);
			most = s;
		}
	}
	return most;
}

/* ", then woke tC/18, which woke it": who passed the delay on, after the segment @last. */
static void put_hops(FILE *f, const struct attach_wait *w, size_t last, uint32_t tid)
{
	uint32_t before = w->chain[last].tid;
	const char *then = ", then woke ";
	unsigned int hops = 0;
	size_t i;

	if (!before || before == tid)
		return;
	for (i = last + 1; i < w->nchain; i++) {
		if (w->chain[i].tid == before || w->chain[i].tid == tid || !w->chain[i].tid)
			continue;
		before = w->chain[i].tid;
		if (hops++ >= HOPS_NAMED)
			continue;
		fputs(then, f);
		put_task(f, w->chain[i].comm, before, "");
		then = ", which woke ";
	}
	if (hops > HOPS_NAMED)
		fprintf(f, "%s%u more, the last of which woke ", then, hops - HOPS_NAMED);
	else
		fputs(then, f);
	fputs("it", f);
}

void chain_text(FILE *f, const struct attach_wait *wait, uint32_t tid)
{
	char part[DURATION_LEN], whole[DURATION_LEN];
	const struct chain_segment *most;
	size_t last = 0;
	uint64_t ns;

	most = find_most(wait, &last, &ns);
	if (!most)
		return;
	fprintf(f, "%s of %s: ", duration_prose(part, ns), duration_prose(whole, wait->ns));
	put_segment(f, most, tid);
	put_hops(f, wait, last, tid);
}

bool chain_tells(const struct attach_wait *wait, uint32_t tid)
{
	const struct chain_segment *most;
	size_t last = 0;
	uint64_t ns;

	most = find_most(wait, &last, &ns);
	return most && most->kind != SEGMENT_UNKNOWN &&
	       (most->tid != tid || most->kind != SEGMENT_SLEEP || *most->other.name);
}

void chain_lines(FILE *f, const struct attach_wait *wait, uint32_t tid)
{
	char at[DURATION_LEN], time[DURATION_LEN];
	uint64_t from = 0;
	size_t i;

	for (i = 0; i < wait->nchain; i++) {
		fprintf(f, "%10sus %10sus  ", duration_us(at, from), duration_us(time, wait->chain[i].ns));
		put_segment(f, &wait->chain[i], tid);
		fputc('\n', f);
		from += wait->chain[i].ns;
	}
}
