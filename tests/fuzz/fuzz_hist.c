// SPDX-License-Identifier: GPL-2.0
/* hist.h and the tool's statistics of it, with values from the input. */
#include "fuzz.h"
#include "hist.h"
#include "result/result.h"

static void check_value(uint64_t v)
{
	unsigned int i = tlob_hist_index(v);

	CHECK(i < TLOB_HIST_BUCKETS);
	if (v >> TLOB_HIST_BITS) {
		CHECK(i == TLOB_HIST_BUCKETS - 1);
		return;
	}
	CHECK(tlob_hist_lower(i) <= v && v <= tlob_hist_upper(i));
	CHECK(tlob_hist_upper(i) - v <= v / 64);
	CHECK(v - tlob_hist_lower(i) <= v / 64);
	CHECK(tlob_hist_index(tlob_hist_lower(i)) == i);
	CHECK(tlob_hist_index(tlob_hist_upper(i)) == i);
	CHECK(!i || tlob_hist_upper(i - 1) + 1 == tlob_hist_lower(i));
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The shown quantile is never below the true one, and at most 1/64 above it. */
static void check_quantile(const struct tlob_hist *h, const uint64_t *v,
			   size_t n, unsigned int ppm)
{
	uint64_t shown = hist_quantile(h, ppm), is;
	size_t rank = (size_t)(((unsigned __int128)n * ppm + 999999) / 1000000);

	is = v[rank ? rank - 1 : 0];
	CHECK(shown >= is && shown <= h->max);
	/* the last bucket is open */
	CHECK(tlob_hist_index(is) == TLOB_HIST_BUCKETS - 1 ||
	      shown - is <= is / 64);
}

#define MAX_VALUES 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tlob_hist h, half, rest;
	struct fuzz_bytes bytes = { data, size };
	uint64_t v[MAX_VALUES], sum = 0;
	unsigned int ppm = (unsigned int)fuzz_take(&bytes, 3) % 1000001;
	size_t n;

	memset(&h, 0, sizeof(h));
	memset(&half, 0, sizeof(half));
	memset(&rest, 0, sizeof(rest));
	for (n = 0; bytes.left && n < MAX_VALUES; n++) {
		/* a byte gives the number of bytes, so that values of all sizes come */
		v[n] = fuzz_take(&bytes, 1 + fuzz_take(&bytes, 1) % 8);
		check_value(v[n]);
		check_value(~v[n]);
		tlob_hist_add(&h, v[n]);
		tlob_hist_add(n % 2 ? &half : &rest, v[n]);
		sum += v[n];
	}
	if (!n) {
		CHECK(!hist_quantile(&h, ppm) && !hist_mean(&h));
		return 0;
	}
	qsort(v, n, sizeof(*v), compare);
	CHECK(h.n == n && h.sum == sum && h.min == v[0] && h.max == v[n - 1]);
	hist_merge(&half, &rest);
	CHECK(half.n == h.n && half.sum == h.sum && half.min == h.min &&
	      half.max == h.max &&
	      !memcmp(half.bucket, h.bucket, sizeof(h.bucket)));
	if (ppm)
		check_quantile(&h, v, n, ppm);
	check_quantile(&h, v, n, 1000000);
	check_quantile(&h, v, n, 500000);
	CHECK(hist_quantile(&h, 1000000) == h.max);
	return 0;
}
