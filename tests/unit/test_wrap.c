// SPDX-License-Identifier: GPL-2.0
/* Lines on terminals of several widths, and in files, where they stay whole. */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

#include "terminal.h"
#include "unit.h"
#include "report/layout.h"
#include "util/error.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/wrap.h"

#define LATE	"    0.053s  worker/4242  31.7ms > 10ms: sleeping 30.1ms, waiting 1.2ms; longest wait 30.1ms in futex_wait_queue, woken by main/4241\n"

static void put_line(FILE *f)
{
	wrap_put(f, LATE);
}

static void put_foreign(FILE *f)
{
	wrap_printable(f, "series %u: %s, %s\n", 1, "host\033", "period 1ms, budget 200us, CPUs 2-5, backend tlob, tuned by governor and cpu_dma_latency");
}

static void put_message(FILE *f)
{
	int saved = dup(STDERR_FILENO);

	dup2(fileno(f), STDERR_FILENO);
	warning("backend bpf, not tlob: %s", "the module tlob_load is not loaded, and the kernel has no part for it: modprobe tlob_load");
	dup2(saved, STDERR_FILENO);
	close(saved);
}

static void put_coloured(FILE *f)
{
	wrap_print(f, "\033[1;31mNOT FIT:\033[0m %s\n", "1 fatal, 2 high and 3 medium findings; 10 of 60 rules not read, 3 high");
}

static void (* const puts_of[])(FILE *f) = { put_line, put_foreign, put_message, put_coloured };

#define NR_PUTS	(sizeof(puts_of) / sizeof(puts_of[0]))

/* Returns what @put writes to a terminal with @cols columns. The caller frees it. */
static char *on_terminal(void (*put)(FILE *f), unsigned short cols)
{
	struct winsize size = { .ws_col = cols, .ws_row = 24 };
	int master, fd;
	char *text;
	FILE *f;

	assert_int_equal(openpty(&master, &fd, NULL, NULL, &size), 0);
	assert_int_equal(fcntl(master, F_SETFL, O_NONBLOCK), 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	put(f);
	fflush(f);
	text = strdup(terminal_read(master));
	assert_non_null(text);
	fclose(f);
	close(master);
	return text;
}

static char *in_file(void (*put)(FILE *f))
{
	char text[4096];
	FILE *f = tmpfile();
	size_t n;

	assert_non_null(f);
	put(f);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	return strdup(text);
}

/* Without colours and line ends; a blank for each of those and for indents. */
static char *joined(const char *text)
{
	char *to = calloc(1, strlen(text) + 1);
	size_t n = 0;

	assert_non_null(to);
	for (; *text; text++) {
		char c = *text == '\r' || *text == '\n' ? ' ' : *text;

		if (c == '\033')
			text += strcspn(text, "m");
		else if (c != ' ' || (n && to[n - 1] != ' '))
			to[n++] = c;
	}
	return to;
}

/* No line is wider than the terminal, and no word is broken: joined, it is the line of a file. */
TEST(folds_between_words)
{
	static const unsigned short widths[] = { 40, 60, 80, 100 };
	size_t i, k;

	for (i = 0; i < NR_PUTS; i++) {
		char *whole = in_file(puts_of[i]), *plain = joined(whole);

		assert_ptr_equal(strchr(whole, '\n'), whole + strlen(whole) - 1);
		for (k = 0; k < sizeof(widths) / sizeof(widths[0]); k++) {
			char *text = on_terminal(puts_of[i], widths[k]), *again = joined(text), *line, *rest;
			unsigned int lines = 0;

			assert_string_equal(again, plain);
			for (line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
				char *shown = joined(line);
				size_t indent = strspn(line, " ");

				assert_in_range(printable_width(shown) + indent, 1, widths[k]);
				lines++;
				free(shown);
			}
			assert_true(lines > 1 || printable_width(plain) <= widths[k] + 1U);
			free(text);
			free(again);
		}
		free(whole);
		free(plain);
	}
}

/* A row that is too wide loses the columns that matter least, in their order, and no more. */
TEST(least_columns_go)
{
	static const char * const wanted[] = {
		[9] = "a1 c3 d4\n", [10] = "a1 c3 d4\n", [11] = "a1 b2 c3 d4\n", [5] = "a1 d4\n",
	};
	unsigned int width;

	for (width = 0; width < sizeof(wanted) / sizeof(wanted[0]); width++) {
		struct table t = { .align = "llll", .gap = 1, .width = width, .least = "bc" };
		char *text = NULL;
		size_t size;
		FILE *f;

		if (!wanted[width])
			continue;
		f = open_memstream(&text, &size);
		table_cell(&t, "a1\tb2\tc3\td4");
		assert_int_equal(table_print(&t, f), 0);
		fclose(f);
		assert_string_equal(text, wanted[width]);
		free(text);
	}
}

static void put_exact(FILE *f)
{
	wrap_print(f, "%s\n", "\033[1mone two three four five six seven eights\033[0m");
}

/* In a file as well a message leaves errno to its caller. */
TEST(errno_stays)
{
	char *text;

	errno = ENOSPC;
	text = in_file(put_message);
	assert_int_equal(errno, ENOSPC);
	free(text);
}

/* A line that fits is one line, also if a colour ends it. */
TEST(exact_width)
{
	char *text = on_terminal(put_exact, 40);

	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
}

UNIT_MAIN(NULL, NULL)
