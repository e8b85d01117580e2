// SPDX-License-Identifier: GPL-2.0
/* Sets of CPUs, in the two formats of the kernel. Pure: no I/O. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cpulist.h"
#include "util/memstream.h"

#define WORDS	(CPULIST_MAX / 64)
#define CPU_DIGITS	8	/* of a number, with what is next to it */

bool cpulist_has(const struct cpulist *s, int cpu)
{
	return cpu >= 0 && cpu < CPULIST_MAX && s->word[cpu / 64] >> cpu % 64 & 1;
}

void cpulist_add(struct cpulist *s, int cpu)
{
	s->word[cpu / 64] |= 1ULL << cpu % 64;
}

/* A number below CPULIST_MAX at *@s, which moves behind it; or -1. */
static int cpu_at(const char **s)
{
	int n = 0;

	if (!isdigit((unsigned char)**s))
		return -1;
	for (; isdigit((unsigned char)**s); ++*s)
		if (n < CPULIST_MAX)
			n = 10 * n + (**s - '0');
	return n < CPULIST_MAX ? n : -1;
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t\n");
}

int cpulist_parse(struct cpulist *s, const char *text)
{
	int first, last;

	*s = (struct cpulist){ 0 };
	text = skip_blanks(text);
	if (!strncmp(text, "(null)", strlen("(null)")))
		text += strlen("(null)");
	if (!*skip_blanks(text))
		return 0;
	for (;; text++) {
		first = last = cpu_at(&text);
		if (first >= 0 && *text == '-') {
			text++;
			last = cpu_at(&text);
		}
		if (first < 0 || last < first)
			return -EINVAL;
		for (; first <= last; first++)
			cpulist_add(s, first);
		if (*text != ',')
			return *skip_blanks(text) ? -EINVAL : 0;
	}
}

int cpulist_parse_mask(struct cpulist *s, const char *text)
{
	size_t len = strcspn(text, " \t\n"), i;
	int bit = 0, digit, k;

	*s = (struct cpulist){ 0 };
	if (!len || *skip_blanks(text + len))
		return -EINVAL;
	for (i = len; i-- > 0;) {
		if (text[i] == ',')
			continue;
		if (!isxdigit((unsigned char)text[i]))
			return -EINVAL;
		digit = isdigit((unsigned char)text[i]) ? text[i] - '0' : tolower(text[i]) - 'a' + 10;
		for (k = 0; k < 4; k++, bit++) {
			if (!(digit >> k & 1))
				continue;
			if (bit >= CPULIST_MAX)
				return -EINVAL;
			cpulist_add(s, bit);
		}
	}
	return 0;
}

bool cpulist_is_empty(const struct cpulist *s)
{
	return cpulist_next(s, -1) < 0;
}

unsigned int cpulist_count(const struct cpulist *s)
{
	unsigned int i, n = 0;

	for (i = 0; i < WORDS; i++)
		n += (unsigned int)__builtin_popcountll(s->word[i]);
	return n;
}

int cpulist_next(const struct cpulist *s, int cpu)
{
	uint64_t left;
	int i;

	if (++cpu >= CPULIST_MAX)
		return -1;
	i = cpu / 64;
	for (left = s->word[i] >> cpu % 64 << cpu % 64; !left && ++i < WORDS;)
		left = s->word[i];
	return left ? 64 * i + __builtin_ctzll(left) : -1;
}

struct cpulist cpulist_and(const struct cpulist *a, const struct cpulist *b)
{
	struct cpulist s = *a;
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		s.word[i] &= b->word[i];
	return s;
}

struct cpulist cpulist_without(const struct cpulist *a, const struct cpulist *b)
{
	struct cpulist s = *a;
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		s.word[i] &= ~b->word[i];
	return s;
}

struct cpulist cpulist_or(const struct cpulist *a, const struct cpulist *b)
{
	struct cpulist s = *a;
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		s.word[i] |= b->word[i];
	return s;
}

bool cpulist_meet(const struct cpulist *a, const struct cpulist *b)
{
	struct cpulist s = cpulist_and(a, b);

	return !cpulist_is_empty(&s);
}

bool cpulist_covers(const struct cpulist *all, const struct cpulist *some)
{
	struct cpulist s = cpulist_without(some, all);

	return cpulist_is_empty(&s);
}

/* Not by a stream: it takes 8 KB, and doctor formats dozens of lists. */
char *cpulist_format(const struct cpulist *s)
{
	int cpu = cpulist_next(s, -1), last;
	size_t n = cpulist_count(s) + 1, size = n * CPU_DIGITS;
	char *text, *to;

	if (cpu < 0)
		return strdup("none");
	text = to = calloc(n, CPU_DIGITS);
	for (; text && cpu >= 0; cpu = cpulist_next(s, last)) {
		for (last = cpu; cpulist_has(s, last + 1);)
			last++;
		to += snprintf(to, size - (size_t)(to - text), to > text ? ",%d" : "%d", cpu);
		if (last > cpu)
			to += snprintf(to, size - (size_t)(to - text), "-%d", last);
	}
	return text;
}

char *cpulist_format_mask(const struct cpulist *s)
{
	bool begun = false;
	char *text = NULL;
	uint32_t part;
	size_t size;
	FILE *f;
	int i;

	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	for (i = 2 * WORDS - 1; i >= 0; i--) {
		part = (uint32_t)(s->word[i / 2] >> 32 * (i % 2));
		if (begun)
			fprintf(f, ",%08x", part);
		else if (part || !i)
			fprintf(f, "%x", part);
		begun = begun || part;
	}
	return memstream_text(f, &text);
}
