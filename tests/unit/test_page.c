// SPDX-License-Identifier: GPL-2.0
/* The page that a terminal gets at the end of a measurement. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <termios.h>

#include "attach_sample.h"
#include "report/render.h"
#include "sample.h"
#include "terminal.h"
#include "util/printable.h"

static const char golden_page[] =
	"1 of 2 000 windows over 200 us; worst 257 us on CPU 0: 58 % while kworker/0:1\n"
	"  (pid 117) ran; but windows were lost\n"
	"missed: 2 of 2 002 expiries (<1 %)\n"
	"\n"
	"cpu  us              min        avg        p50        p99      p99.9        max\n"
	"all  irq           1.200      1.200      1.200      1.200      1.200      1.200\n"
	"     wake          3.000      3.000      3.000      3.000      3.000      3.000\n"
	"     response    105.000    105.076    105.471    105.471    257.251    257.251\n"
	"\n"
	"mean   response 105.076us = on_cpu 97.1% + irq 1.2% + irq_delay 0.9% +\n"
	"         sched 0.8% + thread 0.1%\n"
	"worst  response 257.251us = thread 58.4% + on_cpu 39.6% +\n"
	"         irq 1.3% (wake 0.5, work 0.8) + irq_delay 0.3% + sched 0.3%\n"
	"\n"
	"warning: records lost: 1; worst windows and names are incomplete\n"
	"\n"
	"user workload, work spin:100us, period 1ms, fifo:95, CPUs 0-1, backend tlob,\n"
	"  ran 2s\n"
	"\n"
	"-v shows all of it: each CPU, the worst windows, the delays\n";

/* At most @rows lines of @cols columns, no space at the end of one. */
static void check_page(const char *text, unsigned int cols, unsigned int rows)
{
	const char *line, *end;
	unsigned int n = 0;

	for (line = text; *line; line = end + 1, n++) {
		char copy[512];

		end = strchr(line, '\n');
		assert_non_null(end);
		assert_true(end - line < (long)sizeof(copy));
		snprintf(copy, sizeof(copy), "%.*s", (int)(end - line), line);
		if (printable_width(copy) > cols)
			fail_msg("too wide: %s", copy);
		if (end > line && isspace((unsigned char)end[-1]))
			fail_msg("space at the end: %s", copy);
	}
	if (n > rows)
		fail_msg("%u lines of %u: %s", n, rows, text);
}

/* The page of @r on a terminal of this size. The caller frees it. */
static char *on_terminal(const struct result *r, unsigned short cols, unsigned short rows)
{
	struct winsize size = { .ws_col = cols, .ws_row = rows };
	struct termios raw = { .c_cflag = CS8 };
	int terminal, fd;
	char *text;
	FILE *f;

	assert_int_equal(openpty(&terminal, &fd, NULL, &raw, &size), 0);
	assert_int_equal(fcntl(terminal, F_SETFL, O_NONBLOCK), 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	setenv("NO_COLOR", "1", 1);
	assert_int_equal(render_summary(f, r), 0);
	assert_int_equal(fflush(f), 0);
	text = sample_text(terminal_read(terminal));
	fclose(f);
	close(terminal);
	return text;
}

static unsigned int count_of(const char *text, const char *part)
{
	unsigned int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* A file gets the whole page. A terminal gets what it has room for, and the end goes first. */
TEST(page)
{
	struct result r;
	char *text;

	sample_result(&r, 2, 1000);
	r.cpu[1].missed = 2;
	r.cpu[1].lost = 1;
	result_sum(&r);
	program_invocation_name = (char *)"tlob-load";
	text = on_terminal(&r, 80, 24);
	check_page(text, 80, 22);
	assert_string_equal(text, golden_page);
	free(text);

	text = on_terminal(&r, 100, 50);
	check_page(text, 80, 48);
	assert_int_equal(count_of(text, " response "), 5);
	assert_shows(text, "\n  1  irq ", "with 95 % confidence", "largest interruption of each window");

	text = on_terminal(&r, 60, 24);
	check_page(text, 60, 22);
	assert_null(strstr(text, " min "));
	assert_shows(text, "\ncpu  us", "p99.9        max\n");

	/* the outcome and the table, whatever happens */
	text = on_terminal(&r, 80, 4);
	assert_null(strstr(text, "mean "));
	assert_shows(text, "1 of 2 000", "     response    105.000", "\n-v shows");

	assert_shows(sample_render(render_summary, &r), "with 95 % confidence",
		     "largest interruption of each window", "\nuser workload");
	/* without a command: one that measures the same */
	free(r.command);
	r.command = sample_text("tlob-load");
	assert_shows(sample_render(render_summary, &r),
		     "\ntlob-load run -w none -d 10s -v shows all of it\n");
	result_free(&r);
}

/* Whatever there is to say, it stays one page, and the outcome stays the first line. */
TEST(page_is_one)
{
	static const size_t ncpus[] = { 1, 8, 64 };
	struct result r;
	char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ncpus); i++) {
		sample_result(&r, ncpus[i], 2000);
		free(r.work);
		r.work = sample_text("mem:stream,ws=1073741824,n=1000000,node=1023");
		free(r.cpus);
		r.cpus = sample_text("0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50");
		r.stopped_by = sample_text("--stop-on 'wake>50us' (CPU 3, activation 1234567, wake 123456.789us)");
		r.trace_file = sample_text("/a/very/long/path/without/a/single/space/and/longer/than/eighty/columns.txt");
		r.throttled = true;
		r.budget_ns = 100;
		result_sum(&r);
		r.all.missed = 100000;
		r.all.sum_failures = r.all.errors = r.all.adjusted_ns = 12345678;
		r.all.clock_steps = r.all.inexact = r.all.lost = 12345678;
		r.assertions = sample_assertions(32, CONDITION_FALSE);
		text = on_terminal(&r, 80, 24);
		check_page(text, 80, 22);
		assert_true(!strncmp(text, "FAILED 32 assertions: 1 of ", 27));
		free(text);
		result_free(&r);
	}
}

TEST(page_of_attach)
{
	struct result r;
	char *text;

	attach_sample(&r);
	r.assertions = sample_assertions(1, CONDITION_FALSE);
	text = attach_render(render_summary, &r);
	check_page(text, 80, 40);
	assert_true(!strncmp(text, "FAILED 1 assertion: 3 of 101 ", 29));
	assert_contains(text, "response");
	free(text);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
