// SPDX-License-Identifier: GPL-2.0
/* The screens of a run: the table in place, all CPUs, one CPU. The table of a region. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/cause_text.h"
#include "report/functions_render.h"
#include "report/layout.h"
#include "report/parts_text.h"
#include "report/region.h"
#include "report/render.h"
#include "report/screen.h"
#include "report/snapshot.h"
#include "result/attached.h"
#include "util/markup.h"
#include "util/memstream.h"

#define BAR_WIDTH	8
#define REGION_BAR_WIDTH	24
#define REGION_ROW	43	/* columns before the bar */
#define REGION_WORST	5
#define CAUSE_COLUMN	29	/* behind activation, response and wake */
#define REGION_CAUSE_COLUMN	15
#define SCREEN_WRAPS	60	/* columns from which on a cause has room to wrap */

/* A backend that sees no part still separates the two phases. */
static const struct bar_part phases[] = {
	{ 'w', 117, "wake", 0 }, { '=', 35, "work", 0 },
};

const char *screen_sort_name(enum screen_sort sort)
{
	static const char * const names[] = {
		[SORT_CPU] = "cpu", [SORT_VIOLATIONS] = "violations",
		[SORT_MISSED] = "missed", [SORT_WAKE] = "wake max",
		[SORT_RESPONSE] = "response max",
	};

	return names[sort];
}

static bool is_blind(const struct snapshot *s)
{
	return s->n && parts_are_unavailable(s->cpu[0].unavailable);
}

/* The bar of @part_ns, both phases of a part together; the legend has the parts that took time. */
static void bar_of(struct bar_part bar[NR_PART_KINDS], const uint64_t part_ns[TLOB_NR_PARTS])
{
	unsigned int i;

	for (i = 0; i < NR_PART_KINDS; i++)
		bar[i] = (struct bar_part){ part_kinds[i].letter, part_kinds[i].terminal, NULL, 0 };
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		if (!part_ns[i])
			continue;
		bar[part_kind(i)].name = part_short_name(i);
		bar[part_kind(i)].ns += part_ns[i];
	}
}

static void put_bar(FILE *f, const struct snapshot_cpu *c, const struct view *v)
{
	struct bar_part part[NR_PART_KINDS], phase[2];

	if (parts_are_unavailable(c->unavailable)) {
		memcpy(phase, phases, sizeof(phase));
		phase[0].ns = c->wake_sum;
		phase[1].ns = c->response_sum - c->wake_sum;
		screen_bar(f, v, phase, 2, BAR_WIDTH);
		return;
	}
	bar_of(part, c->part_sum);
	screen_bar(f, v, part, NR_PART_KINDS, BAR_WIDTH);
}

static void put_head(FILE *f, const struct snapshot *s, const struct view *v)
{
	screen_head(f, v, s->elapsed_ns, s->duration_ns, s->period_ns, s->budget_ns, s->clock_ns);
}

/*
 * What a row has besides its counts and its long responses. A number that is cut is another number:
 * where a row is wider than the terminal, the first ones of this list go.
 */
enum { SHOWS_PARTS, SHOWS_P50, SHOWS_OFFENDER, SHOWS_WAKE, NR_SHOWS };

#define ROW_LEAST	35	/* columns without all of them */
#define LATENCY_WIDTH	6

static unsigned int columns_of(const struct view *v)
{
	/* an offender's name needs ten or more */
	static const unsigned int widths[NR_SHOWS] = {
		[SHOWS_PARTS] = 1 + BAR_WIDTH, [SHOWS_P50] = 2 * LATENCY_WIDTH, [SHOWS_OFFENDER] = 11,
		[SHOWS_WAKE] = 2 * LATENCY_WIDTH,
	};
	unsigned int columns = 0, room = v->cols > ROW_LEAST ? v->cols - 1 - ROW_LEAST : 0, i;

	for (i = NR_SHOWS; i-- && widths[i] <= room; room -= widths[i])
		columns |= 1U << i;
	return columns;
}

static bool shows(unsigned int columns, unsigned int which)
{
	return columns & 1U << which;
}

static void put_legend(FILE *f, const struct snapshot *s, const struct view *v)
{
	struct bar_part part[NR_PART_KINDS];

	if (!shows(columns_of(v), SHOWS_PARTS))
		return;
	if (is_blind(s)) {
		screen_legend(f, v, phases, 2);
		return;
	}
	bar_of(part, s->n > 1 ? s->all.part_sum : s->cpu[0].part_sum);
	screen_legend(f, v, part, NR_PART_KINDS);
}

static void put_titles(FILE *f, const struct view *v)
{
	const char *bold = v->colour ? "\033[1m" : "", *plain = v->colour ? "\033[0m" : "";
	unsigned int columns = columns_of(v);
	bool p50 = shows(columns, SHOWS_P50), wake = shows(columns, SHOWS_WAKE);
	bool offender = shows(columns, SHOWS_OFFENDER);
	int width = LATENCY_WIDTH * (p50 ? 3 : 2), parts = shows(columns, SHOWS_PARTS) ? 1 + BAR_WIDTH : 0;
	const char *names = p50 ? "   p50 p99.9   max" : " p99.9   max";

	fprintf(f, "%sus                      %-*s%-*s%-*s%s%s\n", bold, wake ? width : 0, wake ? "wake" : "",
		width, "response", parts, parts ? "parts" : "", offender ? "last" : "", plain);
	fprintf(f, "%scpu windows  viol  miss%s%s%*s%s%s\n", bold, wake ? names : "", names, parts, "",
		offender ? " offender" : "", plain);
}

static uint64_t usual_work(const struct snapshot_cpu *c)
{
	return c->windows ? c->part_sum[TLOB_WORK_ON_CPU] / c->windows : 0;
}

static void put_offender(FILE *f, const struct watch_window *last, uint64_t usual)
{
	char name[PRINTABLE_NAME];
	struct cause c;

	fprintf(f, " %s", cause_name(name, &last->w, usual));
	if (cause_of(&c, &last->w, usual))
		place_text(f, c.part, &last->place);
}

static void put_latency(FILE *f, const struct snapshot_latency *l, unsigned int columns)
{
	char text[SCREEN_US_LEN];

	if (shows(columns, SHOWS_P50))
		fprintf(f, " %5s", screen_us(text, l->p50));
	fprintf(f, " %5s", screen_us(text, l->p999));
	fprintf(f, " %5s", screen_us(text, l->max));
}

static void put_row(FILE *f, const struct snapshot_cpu *c, const struct view *v)
{
	unsigned int columns = columns_of(v);

	screen_cpu_counts(f, c, v, 7);
	if (shows(columns, SHOWS_WAKE))
		put_latency(f, &c->wake, columns);
	put_latency(f, &c->response, columns);
	if (shows(columns, SHOWS_PARTS)) {
		fputc(' ', f);
		put_bar(f, c, v);
	}
	if (c->watch.last.w.response_ns && shows(columns, SHOWS_OFFENDER))
		put_offender(f, &c->watch.last, usual_work(c));
	fputc('\n', f);
}

/* The larger goes first; of equal ones the earlier CPU. */
static uint64_t key_of(const struct snapshot_cpu *c, enum screen_sort sort)
{
	const struct snapshot_latency *l = sort == SORT_WAKE ? &c->wake : &c->response;

	switch (sort) {
	case SORT_VIOLATIONS:
		return c->violations;
	case SORT_MISSED:
		return c->missed;
	case SORT_WAKE: case SORT_RESPONSE:
		return l->max == SNAPSHOT_FEW ? 0 : l->max;
	case SORT_CPU: case SCREEN_NR_SORTS:
		break;
	}
	return 0;
}

/* qsort() gives no way to pass these on; one thread draws. */
static const struct snapshot *sorted;
static enum screen_sort sorted_by;

static int by_key(const void *a, const void *b)
{
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const struct snapshot_cpu *x = &sorted->cpu[i], *y = &sorted->cpu[k];
	uint64_t kx = key_of(x, sorted_by), ky = key_of(y, sorted_by);

	if (kx == ky && sorted_by == SORT_VIOLATIONS) {
		kx = key_of(x, SORT_RESPONSE);
		ky = key_of(y, SORT_RESPONSE);
	}
	if (kx != ky)
		return kx < ky ? 1 : -1;
	return i < k ? -1 : i > k;
}

void screen_order(const struct snapshot *s, enum screen_sort sort, size_t *order)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		order[i] = i;
	sorted = s;
	sorted_by = sort;
	qsort(order, s->n, sizeof(*order), by_key);
}

/* Rows of CPUs between the titles and the legend; the sum of several has its own. */
static size_t room_of(const struct view *v, size_t n)
{
	size_t others = SCREEN_HEADER_ROWS + 1 + (n > 1);

	return v->rows > others + 1 ? v->rows - others : 1;
}

/* The data of a screen, the order of its CPUs, and the CPU that is shown alone. */
struct shown {
	const struct snapshot *s;
	const struct view *v;
	const size_t *order;
	const struct snapshot_cpu *one;
};

static void put_run(FILE *f, const void *data)
{
	const struct shown *shown = data;
	const struct snapshot *s = shown->s;
	const struct view *v = shown->v;
	size_t room = room_of(v, s->n), rows = s->n, i;

	if (rows > room)
		rows = room > 1 ? room - 1 : 1;	/* a line says how many are left out */
	put_head(f, s, v);
	put_titles(f, v);
	for (i = 0; i < rows; i++)
		put_row(f, &s->cpu[shown->order[i]], v);
	if (rows < s->n)
		fprintf(f, "    and %zu CPUs more; shown are the worst\n", s->n - rows);
	if (s->n > 1)
		put_row(f, &s->all, v);
	put_legend(f, s, v);
}

size_t screen_cpus_room(const struct view *v)
{
	return room_of(v, 2);
}

static void put_row_of_top(FILE *f, const struct snapshot *s, const struct snapshot_cpu *c,
			   const struct view *v)
{
	if (s->sets)
		functions_row(f, s, c, v);
	else
		put_row(f, c, v);
}

static void put_cpus(FILE *f, const void *data)
{
	const struct shown *shown = data;
	const struct snapshot *s = shown->s;
	const struct view *v = shown->v;
	size_t room = screen_cpus_room(v), i;
	struct view marked = *v;

	marked.colour = false;
	put_head(f, s, v);
	if (s->sets)
		functions_titles(f, s, v);
	else
		put_titles(f, v);
	for (i = v->first; i < s->n && i < v->first + room; i++) {
		bool is_marked = v->cursor >= 0 && i == v->first + (size_t)v->cursor;

		fputs(is_marked ? "\033[7m" : "", f);
		put_row_of_top(f, s, &s->cpu[shown->order[i]], is_marked ? &marked : v);
		fputs(is_marked ? "\033[0m" : "", f);
	}
	if (s->n > 1)
		put_row_of_top(f, s, &s->all, v);
	if (s->sets)
		functions_legend(f);
	else
		put_legend(f, s, v);
}

/* Prints what @put prints of the CPUs in that order, cut to the terminal. */
static void put_ordered(FILE *f, const struct snapshot *s, const struct view *v,
			enum screen_sort sort, void (*put)(FILE *f, const void *data))
{
	size_t *order = calloc(s->n ? s->n : 1, sizeof(*order));
	const struct shown shown = { .s = s, .v = v, .order = order };

	if (order) {
		screen_order(s, sort, order);
		screen_put(f, v, put, &shown);
	}
	free(order);
}

void screen_run(FILE *f, const struct snapshot *s, const struct view *v)
{
	put_ordered(f, s, v, s->n > room_of(v, s->n) ? SORT_VIOLATIONS : SORT_CPU, put_run);
}

void screen_cpus(FILE *f, const struct snapshot *s, const struct view *v)
{
	put_ordered(f, s, v, v->sort, put_cpus);
}

static void put_parts(FILE *f, const struct snapshot_cpu *c)
{
	char mean[SCREEN_US_LEN], max[SCREEN_US_LEN];
	unsigned int i;

	fputs("\npart              share   mean    max  us\n", f);
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		if (!c->part_sum[i])
			continue;
		fprintf(f, "%-16s %5.1f%%  %5s  %5s\n", part_name(i),
			100.0 * (double)c->part_sum[i] / (double)c->response_sum,
			screen_us(mean, c->part_sum[i] / c->windows),
			screen_us(max, c->part_max[i]));
	}
}

/* A cause is a sentence: it continues in column @indent of the next line. Takes @text over. */
static void put_sentence(FILE *f, char *text, unsigned int indent, const struct view *v)
{
	/* line_put() keeps two columns, screen_cut() one */
	struct line l = { .f = f, .indent = indent, .col = indent, .width = v->cols + 1 };

	if (text && v->cols >= SCREEN_WRAPS)
		line_words(&l, "", text);
	else
		fputs(text ? text : "", f);
	free(text);
}

struct late_line {
	const struct watch_window *k;
	uint64_t usual;
};

static void write_cause(FILE *f, const void *window)
{
	const struct late_line *late = window;

	cause_of_late_text(f, &late->k->w, late->usual, &late->k->place);
}

static void put_worst(FILE *f, const struct snapshot_cpu *c, const struct view *v)
{
	char response[SCREEN_US_LEN], wake[SCREEN_US_LEN];
	size_t i;

	fputs("\nworst windows, us\nactivation  response   wake  cause\n", f);
	for (i = 0; i < c->watch.nworst; i++) {
		const struct watch_window *k = &c->watch.worst[i];
		const struct tlob_window *w = &k->w;

		fprintf(f, "%10llu  %8s  %5s  ", (unsigned long long)w->activation,
			screen_us(response, w->response_ns), screen_us(wake, w->wake_ns));
		if (w->response_ns)
			put_sentence(f, memstream_of(write_cause, &(struct late_line){ k, usual_work(c) }),
				     CAUSE_COLUMN, v);
		fputc('\n', f);
	}
}

static void put_cpu(FILE *f, const void *data)
{
	const struct shown *shown = data;
	const struct snapshot_cpu *c = shown->one;

	put_head(f, shown->s, shown->v);
	put_titles(f, shown->v);
	put_row(f, c, shown->v);
	if (c->windows && !parts_are_unavailable(c->unavailable))
		put_parts(f, c);
	if (shown->s->sets)
		functions_of_cpu(f, shown->s, c);
	put_worst(f, c, shown->v);
}

void screen_cpu(FILE *f, const struct snapshot *s, const struct snapshot_cpu *c,
		const struct view *v)
{
	const struct shown shown = { .s = s, .v = v, .one = c };

	screen_put(f, v, put_cpu, &shown);
}

static void bar_of_region(struct bar_part bar[NR_PART_KINDS], const struct result *r)
{
	uint64_t part_ns[TLOB_NR_PARTS];
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		part_ns[i] = r->cpu->hist[TLOB_METRIC_PARTS + i].sum;
	bar_of(bar, part_ns);
}

/* A row of a region: its counts, its times, and the bar in what is left. */
static bool region_shows_open(const struct view *v)
{
	return v->cols > REGION_ROW;
}

static unsigned int region_bar_width(const struct view *v)
{
	unsigned int room = v->cols > REGION_ROW + 2 ? v->cols - 2 - REGION_ROW : 0;

	return room < BAR_WIDTH ? 0 : room < REGION_BAR_WIDTH ? room : REGION_BAR_WIDTH;
}

static void put_region_titles(FILE *f, const struct view *v)
{
	bool open = region_shows_open(v);

	screen_title(f, v, !open ? "us           response" :
		     region_bar_width(v) ? "us                       response           parts" :
					   "us                       response");
	screen_title(f, v, open ? "windows  viol  miss  open   p50 p99.9   max" : "windows  viol   p50 p99.9   max");
}

static void put_region_row(FILE *f, const struct result *r, const struct view *v)
{
	const struct result_cpu *c = r->cpu;
	const struct tlob_hist *h = &c->hist[TLOB_METRIC_RESPONSE];
	char windows[SCREEN_COUNT_LEN], violations[SCREEN_COUNT_LEN];
	char missed[SCREEN_COUNT_LEN], open[SCREEN_COUNT_LEN];
	struct bar_part part[NR_PART_KINDS];
	unsigned int width = region_bar_width(v);

	fprintf(f, "%7s %5s", screen_count(windows, c->windows, 7), screen_count(violations, c->violations, 5));
	if (region_shows_open(v))
		fprintf(f, " %5s %5s", screen_count(missed, c->missed, 5),
			screen_count(open, r->attached->nopen, 5));
	screen_latency(f, snapshot_quantile(h, 0, 500000), snapshot_quantile(h, 0, 999000),
		       h->n ? h->max : SNAPSHOT_FEW);
	fputc(width ? ' ' : '\n', f);
	if (!width)
		return;
	bar_of_region(part, r);
	screen_bar(f, v, part, NR_PART_KINDS, width);
	fputc('\n', f);
}

static void write_region_cause(FILE *f, const void *window)
{
	const struct region_window *one = window;
	char task[TASK_TEXT];

	fprintf(f, "%s: ", task_text(task, one->k->kept.task.comm, one->k->kept.task.tid));
	cause_of_region_text(f, one->r, one->k);
}

static void put_region_worst(FILE *f, const struct result *r, const struct view *v)
{
	char elapsed[SCREEN_US_LEN];
	size_t i;

	for (i = 0; i < r->nworst && i < REGION_WORST; i++) {
		fprintf(f, "%s%7s  ", i ? "      " : "worst ", screen_us(elapsed, r->worst[i].w.response_ns));
		put_sentence(f, memstream_of(write_region_cause, &(struct region_window){ r, &r->worst[i] }),
			     REGION_CAUSE_COLUMN, v);
		fputc('\n', f);
	}
}

struct region_shown {
	const struct result *r;
	uint64_t elapsed_ns, duration_ns;
	const struct view *v;
};

static void put_region(FILE *f, const void *data)
{
	const struct region_shown *s = data;
	const struct result *r = s->r;
	struct bar_part part[NR_PART_KINDS];
	const struct view *v = s->v;

	screen_head(f, v, s->elapsed_ns, s->duration_ns, 0, r->budget_ns, r->clock_resolution_ns);
	put_printable(f, "from %s to %s\n", r->attached->start.text, r->attached->stop.text);
	put_region_titles(f, v);
	put_region_row(f, r, v);
	put_region_worst(f, r, v);
	if (!region_bar_width(v))
		return;
	bar_of_region(part, r);
	screen_legend(f, v, part, NR_PART_KINDS);
}

void screen_attach(FILE *f, const struct result *r, uint64_t elapsed_ns,
		   uint64_t duration_ns, const struct view *v)
{
	const struct region_shown s = { r, elapsed_ns, duration_ns, v };

	screen_put(f, v, put_region, &s);
}

void screen_help(FILE *f, const struct view *v)
{
	static const char text[] =
		"tlob-load top: keys\n\n"
		"h, ?         this help; any key leaves it\n"
		"q            ends the run\n"
		"p, space     holds the screen, or releases it\n"
		"s            the next order of the CPUs\n"
		"Enter        the CPU of the cursor: its parts and its worst windows\n"
		"Esc, Left    all CPUs\n"
		"Up, Down, PageUp, PageDown  move the cursor\n\n"
		"columns\n\n"
		"windows      measured, after the warm-up\n"
		"viol         with a response over the budget\n"
		"miss         expiries that became no window\n"
		"wake         from the expiry to the thread, us\n"
		"response     from the expiry to the end of the work, us\n"
		"parts        where the time of all windows went; the last line has the letters\n"
		"offender     what made the last violation, and where in the kernel; before the first\n"
		"             one, the longest response\n";

	screen_cut(f, text, v);
}
