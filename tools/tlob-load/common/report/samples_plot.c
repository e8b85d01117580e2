// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include "report/html.h"
#include "report/samples_plot.h"
#include "util/markup.h"
#include "util/text.h"

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
