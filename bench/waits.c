// SPDX-License-Identifier: GPL-2.0
/*
 * Measures what the wait profiler costs on CPU 0. In a deterministic guest a ns is an
 * instruction. Needs tlob_load. Prints lines "STATE WHAT ns".
 *
 *	switch	a context switch between two threads that yield: none sleeps
 *	sleep	a byte to another thread by a pipe, and that thread's wait for it: one sleep, one
 *		wake-up, one context switch
 *
 * STATE
 *	off	the profiler is off
 *	other	on, for waits of another process
 *	below	on, and no wait is over the threshold
 *	above	on, all waits are over the threshold; the stacks are known
 *	bpf.*	the same by BPF programs without chains: tlob-load attaches them, and is stopped meanwhile
 *	attach.off, attach.on, attach.all
 *		attach by BPF to a thread that nearly always sleeps, with this --chain
 *	offcputime.other, offcputime
 *		offcputime of libbpf-tools instead, of another process and of this one
 *	perf	perf sched record instead
 * The last ones only where these are in /bin; they are also stopped.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "beside.h"
#include "measure.h"

#define TURNS		3000

static int there[2], back[2];

static void pass(int from, int to)
{
	char c;

	if (from >= 0 && read(from, &c, 1) != 1)
		die("read");
	if (write(to, "", 1) != 1)
		die("write");
}

/* As deep as TLOB_WAIT_COPY_MAX, so that the whole of it is copied. */
static __attribute__((noinline)) void deep(void (*turns)(void))
{
	char room[6000];

	memset(room, 1, sizeof(room));
	turns();
	asm volatile("" : : "r" (room) : "memory");
}

static void answer(void)
{
	int i;

	for (i = 0; i < TURNS + 10; i++)
		pass(there[0], back[1]);
}

static uint64_t took;

static void ask(void)
{
	uint64_t start = 0;
	char c;
	int i;

	for (i = 0; i < TURNS + 10; i++) {
		if (i == 10)
			start = now_ns();
		pass(-1, there[1]);
		if (read(back[0], &c, 1) != 1)
			die("read");
	}
	took = now_ns() - start;
}

static void *other(void *arg)
{
	(void)arg;
	pin();
	deep(answer);
	return NULL;
}

/* ns for one sleep: each of the two threads has one in a turn. */
static double one_sleep(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, other, NULL))
		die("pthread_create");
	deep(ask);
	pthread_join(thread, NULL);
	return (double)took / TURNS / 2;
}

static void measure(const char *state)
{
	printf("%s switch %.1f\n", state, one_switch(NULL, NULL));
	printf("%s sleep %.1f\n", state, one_sleep());
	fflush(stdout);
}

static void by_module(const char *state, const char *command)
{
	put(CONTROL "waits", command);
	measure(state);
	put(CONTROL "waits", "off");
}

/* @argv is stopped once it has attached its programs: only these are measured. */
static void by_tool(const char *state, char *const argv[])
{
	pid_t tool = beside_begin(argv, "/dev/null");

	if (kill(tool, SIGSTOP))
		die(argv[0]);
	measure(state);
	beside_end(tool, argv[0]);
}

/* @pid: of whose waits. */
static void by_bpf(const char *state, char *threshold, char *pid)
{
	char *const argv[] = {
		"tlob-load", "waits", "--backend", "bpf", "--threshold", threshold, "--pid", pid,
		"--chain", "off", NULL
	};

	by_tool(state, argv);
}

/* To a thread that has activations before, and hardly one while this is measured. A signal would wake it. */
static void by_attach(const char *state, char *chain)
{
	char tid[16];
	char *const argv[] = {
		"tlob-load", "attach", "--backend", "bpf", "--tid", tid, "--budget", "1s", "--chain", chain, NULL
	};
	pid_t sleeper = fork(), tool;

	if (sleeper < 0)
		die("fork");
	if (!sleeper)
		for (;;)
			sleep(3);
	snprintf(tid, sizeof(tid), "%d", sleeper);
	tool = beside_begin(argv, "/dev/null");
	if (kill(tool, SIGSTOP))
		die("attach");
	measure(state);
	beside_end(tool, "attach");
	kill(sleeper, SIGKILL);
}

static void by_offcputime(const char *state, char *pid)
{
	char *const argv[] = { "offcputime", "-p", pid, NULL };

	if (!access("/bin/offcputime", X_OK))
		by_tool(state, argv);
}

/* Its buffer holds all events of a state, so none is dropped and cheap. */
static void by_perf(void)
{
	char *const argv[] = {
		"perf", "sched", "record", "-m", "16M", "-o", "/perf.data", NULL
	};

	if (!access("/bin/perf", X_OK))
		by_tool("perf", argv);
}

int main(void)
{
	char mine[64];

	if (pipe(there) || pipe(back))
		die("pipe");
	pin();
	by_module("off", "off");
	by_module("other", "on threshold=1h pids=4194303");
	by_module("below", "on threshold=1h");
	snprintf(mine, sizeof(mine), "on threshold=1us pids=%d", getpid());
	by_module("above", mine);
	snprintf(mine, sizeof(mine), "%d", getpid());
	by_bpf("bpf.other", "1h", "1");
	by_bpf("bpf.below", "1h", mine);
	by_bpf("bpf.above", "1us", mine);
	by_attach("attach.off", "off");
	by_attach("attach.on", "on");
	by_attach("attach.all", "all");
	by_offcputime("offcputime.other", "1");
	by_offcputime("offcputime", mine);
	by_perf();
	return 0;
}
