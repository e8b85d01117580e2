// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "report/functions_render.h"

#define LINE		79U	/* a terminal wraps behind the 80th */
#define BEFORE		31	/* columns of a row before the sets */
#define SET_LEAST	6	/* columns of a set */

static unsigned int room_of(const struct view *v)
{
	unsigned int line = v->cols - 1 < LINE ? v->cols - 1 : LINE;

	return line > BEFORE ? line - BEFORE : 0;
}

/* How many sets fit: in 80 columns all eight. */
static size_t shown(const struct snapshot *s, const struct view *v)
{
	size_t n = room_of(v) / SET_LEAST;

	return n < s->sets->n ? n : s->sets->n;
}

/* The columns of each set, with the blank before it. */
static int column(const struct snapshot *s, const struct view *v)
{
	size_t n = shown(s, v);
	int width = n ? (int)(room_of(v) / n) : 0;

	return width > FUNCTION_SET_NAME ? FUNCTION_SET_NAME : width;
}

void functions_titles(FILE *f, const struct snapshot *s, const struct view *v)
{
	const char *bold = v->colour ? "\033[1m" : "", *plain = v->colour ? "\033[0m" : "";
	int width = column(s, v) - 1;
	size_t i;

	screen_title(f, v, "us                   wake  resp  func.");
	fprintf(f, "%scpu  wind viol miss   max   max%s", bold, plain);
	for (i = 0; i < shown(s, v); i++)
		fprintf(f, " %s%*.*s%s", bold, width, width, s->sets->at[i].name, plain);
	fputc('\n', f);
}

void functions_row(FILE *f, const struct snapshot *s, const struct snapshot_cpu *c,
		   const struct view *v)
{
	char us[SCREEN_US_LEN], response[SCREEN_US_LEN];
	int width = column(s, v) - 1;
	size_t i;

	screen_cpu_counts(f, c, v, 5);
	fprintf(f, " %5s %5s", screen_us(us, c->wake.max), screen_us(response, c->response.max));
	for (i = 0; i < shown(s, v); i++)
		fprintf(f, " %*s", width, c->function[i].windows ?
			screen_us(us, c->function[i].max_ns) : "-");
	fputc('\n', f);
}

void functions_legend(FILE *f)
{
	fputs("func.: the longest time of a window in each set; a CPU shows more\n", f);
}

void functions_of_cpu(FILE *f, const struct snapshot *s, const struct snapshot_cpu *c)
{
	char mean[SCREEN_US_LEN], max[SCREEN_US_LEN], probes[SCREEN_US_LEN];
	size_t i;

	fputs("\nfunc.            calls   mean    max  probes  us a window\n", f);
	for (i = 0; s->sets && i < s->sets->n; i++) {
		const struct snapshot_function *t = &c->function[i];
		double calls = t->windows ? (double)t->calls / (double)t->windows : 0;

		fprintf(f, "%-15s %6.1f  %5s  %5s", s->sets->at[i].name, calls,
			t->windows ? screen_us(mean, t->sum_ns / t->windows) : "-",
			t->windows ? screen_us(max, t->max_ns) : "-");
		fprintf(f, "   %5s\n", s->sets->probe_ns ?
			screen_us(probes, (uint64_t)(calls * (double)s->sets->probe_ns)) : "-");
	}
}
