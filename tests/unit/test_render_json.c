// SPDX-License-Identifier: GPL-2.0
/* The JSON of a result has null for what was not measured. */
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

UNIT_MAIN(NULL, NULL)
