// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/read.h"
#include "result/read_attach.h"
#include "result/tables.h"
#include "util/error.h"

static void read_format(struct reader *rd, struct json_object *o)
{
	if (strcmp(reader_word(rd, o, "format"), ATTACH_FORMAT))
		reader_fail(rd, "", "not a result of attach");
	reader_version(rd, o, ATTACH_VERSION);
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
		r->functions = read_function_sets(rd, o);
		if (r->functions)
			r->functions->of_tasks = true;
		rd->about = r->functions;
		r->start.at.nr = r->stop.at.nr = 1;
		r->episodes = (struct episode_track){ .last_ns = 0 };
		record_read(rd, o, &attach_result_record, r);
		attach_result_set_clock(r, r->clock_resolution_ns);
	}
	json_object_put(o);
	if (!*rd->error)
		return 0;
	attach_result_free(r);
	return -EINVAL;
}

int result_parse_any(struct result *r, struct attach_result *a, bool *is_attach,
		     const char *path, const char *json)
{
	struct reader reader;
	int err;

	memset(r, 0, sizeof(*r));
	memset(a, 0, sizeof(*a));
	err = result_parse(r, json, &reader);
	*is_attach = err == RESULT_IS_OF_ATTACH;
	if (*is_attach)
		err = attach_parse(a, json, &reader);
	if (err)
		return fail(err, "%s: %s", path, reader.error);
	if (!*is_attach)
		r->fingerprint = result_fingerprint(r);
	return 0;
}

int result_load_any(struct result *r, struct attach_result *a, bool *is_attach,
		    const char *path)
{
	char *json;
	int err = result_read_text(path, &json);

	if (err)
		return err;
	err = result_parse_any(r, a, is_attach, path, json);
	free(json);
	return err;
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

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * "work to done in prog": the same for two builds of a program, in two directories. For
 * activations the program replaces the number of its process or thread: each start has others.
 */
static char *region_text(const struct attach_result *a)
{
	const char *file = last_name(a->file), *program = "";
	size_t n = strlen(file), word = n;
	char *text;

	while (word && isdigit((unsigned char)file[word - 1]))
		word--;
	if (a->of_threads && word && file[word - 1] == ' ' && *a->program) {
		program = last_name(a->program);
		n = word;
	}
	if (asprintf(&text, "%s to %s in %.*s%s%s", a->start.text, a->stop.text, (int)n, file,
		     program, a->all && !a->of_threads ? ", all processes" : "") < 0)
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
	r->episodes = r->cpu[0].episodes = a->episodes.e;
	result_sum(r);
	result_set_clock(r, a->clock_resolution_ns);
	r->timer_resolution_ns = a->timer_resolution_ns;
	r->started = a->started;
	r->duration_ns = a->duration_ns;
	r->budget_ns = a->budget_ns;
	r->deterministic = a->deterministic;
	r->command = strdup(a->command);
	r->kernel = strdup(a->kernel);
	r->machine = strdup(a->machine);
	r->backend = strdup(a->backend);
	r->workload = strdup(WORKLOAD_ATTACH);
	r->noise_source = strdup("hooks");
	r->policy = strdup("of the program");
	r->cpus = strdup("0");
	r->work = region_text(a);
	if (a->limits.text)
		r->limits.text = strdup(a->limits.text);
	if (a->stopped_by)
		r->stopped_by = strdup(a->stopped_by);
	if (a->host)
		r->host = strdup(a->host);
	if (a->boot_id)
		r->boot_id = strdup(a->boot_id);
	if (a->run_id)
		r->run_id = strdup(a->run_id);
	if (!r->command || !r->kernel || !r->machine || !r->backend || !r->workload ||
	    !r->noise_source || !r->policy || !r->cpus || !r->work ||
	    (a->stopped_by && !r->stopped_by) || (a->limits.text && !r->limits.text) ||
	    (a->host && !r->host) || tags_copy(&r->tags, &a->tags) || (a->boot_id && !r->boot_id) ||
	    (a->run_id && !r->run_id)) {
		result_free(r);
		return -ENOMEM;
	}
	r->fingerprint = result_fingerprint(r);
	return 0;
}

int attach_view(struct result *r, const struct attach_result *a)
{
	int err = attach_as_result(r, a);
	size_t i;

	if (err)
		return err;
	r->region = a;
	r->nworst = a->nworst;
	for (i = 0; i < a->nworst; i++) {
		attach_as_window(&r->worst[i].w, &a->worst[i].w);
		r->worst[i].kept.functions = a->worst[i].kept.functions;
	}
	r->noise = a->noise;
	r->causes = a->causes;
	r->places = a->places;
	r->functions = a->functions;
	r->all.functions = a->function_totals;
	r->notes = a->notes;
	r->assertions = a->assertions;
	r->said = a->said;
	return 0;
}

void attach_view_free(struct result *r)
{
	r->nworst = 0;
	r->functions = NULL;
	r->all.functions = NULL;
	r->notes = NULL;
	r->assertions = (struct assertions){ .n = 0 };
	r->said = (struct said){ .n = 0 };
	result_free(r);
}
