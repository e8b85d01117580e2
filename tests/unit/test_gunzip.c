// SPDX-License-Identifier: GPL-2.0
/* What gzip compressed, also in several members, as `cat a.gz b.gz` makes. */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "unit.h"
#include "read/gunzip.h"

/* Appends a member with @text to @to, which has @n bytes. Returns how many it has then. */
static size_t member(char *to, size_t n, size_t room, const char *text)
{
	z_stream z = {
		.next_in = (unsigned char *)text, .avail_in = (unsigned int)strlen(text),
		.next_out = (unsigned char *)to + n, .avail_out = (unsigned int)(room - n),
	};

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	n = room - z.avail_out;
	deflateEnd(&z);
	return n;
}

static void expect(const char *packed, size_t n, const char *wanted)
{
	char *text;
	size_t length;

	assert_int_equal(gunzip(packed, n, 1 << 20, &text, &length), 0);
	assert_int_equal(length, strlen(wanted));
	assert_string_equal(text, wanted);
	free(text);
}

/* Each member is read, one that is empty and one that is longer than the first guess as well. */
TEST(test_members)
{
	char packed[1024], large[20001], wanted[20011];
	size_t n;

	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	n = member(packed, 0, sizeof(packed), "first\n");
	expect(packed, n, "first\n");
	n = member(packed, n, sizeof(packed), "");
	n = member(packed, n, sizeof(packed), large);
	n = member(packed, n, sizeof(packed), "end");
	snprintf(wanted, sizeof(wanted), "first\n%send", large);
	expect(packed, n, wanted);
}

/* Nothing is left out in silence: not a cut member, and not bytes behind the last one. */
TEST(test_damaged)
{
	char packed[256], *text;
	size_t first = member(packed, 0, sizeof(packed), "first\n"), length;
	size_t n = member(packed, first, sizeof(packed), "second\n"), cut;

	for (cut = 1; cut < n; cut++)
		if (cut != first)
			assert_int_equal(gunzip(packed, cut, 1 << 20, &text, &length), -EBADMSG);
	packed[n] = 'x';
	assert_int_equal(gunzip(packed, n + 1, 1 << 20, &text, &length), -EBADMSG);
	assert_int_equal(gunzip(packed, n, 10, &text, &length), -EFBIG);
}

UNIT_MAIN(NULL, NULL)
