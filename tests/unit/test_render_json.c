// SPDX-License-Identifier: GPL-2.0
/* The JSON of a result: keys, numbers of 64 bits, and null for what was not measured. */
#include <json-c/json.h>

#include "sample.h"
#include "report/render.h"

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *val = NULL;

	if (!json_object_object_get_ex(o, key, &val))
		fail_msg("no key %s", key);
	return val;
}

static uint64_t get_u64(struct json_object *o, const char *key)
{
	return json_object_get_uint64(get(o, key));
}

TEST(test_json)
{
	struct json_object *o, *cpu, *hist, *h, *worst;
	uint64_t n = 0;
	struct result r;
	char *json;
	size_t i;

	sample_golden(&r);
	r.cpu[1].missed = UINT64_MAX;
	r.cpu[1].adjusted_ns = (1ULL << 53) + 1;	/* not a double */
	json = sample_render(render_json, &r);
	o = json_tokener_parse(json);
	assert_non_null(o);
	assert_string_equal(json_object_get_string(get(o, "format")),
			    "tlob-load result");
	assert_int_equal(get_u64(o, "version"), RESULT_VERSION);
	assert_string_equal(json_object_get_string(get(o, "started")),
			    "2025-11-20T04:34:55Z");
	assert_string_equal(json_object_get_string(get(o, "policy")), "fifo:95");
	assert_null(get(o, "housekeeping"));
	assert_null(get(o, "stopped_by"));
	assert_int_equal(json_object_array_length(get(o, "notes")), 1);

	assert_int_equal(json_object_array_length(get(o, "cpu")), 2);
	cpu = json_object_array_get_idx(get(o, "cpu"), 1);
	assert_int_equal(get_u64(cpu, "cpu"), 1);
	assert_true(get_u64(cpu, "missed") == UINT64_MAX);
	assert_true(get_u64(cpu, "adjusted_ns") == (1ULL << 53) + 1);
	assert_int_equal(get_u64(cpu, "demand_ns"), 101500);
	assert_string_equal(json_object_to_json_string_ext(get(cpu, "unavailable"),
							   JSON_C_TO_STRING_PLAIN),
			    "[\"wake.softirq\",\"work.softirq\"]");
	hist = get(cpu, "hist");
	assert_int_equal(json_object_object_length(hist), TLOB_NR_METRICS - 2);
	assert_false(json_object_object_get_ex(hist, "wake.softirq", NULL));

	h = get(get(get(o, "all"), "hist"), "response");
	assert_int_equal(get_u64(h, "n"), 2000);
	assert_int_equal(get_u64(h, "sum"), r.all.hist[TLOB_METRIC_RESPONSE].sum);
	assert_int_equal(get_u64(h, "min"), 105000);
	assert_int_equal(get_u64(h, "max"), 257251);
	h = get(h, "buckets");
	for (i = 0; i < json_object_array_length(h); i++)
		n += json_object_get_uint64(json_object_array_get_idx(
			json_object_array_get_idx(h, i), 1));
	assert_int_equal(n, 2000);

	assert_int_equal(json_object_array_length(get(o, "worst")), RESULT_WORST);
	worst = json_object_array_get_idx(get(o, "worst"), 0);
	assert_int_equal(get_u64(worst, "response_ns"), 257251);
	assert_int_equal(get_u64(get(worst, "parts"), "work.thread"), 150250);
	assert_false(json_object_object_get_ex(get(worst, "parts"),
					       "work.softirq", NULL));
	assert_int_equal(get_u64(get(worst, "work_count"), "thread"), 2);
	assert_string_equal(json_object_get_string(get(get(worst, "largest"), "name")),
			    "kworker/0:1");
	assert_null(get(get(worst, "delayed_by"), "idle_state"));
	assert_int_equal(json_object_array_length(get(get(o, "noise"), "names")), 2);
	assert_int_equal(json_object_array_length(get(get(o, "delay"), "names")), 2);
	json_object_put(o);
	free(json);
	result_free(&r);
}

/* A value that was not measured is null, not 0. */
TEST(test_json_nulls)
{
	struct json_object *o, *cpu, *h;
	struct result r;
	char *json;

	sample_empty(&r, 1);
	result_sum(&r);
	json = sample_render(render_json, &r);
	o = json_tokener_parse(json);
	cpu = json_object_array_get_idx(get(o, "cpu"), 0);
	assert_null(get(cpu, "demand_ns"));
	assert_null(get(cpu, "demand_spread_ns"));
	assert_null(get(cpu, "overhead_ns"));
	h = get(get(cpu, "hist"), "wake");
	assert_int_equal(get_u64(h, "n"), 0);
	assert_null(get(h, "min"));
	assert_null(get(h, "max"));
	assert_int_equal(json_object_array_length(get(h, "buckets")), 0);
	json_object_put(o);
	free(json);
	result_free(&r);
}

TEST(test_json_is_deterministic)
{
	struct result a, b;
	char *x, *y, *at;

	sample_golden(&a);
	sample_golden(&b);
	b.started += 3;
	x = sample_render(render_json, &a);
	y = sample_render(render_json, &b);
	assert_string_not_equal(x, y);
	at = strstr(y, "04:34:58Z");
	assert_non_null(at);
	at[7] = '5';
	assert_string_equal(x, y);
	free(x);
	free(y);
	result_free(&a);
	result_free(&b);
}

UNIT_MAIN(NULL, NULL)
