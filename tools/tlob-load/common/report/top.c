// SPDX-License-Identifier: GPL-2.0
/*
 * Keys and drawing of the full screen. What it shows is rendered by screen_cpus() and
 * screen_cpu(), and drawn in place like the table of a run, on a screen of its own.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "report/pager.h"
#include "report/screen.h"
#include "report/snapshot.h"
#include "report/top.h"
#include "util/error.h"
#include "util/memstream.h"
#include "util/signals.h"
#include "util/tty.h"

/* The alternate screen, and a hidden cursor. */
#define SCREEN_TAKE	"\033[?1049h\033[?25l"
#define SCREEN_LEAVE	"\033[?25h\033[?1049l"

#define ESCAPE_MS	25	/* the rest of a key's sequence comes within it */

enum key { KEY_ESCAPE = 27, KEY_UP = 256, KEY_DOWN, KEY_LEFT, KEY_PAGE_UP, KEY_PAGE_DOWN };

struct top {
	struct tty tty;
	struct termios before;
	int	 stderr_fd;		/* the real one */
	bool	 drawn;			/* else the terminal was busy */
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

/* Keys come one by one and are not shown. Ctrl-Z would leave a terminal in this state. */
static int take_keys(struct top *t)
{
	struct termios keys;

	if (tcgetattr(STDIN_FILENO, &t->before))
		return -errno;
	keys = t->before;
	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	keys.c_cc[VMIN] = 0;
	keys.c_cc[VTIME] = 0;
	keys.c_cc[VSUSP] = _POSIX_VDISABLE;
	return tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) ? -errno : 0;
}

int top_begin(struct top **top)
{
	const char *term = getenv("TERM");
	struct top *t;

	*top = NULL;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return fail(-ENOTTY, "top needs a terminal: use run, which prints progress lines without one");
	if (!tty_knows_sequences(STDOUT_FILENO))
		return fail(-ENOTTY, "top cannot use this terminal (TERM=%s): use run", term ? term : "");
	t = calloc(1, sizeof(*t));
	if (!t)
		return fail(-ENOMEM, "out of memory");
	if (take_keys(t)) {
		free(t);
		return fail(-ENOTTY, "top cannot read the keys of this terminal: use run");
	}
	t->tty = (struct tty){ .fd = STDOUT_FILENO, .whole = true };
	tty_put(&t->tty, SCREEN_TAKE);
	t->stderr_fd = hold_stderr();
	t->view.sort = SORT_CPU;
	t->view.colour = page_wants_colour(stdout);
	*top = t;
	return 0;
}

void top_end(struct top *t)
{
	if (!t)
		return;
	tty_put(&t->tty, SCREEN_LEAVE);
	signals_screen(false);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &t->before);
	if (t->stderr_fd >= 0)
		release_stderr(t->stderr_fd);
	free(t->tty.shown);
	free(t);
}

bool top_is_paused(const struct top *t)
{
	return t->paused;
}

/* The view of the terminal as it is now, with the cursor's row on it. Returns true if it changed. */
static bool fit_view(struct top *t, const struct snapshot *s)
{
	unsigned int rows = t->view.rows, cols = t->view.cols;
	size_t room;

	tty_size(t->tty.fd, &t->view.cols, &t->view.rows);
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
	return rows != t->view.rows || cols != t->view.cols;
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
	else if (key == KEY_PAGE_UP)
		t->cursor -= t->cursor < room ? t->cursor : room;
	else if (key == KEY_PAGE_DOWN)
		t->cursor = t->cursor + room < last ? t->cursor + room : last;
}

/* The next byte of the keyboard within @ms, or -1. */
static int next_byte(int ms)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned char c;

	return poll(&in, 1, ms) > 0 && read(STDIN_FILENO, &c, 1) == 1 ? c : -1;
}

/* The next key, or -1. Cursor keys are ESC [ A or ESC O A, others have a number and a '~'. */
static int next_key(void)
{
	int c = next_byte(0), number = 0;

	if (c != KEY_ESCAPE)
		return c;
	c = next_byte(ESCAPE_MS);
	if (c != '[' && c != 'O')
		return KEY_ESCAPE;
	while ((c = next_byte(ESCAPE_MS)) >= '0' && c <= '9')
		number = 10 * (number % 100) + c - '0';
	switch (c) {
	case 'A': return KEY_UP;
	case 'B': return KEY_DOWN;
	case 'D': return KEY_LEFT;
	case '~': return number == 5 ? KEY_PAGE_UP : number == 6 ? KEY_PAGE_DOWN : 0;
	}
	return 0;
}

bool top_keys(struct top *t, const struct snapshot *s)
{
	int key;

	/* a screen that is held still follows the size of the terminal */
	if (fit_view(t, s) || !t->drawn)
		top_draw(t, s);
	while ((key = next_key()) >= 0) {
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
		case '\n': case '\r':
			choose(t, s);
			break;
		case KEY_ESCAPE: case KEY_LEFT:
			t->one_cpu = false;
			break;
		default:
			move_cursor(t, s, key);
			break;
		}
		top_draw(t, s);
	}
	return false;
}

struct shown {
	const struct top *t;
	const struct snapshot *s;
};

static void put_screen(FILE *f, const void *data)
{
	const struct shown *shown = data;
	const struct snapshot *s = shown->s;
	const struct top *t = shown->t;

	if (t->help)
		screen_help(f, &t->view);
	else if (t->one_cpu && t->chosen < s->n)
		screen_cpu(f, s, &s->cpu[t->chosen], &t->view);
	else
		screen_cpus(f, s, &t->view);
}

void top_draw(struct top *t, const struct snapshot *s)
{
	const struct shown shown = { t, s };
	char *text;

	fit_view(t, s);
	text = memstream_of(put_screen, &shown);
	t->drawn = text && tty_draw(&t->tty, text);
	free(text);
}
