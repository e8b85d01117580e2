// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "blocked/names.h"
#include "read/attach.h"
#include "read/findings.h"
#include "read/functions.h"
#include "read/read.h"
#include "read/wait.h"
#include "read/window.h"
#include "util/error.h"
#include "util/file.h"
#include "util/printable.h"

#define ATTACH_VERSION	1

static void read_place(struct reader *rd, struct json_object *parent, const char *key,
		       struct attach_place *p)
{
	struct json_object *o = reader_object(rd, parent, key), *others;
	size_t place = reader_enter(rd, key, -1), i, n;

	p->text = read_text(rd, o, "place", false);
	p->at = (struct tlob_places){ 1, { reader_u64(rd, o, "offset") } };
	if (reader_find(o, "other_offsets")) {
		others = reader_list(rd, o, "other_offsets", TLOB_BINDING_PLACES - 1);
		n = others ? json_object_array_length(others) : 0;
		for (i = 0; i < n; i++)
			p->at.at[p->at.nr++] = reader_u64_at(rd, others, i);
	}
	reader_leave(rd, place);
}

/* As wait() would tell: the exit status, or the signal. */
static int read_status(struct reader *rd, struct json_object *o)
{
	uint64_t code = reader_known(rd, o, "exit_status");
	uint64_t sig = reader_known(rd, o, "signal");

	if (code > 255 || sig > 127)
		reader_fail(rd, "exit_status", "or signal is not one of a process");
	return (int)(code << 8 | sig);
}

static void read_process(struct reader *rd, struct json_object *parent,
			 struct attach_result *r)
{
	struct json_object *o = reader_object(rd, parent, "process");
	size_t place = reader_enter(rd, "process", -1);

	r->pid = reader_int(rd, o, "pid", 0, INT_MAX);
	r->program = read_text(rd, o, "program", false);
	r->started_it = reader_bool(rd, o, "started");
	r->ended = reader_bool(rd, o, "ended");
	r->status = read_status(rd, o);
	reader_leave(rd, place);
}

static void read_circumstances(struct reader *rd, struct json_object *o,
			       struct attach_result *r)
{
	struct json_object *waits;

	r->started = read_time(rd, o, "started");
	r->duration_ns = reader_u64(rd, o, "duration_ns");
	r->command = read_text(rd, o, "command", false);
	r->kernel = read_text(rd, o, "kernel", false);
	r->machine = read_text(rd, o, "machine", false);
	r->deterministic = reader_bool(rd, o, "deterministic");
	r->file = read_text(rd, o, "file", false);
	r->debug_file = read_text(rd, o, "debug_file", true);
	read_place(rd, o, "start", &r->start);
	read_place(rd, o, "stop", &r->stop);
	r->budget_ns = reader_u64(rd, o, "budget_ns");
	read_process(rd, o, r);
	r->all = reader_bool(rd, o, "all");
	r->waits.measured = o && json_object_object_get_ex(o, "waits", &waits) &&
			    reader_bool(rd, o, "waits");
	r->functions = read_function_sets(rd, o);
	if (r->functions)
		r->functions->of_tasks = true;
	r->began_ns = reader_u64(rd, o, "began_ns");
	if (reader_find(o, "clock_resolution_ns"))
		r->clock_resolution_ns = reader_u64(rd, o, "clock_resolution_ns");
	r->stopped_by = read_text(rd, o, "stopped_by", true);
	read_notes(rd, o, &r->notes);
}

static void read_counters(struct reader *rd, struct json_object *o, struct attach_result *r)
{
	size_t i;

	for (i = 0; i < attach_counters.n; i++) {
		const struct counter *c = &attach_counters.at[i];

		if (!(c->flags & COUNTER_NEW) || reader_find(o, c->name))
			counter_set(c, r, reader_u64(rd, o, c->name));
	}
	r->nother = reader_u64(rd, o, "other_processes");
	if (r->nother > ATTACH_OTHERS)
		reader_fail(rd, "other_processes", "more than %d", ATTACH_OTHERS);
}

static uint32_t read_unavailable_parts(struct reader *rd, struct json_object *o)
{
	return read_mask(rd, o, "unavailable", attach_part_names, TLOB_NR_TASK_PARTS);
}

static void read_hists(struct reader *rd, struct json_object *parent,
		       struct attach_result *r)
{
	struct json_object *o = reader_object(rd, parent, "hist");
	size_t place = reader_enter(rd, "hist", -1);
	unsigned int m;

	for (m = 0; m < ATTACH_NR_METRICS; m++)
		if (m < ATTACH_PARTS || !(r->unavailable & 1U << (m - ATTACH_PARTS)))
			read_hist(rd, o, attach_metric_names[m], &r->hist[m]);
	reader_leave(rd, place);
	if (r->hist[ATTACH_ELAPSED].n != r->windows)
		reader_fail(rd, "windows", "differs from the number of times in hist");
}

static void read_parts(struct reader *rd, struct json_object *parent,
		       struct tlob_task_window *w)
{
	struct json_object *o = reader_object(rd, parent, "parts");
	size_t place = reader_enter(rd, "parts", -1);
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		if (!(w->unavailable & 1U << i))
			w->part_ns[i] = reader_u64(rd, o, attach_part_names[i]);
	reader_leave(rd, place);
}

static void read_task_window(struct reader *rd, struct json_object *o,
			     struct tlob_task_window *w)
{
	static const char *const flags[] = { "violation", "ended", "cut", "inexact" };

	read_name(rd, o, "name", w->comm);
	w->tid = reader_u32(rd, o, "tid");
	w->tgid = reader_u32(rd, o, "pid");
	w->start_ns = reader_u64(rd, o, "start_ns");
	w->elapsed_ns = reader_u64(rd, o, "elapsed_ns");
	w->threshold_ns = reader_u64(rd, o, "budget_ns");
	w->unavailable = read_unavailable_parts(rd, o);
	read_parts(rd, o, w);
	w->switches = reader_u32(rd, o, "switches");
	read_counts(rd, o, "count", w->count);
	w->flags = read_mask(rd, o, "flags", flags, sizeof(flags) / sizeof(flags[0]));
	read_largest(rd, o, &w->largest, false);
	w->adjusted_ns = reader_u64(rd, o, "adjusted_ns");
	w->clock_steps = reader_u32(rd, o, "clock_steps");
	w->errors = reader_u32(rd, o, "errors");
}

static void read_wait(struct reader *rd, struct json_object *parent, struct attach_result *r,
		      const struct tlob_task_window *w)
{
	struct attach_wait wait = { 0 };

	if (read_window_wait(rd, parent, &wait))
		attach_wait_add(r, w, &wait);
}

static void read_task_windows(struct reader *rd, struct json_object *o,
			      struct attach_result *r)
{
	struct json_object *list = reader_list(rd, o, "worst", RESULT_WORST);
	size_t i, place;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		place = reader_enter(rd, "worst", (int)i);
		read_task_window(rd, reader_object_at(rd, list, i), &r->worst[i]);
		r->nworst = i + 1;
		r->worst_functions[i] = read_window_functions(rd, reader_object_at(rd, list, i),
							      r->functions);
		read_wait(rd, reader_object_at(rd, list, i), r, &r->worst[i]);
		if (i && r->worst[i].elapsed_ns > r->worst[i - 1].elapsed_ns)
			reader_fail(rd, "elapsed_ns", "larger than the one before");
		reader_leave(rd, place);
	}
}

static void read_format(struct reader *rd, struct json_object *o)
{
	const char *format = reader_word(rd, o, "format");

	if (!*rd->error && strcmp(format, "tlob-load attach"))
		reader_fail(rd, "", "not a result of attach");
	reader_int(rd, o, "version", ATTACH_VERSION, ATTACH_VERSION);
}

int attach_parse(struct attach_result *r, const char *json, struct reader *rd)
{
	struct json_object *o;

	memset(rd, 0, sizeof(*rd));
	if (attach_result_init(r))
		return reader_fail(rd, "", "out of memory");
	o = reader_parse(rd, json, strlen(json));
	if (!*rd->error)
		read_format(rd, o);
	if (!*rd->error) {
		read_circumstances(rd, o, r);
		read_counters(rd, o, r);
		r->unavailable = read_unavailable_parts(rd, o);
		read_hists(rd, o, r);
		r->function_totals = read_function_totals(rd, o, r->functions, r->windows,
							  "function_totals");
		attach_result_set_clock(r, r->clock_resolution_ns);
		read_task_windows(rd, o, r);
		read_offenders(rd, o, "noise", &r->noise);
		read_causes(rd, o, &r->causes, true);
		read_assertions(rd, o, &r->said);
	}
	json_object_put(o);
	if (!*rd->error)
		return 0;
	attach_result_free(r);
	return -EINVAL;
}

int result_load_any(struct result *r, struct attach_result *a, bool *is_attach,
		    const char *path)
{
	struct reader reader;
	char *json;
	int err;

	memset(r, 0, sizeof(*r));
	memset(a, 0, sizeof(*a));
	err = file_read_text(path, &json);
	if (err == -EILSEQ)
		return fail(-EINVAL, "%s: not a text: it contains a NUL", path);
	if (err)
		return fail(err, "%s: %s", path, strerror(-err));
	err = result_parse(r, json, &reader);
	*is_attach = err == RESULT_IS_OF_ATTACH;
	if (*is_attach)
		err = attach_parse(a, json, &reader);
	free(json);
	if (err)
		return fail(err, "%s: %s", path, reader.error);
	if (!*is_attach)
		r->fingerprint = result_fingerprint(r);
	return 0;
}

static void copy_numbers(struct result_cpu *c, const struct attach_result *a)
{
	uint64_t ended = a->violations > a->open ? a->violations - a->open : 0;
	unsigned int i;

	c->windows = a->windows;
	/* some of these were cut: they are in no histogram */
	c->violations = ended < a->windows ? ended : a->windows;
	c->missed = a->open;
	c->lost = a->lost;
	c->inexact = a->inexact;
	c->sum_failures = a->sum_failures;
	c->adjusted_ns = a->adjusted_ns;
	c->clock_steps = a->clock_steps;
	c->errors = a->errors;
	c->unavailable = (1U << TLOB_NR_PARTS) - 1;
	c->hist[TLOB_METRIC_RESPONSE] = a->hist[ATTACH_ELAPSED];
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++) {
		if (a->unavailable & 1U << i)
			continue;
		c->unavailable &= ~(1U << attach_part_of_run(i));
		c->hist[TLOB_METRIC_PARTS + attach_part_of_run(i)] = a->hist[ATTACH_PARTS + i];
	}
}

/* "work to done in prog": the same for two builds of a program, in two directories. */
static char *region_text(const struct attach_result *a)
{
	const char *file = strrchr(a->file, '/');
	char *text;

	if (asprintf(&text, "%s to %s in %s%s", a->start.text, a->stop.text,
		     file ? file + 1 : a->file, a->all ? ", all processes" : "") < 0)
		return NULL;
	return text;
}

int attach_as_result(struct result *r, const struct attach_result *a)
{
	static const int cpu[] = { 0 };
	int err = result_init(r, cpu, 1);

	if (err)
		return err;
	copy_numbers(&r->cpu[0], a);
	result_sum(r);
	result_set_clock(r, a->clock_resolution_ns);
	r->version = RESULT_VERSION;
	r->started = a->started;
	r->duration_ns = a->duration_ns;
	r->budget_ns = a->budget_ns;
	r->deterministic = a->deterministic;
	r->command = strdup(a->command);
	r->kernel = strdup(a->kernel);
	r->machine = strdup(a->machine);
	r->backend = strdup("tlob");
	r->workload = strdup(WORKLOAD_ATTACH);
	r->noise_source = strdup("hooks");
	r->policy = strdup("of the program");
	r->cpus = strdup("0");
	r->work = region_text(a);
	if (a->stopped_by)
		r->stopped_by = strdup(a->stopped_by);
	if (!r->command || !r->kernel || !r->machine || !r->backend || !r->workload ||
	    !r->noise_source || !r->policy || !r->cpus || !r->work ||
	    (a->stopped_by && !r->stopped_by)) {
		result_free(r);
		return -ENOMEM;
	}
	r->fingerprint = result_fingerprint(r);
	return 0;
}
