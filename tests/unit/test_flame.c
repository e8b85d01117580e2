// SPDX-License-Identifier: GPL-2.0
/* Flame graphs: what is in a box, where it is, and that any name makes an SVG. */
#include <errno.h>

#include "report/flame.h"
#include "unit.h"

static char *drawn(struct folded *f, const char *a, const char *b)
{
	const struct flame how = {
		.title = "a <title>", .unit = "instructions", .side = { a, b },
	};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	folded_sort(f);
	assert_int_equal(flame_write(to, f, &how), 0);
	fclose(to);
	assert_non_null(text);
	return text;
}

/* The place of the box of @name. */
static void box_of(const char *svg, const char *name, double *x, double *y, double *width)
{
	char wanted[100];
	const char *at, *number;
	char *end;

	*x = *y = *width = 0;
	snprintf(wanted, sizeof(wanted), "<title>%s: ", name);
	at = strstr(svg, wanted);
	number = at ? strstr(at, "<rect x=\"") : NULL;
	if (!number) {
		fail_msg("no box of %s in:\n%s", name, svg);
		return;
	}
	*x = strtod(number + strlen("<rect x=\""), &end);
	assert_int_equal(strncmp(end, "\" y=\"", 5), 0);
	*y = strtod(end + 5, &end);
	assert_int_equal(strncmp(end, "\" width=\"", 9), 0);
	*width = strtod(end + 9, NULL);
}

TEST(test_one)
{
	struct folded f = { 0 };
	double x, y, width, x2, y2, width2;
	char *svg;

	assert_int_equal(folded_add(&f, "irq;timer", 0, 30), 0);
	assert_int_equal(folded_add(&f, "irq", 0, 10), 0);
	assert_int_equal(folded_add(&f, "idle", 0, 60), 0);
	assert_int_equal(folded_add(&f, "irq;timer", 0, 10), 0);
	svg = drawn(&f, "6.12", NULL);
	assert_contains(svg, "a &lt;title&gt;");
	assert_contains(svg, "<title>all: 110 instructions, 100.0%</title>");
	assert_contains(svg, "<title>timer: 40 instructions, 36.4%</title>");
	box_of(svg, "irq", &x, &y, &width);
	box_of(svg, "timer", &x2, &y2, &width2);
	/* above it, at its beginning, and as wide as its share */
	assert_true(y2 < y && x2 == x);
	assert_true(width2 / width > 0.79 && width2 / width < 0.81);
	box_of(svg, "idle", &x2, &y2, &width2);
	assert_true(y2 == y && (x2 + width2 <= x + 0.1 || x2 >= x + width - 0.1));
	free(svg);
	folded_free(&f);
}

/* Children side by side fit into their caller, also if one has grown and one shrunk. */
TEST(test_two)
{
	struct folded f = { 0 };
	double x, y, width, xa, wa, xb, wb;
	char *svg;

	assert_int_equal(folded_add(&f, "f;old", 0, 50), 0);
	assert_int_equal(folded_add(&f, "f;new", 1, 70), 0);
	assert_int_equal(folded_add(&f, "f", 0, 10), 0);
	assert_int_equal(folded_add(&f, "f", 1, 10), 0);
	svg = drawn(&f, "A", "B & C");
	assert_contains(svg, "<title>f: 60 -&gt; 80 (+20) instructions</title>");
	assert_contains(svg, "<title>old: 50 -&gt; 0 (-50) instructions</title>");
	assert_contains(svg, "red: more in B &amp; C; blue: less");
	box_of(svg, "f", &x, &y, &width);
	box_of(svg, "new", &xa, &y, &wa);
	box_of(svg, "old", &xb, &y, &wb);
	assert_true(xa >= x - 0.1 && xb >= xa + wa - 0.1 && xb + wb <= x + width + 0.1);
	/* all red and all blue */
	assert_contains(svg, "rgb(240,80,80)");
	assert_contains(svg, "rgb(80,80,240)");
	free(svg);
	folded_free(&f);
}

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

TEST(test_names)
{
	struct folded f = { 0 };
	char *svg;

	assert_int_equal(folded_add(&f, "operator<< \"x\" & \x01y", 0, 5), 0);
	svg = drawn(&f, "A", NULL);
	assert_contains(svg, "operator&lt;&lt; &quot;x&quot; &amp; ?y: 5");
	free(svg);
	folded_free(&f);
	/* nothing at all */
	svg = drawn(&f, "A", NULL);
	assert_contains(svg, "</svg>");
	free(svg);
	folded_free(&f);
}

/* The content of explain-a.folded; two files are cut where kernels can be compared. */
TEST(test_read)
{
	char a[] = "idle;asm_sysvec_x;timer 30\nidle 5\nold;schedule;pick 7\n\nold;schedule;pick 1\n";
	char b[] = "boot;asm_sysvec_x;timer 40\nnew;schedule;pick 9", why[100];
	struct folded f = { 0 };
	char *svg;

	assert_int_equal(folded_read(&f, a, 0, true, why, sizeof(why)), 0);
	assert_int_equal(folded_read(&f, b, 1, true, why, sizeof(why)), 0);
	assert_int_equal(f.n, 3);
	assert_string_equal(f.stack[0].text, "asm_sysvec_x;timer");
	assert_int_equal(f.stack[0].n[0], 30);
	assert_int_equal(f.stack[0].n[1], 40);
	assert_string_equal(f.stack[2].text, "schedule;pick");
	assert_int_equal(f.stack[2].n[0], 8);
	assert_int_equal(f.stack[2].n[1], 9);
	svg = drawn(&f, "a", "b");
	/* a page's own rules for boxes must not win */
	assert_lacks(svg, " fill=\"");
	free(svg);
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
