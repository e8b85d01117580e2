// SPDX-License-Identifier: GPL-2.0
/* Histograms come back from a file as they were, added up. */
#include <errno.h>

#include "unit.h"
#include "result/hist_pack.h"
#include "result/result.h"

static void fill(struct tlob_hist *h, unsigned int n, uint64_t seed)
{
	static const uint64_t edges[] = {
		0, 1, 127, 128, 255, 256, UINT32_MAX, UINT64_MAX >> 1, UINT64_MAX,
	};
	unsigned int i;

	memset(h, 0, sizeof(*h));
	for (i = 0; i < n; i++)
		tlob_hist_add(h, i < ARRAY_SIZE(edges) && seed % 2 ? edges[i] :
			      unit_random(&seed) >> i % 64);
	if (n)
		h->bucket[TLOB_HIST_BUCKETS - 1] += (uint64_t)1 << 60;	/* a count of nine bytes */
}

TEST(test_again)
{
	static const unsigned int sizes[] = { 0, 1, 9, 5000, 0, 300 };
	static struct tlob_hist in[6], out, wanted;
	FILE *f = tmpfile();
	unsigned int i;

	assert_non_null(f);
	for (i = 0; i < 6; i++) {
		fill(&in[i], sizes[i], i);
		assert_int_equal(hist_pack(f, &in[i]), 0);
	}
	rewind(f);
	for (i = 0; i < 6; i++) {
		memset(&out, 0, sizeof(out));
		assert_int_equal(hist_unpack(f, &out), 0);
		assert_memory_equal(&out, &in[i], sizeof(out));
	}
	assert_int_equal(hist_unpack(f, &out), -EIO);	/* the end */

	rewind(f);
	memset(&out, 0, sizeof(out));
	memset(&wanted, 0, sizeof(wanted));
	for (i = 0; i < 6; i++) {
		assert_int_equal(hist_unpack(f, &out), 0);
		hist_merge(&wanted, &in[i]);
	}
	assert_memory_equal(&out, &wanted, sizeof(out));
	fclose(f);
}

TEST(test_cut_off)
{
	static struct tlob_hist in, out;
	char *text = NULL;
	size_t size, n;
	FILE *f;

	fill(&in, 50, 1);
	f = open_memstream(&text, &size);
	assert_non_null(f);
	assert_int_equal(hist_pack(f, &in), 0);
	fclose(f);
	for (n = 1; n < size; n++) {
		f = fmemopen(text, n, "r");
		assert_non_null(f);
		memset(&out, 0, sizeof(out));
		assert_int_equal(hist_unpack(f, &out), -EIO);
		fclose(f);
	}
	free(text);
}

TEST(test_full_disk)
{
	static struct tlob_hist h;
	FILE *f = fopen("/dev/full", "w");

	assert_non_null(f);
	setvbuf(f, NULL, _IONBF, 0);
	fill(&h, 5, 1);
	assert_int_equal(hist_pack(f, &h), -EIO);
	fclose(f);
}

UNIT_MAIN(NULL, NULL)
