// SPDX-License-Identifier: GPL-2.0
/*
 * A window whose split BPF programs make. The thread sleeps on the grid; bpf/cell.h
 * has what it shares with the programs.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend/bpf.h"
#include "backend/bpf/shared.h"
#include "backend/config.h"
#include "backend/grid.h"
#include "facts/timeline.h"
#include "machine/cpus.h"
#include "util/error.h"

uint64_t bpf_clock_offset;

struct bpf_thread {
	struct grid_thread grid;	/* by the hooks' clock */
	struct tlob_cell *cell;
};

int bpf_thread_open(struct backend_thread *t)
{
	struct bpf_thread *own = calloc(1, sizeof(*own));
	struct bpf *bpf = bpf_of(t->run);
	int err;

	if (!own)
		return fail(-ENOMEM, "CPU %d: out of memory", t->cpu);
	t->data = own;
	err = grid_thread_open(&own->grid, t, bpf->counts, bpf->grid_start);
	if (err)
		return err;
	err = bpf_object_introduce(bpf, t->cpu, false);
	if (err)
		return fail(err, "CPU %d: cannot tell the BPF programs about its thread: %s",
			    t->cpu, strerror(-err));
	own->cell = &bpf->cells[t->cpu];
	own->cell->migrated = 0;
	own->cell->track = bpf->ntracks ? &bpf->tracks[t->cpu] : NULL;
	t->interference = (const volatile uint64_t *)&own->cell->interference;
	return 0;
}

static bool adds_up(const struct tlob_window *w)
{
	return tlob_split_sum(w->part_ns, false) == w->wake_ns &&
	       tlob_split_sum(w->part_ns, true) == w->response_ns - w->wake_ns;
}

/* Takes t3 first. Then fills the record. */
static void end_window(struct backend_thread *t, struct tlob_window *w, uint32_t flags)
{
	struct bpf_thread *own = t->data;
	struct tlob_cell *c = own->cell;
	uint64_t t3 = tlob_cell_end(c);
	const struct tlob_split *s = &c->split;

	*w = (struct tlob_window){
		.flags = flags,
		.irq_latency_ns = s->fired ? c->t1 - own->grid.t0 : 0,
		.wake_ns = c->t2 - own->grid.t0,
		.unavailable = bpf_of(t->run)->unavailable,
		.largest = s->largest,
		.delayed_by_pid = c->delayed_by_pid,
		.adjusted_ns = s->adjusted,
		.clock_steps = s->steps,
		.errors = s->errors,
	};
	memcpy(w->part_ns, s->part, sizeof(w->part_ns));
	memcpy(w->wake_count, s->count[0], sizeof(w->wake_count));
	memcpy(w->work_count, s->count[1], sizeof(w->work_count));
	memcpy(w->delayed_by, c->delayed_by, sizeof(w->delayed_by));
	if (w->largest.ns)
		bpf_name_noise(w->largest.kind, &w->largest.id, w->largest.name);
	grid_thread_record(&own->grid, t, w, t3);
	if (c->track)
		bpf_timelines_put(bpf_of(t->run), t->index, t->cpu, w->activation);
	grid_count(&own->grid.counts->sum_failures, !adds_up(w));
}

static bool has_left(const struct bpf_thread *own)
{
	return TLOB_CELL_ONCE(own->cell->migrated) || grid_thread_has_left(&own->grid);
}

/* The window cannot be told from here any more. */
static void drop_window(struct bpf_thread *own)
{
	TLOB_CELL_ONCE(own->cell->active) = 0;
	grid_thread_drop(&own->grid, tlob_cell_clock());
}

static void arm(struct backend_thread *t)
{
	uint64_t budget = t->run->config->budget_ns;
	struct bpf_thread *own = t->data;

	grid_thread_arm(&own->grid, tlob_cell_clock());
	bpf_watch_window(t, own->grid.t0 + budget + 1);
	tlob_cell_arm(own->cell, own->grid.t0, budget, own->grid.grid.activation);
}

int bpf_thread_next(struct backend_thread *t, struct tlob_window *w)
{
	struct bpf_thread *own = t->data;
	int err;

	w->flags = TLOB_WINDOW_NONE;
	if (has_left(own)) {
		drop_window(own);
		return grid_thread_why_left(&own->grid);
	}
	if (own->grid.in_window)
		end_window(t, w, 0);
	arm(t);
	err = grid_thread_sleep(&own->grid, bpf_clock_offset);
	tlob_cell_begin(own->cell);
	own->grid.in_window = true;
	if (err)
		return fail(-err, "CPU %d: clock_nanosleep: %s", t->cpu, strerror(err));
	return 1;
}

int bpf_thread_last(struct backend_thread *t, struct tlob_window *w)
{
	struct bpf_thread *own = t->data;

	w->flags = TLOB_WINDOW_NONE;
	if (has_left(own)) {
		drop_window(own);
		return grid_thread_why_left(&own->grid);
	}
	end_window(t, w, TLOB_WINDOW_STOPPED);
	grid_thread_end(&own->grid);
	return 0;
}

void bpf_thread_close(struct backend_thread *t)
{
	struct bpf_thread *own = t->data;

	if (!own)
		return;
	if (own->cell)
		drop_window(own);
	free(own);
	t->data = NULL;
}

/*
 * Timelines of the backend `bpf`. The programs fill the track of a CPU, which is mapped.
 * After t3 the measuring thread copies it to a ring of its own: one producer, one
 * consumer, no lock and no system call. A full ring drops the new timeline.
 */
#define RECORDS	1024U			/* 204 ms at a period of 200 us, as the module */

struct record {
	uint64_t activation;
	struct tlob_track track;
};

struct bpf_timelines {
	_Alignas(64) _Atomic uint32_t head;
	_Alignas(64) _Atomic uint32_t tail;
	struct tlob_timeline found;	/* the consumer's */
	struct record *at;		/* [RECORDS] */
};

int bpf_timelines_alloc(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);
	size_t i;

	if (!b->config->timeline)
		return 0;
	bpf->timelines = aligned_alloc(64, b->cpus->n * sizeof(*bpf->timelines));
	if (!bpf->timelines)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < b->cpus->n; i++)
		bpf->timelines[i] = (struct bpf_timelines){ .at = NULL };
	for (i = 0; i < b->cpus->n; i++) {
		bpf->timelines[i].at = calloc(RECORDS, sizeof(struct record));
		if (!bpf->timelines[i].at)
			return fail(-ENOMEM, "out of memory");
	}
	bpf->ntracks = (unsigned int)b->cpus->list[b->cpus->n - 1] + 1;
	return 0;
}

void bpf_timelines_free(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);
	size_t i;

	for (i = 0; bpf->timelines && i < b->cpus->n; i++)
		free(bpf->timelines[i].at);
	free(bpf->timelines);
	bpf->timelines = NULL;
}

void bpf_timelines_put(struct bpf *bpf, size_t i, int cpu, uint64_t activation)
{
	struct bpf_timelines *q = &bpf->timelines[i];
	uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
	struct record *to = &q->at[head % RECORDS];

	if (head - atomic_load_explicit(&q->tail, memory_order_acquire) == RECORDS)
		return;
	to->activation = activation;
	to->track = bpf->tracks[cpu];
	atomic_store_explicit(&q->head, head + 1, memory_order_release);
}

static void fill(struct tlob_timeline *t, const struct record *from,
		 const struct tlob_window *w)
{
	uint32_t i;

	tlob_track_copy(t, &from->track);
	t->cpu = w->cpu;
	t->activation = from->activation;
	for (i = 0; i < t->spans; i++) {
		unsigned int kind = part_noise(t->span[i].part);

		if (kind < TLOB_NR_NOISE)
			bpf_name_noise(kind, &t->span[i].id, t->span[i].name);
	}
}

/* A timeline is in the ring before the record of its window. */
const struct tlob_timeline *bpf_timelines_find(struct backend_run *b, size_t i,
					       const struct tlob_window *w)
{
	struct bpf_timelines *q = &bpf_of(b)->timelines[i];
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
	uint32_t head = atomic_load_explicit(&q->head, memory_order_acquire);
	const struct tlob_timeline *found = NULL;

	while (tail != head) {
		const struct record *r = &q->at[tail % RECORDS];

		if (r->activation > w->activation)
			break;
		tail++;
		if (r->activation < w->activation)
			continue;
		fill(&q->found, r, w);
		found = &q->found;
		break;
	}
	atomic_store_explicit(&q->tail, tail, memory_order_release);
	return found;
}
