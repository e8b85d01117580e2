// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/curves.h"
#include "report/pieces.h"
#include "report/plot.h"
#include "report/samples_plot.h"
#include "result/sample_file.h"
#include "util/error.h"
#include "util/markup.h"
#include "util/text.h"

#define HEIGHT	220.0

static const char *const lines[] = { "wake", "response" };

static void find_range(void *data, const struct sample *s)
{
	struct samples_plot *p = data;

	if (!p->rows++ || s->t0_ns < p->begin_ns)
		p->begin_ns = s->t0_ns;
	if (s->t0_ns > p->end_ns)
		p->end_ns = s->t0_ns;
}

static struct samples_cpu *cpu_of(struct samples_plot *p, uint32_t cpu)
{
	struct samples_cpu **at, *new;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->at[i]->cpu == cpu)
			return p->at[i];
	if (p->n == SAMPLES_CPUS) {
		p->err = -E2BIG;
		return NULL;
	}
	at = reallocarray(p->at, p->n + 1, sizeof(struct samples_cpu *));
	new = calloc(1, sizeof(*new));
	if (at)
		p->at = at;
	if (!at || !new) {
		free(new);
		p->err = -ENOMEM;
		return NULL;
	}
	new->cpu = cpu;
	p->at[p->n++] = new;
	return new;
}

static void add(void *data, const struct sample *s)
{
	struct samples_plot *p = data;
	/* the file may have grown since */
	uint64_t range = p->end_ns - p->begin_ns + 1, since = s->t0_ns - p->begin_ns;
	struct samples_cpu *c = p->err || since >= range ? NULL : cpu_of(p, s->cpu);
	const uint64_t ns[2] = { s->wake_ns, s->response_ns };
	struct samples_step *step;
	unsigned int i;

	if (!c)
		return;
	step = &c->step[(unsigned int)((double)since / (double)range * SAMPLES_STEPS) % SAMPLES_STEPS];
	step->missed += s->verdict == SAMPLE_MISSED;
	step->violations += s->verdict == SAMPLE_VIOLATION;
	if (s->verdict == SAMPLE_MISSED)
		return;
	for (i = 0; i < 2; i++) {
		if (!step->windows || ns[i] < step->min_ns[i])
			step->min_ns[i] = ns[i];
		if (ns[i] > step->max_ns[i])
			step->max_ns[i] = ns[i];
	}
	step->windows++;
}

static int by_number(const void *a, const void *b)
{
	const struct samples_cpu *x = *(struct samples_cpu *const *)a, *y = *(struct samples_cpu *const *)b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

int samples_plot_read(struct samples_plot *p, const char *path)
{
	int err;

	*p = (struct samples_plot){ .name = without_folders(path) };
	err = sample_each(path, find_range, p);
	if (!err && !p->rows)
		err = fail(-ENODATA, "%s has no sample", path);
	if (!err)
		err = sample_each(path, add, p);
	if (!err && p->err)
		err = fail(p->err, "%s: %s", path, p->err == -E2BIG ? "too many CPUs" : "out of memory");
	if (p->n)
		qsort(p->at, p->n, sizeof(struct samples_cpu *), by_number);
	return err;
}

void samples_plot_free(struct samples_plot *p)
{
	while (p->n)
		free(p->at[--p->n]);
	free(p->at);
	*p = (struct samples_plot){ 0 };
}

/* One scale for all CPUs. */
static struct axis times(const struct samples_plot *p)
{
	uint64_t from = UINT64_MAX, to = 0;
	size_t i, k;

	for (i = 0; i < p->n; i++)
		for (k = 0; k < SAMPLES_STEPS; k++) {
			const struct samples_step *s = &p->at[i]->step[k];

			if (s->windows && s->min_ns[0] < from)
				from = s->min_ns[0];
			if (s->windows && s->max_ns[1] > to)
				to = s->max_ns[1];
		}
	if (from > to)
		from = to = 1000;	/* nothing but missed expiries */
	return axis_of_times(from < 100 ? 100 : from, to < 100 ? 100 : to);
}

static double middle_of(const struct plot *p, unsigned int step)
{
	return p->x.to * (step + 0.5) / SAMPLES_STEPS;
}

/* Up and down between the smallest and the largest of each step: all samples lie between. */
static void draw_line(struct plot *p, const struct samples_cpu *c, unsigned int line)
{
	unsigned int k;

	plot_line(p, lines[line], lines[line]);
	for (k = 0; k < SAMPLES_STEPS; k++) {
		const struct samples_step *s = &c->step[k];

		if (!s->windows)
			continue;
		plot_point(p, middle_of(p, k), fmax(1, (double)s->min_ns[line]));
		if (s->max_ns[line] > s->min_ns[line])
			plot_point(p, middle_of(p, k), (double)s->max_ns[line]);
	}
	plot_line_end(p);
}

static void draw_dots(struct plot *p, const struct samples_cpu *c)
{
	char title[80];
	unsigned int k;

	for (k = 0; k < SAMPLES_STEPS; k++) {
		const struct samples_step *s = &c->step[k];

		if (!s->violations && !s->missed)
			continue;
		snprintf(title, sizeof(title), "%" PRIu64 " violations, %" PRIu64 " missed", s->violations,
			 s->missed);
		/* a missed expiry has no time: it stands above all */
		plot_dot(p, middle_of(p, k), s->missed ? p->y.to : (double)s->max_ns[1], 2.5, "bad", title);
	}
}

static void draw(FILE *f, const struct samples_plot *s, const struct samples_cpu *c, const struct axis *y)
{
	const struct axis x = { .from = 0, .to = fmax(1, (double)(s->end_ns - s->begin_ns)) };
	struct plot p;
	unsigned int i;

	fprintf(f, "<h3>CPU %" PRIu32 "</h3>\n", c->cpu);
	plot_begin(&p, f, "samples", &x, y, HEIGHT);
	plot_ticks_since(&p);
	plot_ticks_time(&p, false);
	for (i = 2; i--; )
		draw_line(&p, c, i);
	draw_dots(&p, c);
	plot_end(&p);
	fputs("<p class=\"key\">", f);
	for (i = 2; i--; )
		plot_key(f, lines[i], lines[i]);
	fputs("</p>\n", f);
}

void samples_plot_put(FILE *f, const struct samples_plot *s)
{
	const struct axis y = times(s);
	size_t i;

	markup(f, "<section><h2>Samples: %s</h2>\n", s->name);
	fprintf(f, "<p class=\"dim\">%" PRIu64 " rows over time, in %u steps: each line goes from the smallest to the largest value of a step. A dot is a step with violations, at its longest response, or with missed expiries, at the top.</p>\n",
		s->rows, SAMPLES_STEPS);
	for (i = 0; i < s->n; i++)
		draw(f, s, s->at[i], &y);
	fputs("</section>\n", f);
}

int samples_plot_page(FILE *f, const struct samples_plot *s)
{
	html_begin(f, s->name);
	samples_plot_put(f, s);
	return html_end(f, 0);
}
