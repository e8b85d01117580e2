// SPDX-License-Identifier: GPL-2.0
/* Escaping foreign text, and undoing it. */
#include <stdlib.h>
#include <string.h>

#include "util/printable.h"

/*
 * Characters that a terminal does not show, and that change how it shows others: the
 * order of writing (U+202E), where a line ends (U+2028), or nothing at all, so that two
 * names look the same (U+200B).
 */
static bool is_format(unsigned int c)
{
	static const struct {
		unsigned int first, last;
	} ranges[] = {
		{ 0xad, 0xad }, { 0x61c, 0x61c }, { 0x180e, 0x180e }, { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/* Overlong forms, surrogates and code points above U+10FFFF are not valid. */
size_t printable_char(const char *text, size_t n)
{
	static const unsigned int smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	unsigned int c = s[0];
	size_t len, i;

	if (c < 0x80)
		return c >= ' ' && c != 0x7f;
	if ((c & 0xe0) == 0xc0)
		len = 2;
	else if ((c & 0xf0) == 0xe0)
		len = 3;
	else if ((c & 0xf8) == 0xf0)
		len = 4;
	else
		return 0;
	if (len > n)
		return 0;
	c &= 0x7f >> len;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < smallest[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ||
	    c < 0xa0)
		return 0;
	return is_format(c) ? 0 : len;
}

/* Nearly every character: it is its own escaped form, and does not begin another one's. */
static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '\\';
}

#define ONE_LEN	5	/* of a character or a \xNN, with a NUL */

/*
 * Puts the first character of the @n bytes at @s into @out. Returns how many of them it was.
 * @twice: what was escaped before is escaped again, so that printable_undo() finds it.
 */
static size_t escape_one(char out[ONE_LEN], const char *s, size_t n, bool twice)
{
	size_t len = printable_char(s, n);

	if (!len || (twice && *s == '\\' && n > 1 && s[1] == 'x')) {
		snprintf(out, ONE_LEN, "\\x%02x", (unsigned char)*s);
		return 1;
	}
	memcpy(out, s, len);
	out[len] = 0;
	return len;
}

static char *escape(char *out, const char *in, size_t n, bool twice)
{
	char *p = out;
	size_t len;

	for (n = strnlen(in, n); n; n -= len, in += len) {
		if (is_plain(*in)) {
			*p++ = *in;
			len = 1;
			continue;
		}
		len = escape_one(p, in, n, twice);
		p += strlen(p);
	}
	*p = 0;
	return out;
}

void printable_put(FILE *f, const char *s, bool twice, void (*put)(FILE *f, char c))
{
	char one[ONE_LEN], *p;

	while (*s) {
		if (is_plain(*s)) {
			put(f, *s++);
			continue;
		}
		s += escape_one(one, s, strnlen(s, ONE_LEN), twice);
		for (p = one; *p; p++)
			put(f, *p);
	}
}

char *printable(char *out, const char *in, size_t n)
{
	return escape(out, in, n, true);
}

static bool missed;

static char *escape_dup(const char *in, bool twice)
{
	size_t n = in ? strlen(in) : 0;
	char *out = in ? malloc(PRINTABLE_LEN(n)) : NULL;

	if (!out)
		missed = true;
	return out ? escape(out, in, n, twice) : NULL;
}

bool printable_missed(void)
{
	return missed;
}

char *printable_dup(const char *in)
{
	return escape_dup(in, true);
}

char *printable_once(const char *in)
{
	return escape_dup(in, false);
}

/* The value of a digit that printable() writes, in lower case; -1: another character. */
static int digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

char *printable_undo(char *s)
{
	char *from = s, *to = s;

	while (*from) {
		int high = -1, low = -1;

		if (from[0] == '\\' && from[1] == 'x') {
			high = digit(from[2]);
			low = high < 0 ? -1 : digit(from[3]);
		}
		/* \x00 stays: a NUL would end the string */
		if (low < 0 || !(high | low)) {
			*to++ = *from++;
			continue;
		}
		*to++ = (char)(high << 4 | low);
		from += 4;
	}
	*to = 0;
	return s;
}

size_t printable_width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}
