/* SPDX-License-Identifier: GPL-2.0 */
/* The backend of the module, shared by tlob.c, tlob_thread.c and tlob_kthread.c. */
#ifndef TLOB_BACKEND_TLOB_H
#define TLOB_BACKEND_TLOB_H

#include "backend/backend.h"
#include "backend/trace.h"
#include "machine/control.h"
#include "machine/osnoise.h"

struct run_config;

struct tlob {
	struct control control;
	struct trace trace;
	const char *source;		/* of noise, as written to the kernel */
	struct osnoise_watch osnoise;
	bool	 enabled;		/* by us */
	int	*fd;			/* `windows` of kernel threads; -1: ended */
	struct tlob_rings *timelines;	/* or NULL: tlob_kthread.c */
	struct tlob_rings *waits;	/* the same */
	struct tlob_rings *functions;	/* or NULL: tlob_functions.c */
	int	 functions_owner;	/* of our sets: functions_own(); -1: none */
	struct tlob_rings *late;	/* windows: tlob_kthread.c */
};

static inline struct tlob *tlob_of(const struct backend_run *b)
{
	return b->data;
}

extern const struct backend_kthread tlob_kthread;
void tlob_kthread_close(struct backend_run *b);

/*
 * Clears a run that has stopped by itself. 0; -EBUSY: another run is in progress;
 * -errno. Printed.
 */
int configure_check_idle(const struct control *c);

/*
 * Writes every setting except `enable`; stop_on_exceed becomes 0. @cpus is a CPU
 * list, @noise_source the choice of osnoise_begin(). 0 or -errno, printed.
 */
int configure(const struct control *c, const struct run_config *config,
	      const char *cpus, const char *noise_source);

const struct tlob_timeline *tlob_timelines_find(struct backend_run *b, size_t i,
						const struct tlob_window *w);

/* The same of longest waits. Before start: switches the profiler on. 0 or -errno, printed. */
int  tlob_waits_on(struct backend_run *b);
const struct tlob_window_wait *tlob_waits_find(struct backend_run *b, size_t i,
					       const struct tlob_window *w);

/* backend.late: per_cpu/cpuN/late_windows. */
bool tlob_late_next(struct backend_run *b, size_t i, struct late_window *to);

/*
 * Writes the sets of config->traced to the control file, which has none otherwise, also
 * after tlob_functions_close(). 0 or -errno, printed.
 */
int  tlob_functions_configure(struct backend_run *b);
/* After start. 0 or -errno, printed. */
int  tlob_functions_open(struct backend_run *b);
void tlob_functions_close(struct backend_run *b);
const struct tlob_functions *tlob_functions_find(struct backend_run *b, size_t i,
						 const struct tlob_window *w);
int  tlob_functions_read(struct backend_run *b, struct function_sets *sets);

struct function_sets;
struct traced_sets;

/*
 * Replaces all sets by the sets of @traced. Returns a file that owns them, or -errno, printed.
 * The kernel part removes them when it is closed, also when this process is killed.
 */
int  functions_own(const struct control *c, const struct traced_sets *traced);

/* Reads the kernel part's counts for the sets. 0 or -errno, printed. */
int  functions_read(const struct control *c, struct function_sets *sets);

int  tlob_thread_open(struct backend_thread *t);
int  tlob_thread_next(struct backend_thread *t, struct tlob_window *w);
int  tlob_thread_last(struct backend_thread *t, struct tlob_window *w);
void tlob_thread_close(struct backend_thread *t);

#endif /* TLOB_BACKEND_TLOB_H */
