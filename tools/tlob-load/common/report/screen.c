// SPDX-License-Identifier: GPL-2.0
/* Shared by all screens: short numbers, bars, lines that fit. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "report/screen.h"
#include "report/snapshot.h"
#include "util/memstream.h"
#include "util/units.h"

#define HINT_LEAST	10	/* columns that make sense of it */

/* Passes over an escape sequence "ESC [ ... m". Returns its length, or 0. */
static size_t escape_len(const char *s)
{
	size_t n;

	if (s[0] != '\033' || s[1] != '[')
		return 0;
	n = 2 + strspn(s + 2, "0123456789;");
	return s[n] == 'm' ? n + 1 : 0;
}

/* A byte that continues a character takes no column. */
static bool takes_column(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* The columns of the line at @s, without the spaces at its end. */
static unsigned int line_columns(const char *s)
{
	unsigned int columns = 0, used = 0;

	for (; *s && *s != '\n'; s++) {
		while (escape_len(s))
			s += escape_len(s);
		if (!*s || *s == '\n')
			break;
		columns += takes_column(*s);
		if (*s != ' ')
			used = columns;
	}
	return used;
}

/*
 * Prints the line at @s, at most @width columns: of a longer one the last is a mark. @more: there is
 * no room for the lines behind it, and it ends with a sign of that.
 */
static size_t cut_line(FILE *f, const char *s, unsigned int width, bool more)
{
	bool cut = more || line_columns(s) > width, escaped = false;
	const char *mark = more ? SCREEN_MORE_MARK : SCREEN_CUT_MARK;
	unsigned int columns = 0, room = cut && width >= strlen(mark) ? width - (unsigned int)strlen(mark) : width;
	size_t i, n;

	for (i = 0; s[i] && s[i] != '\n'; i++) {
		n = escape_len(s + i);
		if (n) {
			escaped = true;
			fwrite(s + i, 1, n, f);
			i += n - 1;
			continue;
		}
		columns += takes_column(s[i]);
		if (columns <= room)
			fputc(s[i], f);
	}
	if (escaped && columns > room)
		fputs("\033[0m", f);
	if (cut && width >= strlen(mark))
		fputs(mark, f);
	fputc('\n', f);
	return i;
}

/* Returns whether a line with text follows the one at @text. */
static bool has_more(const char *text)
{
	text += strcspn(text, "\n");
	return text[strspn(text, " \n")];
}

void screen_cut(FILE *f, const char *text, const struct view *v)
{
	unsigned int rows;

	for (rows = 1; *text && rows <= v->rows; rows++) {
		text += cut_line(f, text, v->cols - 1, rows == v->rows && has_more(text));
		text += *text == '\n';
	}
}

void screen_put(FILE *f, const struct view *v, void (*put)(FILE *f, const void *data),
		const void *data)
{
	char *text = memstream_of(put, data);

	screen_cut(f, text ? text : "", v);
	free(text);
}

/* A piece of a line, if it fits: a number that is cut is another number. */
__attribute__((format(printf, 3, 4)))
static void put_piece(FILE *f, unsigned int *room, const char *fmt, ...)
{
	char text[64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (strlen(text) > *room)
		return;
	fputs(text, f);
	*room -= (unsigned int)strlen(text);
}

void screen_head(FILE *f, const struct view *v, uint64_t elapsed_ns, uint64_t duration_ns,
		 uint64_t period_ns, uint64_t budget_ns, uint64_t clock_ns)
{
	unsigned int room = v->cols - 1;
	char text[DURATION_LEN];

	put_piece(f, &room, "%" PRIu64 "s", elapsed_ns / 1000000000);
	if (duration_ns)
		put_piece(f, &room, " of %" PRIu64 "s", (duration_ns + 999999999) / 1000000000);
	if (period_ns)
		put_piece(f, &room, ", period %s", duration_exact(text, period_ns));
	put_piece(f, &room, ", budget %s", duration_exact(text, budget_ns));
	if (clock_ns > 1)
		put_piece(f, &room, ", clock %s", duration_exact(text, clock_ns));
	/* words may be cut */
	if (v->hint && room > HINT_LEAST)
		fprintf(f, "   %s", v->hint);
	fputc('\n', f);
}

void screen_title(FILE *f, const struct view *v, const char *title)
{
	fprintf(f, "%s%s%s\n", v->colour ? "\033[1m" : "", title, v->colour ? "\033[0m" : "");
}

void screen_cpu_counts(FILE *f, const struct snapshot_cpu *c, const struct view *v, int width)
{
	char windows[SCREEN_COUNT_LEN], violations[SCREEN_COUNT_LEN], missed[SCREEN_COUNT_LEN];
	bool red = v->colour && c->violations;
	int rest = width > 5 ? 5 : 4;

	if (c->cpu < 0)
		fputs("all", f);
	else
		fprintf(f, "%3d", c->cpu);
	fprintf(f, " %*s %s%*s%s %*s", width, screen_count(windows, c->windows, width),
		red ? "\033[1;31m" : "", rest, screen_count(violations, c->violations, rest),
		red ? "\033[0m" : "", rest, screen_count(missed, c->missed, rest));
}

void screen_latency(FILE *f, uint64_t p50, uint64_t p999, uint64_t max)
{
	char text[3][SCREEN_US_LEN];

	fprintf(f, " %5s %5s %5s", screen_us(text[0], p50), screen_us(text[1], p999),
		screen_us(text[2], max));
}

const char *screen_us(char buf[SCREEN_US_LEN], uint64_t ns)
{
	if (ns == SNAPSHOT_FEW)
		snprintf(buf, SCREEN_US_LEN, "-");
	else if (ns == SNAPSHOT_MISSED)
		snprintf(buf, SCREEN_US_LEN, "miss");
	else if (ns < 9995)
		snprintf(buf, SCREEN_US_LEN, "%.2f", (double)ns / 1000);
	else if (ns < 99950)
		snprintf(buf, SCREEN_US_LEN, "%.1f", (double)ns / 1000);
	else if (ns < 99999500)
		snprintf(buf, SCREEN_US_LEN, "%.0f", (double)ns / 1000);
	else if (ns < 9999500000ULL)
		snprintf(buf, SCREEN_US_LEN, "%.0fm", (double)ns / 1000000);
	else
		snprintf(buf, SCREEN_US_LEN, "%.0fs", (double)ns / 1000000000);
	return buf;
}

const char *screen_count(char buf[SCREEN_COUNT_LEN], uint64_t n, int width)
{
	static const char units[] = "kMGTPE";
	double value;
	size_t unit = 0;

	if (snprintf(buf, SCREEN_COUNT_LEN, "%" PRIu64, n) <= width)
		return buf;
	value = (double)n / 1000;
	while (value >= 999.5) {
		value /= 1000;
		unit++;
	}
	snprintf(buf, SCREEN_COUNT_LEN, value < 9.995 && width > 4 ? "%.2f%c" : "%.0f%c",
		 value, units[unit]);
	return buf;
}

/*
 * Shares @width characters: each part gets the whole number below its share, and what
 * is left goes to the largest remainders.
 */
static void share_out(const struct bar_part *part, size_t n, unsigned int width,
		      unsigned int chars[])
{
	double rest[TLOB_NR_PARTS] = { 0 }, share, whole = 0;
	unsigned int left = width;
	size_t i, best;

	for (i = 0; i < n; i++)
		whole += (double)part[i].ns;
	for (i = 0; i < n; i++) {
		share = whole > 0 ? (double)part[i].ns / whole * width : 0;
		chars[i] = (unsigned int)share;
		rest[i] = share - chars[i];
		left -= chars[i];
	}
	for (; whole > 0 && left; left--) {
		for (best = 0, i = 1; i < n; i++)
			if (rest[i] > rest[best])
				best = i;
		chars[best]++;
		rest[best] = -1;
	}
}

void screen_bar(FILE *f, const struct view *v, const struct bar_part *part, size_t n,
		unsigned int width)
{
	unsigned int chars[TLOB_NR_PARTS], k, used = 0;
	size_t i;

	share_out(part, n, width, chars);
	for (i = 0; i < n; i++) {
		if (!chars[i])
			continue;
		if (v->colour)
			fprintf(f, "\033[38;5;%um", part[i].colour);
		for (k = 0; k < chars[i]; k++)
			fputc(part[i].letter, f);
		if (v->colour)
			fputs("\033[0m", f);
		used += chars[i];
	}
	fprintf(f, "%*s", (int)(width - used), "");
}

void screen_legend(FILE *f, const struct view *v, const struct bar_part *part, size_t n)
{
	const char *sep = "";
	size_t i;

	for (i = 0; i < n; i++) {
		if (!part[i].name)
			continue;
		if (v->colour)
			fprintf(f, "%s\033[38;5;%um%c\033[0m %s", sep, part[i].colour,
				part[i].letter, part[i].name);
		else
			fprintf(f, "%s%c %s", sep, part[i].letter, part[i].name);
		sep = " ";
	}
	fputc('\n', f);
}
