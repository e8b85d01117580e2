// SPDX-License-Identifier: GPL-2.0
/* Flame graphs: what is in a box, where it is, and that any name makes an SVG. */
#include "explain/flame.h"
#include "unit.h"

static char *drawn(struct folded *f, const char *a, const char *b)
{
	const struct flame how = {
		.title = "a <title>", .side = { a, b },
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

UNIT_MAIN(NULL, NULL)
