// SPDX-License-Identifier: GPL-2.0
/* Actors around the workload: runs, options, CPUs, the module, readers. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "soak.h"


int read_text(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;
	int fd, err = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (len < size - 1 && (n = read(fd, buf + len, size - 1 - len))) {
		if (n < 0) {
			err = -errno;
			break;
		}
		len += n;
	}
	buf[len] = 0;
	close(fd);
	return err;
}

static uint64_t field(const char *line, const char *name)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), " %s=", name);
	at = strstr(line, key);
	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/*
 * One read of `status` shows one moment. Sums and the order of events hold in each. Between
 * runs windows + missed = expiries holds for each CPU, no matter how the run ended.
 */
static void look(const char *text, bool account)
{
	bool over = strstr(text, "state: disabled");
	char copy[512];
	const char *line;

	for (line = strstr(text, "\ncpu"); line; line = strstr(line + 1, "\ncpu")) {
		snprintf(copy, sizeof(copy), "%.*s",
			 (int)strcspn(line + 1, "\n"), line + 1);
		if (field(copy, "sum_failures") || field(copy, "errors"))
			defect("%s", copy);
		if (!over || !account)
			continue;
		if (field(copy, "windows") + field(copy, "missed") !=
		    field(copy, "expiries")) {
			__atomic_add_fetch(&shared->uncounted, 1,
					   __ATOMIC_RELAXED);
			defect("windows + missed is not expiries: %s", copy);
		}
		__atomic_add_fetch(&shared->windows, field(copy, "windows"),
				   __ATOMIC_RELAXED);
		__atomic_add_fetch(&shared->missed, field(copy, "missed"),
				   __ATOMIC_RELAXED);
	}
	if (over && account)
		__atomic_add_fetch(&shared->runs, 1, __ATOMIC_RELAXED);
}

static int look_at_status(bool account)
{
	static char text[STATUS_MAX];
	int err = read_text(control("status"), text, sizeof(text));

	if (!err)
		look(text, account);
	return count(STATUS, err);
}

void act_enable(void)
{
	static const char * const periods[] = {
		"2000000", "5000000", "10000000", "50000000",
	};
	uint64_t began;

	while (!shared->stop) {
		/* the module is not loaded */
		if (access(control("enable"), F_OK))
			sleep_us(20000);
		write_file(control("workload"), rnd(3) ? "user" : "kthread");
		write_file(control("period_ns"), periods[rnd(4)]);
		began = now_us();
		if (!count(ENABLE, write_file(control("enable"), "1")))
			live_on(began, rnd(300000));
		else
			sleep_us(rnd(5000));
		if (!count(DISABLE, write_file(control("enable"), "0")))
			look_at_status(true);
		rest_at_gate();
		sleep_us(rnd(30000));
	}
}

void act_options(void)
{
	static const char * const good[][2] = {
		{ "budget_ns", "1000" }, { "budget_ns", "1000000" },
		{ "work", "none" }, { "work", "spin:20us" },
		{ "work", "mem:chase,ws=16K" }, { "work", "loops:1000" },
		{ "policy", "fifo:50" }, { "policy", "rr:2" }, { "policy", "other" },
		{ "align_ns", "0" }, { "align_ns", "100000" },
		{ "phase_ns", "none" }, { "phase_ns", "3900000" },
		{ "noise_source", "hooks" }, { "noise_source", "auto" },
		{ "hw_threshold_ns", "5000" },
		{ "timeline", "1" }, { "timeline", "0" },
		{ "longest_wait", "1" }, { "longest_wait", "0" },
		{ "stop_on_exceed", "0" },
		{ "stop_on_exceed", "1" }, { "warm_up", "0" },
		{ "warm_up", "3" }, { "cpus", "0" }, { "cpus", "0-1" },
	};
	static const char * const bad[][2] = {
		{ "budget_ns", "1" }, { "work", "spin:" }, { "work", "mem:chase" },
		{ "policy", "fifo:100" }, { "period_ns", "1" },
		{ "period_ns", "-5" }, { "cpus", "4096" }, { "workload", "" },
		{ "noise_source", "\xff\xfe" }, { "align_ns", "1e9" },
		{ "phase_ns", "-1" }, { "phase_ns", "18446744073709551615" },
		{ "enable", "2" }, { "warm_up", "99999999999999999999" },
	};
	unsigned int i;
	int err;

	while (!shared->stop) {
		i = rnd(sizeof(good) / sizeof(*good));
		count(OPTION, write_file(control("%s", good[i][0]), good[i][1]));
		i = rnd(sizeof(bad) / sizeof(*bad));
		err = write_file(control("%s", bad[i][0]), bad[i][1]);
		if (!err)
			defect("%s took '%s'", bad[i][0], bad[i][1]);
		count(BAD_OPTION, err == -EINVAL || err == -ERANGE ? 0 : err);
		rest_at_gate();
		sleep_us(rnd(3000));
	}
}

/* Sleeps for @times the time since @began. */
static void rest(uint64_t began, unsigned int times)
{
	uint64_t end = now_us() + times * (now_us() - began);

	while (now_us() < end && !shared->stop)
		sleep_us(10000);
}

void act_hotplug(void)
{
	char path[64];
	uint64_t began;

	while (!shared->stop && cpus > 1) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/online", 1 + rnd(cpus - 1));
		began = now_us();
		count(CPU_OFF, write_file(path, "0"));
		sleep_us(rnd(50000));
		count(CPU_ON, write_file(path, "1"));
		/* a run cannot begin without all of its CPUs */
		rest(began, 4);
	}
}

#define GATE_US		2000000		/* between two times that the gate is closed, and more */
/*
 * A try to unload at the gate ends after so long, or twice as long as the last one that gave up.
 * On a busy host a guest does little in its seconds, so each has turns as well.
 */
#define TRY_US		3000000
#define TRY_MAX_US	30000000
#define TRY_TURN_US	5000

static int try_unload(void)
{
	return count(UNLOAD, syscall(SYS_delete_module, "tlob_load", O_NONBLOCK) ? -errno : 0);
}

/*
 * Actors that are not at the gate yet look for the module while it loads. If all did, a slow
 * kernel would be without it most of the time: loading took a minute and a half with KASAN.
 */
static void load(void)
{
	int fd = open(module_path, O_RDONLY | O_CLOEXEC), err;

	close_gate();
	err = fd < 0 ? -errno : syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	count(LOAD, err);
	close(fd);
	open_gate();
	if (err)
		defect("the module does not load again: %s", strerror(-err));
}

/* Prints what the module says about itself, and who uses it. */
static void print_stays(int err)
{
	static char text[STATUS_MAX];
	char users[32] = "";
	const char *waits;

	read_text("/sys/module/tlob_load/refcnt", users, sizeof(users));
	read_text(control("status"), text, sizeof(text));
	waits = strstr(text, "\nwaits:");
	dprintf(1, "# the module does not go: %s; refcnt %.*s; %.*s; %.*s\n",
		strerror(-err), (int)strcspn(users, "\n"), users,
		(int)strcspn(text, "\n"), text, waits ? (int)strcspn(waits + 1, "\n") : 0,
		waits ? waits + 1 : "");
	print_holders();
}

/* A time that ends by the clock, but not before it had its turns. */
struct patience {
	uint64_t end;
	unsigned int turns;
};

static struct patience patience_of(uint64_t us)
{
	return (struct patience){ now_us() + us, us / TRY_TURN_US };
}

static bool waits_on(struct patience *p)
{
	if (!p->turns && now_us() >= p->end)
		return false;
	if (p->turns)
		p->turns--;
	sleep_us(TRY_TURN_US);
	return true;
}

/*
 * All actors close their files and rest, and the module goes: children of actors, and tasks that
 * owe a stack to the wait profiler, hold it for moments only. With @race the actors are let go just
 * before, so they open files while it goes; then one attempt is all. A try that gives up is no
 * defect, since a slow guest may need longer; a module that never goes is found at the end.
 */
static void unload_at_gate(bool race)
{
	static uint64_t try_us = TRY_US;
	struct patience patience = patience_of(try_us);
	uint64_t began = now_us(), rested;
	bool all;
	int err;

	close_gate();
	while (shared->resting < gated && !shared->stop && waits_on(&patience))
		;
	all = shared->resting == gated;
	rested = now_us();
	if (!all && !shared->stop) {
		shared->restless++;
		print_restless();
	}
	if (race || !all)
		open_gate();
	if (all) {
		while ((err = try_unload()) && !race && !shared->stop && waits_on(&patience))
			;
		shared->unloaded += !err;
		shared->outrun += err && race;
		if (err && !race && !shared->stop) {
			shared->stayed++;
			print_stays(err);
		}
		if (!err) {
			sleep_us(rnd(2000));
			load();
		}
	}
	open_gate();
	/* a race that is lost says nothing about the time that a try needs */
	if (all && !err)
		try_us = TRY_US;
	else if (!all || !race)
		try_us = 2 * try_us < TRY_MAX_US ? 2 * try_us : TRY_MAX_US;
	shared->gates++;
	shared->gates_us += (race ? rested : now_us()) - began;
	shared->resting_us += rested - began;
	shared->loads_us += now_us() - rested;
}

int unload_at_end(void)
{
	struct patience patience = patience_of(TRY_MAX_US);
	int err;

	while ((err = try_unload()) && waits_on(&patience))
		;
	if (err)
		print_stays(err);
	else
		load();
	return err;
}

/*
 * Most of the time the other actors use the module, and now and then an unload is tried, which
 * must do no harm. The gate is closed for at most a fifth of the time.
 */
void act_module(void)
{
	uint64_t began, open_us = GATE_US;
	bool race = false;

	while (!shared->stop) {
		for (began = now_us(); now_us() - began < open_us && !shared->stop; ) {
			sleep_us(rnd(400000));
			if (!try_unload())
				load();
		}
		began = now_us();
		unload_at_gate(race);
		race = !race;
		open_us = 4 * (now_us() - began);
		if (open_us < GATE_US)
			open_us = GATE_US;
	}
}

void act_look(void)
{
	static char text[STATUS_MAX];

	while (!shared->stop) {
		look_at_status(false);
		count(HIST, read_text(control("per_cpu/cpu%u/hist", rnd(cpus)),
				      text, sizeof(text)));
		rest_at_gate();
		sleep_us(rnd(10000));
	}
}
