/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line of the control file `monitor`: it binds a budget to a region of a
 * program, or removes a binding. Pure C: compiled in the kernel, the tool and
 * tests.
 *
 *	p[:NAME] PATH:STARTS STOPS threshold=NS	adds
 *	-PATH:START				removes
 *	-:NAME					removes
 *
 *	STARTS, STOPS
 *	       START[,START]... and STOP[,STOP]..., 1 ... 16 of each
 *	NAME   1 ... 31 letters, digits, _
 *	PATH   absolute, shorter than PATH_MAX; any byte but newline and NUL
 *	START, STOP
 *	       offsets in the file, decimal or hexadecimal with 0x, below 2^63
 *	       like all offsets; all of a line differ
 *	NS     decimal; 1 us ... 1 h
 *
 * A PATH may contain ':' and blanks without quotes: the offsets follow the last
 * ':', because a number contains none. STOPS and threshold= are the last two
 * words. PATH:STARTS is the text between them and the first word.
 *
 * Blanks (space, tab) separate words. Blanks around the line and one newline at
 * its end are removed.
 */
#ifndef _TLOB_BINDING_H
#define _TLOB_BINDING_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <limits.h>
#include <linux/limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#endif
#include <linux/types.h>

#include "ranges.h"

#define TLOB_BINDING_NAME	32		/* with its NUL */
#define TLOB_THRESHOLD_MIN	TLOB_BUDGET_MIN
#define TLOB_THRESHOLD_MAX	TLOB_BUDGET_MAX
#define TLOB_OFFSET_MAX		(~0ULL >> 1)

#define TLOB_BINDING_OFFSETS	16		/* of one kind */

/*
 * The largest size that tlob_format_binding() needs. An offset has up to 20
 * bytes with its comma, also in decimal.
 */
#define TLOB_BINDING_MAX						\
	(PATH_MAX + TLOB_BINDING_NAME + 40 + 2 * TLOB_BINDING_OFFSETS * 20)

enum tlob_binding_op {
	TLOB_BINDING_ADD,
	TLOB_BINDING_REMOVE,		/* by path and start */
	TLOB_BINDING_REMOVE_NAME,
};

/* Offsets in the file. */
struct tlob_offsets {
	unsigned int nr;
	__u64	at[TLOB_BINDING_OFFSETS];
};

struct tlob_binding_line {
	enum tlob_binding_op op;
	const char *path;		/* NULL: by name */
	char	name[TLOB_BINDING_NAME];	/* "": no name */
	struct tlob_offsets start, stop;	/* removing by place: one start */
	__u64	threshold_ns;
};

static inline bool tlob_offsets_have(const struct tlob_offsets *p, __u64 offset)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		if (p->at[i] == offset)
			return true;
	return false;
}

/* Returns whether @a and @b have an offset in common. */
static inline bool tlob_offsets_meet(const struct tlob_offsets *a,
				     const struct tlob_offsets *b)
{
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		if (tlob_offsets_have(a, b->at[i]))
			return true;
	return false;
}

static inline bool tlob_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool tlob_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the value of a digit, or 16 for any other byte. */
static inline unsigned int tlob_digit(char c)
{
	if (tlob_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/*
 * Chooses the error to report. -EINVAL wins: a malformed line is malformed
 * whatever its numbers are.
 */
static inline int tlob_binding_worse(int a, int b)
{
	return !a || b == -EINVAL ? b : a;
}

/*
 * Parses the number that fills [@s, @end). Returns 0, -EINVAL for any other
 * text, or -ERANGE above @max.
 */
static inline int tlob_binding_number(const char *s, const char *end, bool hex,
				      __u64 max, __u64 *val)
{
	unsigned int base = 10, digit;
	bool above = false;
	__u64 v = 0;

	if (hex && end - s > 2 && s[0] == '0' && s[1] == 'x') {
		base = 16;
		s += 2;
	}
	if (s == end)
		return -EINVAL;
	for (; s < end; s++) {
		digit = tlob_digit(*s);
		if (digit >= base)
			return -EINVAL;
		if (digit > max || v > (max - digit) / base)
			above = true;
		else
			v = v * base + digit;
	}
	if (above)
		return -ERANGE;
	*val = v;
	return 0;
}

static inline int tlob_binding_offset(const char *s, const char *end,
				      __u64 *val)
{
	return tlob_binding_number(s, end, true, TLOB_OFFSET_MAX, val);
}

/* Parses the one offset that fills [@s, @end). */
static inline int tlob_binding_one_offset(const char *s, const char *end,
					  struct tlob_offsets *p)
{
	p->nr = 1;
	return tlob_binding_offset(s, end, &p->at[0]);
}

/*
 * Parses the offsets that fill [@s, @end), with commas between them. Returns 0,
 * -EINVAL, also for one that is there twice, -ERANGE, or -E2BIG for more than
 * TLOB_BINDING_OFFSETS.
 */
static inline int tlob_binding_offsets(const char *s, const char *end,
				       struct tlob_offsets *p)
{
	const char *comma;
	int err = 0, one;
	__u64 offset;

	p->nr = 0;
	for (;; s = comma + 1) {
		comma = memchr(s, ',', end - s);
		one = tlob_binding_offset(s, comma ? comma : end, &offset);
		if (!one && tlob_offsets_have(p, offset))
			one = -EINVAL;
		else if (!one && p->nr == TLOB_BINDING_OFFSETS)
			one = -E2BIG;
		else if (!one)
			p->at[p->nr++] = offset;
		err = tlob_binding_worse(err, one);
		if (!comma)
			return err;
	}
}

/* Parses a time in ns. Returns 0, -EINVAL or -ERANGE. */
static inline int tlob_binding_threshold(const char *s, const char *end,
					 __u64 *ns)
{
	int err = tlob_binding_number(s, end, false, TLOB_THRESHOLD_MAX, ns);

	if (err)
		return err;
	return *ns < TLOB_THRESHOLD_MIN ? -ERANGE : 0;
}

/* Copies the name [@s, @end). Returns 0, -EINVAL or -ENAMETOOLONG. */
static inline int tlob_binding_name(const char *s, const char *end, char *name)
{
	const char *p;

	if (s == end)
		return -EINVAL;
	for (p = s; p < end; p++)
		if (!tlob_is_digit(*p) && *p != '_' &&
		    !(*p >= 'a' && *p <= 'z') && !(*p >= 'A' && *p <= 'Z'))
			return -EINVAL;
	if (end - s >= TLOB_BINDING_NAME)
		return -ENAMETOOLONG;
	memcpy(name, s, end - s);
	name[end - s] = '\0';
	return 0;
}

/* Checks the path [@s, @end). Returns 0, -EINVAL or -ENAMETOOLONG. */
static inline int tlob_binding_path(const char *s, const char *end)
{
	if (s == end || *s != '/')
		return -EINVAL;
	return end - s >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* Returns the last @c in [@s, @end), or NULL. */
static inline char *tlob_binding_last(const char *s, char *end, char c)
{
	while (end > s)
		if (*--end == c)
			return end;
	return NULL;
}

/* Returns the start of the last word of [@s, @end). */
static inline char *tlob_binding_word(const char *s, char *end)
{
	while (end > s && !tlob_is_blank(end[-1]))
		end--;
	return end;
}

/* Returns @end moved before its preceding blanks. */
static inline char *tlob_binding_trim(const char *s, char *end)
{
	while (end > s && tlob_is_blank(end[-1]))
		end--;
	return end;
}

/* Parses PATH:STARTS, or PATH:START to remove. On success *@path_end is the ':'. */
static inline int tlob_binding_path_starts(char *s, char *end,
					   struct tlob_binding_line *b,
					   char **path_end)
{
	char *colon = tlob_binding_last(s, end, ':');
	int err;

	if (!colon)
		return -EINVAL;
	err = b->op == TLOB_BINDING_ADD ?
	      tlob_binding_offsets(colon + 1, end, &b->start) :
	      tlob_binding_one_offset(colon + 1, end, &b->start);
	b->path = s;
	*path_end = colon;
	return tlob_binding_worse(err, tlob_binding_path(s, colon));
}

/* Parses the text after the p. */
static inline int tlob_binding_add(char *s, char *end,
				   struct tlob_binding_line *b, char **path_end)
{
	static const char key[] = "threshold=";
	size_t len = sizeof(key) - 1;
	char *word;
	int err = 0;

	if (*s == ':') {
		for (word = ++s; s < end && !tlob_is_blank(*s); s++)
			;
		err = tlob_binding_name(word, s, b->name);
	}
	if (s == end || !tlob_is_blank(*s))
		return -EINVAL;
	while (s < end && tlob_is_blank(*s))
		s++;

	word = tlob_binding_word(s, end);
	if ((size_t)(end - word) < len || memcmp(word, key, len))
		return -EINVAL;
	err = tlob_binding_worse(err, tlob_binding_threshold(word + len, end,
							     &b->threshold_ns));
	end = tlob_binding_trim(s, word);
	word = tlob_binding_word(s, end);
	err = tlob_binding_worse(err, tlob_binding_offsets(word, end, &b->stop));
	end = tlob_binding_trim(s, word);
	return tlob_binding_worse(err, tlob_binding_path_starts(s, end, b,
								path_end));
}

/*
 * Parses @line, which has @len bytes and a NUL behind them. On success
 * *@binding is written; its path points into @line, where a NUL now ends it. On
 * an error both stay unchanged. Returns 0, or -EINVAL if the line breaks the
 * grammar above, whatever else is wrong. Returns -ERANGE for a number out of
 * its range, -E2BIG for too many offsets, or -ENAMETOOLONG.
 */
static inline int tlob_parse_binding(char *line, size_t len,
				     struct tlob_binding_line *binding)
{
	struct tlob_binding_line b = { .op = TLOB_BINDING_ADD };
	char *s = line, *end = line + len, *path_end = NULL;
	int err = -EINVAL;

	if (end > s && end[-1] == '\n')
		end--;
	if (memchr(s, '\n', end - s) || memchr(s, '\0', end - s))
		return -EINVAL;
	while (s < end && tlob_is_blank(*s))
		s++;
	end = tlob_binding_trim(s, end);
	if (end - s < 2)
		return -EINVAL;

	if (*s == 'p') {
		err = tlob_binding_add(s + 1, end, &b, &path_end);
		if (!err && tlob_offsets_meet(&b.start, &b.stop))
			err = -EINVAL;
	} else if (*s == '-' && s[1] == ':') {
		b.op = TLOB_BINDING_REMOVE_NAME;
		err = tlob_binding_name(s + 2, end, b.name);
	} else if (*s == '-') {
		b.op = TLOB_BINDING_REMOVE;
		err = tlob_binding_path_starts(s + 1, end, &b, &path_end);
	}
	if (err)
		return err;
	if (path_end)
		*path_end = '\0';
	*binding = b;
	return 0;
}

/*
 * Appends the offsets of @p to the @n bytes in @buf. @before stands before the
 * first one. Returns the new length; from @size on nothing more is written.
 */
static inline size_t tlob_format_offsets(char *buf, size_t size, size_t n,
					 char before,
					const struct tlob_offsets *p)
{
	unsigned int i;

	for (i = 0; i < p->nr && n < size; i++)
		n += snprintf(buf + n, size - n, "%c0x%llx", i ? ',' : before,
			      p->at[i]);
	return n;
}

/*
 * Writes the listed form of a binding into @buf, without a newline.
 * tlob_parse_binding() reads it back as the same binding. Returns the length,
 * or -ENOSPC if @size is too small. TLOB_BINDING_MAX is always enough.
 */
static inline int tlob_format_binding(char *buf, size_t size,
				      const struct tlob_binding_line *b)
{
	size_t n = snprintf(buf, size, "p%s%s %s", b->name[0] ? ":" : "",
			    b->name, b->path);

	n = tlob_format_offsets(buf, size, n, ':', &b->start);
	n = tlob_format_offsets(buf, size, n, ' ', &b->stop);
	if (n < size)
		n += snprintf(buf + n, size - n, " threshold=%llu",
			      b->threshold_ns);
	return n < size ? (int)n : -ENOSPC;
}

#endif /* _TLOB_BINDING_H */
