// SPDX-License-Identifier: GPL-2.0
/* Signal handlers that only set a flag. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "util/error.h"
#include "util/signals.h"
#include "util/time.h"

#define KILL_NS	2000000000ULL

static volatile sig_atomic_t end_signal, snapshot, has_screen, has_echo;
static uint64_t continued_ns;

/*
 * A second one kills a tool that hangs, but not at once: timeout(1) sends each signal twice, to
 * its child and to the group, and the tool would end without a word.
 */
static void on_end(int signo)
{
	static uint64_t first_ns;

	if (!end_signal) {
		first_ns = now_ns();
		end_signal = signo;
		has_echo = signo == SIGINT && !has_screen;
	} else if (now_ns() - first_ns >= KILL_NS) {
		signal(signo, SIG_DFL);
		raise(signo);
	}
}

static void on_snapshot(int signo)
{
	(void)signo;
	snapshot = 1;
}

static void on_continue(int signo)
{
	(void)signo;
	__atomic_store_n(&continued_ns, now_ns(), __ATOMIC_RELAXED);
}

/* Each asks for the end of a run. */
static const struct {
	int signo;
	const char *name;
	bool spared;	/* a parent that ignores it spares what it starts */
} ends[] = {
	{ SIGINT, "SIGINT", false }, { SIGTERM, "SIGTERM", false }, { SIGQUIT, "SIGQUIT", false },
	/* nohup ignores SIGHUP. A script ignores SIGINT for "tlob-load &", yet kill -INT ends it. */
	{ SIGHUP, "SIGHUP", true },
};

#define NR_ENDS	(sizeof(ends) / sizeof(ends[0]))

void signals_ends(sigset_t *set)
{
	size_t i;

	sigemptyset(set);
	for (i = 0; i < NR_ENDS; i++)
		sigaddset(set, ends[i].signo);
}

static bool is_spared(size_t i)
{
	struct sigaction was;

	return ends[i].spared && !sigaction(ends[i].signo, NULL, &was) && was.sa_handler == SIG_IGN;
}

int signals_catch(void)
{
	struct sigaction end = { .sa_handler = on_end };
	/* A snapshot must not interrupt the writing of a result. */
	struct sigaction usr1 = { .sa_handler = on_snapshot, .sa_flags = SA_RESTART };
	struct sigaction cont = { .sa_handler = on_continue, .sa_flags = SA_RESTART };
	int err = sigaction(SIGUSR1, &usr1, NULL) || sigaction(SIGCONT, &cont, NULL) ? -errno : 0;
	size_t i;

	for (i = 0; i < NR_ENDS && !err; i++)
		if (!is_spared(i) && sigaction(ends[i].signo, &end, NULL))
			err = -errno;
	/* A closed pipe must not kill the tool before it has restored the knobs. */
	if (!err)
		err = broken_pipe_catch();
	return err ? fail(err, "sigaction: %s", strerror(-err)) : 0;
}

static void on_child(int signo)
{
	(void)signo;
}

void signals_wait_child(void)
{
	/* with the default action it would not end the sleep */
	struct sigaction child = { .sa_handler = on_child, .sa_flags = SA_RESTART };
	siginfo_t ended = { 0 };
	sigset_t block, was;

	signals_ends(&block);
	sigaddset(&block, SIGCHLD);
	sigaction(SIGCHLD, &child, NULL);
	sigprocmask(SIG_BLOCK, &block, &was);
	while (!end_signal && !ended.si_pid &&
	       !waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) && !ended.si_pid)
		sigsuspend(&was);
	sigprocmask(SIG_SETMASK, &was, NULL);
}

int signal_end(void)
{
	return end_signal;
}

const char *signal_name(int signo)
{
	size_t i = 0;

	while (i < NR_ENDS - 1 && ends[i].signo != signo)
		i++;
	return ends[i].name;
}

void signals_screen(bool shown)
{
	has_screen = shown;
}

/* Not by the handler: a terminal that is stopped would keep the tool in it. */
void signals_end_echo(FILE *f)
{
	if (has_echo)
		fputc('\n', f);
	has_echo = 0;
}

int signal_check(const char *doing)
{
	return end_signal ? fail(-EINTR, "%s came while %s: nothing was measured",
				 signal_name(end_signal), doing) : 0;
}

bool signal_snapshot(void)
{
	bool wanted = snapshot;

	snapshot = 0;
	return wanted;
}

uint64_t signal_continued_ns(void)
{
	return __atomic_load_n(&continued_ns, __ATOMIC_RELAXED);
}
