// SPDX-License-Identifier: GPL-2.0
/* Moving the cursor of a terminal, with the sequences that all of them know. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/signals.h"
#include "util/tty.h"

bool tty_knows_sequences(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb");
}

void tty_size(int fd, unsigned int *cols, unsigned int *rows)
{
	struct winsize size;
	bool known = !ioctl(fd, TIOCGWINSZ, &size);

	*cols = known && size.ws_col ? size.ws_col : SCREEN_COLS;
	*rows = known && size.ws_row ? size.ws_row : SCREEN_ROWS;
}

unsigned int tty_page_width(int fd)
{
	unsigned int cols, rows;

	tty_size(fd, &cols, &rows);
	return cols > PAGE_WIDTH ? PAGE_WIDTH : cols < PAGE_NARROWEST ? PAGE_NARROWEST : cols;
}

/*
 * The lines that @text takes on a terminal of @cols columns: if it has become narrower,
 * it has wrapped them. Colours take no column.
 */
static unsigned int lines_of(const char *text, unsigned int cols)
{
	unsigned int lines = 0, columns = 0;

	for (; *text; text++) {
		if (*text == '\n') {
			lines += columns ? (columns - 1) / cols + 1 : 1;
			columns = 0;
		} else if (*text == '\033') {
			text += strcspn(text, "m");
		} else {
			columns += ((unsigned char)*text & 0xc0) != 0x80;
		}
	}
	return lines;
}

/* To the first column of the first line of what is shown. The cursor is in its last one. */
static void go_home(const struct tty *t, FILE *f)
{
	unsigned int cols, rows, lines;

	fputs(t->whole ? "\033[H" : "\r", f);
	if (!t->shown || t->whole)
		return;
	tty_size(t->fd, &cols, &rows);
	lines = lines_of(t->shown, cols);
	if (lines > rows)
		lines = rows;
	if (lines > 1)
		fprintf(f, "\033[%uA", lines - 1);
}

static void put(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len && (n = write(fd, text, len)) > 0) {
		text += n;
		len -= (size_t)n;
	}
}

static FILE *open_buffer(char **text, size_t *len)
{
	*text = NULL;
	return open_memstream(text, len);
}

static void flush_buffer(int fd, FILE *f, char **text, const size_t *len)
{
	if (!fclose(f))
		put(fd, *text, *len);
	free(*text);
}

bool tty_draw(struct tty *t, const char *text)
{
	const char *line;
	size_t len, n;
	char *buffer;
	FILE *f;
	int queued;

	if (!ioctl(t->fd, TIOCOUTQ, &queued) && queued > 0)
		return false;
	f = open_buffer(&buffer, &len);
	if (!f)
		return false;
	go_home(t, f);
	for (line = text; *line; line += n + 1) {
		n = strcspn(line, "\n");
		/* no newline after the last one: on the last row it would scroll */
		fprintf(f, "%.*s\033[K%s", (int)n, line, line[n] && line[n + 1] ? "\r\n" : "");
		if (!line[n])
			break;
	}
	fputs("\033[J", f);
	flush_buffer(t->fd, f, &buffer, &len);
	free(t->shown);
	t->shown = strdup(text);
	signals_screen(true);
	return true;
}

void tty_put(const struct tty *t, const char *sequence)
{
	put(t->fd, sequence, strlen(sequence));
}

void tty_clear(struct tty *t)
{
	char *buffer;
	size_t len;
	FILE *f;

	if (!t->shown)
		return;
	f = open_buffer(&buffer, &len);
	if (f) {
		go_home(t, f);
		fputs("\033[J", f);
		flush_buffer(t->fd, f, &buffer, &len);
	}
	free(t->shown);
	t->shown = NULL;
	signals_screen(false);
}
