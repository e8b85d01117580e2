// SPDX-License-Identifier: GPL-2.0
/* Lines of `monitor`: the values of accepted lines, and the errors of refused ones. */
#include "binding.h"
#include "unit.h"

#define NAME31	"n234567890123456789012345678901"
#define HOUR	3600000000000ULL
#define N16	"16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

/* Parses a copy of @text in memory of its size; the path stays in @line. */
static int parse(const char *text, size_t len, struct tlob_binding_line *b,
		 char **line)
{
	int err;

	*line = malloc(len + 1);
	assert_non_null(*line);
	memcpy(*line, text, len);
	(*line)[len] = '\0';
	err = tlob_parse_binding(*line, len, b);
	/* a refused line is left unchanged */
	if (err)
		assert_memory_equal(*line, text, len);
	return err;
}

TEST(test_accepted)
{
	static const struct {
		const char *text;
		enum tlob_binding_op op;
		const char *path, *name;
		__u64 start, stop, ns;
	} t[] = {
#define ADD	TLOB_BINDING_ADD
#define PLACE	TLOB_BINDING_REMOVE
#define BY_NAME	TLOB_BINDING_REMOVE_NAME
		{ "p /a:1 2 threshold=1000", ADD, "/a", "", 1, 2, 1000 },
		{ "p:x /a:1 2 threshold=1000", ADD, "/a", "x", 1, 2, 1000 },
		{ "p:0_Z /a:0x10 0xFf threshold=3600000000000", ADD, "/a", "0_Z",
		  16, 255, HOUR },
		{ "p:" NAME31 " /a:0 2 threshold=1000", ADD, "/a", NAME31, 0, 2,
		  1000 },
		{ " \tp:x \t /a:1\t 2  threshold=1000 \t\n", ADD, "/a", "x", 1, 2,
		  1000 },
		{ "p /a:2 1 threshold=5000\n", ADD, "/a", "", 2, 1, 5000 },
		/* leading zeros are not octal */
		{ "p /a:010 0x0010 threshold=0001000", ADD, "/a", "", 10, 16, 1000 },
		{ "p /a:9223372036854775807 0x7ffffffffffffffe threshold=1000",
		  ADD, "/a", "", INT64_MAX, INT64_MAX - 1, 1000 },
		/* the last ':' counts, and words count from the end */
		{ "p /a:b:1 2 threshold=1000", ADD, "/a:b", "", 1, 2, 1000 },
		{ "p /a:1:2 3 threshold=1000", ADD, "/a:1", "", 2, 3, 1000 },
		{ "p /a::1 2 threshold=1000", ADD, "/a:", "", 1, 2, 1000 },
		{ "p /my app:1 2 threshold=1000", ADD, "/my app", "", 1, 2, 1000 },
		{ "p /a :1 2 threshold=1000", ADD, "/a ", "", 1, 2, 1000 },
		{ "p /a:1 2 threshold=5:7 8 threshold=1000", ADD,
		  "/a:1 2 threshold=5", "", 7, 8, 1000 },
		{ "p /:1 2 threshold=1000", ADD, "/", "", 1, 2, 1000 },
		{ "-/a:1", PLACE, "/a", "", 1, 0, 0 },
		{ " -/a b:c:0x1f \n", PLACE, "/a b:c", "", 31, 0, 0 },
		{ "-:x", BY_NAME, NULL, "x", 0, 0, 0 },
		{ "-:" NAME31 "\n", BY_NAME, NULL, NAME31, 0, 0, 0 },
	};
	struct tlob_binding_line b;
	char *line;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		memset(&b, 0xff, sizeof(b));
		if (parse(t[i].text, strlen(t[i].text), &b, &line))
			fail_msg("'%s' is refused", t[i].text);
		assert_int_equal(b.op, t[i].op);
		assert_string_equal(b.name, t[i].name);
		if (t[i].path)
			assert_string_equal(b.path, t[i].path);
		else
			assert_null(b.path);
		assert_int_equal(b.start.nr, b.op != BY_NAME);
		assert_int_equal(b.stop.nr, b.op == ADD);
		assert_int_equal(b.start.at[0], t[i].start);
		assert_int_equal(b.stop.at[0], t[i].stop);
		assert_int_equal(b.threshold_ns, t[i].ns);
		free(line);
	}
}

TEST(test_refused)
{
	static const struct {
		const char *text;
		int err;
	} t[] = {
		{ "", -EINVAL }, { " ", -EINVAL }, { "\n", -EINVAL },
		{ "p", -EINVAL }, { "-", -EINVAL }, { "p ", -EINVAL },
		{ "p:x", -EINVAL }, { "p:x ", -EINVAL }, { "# p", -EINVAL },
		{ "r /a:1 2 threshold=1000", -EINVAL },
		{ "P /a:1 2 threshold=1000", -EINVAL },
		{ "pp /a:1 2 threshold=1000", -EINVAL },
		{ "p/a:1 2 threshold=1000", -EINVAL },
		{ "p: /a:1 2 threshold=1000", -EINVAL },
		{ "p :x /a:1 2 threshold=1000", -EINVAL },
		{ "p:x/a:1 2 threshold=1000", -EINVAL },
		{ "p:x-y /a:1 2 threshold=1000", -EINVAL },
		{ "p:x:y /a:1 2 threshold=1000", -EINVAL },
		{ "p:\xc3\xa4 /a:1 2 threshold=1000", -EINVAL },
		{ "p:" NAME31 "2 /a:1 2 threshold=1000", -ENAMETOOLONG },
		{ "p:" NAME31 "- /a:1 2 threshold=1000", -EINVAL },
		{ "p a:1 2 threshold=1000", -EINVAL },
		{ "p ./a:1 2 threshold=1000", -EINVAL },
		{ "p :1 2 threshold=1000", -EINVAL },
		{ "p /a 2 threshold=1000", -EINVAL },
		{ "p /a: 2 threshold=1000", -EINVAL },
		{ "p /a:1 threshold=1000", -EINVAL },
		{ "p 2 threshold=1000", -EINVAL },
		{ "p threshold=1000", -EINVAL },
		{ "p /a:1 2", -EINVAL },
		{ "p /a:1 2 3 threshold=1000", -EINVAL },
		{ "p /a:1 2 threshold=1000 x", -EINVAL },
		{ "p /a:1 2 threshold=1000 threshold=1000", -EINVAL },
		{ "p /a:1 threshold=1000 2", -EINVAL },
		{ "p /a:1 2 threshold", -EINVAL },
		{ "p /a:1 2 threshold=", -EINVAL },
		{ "p /a:1 2 threshold= 1000", -EINVAL },
		{ "p /a:1 2 Threshold=1000", -EINVAL },
		{ "p /a:1 2 threshold=1000ns", -EINVAL },
		{ "p /a:1 2 threshold=0x1000", -EINVAL },
		{ "p /a:1 2 threshold=-1000", -EINVAL },
		{ "p /a:1 2 threshold=+1000", -EINVAL },
		{ "p /a:1 2 threshold=1e6", -EINVAL },
		{ "p /a:1 2 threshold=1000\n\n", -EINVAL },
		{ "p /a:1 2 threshold=1000\n ", -EINVAL },
		{ "p /a:1 2 threshold=1000\r\n", -EINVAL },
		{ "p /a\nb:1 2 threshold=1000", -EINVAL },
		{ "p /a:1x 2 threshold=1000", -EINVAL },
		{ "p /a:0x 2 threshold=1000", -EINVAL },
		{ "p /a:0X1 2 threshold=1000", -EINVAL },
		{ "p /a:0xg 2 threshold=1000", -EINVAL },
		{ "p /a:a 2 threshold=1000", -EINVAL },
		{ "p /a:-1 2 threshold=1000", -EINVAL },
		{ "p /a:1 2, threshold=1000", -EINVAL },
		{ "p /a:1 ,2 threshold=1000", -EINVAL },
		{ "p /a:1,,3 2 threshold=1000", -EINVAL },
		{ "p /a:1, 3 2 threshold=1000", -EINVAL },
		{ "p /a:,1 2 threshold=1000", -EINVAL },
		{ "p /a:1 2,x threshold=1000", -EINVAL },
		{ "p /a:1 , threshold=1000", -EINVAL },
		{ "p /a:1,3 2,0x1 threshold=1000", -EINVAL },
		{ "p /a:1,2,0x1 3 threshold=1000", -EINVAL },
		{ "p /a:1 2,3,2 threshold=1000", -EINVAL },
		{ "p /a:1,9223372036854775808 2 threshold=1000", -ERANGE },
		{ "p /a:1," N16 " 2 threshold=1000", -E2BIG },
		{ "p /a:1 2," N16 " threshold=1000", -E2BIG },
		{ "p /a:1," N16 ",x 2 threshold=1000", -EINVAL },
		{ "p /a:1," N16 " 1 threshold=1000 x", -EINVAL },
		{ "-/a:1,2", -EINVAL },
		/* two probes on one instruction have no order */
		{ "p /a:1 1 threshold=1000", -EINVAL },
		{ "p /a:16 0x10 threshold=1000", -EINVAL },
		/* not a number, though long */
		{ "p /a:1 2 threshold=99999999999999999999999x", -EINVAL },
		{ "p /a:99999999999999999999999x 2 threshold=1000", -EINVAL },
		/* of two errors the form is reported */
		{ "p /a:99999999999999999999999 2 x threshold=0", -EINVAL },
		{ "p:" NAME31 "2 /a: 2 threshold=0", -EINVAL },
		{ "-/a:9223372036854775808x", -EINVAL },
		{ "-a:9223372036854775808", -EINVAL },
		{ "p /a:1 2 threshold=0", -ERANGE },
		{ "p /a:1 2 threshold=999", -ERANGE },
		{ "p /a:1 2 threshold=3600000000001", -ERANGE },
		/* 2^64 and 2^64 + 1000 must not wrap, and 2^63 must not be negative */
		{ "p /a:1 2 threshold=18446744073709551616", -ERANGE },
		{ "p /a:1 2 threshold=18446744073709552616", -ERANGE },
		{ "p /a:18446744073709551617 2 threshold=1000", -ERANGE },
		{ "p /a:0x10000000000000001 2 threshold=1000", -ERANGE },
		{ "p /a:9223372036854775808 2 threshold=1000", -ERANGE },
		{ "p /a:1 0x8000000000000000 threshold=1000", -ERANGE },
		{ "-/a", -EINVAL }, { "-/a:", -EINVAL }, { "-/a:1 2", -EINVAL },
		{ "-/a:1x", -EINVAL }, { "- /a:1", -EINVAL },
		{ "-a:1", -EINVAL }, { "-/a:1:", -EINVAL },
		{ "-/a:0xffffffffffffffff", -ERANGE },
		{ "-:", -EINVAL }, { "-: x", -EINVAL }, { "-:x y", -EINVAL },
		{ "-:x:1", -EINVAL }, { "-:/a:1", -EINVAL },
		{ "-:" NAME31 "2", -ENAMETOOLONG },
		/* the budget and the offset do not come first */
		{ "1:2:3:/a", -EINVAL }, { "-2:/a", -EINVAL },
	};
	struct tlob_binding_line b, before;
	char *line;
	size_t i;
	int err;

	memset(&before, 0x5a, sizeof(before));
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		b = before;
		err = parse(t[i].text, strlen(t[i].text), &b, &line);
		if (err != t[i].err)
			fail_msg("'%s': %d, not %d", t[i].text, err, t[i].err);
		assert_memory_equal(&b, &before, sizeof(b));
		free(line);
	}
}

/* A NUL is refused inside a line: the text behind it would be lost. */
TEST(test_nul)
{
	static const char add[] = "p /a:1 2 threshold=1000\0 x";
	static const char path[] = "-/a:1\0b";
	struct tlob_binding_line b;
	char *line;

	assert_int_equal(parse(add, sizeof(add) - 1, &b, &line), -EINVAL);
	free(line);
	assert_int_equal(parse(path, sizeof(path) - 1, &b, &line), -EINVAL);
	free(line);
	/* the NUL behind a line is not part of it */
	assert_int_equal(parse(path, 5, &b, &line), 0);
	free(line);
}

/* A path of @len bytes in each form. */
static int parse_path(const char *form, int len, struct tlob_binding_line *b)
{
	char *path = malloc((size_t)len + 1), *text, *line;
	int err;

	assert_non_null(path);
	memset(path, 'a', (size_t)len);
	path[0] = '/';
	path[len] = '\0';
	assert_true(asprintf(&text, form, path) > 0);
	err = parse(text, strlen(text), b, &line);
	if (!err)
		assert_string_equal(b->path, path);
	free(path);
	free(text);
	free(line);
	return err;
}

TEST(test_path_length)
{
	static const char * const forms[] = {
		"p %s:1 2 threshold=1000", "-%s:1",
	};
	struct tlob_binding_line b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		assert_int_equal(parse_path(forms[i], PATH_MAX - 1, &b), 0);
		assert_int_equal(parse_path(forms[i], PATH_MAX, &b),
				 -ENAMETOOLONG);
		assert_int_equal(parse_path(forms[i], 3 * PATH_MAX, &b),
				 -ENAMETOOLONG);
	}
}

TEST(test_format)
{
	static const struct {
		const char *text, *canonical;
	} t[] = {
		{ " p:x  /a:16 255  threshold=001000\n",
		  "p:x /a:0x10 0xff threshold=1000" },
		{ "p /a b:c:0X:0 1 threshold=1000",
		  "p /a b:c:0X:0x0 0x1 threshold=1000" },
		{ "p /a,1:2,0x1 3,5,004 threshold=1000",
		  "p /a,1:0x2,0x1 0x3,0x5,0x4 threshold=1000" },
	};
	struct tlob_binding_line b, again;
	char buf[TLOB_BINDING_MAX], *line, *line2;
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(parse(t[i].text, strlen(t[i].text), &b, &line),
				 0);
		len = strlen(t[i].canonical);
		assert_int_equal(tlob_format_binding(buf, sizeof(buf), &b), len);
		assert_string_equal(buf, t[i].canonical);
		assert_int_equal(tlob_format_binding(buf, len, &b), -ENOSPC);
		assert_int_equal(tlob_format_binding(buf, len + 1, &b), len);
		assert_int_equal(parse(buf, len, &again, &line2), 0);
		assert_string_equal(again.path, b.path);
		assert_string_equal(again.name, b.name);
		assert_memory_equal(&again.start, &b.start, sizeof(b.start));
		assert_memory_equal(&again.stop, &b.stop, sizeof(b.stop));
		assert_int_equal(again.threshold_ns, b.threshold_ns);
		free(line);
		free(line2);
	}
}

/* TLOB_BINDING_MAX is enough for the longest line, which reads back. */
TEST(test_longest)
{
	struct tlob_binding_line b = {
		.name = NAME31, .threshold_ns = HOUR,
		.start.nr = TLOB_BINDING_OFFSETS, .stop.nr = TLOB_BINDING_OFFSETS,
	}, again = { .path = NULL };
	char path[PATH_MAX], buf[TLOB_BINDING_MAX], *line;
	unsigned int i;
	int len;

	for (i = 0; i < TLOB_BINDING_OFFSETS; i++) {
		b.start.at[i] = INT64_MAX - i;
		b.stop.at[i] = INT64_MAX - TLOB_BINDING_OFFSETS - i;
	}
	memset(path, ':', sizeof(path));
	path[0] = '/';
	path[PATH_MAX - 1] = '\0';
	b.path = path;
	len = tlob_format_binding(buf, sizeof(buf), &b);
	assert_true(len > 0);
	assert_int_equal(parse(buf, (size_t)len, &again, &line), 0);
	assert_string_equal(again.path, path);
	assert_memory_equal(&again.start, &b.start, sizeof(b.start));
	assert_memory_equal(&again.stop, &b.stop, sizeof(b.stop));
	free(line);
	/* nothing is written behind the end, wherever that is */
	for (i = PATH_MAX; i < (unsigned int)len + 1; i++) {
		line = malloc(i);
		assert_non_null(line);
		assert_int_equal(tlob_format_binding(line, i, &b), -ENOSPC);
		free(line);
	}
}

UNIT_MAIN(NULL, NULL)
