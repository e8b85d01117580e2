// SPDX-License-Identifier: GPL-2.0
/*
 * The result files against docs/reference/result.schema.json and docs/reference/attach.schema.json, with as
 * much of JSON Schema as those use; an unknown keyword fails, so that none is skipped.
 */
#include <regex.h>

#include <json-c/json.h>

#include "attach_sample.h"
#include "sample.h"
#include "report/render.h"

static struct json_object *result_schema, *attach_schema;
static struct json_object *root;		/* the schema of the file under check */
static char why[300];			/* the first mismatch */

static bool mismatch(const char *what, struct json_object *val)
{
	if (!*why)
		snprintf(why, sizeof(why), "%s: %.200s", what,
			 json_object_to_json_string(val));
	return false;
}

static bool valid(struct json_object *schema, struct json_object *val);

static bool is_type(const char *type, struct json_object *val)
{
	const char *name = json_type_to_name(json_object_get_type(val));

	if (!strcmp(type, "number"))
		return json_object_is_type(val, json_type_double) || json_object_is_type(val, json_type_int);
	return !strcmp(type, !strcmp(name, "int") ? "integer" : name);
}

static bool in_list(struct json_object *list, struct json_object *val)
{
	size_t i;

	for (i = 0; i < json_object_array_length(list); i++)
		if (json_object_equal(json_object_array_get_idx(list, i), val))
			return true;
	return false;
}

static bool check_type(struct json_object *type, struct json_object *val)
{
	size_t i;

	if (json_object_is_type(type, json_type_string))
		return is_type(json_object_get_string(type), val);
	for (i = 0; i < json_object_array_length(type); i++)
		if (is_type(json_object_get_string(json_object_array_get_idx(type, i)), val))
			return true;
	return false;
}

static bool check_ref(const char *ref, struct json_object *val)
{
	struct json_object *defs, *def = NULL;

	if (strncmp(ref, "#/$defs/", 8) ||
	    !json_object_object_get_ex(root, "$defs", &defs) ||
	    !json_object_object_get_ex(defs, ref + 8, &def))
		fail_msg("bad $ref %s", ref);
	return valid(def, val);
}

static bool check_any_of(struct json_object *list, struct json_object *val)
{
	char before[sizeof(why)];
	bool any = false;
	size_t i;

	memcpy(before, why, sizeof(why));
	for (i = 0; !any && i < json_object_array_length(list); i++)
		any = valid(json_object_array_get_idx(list, i), val);
	if (any)
		memcpy(why, before, sizeof(why));
	return any;
}

static bool check_properties(struct json_object *properties,
			     struct json_object *val)
{
	struct json_object *schema;

	json_object_object_foreach(val, key, sub) {
		if (!json_object_object_get_ex(properties, key, &schema))
			return mismatch(key, val);
		if (!valid(schema, sub))
			return mismatch(key, sub);
	}
	return true;
}

/* additionalProperties: false is the business of properties; a schema is for each value. */
static bool check_additional(struct json_object *schema,
			     struct json_object *val)
{
	if (json_object_is_type(schema, json_type_boolean))
		return !json_object_get_boolean(schema);
	json_object_object_foreach(val, key, sub)
		if (!valid(schema, sub))
			return mismatch(key, sub);
	return true;
}

static bool check_required(struct json_object *list, struct json_object *val)
{
	size_t i;

	for (i = 0; i < json_object_array_length(list); i++) {
		const char *key = json_object_get_string(json_object_array_get_idx(list, i));

		if (!json_object_object_get_ex(val, key, NULL))
			return mismatch(key, val);
	}
	return true;
}

static bool check_items(struct json_object *schema, struct json_object *val)
{
	size_t i;

	for (i = 0; i < json_object_array_length(val); i++)
		if (!valid(schema, json_object_array_get_idx(val, i)))
			return false;
	return true;
}

static bool check_unique(struct json_object *val)
{
	size_t i, k, n = json_object_array_length(val);

	for (i = 0; i < n; i++)
		for (k = 0; k < i; k++)
			if (json_object_equal(json_object_array_get_idx(val, i),
					      json_object_array_get_idx(val, k)))
				return false;
	return true;
}

static bool check_pattern(const char *pattern, const char *text)
{
	regex_t re;
	int err;

	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	err = regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return !err;
}

static bool check_bound(struct json_object *val, struct json_object *bound,
			bool minimum)
{
	/* Negative values are read as int64, all others as uint64. */
	bool negative = json_object_get_int64(val) < 0;
	bool bound_negative = json_object_get_int64(bound) < 0;
	uint64_t v = json_object_get_uint64(val);
	uint64_t b = json_object_get_uint64(bound);

	if (negative != bound_negative)
		return minimum ? bound_negative : negative;
	if (negative)
		return minimum ?
		       json_object_get_int64(val) >= json_object_get_int64(bound) :
		       json_object_get_int64(val) <= json_object_get_int64(bound);
	return minimum ? v >= b : v <= b;
}

static bool check(const char *key, struct json_object *arg,
		  struct json_object *val)
{
	if (!strcmp(key, "$schema") || !strcmp(key, "title") ||
	    !strcmp(key, "$defs"))
		return true;
	if (!strcmp(key, "$ref"))
		return check_ref(json_object_get_string(arg), val);
	if (!strcmp(key, "type"))
		return check_type(arg, val);
	if (!strcmp(key, "const"))
		return json_object_equal(arg, val);
	if (!strcmp(key, "enum"))
		return in_list(arg, val);
	if (!strcmp(key, "anyOf"))
		return check_any_of(arg, val);
	if (!strcmp(key, "properties"))
		return check_properties(arg, val);
	if (!strcmp(key, "additionalProperties"))
		return check_additional(arg, val);
	if (!strcmp(key, "required"))
		return check_required(arg, val);
	if (!strcmp(key, "items"))
		return check_items(arg, val);
	if (!strcmp(key, "minItems"))
		return json_object_array_length(val) >= json_object_get_uint64(arg);
	if (!strcmp(key, "maxItems"))
		return json_object_array_length(val) <= json_object_get_uint64(arg);
	if (!strcmp(key, "uniqueItems"))
		return check_unique(val);
	if (!strcmp(key, "minimum") || !strcmp(key, "maximum"))
		return check_bound(val, arg, key[1] == 'i');
	if (!strcmp(key, "pattern"))
		return check_pattern(json_object_get_string(arg),
				     json_object_get_string(val));
	fail_msg("the schema uses %s, which this test does not know", key);
	return false;
}

/* "type" first, since the other keywords rely on it. */
static bool valid(struct json_object *schema, struct json_object *val)
{
	struct json_object *type;

	if (json_object_object_get_ex(schema, "type", &type) &&
	    !check_type(type, val))
		return mismatch("type", val);
	json_object_object_foreach(schema, key, arg)
		if (!check(key, arg, val))
			return mismatch(key, val);
	return true;
}

static struct json_object *to_json(const struct result *r)
{
	char *text = sample_render(render_json, r);
	struct json_object *o = json_tokener_parse(text);

	assert_non_null(o);
	free(text);
	return o;
}

static bool is_valid(struct json_object *schema, struct json_object *o)
{
	why[0] = 0;
	root = schema;
	return valid(schema, o);
}

/* Keeps a sample for test_validator.sh, which asks an independent validator. */
static void keep(struct json_object *o)
{
	const char *path = getenv("SCHEMA_SAMPLES");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (f) {
		fprintf(f, "%s\n", json_object_to_json_string(o));
		fclose(f);
	}
}

static void assert_valid(const struct result *r)
{
	struct json_object *o = to_json(r);

	if (!is_valid(result_schema, o))
		fail_msg("%s", why);
	keep(o);
	json_object_put(o);
}

/* A result with everything that only some results have. */
TEST(test_counted)
{
	struct tlob_window w = sample_window(0, 1);
	struct result r;
	unsigned int i;

	sample_empty(&r, 1);
	r.deterministic = r.keeps_exact = r.has_seed = r.has_phase = true;
	r.seed = UINT64_MAX;
	r.phase_ns = 9999999;
	r.host = sample_text("lab");
	r.cpu[0].host = sample_text("lab");
	r.tuning = calloc(1, sizeof(*r.tuning));
	assert_non_null(r.tuning);
	r.tuning[0].name = sample_text("clocksource");
	r.tuning[0].value = sample_text("tsc");
	r.tuning[0].source = sample_text("/sys/devices/system/clocksource/clocksource0/current_clocksource");
	r.ntuning = 1;
	for (i = 0; i < 5; i++)
		result_window(&r, 0, &w, true);
	for (i = 0; i < TLOB_NR_METRICS; i++)
		samples_sort(&r.exact[i]);
	result_sum(&r);
	assert_true(result_is_exact(&r, TLOB_METRIC_WAKE));
	assert_false(result_is_exact(&r, TLOB_METRIC_PARTS + TLOB_WAKE_SOFTIRQ));
	assert_valid(&r);
	result_free(&r);
}

TEST(test_valid)
{
	struct result r;

	sample_result(&r, 2, 100);
	sample_findings(&r);
	assert_int_equal(result_note(&r, "a note"), 0);
	r.stopped_by = sample_text("cpu0 activation 99");
	r.trace_file = sample_text("t.dat");
	r.housekeeping = sample_text("0");
	r.cpu[0].demand_ns = 5;
	r.cpu[0].overhead_ns = 5;
	r.cpu[0].missed = UINT64_MAX;
	r.worst[0].w.flags = ~0U;
	r.worst[0].w.unavailable = 0;
	r.worst[0].w.largest.kind = 99;
	r.worst[1].w.largest.ns = 0;
	assert_valid(&r);
	result_free(&r);

	sample_posix(&r, 50);
	assert_valid(&r);
	result_free(&r);

	sample_empty(&r, 3);
	result_sum(&r);
	assert_valid(&r);
	result_free(&r);
}

/* The schema and the checks above refuse wrong files. */
TEST(test_refuses)
{
	struct json_object *o, *cpu;
	struct result r;
	int i;

	sample_result(&r, 1, 2);
	for (i = 0; i < 7; i++) {
		o = to_json(&r);
		json_object_object_get_ex(o, "cpu", &cpu);
		cpu = json_object_array_get_idx(cpu, 0);
		switch (i) {
		case 0:
			json_object_object_add(o, "surplus", NULL);
			break;
		case 1:
			json_object_object_del(cpu, "missed");
			break;
		case 2:
			json_object_object_add(cpu, "missed", json_object_new_int(-1));
			break;
		case 3:
			json_object_object_add(cpu, "missed", json_object_new_double(1.5));
			break;
		case 4:
			json_object_object_add(o, "version", json_object_new_int(3));
			break;
		case 5:
			json_object_object_add(o, "started", json_object_new_string("now"));
			break;
		case 6:
			json_object_object_add(o, "kernel", NULL);
			break;
		}
		if (is_valid(result_schema, o))
			fail_msg("change %d is accepted", i);
		json_object_put(o);
	}
	result_free(&r);
}

static struct json_object *attach_to_json(const struct attach_result *r)
{
	char *text = attach_render(render_as, r, RENDER_JSON);
	struct json_object *o = json_tokener_parse(text);

	assert_non_null(o);
	free(text);
	return o;
}

static void assert_attach_valid(const struct attach_result *r)
{
	struct json_object *o = attach_to_json(r);

	if (!is_valid(attach_schema, o))
		fail_msg("%s", why);
	json_object_put(o);
}

TEST(test_attach_valid)
{
	struct attach_result r;

	attach_sample(&r);
	assert_attach_valid(&r);
	assert_int_equal(notes_add(&r.notes, "a note"), 0);
	r.stopped_by = sample_text("SIGINT");
	r.debug_file = sample_text("/usr/lib/debug/prog");
	r.status = 11;
	r.windows = UINT64_MAX;
	r.unavailable = ~0U;
	r.worst[0].w.flags = ~0U;
	r.worst[0].w.unavailable = 0;
	r.worst[0].w.largest.kind = 99;
	r.worst[1].w.largest.ns = 0;
	memset(r.worst[1].w.comm, 0xff, sizeof(r.worst[1].w.comm));
	assert_attach_valid(&r);
	attach_result_free(&r);

	attach_empty(&r);
	r.ended = false;
	assert_attach_valid(&r);
	attach_result_free(&r);
}

TEST(test_attach_refuses)
{
	struct attach_result r;
	struct json_object *o;

	attach_sample(&r);
	o = attach_to_json(&r);
	assert_false(is_valid(result_schema, o));
	json_object_object_del(o, "open");
	assert_false(is_valid(attach_schema, o));
	json_object_put(o);
	attach_result_free(&r);
}

/* Checks the file of a real run: one object on one line, as render_json() writes it. */
static int check_file(const char *name)
{
	struct json_object *o = json_object_from_file(name), *format;
	struct json_object *schema = result_schema;
	bool ok;

	if (!o) {
		fprintf(stderr, "%s: %s\n", name, json_util_get_last_err());
		return 1;
	}
	if (json_object_object_get_ex(o, "format", &format) &&
	    !strcmp(json_object_get_string(format), "tlob-load attach"))
		schema = attach_schema;
	ok = is_valid(schema, o);
	if (!ok)
		fprintf(stderr, "%s: %s\n", name, why);
	json_object_put(o);
	return !ok;
}

/* Without arguments it runs the tests; with some, it checks the files of these names. */
int main(int argc, char **argv)
{
	int i, failed = 0;

	result_schema = json_object_from_file("../../docs/reference/result.schema.json");
	attach_schema = json_object_from_file("../../docs/reference/attach.schema.json");
	if (!result_schema || !attach_schema) {
		fprintf(stderr, "%s\n", json_util_get_last_err());
		return 1;
	}
	for (i = 1; i < argc; i++)
		failed |= check_file(argv[i]);
	if (argc == 1)
		failed = unit_run(NULL, NULL);
	json_object_put(result_schema);
	json_object_put(attach_schema);
	return failed;
}
