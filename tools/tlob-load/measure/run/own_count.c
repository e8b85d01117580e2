// SPDX-License-Identifier: GPL-2.0
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "hist.h"
#include "machine/cpus.h"
#include "result/os_counts.h"
#include "result/parts.h"
#include "result/result.h"
#include "run/own_count.h"

/* More join the last one until the collector comes: fewer and longer episodes. */
#define PIECES	1024U

struct side {
	struct result r;		/* of one CPU, without what is allocated */
	struct result_cpu cpu;
	struct tlob_hist hist[RESULT_METRICS];
	struct slices slices;
	struct os_counts gaps;
	size_t	 npieces;
	struct episode_piece piece[PIECES];
	uint64_t seen_ns;		/* t0 of the last window */
};

struct own_count {
	_Atomic unsigned int on;	/* the side that the thread writes */
	_Atomic unsigned int inside;	/* 1 + the side that it writes now; 0: none */
	unsigned int take;		/* the collector's: the side to take next */
	struct side side[2];
};

static void touch(void *from, size_t size)
{
	volatile char *mem = from;
	size_t i;

	for (i = 0; i < size; i += 4096)
		mem[i] = 0;
	mem[size - 1] = 0;
}

/* All but the histograms of the parts that are never measured, so that no window has a page fault. */
static void touch_side(struct side *s, uint32_t never)
{
	unsigned int i;

	touch(s, offsetof(struct side, hist));
	touch(&s->slices, sizeof(*s) - offsetof(struct side, slices));
	for (i = 0; i < TLOB_NR_METRICS; i++)
		if (i < TLOB_METRIC_PARTS || !(never & 1U << (i - TLOB_METRIC_PARTS)))
			touch(&s->hist[i], sizeof(s->hist[i]));
}

struct own_count *own_count_new(const struct result *r, size_t i, uint32_t never)
{
	struct own_count *t = node_alloc(sizeof(*t), cpus_node(r->cpu[i].cpu));
	struct side *s;

	for (s = t ? t->side : NULL; t && s < t->side + 2; s++) {
		touch_side(s, never);
		s->r.ncpus = 1;
		s->r.cpu = &s->cpu;
		s->r.period_ns = r->period_ns;
		s->cpu.hist = s->hist;
		s->cpu.slices = &s->slices;
	}
	return t;
}

void own_count_free(struct own_count *t)
{
	if (t)
		node_free(t, sizeof(*t));
}

void own_count_begin(struct own_count *t, const struct result *r)
{
	t->side[0].r.begin_ns = t->side[1].r.begin_ns = r->begin_ns;
}

void own_count_gap(struct os_counts *os, const struct tlob_window *w, uint64_t ns)
{
	if (!os || !ns || w->flags & TLOB_WINDOW_WARM_UP)
		return;
	os->gap_windows++;
	os->gap_ns += ns;
	if (ns > os->gap_max_ns)
		os->gap_max_ns = ns;
}

static void add_episode(struct side *s, const struct tlob_window *w)
{
	struct episode_piece p = episode_piece(w->t0_ns, w->missed, w->flags & TLOB_WINDOW_VIOLATION,
					       s->r.period_ns);

	s->seen_ns = w->t0_ns;
	if (!p.count)
		return;
	if (s->npieces && (s->npieces == PIECES ||
			   p.from_ns - s->piece[s->npieces - 1].to_ns <= EPISODE_PERIODS * s->r.period_ns)) {
		s->piece[s->npieces - 1].to_ns = p.to_ns;
		s->piece[s->npieces - 1].count += p.count;
	} else {
		s->piece[s->npieces++] = p;
	}
}

/*
 * The collector moves the thread to the other side, then asks whether it is still inside of this
 * one. So the thread says where it goes before it looks a second time.
 */
static struct side *enter(struct own_count *t)
{
	unsigned int on = atomic_load(&t->on);

	for (;;) {
		atomic_store(&t->inside, on + 1);
		if (atomic_load(&t->on) == on)
			return &t->side[on];
		on = !on;
	}
}

void own_count_window(struct own_count *t, const struct tlob_window *w, uint64_t gap_ns)
{
	struct side *s = enter(t);

	result_window(&s->r, 0, w, true);
	own_count_gap(&s->gaps, w, gap_ns);
	if (!(w->flags & (TLOB_WINDOW_NONE | TLOB_WINDOW_WARM_UP)))
		add_episode(s, w);
	atomic_store(&t->inside, 0);
}

static void clear_hist(struct tlob_hist *h)
{
	unsigned int from = tlob_hist_index(h->min), n = tlob_hist_index(h->max) - from + 1;

	if (h->n)
		memset(h->bucket + from, 0, n * sizeof(h->bucket[0]));
	h->n = h->sum = h->min = h->max = 0;
}

/* The next windows are counted here; the mean work of the causes stays. */
static void clear(struct side *s)
{
	unsigned int i;

	for (i = 0; i < TLOB_NR_METRICS; i++)
		clear_hist(&s->hist[i]);
	for (i = 0; i < s->slices.n; i++)
		memset(&s->slices.at[i], 0, sizeof(s->slices.at[i]));
	s->slices.n = 0;
	s->cpu = (struct result_cpu){ .hist = s->hist, .slices = &s->slices };
	s->gaps = (struct os_counts){ 0 };
	s->r.nworst = 0;
	s->r.noise.n = s->r.delay.n = 0;
	s->r.noise.evicted = s->r.delay.evicted = 0;
	s->r.causes.n = s->r.causes.others = 0;
	s->npieces = 0;
	s->seen_ns = 0;
}

static void take_side(struct side *s, struct result *r, size_t i, uint64_t continued_ns)
{
	struct os_counts *os = r->cpu[i].os;
	size_t k;

	for (k = 0; k < s->r.nworst; k++)
		if (window_was_stopped(&s->r.worst[k].w, continued_ns))
			causes_continued(&s->r.causes, &s->r.worst[k].w);
	result_add_cpu(r, i, &s->r);
	if (r->watch && s->seen_ns)
		episodes_pieces(r->watch, i, s->piece, s->npieces, s->seen_ns);
	if (os) {
		os->gap_windows += s->gaps.gap_windows;
		os->gap_ns += s->gaps.gap_ns;
		if (s->gaps.gap_max_ns > os->gap_max_ns)
			os->gap_max_ns = s->gaps.gap_max_ns;
	}
	clear(s);
	/* of several that are as long the first is kept, which is there already */
	if (r->nworst >= RESULT_WORST)
		s->r.worse_than_ns = r->worst[RESULT_WORST - 1].w.response_ns;
}

void own_count_take(struct own_count *t, struct result *r, size_t i, uint64_t continued_ns)
{
	unsigned int n;

	/* twice: after the last window both sides are taken */
	for (n = 0; n < 2; n++) {
		atomic_store(&t->on, !t->take);
		if (atomic_load(&t->inside) == t->take + 1)
			return;
		take_side(&t->side[t->take], r, i, continued_ns);
		t->take = !t->take;
	}
}
