// SPDX-License-Identifier: GPL-2.0
/* The table of attach on a terminal, and the lines of violations next to it. */
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attach_sample.h"
#include "terminal.h"
#include "unit.h"
#include "report/progress.h"

#define LINE	"    0.053s  worker/4242  31.7ms > 10ms: sleeping 30.1ms\n"
#define HEAD	"Ctrl-C ends"

struct terminal {
	int master;
	FILE *f;
	struct progress p;
	struct result r;
};

static int begin(void **state)
{
	struct winsize size = { .ws_col = 80, .ws_row = 24 };
	struct terminal *t = calloc(1, sizeof(*t));
	int fd;

	assert_non_null(t);
	assert_int_equal(openpty(&t->master, &fd, NULL, NULL, &size), 0);
	assert_int_equal(fcntl(t->master, F_SETFL, O_NONBLOCK), 0);
	t->f = fdopen(fd, "w");
	assert_non_null(t->f);
	t->p = (struct progress){
		.how = PROGRESS_TABLE, .interval_ns = PROGRESS_TABLE_NS, .tty.fd = fd,
	};
	attach_sample(&t->r);
	*state = t;
	return 0;
}

static int leave(void **state)
{
	struct terminal *t = *state;

	progress_free(&t->p);
	result_free(&t->r);
	fclose(t->f);
	close(t->master);
	free(t);
	return 0;
}

/* The bytes that the terminal has got since the last time. */
static const char *written(struct terminal *t)
{
	fflush(t->f);
	return terminal_read(t->master);
}

/* Lines between two tables come with the second one: the first stays until then. */
TEST_WITH(lines_come_with_the_table, begin, leave)
{
	struct terminal *t = *state;
	const char *text, *line;

	progress_attach(&t->p, &t->r, 0);
	assert_contains(written(t), HEAD);
	fputs(LINE, progress_lines(&t->p, t->f));
	progress_attach(&t->p, &t->r, PROGRESS_TABLE_NS / 2);
	fputs(LINE, progress_lines(&t->p, t->f));
	assert_string_equal(written(t), "");
	progress_attach(&t->p, &t->r, PROGRESS_TABLE_NS);
	text = written(t);
	line = strstr(text, "31.7ms > 10ms");
	assert_non_null(line);
	assert_non_null(strstr(line + 1, "31.7ms > 10ms"));
	assert_contains(line, HEAD);
	assert_null(memmem(text, (size_t)(line - text), HEAD, strlen(HEAD)));
}

/* The end takes the table away, not the lines. */
TEST_WITH(no_line_is_lost, begin, leave)
{
	struct terminal *t = *state;
	const char *text;

	progress_attach(&t->p, &t->r, 0);
	written(t);
	fputs(LINE, progress_lines(&t->p, t->f));
	progress_clear(&t->p);
	text = written(t);
	assert_contains(text, "31.7ms > 10ms");
	assert_null(strstr(text, HEAD));
	fputs(LINE, progress_lines(&t->p, t->f));
	progress_free(&t->p);
	assert_contains(written(t), "31.7ms > 10ms");
}

/* A file gets its lines at once, and whole. */
TEST_WITH(file_no_wait, begin, leave)
{
	struct terminal *t = *state;
	FILE *f = tmpfile();

	assert_non_null(f);
	assert_ptr_equal(progress_lines(&t->p, f), f);
	t->p.how = PROGRESS_LINES;
	assert_ptr_equal(progress_lines(&t->p, f), f);
	fclose(f);
}

/* A terminal without a table gets its lines at the next step, broken between words. */
TEST_WITH(lines_are_folded, begin, leave)
{
	struct winsize narrow = { .ws_col = 40, .ws_row = 24 };
	struct terminal *t = *state;

	assert_int_equal(ioctl(t->master, TIOCSWINSZ, &narrow), 0);
	t->p = (struct progress){ .how = PROGRESS_OFF, .tty.fd = fileno(t->f) };
	fputs(LINE, progress_lines(&t->p, t->f));
	progress_attach(&t->p, &t->r, 0);
	assert_string_equal(written(t), "    0.053s  worker/4242  31.7ms > 10ms:\r\n  sleeping 30.1ms\r\n");
}

/* One line in place, not longer than the terminal, that progress_clear() takes away. */
TEST_WITH(steps_in_place, begin, leave)
{
	struct winsize narrow = { .ws_col = 40, .ws_row = 24 };
	struct terminal *t = *state;
	const char *text;

	assert_int_equal(ioctl(t->master, TIOCSWINSZ, &narrow), 0);
	progress_step(&t->p, "phase 2 of 5, @io", 61900000000ULL, 600000000000ULL);
	assert_contains(written(t), "61s of 600s: phase 2 of 5, @io\033[K");
	/* the run begins and ends beyond it */
	progress_step(&t->p, "phase 2 of 5, @memory and others", 602000000000ULL, 600000000000ULL);
	text = written(t);
	assert_contains(text, "\r600s of 600s: phase 2 of 5, @memory an>\033[K");
	assert_lacks(text, "\n");
	progress_clear(&t->p);
	assert_contains(written(t), "\r\033[J");
}

/* Elsewhere at most one line a minute. */
TEST(steps_in_lines)
{
	int saved = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	struct progress p;
	char text[1024];
	uint64_t s;
	size_t n;

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	progress_init_steps(&p, true);
	progress_step(&p, "quiet", 90000000000ULL, 0);
	progress_init_steps(&p, false);
	for (s = 1; s <= 130; s++)
		progress_step(&p, "pair 3", s * 1000000000ULL, 0);
	progress_free(&p);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = 0;
	fclose(file);
	assert_string_equal(text, "60s: pair 3\n120s: pair 3\n");
}

UNIT_MAIN(NULL, NULL)
