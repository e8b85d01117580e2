// SPDX-License-Identifier: GPL-2.0
/* Results of waits: read, compared and shown. What they say is foreign. */
#include "unit.h"
#include "sample.h"

#include <errno.h>
#include <unistd.h>

#include "read/waits.h"
#include "report/waits_render.h"

#define HEAD(scope, threshold)						\
	"{\"format\":\"tlob-load waits\",\"version\":1,\"started\":\"2026-01-02T03:04:05Z\"," \
	"\"duration_ns\":1000000000,\"command\":\"tlob-load waits\",\"kernel\":\"6.12\"," \
	"\"machine\":\"x86_64\",\"scope\":\"" scope "\",\"backend\":\"tlob\",\"threshold_ns\":" threshold ","	\
	"\"lost_tasks\":1,\"lost_stacks\":2,\"tasks\":["
#define FRAME(name) "{\"name\":\"" name "\",\"kernel\":false,\"file\":null,\"build_id\":null,\"inlined\":false}"
#define STACK(count, total, max, frames) A_STACK(count, total, max, "false", frames)
#define A_STACK(count, total, max, idle, frames)			\
	"{\"blocked\":{\"count\":" count ",\"total_ns\":" total ",\"max_ns\":" max "}," \
	"\"idle\":" idle ",\"woken_by\":{\"kind\":\"irq\"},\"frames\":[" frames "]}"
#define TASK(name, stacks) "{\"name\":\"" name "\",\"stacks\":[" stacks "]}"
#define POP	FRAME("futex_wait") "," FRAME("__x64_sys_futex") "," FRAME("Queue::pop") "," FRAME("main")
#define NAP	FRAME("nanosleep") "," FRAME("main")
#define END	"]}"

static const char first[] = HEAD("all", "50000")
	/* two threads of one name */
	TASK("worker", STACK("10", "9000000", "2000000", POP)) ","
	TASK("worker", STACK("5", "1000000", "900000", POP)) ","
	TASK("rcu", A_STACK("9", "9000000000", "8000000000", "true", NAP)) ","
	TASK("gone", STACK("1", "3000000", "3000000", NAP)) END;
static const char second[] = HEAD("all", "50000")
	TASK("worker", STACK("40", "31000000", "4000000", POP)) ","
	TASK("a;b<c", STACK("2", "200000", "100000", NAP)) END;

static void load(struct waits_result *r, const char *json)
{
	struct reader reader;

	if (waits_parse(r, json, &reader))
		fail_msg("%s", reader.error);
}

#define CHAINED(kthread, ns, part)							\
	HEAD("all", "50000") "{\"name\":\"worker\",\"tid\":7,\"kthread\":" kthread ",\"longest\":{\"ns\":" ns ",\"chain\":[" \
	"{\"kind\":\"run\",\"ns\":" part ",\"name\":\"a;b<c\",\"tid\":8,\"policy\":\"FIFO 10\"}," \
	"{\"kind\":\"unknown\",\"ns\":100}]},\"stacks\":[]}" END

static char *page_of(const struct waits_result *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(page_waits(f, r, (const char *const[]){ "waits" }, 1), 0);
	fclose(f);
	return text;
}

/* What was behind the longest wait: it adds up, and threads of the kernel are left out. */
TEST(test_chain)
{
	struct reader reader;
	struct waits_result r;
	char *text;

	load(&r, CHAINED("false", "5000", "4900"));
	assert_int_equal(r.nchain, 1);
	assert_string_equal(r.chain[0].task, "worker");
	assert_int_equal(r.chain[0].tid, 7);
	assert_int_equal(r.chain[0].wait.nchain, 2);
	text = page_of(&r);
	assert_contains(text, "4.9 us of 5 us: a;b");
	assert_contains(text, " computed, then woke it");
	free(text);
	waits_result_free(&r);
	load(&r, CHAINED("true", "5000", "4900"));
	assert_int_equal(r.nchain, 0);
	waits_result_free(&r);
	assert_int_equal(waits_parse(&r, CHAINED("false", "5000", "4800"), &reader), -EINVAL);
	assert_contains(reader.error, "4900ns in sum");
}

#define CRITICAL(ns, part)								\
	HEAD("pids", "50000") "],\"critical\":{\"name\":\"a;b<c\",\"pid\":7,\"ns\":" ns ",\"lost\":2,\"rows\":[" \
	"{\"kind\":\"wait\",\"ns\":" part ",\"name\":\"first\",\"tid\":8,\"policy\":\"FIFO 10\"," \
	"\"other\":{\"kind\":\"thread\",\"id\":9,\"name\":\"hog\",\"policy\":\"FIFO 30\"}}," \
	"{\"kind\":\"unknown\",\"ns\":100}]}}"

/* Who had the time of a process: it adds up, and is on the page. */
TEST(test_critical)
{
	struct reader reader;
	struct waits_result r;
	char *text;

	load(&r, CRITICAL("5000", "4900"));
	assert_int_equal(r.critical.pid, 7);
	assert_int_equal(r.critical.nrow, 2);
	text = page_of(&r);
	assert_contains(text, "waited for a CPU behind hog/9 (FIFO 30)");
	assert_contains(text, "\"not known\"");
	free(text);
	waits_result_free(&r);
	assert_int_equal(waits_parse(&r, CRITICAL("5000", "4800"), &reader), -EINVAL);
	assert_contains(reader.error, "4900ns in sum");
}

TEST(test_reads)
{
	struct waits_result r;

	load(&r, first);
	assert_string_equal(r.scope, "all");
	assert_string_equal(r.backend, "tlob");
	assert_int_equal(r.threshold_ns, 50000);
	assert_int_equal(r.lost, 3);
	assert_int_equal(r.n, 2);
	assert_string_equal(r.entry[0].text, "gone;main;nanosleep");
	assert_string_equal(r.entry[1].text, "worker;main;Queue::pop;__x64_sys_futex;futex_wait");
	assert_int_equal(r.entry[1].blocked.count, 15);
	assert_int_equal(r.entry[1].blocked.total_ns, 10000000);
	assert_int_equal(r.entry[1].blocked.max_ns, 2000000);
	waits_result_free(&r);
}

TEST(test_refuses)
{
	static const struct { const char *json, *why; } bad[] = {
		{ "{}", "format" },
		{ "{\"format\":\"tlob-load run\"}", "not a result of waits" },
		{ "{\"format\":\"tlob-load waits\",\"version\":2}", "has version 2, but this tlob-load reads version 1" },
		{ HEAD("all", "\"x\"") END, "threshold_ns" },
		{ HEAD("all", "1") TASK("t", "{}") END, "tasks[0].stacks[0]" },
		{ HEAD("all", "1") TASK("t", STACK("1", "2", "3", "")) END, "more than total_ns" },
		{ HEAD("all", "1") TASK("t", STACK("1", "2", "2", "{}")) END, "frames[0].name" },
		{ HEAD("all", "1") TASK("t", STACK("1", "2", "2", "7")) END, "frames[0]" },
		{ HEAD("all", "1"), "cut off" },
	};
	struct waits_result r;
	struct reader reader;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(waits_parse(&r, bad[i].json, &reader), -EINVAL);
		assert_contains(reader.error, bad[i].why);
		assert_null(r.entry);
	}
}

TEST(test_comparable)
{
	struct waits_result a, b;
	char why[160];

	load(&a, first);
	load(&b, second);
	assert_int_equal(waits_comparable(&a, &b, why, sizeof(why)), 0);
	waits_result_free(&b);
	load(&b, HEAD("windows", "50000") END);
	assert_int_equal(waits_comparable(&a, &b, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "the scopes differ: all and windows");
	waits_result_free(&b);
	load(&b, HEAD("all", "60000") END);
	assert_int_equal(waits_comparable(&a, &b, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "the thresholds differ: 50us and 60us");
	waits_result_free(&b);
	waits_result_free(&a);
}

TEST(test_text)
{
	const char *const name[] = { "a.json", "b\x1b.json" };
	struct waits_result r[2];
	char *text;

	load(&r[0], first);
	load(&r[1], second);
	text = sample_render(waits_compare_text, r, name);
	assert_contains(text, "A  a.json, 1s\n   3 waits are in no stack\nB  b\\x1b.json, 1s\n");
	assert_contains(text, "\nall                      +18.2ms      13ms       16    31.2ms       42\n");
	/* the largest change first, with counts; what is gone; what is new */
	assert_contains(text, "       42\n"
		"worker                     +21ms      10ms       15      31ms       40\n"
		"    futex_wait < Queue::pop < main\n"
		"gone                        -3ms       3ms        1       0ns        0\n"
		"    nanosleep < main\n"
		"a:b<c                     +200us       0ns        0     200us        2\n");
	free(text);
	text = sample_render(waits_result_text, &r[0]);
	assert_true(!strncmp(text, "longest wait 3 ms: gone in nanosleep\n\ntask ", 43));
	assert_contains(text, "worker                      10ms       15\n    futex_wait < ");
	assert_contains(text, "\n3 waits are in no stack\n1 stacks of threads of the kernel that wait for work");
	free(text);
	/* nothing has changed */
	text = sample_render(waits_compare_text, (struct waits_result[]){ r[0], r[0] }, name);
	assert_lacks(text, "worker");
	free(text);
	waits_result_free(&r[0]);
	waits_result_free(&r[1]);
}

/* Names are foreign: none becomes markup, nor ends the element of the data. */
TEST(test_page)
{
	const char *const name[] = { "a.json", "<b>" };
	struct waits_result r[2];
	char *text;

	load(&r[0], first);
	load(&r[1], second);
	text = sample_render(page_waits, r, name, 2);
	assert_contains(text, "futex_wait \\u003c Queue::pop \\u003c main\",10000000,");
	assert_contains(text, "\"name\":\"\\u003cb>\"");
	assert_lacks(text, "<b>");
	assert_lacks(text, "b<c");
	free(text);
	text = sample_render(page_waits, r, name, 1);
	assert_contains(text, "futex_wait \\u003c Queue::pop \\u003c main\",0,0,0,10000000,");
	free(text);
	waits_result_free(&r[0]);
	waits_result_free(&r[1]);
}

/* A result has names escaped. Each output escapes them once, and a separator stays none. */
TEST(test_escaped_once)
{
	static const char *const name[] = { "a.json", "b.json" };
	struct waits_result r[2];
	char *text;

	load(&r[0], HEAD("all", "50000") END);
	load(&r[1], HEAD("all", "50000")
	     TASK("t\\\\x1b\\\\x3b\\\\x5cx41", STACK("2", "200000", "100000", FRAME("f\\\\x07g") "," FRAME("m\\\\x0an"))) END);
	assert_int_equal(r[1].n, 1);
	assert_string_equal(r[1].entry[0].text, "t\x1b:\\x41;m:n;f\ag");
	text = sample_render(waits_compare_text, r, name);
	assert_contains(text, "\nt\\x1b:\\x5cx41 ");
	assert_contains(text, "\n    f\\x07g < m:n\n");
	free(text);
	text = sample_render(page_waits, &r[1], name, 1);
	assert_contains(text, "[\"t\\\\x1b:\\\\x5cx41;m:n;f\\\\x07g\"");
	assert_contains(text, "\"f\\\\x07g \\u003c m:n\"");
	free(text);
	waits_result_free(&r[0]);
	waits_result_free(&r[1]);
}

TEST(test_is_file)
{
	static const char *const spaced[] = {
		"\n{\n  \"format\": \"tlob-load waits\",\n", "{\n  \"format\": \"tlob-waits",
		"{\n  \"format\": \"tlob-load waits2\",\n", "{\n  \"format\": \"tlob-load run\",\n",
	};
	char path[] = "/tmp/tlob-waits-XXXXXX";
	int fd = mkstemp(path);
	size_t i;

	assert_true(fd >= 0);
	assert_false(waits_is_file(path));
	assert_int_equal(write(fd, first, sizeof(first) - 1), sizeof(first) - 1);
	assert_true(waits_is_file(path));
	assert_int_equal(pwrite(fd, "{\"format\":\"tlob-load runs", 25, 0), 25);
	assert_false(waits_is_file(path));
	/* as jq prints it */
	for (i = 0; i < ARRAY_SIZE(spaced); i++) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, spaced[i], strlen(spaced[i]), 0), strlen(spaced[i]));
		assert_int_equal(waits_is_file(path), !i);
	}
	close(fd);
	unlink(path);
	assert_false(waits_is_file(path));
}

UNIT_MAIN(NULL, NULL)
