// SPDX-License-Identifier: GPL-2.0
/* CPU lists, affinity, and NUMA memory by libnuma. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef TLOB_LACKS
#include <numa.h>
#endif

#include "machine/cpus.h"
#include "util/error.h"
#include "util/file.h"

/* How long a CPU that goes offline may take to say so. */
#define OFFLINE_TRIES	20
#define OFFLINE_WAIT_US	50000

#define ONLINE		"/sys/devices/system/cpu/online"
#define ISOLATED	"/sys/devices/system/cpu/isolated"

/* One cpu_set_t has too few CPUs for the largest machines. */
struct affinity {
	cpu_set_t set[CPULIST_MAX / CPU_SETSIZE];
};

/* The CPUs that this process may use. 0 or -errno, printed. */
static int read_affinity(struct cpulist *cpus)
{
	struct affinity a = { 0 };
	int cpu;

	if (sched_getaffinity(0, sizeof(a), a.set))
		return fail(-errno, "sched_getaffinity: %s", strerror(errno));
	*cpus = (struct cpulist){ 0 };
	for (cpu = 0; cpu < CPULIST_MAX; cpu++)
		if (CPU_ISSET_S(cpu, sizeof(a), a.set))
			cpulist_add(cpus, cpu);
	return 0;
}

/* Without sysfs, as in many a build chroot, the CPUs that this process may use. */
static int read_online(struct cpulist *cpus)
{
	char line[4096];
	int err;

	err = file_read_line(ONLINE, line, sizeof(line));
	if (err == -ENOENT)
		return read_affinity(cpus);
	if (err)
		return fail(err, "%s: %s", ONLINE, strerror(-err));
	return cpulist_parse(cpus, line) ?
	       fail(-EINVAL, "%s: unknown format: %s", ONLINE, line) : 0;
}

static bool skip_number(const char **s)
{
	size_t n = strspn(*s, "0123456789");

	*s += n;
	return n;
}

/* Numbers and ranges N-M, separated by commas. */
static bool is_plain_list(const char *s)
{
	for (;;) {
		if (!skip_number(&s))
			return false;
		if (*s == '-') {
			s++;
			if (!skip_number(&s))
				return false;
		}
		if (!*s)
			return true;
		if (*s++ != ',')
			return false;
	}
}

/* Finds a range such as 3-2 in a plain list, and its two ends. */
static bool find_backward_range(const char *s, unsigned long *from,
				unsigned long *to)
{
	char *end;

	for (; *s; s = *end ? end + 1 : end) {
		*from = strtoul(s, &end, 10);
		if (*end != '-')
			continue;
		*to = strtoul(end + 1, &end, 10);
		if (*to < *from)
			return true;
	}
	return false;
}

/* Finds the first number in a plain list that no CPU can have. */
static bool find_excess(const char *s, unsigned long *number)
{
	char *end;

	for (; *s; s = *end ? end + 1 : end) {
		*number = strtoul(s, &end, 10);
		if (*number >= CPULIST_MAX)
			return true;
	}
	return false;
}

static int no_such_cpu(const char *option, const char *list, unsigned long cpu,
		       const struct cpulist *online)
{
	char *usable = cpulist_format(online);

	fail(0, "%s %s: CPU %lu is offline or does not exist (online: %s)",
	     option, list, cpu, usable ? usable : "unknown");
	free(usable);
	return -ENODEV;
}

/* Replaces numbers by the CPUs of that rank among those that this process may use. */
static int take_relative(struct cpulist *cpus)
{
	struct cpulist allowed = { 0 }, ranks = *cpus;
	int cpu, rank = 0, err = read_affinity(&allowed);

	*cpus = (struct cpulist){ 0 };
	for_each_cpu(cpu, &allowed)
		if (!err && cpulist_has(&ranks, rank++))
			cpulist_add(cpus, cpu);
	return err;
}

/*
 * The syntax of numactl(8): a plain list or all, after an optional ! and an optional +.
 * `all` are the CPUs that are online, and ! takes the others of these.
 */
static int parse_list(const char *option, const char *list,
		      const struct cpulist *online, struct cpulist *cpus)
{
	bool invert = *list == '!', relative = list[invert] == '+';
	const char *plain = list + invert + relative;
	unsigned long from, to;
	struct cpulist missing;
	int err = 0;

	if (*list && strcmp(plain, "all") && !is_plain_list(plain))
		return fail(-EUSAGE, "%s: invalid CPU list '%s': give numbers and ranges, as in 0,2-5",
			    option, list);
	if (find_backward_range(plain, &from, &to))
		return fail(-EUSAGE, "%s %s: the range %lu-%lu runs backwards: give %lu-%lu",
			    option, list, from, to, to, from);
	if (find_excess(plain, &from))
		return no_such_cpu(option, list, from, online);
	if (!strcmp(plain, "all"))
		*cpus = *online;
	else
		err = cpulist_parse(cpus, plain);
	if (!err && relative)
		err = take_relative(cpus);
	if (err)
		return err;
	missing = cpulist_without(cpus, online);
	if (!cpulist_is_empty(&missing))
		return no_such_cpu(option, list, (unsigned long)cpulist_next(&missing, -1), online);
	if (invert)
		*cpus = cpulist_without(online, cpus);
	return cpulist_is_empty(cpus) ?
	       fail(-EUSAGE, "%s: CPU list '%s' is empty: give numbers and ranges, as in 0,2-5",
		    option, list) : 0;
}

static int make_list(struct cpus *c)
{
	int cpu;

	c->list = calloc(cpulist_count(&c->measured), sizeof(*c->list));
	if (!c->list)
		return fail(-ENOMEM, "out of memory");
	for_each_cpu(cpu, &c->measured)
		c->list[c->n++] = cpu;
	return 0;
}

struct cpulist cpus_default(const struct cpulist *usable, const struct cpulist *online,
			    const struct cpulist *isolated)
{
	struct cpulist chosen = cpulist_and(isolated, usable), others = cpulist_without(online, isolated);

	if (cpulist_is_empty(&chosen) && cpulist_covers(usable, &others))
		chosen = cpulist_and(isolated, online);
	return cpulist_is_empty(&chosen) ? *usable : chosen;
}

struct cpulist cpus_left(const struct cpulist *usable, const struct cpulist *measured,
			 const struct cpulist *siblings)
{
	struct cpulist left = cpulist_without(usable, measured), apart = cpulist_without(&left, siblings);

	return !cpulist_is_empty(&apart) ? apart : !cpulist_is_empty(&left) ? left : *usable;
}

/* The isolated CPUs that this process may go to: a cpuset, as of a container, may lack them. */
static struct cpulist read_isolated(const struct cpulist *affinity)
{
	struct cpulist cpus, may = { 0 };
	char line[4096];

	if (file_read_line(ISOLATED, line, sizeof(line)) || cpulist_parse(&cpus, line) ||
	    cpulist_is_empty(&cpus) || cpus_confine(&cpus))
		return may;
	if (read_affinity(&may))
		may = (struct cpulist){ 0 };
	cpus_confine(affinity);
	return cpulist_and(&may, &cpus);
}

/* The hyper-threads of the CPUs, with the CPUs. */
static struct cpulist read_siblings(const struct cpus *c)
{
	struct cpulist all = { 0 }, siblings;
	char path[80], line[4096];
	size_t i;

	for (i = 0; i < c->n; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", c->list[i]);
		if (!file_read_line(path, line, sizeof(line)) && !cpulist_parse(&siblings, line))
			all = cpulist_or(&all, &siblings);
	}
	return all;
}

int cpus_choose(struct cpus *c, const char *measured,
		const char *housekeeping)
{
	struct cpulist affinity, online, isolated = { 0 }, siblings;
	int err;

	err = read_affinity(&affinity);
	if (!err)
		err = read_online(&online);
	if (err)
		return err;
	if (!measured)
		isolated = read_isolated(&affinity);
	affinity = cpulist_and(&affinity, &online);
	c->measured = cpus_default(&affinity, &online, &isolated);
	c->isolated = cpulist_covers(&isolated, &c->measured);
	if (measured)
		err = parse_list("--cpus", measured, &online, &c->measured);
	if (!err)
		err = make_list(c);
	if (err)
		return err;
	if (housekeeping)
		return parse_list("--housekeeping", housekeeping, &online, &c->housekeeping);
	siblings = read_siblings(c);
	c->housekeeping = cpus_left(&affinity, &c->measured, &siblings);
	return 0;
}

int cpus_of_load(const struct cpus *c, const char *list, struct cpulist *cpus)
{
	struct cpulist online;
	int err;

	*cpus = cpulist_or(&c->measured, &c->housekeeping);
	if (!list)
		return 0;
	err = read_online(&online);
	return err ? err : parse_list("--load-cpus", list, &online, cpus);
}

char *cpus_but_one(void)
{
	struct cpulist first = { 0 };
	struct cpus all = { 0 };
	char *list = NULL;

	if (!cpus_choose(&all, NULL, NULL) && all.n > 1 && !all.isolated) {
		cpulist_add(&first, all.list[0]);
		first = cpulist_without(&all.measured, &first);
		list = cpulist_format(&first);
	}
	cpus_free(&all);
	return list;
}

void cpus_free(struct cpus *c)
{
	free(c->list);
	*c = (struct cpus){ 0 };
}

char *cpus_with(const struct cpus *c, const char *list, bool *covered)
{
	struct cpulist all;

	if (cpulist_parse(&all, list))
		all = (struct cpulist){ 0 };
	*covered = cpulist_covers(&all, &c->measured);
	all = cpulist_or(&all, &c->measured);
	return cpulist_format(&all);
}

int cpus_confine(const struct cpulist *cpus)
{
	struct affinity a = { 0 };
	int cpu;

	for_each_cpu(cpu, cpus)
		CPU_SET_S(cpu, sizeof(a), a.set);
	return sched_setaffinity(0, sizeof(a), a.set) ? -errno : 0;
}

int cpus_pin(int cpu)
{
	struct cpulist one = { 0 };

	cpulist_add(&one, cpu);
	return cpus_confine(&one);
}

#ifndef TLOB_LACKS
/*
 * Programs may replace these two functions of libnuma. Ours print nothing,
 * because the tool reports every failure itself, in one line.
 */
void numa_warn(int num, char *fmt, ...)
{
	(void)num;
	(void)fmt;
}

void numa_error(char *where)
{
	(void)where;
}

int cpus_node(int cpu)
{
	return numa_available() < 0 ? -1 : numa_node_of_cpu(cpu);
}

bool node_exists(int node)
{
	if (numa_available() < 0)
		return node == 0;
	return node <= numa_max_node() &&
	       numa_bitmask_isbitset(numa_all_nodes_ptr, node);
}

static void move_to_node(void *mem, size_t size, int node)
{
	if (numa_available() >= 0)
		numa_tonode_memory(mem, size, node);
}
#else
/* A tool without libnuma takes every machine for one with one node. */
int cpus_node(int cpu)
{
	(void)cpu;
	return -1;
}

bool node_exists(int node)
{
	return node == 0;
}

static void move_to_node(void *mem, size_t size, int node)
{
	(void)mem;
	(void)size;
	(void)node;
}
#endif

void *node_alloc(size_t size, int node)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		return NULL;
	if (node >= 0)
		move_to_node(mem, size, node);
	return mem;
}

void node_free(void *mem, size_t size)
{
	if (mem)
		munmap(mem, size);
}

static bool is_online(int cpu)
{
	char path[64], line[16];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return file_read_line(path, line, sizeof(line)) || *line != '0';
}

int cpus_why_left(int cpu)
{
	int tries;

	for (tries = 0; tries < OFFLINE_TRIES; tries++) {
		if (!is_online(cpu))
			return 0;
		usleep(OFFLINE_WAIT_US);
	}
	return fail(-EXDEV, "CPU %d: the thread was migrated: another process changed its affinity",
		    cpu);
}
