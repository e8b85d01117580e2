/* SPDX-License-Identifier: GPL-2.0 */
/* What --dump-tasks has seen, from the violation until the main thread reads its window. */
#ifndef TLOB_BACKEND_BPF_DUMPS_H
#define TLOB_BACKEND_BPF_DUMPS_H

#include <stddef.h>

#include <linux/tlob.h>
#include "result/kept.h"
#include "util/ksyms.h"

struct bpf_ring;
struct tlob_cell_tasks;

struct bpf_dumps {
	struct bpf_ring *ring;		/* [ncpus], or NULL */
	size_t	 ncpus;
	struct ksyms ksyms;		/* empty if the addresses are hidden */
};

/* 0 or -errno, printed. */
int  bpf_dumps_begin(struct bpf_dumps *d, size_t ncpus);
void bpf_dumps_end(struct bpf_dumps *d);

/* Those of a violation on the CPU with index @i; in order. A full ring drops them. */
void bpf_dumps_put(struct bpf_dumps *d, size_t i, const struct tlob_cell_tasks *tasks);

/* The tasks at violation @w on @cpu, with index @i; in order. Their number; 0: none are known. */
size_t bpf_dumps_find(struct bpf_dumps *d, size_t i, int cpu, const struct tlob_window *w,
		      struct window_task to[WINDOW_TASKS]);

#endif /* TLOB_BACKEND_BPF_DUMPS_H */
