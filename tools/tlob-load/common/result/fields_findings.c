// SPDX-License-Identifier: GPL-2.0
/* The report of doctor, its findings on the machine of a run, and the outcome of its assertions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/findings.h"
#include "result/tables.h"
#include "util/file.h"

#define MAX_CPUS	8192		/* NR_CPUS of the largest configuration */

/* A run keeps no rule that only records. */
static const char *const bad_severities[] = {
	[SEVERITY_MEDIUM] = "medium", [SEVERITY_HIGH] = "high", [SEVERITY_FATAL] = "fatal",
};
static const struct words severities = { .n = NR_SEVERITIES, .list = bad_severities };

static const struct field finding_fields[] = {
	ROW(finding, id, TEXT, .flags = FIELD_PUBLIC),
	ROW(finding, severity, WORD, .words = &severities),
	ROW(finding, path, TEXT, .flags = FIELD_FREE_TEXT),
	ROW(finding, found, TEXT, .flags = FIELD_FREE_TEXT),
	ROW(finding, wanted, TEXT, .flags = FIELD_PUBLIC),
	ROW(finding, now, TEXT, .flags = FIELD_NULL | FIELD_FREE_TEXT),
	ROW(finding, for_good, TEXT, .flags = FIELD_NULL | FIELD_FREE_TEXT),
};

static const struct fields finding_record = RECORD(finding, "finding", finding_fields);

static const struct words all_severities = { .n = NR_SEVERITIES, .find = severity_name },
			  statuses = { .n = NR_STATUSES, .find = status_name },
			  patterns = { .n = NR_PATTERNS, .find = pattern_name },
			  outcomes = { .n = NR_OUTCOMES, .find = outcome_name };

/* docs/reference/doctor.schema.json describes the rows from here to examination_fields. */
static const struct field check_fields[] = {
	ROW(finding, id, TEXT),
	ROW(finding, title, TEXT),
	ROW(finding, severity, WORD, .words = &all_severities),
	ROW(finding, status, WORD, .words = &statuses),
	ROW(finding, path, TEXT),
	ROW(finding, found, TEXT),
	ROW(finding, tried, TEXT, .flags = FIELD_NULL),
	ROW(finding, wanted, TEXT),
	ROW(finding, why, TEXT),
	ROW(finding, now, TEXT, .flags = FIELD_NULL),
	ROW(finding, for_good, TEXT, .flags = FIELD_NULL),
	ROW(finding, source, TEXT),
};

static const struct fields check_record = RECORD(finding, NULL, check_fields);

static const struct field tally_fields[] = {
	ROW_AS("fatal", findings_tally, findings[SEVERITY_FATAL], COUNT),
	ROW_AS("high", findings_tally, findings[SEVERITY_HIGH], COUNT),
	ROW_AS("medium", findings_tally, findings[SEVERITY_MEDIUM], COUNT),
	ROW_AS("unknown_fatal", findings_tally, unknown[SEVERITY_FATAL], COUNT),
	ROW_AS("unknown_high", findings_tally, unknown[SEVERITY_HIGH], COUNT),
	ROW_AS("unknown_medium", findings_tally, unknown[SEVERITY_MEDIUM], COUNT),
	ROW_AS("unknown_info", findings_tally, unknown[SEVERITY_INFO], COUNT),
	ROW(findings_tally, noted, COUNT),
	ROW(findings_tally, absent, COUNT),
	ROW_AS("pass", findings_tally, passed, COUNT),
};

static const struct fields tally_record = RECORD(findings_tally, NULL, tally_fields);

static const char *const examination_format[] = { EXAMINATION_FORMAT };
static const struct words format = { .n = 1, .list = examination_format };

static const struct field examination_fields[] = {
	ROW_WITHOUT("format", CONST, .words = &format),
	ROW_WITHOUT("version", CONST, .max = 1),
	ROW(examination, started, TIME),
	ROW(examination, kernel, TEXT, .flags = FIELD_NULL),
	ROW(examination, cpus, TEXT),
	ROW(examination, pattern, WORD, .words = &patterns),
	ROW(examination, root, TEXT, .flags = FIELD_NULL),
	ROW(examination, container, TEXT, .flags = FIELD_NULL),
	ROW(examination, outcome, WORD, .words = &outcomes),
	ROW_AS("counts", examination, tally, RECORD, .of = &tally_record),
	ROW_AS("checks", examination, at, NEW_LIST, FIELD_N(examination, n), .of = &check_record,
	       .max = FINDINGS_MAX),
};

const struct fields examination_record = RECORD(examination, NULL, examination_fields);

void finding_free(struct finding *f)
{
	record_free(&check_record, f);
	*f = (struct finding){ 0 };
}

void examination_free(struct examination *e)
{
	record_free(&examination_record, e);
	*e = (struct examination){ 0 };
}

int examination_json(FILE *f, const struct examination *e)
{
	struct json_object *o = json_object_new_object();
	struct builder b = { 0 };

	record_put(&b, o, &examination_record, e);
	return json_end(&b, f, o);
}

/* One list in memory has two keys: @f->bits says which elements are unread. */
static void put_found(struct builder *b, struct json_object *o, const struct field *f,
		      const void *data)
{
	struct json_object *list = put_array(b, o, f->key);
	const struct findings *all = data;
	size_t i;

	for (i = 0; i < all->n; i++)
		if ((all->at[i].status == STATUS_UNKNOWN) == f->bits)
			record_put(b, put_object(b, list, NULL), f->of, &all->at[i]);
}

static enum presence throttled_presence(const void *data)
{
	const struct findings *all = data;

	return all->rt_throttled == RT_THROTTLED_UNKNOWN ? NO_VALUE : PRESENT;
}

static void put_throttled(struct builder *b, struct json_object *o, const struct field *f,
			  const void *data)
{
	const struct findings *all = data;

	if (throttled_presence(data) == PRESENT)
		put_bool(b, o, f->key, all->rt_throttled == RT_THROTTLED_YES);
	else
		put_null(b, o, f->key);
}

#define COUNT_ROW(name, name_in_file, head, meaning)				\
	ROW_AS(name_in_file, machine_counts, value[MACHINE_##name], COUNT,		\
	       FIELD_KNOWN(machine_counts, known, 1U << MACHINE_##name), .text = meaning),
static const struct field counts_fields[] = {
	ROW(machine_counts, cpu, NUMBER, .max = MAX_CPUS, .text = NO_ROW),
	MACHINE_COUNTS(COUNT_ROW)
};

const struct fields machine_counts_record = RECORD(machine_counts, "machine_counts", counts_fields);

static const struct field bearing_fields[] = {
	ROW(bearing, cpu, NUMBER, .max = MAX_CPUS),
	ROW(bearing, activation, COUNT),
	ROW(bearing, id, TEXT, .flags = FIELD_PUBLIC),
	ROW(bearing, text, TEXT, .flags = FIELD_FREE_TEXT),
};

static const struct fields bearing_record = RECORD(bearing, "bearing", bearing_fields);

static const struct field findings_fields[] = {
	ROW(findings, rules, NUMBER, .max = 2 * FINDINGS_MAX),
	ROW(findings, took_ns, COUNT,
	    .text = "how many rules were applied, and how long that took"),
	ROW_AS("found", findings, at, NEW_LIST, FIELD_N(findings, n), .of = &finding_record,
	       .max = FINDINGS_MAX, .put = put_found,
	       .text = "list: the rules that were not kept, each with `id`, `severity`, `path`, "
	       "`found`, `wanted`, and `now` and `for_good`, which mend it, or null"),
	ROW_WITHOUT("unread", OWN, .flags = FIELD_PUBLIC, .of = &finding_record, .bits = true,
		    .max = FINDINGS_MAX,
		    .put = put_found,
		    .text = "the same for rules that could not be read; `found` says why"),
	ROW_WITHOUT("rt_throttled", BOOL, .flags = FIELD_NULL, .put = put_throttled,
		    .text = "true: the kernel logged that it throttles real-time threads; null: not known. "
		    "From Linux 6.12 on only kernels with RT_GROUP_SCHED log it"),
	ROW_AS("counters", findings, count, NEW_LIST, FIELD_N(findings, ncounts),
	       .of = &machine_counts_record, .max = MAX_CPUS,
	       .text = "list: what each measured CPU counted during the run"),
	ROW_AS("violations", findings, bearing, NEW_LIST, FIELD_N(findings, nbearings),
	       .of = &bearing_record, .max = FINDINGS_MAX,
	       .text = "list: how a finding explains a violation. `cpu` and `activation` name the "
	       "window, `id` the rule, `text` is a sentence"),
};

const struct fields findings_record = RECORD(findings, "findings", findings_fields);

void findings_free(struct findings *f)
{
	if (f)
		record_free(&findings_record, f);
	free(f);
}

static void put_holds(struct builder *b, struct json_object *o, const struct field *f,
		      const void *data)
{
	const struct assertion *a = data;

	if (a->outcome == CONDITION_UNDECIDED)
		put_null(b, o, f->key);
	else
		put_bool(b, o, f->key, a->outcome == CONDITION_TRUE);
}

static const struct field assertion_fields[] = {
	ROW_AS("condition", assertion, text, TEXT, .flags = FIELD_PUBLIC),
	ROW_AS("holds", assertion, outcome, BOOL, .flags = FIELD_NULL | FIELD_NOT_READ, .put = put_holds),
	ROW(assertion, value, COUNT, FIELD_KNOWN(assertion, has_value, 1)),
	ROW(assertion, found, CHARS, .flags = FIELD_PUBLIC),
};

const struct fields assertion_record = RECORD(assertion, "assertion", assertion_fields);

/* As a file has them. */
static const struct field said_fields[] = {
	ROW(said_assertion, condition, TEXT, .flags = FIELD_PUBLIC),
	ROW(said_assertion, holds, BOOL, FIELD_KNOWN(said_assertion, decided, 1)),
	ROW(said_assertion, value, COUNT, FIELD_KNOWN(said_assertion, has_value, 1)),
	ROW(said_assertion, found, TEXT, .flags = FIELD_PUBLIC),
};

static const struct fields said_record = RECORD(said_assertion, NULL, said_fields);

static const struct field said_fields_list[] = {
	ROW_AS("assertions", said, at, NEW_LIST, FIELD_N(said, n), .of = &said_record,
	       .max = CONDITIONS_MAX),
};

const struct fields said_list_record = RECORD(said, NULL, said_fields_list);

void put_assertions(struct builder *b, struct json_object *o, const struct field *f,
		    const void *data)
{
	const struct assertions *all = (const void *)((const char *)data + f->at);
	const struct said *said = (const void *)((const char *)data + f->n);
	struct json_object *list;
	size_t i;

	if (!all->n && !said->n)
		return;
	list = put_array(b, o, f->key);
	for (i = 0; i < all->n; i++)
		record_put(b, put_object(b, list, NULL), f->of, &all->at[i]);
	for (i = 0; i < said->n; i++)
		record_put(b, put_object(b, list, NULL), &said_record, &said->at[i]);
}

void said_free(struct said *said)
{
	record_free(&said_list_record, said);
	memset(said, 0, sizeof(*said));
}
