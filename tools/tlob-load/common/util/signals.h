/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGINT, SIGTERM, SIGQUIT and SIGHUP end a run, a second one two seconds later or more kills; SIGUSR1
 * prints a table. SIGPIPE waits until the run has ended. A SIGHUP that the parent has
 * ignored, as nohup does, stays so.
 */
#ifndef TLOB_UTIL_SIGNALS_H
#define TLOB_UTIL_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Installs the handlers. 0 or -errno, printed. */
int signals_catch(void);

/*
 * Sleeps until a child has ended, which is still to be waited for, or a signal to end has come.
 * After signals_catch(). None of both is missed if it comes before the sleep.
 */
void signals_wait_child(void);

/*
 * process_wait() for a run of the tool itself: a signal to end also ends the run, which then
 * completes its result. Meanwhile @ticks, or NULL, are called at once and each second.
 */
struct ticks {
	void	(*tick)(void *data);
	void	*data;
	const char *cpus;		/* that the run measures: a tick would be noise there */
};

int signals_wait_run(pid_t pid, const struct ticks *ticks);

/* The signal that ends the run; 0: none yet. */
int signal_end(void);

/* "SIGINT", of a signal that signal_end() returns. */
const char *signal_name(int signo);

/*
 * 0, or -EINTR if the signal has come: then prints it, and that nothing was measured. @doing:
 * "loading the BPF programs".
 */
int signal_check(const char *doing);

/*
 * A terminal echoes ^C where the cursor is. signals_end_echo() ends that line on @f, which is a
 * terminal, once: what is printed next begins a new one. A screen takes the echo away with itself.
 */
void signals_screen(bool shown);
void signals_end_echo(FILE *f);

/* True once for each SIGUSR1. */
bool signal_snapshot(void);

/* When the last SIGCONT was taken, which ends a stop: CLOCK_MONOTONIC; 0: none came. */
uint64_t signal_continued_ns(void);

/* Fills @set with the signals that ask for the end. */
void signals_ends(sigset_t *set);

#endif /* TLOB_UTIL_SIGNALS_H */
