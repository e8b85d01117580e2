/* SPDX-License-Identifier: GPL-2.0 */
/* The backend of BPF programs, shared by bpf*.c. */
#ifndef TLOB_BACKEND_BPF_H
#define TLOB_BACKEND_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/trace.h"
#include "backend/backend.h"
#include "backend/bpf/with.h"
#include "backend/bpf_late.h"
#include "machine/bpf_irqs.h"

struct bpf_functions;
struct bpf_object;
struct bpf_ring;
struct bpf_watch;
struct function_sets;
struct grid_counts;
struct tlob_calls;
struct tlob_cell;

struct bpf {
	/* bpf_object.c */
	struct bpf_object *object;
	struct bpf_link **link;
	size_t	 nlink;
	struct tlob_cell *cells;	/* mapped; NULL: not */
	struct tlob_late *stacks;	/* likewise, one for each CPU */
	unsigned int nstacks;
	struct bpf_late late;
	struct tlob_track *tracks;	/* likewise, one for each CPU */
	unsigned int ntracks;		/* set before it is opened; 0: no timelines */
	struct tlob_calls *calls;	/* likewise, for functions */
	unsigned int ncalls;
	struct tlob_cell_with with;
	int	 ask_fd;		/* of the program that reads the steal clock */
	struct bpf_irqs irqs;
	uint32_t unavailable;		/* 1 << enum tlob_part */
	/* bpf.c */
	uint64_t grid_start;		/* of the first CPU, by the hooks' clock */
	uint64_t misses;		/* before the run */
	struct grid_counts *counts;	/* [ncpus] */
	struct bpf_ring *timelines;	/* [ncpus], or NULL: bpf_thread.c */
	struct tlob_timeline *timeline;	/* the one that was found last */
	struct bpf_functions *functions; /* NULL: none */
	struct trace trace;		/* no instance: the violations only */
	struct bpf_watch *watch;	/* NULL: no violation is reported before its end */
};

static inline struct bpf *bpf_of(const struct backend_run *b)
{
	return b->data;
}

#define BPF_OPENING	"loading the BPF programs"

/* bpf_object.c: loading, attaching. All return 0 or -errno, printed if not said. */

int  bpf_object_open(struct bpf *bpf);
void bpf_object_close(struct bpf *bpf);

/*
 * The cell of @cpu gets the pid and the stack of the calling thread, and in t1 the
 * hooks' clock. @watcher: only its stack, as the watcher's. Prints nothing.
 */
int  bpf_object_introduce(struct bpf *bpf, int cpu, bool watcher);

/* In the measuring thread: its cell gets in steal_asked how far the steal clock is. */
void bpf_object_ask_steal(const struct bpf *bpf);

/* Calls of programs that were lost since they were loaded. */
uint64_t bpf_object_misses(const struct bpf *bpf);

/* bpf_names.c: names of irqs and softirqs, by number; "" if unknown. */
int  bpf_names_read(void);
void bpf_names_free(void);
/* The id and the name of an interruption of @kind, as the module gives them. */
void bpf_name_noise(unsigned int kind, int32_t *id, char name[TLOB_NAME_LEN]);

/* bpf_watch.c: who reports a violation at the moment when it is one, for --trace. */
int  bpf_watch_start(struct backend_run *b);
/* In a measuring thread, before it arms: its watcher waits for @deadline, in hooks' ns. */
void bpf_watch_window(struct backend_thread *t, uint64_t deadline);
int  bpf_watch_save(struct backend_run *b, FILE *out);
/* 0 or -errno, printed. A CPU that could not be watched is a note. */
int  bpf_watch_stop(struct backend_run *b);
void bpf_watch_free(struct backend_run *b);

/* bpf_thread.c, timelines: from a measuring thread to the main thread. 0 or -ENOMEM, printed. */
int  bpf_timelines_alloc(struct backend_run *b);
void bpf_timelines_free(struct backend_run *b);
const struct tlob_timeline *bpf_timelines_find(struct backend_run *b, size_t i,
					       const struct tlob_window *w);

/*
 * bpf_functions.c: --functions. check() is for before bpf_object_open(), open() for after
 * it, and after bpf_clock_offset is known. put() is the measuring thread's, after t3.
 */
int  bpf_functions_check(struct backend_run *b);
int  bpf_functions_open(struct backend_run *b);
void bpf_functions_put(struct bpf *bpf, size_t i, int cpu, uint64_t activation);
const struct tlob_functions *bpf_functions_find(struct backend_run *b, size_t i,
						const struct tlob_window *w);
int  bpf_functions_read(struct backend_run *b, struct function_sets *sets);
/* The probes are gone: what is open does not return. */
void bpf_functions_detach(struct bpf *bpf);
void bpf_functions_close(struct backend_run *b);

/* bpf_thread.c */
int  bpf_thread_open(struct backend_thread *t);
int  bpf_thread_next(struct backend_thread *t, struct tlob_window *w);
int  bpf_thread_last(struct backend_thread *t, struct tlob_window *w);
void bpf_thread_close(struct backend_thread *t);

#endif /* TLOB_BACKEND_BPF_H */
