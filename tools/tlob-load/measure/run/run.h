/* SPDX-License-Identifier: GPL-2.0 */
/* A run, from the options to the exit code: cmd_run.c conducts it, measure.c has its loop. */
#ifndef TLOB_RUN_RUN_H
#define TLOB_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/backend.h"
#include "doctor/run.h"
#include "functions/expand.h"
#include "machine/actions.h"
#include "machine/cgroup.h"
#include "machine/clocks.h"
#include "machine/control.h"
#include "machine/cpus.h"
#include "machine/knobs.h"
#include "machine/limits.h"
#include "options/run_config.h"
#include "report/progress.h"
#include "result/result.h"
#include "run/tune_loads.h"
#include "run/collect.h"
#include "run/phases.h"
#include "run/run_outputs.h"
#include "run/sample_out.h"
#include "run/workers.h"
#include "waits/of_windows.h"

struct run {
	struct run_config o;
	struct run_outputs outputs;
	struct knobs knobs;
	struct cpus cpus;
	struct cgroup cgroup;
	struct tune_loads tune_loads;
	struct backend_run backend;
	struct workers workers;
	struct collector collector;
	struct progress progress;
	struct result r;
	struct doctor *doctor;
	struct attach_profile profile;	/* of --waits */
	struct control control;		/* the same */
	struct phases phases;		/* of --work @FILE */
	struct traced_sets traced;	/* of --functions */
	struct actions actions;		/* of --on-violation */
	struct sample_out samples;
	char	*named;			/* the file in --output-dir, or NULL */
	int	dma_latency;		/* fd; -1 */
	bool	on_screen;		/* tlob-load top */
	bool	started;		/* the backend measures */
	bool	begun;			/* it measures as requested */
	bool	armed;			/* the backend stops at a violation */
	struct boot_ahead boot_ahead;	/* when it started */
	struct cpu_limits limits;	/* the same */
	uint64_t start_ns;		/* all threads may begin: --duration counts from here */
	uint64_t next_check_ns;		/* of what else may end the run; since the start */
	uint64_t next_checkpoint_ns;	/* since the start; UINT64_MAX: none */
};

/*
 * Asks the backend to stop the run, and to freeze the trace, at a violation. It must
 * wait for the end of the warm-up, whose violations would also stop the run.
 */
int run_arm(struct run *run);

/* Reads what limits on CPU time did since the start. 0 or -ENOMEM, printed. */
int run_limits(struct run *run);

/*
 * Starts the backend and takes records until the run is over. 0; -ECANCELED: another process, a CPU
 * going offline or a suspend cut it short; another -errno. Printed.
 */
int run_measure(struct run *run);

#endif /* TLOB_RUN_RUN_H */
