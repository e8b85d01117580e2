// SPDX-License-Identifier: GPL-2.0
/* Results of attach: written, read, written again; and as a run for comparisons. */
#include <json-c/json.h>

#include "attach_sample.h"
#include "unit.h"
#include "read/anonymize.h"
#include "read/read.h"
#include "report/render.h"
#include "result/parts.h"

static void assert_survives(struct result *r)
{
	struct result read;
	struct reader reader;
	char *before = attach_render(render_as, r, RENDER_JSON), *after;

	if (result_parse(&read, before, &reader))
		fail_msg("%s", reader.error);
	after = attach_render(render_as, &read, RENDER_JSON);
	assert_string_equal(before, after);
	free(before);
	free(after);
	result_free(&read);
}

TEST(test_round_trip)
{
	struct result r;
	size_t i;

	attach_sample(&r);
	assert_survives(&r);
	r.attached->status = 15;			/* SIGTERM */
	r.attached->started_it = r.attached->ended = true;
	r.stopped_by = sample_text("SIGINT");
	assert_int_equal(notes_add(&r.notes, "%s", "a \x1b[31mnote\\"), 0);
	assert_survives(&r);
	r.attached->start.at = (struct tlob_offsets){ 3, { 0x1139, 0x1160, 0x1170 } };
	assert_survives(&r);
	r.waits = true;
	for (i = 0; i < r.nworst; i++)
		r.worst[i].kept.waits = true;
	r.worst[0].kept.wait = attach_waited();
	r.worst[1].kept.wait = (struct attach_wait){ .ns = 7, .waker.kind = TLOB_WAKER_IRQ };
	r.worst[1].kept.holder = attach_held_by();
	r.worst[2].kept.wait = attach_chained();
	assert_survives(&r);
	result_free(&r);
	attach_empty(&r);
	assert_survives(&r);
	/* no activation ended, and threads were watched all the same */
	r.attached->of_threads = true;
	assert_survives(&r);
	result_free(&r);
	attach_functions_sample(&r);
	assert_survives(&r);
	result_free(&r);
}

/* Every flag with a name is in the file. */
TEST(test_flags)
{
	struct result r, read;
	struct reader reader;
	uint32_t named = 0;
	unsigned int i;
	char *text;

	attach_sample(&r);
	for (i = 0; i < 32; i++)
		if (window_flag_name(i))
			named |= 1U << i;
	r.worst[0].w.flags = named | WINDOW_OF_TASK;
	text = attach_render(render_as, &r, RENDER_JSON);
	if (result_parse(&read, text, &reader))
		fail_msg("%s", reader.error);
	assert_int_equal(read.worst[0].w.flags & ~WINDOW_OF_TASK, named);
	free(text);
	result_free(&read);
	result_free(&r);
}

/* Each key that is missing, and each number that is a text, is refused with its name. */
TEST(test_refuses)
{
	struct json_object *o, *copy;
	struct result r, read;
	struct reader reader;
	char *text;

	attach_sample(&r);
	text = attach_render(render_as, &r, RENDER_JSON);
	o = json_tokener_parse(text);
	assert_non_null(o);
	json_object_object_foreach(o, key, val) {
		(void)val;
		copy = NULL;
		assert_int_equal(json_object_deep_copy(o, &copy, NULL), 0);
		json_object_object_del(copy, key);
		/* without a format it is no result of this tool */
		if (!strcmp(key, "format"))
			assert_int_equal(result_parse(&read, json_object_to_json_string(copy), &reader), -EINVAL);
		else if (strstr("all causes conditions episodes lowered", key)) {
			assert_int_equal(result_parse(&read, json_object_to_json_string(copy), &reader), 0);
			result_free(&read);
		} else {
			assert_int_equal(result_parse(&read, json_object_to_json_string(copy), &reader),
					 -EINVAL);
			assert_contains(reader.error, key);
		}
		if (json_object_is_type(val, json_type_int)) {
			json_object_object_add(copy, key, json_object_new_string("1"));
			assert_int_equal(result_parse(&read, json_object_to_json_string(copy),
						      &reader), -EINVAL);
			assert_contains(reader.error, key);
		}
		json_object_put(copy);
	}
	json_object_object_add(o, "version", json_object_new_int(3));
	assert_int_equal(result_parse(&read, json_object_to_json_string(o), &reader), -EINVAL);
	assert_contains(reader.error, "has version 3, but this tlob-load reads version 2");
	json_object_put(o);
	free(text);
	result_free(&r);
}

static void assert_refused(struct json_object *o, const char *why)
{
	struct result read;
	struct reader reader;

	assert_int_equal(result_parse(&read, json_object_to_json_string(o), &reader), -EINVAL);
	assert_contains(reader.error, why);
	json_object_put(o);
}

/* The segments of a chain add up to the wait, and what is not known is nobody. */
TEST(test_chain)
{
	static const struct { const char *key, *value, *why; } broken[] = {
		{ "ns", "250001", "segments of 1400001ns in sum, and the wait has 1400000ns" },
		{ "tid", "0", "tid: is 0" },
		{ "kind", "\"unknown\"", "of an unknown task" },
		{ "kind", "\"nap\"", "kind" },
	};
	struct json_object *o, *at;
	struct result r;
	char *text;
	size_t i;

	attach_sample(&r);
	r.worst[0].kept.wait = attach_chained();
	text = attach_render(render_as, &r, RENDER_JSON);
	for (i = 0; i < ARRAY_SIZE(broken); i++) {
		o = json_tokener_parse(text);
		at = json_object_array_get_idx(json_object_object_get(o, "worst"), 0);
		at = json_object_object_get(json_object_object_get(at, "wait"), "chain");
		json_object_object_add(json_object_array_get_idx(at, 1), broken[i].key,
				       json_tokener_parse(broken[i].value));
		assert_refused(o, broken[i].why);
	}
	free(text);
	result_free(&r);
}

/* A window of attach is on any CPU, one of a run on one. */
TEST(test_cpu)
{
	struct json_object *o;
	struct result r;
	char *text;

	attach_sample(&r);
	text = attach_render(render_as, &r, RENDER_JSON);
	o = json_tokener_parse(text);
	json_object_object_add(json_object_array_get_idx(json_object_object_get(o, "cpu"), 0), "cpu",
			       json_object_new_int(3));
	assert_refused(o, "cpu: a number of a CPU");
	free(text);
	result_free(&r);
	sample_result(&r, 1, 10);
	text = sample_render(render_json, &r);
	o = json_tokener_parse(text);
	json_object_object_add(json_object_array_get_idx(json_object_object_get(o, "cpu"), 0), "cpu", NULL);
	assert_refused(o, "cpu: a number of a CPU");
	free(text);
	result_free(&r);
}

/* The text of what was watched has names. Where those are hidden, it has their aliases. */
TEST(test_anonymous)
{
	struct aliases aliases;
	struct result r;
	char *text;

	attach_sample(&r);
	r.worst[0].kept.wait = attach_chained();
	assert_int_equal(attach_describe(&r), 0);
	aliases_begin(&aliases);
	assert_int_equal(result_anonymize(&r, &aliases), 0);
	aliases_free(&aliases);
	text = sample_render(render_json, &r);
	assert_lacks(text, "/prog");
	assert_lacks(text, "in prog");
	assert_lacks(text, "worker");
	assert_lacks(text, "reader");
	assert_lacks(text, "hog");
	assert_contains(text, "nvme0q1");
	assert_lacks(text, "\"work to");
	free(text);
	result_free(&r);
}

/* The numbers that comparisons take. */
TEST(test_as_run)
{
	struct result r;

	attach_sample(&r);
	assert_int_equal(r.all.windows, 100);
	assert_int_equal(r.all.missed, 1);
	assert_int_equal(r.all.violations, 2);
	assert_int_equal(r.all.hist[TLOB_METRIC_RESPONSE].n, 100);
	assert_int_equal(r.all.hist[TLOB_METRIC_RESPONSE].max, 101000000);
	assert_int_equal(r.all.hist[TLOB_METRIC_PARTS + TLOB_WORK_SLEEP].sum, 100 * 1500000);
	assert_int_equal(r.all.hist[TLOB_METRIC_PARTS + TLOB_WORK_THREAD].max, 99000000);
	assert_int_equal(r.all.hist[TLOB_METRIC_WAKE].n, 0);
	assert_int_equal(r.all.hist[TLOB_METRIC_IRQ].n, 0);
	assert_true(r.all.unavailable & 1U << TLOB_WORK_HW);
	assert_false(r.all.unavailable & 1U << TLOB_WORK_ON_CPU);
	assert_string_equal(r.workload, WORKLOAD_ATTACH);
	assert_int_equal(r.clock_resolution_ns, 16);
	assert_int_equal(r.cpu[0].hist[TLOB_METRIC_RESPONSE].step, 16);
	assert_int_equal(r.cpu[0].cpu, -1);
	result_free(&r);
}

/* Two starts of a program are compared, although their pids differ. */
TEST(test_work_of_activations)
{
	static const struct {
		const char *file, *program, *work;
	} of[] = {
		{ "thread 4711", "/opt/a/servo", "wake-up to sleep in thread servo" },
		{ "real-time threads of process 42", "/opt/b/servo",
		  "wake-up to sleep in real-time threads of process servo" },
		{ "threads of /robot.slice/arm 2", "", "wake-up to sleep in arm 2" },
		{ "thread 15", "", "wake-up to sleep in thread 15" },
	};
	struct result r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		attach_empty(&r);
		free(r.attached->file);
		free(r.attached->program);
		free(r.attached->start.text);
		free(r.attached->stop.text);
		r.attached->file = sample_text(of[i].file);
		r.attached->program = sample_text(of[i].program);
		r.attached->start.text = sample_text("wake-up");
		r.attached->stop.text = sample_text("sleep");
		r.attached->all = true;
		r.attached->of_threads = true;
		assert_int_equal(attach_describe(&r), 0);
		assert_string_equal(r.work, of[i].work);
		result_free(&r);
	}
}

UNIT_MAIN(NULL, NULL)
