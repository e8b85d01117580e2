// SPDX-License-Identifier: GPL-2.0
/* CPU lists, affinity and NUMA memory, by libnuma, or by no_numa.h where it lacks. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef TLOB_LACKS
#include <numa.h>
#else
#include "machine/no_numa.h"
#endif

#include "machine/cpus.h"
#include "util/error.h"
#include "util/file.h"
#include "util/memstream.h"

/* How long a CPU that goes offline may take to say so. */
#define OFFLINE_TRIES	20
#define OFFLINE_WAIT_US	50000

#define ONLINE	"/sys/devices/system/cpu/online"

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

/* Without sysfs, as in many a build chroot, the CPUs that this process may use. */
static int online_mask(struct bitmask **mask)
{
	char line[4096];
	int err;

	err = file_read_line(ONLINE, line, sizeof(line));
	if (err == -ENOENT) {
		*mask = numa_allocate_cpumask();
		if (!*mask)
			return fail(-ENOMEM, "out of memory");
		if (numa_sched_getaffinity(0, *mask) < 0)
			return fail(-errno, "sched_getaffinity: %s", strerror(errno));
		return 0;
	}
	if (err)
		return fail(err, "%s: %s", ONLINE, strerror(-err));
	*mask = numa_parse_cpustring_all(line);
	if (*mask)
		return 0;
	fail(0, "%s: unknown format: %s", ONLINE, line);
	return -EINVAL;
}

static bool is_empty(const struct bitmask *mask)
{
	return !numa_bitmask_weight(mask);
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

/*
 * The syntax of numactl(8): a plain list, all or same, after an optional ! and
 * an optional +. libnuma accepts more than that, such as 0x1, and has one error
 * for all mistakes, so the syntax is checked here.
 */
static bool is_list(const char *s)
{
	s += *s == '!';
	s += *s == '+';
	return !strcmp(s, "all") || !strcmp(s, "same") || is_plain_list(s);
}

/* libnuma takes 3-2 for 3. Finds such a range, and its two ends. */
static bool find_backward_range(const char *s, unsigned long *from,
				unsigned long *to)
{
	char *end;

	for (; *s; s = *end ? end + 1 : end) {
		*from = strtoul(s, &end, 10);
		if (end == s) {		/* ! or + or a name */
			end = (char *)s;
			continue;
		}
		if (*end != '-')
			continue;
		*to = strtoul(end + 1, &end, 10);
		if (*to < *from)
			return true;
	}
	return false;
}

/* The first number in the list that is @limit or more, or not in @mask (may be NULL). */
static bool find_number(const char *s, unsigned long limit,
			const struct bitmask *mask, unsigned long *number)
{
	size_t n;

	for (; *s; s += n ? n : 1) {
		n = strspn(s, "0123456789");
		if (!n)
			continue;
		*number = strtoul(s, NULL, 10);
		if (*number >= limit ||
		    (mask && !numa_bitmask_isbitset(mask, (unsigned int)*number)))
			return true;
	}
	return false;
}

/* The CPUs that are in @a and in @keep, but not in @drop (may be NULL). */
static struct bitmask *select_cpus(const struct bitmask *a,
				   const struct bitmask *keep,
				   const struct bitmask *drop)
{
	struct bitmask *mask = numa_allocate_cpumask();
	unsigned int cpu;

	for (cpu = 0; mask && cpu < mask->size; cpu++)
		if (numa_bitmask_isbitset(a, cpu) &&
		    numa_bitmask_isbitset(keep, cpu) &&
		    !(drop && numa_bitmask_isbitset(drop, cpu)))
			numa_bitmask_setbit(mask, cpu);
	return mask;
}

static int no_such_cpu(const char *option, const char *list, unsigned long cpu,
		       const struct bitmask *online)
{
	char *usable = cpus_format(online);

	fail(0, "%s %s: CPU %lu is offline or does not exist (online: %s)",
	     option, list, cpu, usable ? usable : "unknown");
	free(usable);
	return -ENODEV;
}

static int parse_list(const char *option, const char *list,
		      const struct bitmask *online, struct bitmask **mask)
{
	unsigned long possible = (unsigned long)numa_num_possible_cpus(), missing;
	unsigned long from, to;
	unsigned int cpu;

	/* libnuma's `all` includes CPUs that are offline */
	if (!strcmp(list, "all")) {
		*mask = select_cpus(online, online, NULL);
		return *mask ? 0 : fail(-ENOMEM, "out of memory");
	}
	if (*list && !is_list(list))
		return fail(-EUSAGE, "%s: invalid CPU list '%s': give numbers and ranges, as in 0,2-5",
			    option, list);
	if (find_backward_range(list, &from, &to))
		return fail(-EUSAGE, "%s %s: the range %lu-%lu runs backwards: give %lu-%lu",
			    option, list, from, to, to, from);
	/* libnuma walks through every number of a range, even for days */
	if (find_number(list, possible, NULL, &missing))
		return no_such_cpu(option, list, missing, online);
	*mask = numa_parse_cpustring_all(list);
	if (!*mask && find_number(list, possible, online, &missing))
		return no_such_cpu(option, list, missing, online);
	if (!*mask)
		return fail(-ENODEV, "%s %s: a CPU in the list does not exist",
			    option, list);
	if (is_empty(*mask))
		return fail(-EUSAGE, "%s: CPU list '%s' is empty: give numbers and ranges, as in 0,2-5",
			    option, list);
	for (cpu = 0; cpu < (*mask)->size; cpu++)
		if (numa_bitmask_isbitset(*mask, cpu) &&
		    !numa_bitmask_isbitset(online, cpu))
			return no_such_cpu(option, list, cpu, online);
	return 0;
}

static int make_list(struct cpus *c)
{
	unsigned int cpu;

	c->list = calloc(numa_bitmask_weight(c->measured), sizeof(*c->list));
	if (!c->list)
		return -ENOMEM;
	for (cpu = 0; cpu < c->measured->size; cpu++)
		if (numa_bitmask_isbitset(c->measured, cpu))
			c->list[c->n++] = cpu;
	return 0;
}

static int choose_housekeeping(struct cpus *c, const struct bitmask *affinity,
			       const struct bitmask *online)
{
	c->housekeeping = select_cpus(affinity, online, c->measured);
	if (c->housekeeping && is_empty(c->housekeeping)) {
		numa_bitmask_free(c->housekeeping);
		c->housekeeping = select_cpus(affinity, online, NULL);
		c->shared = true;
	}
	return c->housekeeping ? 0 : -ENOMEM;
}

static bool intersect(const struct bitmask *a, const struct bitmask *b)
{
	unsigned int cpu;

	for (cpu = 0; cpu < a->size; cpu++)
		if (numa_bitmask_isbitset(a, cpu) &&
		    numa_bitmask_isbitset(b, cpu))
			return true;
	return false;
}

int cpus_choose(struct cpus *c, const char *measured,
		const char *housekeeping)
{
	struct bitmask *affinity, *online = NULL;
	int err;

	affinity = numa_allocate_cpumask();
	if (!affinity)
		return fail(-ENOMEM, "out of memory");
	if (numa_sched_getaffinity(0, affinity) < 0) {
		err = fail(-errno, "sched_getaffinity: %s", strerror(errno));
		goto out;
	}
	err = online_mask(&online);
	if (err)
		goto out;
	if (measured) {
		err = parse_list("--cpus", measured, online, &c->measured);
		if (err)
			goto out;
	} else {
		c->measured = select_cpus(affinity, online, NULL);
	}
	if (!c->measured || make_list(c)) {
		err = fail(-ENOMEM, "out of memory");
		goto out;
	}
	if (housekeeping) {
		err = parse_list("--housekeeping", housekeeping, online,
				 &c->housekeeping);
		if (!err)
			c->shared = intersect(c->housekeeping, c->measured);
	} else {
		err = choose_housekeeping(c, affinity, online);
		if (err)
			fail(err, "out of memory");
	}
out:
	numa_bitmask_free(affinity);
	if (online)
		numa_bitmask_free(online);
	return err;
}

int cpus_of_load(const struct cpus *c, const char *list, struct bitmask **mask,
		 unsigned int *n)
{
	struct bitmask *online = NULL;
	unsigned int cpu;
	int err = 0;

	*mask = NULL;
	if (list) {
		err = online_mask(&online);
		if (!err)
			err = parse_list("--load-cpus", list, online, mask);
		if (online)
			numa_bitmask_free(online);
	} else {
		*mask = numa_allocate_cpumask();
		for (cpu = 0; *mask && cpu < (*mask)->size; cpu++)
			if (numa_bitmask_isbitset(c->measured, cpu) ||
			    numa_bitmask_isbitset(c->housekeeping, cpu))
				numa_bitmask_setbit(*mask, cpu);
	}
	if (err)
		return err;
	if (!*mask)
		return fail(-ENOMEM, "out of memory");
	*n = numa_bitmask_weight(*mask);
	return 0;
}

void cpus_mask_free(struct bitmask *mask)
{
	if (mask)
		numa_bitmask_free(mask);
}

char *cpus_but_one(void)
{
	struct cpus all = { 0 };
	char *list = NULL;

	if (!cpus_choose(&all, NULL, NULL) && all.n > 1) {
		numa_bitmask_clearbit(all.measured, (unsigned int)all.list[0]);
		list = cpus_format(all.measured);
	}
	cpus_free(&all);
	return list;
}

void cpus_free(struct cpus *c)
{
	if (c->measured)
		numa_bitmask_free(c->measured);
	if (c->housekeeping)
		numa_bitmask_free(c->housekeeping);
	free(c->list);
	*c = (struct cpus){ 0 };
}

char *cpus_format(const struct bitmask *mask)
{
	unsigned int cpu, last;
	char *text = NULL;
	size_t size;
	FILE *f;

	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	for (cpu = 0; cpu < mask->size; cpu = last + 1) {
		last = cpu;
		if (!numa_bitmask_isbitset(mask, cpu))
			continue;
		while (last + 1 < mask->size &&
		       numa_bitmask_isbitset(mask, last + 1))
			last++;
		fprintf(f, ftell(f) ? ",%u" : "%u", cpu);
		if (last > cpu)
			fprintf(f, "-%u", last);
	}
	return memstream_text(f, &text);
}

/* libnuma would refuse a list with CPUs that this machine does not have. */
static bool list_has(const char *list, unsigned long cpu)
{
	unsigned long first, last;
	char *end;

	for (;; list = end + 1) {
		first = last = strtoul(list, &end, 10);
		if (end == list)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (first <= cpu && cpu <= last)
			return true;
		if (*end != ',')
			return false;
	}
}

char *cpus_with(const struct cpus *c, const char *list, bool *covered)
{
	struct bitmask *mask = numa_allocate_cpumask();
	unsigned int cpu;
	char *text;

	*covered = true;
	if (!mask)
		return NULL;
	for (cpu = 0; cpu < mask->size; cpu++) {
		bool measured = numa_bitmask_isbitset(c->measured, cpu);
		bool listed = list_has(list, cpu);

		if (measured && !listed)
			*covered = false;
		if (measured || listed)
			numa_bitmask_setbit(mask, cpu);
	}
	text = cpus_format(mask);
	numa_bitmask_free(mask);
	return text;
}

int cpus_confine(const struct bitmask *mask)
{
	return numa_sched_setaffinity(0, (struct bitmask *)mask) < 0 ?
	       -errno : 0;
}

int cpus_pin(int cpu)
{
	struct bitmask *mask = numa_allocate_cpumask();
	int err;

	if (!mask)
		return -ENOMEM;
	numa_bitmask_setbit(mask, cpu);
	err = cpus_confine(mask);
	numa_bitmask_free(mask);
	return err;
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

void *node_alloc(size_t size, int node)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		return NULL;
	if (node >= 0 && numa_available() >= 0)
		numa_tonode_memory(mem, size, node);
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
