/* SPDX-License-Identifier: GPL-2.0 */
/* Result files in memory. */
#ifndef READING_H
#define READING_H

#include "sample.h"
#include "read/read.h"
#include "report/render.h"

static struct reader reader;

/* Parses a copy of exactly its size, so that ASan sees a read past its end. */
static inline int parse(struct result *r, const char *text)
{
	char *copy = sample_text(text);
	int err = result_parse(r, copy, &reader);

	free(copy);
	return err;
}

/* One CPU, two windows, and some of everything else. */
static inline char *sample_json(void)
{
	struct result r;
	char *text;

	sample_result(&r, 1, 2);
	r.host = sample_text("h");
	assert_int_equal(result_note(&r, "a note"), 0);
	sample_fact(&r, "smt", "off");
	r.backend_because = sample_text("not that one");
	r.label = sample_text("smt off");
	r.boot_id = sample_text("0e2f0fb4-5f0c-4a8c-9b1e-3c1b8a1f3a55");
	r.machine_id = sample_text("89abcdef01234567");
	r.run_id = sample_text("0123456789abcdef0123456789abcdef");
	r.tags.at[r.tags.n++] = (struct tag){ sample_text("rack"), sample_text("b7 \x1b") };
	sample_os(&r.cpu[0]);
	result_sum(&r);
	text = sample_render(render_json, &r);
	result_free(&r);
	return text;
}

/* Three windows on one CPU; the result keeps every value. */
static inline void sample_exact(struct result *r)
{
	struct tlob_window w = sample_window(0, 0);
	int i;

	sample_empty(r, 1);
	r->deterministic = true;
	r->keeps_exact = true;
	for (i = 0; i < 3; i++) {
		w.part_ns[TLOB_WORK_ON_CPU] += (unsigned int)i / 2;
		sample_close(&w);
		assert_true(result_window(r, 0, &w, true));
	}
	result_sum(r);
}

#endif /* READING_H */
