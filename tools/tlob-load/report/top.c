// SPDX-License-Identifier: GPL-2.0
/*
 * Keys and drawing of the full screen. What it shows is rendered by screen_cpus() and
 * screen_cpu(); ncurses sends what has changed since the last time.
 */
#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/pager.h"
#include "report/screen.h"
#include "report/snapshot.h"
#include "report/top.h"
#include "util/error.h"

#define KEY_ESCAPE	27

struct top {
	SCREEN	*screen;
	int	 stderr_fd;		/* the real one */
	bool	 paused;
	bool	 help;			/* shown in place of CPUs */
	bool	 one_cpu;		/* only the CPU of the cursor is shown */
	size_t	 cursor;		/* a row of the order */
	size_t	 chosen;		/* the index of the CPU that is shown alone */
	struct view view;
	char	 hint[96];
};

/* Messages would tear the screen apart: they are kept until its end. */
static int hold_stderr(void)
{
	int saved = dup(STDERR_FILENO), kept = memfd_create("stderr", MFD_CLOEXEC);

	fflush(stderr);
	if (saved < 0 || kept < 0 || dup2(kept, STDERR_FILENO) < 0) {
		if (saved >= 0)
			close(saved);
		saved = -1;
	}
	if (kept >= 0)
		close(kept);
	return saved;
}

static void release_stderr(int saved)
{
	char buf[4096];
	ssize_t n;

	fflush(stderr);
	lseek(STDERR_FILENO, 0, SEEK_SET);
	while ((n = read(STDERR_FILENO, buf, sizeof(buf))) > 0)
		if (write(saved, buf, (size_t)n) != n)
			break;
	dup2(saved, STDERR_FILENO);
	close(saved);
}

int top_begin(struct top **top)
{
	struct top *t;

	*top = NULL;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return fail(-ENOTTY, "top needs a terminal: use run, which prints a line at times without one");
	t = calloc(1, sizeof(*t));
	if (!t)
		return fail(-ENOMEM, "out of memory");
	/* names of tasks may be UTF-8 */
	setlocale(LC_CTYPE, "");
	/* unlike initscr() it does not exit where TERM is unknown */
	t->screen = newterm(NULL, stdout, stdin);
	if (!t->screen) {
		free(t);
		return fail(-ENOTTY, "top cannot use this terminal (TERM=%s): use run",
			    getenv("TERM") ? getenv("TERM") : "");
	}
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	t->stderr_fd = hold_stderr();
	t->view.sort = SORT_CPU;
	*top = t;
	return 0;
}

void top_end(struct top *t)
{
	if (!t)
		return;
	endwin();
	delscreen(t->screen);
	if (t->stderr_fd >= 0)
		release_stderr(t->stderr_fd);
	free(t);
}

bool top_is_paused(const struct top *t)
{
	return t->paused;
}

/* The view of the terminal as it is now, with the cursor's row on it. */
static void fit_view(struct top *t, const struct snapshot *s)
{
	size_t room;

	t->view.rows = (unsigned int)LINES;
	t->view.cols = (unsigned int)COLS;
	t->view.hint = t->hint;
	snprintf(t->hint, sizeof(t->hint), "%s%s%s  %s", t->paused ? "PAUSED " : "",
		 t->one_cpu ? "q:end p:hold" : "by ",
		 t->one_cpu ? "" : screen_sort_name(t->view.sort),
		 t->one_cpu ? "Esc:all CPUs h:help" : "q:end p:hold s:sort Enter:CPU h:help");
	if (s->n && t->cursor >= s->n)
		t->cursor = s->n - 1;
	room = screen_cpus_room(&t->view);
	if (t->cursor < t->view.first)
		t->view.first = t->cursor;
	if (t->cursor >= t->view.first + room)
		t->view.first = t->cursor - room + 1;
	t->view.cursor = (int)(t->cursor - t->view.first);
}

static void choose(struct top *t, const struct snapshot *s)
{
	size_t *order = calloc(s->n ? s->n : 1, sizeof(*order));

	if (order && s->n) {
		screen_order(s, t->view.sort, order);
		t->chosen = order[t->cursor];
		t->one_cpu = true;
	}
	free(order);
}

static void move_cursor(struct top *t, const struct snapshot *s, int key)
{
	size_t room = screen_cpus_room(&t->view), last = s->n ? s->n - 1 : 0;

	if (key == KEY_UP && t->cursor)
		t->cursor--;
	else if (key == KEY_DOWN && t->cursor < last)
		t->cursor++;
	else if (key == KEY_PPAGE)
		t->cursor -= t->cursor < room ? t->cursor : room;
	else if (key == KEY_NPAGE)
		t->cursor = t->cursor + room < last ? t->cursor + room : last;
}

bool top_keys(struct top *t, const struct snapshot *s)
{
	int key;

	while ((key = getch()) != ERR) {
		/* any key leaves the help */
		if (t->help && key != 'q')
			key = 'h';
		switch (key) {
		case 'q':
			return true;
		case 'h': case '?':
			t->help = !t->help;
			break;
		case 'p': case ' ':
			t->paused = !t->paused;
			break;
		case 's':
			t->view.sort = (t->view.sort + 1) % SCREEN_NR_SORTS;
			break;
		case '\n': case '\r': case KEY_ENTER:
			choose(t, s);
			break;
		case KEY_ESCAPE: case KEY_LEFT:
			t->one_cpu = false;
			break;
		default:
			move_cursor(t, s, key);
			break;
		}
		fit_view(t, s);
		top_draw(t, s);
	}
	return false;
}

/* One line of the screen; the line of the cursor stands out. */
static void put_line(const struct top *t, int row, const char *line, size_t len)
{
	bool marked = !t->one_cpu && !t->help && row == t->view.cursor + SCREEN_HEADER_ROWS;
	int attribute = marked ? A_REVERSE :
			!t->help && row && row < SCREEN_HEADER_ROWS ? A_BOLD : A_NORMAL;

	attrset(attribute);
	mvaddnstr(row, 0, line, (int)len);
	attrset(A_NORMAL);
	clrtoeol();
}

void top_draw(struct top *t, const struct snapshot *s)
{
	char *text = NULL, *line;
	size_t len, n;
	int row = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return;
	fit_view(t, s);
	if (t->help)
		screen_help(f, &t->view);
	else if (t->one_cpu && t->chosen < s->n)
		screen_cpu(f, s, &s->cpu[t->chosen], &t->view);
	else
		screen_cpus(f, s, &t->view);
	if (!fclose(f)) {
		for (line = text; *line; line += n + (line[n] == '\n')) {
			n = strcspn(line, "\n");
			put_line(t, row++, line, n);
		}
		move(row < LINES ? row : LINES - 1, 0);
		if (row < LINES)
			clrtobot();
		refresh();
	}
	free(text);
}
