// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/samples_plot.h"
#include "result/sample_file.h"
#include "util/error.h"
#include "util/markup.h"
#include "util/text.h"

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

/* [step, least and most of wake, of response (null without windows), violations, missed] */
static void put_step(struct builder *b, struct json_object *list, unsigned int k, const struct samples_step *s)
{
	struct json_object *step = put_array(b, list, NULL);
	unsigned int i;

	put_u64(b, step, NULL, k);
	for (i = 0; i < 2; i++) {
		put_known(b, step, NULL, s->windows, s->min_ns[i]);
		put_known(b, step, NULL, s->windows, s->max_ns[i]);
	}
	put_u64(b, step, NULL, s->violations);
	put_u64(b, step, NULL, s->missed);
}

int samples_plot_put(struct html *page, const struct samples_plot *s)
{
	struct json_object *o = json_object_new_object(), *list, *cpu;
	struct builder b = { 0 };
	char text[200];
	unsigned int k;
	size_t i;

	put_text(&b, o, "name", s->name);
	snprintf(text, sizeof(text), "%" PRIu64 " rows over time, in %u steps: each line goes from the smallest to the largest value of a step. A dot is a step with violations, at its longest response, or with missed expiries, at the top.",
		 s->rows, SAMPLES_STEPS);
	put_text(&b, o, "text", text);
	put_u64(&b, o, "range_ns", s->end_ns - s->begin_ns);
	put_u64(&b, o, "steps", SAMPLES_STEPS);
	list = put_array(&b, o, "cpus");
	for (i = 0; i < s->n; i++) {
		cpu = put_object(&b, list, NULL);
		put_u64(&b, cpu, "cpu", s->at[i]->cpu);
		cpu = put_array(&b, cpu, "steps");
		for (k = 0; k < SAMPLES_STEPS; k++)
			if (s->at[i]->step[k].windows || s->at[i]->step[k].missed)
				put_step(&b, cpu, k, &s->at[i]->step[k]);
	}
	return html_put(page, "samples", &b, o);
}

static int put_rows(FILE *f, const void *data)
{
	const struct samples_plot *s = data;

	put_printable(f, "%s: ", s->name);
	fprintf(f, "%" PRIu64 " samples of %zu CPUs\n", s->rows, s->n);
	return 0;
}

int samples_plot_page(FILE *f, const struct samples_plot *s)
{
	struct html p;
	int err = html_begin(&p, f, "results", s->name, put_rows, s);

	html_key(&p, "results");
	fputs("[]", p.json);
	if (!err)
		err = samples_plot_put(&p, s);
	return html_end(&p, err);
}
