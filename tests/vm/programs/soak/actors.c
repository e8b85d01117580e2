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

	while (!shared->stop) {
		/* the module is not loaded */
		if (access(control("enable"), F_OK))
			sleep_us(20000);
		write_file(control("workload"), rnd(3) ? "user" : "kthread");
		write_file(control("period_ns"), periods[rnd(4)]);
		if (!count(ENABLE, write_file(control("enable"), "1")))
			sleep_us(rnd(300000));
		else
			sleep_us(rnd(5000));
		if (!count(DISABLE, write_file(control("enable"), "0")))
			look_at_status(true);
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
		{ "hw_threshold_ns", "5000" }, { "print_stack", "1" },
		{ "timeline", "1" }, { "timeline", "0" },
		{ "longest_wait", "1" }, { "longest_wait", "0" },
		{ "print_stack", "0" }, { "stop_on_exceed", "0" },
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

#define UNLOADS		3		/* these are tried until they work */
#define UNLOAD_US	300000		/* all others so long */

/*
 * Files are open most of the time, so an unload is tried again and again. Some actors rest
 * meanwhile. 0 or -errno.
 */
static int unload(unsigned int unloads)
{
	uint64_t began = now_us();
	int err;

	shared->unloading = true;
	do {
		err = syscall(SYS_delete_module, "tlob_load", O_NONBLOCK) ? -errno : 0;
		count(UNLOAD, err);
		if (err)
			sleep_us(rnd(1000));
	} while (err && !shared->stop &&
		 (unloads < UNLOADS || now_us() - began < UNLOAD_US));
	shared->unloading = false;
	return err;
}

void act_module(void)
{
	unsigned int unloads = 0;
	uint64_t began;
	int fd, err;

	while (!shared->stop && can_load) {
		/* the other actors need the module most of the time */
		sleep_us(rnd(1000000));
		began = now_us();
		err = unload(unloads);
		if (err) {
			rest(began, 6);
			continue;
		}
		unloads++;
		sleep_us(rnd(2000));
		began = now_us();
		fd = open(module_path, O_RDONLY | O_CLOEXEC);
		err = fd < 0 ? -errno :
		      syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
		count(LOAD, err);
		close(fd);
		rest(began, 6);
		if (err) {
			defect("the module does not load again: %s",
			       strerror(-err));
			break;
		}
	}
}

void act_look(void)
{
	static char text[STATUS_MAX];

	while (!shared->stop) {
		look_at_status(false);
		count(HIST, read_text(control("per_cpu/cpu%u/hist", rnd(cpus)),
				      text, sizeof(text)));
		sleep_us(rnd(10000));
	}
}
