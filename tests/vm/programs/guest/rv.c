// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor as a monitor of the RV framework: rv/monitors/tlob/ works beside
 * monitor_enable. Needs a kernel with the monitor built in and CONFIG_RV.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bound.h"
#include "guest.h"
#include "monitor.h"
#include "rv.h"

#define GROUP	"rv"

#define MS	1000000ULL
#define RV	"/sys/kernel/tracing/rv/"
#define TLOB	RV "monitors/tlob/"

/* The two files that enable the monitor, as bits. */
#define BY_FILE	1
#define BY_RV	2

static void needs_rv(void)
{
	if (access(TLOB, F_OK))
		skip("no rv/monitors/tlob: a module, or a kernel without RV");
}

static void needs_reactors(void)
{
	needs_rv();
	if (access(TLOB "reactors", F_OK))
		skip("CONFIG_RV_REACTORS is not set");
}

/* Must succeed. */
static void rv_set(const char *path, const char *text)
{
	int err = write_file(path, text);

	if (err)
		fail("%s > %s: %s", text, path, strerror(-err));
}

/* Whether the file has @line. */
static bool has_line(const char *path, const char *line)
{
	char buf[4096], *p, *save;

	read_file(path, buf, sizeof(buf));
	for (p = strtok_r(buf, "\n", &save); p; p = strtok_r(NULL, "\n", &save))
		if (!strcmp(p, line))
			return true;
	return false;
}

void rv_off(void)
{
	if (access(TLOB, F_OK))
		return;
	rv_set(TLOB "enable", "0");
	rv_set(RV "monitoring_on", "1");
	if (access(TLOB "reactors", F_OK))
		return;
	rv_set(RV "reacting_on", "1");
	rv_set(TLOB "reactors", "nop");
}

static int device(void)
{
	int fd = open("/dev/tlob", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail("/dev/tlob: %s", strerror(errno));
	check_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

/* A window on @fd that exceeds its budget. */
static void outlive(int fd)
{
	check_eq(start_ns(fd, MS, fd, 0), 0);
	sleep_ns(20 * MS);
	check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), EOVERFLOW);
}

int violate(void)
{
	outlive(device());
	return 0;
}

/* Opens the kernel log at its end. */
static int log_from_here(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		fail("/dev/kmsg: %s", strerror(errno));
	check_eq(lseek(fd, 0, SEEK_END), 0);
	return fd;
}

/* The number of messages since then that are a reaction to this process. */
static unsigned int reactions(int log)
{
	char line[1024], who[64], *env;
	unsigned int n = 0;
	ssize_t len;

	snprintf(who, sizeof(who), ": tlob-test[%d]\n", getpid());
	while ((len = read(log, line, sizeof(line) - 1)) > 0) {
		line[len] = 0;
		env = strstr(line, " with env elapsed=");
		if (!env || !strstr(line, "rv: monitor tlob does not allow event budget_expired on state "))
			continue;
		env += strlen(" with env elapsed=");
		env += strspn(env, "0123456789");
		n += !strncmp(env, who, strlen(who));
	}
	check(len == 0 || errno == EAGAIN);
	close(log);
	return n;
}

TEST(files)
{
	char buf[4096];

	needs_rv();
	check(has_line(RV "available_monitors", "tlob"));
	check(!has_line(RV "enabled_monitors", "tlob"));
	check(has_line(TLOB "enable", "0"));
	read_file(TLOB "desc", buf, sizeof(buf));
	check(strlen(buf) > 10 && buf[strlen(buf) - 1] == '\n');
	check_eq(write_file(TLOB "enable", "2"), -EINVAL);
	check(has_line(TLOB "enable", "0"));
	/* either of RV's files will do */
	rv_set(TLOB "enable", "1");
	check(has_line(RV "enabled_monitors", "tlob"));
	rv_set(RV "enabled_monitors", "!tlob");
	check(has_line(TLOB "enable", "0"));
	rv_set(RV "enabled_monitors", "tlob");
	check(has_line(TLOB "enable", "1"));
	rv_set(TLOB "enable", "0");
	check(!has_line(RV "enabled_monitors", "tlob"));
	monitor_off();
}

/* `status` says which files enable the monitor; each file shows its own setting. */
static void check_wanted(unsigned int by)
{
	static const char * const lines[] = {
		"monitor: disabled wanted_by=nobody ",
		"monitor: enabled wanted_by=file ",
		"monitor: enabled wanted_by=rv ",
		"monitor: enabled wanted_by=file,rv ",
	};
	static char buf[65536];

	read_file(tlob_path("status"), buf, sizeof(buf));
	if (!strstr(buf, lines[by]))
		fail("no \"%s\" in status", lines[by]);
	check(!strcmp(get("monitor_enable"), by & BY_FILE ? "1" : "0"));
	check(has_line(TLOB "enable", by & BY_RV ? "1" : "0"));
}

/* RV alone enables the monitor. */
TEST(alone)
{
	int fd;

	needs_rv();
	fd = device();
	check_errno(start_ns(fd, HOUR, -1, 0), ENODEV);
	rv_set(TLOB "enable", "1");
	check_wanted(BY_RV);
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	check_eq(ioctl(fd, TLOB_IOC_TRACE_STOP), 0);
	outlive(fd);
	/* a 0 to the other file changes nothing: that file had not enabled it */
	set("monitor_enable", "0");
	check_wanted(BY_RV);
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	rv_set(TLOB "enable", "0");
	check_wanted(0);
	check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), ESRCH);
	check_errno(start_ns(fd, HOUR, -1, 0), ENODEV);
	close(fd);
	monitor_off();
}

static void want(unsigned int face, bool on)
{
	if (face == BY_RV)
		rv_set(TLOB "enable", on ? "1" : "0");
	else
		set("monitor_enable", on ? "1" : "0");
}

/* One step from one state: a window lives until both files have disabled the monitor. */
static void step(int fd, unsigned int from, unsigned int face, bool on)
{
	unsigned int to = on ? from | face : from & ~face;

	want(BY_FILE, from & BY_FILE);
	want(BY_RV, from & BY_RV);
	if (from)
		check_eq(start_ns(fd, HOUR, -1, 0), 0);
	want(face, on);
	check_wanted(to);
	check_eq(monitor_stat("used"), from && to);
	if (!from && to)
		check_eq(start_ns(fd, HOUR, -1, 0), 0);
	if (to)
		check_eq(ioctl(fd, TLOB_IOC_TRACE_STOP), 0);
	else
		check_errno(start_ns(fd, HOUR, -1, 0), ENODEV);
}

/* Every step from every state, which is every order. */
TEST(both_faces)
{
	unsigned int from;
	int fd;

	needs_rv();
	fd = device();
	for (from = 0; from <= (BY_FILE | BY_RV); from++) {
		step(fd, from, BY_FILE, true);
		step(fd, from, BY_FILE, false);
		step(fd, from, BY_RV, true);
		step(fd, from, BY_RV, false);
	}
	rv_off();
	close(fd);
	monitor_off();
}

/* The reactor printk writes one line for each violation while RV enables the monitor. */
TEST(printk)
{
	int fd, log;

	needs_reactors();
	if (!has_line(RV "available_reactors", "printk"))
		skip("CONFIG_RV_REACT_PRINTK is not set");
	fd = device();
	rv_set(TLOB "reactors", "printk");
	check(has_line(TLOB "reactors", "[printk]"));
	set("monitor_enable", "1");
	log = log_from_here();
	outlive(fd);
	/* RV has not enabled it */
	check_eq(reactions(log), 0);

	rv_set(TLOB "enable", "1");
	log = log_from_here();
	outlive(fd);
	check_eq(reactions(log), 1);
	log = log_from_here();
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	check_eq(ioctl(fd, TLOB_IOC_TRACE_STOP), 0);
	check_eq(reactions(log), 0);

	rv_set(RV "reacting_on", "0");
	log = log_from_here();
	outlive(fd);
	check_eq(reactions(log), 0);
	rv_set(RV "reacting_on", "1");

	rv_set(TLOB "enable", "0");
	log = log_from_here();
	outlive(fd);
	check_eq(reactions(log), 0);
	close(fd);
	monitor_off();
}

/* RV disables the monitor while its reactor changes, and enables it again. */
TEST(nop)
{
	int fd, log;

	needs_reactors();
	check(has_line(TLOB "reactors", "[nop]"));
	check_eq(write_file(TLOB "reactors", "none"), -EINVAL);
	fd = device();
	rv_set(TLOB "enable", "1");
	log = log_from_here();
	outlive(fd);
	check_eq(reactions(log), 0);

	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	rv_set(TLOB "reactors", "printk");
	check(has_line(TLOB "enable", "1"));
	check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), ESRCH);
	/* the window stays when the other file also enables the monitor */
	set("monitor_enable", "1");
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	rv_set(TLOB "reactors", "nop");
	check_eq(ioctl(fd, TLOB_IOC_TRACE_STOP), 0);
	rv_set(TLOB "enable", "0");
	close(fd);
	monitor_off();
}

static void check_told(int fd, unsigned int times)
{
	int log = log_from_here();
	struct tlob_event e;

	trace_on("event_tlob");
	trace_on("error_env_tlob");
	trace_on("detail_env_tlob");
	trace_on("tlob_budget_exceeded");
	outlive(fd);
	check_eq(trace_count("error_env_tlob"), times);
	check_eq(trace_count("detail_env_tlob"), times);
	check_eq(!!trace_count("event_tlob"), times);
	/* these do not depend on RV */
	check_eq(trace_count("tlob_budget_exceeded"), 1);
	check_eq(read(fd, &e, sizeof(e)), sizeof(e));
	trace_off();
	if (!access(TLOB "reactors", F_OK))
		check_eq(reactions(log), times);
}

/* RV's monitoring_on silences the automaton; switching it on again resets it. */
TEST(monitoring_off)
{
	int fd;

	needs_rv();
	fd = device();
	if (!access(TLOB "reactors", F_OK))
		rv_set(TLOB "reactors", "printk");
	rv_set(TLOB "enable", "1");
	check_told(fd, 1);
	rv_set(RV "monitoring_on", "0");
	check_told(fd, 0);

	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	/* a second 0 does not reset it */
	rv_set(RV "monitoring_on", "0");
	check_eq(monitor_stat("used"), 1);
	rv_set(RV "monitoring_on", "1");
	check_eq(monitor_stat("used"), 0);
	check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), ESRCH);
	check_told(fd, 1);
	/* nor does a second 1 */
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	rv_set(RV "monitoring_on", "1");
	check_eq(ioctl(fd, TLOB_IOC_TRACE_STOP), 0);
	rv_set(TLOB "enable", "0");
	close(fd);
	monitor_off();
}

/* monitoring_on does not affect a monitor that RV has not enabled. */
TEST(monitoring_of_others)
{
	int fd;

	needs_rv();
	fd = monitor_open();
	rv_set(RV "monitoring_on", "0");
	trace_on("event_tlob");
	trace_on("error_env_tlob");
	check_eq(start_ns(fd, MS, -1, 0), 0);
	sleep_ns(20 * MS);
	check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), EOVERFLOW);
	check(trace_count("event_tlob"));
	check_eq(trace_count("error_env_tlob"), 1);
	trace_off();
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	rv_set(RV "monitoring_on", "1");
	check_eq(ioctl(fd, TLOB_IOC_TRACE_STOP), 0);
	close(fd);
	monitor_off();
}

/* RV's file `monitor` is the one in tlob_load/. */
TEST(bindings)
{
	struct program p;
	char line[sizeof(p.path) + 128], buf[sizeof(line)];
	uint64_t before;

	needs_rv();
	this_program(&p);
	snprintf(line, sizeof(line), "p:rv %s:0x%llx 0x%llx threshold=%llu",
		 p.path, (unsigned long long)p.outer[0],
		 (unsigned long long)p.outer[1], (unsigned long long)MS);
	rv_set(TLOB "monitor", line);
	check_eq(write_file(TLOB "monitor", line), -EEXIST);
	check_eq(nr_bindings(), 1);
	read_file(TLOB "monitor", buf, sizeof(buf));
	check(!strcmp(buf, monitor_bindings()));
	rv_set(TLOB "enable", "1");
	before = monitor_stat("violations");
	p.outer_start();
	sleep_ns(20 * MS);
	p.outer_stop();
	check_eq(monitor_stat("violations"), before + 1);
	rv_set(TLOB "monitor", "-:rv");
	check_eq(nr_bindings(), 0);
	rv_set(TLOB "enable", "0");
	monitor_off();
}

/* `rv mon -t` finds the automaton's events, with the fields that it reads. */
TEST(events)
{
	static const char * const fields[] = {
		" id;", " state;", " event;", " next_state;", " final_state;",
		"REC->id",
	};
	char format[4096];
	unsigned int i;

	needs_rv();
	read_file("/sys/kernel/tracing/events/rv/event_tlob/format", format,
		  sizeof(format));
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!strstr(format, fields[i]))
			fail("event_tlob has no %s", fields[i]);
	check(!access("/sys/kernel/tracing/events/rv/error_tlob", F_OK));
	check(!access("/sys/kernel/tracing/events/rv/error_env_tlob", F_OK));
	check(access("/sys/kernel/tracing/events/tlob_load/event_tlob", F_OK));
}
