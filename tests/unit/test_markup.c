// SPDX-License-Identifier: GPL-2.0
/* Formats whose texts are escaped, and rows of tables. */
#include <inttypes.h>

#include "unit.h"
#include "report/layout.h"
#include "util/markup.h"

#define HOSTILE	"<b>|\"&\033%d"

typedef void (*printer)(FILE *f, const char *fmt, ...);

/* Returns what @print makes of a text between numbers of each type. The caller frees it. */
static char *printed(printer print)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	print(f, "<%s> %d %u %zu %" PRIu64 " %llu %.1f%% %g %s", HOSTILE, -1, 2U, (size_t)3,
	      UINT64_MAX, 5ULL, 6.25, 0.5, "–");
	assert_int_equal(fclose(f), 0);
	return text;
}

#define NUMBERS " -1 2 3 18446744073709551615 5 6.2% 0.5 –"

TEST(test_formats)
{
	static const struct {
		printer print;
		const char *wanted;
	} of[] = {
		{ markup, "<&lt;b&gt;|&quot;&amp;\\x1b%d>" NUMBERS },
		{ markdown, "<\\<b\\>\\|\"&\\\\x1b%d>" NUMBERS },
		{ put_printable, "<<b>|\"&\\x1b%d>" NUMBERS },
	};
	char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		text = printed(of[i].print);
		assert_string_equal(text, of[i].wanted);
		free(text);
	}
}

/* A tab ends a cell, also an empty one at the end of a row. */
TEST(test_rows)
{
	struct table t = { .align = "lrl", .gap = 1 };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	table_cell(&t, "name\tn\t");
	table_cell(&t, "%s\t%d", "a", 100);
	table_cell(&t, "%s", "z");
	assert_int_equal(table_print(&t, f), 0);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, "name   n\na    100 z\n");
	free(text);
}

/* An escape, a bell, a control character of two bytes and one that turns the order of writing. */
#define CONTROLS	"a\033[31m\a\xc2\x9b\u202e–"
#define ESCAPED		"a\\x1b[31m\\x07\\xc2\\x9b\\xe2\\x80\\xae–"

/* Cells and pieces of lines reach no terminal as control characters, however they came there. */
TEST(test_controls)
{
	struct table t = { .align = "lr", .gap = 1 };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct line l = { .f = f };

	assert_non_null(f);
	table_cell(&t, "%s\t%d", CONTROLS, 1);
	assert_int_equal(table_print(&t, f), 0);
	line_put(&l, "", "%s", CONTROLS);
	line_put(&l, ", ", "%s", "\\x1b");
	line_end(&l);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, ESCAPED " 1\n" ESCAPED ", \\x1b\n");
	free(text);
}

UNIT_MAIN(NULL, NULL)
