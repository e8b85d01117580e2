// SPDX-License-Identifier: GPL-2.0
/* Writes the result file of attach: docs/reference/result.md, docs/reference/attach.schema.json. */
#include <sys/wait.h>

#include "show/attach_render.h"
#include "show/attach_wait.h"
#include "show/json.h"

#define ATTACH_FORMAT	"tlob-load attach"
#define ATTACH_VERSION	1

static void put_place(struct builder *b, struct json_object *to,
		      const char *key, const struct attach_place *p)
{
	struct json_object *o = put_object(b, to, key), *others;
	unsigned int i;

	put_text(b, o, "place", p->text);
	put_u64(b, o, "offset", p->at.at[0]);
	if (p->at.nr < 2)
		return;
	others = put_array(b, o, "other_offsets");
	for (i = 1; i < p->at.nr; i++)
		put_u64(b, others, NULL, p->at.at[i]);
}

static void put_process(struct builder *b, struct json_object *to,
			const struct attach_result *r)
{
	struct json_object *o = put_object(b, to, "process");
	bool known = r->started_it && r->ended;

	put_int(b, o, "pid", r->pid);
	put_text(b, o, "program", r->program);
	put_bool(b, o, "started", r->started_it);
	put_bool(b, o, "ended", r->ended);
	put_known(b, o, "exit_status", known && WIFEXITED(r->status),
		  (uint64_t)WEXITSTATUS(r->status));
	put_known(b, o, "signal", known && WIFSIGNALED(r->status),
		  (uint64_t)WTERMSIG(r->status));
}

static void put_circumstances(struct builder *b, struct json_object *o,
			      const struct attach_result *r)
{
	put(b, o, "format", json_object_new_string(ATTACH_FORMAT));
	put_int(b, o, "version", ATTACH_VERSION);
	put_time(b, o, "started", r->started);
	put_u64(b, o, "duration_ns", r->duration_ns);
	put_text(b, o, "command", r->command);
	put_text(b, o, "kernel", r->kernel);
	put_text(b, o, "machine", r->machine);
	put_bool(b, o, "deterministic", r->deterministic);
	put_text(b, o, "file", r->file);
	put_text(b, o, "debug_file", r->debug_file);
	put_place(b, o, "start", &r->start);
	put_place(b, o, "stop", &r->stop);
	put_u64(b, o, "budget_ns", r->budget_ns);
	put_process(b, o, r);
	put_bool(b, o, "all", r->all);
	if (r->waits.measured)
		put_bool(b, o, "waits", true);
	put_function_sets(b, o, r->functions);
	put_u64(b, o, "began_ns", r->began_ns);
	put_known(b, o, "clock_resolution_ns", r->clock_resolution_ns, r->clock_resolution_ns);
	put_text(b, o, "stopped_by", r->stopped_by);
	put_texts(b, o, "notes", r->notes);
}

static void put_unavailable(struct builder *b, struct json_object *to,
			    uint32_t unavailable)
{
	put_mask(b, to, "unavailable", unavailable, attach_part_names,
		 TLOB_NR_TASK_PARTS);
}

static void put_flags(struct builder *b, struct json_object *to, uint32_t flags)
{
	static const char * const names[] = {
		"violation", "ended", "cut", "inexact",
	};

	put_mask(b, to, "flags", flags, names,
		 sizeof(names) / sizeof(names[0]));
}

static void put_window(struct builder *b, struct json_object *to,
		       const struct attach_result *r, size_t at)
{
	const struct tlob_task_window *w = &r->worst[at];
	struct json_object *o = put_object(b, to, NULL), *parts;
	unsigned int i;

	put_name(b, o, "name", w->comm);
	put_u64(b, o, "tid", w->tid);
	put_u64(b, o, "pid", w->tgid);
	put_u64(b, o, "start_ns", w->start_ns);
	put_u64(b, o, "elapsed_ns", w->elapsed_ns);
	put_u64(b, o, "budget_ns", w->threshold_ns);
	parts = put_object(b, o, "parts");
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		if (!(w->unavailable & 1U << i))
			put_u64(b, parts, attach_part_names[i], w->part_ns[i]);
	put_u64(b, o, "switches", w->switches);
	put_counts(b, o, "count", w->count);
	put_flags(b, o, w->flags);
	put_unavailable(b, o, w->unavailable);
	put_noise(b, o, "largest", &w->largest);
	put_u64(b, o, "adjusted_ns", w->adjusted_ns);
	put_u64(b, o, "clock_steps", w->clock_steps);
	put_u64(b, o, "errors", w->errors);
	put_window_functions(b, o, r->functions, r->worst_functions[at]);
	if (r->waits.measured)
		put_attach_wait(b, o, attach_wait_of(r, w));
}

static void put_found(struct builder *b, struct json_object *o,
		      const struct attach_result *r)
{
	struct json_object *hist, *list;
	unsigned int m;
	size_t i;

	put_counters(b, o, &attach_counters, r);
	put_u64(b, o, "other_processes", r->nother);
	put_unavailable(b, o, r->unavailable);
	hist = put_object(b, o, "hist");
	for (m = 0; m < ATTACH_NR_METRICS; m++)
		if (m < ATTACH_PARTS ||
		    !(r->unavailable & 1U << (m - ATTACH_PARTS)))
			put_hist(b, hist, attach_metric_names[m], &r->hist[m]);
	put_function_totals(b, o, r->functions, r->function_totals, "function_totals");
	list = put_array(b, o, "worst");
	for (i = 0; i < r->nworst; i++)
		put_window(b, list, r, i);
	put_offenders(b, o, "noise", &r->noise);
	put_causes(b, o, &r->causes, true);
	put_assertions(b, o, &r->assertions);
}

int attach_json(FILE *f, const struct attach_result *r)
{
	struct json_object *o = json_object_new_object();
	struct builder b = { .err = 0 };
	int err;

	put_circumstances(&b, o, r);
	put_found(&b, o, r);
	err = b.err ? b.err : json_print(f, o);
	json_object_put(o);
	return err;
}
