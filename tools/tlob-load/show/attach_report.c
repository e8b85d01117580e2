// SPDX-License-Identifier: GPL-2.0
/* A result of attach as tables of Markdown or HTML. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "result/parts.h"
#include "show/attach_render.h"
#include "show/render_parts.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/units.h"

#define WORST_SHOWN	8
#define CELL_LEN	128

/* Where tables go. Both forms have the same cells. */
struct sheet {
	FILE	*f;
	bool	 html;
};

static void put(const struct sheet *s, const char *text)
{
	(s->html ? markup_text : markdown_text)(s->f, text);
}

static void put_cell(const struct sheet *s, const char *tag, const char *text)
{
	if (s->html)
		fprintf(s->f, "<%s>", tag);
	else
		fputs("| ", s->f);
	put(s, text);
	fputs(s->html ? "" : " ", s->f);
}

/* @titles ends with NULL. The first column is text, the others are numbers. */
static void begin_table(const struct sheet *s, const char *const *titles)
{
	const char *const *t;

	fputs(s->html ? "<div class=\"wide\"><table>\n<tr>" : "\n", s->f);
	for (t = titles; *t; t++)
		put_cell(s, "th", *t);
	if (s->html) {
		fputc('\n', s->f);
		return;
	}
	fputs("|\n", s->f);
	for (t = titles; *t; t++)
		fputs(t == titles ? "|---" : "|---:", s->f);
	fputs("|\n", s->f);
}

__attribute__((format(printf, 2, 3)))
static void cell(const struct sheet *s, const char *fmt, ...)
{
	char text[CELL_LEN];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_cell(s, "td", text);
}

static void begin_row(const struct sheet *s)
{
	if (s->html)
		fputs("<tr>", s->f);
}

static void end_row(const struct sheet *s)
{
	fputs(s->html ? "\n" : "|\n", s->f);
}

static void end_table(const struct sheet *s)
{
	if (s->html)
		fputs("</table></div>\n", s->f);
}

static void counters(const struct sheet *s, const struct attach_result *r)
{
	static const char *const titles[] = {
		"windows", "violations", "cut", "open", "lost", NULL,
	};

	begin_table(s, titles);
	begin_row(s);
	cell(s, "%" PRIu64, r->windows);
	cell(s, "%" PRIu64, r->violations);
	cell(s, "%" PRIu64, r->cut);
	cell(s, "%" PRIu64, r->open);
	cell(s, "%" PRIu64, r->lost);
	end_row(s);
	end_table(s);
}

static void quantile(const struct sheet *s, const struct tlob_hist *h, unsigned int ppm)
{
	char buf[QUANTILE_LEN];

	cell(s, "%s", quantile_text(buf, h, 0, ppm, "-"));
}

/* A part that was 0 in every window has no row. */
static void times(const struct sheet *s, const struct attach_result *r)
{
	static const char *const titles[] = {
		"us", "mean", "p50", "p99", "p99.9", "max", "share", NULL,
	};
	double whole = (double)r->hist[ATTACH_ELAPSED].sum;
	char buf[DURATION_LEN];
	unsigned int i;

	begin_table(s, titles);
	for (i = 0; i < ATTACH_NR_METRICS; i++) {
		const struct tlob_hist *h = &r->hist[i];

		if (!h->n || (i != ATTACH_ELAPSED && !h->max))
			continue;
		begin_row(s);
		cell(s, "%s", attach_metric_names[i]);
		cell(s, "%.3f", (double)h->sum / (double)h->n / 1000);
		quantile(s, h, 500000);
		quantile(s, h, 990000);
		quantile(s, h, 999000);
		cell(s, "%s", duration_us(buf, h->max));
		cell(s, "%.1f %%", whole > 0 ? 100 * (double)h->sum / whole : 0);
		end_row(s);
	}
	end_table(s);
}

static void worst(const struct sheet *s, const struct attach_result *r)
{
	static const char *const titles[] = {
		"task", "elapsed, us", "running", "waiting", "sleeping", NULL,
	};
	char name[PRINTABLE_NAME], buf[DURATION_LEN];
	size_t i;

	if (!r->nworst)
		return;
	begin_table(s, titles);
	for (i = 0; i < r->nworst && i < WORST_SHOWN; i++) {
		const struct tlob_task_window *w = &r->worst[i];

		begin_row(s);
		cell(s, "%s/%" PRIu32, printable(name, w->comm, TLOB_NAME_LEN), w->tid);
		cell(s, "%s", duration_us(buf, w->elapsed_ns));
		cell(s, "%s", duration_us(buf, w->part_ns[TLOB_TASK_PART_RUNNING]));
		cell(s, "%s", duration_us(buf, w->part_ns[TLOB_TASK_PART_WAITING]));
		cell(s, "%s", duration_us(buf, w->part_ns[TLOB_TASK_PART_SLEEPING]));
		end_row(s);
	}
	end_table(s);
}

static void offenders(const struct sheet *s, const struct attach_result *r)
{
	static const char *const titles[] = {
		"largest interruption of a window", "windows", "max, us", NULL,
	};
	char name[PRINTABLE_NAME], max[DURATION_LEN];
	size_t i;

	if (!r->noise.n)
		return;
	begin_table(s, titles);
	for (i = 0; i < r->noise.n && i < TOP_OFFENDERS; i++) {
		const struct offender *o = &r->noise.at[i];

		begin_row(s);
		cell(s, "%s %s", noise_kind_name(o->kind),
		     printable(name, o->name, TLOB_NAME_LEN));
		cell(s, "%" PRIu64, o->windows);
		cell(s, "%s", duration_us(max, o->max_ns));
		end_row(s);
	}
	end_table(s);
}

static void paragraph(const struct sheet *s, const char *before, const char *text,
		      const char *after)
{
	fputs(s->html ? "<p>" : "\n", s->f);
	fputs(before, s->f);
	put(s, text ? text : "unknown");
	fputs(after, s->f);
	fputc('\n', s->f);
}

static void heading(const struct sheet *s, const struct attach_result *r)
{
	char budget[DURATION_LEN];

	fputs(s->html ? "<h1>" : "## ", s->f);
	put(s, r->start.text ? r->start.text : "unknown");
	fputs(" to ", s->f);
	put(s, r->stop.text ? r->stop.text : "unknown");
	fprintf(s->f, ", budget %s%s\n", duration_exact(budget, r->budget_ns),
		s->html ? "</h1>" : "");
	paragraph(s, "In ", r->file, ".");
	paragraph(s, "Linux ", r->kernel,
		  r->deterministic ? ". Times are executed instructions." : ".");
}

static int print(const struct sheet *s, const struct attach_result *r)
{
	char **note;

	heading(s, r);
	counters(s, r);
	times(s, r);
	worst(s, r);
	offenders(s, r);
	for (note = r->notes; note && *note; note++)
		paragraph(s, s->html ? "" : "> ", *note, "");
	return ferror(s->f) ? -EIO : 0;
}

int attach_tables(FILE *f, const struct attach_result *r)
{
	const struct sheet s = { .f = f };

	return print(&s, r);
}

int attach_tables_html(FILE *f, const struct attach_result *r)
{
	const struct sheet s = { .f = f, .html = true };

	return print(&s, r);
}
