// SPDX-License-Identifier: GPL-2.0
/* Threads that wait since before they were watched. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "machine/blocked.h"

static void wakes(int signal)
{
	(void)signal;
}

static size_t count(const struct blocked_watch *w, struct blocked_thread *first)
{
	struct blocked_thread *list;
	size_t n;

	assert_int_equal(blocked_since(w, &list, &n), 0);
	if (n)
		*first = *list;
	free(list);
	return n;
}

/* A process that sleeps all the time is one; not once it has run; nor are those that have gone. */
TEST(test_since)
{
	struct blocked_watch w = { .n = 0 };
	struct blocked_thread t;
	char pids[32];
	pid_t pid;
	int i;

	signal(SIGUSR1, wakes);
	pid = fork();
	if (!pid)
		for (;;)
			pause();
	for (i = 0; i < 10000 && !blocked_now(pid, &t); i++)
		usleep(1000);
	/* it may be on its way to the first sleep */
	usleep(50000);
	snprintf(pids, sizeof(pids), "%d,%d", pid, 4194304);
	assert_int_equal(blocked_begin(&w, pids), 0);
	assert_int_equal(w.n, 1);
	assert_int_equal(count(&w, &t), 1);
	assert_int_equal(t.tid, pid);
	assert_string_equal(t.comm, "test_blocked");
	kill(pid, SIGUSR1);
	for (i = 0; i < 10000 && count(&w, &t); i++)
		usleep(1000);
	assert_int_equal(count(&w, &t), 0);
	free(w.at);
	w = (struct blocked_watch){ .n = 0 };
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(blocked_begin(&w, pids), 0);
	assert_int_equal(w.n, 0);
	assert_int_equal(blocked_begin(&w, NULL), 0);
	assert_int_equal(w.n, 0);
}

TEST(test_text)
{
	static const struct blocked_thread list[] = {
		{ .tid = 7, .comm = "servo", .function = "futex_wait_queue" }, { .tid = 8, .comm = "it\x1b" },
	};
	char *one = blocked_text(&list[1], 1), *two = blocked_text(list, 2);

	assert_string_equal(one, "it\\x1b/8");
	assert_string_equal(two, "servo/7 in futex_wait_queue, and 1 more");
	free(one);
	free(two);
}

UNIT_MAIN(NULL, NULL)
