// SPDX-License-Identifier: GPL-2.0
/* Which signals end a run, and when a second one kills. */
#include <time.h>

static struct timespec clock_now;

#define clock_gettime(clock, ts)	(*(ts) = clock_now)
#include "util/signals.c"
#include "unit.h"

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

UNIT_MAIN(NULL, NULL)
