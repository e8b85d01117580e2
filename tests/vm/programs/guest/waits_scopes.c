// SPDX-License-Identifier: GPL-2.0
/* The wait profiler: user stacks and who may see them, and which waits a scope names. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"
#include "waits.h"

#define GROUP	"waits"

#define MS	1000000ULL
#define US	1000ULL
#define CGROUP	"/tmp/tlob-cgroup2"

/* On arm64 this program signs its return addresses, which are lower unless it asks for others. */
#ifdef __aarch64__
#define SIGNATURE	0xffff000000000000ULL
#else
#define SIGNATURE	0
#endif

/* Two callers of one function, with frames of the same size. */
static __attribute__((noinline)) void first_caller(void)
{
	sleep_ns(3 * MS);
	asm volatile("");
}

static __attribute__((noinline)) void second_caller(void)
{
	sleep_ns(2 * MS);
	asm volatile("");
}

static bool in_function(uint64_t addr, void (*function)(void))
{
	uintptr_t start = (uintptr_t)function;

	/* both are shorter than this, and what follows is not on the stack */
	return addr > start && addr < start + 32;
}

static bool stack_has(const struct tlob_wait_stack *s, void (*function)(void))
{
	unsigned int i;

	for (i = 0; i < s->nr_code; i++)
		if (in_function(s->code[i], function))
			return true;
	return false;
}

static bool copy_has(const struct tlob_wait_copy *c, void (*function)(void))
{
	uint64_t addr;
	unsigned int i;

	for (i = 0; i + sizeof(addr) <= c->length; i += sizeof(addr)) {
		memcpy(&addr, c->data + i, sizeof(addr));
		if (in_function(addr & ~SIGNATURE, function))
			return true;
	}
	return false;
}

static const struct tlob_wait_copy *copy_of(const struct waits *w, uint64_t stack)
{
	unsigned int i;

	for (i = 0; i < w->copies; i++)
		if (w->copy[i].stack == stack)
			return &w->copy[i];
	return NULL;
}

/* The same calls from the same place each time. */
static __attribute__((noinline)) void calls(unsigned int first, unsigned int second)
{
	unsigned int i;

	for (i = 0; i < first; i++)
		first_caller();
	for (i = 0; i < second; i++)
		second_caller();
	asm volatile("");
}

/* Each caller has a stack of its own, with its raw copy, which is read once. */
TEST(user_stacks)
{
	const struct tlob_wait_stack *s;
	unsigned int nr, i, firsts = 0, seconds = 0, known;
	uint64_t had[COPIES_MAX];
	int fd = records_open();
	struct waits *w;

#ifdef __aarch64__
	check(getauxval(AT_HWCAP) & HWCAP_PACA);
#endif
	set("waits", "on pids=%d", getpid());
	calls(3, 5);
	w = waits_read(fd);
	s = waits_stacks(w, waits_task(w, getpid())->id, &nr);
	for (; nr; nr--, s++) {
		const struct tlob_wait_copy *c = copy_of(w, s->id);

		check(!stack_has(s, first_caller) || !stack_has(s, second_caller));
		if (stack_has(s, first_caller)) {
			firsts += s->blocked.count;
			check(c && copy_has(c, first_caller));
		}
		if (stack_has(s, second_caller)) {
			seconds += s->blocked.count;
			check(c && copy_has(c, second_caller));
		}
		if (c) {
			check_eq(c->tgid, getpid());
			check_eq(c->reg[TLOB_WAIT_REG_IP], s->code[0]);
			check(c->reg[TLOB_WAIT_REG_SP] <= (uintptr_t)&nr);
		}
	}
	if (deterministic()) {
		check_eq(firsts, 3);
		check_eq(seconds, 5);
	}
	check(firsts && firsts <= 3);
	check(seconds && seconds <= 5);
	known = w->copies;
	for (i = 0; i < known; i++)
		had[i] = w->copy[i].stack;
	calls(3, 3);
	w = waits_read(fd);
	for (i = 0; i < known; i++)
		check(!copy_of(w, had[i]));
	close(fd);

	/* the next reader has none until a task waits again */
	fd = records_open();
	check_eq(waits_read(fd)->copies, 0);
	calls(0, 1);
	w = waits_read(fd);
	for (i = 0; i < w->copies && !copy_has(&w->copy[i], second_caller); i++)
		;
	check(i < w->copies);
	close(fd);
	set("waits", "off");
}

/* The tool names the callers, up to main(). */
TEST(names_callers)
{
	static char folded[1 << 16];
	char command[128], *line;
	pid_t pid;

	if (access("/bin/tlob-load", X_OK))
		skip("the guest has no tlob-load");
	pid = fork();
	check(pid >= 0);
	if (!pid)
		for (;;)
			calls(1, 0);
	snprintf(command, sizeof(command),
		 "tlob-load waits -d 100ms --pid %d --folded /tmp/folded > /tmp/waits 2>&1", pid);
	if (system(command)) { // NOLINT(cert-env33-c): the tool is part of the guest
		read_file("/tmp/waits", folded, sizeof(folded));
		note("%s", folded);
	}
	check_eq(kill(pid, SIGKILL), 0);
	check_eq(waitpid(pid, NULL, 0), pid);
	read_file("/tmp/folded", folded, sizeof(folded));
	for (line = strtok(folded, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, ";main;") && strstr(line, ";calls;first_caller;sleep_ns;"))
			return;
	fail("no line has main;...;calls;first_caller;sleep_ns");
}

/* Without CAP_PERFMON and CAP_SYS_ADMIN: no raw copies, and no user addresses in the listing. */
TEST(without_capability)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int fd;

	set("waits", "on");
	first_caller();
	check(strstr(waits_listed(getpid()), "    user 0x"));
	check_eq(syscall(SYS_capget, &head, data), 0);
	data[CAP_TO_INDEX(CAP_PERFMON)].effective &= ~CAP_TO_MASK(CAP_PERFMON);
	data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective &= ~CAP_TO_MASK(CAP_SYS_ADMIN);
	check_eq(syscall(SYS_capset, &head, data), 0);
	fd = open(tlob_path("waits_records"), O_RDONLY);
	check(fd < 0 && errno == EPERM);
	check(!strstr(waits_listed(getpid()), "    user 0x"));
	check(strstr(waits_listed(getpid()), "    kernel "));
	set("waits", "off");
}

static void sleep_once(void)
{
	sleep_ns(waits_ms(1));
}

static void sleep_in_cgroup(void)
{
	check_eq(write_file(CGROUP "/tlob/cgroup.procs", "0"), 0);
	sleep_ns(waits_ms(1));
}

/* Only the waits that a scope names. */
TEST(scopes)
{
	int fd = records_open(), device;
	struct waits *w;
	pid_t pid;

	set("waits", "on pids=1,%d", getpid());
	pid = waits_child(sleep_once);
	sleep_once();
	reap(pid);
	w = waits_read(fd);
	check(waits_has(w, getpid()));
	check(!waits_has(w, pid));

	mkdir(CGROUP, 0700);
	if (mount("none", CGROUP, "cgroup2", 0, NULL) && errno != EBUSY)
		fail("cgroup2: %s", strerror(errno));
	if (mkdir(CGROUP "/tlob", 0700) && errno != EEXIST)
		fail("cgroup: %s", strerror(errno));
	set("waits", "on cgroup=/tlob");
	pid = waits_child(sleep_in_cgroup);
	reap(pid);
	w = waits_read(fd);
	check(waits_has(w, pid));
	check(!waits_has(w, getpid()));

	set("waits", "on windows");
	device = monitor_open();
	sleep_ns(waits_ms(3));
	check_eq(start_us(device, 10000000, -1, 0), 0);
	sleep_ns(waits_ms(2));
	check_eq(stop_window(device), 0);
	sleep_ns(waits_ms(3));
	w = waits_read(fd);
	if (deterministic()) {
		check_eq(waits_task(w, getpid())->blocked.count, 1);
		check(waits_task(w, getpid())->blocked.total_ns >= waits_ms(2) - 100 * US);
	}
	set("waits", "off");
	close(fd);
	close(device);
	monitor_off();
}

/* A threshold limits stacks, not totals. */
TEST(thresholds)
{
	const struct tlob_wait_task *t;
	int fd = records_open();
	struct waits *w;
	unsigned int nr;

	set("waits", "on threshold=10ms pids=%d", getpid());
	first_caller();
	w = waits_read(fd);
	t = waits_task(w, getpid());
	check_eq(w->status.threshold_ns, 10 * MS);
	if (deterministic()) {
		check(t->blocked.total_ns >= 3 * MS - 100 * US);
		waits_stacks(w, t->id, &nr);
		check_eq(nr, 0);
	}
	sleep_ns(waits_ms(12));
	w = waits_read(fd);
	check(waits_stacks(w, waits_task(w, getpid())->id, &nr));
	set("waits", "reset");
	w = waits_read(fd);
	check(!waits_has(w, getpid()) || waits_task(w, getpid())->blocked.max_ns < waits_ms(12) - MS);
	set("waits", "off");
	close(fd);
}
