// SPDX-License-Identifier: GPL-2.0
/*
 * Functions and differences: from three windows of Linux 6.12 PREEMPT_RT that the plugin has
 * written (explain/; blocks of a function that follow each other are one segment there), and from
 * rows that are written here.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "explain/explain.h"
#include "explain/step_parts.h"
#include "explain/flame.h"
#include "unit.h"

/* ---- files ---- */

TEST(test_refused)
{
	static const struct {
		const char *text, *why;
	} test[] = {
		{ "tlob-plugin 2\nend 0\n", "line 1: not a file of the plugin" },
		{ "tlob-plugin 1\n", "the end is missing" },
		{ "tlob-plugin 1\nend 1\n", "too long" },
		{ "tlob-plugin 1\nend 0\nend 0\n", "more behind the end" },
		{ "tlob-plugin 1\npath 0 t1 t2 t3\nend 0\n", "line 2: a path has the number" },
		{ "tlob-plugin 1\nsegment 1 4 0 r\nend 0\n", "a segment is" },
		{ "tlob-plugin 1\nsegment 1 4 1 x\nend 0\n", "a segment is" },
		{ "tlob-plugin 1\nsegment 1 4294967295 1 r\nend 0\n", "1 to 15 bytes" },
		{ "tlob-plugin 1\nsegment 1 4 5 r\nend 0\n", "1 to 15 bytes" },
		{ "tlob-plugin 1\nsegment fffffffffffffffe 4 2 r\nend 0\n", "1 to 15 bytes" },
		{ "tlob-plugin 1\nsegment 1 4 1 r\npath 0 t2 t1 t3\nend 0\n", "in this order" },
		{ "tlob-plugin 1\nsegment 1 4 1 r\npath 0 t1 t2\nend 0\n", "in this order" },
		{ "tlob-plugin 1\nsegment 1 4 1 r\npath t1 t2 t3 0\nend 0\n", "after t3" },
		{ "tlob-plugin 1\nsegment 1 4 1 r\npath 0*0 t1 t2 t3\nend 0\n", "number of times" },
		{ "tlob-plugin 1\nsegment 1 4 1 r\npath 0 t1 t2 t3\nwindow 0 2 0 0 0 idle\nend 1\n",
		  "other instructions than its path" },
		{ "tlob-plugin 1\nsegment 1 4 1 r\npath 0 t1 t2 t3\nwindow 0 1 0 0 0 dead\nend 1\n",
		  "a window is" },
	};
	char why[200];
	struct profile p;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(test); i++) {
		char *text = strdup(test[i].text);

		assert_int_equal(profile_read(&p, text, why, sizeof(why)), -EINVAL);
		assert_contains(why, test[i].why);
		free(text);
	}
}

TEST(test_lost_events)
{
	struct records r;
	char why[200];

	assert_int_equal(records_read(&r, "# entries-in-buffer/entries-written: 5/7   #P:1\n",
				      why, sizeof(why)), -EINVAL);
	assert_contains(why, "last 5 of 7 windows");
	assert_int_equal(records_read(&r, "x tlob_window: cpu=0 activation=1 t0=5 irq_latency=7 wake=6 response=9 flags=0x0\n",
				      why, sizeof(why)), -EINVAL);
	assert_contains(why, "window 1 of the trace");
	assert_int_equal(records_read(&r, "", why, sizeof(why)), -EINVAL);
}

/* ---- three recorded windows ---- */

static void load(struct executed *e)
{
	assert_int_equal(executed_read_guest(e, &(struct executed_files){
		.symbols.guest = "explain/kallsyms", .windows = "explain/trace",
	}), 0);
	assert_int_equal(executed_read_profile(e, "explain/executed"), 0);
}

static uint64_t net_of(const struct tally *t, const char *name, uint64_t *inclusive)
{
	uint64_t net = 0;
	size_t i;

	*inclusive = 0;
	for (i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].function->name, name)) {
			net += t->row[i].net[0] + t->row[i].net[1];
			*inclusive += t->row[i].inclusive[0] + t->row[i].inclusive[1];
		}
	return net;
}

/* Every instruction is in one function, and in one root. */
TEST(test_recorded_sums)
{
	struct executed e;
	static const uint64_t in_interrupts[] = { 3754, 2267, 2286 };
	uint64_t sum[NR_PHASES], inclusive;
	size_t i, k;
	enum phase p;

	load(&e);
	assert_int_equal(e.profile.windows, 3);
	for (i = 0; i < 3; i++) {
		const struct tally *t = executed_tally(&e, i);

		memset(sum, 0, sizeof(sum));
		for (k = 0; k < t->n; k++)
			for (p = 0; p < NR_PHASES; p++)
				sum[p] += t->row[k].net[p];
		assert_memory_equal(sum, e.profile.path[i].n, sizeof(sum));
		net_of(t, "asm_sysvec_apic_timer_interrupt", &inclusive);
		assert_int_equal(inclusive, in_interrupts[i]);
	}
	executed_free(&e);
}

TEST(test_recorded_windows)
{
	uint64_t inclusive;
	struct executed e;
	size_t window;

	load(&e);
	/* the first one was not idle at the expiry, and cut to the nanosecond */
	assert_int_equal(e.profile.window[0].state, 'b');
	assert_int_equal(executed_asleep(&e, 0), 0);
	assert_int_equal(executed_asleep(&e, 1), e.records.record[1].wake - 3876);
	assert_int_equal(executed_window_at(&e, 1, &window), 0);
	assert_int_equal(window, 2);
	assert_int_equal(executed_window_at(&e, 0, &window), 0);
	assert_int_equal(window, 1);
	assert_int_equal(net_of(executed_tally(&e, 1), "psi_group_change", &inclusive), 190);
	assert_int_equal(inclusive, 224);
	executed_free(&e);
}

/* The readings of the clock divide a path as they have divided the window. */
TEST(test_recorded_parts)
{
	struct executed e;
	size_t i, k;
	unsigned int part;

	load(&e);
	for (i = 0; i < 3; i++) {
		const struct record *r = &e.records.record[i];
		const struct path *p = executed_path(&e, i);
		const struct tally *t = executed_tally(&e, i);
		uint64_t sum[WAKE_PARTS] = { 0 };

		assert_non_null(p->part);
		assert_true(t->divided);
		for (k = 0; k < t->n; k++)
			for (part = 0; part < WAKE_PARTS; part++)
				sum[part] += t->row[k].part[part];
		sum[TLOB_WAKE_IRQ_DELAY] += executed_asleep(&e, i);
		for (part = 0; part < WAKE_PARTS; part++)
			assert_in_range(sum[part] + 1 - r->part[part], 0, 2);
	}
	/* the first window found another task, the others none */
	assert_int_equal(e.records.record[0].part[TLOB_WAKE_THREAD], 1298);
	assert_int_equal(e.records.record[1].part[TLOB_WAKE_THREAD], 0);
	executed_free(&e);
}

/* A path is not divided if one of its windows had other parts: an nmi's time has no place. */
TEST(test_not_divided)
{
	struct executed e;
	struct path *p;

	load(&e);
	p = &e.profile.path[1];
	assert_true(parts_agree(p, &e.profile, &e.records.record[1], executed_asleep(&e, 1)));
	e.records.record[1].part[TLOB_WAKE_NMI] += 40;
	e.records.record[1].part[TLOB_WAKE_IRQ] -= 40;
	assert_false(parts_agree(p, &e.profile, &e.records.record[1], executed_asleep(&e, 1)));
	free(p->part);
	p->part = NULL;
	assert_int_equal(parts_divide(p, &e.profile, e.place, &e.records.record[1],
				      executed_asleep(&e, 1)), 0);
	assert_null(p->part);
	executed_free(&e);
}

TEST(test_does_not_add_up)
{
	struct executed e;

	load(&e);
	e.records.record[1].response += 3;
	profile_free(&e.profile);
	free(e.place);
	free(e.tree);
	free(e.tally);
	e.place = NULL;
	e.tree = NULL;
	e.tally = NULL;
	assert_int_equal(executed_read_profile(&e, "explain/executed"), -EINVAL);
	executed_free(&e);
}

/* ---- differences ---- */

static const struct ksym old_name = { .name = "pick_next_task_rt", .module = "" };
static const struct ksym new_name = { .name = "pick_task_rt", .module = "" };
static const struct ksym caller = { .name = "__schedule", .module = "" };
static const struct ksym helper = { .name = "context_switch", .module = "" };
static const struct ksym probe = { .name = "on_wakeup", .module = "slow" };

static struct row row(const struct ksym *f, uint64_t net, const struct ksym *called_by)
{
	return (struct row){
		.function = f, .net = { 0, net, 0 }, .inclusive = { 0, net, 0 },
		.caller = called_by,
	};
}

TEST(test_difference)
{
	struct row ra[] = {
		row(&caller, 200, NULL), row(&old_name, 44, &caller), row(&helper, 60, &caller),
	};
	struct row rb[] = {
		row(&caller, 255, NULL), row(&new_name, 46, &caller), row(&probe, 300, NULL),
	};
	const struct tally ta = { .row = ra, .n = 3 }, tb = { .row = rb, .n = 3 };
	const struct tally *a[] = { &ta, &ta }, *b[] = { &tb, &ta };
	struct difference d;
	int64_t sum = 0;
	size_t i;

	assert_int_equal(difference_make(&d, a, b, 2, SPAN_WAKE), 0);
	for (i = 0; i < d.n; i++)
		sum += change_of(&d.change[i]);
	assert_int_equal(sum, (int64_t)(d.net[1] - d.net[0]));
	assert_int_equal(sum, 297);
	assert_string_equal(d.change[0].name, "on_wakeup");
	assert_string_equal(d.change[0].module, "slow");
	assert_int_equal(change_of(&d.change[0]), 300);
	assert_int_equal(d.change[0].in[0], 0);
	assert_int_equal(d.change[0].in[1], 1);
	assert_int_equal(d.change[0].changed, 1);
	difference_free(&d);
}

static const struct change *named(const struct difference *d, const char *name)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (!strcmp(d->change[i].name, name))
			return &d->change[i];
	fail_msg("no %s", name);
	return NULL;
}

TEST(test_likely)
{
	struct row ra[] = {
		row(&caller, 200, NULL), row(&old_name, 44, &caller), row(&helper, 60, &caller),
	};
	struct row rb[] = {
		row(&caller, 255, NULL), row(&new_name, 46, &caller), row(&probe, 300, NULL),
	};
	const struct tally ta = { .row = ra, .n = 3 }, tb = { .row = rb, .n = 3 };
	const struct tally *a = &ta, *b = &tb;
	struct difference d;

	assert_int_equal(difference_make(&d, &a, &b, 1, SPAN_WAKE), 0);
	assert_int_equal(named(&d, "pick_next_task_rt")->likely, LIKELY_RENAMED);
	assert_string_equal(d.change[named(&d, "pick_next_task_rt")->with].name, "pick_task_rt");
	assert_int_equal(named(&d, "context_switch")->likely, LIKELY_INLINED);
	assert_string_equal(d.change[named(&d, "context_switch")->with].name, "__schedule");
	assert_int_equal(named(&d, "on_wakeup")->likely, LIKELY_NOTHING);
	difference_free(&d);
}

/* ---- what is printed ---- */

static const char *instead_of_psi;	/* a function's name */

static void assert_80_columns(const char *text)
{
	const char *end;

	for (; *text; text = end + 1) {
		end = strchr(text, '\n');
		assert_non_null(end);
		if (end - text > 80)
			fail_msg("%d columns: %.*s", (int)(end - text), (int)(end - text), text);
	}
}

/* The middle one of the three windows, or the longest one against itself. */
static char *printed_pairs(const char *which, unsigned int sides, unsigned int pairs,
			   int (*print)(FILE *f, const struct explanation *x))
{
	size_t size;
	struct executed boot[4];
	struct explanation x = {
		.sides = sides, .which = which,
		.side = {
			{ "one <kernel>", &boot[0], pairs, NULL },
			{ "another", &boot[2], pairs, NULL },
		},
	};
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);
	unsigned int i;

	assert_non_null(f);
	for (i = 0; i < ARRAY_SIZE(boot); i++) {
		load(&boot[i]);
		for (size = 0; size < boot[i].symbols.n && instead_of_psi; size++)
			if (i >= 2 && !strcmp(boot[i].symbols.sym[size].name, "psi_group_change"))
				boot[i].symbols.sym[size].name = boot[i].symbols.sym[size].own = instead_of_psi;
	}
	/* in the second pair the longest window of B is another one; for the mean it lacks the first */
	if (pairs > 1)
		boot[3].records.record[strcmp(which, "mean") ? 2 : 0].flags |= TLOB_WINDOW_WARM_UP;
	assert_int_equal(explain_prepare(&x), 0);
	assert_int_equal(print(f, &x), 0);
	fclose(f);
	explain_free(&x);
	for (i = 0; i < ARRAY_SIZE(boot); i++)
		executed_free(&boot[i]);
	return text;
}

static char *printed(unsigned int sides, int (*print)(FILE *f, const struct explanation *x))
{
	return printed_pairs(sides > 1 ? "max" : "p50", sides, 1, print);
}

/* The sum of the column "B - A", and of what the table leaves out. */
static double sum_of_changes(const char *text)
{
	double sum = 0, more;
	char *end;

	text = strchr(strstr(text, "\n   B - A") + 1, '\n');
	for (; text; text = strchr(end, '\n')) {
		more = strtod(text, &end);
		if (end == text)
			break;
		sum += more;
	}
	return sum;
}

static int folded_of_a(FILE *f, const struct explanation *x)
{
	return explain_folded(f, x, 0);
}

/* The sum of the numbers at the ends of lines. */
static uint64_t sum_of_folded(const char *text)
{
	uint64_t sum = 0;

	for (; (text = strchr(text, '\n')); text++) {
		const char *number = text;

		while (number[-1] != ' ')
			number--;
		sum += strtoull(number, NULL, 10);
	}
	return sum;
}

/* All windows: in the second boot of B without the first one, so each boot has two. */
TEST(test_mean)
{
	char *text = printed_pairs("mean", 2, 1, explain_text);
	struct executed e;
	double wake[2] = { 0 };
	size_t i;

	assert_contains(text, "\nmean of 3 windows of `wake`\n");
	assert_true(sum_of_changes(text) == 0);
	free(text);
	load(&e);
	/* A has the first two of each boot, B the last two of the second */
	for (i = 0; i < 3; i++) {
		uint64_t n = path_wake(executed_path(&e, i));

		wake[0] += i < 2 ? 2 * n : 0;
		wake[1] += (i < 2 ? n : 0) + (i ? n : 0);
	}
	executed_free(&e);
	text = printed_pairs("mean", 2, 2, explain_text);
	assert_contains(text, "\nmean of 4 windows of `wake`\n");
	assert_contains(text, "inclusive windows");
	assert_true(wake[1] != wake[0]);
	assert_true(fabs(sum_of_changes(text) - (wake[1] - wake[0]) / 4) < 1.3);
	assert_80_columns(text);
	free(text);
	/* the flame graph has all windows of the first boot */
	text = printed_pairs("mean", 1, 1, folded_of_a);
	load(&e);
	assert_true(sum_of_folded(text) == path_wake(executed_path(&e, 0)) +
		    path_wake(executed_path(&e, 1)) + path_wake(executed_path(&e, 2)));
	executed_free(&e);
	free(text);
}

/* A change in all pairs is common, the rest depends on the phase. */
TEST(test_pairs)
{
	char *text = printed_pairs("max", 2, 2, explain_text);
	const struct tally *a[2], *b[2];
	struct executed e;
	struct difference d;
	int64_t sum = 0;
	size_t i;

	assert_contains(text, "max windows of `wake` of 2 pairs, means");
	assert_contains(text, "inclusive  pairs");
	free(text);
	load(&e);
	a[0] = a[1] = executed_tally(&e, 0);
	b[0] = b[1] = executed_tally(&e, 1);
	assert_int_equal(difference_make(&d, a, b, 2, SPAN_WAKE), 0);
	for (i = 0; i < d.n; i++) {
		assert_int_equal(d.change[i].changed, change_of(&d.change[i]) ? 2 : 0);
		sum += change_of(&d.change[i]);
	}
	assert_int_equal(sum, d.net[1] - d.net[0]);
	assert_int_not_equal(sum, 0);
	difference_free(&d);
	b[1] = a[0];
	assert_int_equal(difference_make(&d, a, b, 2, SPAN_WAKE), 0);
	for (i = 0; i < d.n; i++)
		assert_int_equal(d.change[i].changed, change_of(&d.change[i]) ? 1 : 0);
	difference_free(&d);
	executed_free(&e);
}

TEST(test_text)
{
	char *text = printed(1, explain_text);

	assert_contains(text, "3 windows took 3 paths");
	assert_contains(text, "\nwake.irq_delay 210 ns = 0 asleep + 210 instructions\n");
	assert_contains(text, "\nwake.thread 1298 ns = ");
	assert_contains(text, " psi_group_change\n");
	assert_contains(text, "p99 window - p50 window: +");
	assert_80_columns(text);
	free(text);
	/* a long name, and what it was before */
	instead_of_psi = "psi_group_change_of_a_task_tree";
	text = printed(2, explain_text);
	instead_of_psi = NULL;
	assert_80_columns(text);
	assert_contains(text, " psi_group_change_of_a_task_tree, ..\n");
	assert_contains(text, "\n                                               likely psi_group_change\n");
	free(text);
	text = printed(2, explain_text);
	assert_contains(text, "wake, ns");
	assert_contains(text, "\n  wake.irq_delay, ns ");
	assert_lacks(text, "new");
	free(text);
}

/* Hostile names: on a terminal, in a stack and in XML. */
TEST(test_hostile_names)
{
	static const char name[] = "\033[2J<&\";\xff\xc2\xb7\xe2\x80\xae\n";
	struct stack stack[] = { { .text = (char *)name, .n = { 400, 0 } } };
	const struct folded f = { .stack = stack, .n = 1 };
	const struct flame how = { .title = name, .side = { name, NULL } };
	char buf[FUNCTION_LEN], many[400], *text;
	size_t size;
	FILE *to;

	assert_string_equal(function_name(buf, name, name),
			    "?[2J<&\"??\xc2\xb7???? [?[2J<&\"??\xc2\xb7????]");
	memset(many, 0xc2, sizeof(many));
	many[sizeof(many) - 1] = 0;
	assert_int_equal(strlen(function_name(buf, many, many)), 120 + 60 + 3);
	to = open_memstream(&text, &size);
	assert_non_null(to);
	assert_int_equal(flame_write(to, &f, &how), 0);
	fclose(to);
	assert_contains(text, "<title>?[2J&lt;&amp;&quot;: 400 instructions, 100.0%</title>");
	assert_null(strpbrk(text, "\033\xff"));
	free(text);
}

TEST(test_flame)
{
	char *text = printed(1, explain_flame);

	assert_contains(text, "one &lt;kernel&gt;");
	assert_contains(text, "<title>[user]: 3942 instructions, 100.0%");
	free(text);
	/* cut where an interrupt begins, and the scheduler */
	text = printed(2, explain_flame);
	assert_contains(text, "<title>asm_sysvec_apic_timer_interrupt: ");
	assert_contains(text, "<title>schedule_idle: ");
	free(text);
}

/* Also what test_explain.sh compares with the schema: $EXPLAIN_SAMPLES/1.json and 2.json. */
TEST(test_json)
{
	const char *dir = getenv("EXPLAIN_SAMPLES");
	unsigned int sides;
	char path[4096], *text;
	FILE *f;

	for (sides = 1; sides <= 2; sides++) {
		text = printed(sides, explain_json);
		assert_contains(text, sides == 1 ? "\"at_expiry\":\"busy\"" :
				"\"at_expiry\":\"idle\"");
		if (dir) {
			snprintf(path, sizeof(path), "%s/%u.json", dir, sides);
			f = fopen(path, "we");
			assert_non_null(f);
			fputs(text, f);
			assert_int_equal(fclose(f), 0);
		}
		free(text);
	}
}

UNIT_MAIN(NULL, NULL)
