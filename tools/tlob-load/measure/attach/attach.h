/* SPDX-License-Identifier: GPL-2.0 */
/* What `tlob-load attach` has while it measures. */
#ifndef TLOB_ATTACH_ATTACH_H
#define TLOB_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "attach/mappings.h"
#include "attach/bind_region.h"
#include "attach/task_ring.h"
#include "attach/threads.h"
#include "attach/watch_bpf.h"
#include "backend/late_names.h"
#include "machine/actions.h"
#include "machine/clocks.h"
#include "machine/control.h"
#include "machine/go_programs.h"
#include "machine/knobs.h"
#include "machine/limits.h"
#include "machine/target.h"
#include "options/attach_config.h"
#include "report/progress.h"
#include "result/attached.h"
#include "util/file.h"
#include "waits/of_windows.h"

/* The files that are written. */
enum {
	OUT_JSON, OUT_HTML, OUT_WINDOWS, OUT_MAPPINGS, OUT_JUNIT, OUT_KTAP, OUT_MARKDOWN,
	NR_OUTPUTS
};

struct attach {
	struct attach_config o;
	struct target target;
	char	*named;			/* the file in --output-dir, or NULL */
	struct knobs knobs;
	struct control control;
	struct region region;
	struct threads threads;		/* instead of a region; o NULL: a region */
	struct go_programs go;		/* among their processes */
	const struct watch_bpf_calls *bpf; /* what watches either; NULL: the module */
	struct watch_bpf_run *bpf_run;	/* for it */
	struct watch_bpf_counts counts;	/* what it has missed */
	int	 process;		/* that runs already; 0: none */
	uint64_t next_scan_ns;		/* since the start */
	bool	 many;			/* so many records came that the next come soon */
	struct task_ring ring;
	struct late_names names;	/* of the kernel's functions, for threads */
	struct attach_profile profile;	/* --waits */
	struct attach_functions functions; /* --functions */
	struct mappings mappings;	/* --mappings */
	struct output out[NR_OUTPUTS];
	struct progress progress;
	struct actions actions;		/* --on-violation */
	struct result r;
	FILE	*text;			/* for lines and the summary */
	bool	 spoke;			/* a line was printed */
	int	 wait_error;		/* of --waits or an action, printed; 0: none */
	bool	 stop;			/* --on-violation stop: one came */
	struct boot_ahead boot_ahead;	/* when it began */
	struct cpu_limits limits;	/* on the process, the same */
	uint64_t next_check_ns;		/* of the binding; since the start */
};

/* Returns whether threads are watched, not a region. */
static inline bool attach_of_threads(const struct attach *a)
{
	return threads_are_chosen(&a->o);
}

/*
 * prepare.c: checks the whole command line before it changes the system, then begins to watch.
 * 0 or -errno, printed.
 */
int attach_prepare(struct attach *a, int argc, char **argv);

#endif /* TLOB_ATTACH_ATTACH_H */
