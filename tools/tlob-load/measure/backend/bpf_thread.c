// SPDX-License-Identifier: GPL-2.0
/*
 * A window whose split BPF programs make. The thread sleeps on the grid; bpf/cell.h
 * has what it shares with the programs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/bpf.h"
#include "backend/bpf/shared.h"
#include "backend/bpf_ring.h"
#include "backend/grid.h"
#include "functions/expand.h"
#include "machine/cpus.h"
#include "options/run_config.h"
#include "parts.h"
#include "result/timeline.h"
#include "util/error.h"

/* A thread runs so long without a hook only if its work takes that, or if it was stopped. */
#define UNSEEN_NS	200000

uint64_t bpf_clock_offset;

/* The programs of this process; NULL: there is no steal clock. */
static const struct bpf *steal_from;

__u64 bpf_steal_ask(const struct tlob_cell *c)
{
	__u64 last = c->begun ? tlob_cell_later(c->t2, c->split.last) : c->split.last;

	if (!steal_from || !c->steal_at || tlob_cell_clock() - last < UNSEEN_NS)
		return c->steal;
	bpf_object_ask_steal(steal_from);
	return TLOB_CELL_ONCE(c->steal_asked);
}

struct bpf_thread {
	struct grid_thread grid;	/* by the hooks' clock */
	struct tlob_cell *cell;
	struct tlob_late_limit limit;
};

static void give_limit(const struct bpf_thread *own)
{
	own->cell->late_ns = own->limit.late_ns;
	own->cell->over_ns = own->limit.over_ns;
}

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
		return fail(err, "CPU %d: cannot give its thread to the BPF programs: %s",
			    t->cpu, strerror(-err));
	own->cell = &bpf->cells[t->cpu];
	own->cell->migrated = 0;
	tlob_late_begin(&own->limit, t->run->config->budget_ns);
	give_limit(own);
	own->cell->steal_asked = own->cell->steal;
	steal_from = (bpf->unavailable & TLOB_STEAL_PARTS) ? NULL : bpf;
	if (!own->cell->steal_at && steal_from)
		return fail(-EPROTO, "CPU %d: the hypervisor reports no steal time for this CPU, although it does for others",
			    t->cpu);
	own->cell->track = bpf->ntracks ? &bpf->tracks[t->cpu] : NULL;
	own->cell->sets = bpf->ncalls ? (uint32_t)t->run->config->traced->n : 0;
	own->cell->calls = bpf->ncalls ? &bpf->calls[t->cpu] : NULL;
	t->interference = (const volatile uint64_t *)&own->cell->interference;
	return 0;
}

/*
 * Timelines of the backend `bpf`. The programs fill the track of a CPU, which is mapped.
 * After t3 the measuring thread copies it to its ring.
 */
struct record {
	uint64_t activation;
	struct tlob_track track;
};

/* The track of CPU @cpu, with index @i, is whole. */
static void put_timeline(struct bpf *bpf, size_t i, int cpu, uint64_t activation)
{
	struct record *to = bpf_ring_room(&bpf->timelines[i]);

	if (!to)
		return;
	to->activation = activation;
	to->track = bpf->tracks[cpu];
	bpf_ring_put(&bpf->timelines[i]);
}

static bool adds_up(const struct tlob_window *w)
{
	return tlob_split_sum(w->part_ns, false) == w->wake_ns &&
	       tlob_split_sum(w->part_ns, true) == w->response_ns - w->wake_ns;
}

/* @w was late, by its wake-up, or belongs to the warm-up. */
static void end_late(struct backend_thread *t, const struct tlob_window *w)
{
	struct bpf_thread *own = t->data;
	struct bpf *bpf = bpf_of(t->run);

	tlob_late_learn(&own->limit, w);
	give_limit(own);
	if (own->cell->looked & ~TLOB_LATE_LOOK && !(w->flags & TLOB_WINDOW_WARM_UP))
		bpf_late_put(&bpf->late, t->index, w, &bpf->stacks[t->cpu], own->cell->looked);
}

/* Takes t3 first. Then fills the record. */
static void end_window(struct backend_thread *t, struct tlob_window *w, uint32_t flags)
{
	struct bpf_thread *own = t->data;
	struct tlob_cell *c = own->cell;
	uint64_t t3 = tlob_cell_end(c);
	const struct tlob_split *s = &c->split;

	*w = (struct tlob_window){
		.flags = flags | (s->throttled ? TLOB_WINDOW_THROTTLED : 0) |
			 (c->met_user ? TLOB_WINDOW_USER : 0),
		.irq_latency_ns = tlob_cell_irq_latency(c),
		.wake_ns = c->t2 - own->grid.t0,
		.unavailable = bpf_of(t->run)->unavailable,
		.largest = s->largest,
		.delayed_by_pid = c->delayed_by_pid,
		.adjusted_ns = s->adjusted,
		.clock_steps = s->steps,
		.errors = s->errors,
	};
	_Static_assert(sizeof(s->part) > sizeof(w->part_ns), "BPF has room for each part, and for time outside");
	memcpy(w->part_ns, s->part, sizeof(w->part_ns));
	memcpy(w->wake_count, s->count[0], sizeof(w->wake_count));
	memcpy(w->work_count, s->count[1], sizeof(w->work_count));
	memcpy(w->delayed_by, c->delayed_by, sizeof(w->delayed_by));
	if (w->largest.ns)
		bpf_name_noise(w->largest.kind, &w->largest.id, w->largest.name);
	grid_thread_record(&own->grid, t, w, t3);
	if (c->track)
		put_timeline(bpf_of(t->run), t->index, t->cpu, w->activation);
	if (c->calls)
		bpf_functions_put(bpf_of(t->run), t->index, t->cpu, w->activation);
	if (w->wake_ns > c->late_ns || w->flags & TLOB_WINDOW_WARM_UP)
		end_late(t, w);
	grid_count(&own->grid.counts->sum_failures, !adds_up(w));
}

static bool has_left(const struct bpf_thread *own)
{
	return TLOB_CELL_ONCE(own->cell->migrated) || grid_thread_has_left(&own->grid);
}

/* The window cannot be identified any more. */
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
	if (own->grid.in_window) {
		end_window(t, w, 0);
		grid_thread_ended(t, w);
	}
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

int bpf_timelines_alloc(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);

	if (!b->config->timeline)
		return 0;
	bpf->timeline = calloc(1, sizeof(*bpf->timeline));
	bpf->timelines = bpf_rings_new(b->cpus->n, sizeof(struct record), BPF_RING_RECORDS);
	if (!bpf->timeline || !bpf->timelines)
		return fail(-ENOMEM, "out of memory");
	bpf->ntracks = (unsigned int)b->cpus->list[b->cpus->n - 1] + 1;
	return 0;
}

void bpf_timelines_free(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);

	bpf_rings_free(bpf->timelines, b->cpus->n);
	bpf->timelines = NULL;
	free(bpf->timeline);
	bpf->timeline = NULL;
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
	struct bpf *bpf = bpf_of(b);
	const struct record *r = bpf_ring_find(&bpf->timelines[i], w->activation);

	if (!r)
		return NULL;
	fill(bpf->timeline, r, w);
	return bpf->timeline;
}
