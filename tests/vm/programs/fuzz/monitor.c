// SPDX-License-Identifier: GPL-2.0
/*
 * Random calls of the monitor. Structures are mostly valid, since random bytes would get no
 * further than the first check.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "../guest/file_offset.h"
#include "fuzz.h"

/* Only region() and this get breakpoints: anywhere else they could break the fuzzer. */
static __attribute__((noinline)) void region_end(void)
{
	asm volatile("");
}

static __attribute__((noinline)) void region(unsigned int depth)
{
	if (depth)
		region(depth - 1);
	/* sometimes without the end of the region */
	if (rnd(8))
		region_end();
	asm volatile("");
}

static int device(int fd)
{
	static __thread int own = -1;

	if (!rnd(4))
		return fd;
	if (own >= 0 && !rnd(16)) {
		close(own);
		own = -1;
	}
	if (own < 0)
		own = open("/dev/tlob", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return own;
}

static uint64_t threshold(uint64_t unit)
{
	switch (rnd(8)) {
	case 0:
		return 0;
	case 1:
		return (uint64_t)rnd(0) << rnd(34);
	default:
		return unit + (uint64_t)rnd(2000) * unit;
	}
}

long monitor_start(int fd)
{
	struct tlob_start us = {
		.threshold_us = threshold(1), .tag = rnd(0), .flags = !rnd(8),
	};
	struct tlob_start_ns ns = {
		.threshold_ns = threshold(1000), .tag = rnd(0),
		.flags = rnd(8) ? rnd(2) : rnd(0),
	};

	fd = device(fd);
	us.notify_fd = rnd(3) ? fd : rnd(2) ? any_fd() : -1;
	ns.notify_fd = us.notify_fd;
	region(rnd(3));
	switch (rnd(8)) {
	case 0:
		return ioctl(fd, TLOB_IOC_START_NS, memory());
	case 1 ... 3:
		return ioctl(fd, TLOB_IOC_TRACE_START, &us);
	default:
		return ioctl(fd, TLOB_IOC_START_NS, &ns);
	}
}

long monitor_stop(int fd)
{
	long err;

	fd = device(fd);
	err = rnd(2) ? ioctl(fd, TLOB_IOC_TRACE_STOP) :
		       ioctl(fd, rnd(2) ? TLOB_IOC_STOP_NS : TLOB_IOC_STOP_WAIT, memory());
	/* EOVERFLOW: it ended a window that was over its budget */
	return err && errno == EOVERFLOW ? 0 : err;
}

long monitor_setup(int fd)
{
	struct tlob_ring_setup setup = {
		.format = rnd(8) ? rnd(TLOB_FORMAT_FUNCTIONS + 1) : rnd(0), .flags = !rnd(8),
	};
	struct tlob_listen listen = {
		.flags = rnd(8) ? rnd(2) : rnd(0), .reserved = !rnd(8),
	};

	snprintf(listen.name, sizeof(listen.name), "fuzz%u", rnd(4));
	if (!rnd(8))
		memset(listen.name, 'x', sizeof(listen.name));
	fd = device(fd);
	switch (rnd(8)) {
	case 0:
		return ioctl(fd, TLOB_IOC_RING, memory());
	case 1 ... 3:
		return ioctl(fd, TLOB_IOC_LISTEN, &listen);
	default:
		return ioctl(fd, TLOB_IOC_RING, &setup);
	}
}

long monitor_register(int fd)
{
	static uint32_t words[64];
	struct tlob_enable e = {
		.addr = (uintptr_t)(rnd(8) ? &words[rnd(64)] : memory()),
		.bit = rnd(8) ? rnd(32) : rnd(0), .reserved = !rnd(8),
	};

	return ioctl(device(fd), rnd(2) ? TLOB_IOC_REGISTER :
		     TLOB_IOC_UNREGISTER, &e);
}

static long put(const char *name, const char *text)
{
	return set_file(name, text, strlen(text));
}

/* Two places in any order. A byte of the rest may change, but never one of the places. */
long monitor_bind(void)
{
	char exe[4096], line[sizeof(exe) + 128], tail[64];
	uint64_t places[] = { file_offset(region, exe), file_offset(region_end, exe) };
	unsigned int first = rnd(2);

	if (!places[0] || !places[1])
		return -1;
	if (!rnd(3)) {
		snprintf(line, sizeof(line), "-:fuzz%u", rnd(4));
		return put("monitor", line);
	}
	snprintf(tail, sizeof(tail), " threshold=%llu",
		 (unsigned long long)threshold(1000));
	if (!rnd(8))
		tail[rnd(strlen(tail))] = (char)(1 + rnd(127));
	snprintf(line, sizeof(line), "p:fuzz%u %s:0x%llx 0x%llx%s", rnd(4), exe,
		 (unsigned long long)places[first],
		 (unsigned long long)places[rnd(8) ? !first : first], tail);
	return put("monitor", line);
}

long monitor_switch(void)
{
	/* mostly on, since a monitor that is off refuses most calls */
	return put("monitor_enable", rnd(4) ? "1" : "0");
}

long functions_lend(bool on)
{
	return put("functions_monitor", on ? "1" : "0");
}
