// SPDX-License-Identifier: GPL-2.0
/* Draining records during a run, and the counters and histograms at its end. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/control.h"
#include "result/result.h"
#include "run/collect.h"
#include "run/config.h"
#include "run/status.h"
#include "run/workers.h"
#include "util/error.h"
#include "util/file.h"

#define READ_RECORDS	64
#define HW_BIT		(1U << TLOB_WORK_HW)

int collect_init(struct collector *c, struct result *r,
		 const struct run_config *config, const struct control *control,
		 struct workers *workers)
{
	size_t i;

	*c = (struct collector){
		.r = r, .config = config, .control = control, .workers = workers,
	};
	c->fd = malloc(r->ncpus * sizeof(*c->fd));
	c->calibration = calloc(r->ncpus, sizeof(*c->calibration));
	if (!c->fd || !c->calibration)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < r->ncpus; i++)
		c->fd[i] = -1;
	return 0;
}

void collect_free(struct collector *c)
{
	size_t i;

	for (i = 0; c->fd && i < c->r->ncpus; i++)
		if (c->fd[i] >= 0)
			close(c->fd[i]);
	free(c->fd);
	free(c->calibration);
	*c = (struct collector){ 0 };
}

int collect_open(struct collector *c)
{
	char *path;
	size_t i;
	int err = 0;

	for (i = 0; i < c->r->ncpus && !err; i++) {
		path = control_path(c->control, c->r->cpu[i].cpu, "windows");
		if (!path)
			return fail(-ENOMEM, "out of memory");
		c->fd[i] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (c->fd[i] < 0)
			err = fail(-errno, "%s: %s", path, errno == EBUSY ?
				   "another process reads it" : strerror(errno));
		free(path);
	}
	return err;
}

static void check_stop(struct collector *c, size_t i,
		       const struct tlob_window *w)
{
	unsigned int e;

	if (c->stopped_by)
		return;
	for (e = 0; e < c->config->nstop_on; e++)
		if (condition_window(&c->config->stop_on[e], w)) {
			c->stopped_by = &c->config->stop_on[e];
			c->stopped_cpu = c->r->cpu[i].cpu;
			c->stopped_activation = w->activation;
			return;
		}
}

/* Notes the demand of one of the first windows of fixed work. */
static void calibrate(struct calibration *cal, uint64_t on_cpu)
{
	/* the first window only warms up code and memory */
	if (cal->seen && cal->seen < CALIBRATION_WINDOWS) {
		if (cal->seen == 1 || on_cpu < cal->least)
			cal->least = on_cpu;
		if (on_cpu > cal->most)
			cal->most = on_cpu;
	}
	if (cal->seen < CALIBRATION_WINDOWS)
		cal->seen++;
}

/*
 * The kernel cannot see hardware gaps in a user thread. The thread reports them
 * beside the record, and they move from on_cpu to hw, so the sum stays exact. Only
 * spin work looks for gaps. For other work hw is unavailable, which is not 0.
 */
static void take_window(void *data, size_t i, const struct tlob_window *record,
			uint64_t hw_ns)
{
	struct collector *c = data;
	struct tlob_window w = *record;
	uint64_t *on_cpu = (uint64_t *)&w.part_ns[TLOB_WORK_ON_CPU];

	if (w.flags & TLOB_WINDOW_NONE)
		return;
	if (c->config->work.type != TLOB_WORK_SPIN) {
		w.unavailable |= HW_BIT;
	} else if (c->workers) {
		w.unavailable &= ~HW_BIT;
		if (hw_ns > *on_cpu)
			hw_ns = *on_cpu;
		*on_cpu -= hw_ns;
		w.part_ns[TLOB_WORK_HW] += hw_ns;
	}
	if (c->workers && tlob_work_is_fixed(&c->config->work))
		calibrate(&c->calibration[i], *on_cpu);
	if (!(w.flags & TLOB_WINDOW_WARM_UP) && w.wake_ns > c->wake_max_ns)
		c->wake_max_ns = w.wake_ns;
	result_window(c->r, i, &w, c->workers);
	check_stop(c, i, &w);
}

static int drain_file(struct collector *c, size_t i)
{
	struct tlob_window w[READ_RECORDS];
	ssize_t n, k;

	for (;;) {
		n = read(c->fd[i], w, sizeof(w));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (!n) {	/* the run has ended and all records are read */
			close(c->fd[i]);
			c->fd[i] = -1;
			return 0;
		}
		if (n < 0)
			return fail(-errno, "CPU %d: windows: %s",
				    c->r->cpu[i].cpu, strerror(errno));
		if (n % sizeof(*w) || w->version != TLOB_WINDOW_VERSION)
			return fail(-EPROTO, "CPU %d: records of another version: the module does not match this tool",
				    c->r->cpu[i].cpu);
		for (k = 0; k < n / (ssize_t)sizeof(*w); k++)
			take_window(c, i, &w[k], 0);
	}
}

int collect_drain(struct collector *c)
{
	size_t i;
	int err = 0;

	if (c->workers) {
		workers_drain(c->workers, take_window, c);
		return 0;
	}
	for (i = 0; i < c->r->ncpus && !err; i++)
		if (c->fd[i] >= 0)
			err = drain_file(c, i);
	return err;
}

bool collect_ended(const struct collector *c)
{
	size_t i;

	if (c->workers)
		return !workers_running(c->workers);
	for (i = 0; i < c->r->ncpus; i++)
		if (c->fd[i] >= 0)
			return false;
	return true;
}

bool collect_have(const struct collector *c, uint64_t n)
{
	size_t i;

	for (i = 0; i < c->r->ncpus; i++)
		if (c->r->cpu[i].windows < n)
			return false;
	return true;
}

bool collect_made(const struct collector *c, uint64_t n)
{
	size_t i;

	for (i = 0; i < c->r->ncpus; i++)
		if (c->r->cpu[i].windows + workers_lost(c->workers, i) < n)
			return false;
	return true;
}

/* Replaces the CPU's histograms by the kernel's. */
static int read_hist(struct collector *c, struct result_cpu *cpu, bool running)
{
	char *path = control_path(c->control, cpu->cpu, "hist"), *text;
	int err;

	if (!path)
		return fail(-ENOMEM, "out of memory");
	err = file_read(path, &text);
	if (err) {
		fail(err, "%s: %s", path, strerror(-err));
	} else {
		err = hist_parse(cpu->hist, text, running);
		if (err)
			fail(err, "%s: unknown format: the kernel part does not match this tool",
			     path);
		free(text);
	}
	if (c->config->work.type != TLOB_WORK_SPIN) {
		memset(&cpu->hist[TLOB_METRIC_PARTS + TLOB_WORK_HW], 0,
		       sizeof(*cpu->hist));
		cpu->unavailable |= HW_BIT;
	}
	free(path);
	return err;
}

static int read_status(struct collector *c, struct status *s)
{
	char *text;
	int err;

	*s = (struct status){ 0 };
	err = control_read(c->control, "status", &text);
	if (err)
		return err;
	err = status_parse(s, text);
	return err ? fail(err, "%s/status: unknown format: the kernel part does not match this tool",
			  c->control->dir) : 0;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * The kernel's counters include the warm-up and windows whose record was lost.
 * Counters that come from records only (inexact) miss the lost ones.
 */
static void take_counters(struct collector *c, size_t i,
			  const struct status_cpu *s)
{
	struct result_cpu *cpu = &c->r->cpu[i];

	cpu->lost = c->workers ? workers_lost(c->workers, i) : s->lost;
	cpu->warm_up = s->windows < c->config->warm_up ? s->windows :
						     c->config->warm_up;
	cpu->windows = s->windows - cpu->warm_up;
	cpu->violations = less(s->violations, cpu->warm_up_violations);
	cpu->missed = less(s->missed, cpu->warm_up_missed);
	cpu->aborted = s->aborted;
	cpu->overhead_ns = s->overhead_ns;
	if (s->sum_failures > cpu->sum_failures)
		cpu->sum_failures = s->sum_failures;
	if (cpu->lost) {
		cpu->errors = s->errors;
		cpu->adjusted_ns = s->adjusted_ns;
		cpu->clock_steps = s->clock_steps;
	}
	if (c->workers && c->calibration[i].seen == CALIBRATION_WINDOWS) {
		const struct calibration *cal = &c->calibration[i];

		cpu->demand_ns = cal->least;
		cpu->demand_spread_ns = cal->most - cal->least;
	} else {
		cpu->demand_ns = s->demand_ns;
		cpu->demand_spread_ns = s->demand_spread_ns;
	}
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Refuses a --stop-on whose part is not measured: the run would never stop. */
static int check_measured(const struct collector *c, const struct status *s)
{
	uint32_t unavailable = s->unavailable;
	unsigned int e;

	if (c->config->work.type != TLOB_WORK_SPIN)
		unavailable |= HW_BIT;
	for (e = 0; e < c->config->nstop_on; e++) {
		int part = c->config->stop_on[e].metric - TLOB_METRIC_PARTS;

		if (part < 0 || !(unavailable & 1U << part))
			continue;
		return fail(-EOPNOTSUPP, "--stop-on '%s': not measured here: %s",
			    c->config->stop_on[e].text, part == TLOB_WORK_HW ?
			    "only spin work detects hardware gaps" :
			    s->unavailable_because ? s->unavailable_because :
			    "this kernel lacks the tracepoints");
	}
	return 0;
}

int collect_begin(struct collector *c, const char *source)
{
	struct result *r = c->r;
	struct status s;
	int err;

	err = read_status(c, &s);
	if (!err)
		err = check_measured(c, &s);
	if (!err) {
		r->noise_source = copy(s.noise_source);
		r->unavailable_because = copy(s.unavailable_because);
		if (s.notes)
			err = result_note(r, "noise source: %s", s.notes);
	}
	if (!err && !strcmp(source, "auto") && r->noise_source &&
	    !strcmp(r->noise_source, "hooks"))
		err = result_note(r, "noise source hooks: osnoise events do not arrive on every measured CPU, although the tracer runs");
	if (!err && c->config->work.type != TLOB_WORK_SPIN)
		err = result_note(r, "only spin work measures work.hw");
	status_free(&s);
	return err;
}

int collect_end(struct collector *c)
{
	struct status s;
	int err;

	err = read_status(c, &s);
	if (!err && s.max_difference_ns)
		err = result_note(c->r, "largest difference between osnoise and hooks in one window, ns: %s",
				  s.max_difference_ns);
	status_free(&s);
	return err;
}

int collect_finish(struct collector *c)
{
	const struct status_cpu *cpu;
	struct status s;
	unsigned int m;
	size_t i;
	int err;

	err = read_status(c, &s);
	for (i = 0; i < c->r->ncpus && !err; i++) {
		cpu = status_find(&s, c->r->cpu[i].cpu);
		if (!cpu) {
			err = fail(-EPROTO, "%s/status: CPU %d is missing",
				   c->control->dir, c->r->cpu[i].cpu);
			break;
		}
		take_counters(c, i, cpu);
		c->r->cpu[i].unavailable |= s.unavailable;
		if (!c->workers)
			err = read_hist(c, &c->r->cpu[i], false);
	}
	status_free(&s);
	if (!err)
		result_sum(c->r);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		samples_sort(&c->r->exact[m]);
	return err;
}

int collect_snapshot(struct collector *c)
{
	size_t i;
	int err = 0;

	for (i = 0; i < c->r->ncpus && !c->workers && !err; i++)
		err = read_hist(c, &c->r->cpu[i], true);
	for (i = 0; i < c->r->ncpus && c->workers; i++)
		c->r->cpu[i].lost = workers_lost(c->workers, i);
	if (!err)
		result_sum(c->r);
	return err;
}
