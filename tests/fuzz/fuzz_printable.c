// SPDX-License-Identifier: GPL-2.0
/* Foreign bytes are valid on a terminal and in JSON, and can be read back. */
#include "fuzz.h"
#include "util/printable.h"

static unsigned int hex(char c)
{
	CHECK((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
	return (unsigned int)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Replaces every \xNN by its byte. */
static size_t undo(char *to, const char *from)
{
	char *start = to;

	while (*from) {
		if (from[0] == '\\' && from[1] == 'x') {
			*to++ = (char)(hex(from[2]) << 4 | hex(from[3]));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	return (size_t)(to - start);
}

/* An independent check of UTF-8, by table 3-7 of the Unicode standard. */
static size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char first[2], second[2];
		size_t n;
	} t[] = {
		{ { 0x20, 0x7e }, { 0, 0 }, 1 },
		{ { 0xc2, 0xdf }, { 0x80, 0xbf }, 2 },
		{ { 0xe0, 0xe0 }, { 0xa0, 0xbf }, 3 },
		{ { 0xe1, 0xec }, { 0x80, 0xbf }, 3 },
		{ { 0xed, 0xed }, { 0x80, 0x9f }, 3 },
		{ { 0xee, 0xef }, { 0x80, 0xbf }, 3 },
		{ { 0xf0, 0xf0 }, { 0x90, 0xbf }, 4 },
		{ { 0xf1, 0xf3 }, { 0x80, 0xbf }, 4 },
		{ { 0xf4, 0xf4 }, { 0x80, 0x8f }, 4 },
	};
	size_t i, k;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		if (*s < t[i].first[0] || *s > t[i].first[1])
			continue;
		if (t[i].n > 1 &&
		    (s[1] < t[i].second[0] || s[1] > t[i].second[1]))
			return 0;
		for (k = 2; k < t[i].n; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return t[i].n;
	}
	return 0;
}

static void put_char(FILE *f, char c)
{
	fputc(c, f);
}

/* printable_put() writes what the others return. It allocates nothing. */
static void check_put(const char *text, const char *wanted, bool twice)
{
	char *got = NULL;
	size_t size;
	FILE *f = open_memstream(&got, &size);

	CHECK(f);
	printable_put(f, text, twice, put_char);
	CHECK(!fclose(f) && !strcmp(got, wanted));
	free(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size ? strnlen((const char *)data, size) : 0, chars = 0, len;
	char *out = malloc(PRINTABLE_LEN(n)), *back = malloc(n + 1), *again;
	const unsigned char *p;

	CHECK(out && back);
	CHECK(printable(out, (const char *)data, size) == out);
	CHECK(strlen(out) < PRINTABLE_LEN(n));
	for (p = (const unsigned char *)out; *p; p += len, chars++) {
		len = utf8_length(p);
		CHECK(len);
		/* no C1 control character either */
		CHECK(!(p[0] == 0xc2 && p[1] < 0xa0));
	}
	CHECK(printable_width(out) == chars);
	CHECK(undo(back, out) == n && !memcmp(back, data, n));
	back[n] = '\0';
	again = printable_dup(back);
	CHECK(again && !strcmp(again, out));
	check_put(back, again, true);
	free(again);
	again = printable_once(back);
	CHECK(again);
	check_put(back, again, false);
	free(again);
	free(back);
	free(out);
	return 0;
}
