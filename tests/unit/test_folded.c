// SPDX-License-Identifier: GPL-2.0
/* Files of stacks: how they are read, refused, sorted and printed. */
#include <errno.h>

#include "read/stacks.h"
#include "unit.h"

TEST(test_order)
{
	struct folded f = { 0 };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	assert_int_equal(folded_add(&f, "ab", 0, 1), 0);
	assert_int_equal(folded_add(&f, "a b", 0, 2), 0);
	assert_int_equal(folded_add(&f, "a;z", 0, 3), 0);
	assert_int_equal(folded_add(&f, "a", 0, 4), 0);
	assert_int_equal(folded_add(&f, "only B", 1, 5), 0);
	folded_sort(&f);
	assert_int_equal(folded_print(to, &f, 0), 0);
	fclose(to);
	assert_string_equal(text, "a 4\na;z 3\na b 2\nab 1\n");
	free(text);
	folded_free(&f);
}

/* The content of explain-a.folded; two files are cut where kernels can be compared. */
TEST(test_read)
{
	char a[] = "idle;asm_sysvec_x;timer 30\nidle 5\nold;schedule;pick 7\n\nold;schedule;pick 1\n";
	char b[] = "boot;asm_sysvec_x;timer 40\nnew;schedule;pick 9", why[100];
	struct folded f = { 0 };

	assert_int_equal(folded_read(&f, a, 0, true, why, sizeof(why)), 0);
	assert_int_equal(folded_read(&f, b, 1, true, why, sizeof(why)), 0);
	assert_int_equal(f.n, 3);
	assert_string_equal(f.stack[0].text, "asm_sysvec_x;timer");
	assert_int_equal(f.stack[0].n[0], 30);
	assert_int_equal(f.stack[0].n[1], 40);
	assert_string_equal(f.stack[2].text, "schedule;pick");
	assert_int_equal(f.stack[2].n[0], 8);
	assert_int_equal(f.stack[2].n[1], 9);
	folded_free(&f);
}

TEST(test_read_refused)
{
	static const struct {
		const char *text, *why;
	} test[] = {
		{ "a;b 1\nc\n", "line 2: a stack is" }, { "a;b \n", "line 1" }, { " 5\n", "line 1" },
		{ "a -5\n", "line 1" }, { "a 5x\n", "line 1" },
		{ "a 18446744073709551616\n", "line 1" },
	};
	char why[100];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(test); i++) {
		char *text = strdup(test[i].text);
		struct folded f = { 0 };

		assert_int_equal(folded_read(&f, text, 0, false, why, sizeof(why)), -EINVAL);
		assert_contains(why, test[i].why);
		folded_free(&f);
		free(text);
	}
}

UNIT_MAIN(NULL, NULL)
