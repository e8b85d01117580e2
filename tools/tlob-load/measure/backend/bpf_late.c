// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "backend/bpf_late.h"
#include "backend/late_names.h"
#include "util/error.h"

/* The main thread takes them each 50 ms. */
#define LATE_RECORDS	128U

int bpf_late_begin(struct bpf_late *l, size_t ncpus)
{
	l->ncpus = ncpus;
	l->ring = bpf_rings_new(ncpus, sizeof(struct late_window), LATE_RECORDS);
	return l->ring ? 0 : fail(-ENOMEM, "out of memory");
}

void bpf_late_end(struct bpf_late *l)
{
	bpf_rings_free(l->ring, l->ncpus);
	l->ring = NULL;
}

void bpf_late_put(struct bpf_late *l, size_t i, const struct tlob_window *w,
		  const struct tlob_late *stacks, uint32_t looked)
{
	struct late_window *to = bpf_ring_room(&l->ring[i]);

	if (!to)
		return;
	to->w = *w;
	to->stacks = *stacks;
	late_names_looked(&to->stacks, looked);
	bpf_ring_put(&l->ring[i]);
}

bool bpf_late_next(struct bpf_late *l, size_t i, struct late_window *to)
{
	const struct late_window *late = bpf_ring_next(&l->ring[i]);

	if (!late)
		return false;
	*to = *late;
	bpf_ring_taken(&l->ring[i]);
	return true;
}
