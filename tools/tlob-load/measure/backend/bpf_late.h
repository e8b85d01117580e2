/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Late windows and the stacks that were taken in them, from a measuring thread to the main thread.
 */
#ifndef TLOB_BACKEND_BPF_LATE_H
#define TLOB_BACKEND_BPF_LATE_H

#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"
#include "backend/bpf_ring.h"

struct bpf_late {
	struct bpf_ring *ring;		/* [ncpus], or NULL */
	size_t	 ncpus;
};

/* 0 or -ENOMEM, printed. */
int  bpf_late_begin(struct bpf_late *l, size_t ncpus);
void bpf_late_end(struct bpf_late *l);

/* The thread, after t3: @stacks of @w, those whose bit is in @looked. A full ring drops it. */
void bpf_late_put(struct bpf_late *l, size_t i, const struct tlob_window *w,
		  const struct tlob_late *stacks, uint32_t looked);

/* For backend.late. */
bool bpf_late_next(struct bpf_late *l, size_t i, struct late_window *to);

#endif /* TLOB_BACKEND_BPF_LATE_H */
