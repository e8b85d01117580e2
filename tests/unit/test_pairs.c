// SPDX-License-Identifier: GPL-2.0
/* Lists of pairs that are taken out of JSON: exactly those that json-c would read the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "read/pairs.h"

#define MAX	4

static bool take(struct pair_lists *l, const char *text)
{
	/* a copy of its own size: an access behind it is found */
	size_t n = strlen(text);
	static const char *const keys[] = { "b", "long", NULL };
	void *copy = malloc(n);
	bool taken;

	assert_non_null(copy);
	memcpy(copy, text, n);
	taken = pairs_take(l, copy, n, keys, MAX);
	free(copy);
	return taken;
}

static void assert_text(const struct pair_lists *l, const char *text)
{
	assert_int_equal(l->size, strlen(text));
	assert_memory_equal(l->text, text, l->size);
}

TEST(test_taken)
{
	struct pair_lists l;

	(void)state;
	assert_true(take(&l, "{\"b\":[[1,2],[18446744073709551615,0]],\"c\":[[1,2]],\"d\":{ \"b\" :\n[ ] }}"));
	assert_text(&l, "{\"b\":0,\"c\":[[1,2]],\"d\":{ \"b\" :\n1 }}");
	assert_int_equal(l.nlists, 2);
	assert_int_equal(l.list[0].n, 2);
	assert_true(l.pair[0][0] == 1 && l.pair[0][1] == 2);
	assert_true(l.pair[1][0] == UINT64_MAX && l.pair[1][1] == 0);
	assert_int_equal(l.list[1].first, 2);
	assert_int_equal(l.list[1].n, 0);
	pairs_free(&l);

	/* a string is no key; one that ends like the key has a value that is not read */
	assert_true(take(&l, "[\"b\",{\"a\\\"b\":[ [ 1 , 2 ]\t,[3,4]\r]}]"));
	assert_text(&l, "[\"b\",{\"a\\\"b\":0}]");
	pairs_free(&l);
	assert_true(take(&l, "{\"long\":[[1,2]],\"b\":{\"b\":[]},\"lon\":[],\"longer\":[[1]]}"));
	assert_text(&l, "{\"long\":0,\"b\":{\"b\":1},\"lon\":[],\"longer\":[[1]]}");
	pairs_free(&l);
	assert_true(take(&l, "{}"));
	assert_text(&l, "{}");
	pairs_free(&l);
}

/* json-c reads these, and says what is wrong. */
TEST(test_left)
{
	static const char * const text[] = {
		"{\"b\":3}", "{\"b\":null}", "{\"b\":\"0\"}", "{\"b\":[1]}",
		"{\"b\":[[1]]}", "{\"b\":[[1,2,3]]}", "{\"b\":[[1,2],]}", "{\"b\":[,[1,2]]}",
		"{\"b\":[[1,2][3,4]]}", "{\"b\":[[1,-2]]}", "{\"b\":[[1,2.0]]}", "{\"b\":[[1,2e1]]}",
		"{\"b\":[[01,2]]}", "{\"b\":[[1,+2]]}", "{\"b\":[[1,18446744073709551616]]}",
		"{\"b\":[[1,99999999999999999999999]]}", "{\"b\":[[,2]]}", "{\"b\":[[1,]]}",
		"{\"b\":[[1,2]", "{\"b\":[[1,2", "{\"b\":[[1,", "{\"b\":[[1", "{\"b\":[[", "{\"b\":[",
		"{\"b\":", "{\"b\":[[1,2],[1,2],[1,2],[1,2],[1,2]]}", "{\"b\":[[1,2]],\"c\":{\"b\":1}}",
		"{\"\\u0062\":[[1,2]]}", "{\"b\":[[1,2]],\"\\u0062\":[[1,2]]}", "{\"b\":[[1 2]]}",
	};
	struct pair_lists l;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(text); i++)
		if (take(&l, text[i]))
			fail_msg("taken: %s", text[i]);
}

/* An index may have more digits than the shortest list has characters. */
TEST(test_many_lists)
{
	static const char one[] = "\"b\":[],";
	char text[1002 * sizeof(one)] = "";
	struct pair_lists l;
	size_t len = 0;
	int i;

	(void)state;
	for (i = 0; i < 1000; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", one);
	assert_true(take(&l, text));
	assert_int_equal(l.nlists, 1000);
	pairs_free(&l);
	snprintf(text + len, sizeof(text) - len, "%s", one);
	assert_false(take(&l, text));
}

UNIT_MAIN(NULL, NULL)
