// SPDX-License-Identifier: GPL-2.0
/* Result files: what was read, written and read again is the same. */
#include "fuzz.h"
#include "read/read.h"
#include "show/render.h"

static char *rendered(const struct result *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	CHECK(f);
	CHECK(!render_json(f, r));
	CHECK(!fclose(f) && text[size - 1] == '\n' && strlen(text) == size);
	return text;
}

/* What users of a result rely on. */
static void check_result(const struct result *r)
{
	size_t i;

	CHECK(r->ncpus && r->all.hist && r->kernel && r->work && r->command);
	CHECK(r->nworst <= RESULT_WORST && r->noise.n <= RESULT_OFFENDERS);
	for (i = 0; i < r->ncpus; i++) {
		const struct result_cpu *c = &r->cpu[i];

		CHECK(c->cpu >= 0 && c->violations <= c->windows);
		CHECK(c->hist[TLOB_METRIC_RESPONSE].n == c->windows);
		for (unsigned int m = 0; m < TLOB_NR_METRICS; m++) {
			const struct tlob_hist *h = &c->hist[m];

			CHECK(!h->n || h->min <= h->max);
			CHECK(h->n || (!h->min && !h->max));
			CHECK(hist_quantile(h, 1) >= h->min);
			CHECK(hist_quantile(h, 1000000) == h->max);
		}
	}
	for (i = 0; i < r->ntuning; i++)
		CHECK(r->tuning[i].name && r->tuning[i].value);
}

static void check_again(const struct result *r)
{
	char *text = rendered(r), *again;
	struct reader reader;
	struct result back;

	CHECK(!result_parse(&back, text, &reader) && !*reader.error);
	again = rendered(&back);
	CHECK(!strcmp(text, again));
	result_free(&back);
	free(again);
	free(text);
}

static void check_error(const char *error)
{
	CHECK(*error);
	for (; *error; error++)
		CHECK((unsigned char)*error >= ' ' && *error != 127);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct reader reader;
	struct result r;

	if (result_parse(&r, text, &reader)) {
		check_error(reader.error);
		CHECK(!r.ncpus && !r.cpu && !r.all.hist && !r.notes && !r.tuning);
	} else {
		CHECK(!*reader.error);
		check_result(&r);
		check_again(&r);
	}
	result_free(&r);
	free(text);
	return 0;
}
