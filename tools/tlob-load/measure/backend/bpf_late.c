// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "backend/bpf_late.h"
#include "util/error.h"

/* The main thread takes them each 50 ms. */
#define LATE_RECORDS	128U

struct record {
	uint64_t activation;
	struct tlob_window w;
	struct tlob_late stacks;
};

int bpf_late_begin(struct bpf_late *l, size_t ncpus)
{
	l->ncpus = ncpus;
	l->ring = bpf_rings_new(ncpus, sizeof(struct record), LATE_RECORDS);
	if (!l->ring)
		return fail(-ENOMEM, "out of memory");
	return late_names_begin(&l->names);
}

void bpf_late_end(struct bpf_late *l)
{
	bpf_rings_free(l->ring, l->ncpus);
	l->ring = NULL;
	late_names_end(&l->names);
}

void bpf_late_put(struct bpf_late *l, size_t i, const struct tlob_window *w,
		  const struct tlob_late *stacks, uint32_t looked)
{
	struct record *to = bpf_ring_room(&l->ring[i]);

	if (!to)
		return;
	to->activation = w->activation;
	to->w = *w;
	to->stacks = *stacks;
	late_names_looked(&to->stacks, looked);
	bpf_ring_put(&l->ring[i]);
}

int bpf_late_next(struct bpf_late *l, struct backend_run *b, size_t i, const struct tlob_window *w,
		   uint64_t usual_ns, struct late_window *to)
{
	const struct record *r = w ? bpf_ring_find(&l->ring[i], w->activation) :
				     bpf_ring_next(&l->ring[i]);
	int err;

	if (!r)
		return 0;
	err = late_names_find(&l->names, b, &r->w, &r->stacks, usual_ns, to);
	if (err)
		return err;
	if (!w)
		bpf_ring_taken(&l->ring[i]);
	return 1;
}
