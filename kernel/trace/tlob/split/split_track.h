/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The timeline of a window: which part each span of it was charged to, in the
 * order of time. split_cursor.h includes this.
 *
 * A split with a track has no plain case, so every charge comes here: the spans
 * of a part add up to the part by construction. A split without one pays
 * nothing, because the functions of the plain case test `slow` anyhow.
 *
 * The track is a circle of the last TLOB_TIMELINE_SPANS spans. Nothing reads it
 * before t3, when no hook writes it any more.
 */
#ifndef _TLOB_SPLIT_TRACK_H
#define _TLOB_SPLIT_TRACK_H

#ifdef __bpf__
#define TLOB_TRACK_FUNCTION	TLOB_BPF_GLOBAL
#else
#define TLOB_TRACK_FUNCTION	static TLOB_NOINLINE
#endif

/* Starts an empty timeline in the cursor that was just armed. */
static inline void tlob_split_set_track(struct tlob_split *s,
					struct tlob_track *track)
{
	track->start_ns = 0;
	track->count = 0;
	memset(track->comm, 0, sizeof(track->comm));
	s->track = track;
	s->slow |= TLOB_SLOW_TRACK;
}

/*
 * The task with the name @comm, of TLOB_NAME_LEN bytes, runs from here on. Call
 * it also at t1: switches before that need no clock and are not seen here. BPF
 * programs want @comm aligned to 8.
 */
static inline void tlob_track_task(struct tlob_track *track, const char *comm)
{
#ifdef TLOB_SPLIT_BPF
	comm = __builtin_assume_aligned(comm, 8);
#endif
	memcpy(track->comm, comm, TLOB_NAME_LEN);
}

static inline bool tlob_part_is(__u8 part, enum tlob_part wake,
				enum tlob_part work)
{
	return part == wake || part == work;
}

static inline struct tlob_span *tlob_track_at(struct tlob_track *track, __u32 i)
{
	return &TLOB_SPLIT_AT(track->span, i % TLOB_TIMELINE_SPANS);
}

static inline bool tlob_track_same(const struct tlob_span *a,
				   const struct tlob_span *b)
{
	__u64 x[TLOB_NAME_LEN / 8], y[TLOB_NAME_LEN / 8];

	/* BPF programs have no memcmp() */
	memcpy(x, a->name, sizeof(x));
	memcpy(y, b->name, sizeof(y));
	return a->part == b->part && a->id == b->id && x[0] == y[0] && x[1] == y[1];
}

static inline void tlob_track_add(struct tlob_track *track,
				  const struct tlob_span *span)
{
	struct tlob_span *last = tlob_track_at(track, track->count - 1);
	struct tlob_span *to = tlob_track_at(track, track->count);

	/* a boundary without a change, such as the check of the budget */
	if (track->count && tlob_track_same(last, span)) {
		last->end_ns = span->end_ns;
		return;
	}
	if (track->count >= TLOB_TIMELINE_SPANS)
		track->start_ns = to->end_ns;
	*to = *span;
	track->count++;
}

/* Copies a name that ends with NUL and may be NULL. */
static inline void tlob_track_name(struct tlob_span *span, const char *name)
{
	unsigned int i;

	for (i = 0; name && i < TLOB_NAME_LEN - 1 && name[i]; i++)
		span->name[i] = name[i];
}

/*
 * The cursor has moved to s->last and charged @ns to s->cause, after that
 * @nmi_ns to the nmis of the phase, and then @stolen to the hypervisor.
 */
TLOB_TRACK_FUNCTION int tlob_track_charge(struct tlob_track *track,
					  const struct tlob_split *s,
					  __u64 ns, __u64 nmi_ns, __u64 stolen)
{
	struct tlob_span span = { .name = "" };

	/* a global function may get NULL, thinks the verifier */
	if (!track || !s)
		return 0;
	span.part = s->cause;
	if (ns) {
		span.end_ns = s->last - s->t0 - nmi_ns - stolen;
		if (s->depth) {
			const struct tlob_level *l = &TLOB_SPLIT_AT(s->level, s->depth - 1);

			span.id = l->id;
			tlob_track_name(&span, TLOB_SPLIT_NAME(l->name));
		} else if (tlob_part_is(s->cause, TLOB_WAKE_THREAD, TLOB_WORK_THREAD)) {
			span.id = s->cur;
			memcpy(span.name, track->comm, TLOB_NAME_LEN);
		}
		tlob_track_add(track, &span);
	}
	if (nmi_ns) {
		span = (struct tlob_span){
			.end_ns = s->last - s->t0 - stolen, .name = "nmi",
			.part = tlob_split_part(s, TLOB_NOISE_NMI),
		};
		tlob_track_add(track, &span);
	}
	if (stolen) {
		span = (struct tlob_span){
			.end_ns = s->last - s->t0,
			.part = tlob_split_in_work(s) ? TLOB_WORK_STEAL : TLOB_WAKE_STEAL,
		};
		tlob_track_add(track, &span);
	}
	return 0;
}

/* Copies the track of the window that has ended, in order. */
static inline void tlob_track_copy(struct tlob_timeline *to,
				   const struct tlob_track *track)
{
	__u32 n = track->count, first = 0, i;

	if (n > TLOB_TIMELINE_SPANS) {
		first = n - TLOB_TIMELINE_SPANS;
		n = TLOB_TIMELINE_SPANS;
	}
	to->version = TLOB_TIMELINE_VERSION;
	to->size = sizeof(*to);
	to->start_ns = track->start_ns;
	to->spans = n;
	to->not_kept = first;
	for (i = 0; i < n; i++)
		to->span[i] = track->span[(first + i) % TLOB_TIMELINE_SPANS];
}

#endif /* _TLOB_SPLIT_TRACK_H */
