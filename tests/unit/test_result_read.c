// SPDX-License-Identifier: GPL-2.0
/* Damaged and forged result files are refused, with a message that names the place. */
#include <errno.h>

#include <json-c/json.h>

#include "reached.h"
#include "read/fields.h"
#include "reading.h"

/* A failure leaves nothing behind, and its message is one plain line. */
static const char *refused(const char *text, const char *what)
{
	static const struct result none;
	struct result r;
	const char *c;

	memset(&r, 0xee, sizeof(r));
	if (!parse(&r, text))
		fail_msg("%s: accepted", what);
	assert_memory_equal(&r, &none, sizeof(r));
	result_free(&r);
	assert_true(*reader.error);
	for (c = reader.error; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			fail_msg("%s: control character in: %s", what, reader.error);
	return reader.error;
}

/* What a function writes a function reads. */
TEST(test_each_row_is_read)
{
	struct reached all = reached_from_results();
	const struct field *f;
	size_t i;

	for (i = 0; i < all.n; i++)
		for (f = all.at[i].rows->field; f < all.at[i].rows->field + all.at[i].rows->nfields; f++)
			if ((f->put || f->type == FIELD_OWN) && !(f->flags & FIELD_NOT_READ) &&
			    !special_of(all.at[i].rows, f->key)->read)
				fail_msg("%s, row %s: give it FIELD_NOT_READ, or a function in read/special_*.c",
					 all.at[i].name, f->key);
}

static bool has_row(const struct fields *r, const char *key)
{
	size_t i;

	for (i = 0; i < r->nfields; i++)
		if (r->field[i].key && !strcmp(r->field[i].key, key))
			return true;
	return false;
}

TEST(test_each_function_has_a_row)
{
	struct reached all = reached_from_results();
	const struct special *const *table, *s;
	size_t i;

	/* of files of waits */
	reach(&all, &critical_record, critical_record.name);
	reach(&all, &chain_wait_record, chain_wait_record.name);

	for (table = specials; *table; table++)
		for (s = *table; s->of; s++) {
			for (i = 0; i < all.n && all.at[i].rows != s->of; i++)
				;
			if (i == all.n || special_of(s->of, s->key) != s || (s->key && !has_row(s->of, s->key)) ||
			    !(s->key ? s->read || s->hide : !!s->check))
				fail_msg("%s, %s: no such row, or nothing is special", s->of->name, s->key ? s->key : "the record");
		}
}

TEST(test_cut_off)
{
	char *text = sample_json();
	size_t n = strlen(text);
	struct result r;

	assert_int_equal(text[n - 1], '\n');
	text[--n] = 0;
	assert_int_equal(parse(&r, text), 0);
	result_free(&r);
	while (n--) {
		text[n] = 0;
		refused(text, "cut off");
	}
	free(text);
}

TEST(test_no_result)
{
#define HEAD "{\"format\":\"tlob-load result\",\"version\":2"
#define DEEP "[[[[[[[[[[[[[[[[[[[["
	static const struct {
		const char *text, *error;
	} t[] = {
		{ "", "empty" },
		{ " \t\r\n", "empty" },
		{ "hello", "invalid JSON at byte 0" },
		{ "{\"format\":tlob}", "invalid JSON at byte" },
		{ "{'format':1}", "invalid JSON" },
		{ "/* */{}", "invalid JSON" },
		/* what is between " then hides a key */
		{ HEAD ",\"version\":1,'\"':3,'b\"':4}", "invalid JSON" },
		{ "[]", "not a JSON object" },
		{ "\"cpu\"", "not a JSON object" },
		{ "true ", "not a JSON object" },
		{ DEEP, "nested more than 16 levels deep" },
		{ HEAD ",\"x\":" DEEP "]]]]]]]]]]]]]]]]]]]]}", "nested more than 16 levels deep" },
		{ HEAD ",\"cpu\":[{\"x\":" DEEP "]]]]]]]]]]]]]]]]]]]]}]}",
		  "cpu[0]: nested more than 16 levels deep" },
		{ "{}", "not a result of tlob-load" },
		{ "{\"format\":1}", "not a result of tlob-load" },
		{ "{\"format\":\"tlob-load result\"}", "version: missing" },
		{ HEAD "}", "cpu: not 1 to 8192" },
		{ HEAD ",\"cpu\":[]}", "cpu: not 1 to 8192" },
		{ HEAD ",\"cpu\":{}}", "cpu: not 1 to 8192" },
		{ HEAD ",\"cpu\":null}", "cpu: not 1 to 8192" },
		{ HEAD ",\"cpu\":[1]}", "cpu: not a list of objects" },
		{ HEAD ",\"cpu\":[\"{}\"]}", "cpu: not a list of objects" },
		{ HEAD ",\"cpu\":[{}{}]}", "cpu: not a list of objects" },
		{ HEAD ",\"cpu\":[{},]}", "cpu: not a list of objects" },
		{ HEAD ",\"cpu\":[,{}]}", "cpu: not a list of objects" },
		{ HEAD ",\"cpu\":[{},,{}]}", "cpu: not a list of objects" },
		{ HEAD ",\"cpu\":[{}", "cpu: cut off" },
		{ HEAD ",\"cpu\":[{\"x\":\"}]", "cpu: cut off" },
		{ HEAD ",\"cpu\":[{]]}", "cpu: cut off" },
		{ HEAD ",\"cpu\":[{:}]}", "cpu[0]: invalid JSON" },
		{ HEAD ",\"cpu\" [{}]}", "invalid JSON" },
		{ HEAD ",\"cpu\":[{}],\"x\":[{}]", "cut off after" },
		{ HEAD ",\"cpu\":[{}]}}", "invalid JSON" },
		{ HEAD ",\"cpu\":[{}]}", "cpu[0].cpu: missing" },
		{ HEAD ",\"cpu\":[{}],\"cpu\":[{}]}", "a key occurs twice" },
		{ HEAD ",\"\\u0063pu\":[],\"cpu\":[{}]}", "a key occurs twice" },
		{ HEAD ",\"x\":{\"a\":1,\"a\":{\"b\":2}}}", "a key occurs twice" },
		/* a key of another depth, and a value, are not the list */
		{ HEAD ",\"x\":{\"cpu\":[{}]},\"y\":\"cpu\",\"z\":[{}]}", "cpu: not 1 to 8192" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		assert_contains(refused(t[i].text, t[i].text), t[i].error);
}

/* @text with the first @from behind @after replaced by @to. The caller frees it. */
static char *replace(const char *text, const char *after, const char *from, const char *to)
{
	const char *at = after ? strstr(text, after) : text;
	char *all;

	if (at)
		at = strstr(at, from);
	if (!at)
		fail_msg("'%s' is not behind '%s'", from, after ? after : "");
	assert_true(asprintf(&all, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	return all;
}

struct change {
	const char *after, *from, *to, *error;
};

static void check_changes(const char *text, const struct change *c, size_t n)
{
	char *other;
	size_t i;

	for (i = 0; i < n; i++) {
		other = replace(text, c[i].after, c[i].from, c[i].to);
		assert_contains(refused(other, c[i].to), c[i].error);
		free(other);
	}
}

#define CPU	"\"cpu\":["
#define WORST	"\"worst\":["
#define NOISE	"\"noise\":{"
#define WINDOWS	"\"windows\":2"

TEST(test_hostile)
{
	static const struct change changes[] = {
		{ NULL, "\"version\":2", "\"version\":3",
		  "has version 3, but this tlob-load reads version 2" },
		{ NULL, "\"version\":2", "\"version\":\"1\"", "version: not a number" },
		{ NULL, "load result", "load plan", "not a result of tlob-load" },
		/* numbers */
		{ CPU, WINDOWS, "\"windows\":-2", "cpu[0].windows: not a count" },
		{ CPU, WINDOWS, "\"windows\":-9223372036854775808", "windows: not a count" },
		{ CPU, WINDOWS, "\"windows\":18446744073709551616", "cpu[0]: a number above 18446744073709551615 at byte" },
		{ CPU, WINDOWS, "\"windows\":99999999999999999999", "cpu[0]: a number above 18446744073709551615 at byte" },
		{ NULL, "\"period_ns\":", "\"period_ns\":18446744073709551616,\"x\":", "a number above 18446744073709551615 at byte" },
		{ CPU, WINDOWS, "\"windows\":18446744073709551615", "cpu[0].windows: differs from the number of responses" },
		{ CPU, WINDOWS, "\"windows\":2e0", "cpu[0].windows: not a count" },
		{ CPU, WINDOWS, "\"windows\":1e3", "cpu[0].windows: not a count" },
		{ CPU, WINDOWS, "\"windows\":2.0", "cpu[0].windows: not a count" },
		{ CPU, WINDOWS, "\"windows\":NaN", "cpu[0]" },
		{ CPU, WINDOWS, "\"windows\":Infinity", "cpu[0]" },
		{ CPU, WINDOWS, "\"windows\":0x2", "cpu[0]: invalid JSON" },
		{ CPU, WINDOWS, "\"windows\":02", "cpu[0]: invalid JSON" },
		{ CPU, WINDOWS, "\"windows\":+2", "cpu[0]: invalid JSON" },
		{ CPU, WINDOWS, "\"windows\":[2]", "cpu[0].windows: not a count" },
		{ CPU, "\"cpu\":0", "\"cpu\":-1", "cpu[0].cpu: not a number from 0 to 2147483647" },
		{ CPU, "\"cpu\":0", "\"cpu\":4294967296", "cpu[0].cpu: not a number" },
		{ WORST, "\"idle_state\":1", "\"idle_state\":-1", "delayed_by.idle_state: not" },
		{ WORST, "\"wake_count\":{\"irq\":1", "\"wake_count\":{\"irq\":4294967297",
		  "worst[0].wake_count.irq" },
		{ WORST, "\"clock_steps\":0", "\"clock_steps\":4294967296",
		  "worst[0].clock_steps" },
		{ WORST, "\"errors\":0", "\"errors\":4294967296", "worst[0].errors" },
		/* keys */
		{ NULL, "\"runs\":1", "\"runs\":1,\"runs\":1", "a key occurs twice" },
		{ NULL, "\"runs\":1", "\"runs\":1,\"run\\u0073\":1", "a key occurs twice" },
		{ CPU, WINDOWS, WINDOWS "," WINDOWS, "cpu[0]: a key occurs twice" },
		{ CPU, "\"wake\":{\"n\"", "\"wake\":{\"n\":2,\"n\"", "cpu[0]: a key occurs twice" },
		{ WORST, "\"parts\":{", "\"parts\":{\"wake.irq\":0,", "a key occurs twice" },
		{ NULL, CPU, "\"cpu\":[],\"cpu\":[", "a key occurs twice" },
		{ NULL, "\"smt\":", "\"s\\nt\":5,\"smt\":", "not a string" },
		{ NULL, "\"smt\":", "\"\\u001b[2J\":5,\"smt\":", "not a string" },
		/* a histogram that is not true to itself */
		{ CPU, "\"wake\":{\"n\":2", "\"wake\":{\"n\":1",
		  "cpu[0].hist.wake.n: smaller than the sum of the buckets" },
		{ CPU, "\"wake\":{\"n\":2", "\"wake\":{\"n\":3",
		  "cpu[0].hist.wake.n: larger than the sum of the buckets" },
		{ CPU, "[[2976,2]]", "[[2976,18446744073709551615],[3008,3]]",
		  "cpu[0].hist.wake.n: smaller than the sum of the buckets" },
		{ CPU, "[[2976,2]]", "[[2976,2],[3008,0]]", "cpu[0].hist.wake.buckets: 3008 does not begin a bucket, or is out of order" },
		{ CPU, "[[2976,2]]", "[[2976,1],[2976,1]]", "cpu[0].hist.wake.buckets: 2976 does not begin a bucket, or is out of order" },
		{ CPU, "[[2976,2]]", "[[2977,2]]", "cpu[0].hist.wake.buckets: 2977 does not begin a bucket, or is out of order" },
		{ CPU, "[[2976,2]]", "[[18446744073709551615,2]]", "cpu[0].hist.wake.buckets: 18446744073709551615 does not begin a bucket, or is out of order" },
		{ CPU, "[[2976,2]]", "[2976,2]", "buckets: not pairs" },
		{ CPU, "[[2976,2]]", "[[2976]]", "buckets: not pairs" },
		{ CPU, "[[2976,2]]", "[[2976,2,2]]", "buckets: not pairs" },
		{ CPU, "[[2976,2]]", "[[2976,-2]]", "[1]: not a count" },
		{ CPU, "[[2976,2]]", "[]", "cpu[0].hist.wake.n: larger than the sum of the buckets" },
		{ CPU, "[[104448,1],[256000,1]]", "[[256000,1],[104448,1]]",
		  "cpu[0].hist.response.buckets: 104448 does not begin a bucket, or is out of order" },
		{ CPU, "\"min\":105000", "\"min\":1",
		  "cpu[0].hist.response.min: or max lies outside the outermost bucket" },
		{ CPU, "\"min\":105000", "\"min\":null", "outermost bucket" },
		{ CPU, "\"min\":105000", "\"min\":257251", "outermost bucket" },
		{ CPU, "\"max\":257251", "\"max\":105000", "outermost bucket" },
		{ CPU, "\"max\":257251", "\"max\":18446744073709551615", "outermost bucket" },
		{ CPU, "\"min\":3000,\"max\":3000", "\"min\":3001,\"max\":3000",
		  "outermost bucket" },
		{ CPU, "\"wake.nmi\":{\"n\":2,\"sum\":0,\"min\":0,\"max\":0,\"buckets\":[[0,2]]",
		  "\"wake.nmi\":{\"n\":0,\"sum\":0,\"min\":5,\"max\":7,\"buckets\":[]",
		  "cpu[0].hist.wake.nmi" },
		/* counters that contradict each other */
		{ CPU, WINDOWS, "\"windows\":3", "cpu[0].windows: differs from the number of responses" },
		{ CPU, "\"violations\":1", "\"violations\":3", "violations: more than windows" },
		{ CPU, "\"due\":0", "\"due\":3", "cpu[0].due: differs from startup + warm_up + warm_up_missed + windows + missed + unaccounted" },
		{ CPU, "\"missed\":0", "\"missed\":18446744073709551614", "cpu[0].missed: with the other counts of expiries more than 18446744073709551615" },
		{ WORST, "\"wake_ns\":3000", "\"wake_ns\":257252",
		  "worst[0].wake_ns: must lie between irq_latency_ns and response_ns" },
		{ WORST, "\"irq_latency_ns\":1200", "\"irq_latency_ns\":3001",
		  "worst[0].wake_ns: must lie between irq_latency_ns and response_ns" },
		/* words and texts */
		{ CPU, "\"wake.softirq\"", "\"wake.soft\"",
		  "cpu[0].unavailable: unknown word 'wake.soft'" },
		{ CPU, "\"wake.softirq\"", "\"work.softirq\"", "cpu[0].unavailable: unknown word 'work.softirq'" },
		{ WORST, "\"violation\"", "\"viol\\nation\"", "worst[0].flags" },
		{ WORST, "\"kind\":\"thread\"", "\"kind\":\"task\"",
		  "worst[0].largest.kind: unknown value 'task'" },
		{ WORST, "\"kind\":\"thread\"", "\"kind\":\"\\u001b[2J\"", "unknown value" },
		{ WORST, "\"phase\":\"work\"", "\"phase\":\"sleep\"", "largest.phase: unknown value 'sleep'" },
		{ WORST, "kworker/0:1", "0123456789abcdef", "name: longer than 15 bytes" },
		{ NOISE, "local_timer", "0123456789abcdef", "noise.names[0].name: longer than 15" },
		{ NOISE, "local_timer", "a\\u0000b", "noise.names[0].name: contains a NUL" },
		{ NULL, "6.12.48-rt", "\\u00006.12", "kernel: contains a NUL" },
		{ NULL, "\"a note\"", "\"a\\u0000note\"", "notes" },
		{ NULL, "\"a note\"", "7", "notes" },
		{ NULL, "x86_64", "\xff", "invalid JSON at byte 185: invalid utf-8 string" },
		{ NULL, "x86_64", "\xf8\x88\x80\x80\x80", "invalid JSON at byte 185: invalid utf-8 string" },
		{ CPU, "\"host\":null", "\"host\":\"\xc3\"", "cpu[0]: invalid JSON at byte 18: invalid utf-8 string" },
		{ NULL, "2025-11-20T04:34:55Z", "yesterday", "started: invalid time: use the form 2026-01-31T23:59:59Z" },
		{ NULL, "2025-11-20T04:34:55Z", "2025-11-20T04:34:55Z+1", "started: invalid time: use the form 2026-01-31T23:59:59Z" },
		{ NULL, "2025-11-20T04:34:55Z", "9999-12-31T23:59:60Z", "started: invalid time: use the form 2026-01-31T23:59:59Z" },
		/* behind the end */
		{ "\"exact\":{", "}}\n", "}}{}", "invalid JSON" },
		{ "\"exact\":{", "}}\n", "}}x", "invalid JSON" },
		{ "\"exact\":{", "}}\n", "}},", "invalid JSON" },
	};
	char *text = sample_json(), *twice;

	check_changes(text, changes, ARRAY_SIZE(changes));
	assert_true(asprintf(&twice, "%s%s", text, text) > 0);
	assert_contains(refused(twice, "two results"), "invalid JSON");
	free(twice);
	free(text);
}

/* The histograms of a user thread lack the windows whose record was lost. */
TEST(test_lost)
{
	char *text = sample_json();
	char *more = replace(text, CPU, WINDOWS, "\"windows\":3");
	char *lost = replace(more, CPU, "\"lost\":0", "\"lost\":1");
	char *fewer = replace(lost, CPU, "\"windows\":3", "\"windows\":4");
	char *within = replace(lost, "{", "\"budget_ns\":200000", "\"budget_ns\":300000");
	char *kept = replace(within, CPU, "\"violations\":1", "\"violations\":2");
	struct result r;

	assert_int_equal(parse(&r, within), 0);		/* the violation is the one without a record */
	result_free(&r);
	assert_contains(refused(kept, "a violation that has a record"), "within the budget");
	assert_int_equal(parse(&r, lost), 0);
	assert_int_equal(r.cpu[0].windows, 3);
	assert_int_equal(r.cpu[0].hist[TLOB_METRIC_RESPONSE].n, 2);
	result_free(&r);
	assert_contains(refused(fewer, "too few responses"), "by more than lost");
	free(kept);
	free(within);
	free(fewer);
	free(lost);
	free(more);
	free(text);
}

TEST(test_hostile_slices)
{
#define SLICE "\"slices\":{"
	static const struct change changes[] = {
		{ SLICE, "\"slice_ns\":80000000", "\"slice_ns\":0", "slice_ns: 0 is not" },
		{ SLICE, "\"slice_ns\":80000000", "\"slice_ns\":null", "slice_ns: 0 is not" },
		{ SLICE, "\"slice_ns\":80000000", "\"slice_ns\":30000000", "slice_ns: 30000000 is not" },
		{ SLICE, "\"slice_ns\":80000000", "\"slice_ns\":1", "slice_ns: 1 is not" },
		{ SLICE, "[[2048,2]]", "[[2048,1]]", "wake: fewer than the windows" },
		{ SLICE, "[[2048,2]]", "[[2048,3]]", "has more than the windows" },
		{ SLICE, "[[2048,2]]", "[[2048,18446744073709551615]]", "has more than the windows" },
		{ SLICE, "[[2048,2]]", "[[2048,1],[2048,1]]", "out of order" },
		{ SLICE, "[[2048,2]]", "[[2049,2]]", "2049 does not begin a bucket" },
		{ SLICE, "[[2048,2]]", "[[1024,2]]", "the maximum" },
		{ SLICE, "[[2048,2]]", "[2048,2]", "wake: not pairs" },
		{ SLICE, "\"violations\":1", "\"violations\":3", "violations: more than windows" },
		{ SLICE, "\"windows\":0", "\"windows\":1", "fewer than the windows" },
		{ SLICE, "\"wake_max_ns\":0", "\"wake_max_ns\":1", "the maximum" },
	};
	struct result r;
	struct tlob_window w;
	char *text;

	sample_empty(&r, 1);
	w = sample_window(0, 0);
	assert_true(result_window(&r, 0, &w, true));
	w = sample_violation(0, 1);
	assert_true(result_window(&r, 0, &w, true));
	result_sum(&r);
	text = sample_render(render_json, &r);
	result_free(&r);
	assert_contains(text, "\"slice_ns\":80000000");
	check_changes(text, changes, ARRAY_SIZE(changes));
	free(text);
}

TEST(test_hostile_exact)
{
#define EXACT "\"exact\":{"
	static const struct change changes[] = {
		{ EXACT, "[[1200,3]]", "[[1200,2]]", "exact.irq: number of values differs from the histogram" },
		{ EXACT, "[[1200,3]]", "[[1200,4]]", "exact.irq: number of values differs from the histogram" },
		{ EXACT, "[[1200,3]]", "[]", "exact.irq: number of values differs from the histogram" },
		{ EXACT, "[[1200,3]]", "[[1200,2],[1200,1]]", "exact.irq: out of order, or too many" },
		{ EXACT, "[[1200,3]]", "[[1200,2],[1199,1]]", "exact.irq: out of order, or too many" },
		{ EXACT, "[[1200,3]]", "[[1199,0],[1200,3]]", "exact.irq: out of order, or too many" },
		{ EXACT, "[[1200,3]]", "[[1200,65537]]", "exact.irq: out of order, or too many" },
		{ EXACT, "[[1200,3]]", "[[1200,18446744073709551615]]", "or too many" },
		{ EXACT, "[[1200,3]]", "[1200,3]", "exact.irq: not pairs" },
		{ EXACT, "[[1200,3]]", "[[-1,3]]", "exact.irq[0]: not a count" },
		{ EXACT, "[[1200,3]]", "[[9,3]]", "exact.irq" },
		{ EXACT, "[[105000,2],[105001,1]]", "[[105000,1],[105001,2]]", "exact.response" },
		{ NULL, EXACT, "\"exact\":{\"wake.softirq\":[[1,3]],",
		  "exact.wake.softirq: number of values differs from the histogram" },
	};
	struct result r;
	char *text;

	sample_exact(&r);
	text = sample_render(render_json, &r);
	result_free(&r);
	check_changes(text, changes, ARRAY_SIZE(changes));
	free(text);
	/* with two CPUs a value's CPU would be unknown */
	sample_empty(&r, 2);
	r.keeps_exact = true;
	assert_true(result_window(&r, 1, &(struct tlob_window){ .cpu = 1 }, true));
	result_sum(&r);
	text = sample_render(render_json, &r);
	result_free(&r);
	assert_contains(refused(text, "exact values of two CPUs"), "exact");
	free(text);
}

/* @n times @piece behind @after. */
static void check_too_many(const char *after, const char *piece, int n, const char *error)
{
	char *text = sample_json(), *more = sample_text(after), *longer;

	while (n--) {
		assert_true(asprintf(&longer, "%s%s", more, piece) > 0);
		free(more);
		more = longer;
	}
	longer = replace(text, NULL, after, more);
	assert_contains(refused(longer, after), error);
	free(longer);
	free(more);
	free(text);
}

TEST(test_too_many)
{
	char *text = sample_json(), *cpu, *twice;
	const char *end;

	check_too_many(WORST, "{},", RESULT_KEPT - 1, "worst: more than 64 elements");
	check_too_many(NOISE "\"evicted\":0,\"names\":[", "{},", RESULT_OFFENDERS - 1,
		       "noise.names: more than 64 elements");
	check_too_many("\"notes\":[", "\"x\",", 256, "notes: more than 256 elements");
	check_too_many(CPU, "{},", 8192, "cpu: not 1 to 8192");
	/* one CPU twice: it would be unclear which counts */
	cpu = strstr(text, CPU);
	end = strstr(text, "],\"episodes\":{");
	assert_true(cpu && end);
	assert_true(asprintf(&twice, "%.*s,%.*s", (int)(end - text), text,
			     (int)(end - cpu - (long)strlen(CPU)), cpu + strlen(CPU)) > 0);
	cpu = twice;
	assert_true(asprintf(&twice, "%s%s", cpu, end) > 0);
	assert_contains(refused(twice, "a CPU twice"), "cpu");
	free(cpu);
	free(twice);
	free(text);
}

static const char *of_another_type(struct json_object *val)
{
	switch (json_object_get_type(val)) {
	case json_type_object:
		return "[]";
	case json_type_array:
		return "{}";
	case json_type_string:
	case json_type_boolean:
		return "5";
	case json_type_null:
		return "false";
	default:
		return "\"x\"";
	}
}

/*
 * Removes value number *@left in @o with its contents, or gives it another type. Returns the
 * name of its key, or NULL. Skips `all`, which the reader computes anew.
 */
static const char *damage(struct json_object *o, unsigned int *left, bool remove)
{
	const char *found;
	size_t i;

	if (json_object_is_type(o, json_type_array)) {
		for (i = 0; i < json_object_array_length(o); i++) {
			found = damage(json_object_array_get_idx(o, i), left, remove);
			if (found)
				return found;
		}
	}
	if (!json_object_is_type(o, json_type_object))
		return NULL;
	json_object_object_foreach(o, key, val) {
		if (!strcmp(key, "all"))
			continue;
		if (!(*left)--) {
			static char name[40];

			snprintf(name, sizeof(name), "%s", key);
			if (remove)
				json_object_object_del(o, name);
			else
				json_object_object_add(o, name,
						       json_tokener_parse(of_another_type(val)));
			return name;
		}
		found = damage(val, left, remove);
		if (found)
			return found;
	}
	return NULL;
}

/* Keys whose absence has a meaning. */
static bool may_be_missing(const char *key)
{
	static const char * const keys[] = {
		"tags", "rack", "load", "load_cpus", "tune", "smt", "causes", "episodes",
		"tuning_sources",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static void delete_chosen(struct json_object *of)
{
	static const char * const derived[] = { "gap_ns", "n", "longest", "squares", "per_hour" };
	struct json_object *episodes;
	size_t k;

	assert_true(json_object_object_get_ex(of, "episodes", &episodes));
	for (k = 0; k < ARRAY_SIZE(derived); k++)
		json_object_object_del(episodes, derived[k]);
}

/* Quantiles and what a result means are written for others: they are computed anew and not read. */
static char *without_derived(char *text)
{
	struct json_object *o = json_tokener_parse(text), *cpus;
	char *rest;
	static const char * const derived[] = { "quantiles", "worst_sum_ns", "over" };
	size_t i, k;

	json_object_object_get_ex(o, "cpu", &cpus);
	delete_chosen(o);
	json_object_object_del(o, "conditions");
	json_object_object_del(o, "lowered");
	for (i = 0; i < json_object_array_length(cpus); i++) {
		delete_chosen(json_object_array_get_idx(cpus, i));
		for (k = 0; k < ARRAY_SIZE(derived); k++)
			json_object_object_del(json_object_array_get_idx(cpus, i), derived[k]);
	}
	rest = sample_text(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
	free(text);
	return rest;
}

/* Removes or mistypes each value of a file. */
static unsigned int check_damage(bool remove)
{
	char *text = without_derived(sample_json()), *other;
	unsigned int n, left;
	struct json_object *o;
	const char *key, *error;
	struct result r;

	for (n = 0;; n++) {
		o = json_tokener_parse(text);
		assert_non_null(o);
		left = n;
		key = damage(o, &left, remove);
		if (!key) {
			json_object_put(o);
			break;
		}
		other = sample_text(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
		json_object_put(o);
		if (remove && may_be_missing(key)) {
			if (parse(&r, other))
				fail_msg("%s: %s", key, reader.error);
			result_free(&r);
		} else {
			error = refused(other, key);
			assert_contains(error, !strcmp(key, "format") ? "not a result" : key);
			if (remove && strcmp(key, "format") && strcmp(error, "cpu: not 1 to 8192"))
				assert_contains(error, ": missing");
		}
		free(other);
	}
	free(text);
	return n;
}

TEST(test_damage)
{
	assert_true(check_damage(true) > 200);
	assert_true(check_damage(false) > 200);
}

TEST(test_unknown_keys)
{
	char *text = sample_json(), *other, *again;
	struct result r;

	other = replace(text, NULL, "{", "{\"later\":[{\"cpu\":[1]}],");
	assert_int_equal(parse(&r, other), 0);
	again = sample_render(render_json, &r);
	assert_string_equal(again, text);
	result_free(&r);
	free(again);
	free(other);
	free(text);
}

TEST(test_load)
{
	char path[] = "/tmp/test_result_read.XXXXXX", *text = sample_json(), *again;
	int fd = mkstemp(path);
	struct result r;
	FILE *f;

	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(result_load(&r, path), 0);
	again = sample_render(render_json, &r);
	assert_string_equal(again, text);
	result_free(&r);
	remove(path);
	assert_int_equal(result_load(&r, path), -ENOENT);
	assert_int_equal(r.ncpus, 0);
	result_free(&r);
	assert_int_equal(result_load(&r, "/"), -EISDIR);
	assert_int_equal(r.ncpus, 0);
	result_free(&r);
	assert_int_equal(result_load(&r, "/dev/null"), -EINVAL);
	assert_int_equal(r.ncpus, 0);
	free(again);
	free(text);
}

UNIT_MAIN(NULL, NULL)
