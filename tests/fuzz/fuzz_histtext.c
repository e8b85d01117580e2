// SPDX-License-Identifier: GPL-2.0
/* The file `hist`: foreign text, and text as tlob_hist_show() writes it. */
#include "fuzz.h"
#include "backend/status.h"

static void format(FILE *f, const struct tlob_hist *hist)
{
	unsigned int i, b;

	for (i = 0; i < TLOB_NR_METRICS; i++) {
		const struct tlob_hist *h = &hist[i];

		if (!h->n)
			continue;
		fprintf(f, "%s n=%llu sum=%llu min=%llu max=%llu\n",
			tlob_metric_names[i], h->n, h->sum, h->min, h->max);
		for (b = 0; b < TLOB_HIST_BUCKETS; b++)
			if (h->bucket[b])
				fprintf(f, "%s %llu %llu %llu\n",
					tlob_metric_names[i],
					tlob_hist_lower(b), tlob_hist_upper(b),
					h->bucket[b]);
	}
}

static void check_again(const struct tlob_hist *hist)
{
	static struct tlob_hist again[TLOB_NR_METRICS];
	struct fuzz_output o;
	unsigned int i;
	char *text;

	format(fuzz_output_open(&o), hist);
	text = fuzz_output_close(&o);
	CHECK(!hist_parse(again, text, false));
	for (i = 0; i < TLOB_NR_METRICS; i++)
		CHECK(!memcmp(&hist[i], &again[i], sizeof(again[i])));
	/* a text that is cut inside a line must be refused */
	if (o.size)
		text[o.size - 1] = '\0';
	CHECK(!o.size || hist_parse(again, text, false));
	CHECK(!o.size || hist_parse(again, text, true));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tlob_hist hist[TLOB_NR_METRICS];
	char *text = fuzz_text(data, size);
	unsigned int i, b;
	int err;

	err = hist_parse(hist, text, false);
	CHECK(!err || err == -EINVAL);
	if (!err) {
		for (i = 0; i < TLOB_NR_METRICS; i++) {
			uint64_t n = 0;

			for (b = 0; b < TLOB_HIST_BUCKETS; b++)
				n += hist[i].bucket[b];
			CHECK(n == hist[i].n);
			CHECK(!n || hist[i].min <= hist[i].max);
		}
		check_again(hist);
	}
	/* in a run a window may end between two lines, so less is refused */
	if (hist_parse(hist, text, true))
		CHECK(err);
	free(text);
	return 0;
}
