/* SPDX-License-Identifier: GPL-2.0 */
/* Draws a screen in place: over the one before, below what was printed earlier. */
#ifndef TLOB_UTIL_TTY_H
#define TLOB_UTIL_TTY_H

#include <stdbool.h>

struct tty {
	int	 fd;
	bool	 whole;			/* from the first row of the terminal on */
	char	*shown;			/* the screen that is there now, or NULL */
};

#define SCREEN_COLS	80		/* of a terminal of unknown size */
#define SCREEN_ROWS	24

/* Returns true if @fd is a terminal that knows sequences: without TERM nothing says so. */
bool tty_knows_sequences(int fd);

/* The size of the terminal @fd; SCREEN_COLS and SCREEN_ROWS if unknown. */
void tty_size(int fd, unsigned int *cols, unsigned int *rows);

#define PAGE_WIDTH	80
#define PAGE_NARROWEST	40	/* narrower terminals break words */

/* The columns of printed text: the width of the terminal @fd, at most PAGE_WIDTH. */
unsigned int tty_page_width(int fd);

/*
 * Draws @text, whose lines fit. Does nothing and returns false while the terminal still has
 * output to show: it is slow or stopped, and waiting for it would cost records.
 */
bool tty_draw(struct tty *t, const char *text);

/* Writes a sequence that is no part of the screen. */
void tty_put(const struct tty *t, const char *sequence);

/* Takes the screen away. */
void tty_clear(struct tty *t);

#endif /* TLOB_UTIL_TTY_H */
