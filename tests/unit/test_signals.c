// SPDX-License-Identifier: GPL-2.0
/* Which signals end a run, and when a second one kills. */
#include <fcntl.h>
#include <pty.h>
#include <time.h>
#include <unistd.h>

static struct timespec clock_now;

#define clock_gettime(clock, ts)	(*(ts) = clock_now)
#include "util/signals.c"
#include "terminal.h"
#include "unit.h"
#include "util/wrap.h"

static bool is_caught(int signo)
{
	struct sigaction is;

	assert_int_equal(sigaction(signo, NULL, &is), 0);
	return is.sa_handler == on_end;
}

/* SIGURG stands for it: its default does not kill. */
TEST(test_second)
{
	signal(SIGURG, on_end);
	clock_now = (struct timespec){ .tv_sec = 5, .tv_nsec = 990000000 };
	on_end(SIGURG);
	assert_int_equal(signal_end(), SIGURG);
	clock_now = (struct timespec){ .tv_sec = 7, .tv_nsec = 989999999 };
	on_end(SIGURG);
	assert_true(is_caught(SIGURG));
	clock_now.tv_nsec++;
	on_end(SIGURG);
	assert_false(is_caught(SIGURG));
}

/* A script has SIGINT ignored for a command in the background, and ends it by that signal. */
TEST(test_ignored)
{
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	assert_int_equal(signals_catch(), 0);
	assert_false(is_caught(SIGHUP));
	assert_true(is_caught(SIGINT));
	signal(SIGHUP, SIG_DFL);
	assert_int_equal(signals_catch(), 0);
	assert_true(is_caught(SIGHUP));
}

/*
 * The terminal echoes ^C. The first output after it begins a new line, but not in a file, and not
 * after a full screen, which takes the echo with it.
 */
TEST(test_echo)
{
	struct winsize size = { .ws_col = 80, .ws_row = 24 };
	int master, fd;
	FILE *f, *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(openpty(&master, &fd, NULL, NULL, &size), 0);
	assert_int_equal(fcntl(master, F_SETFL, O_NONBLOCK), 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	end_signal = 0;
	on_end(SIGINT);
	wrap_put(file, "in a file\n");
	assert_int_equal(ftell(file), strlen("in a file\n"));
	wrap_put(f, "32 of 2 539 windows\n");
	wrap_put(f, "worst\n");
	fflush(f);
	assert_string_equal(terminal_read(master), "\r\n32 of 2 539 windows\r\nworst\r\n");
	end_signal = 0;
	signals_screen(true);
	on_end(SIGINT);
	signals_screen(false);
	wrap_put(f, "32\n");
	end_signal = 0;
	on_end(SIGTERM);
	wrap_put(f, "33\n");
	fflush(f);
	assert_string_equal(terminal_read(master), "32\r\n33\r\n");
	fclose(f);
	fclose(file);
	close(master);
}

UNIT_MAIN(NULL, NULL)
