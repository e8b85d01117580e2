// SPDX-License-Identifier: GPL-2.0
/* Reading the counters of CPUs. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#include "doctor/counts.h"
#include "doctor/tree.h"
#include "machine/proc_counts.h"

#define CPU_FORMAT(file)	"/sys/devices/system/cpu/cpu%d/" file
#define MSR_SMI_COUNT	0x34		/* Intel's, since Nehalem; 32 bits */
/* Actions of syslog(2). */
#define SYSLOG_READ_ALL	3
#define SYSLOG_SIZE_BUFFER 10

static void read_number(struct count *to, const char *root, const char *format, int cpu)
{
	char path[128], *text, *end;

	snprintf(path, sizeof(path), format, cpu);
	to->err = tree_read(root, path, &text);
	if (to->err)
		return;
	to->value = strtoull(text, &end, 10);
	if (end == text || *end)
		to->err = -EINVAL;
	free(text);
}

static void read_throttled(struct count *to, const char *root, int cpu)
{
	struct count package = { 0 };

	read_number(to, root, CPU_FORMAT("thermal_throttle/core_throttle_count"), cpu);
	read_number(&package, root, CPU_FORMAT("thermal_throttle/package_throttle_count"), cpu);
	if (!to->err && !package.err)
		to->value += package.value;
}

static void read_smi(struct count *to, const char *root, int cpu)
{
	char path[64];
	uint64_t value = 0;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	to->err = tree_read_at(root, path, MSR_SMI_COUNT, &value, sizeof(value));
	to->value = value & UINT32_MAX;
}

static int read_interrupts(struct counts *c, const char *root)
{
	int *cpus = calloc(c->n ? c->n : 1, sizeof(*cpus)), err;
	struct proc_table t = { 0 };
	char *text = NULL;
	unsigned int i;
	size_t k;

	if (!cpus)
		return -ENOMEM;
	for (i = 0; i < c->n; i++)
		cpus[i] = c->cpu[i].cpu;
	err = tree_read(root, "/proc/interrupts", &text);
	if (!err)
		err = proc_table_parse(&t, text, cpus, c->n);
	for (i = 0; i < c->n; i++) {
		c->cpu[i].interrupts.err = err;
		for (k = 0; !err && k < t.n; k++)
			if (isdigit((unsigned char)*t.name[k]))
				c->cpu[i].interrupts.value += t.count[k * t.ncpus + i];
	}
	proc_table_free(&t);
	free(text);
	free(cpus);
	return err == -ENOMEM ? err : 0;
}

static int read_steal(struct counts *c, const char *root)
{
	char *text = NULL;
	int err = tree_read(root, "/proc/stat", &text);
	unsigned int i;

	for (i = 0; i < c->n; i++)
		c->cpu[i].steal.err = err ? err : proc_steal(text, c->cpu[i].cpu,
							     &c->cpu[i].steal.value);
	free(text);
	return err == -ENOMEM ? err : 0;
}

int counts_read(struct counts *c, const char *root, const struct cpulist *cpus)
{
	unsigned int n = cpulist_count(cpus);
	int cpu, err;

	counts_free(c);
	c->cpu = calloc(n ? n : 1, sizeof(*c->cpu));
	if (!c->cpu)
		return -ENOMEM;
	for (cpu = cpulist_next(cpus, -1); cpu >= 0; cpu = cpulist_next(cpus, cpu)) {
		struct cpu_counts *to = &c->cpu[c->n++];

		to->cpu = cpu;
		read_throttled(&to->throttled, root, cpu);
		read_smi(&to->smi, root, cpu);
		read_number(&to->khz, root, CPU_FORMAT("cpufreq/scaling_cur_freq"), cpu);
	}
	err = read_interrupts(c, root);
	return err ? err : read_steal(c, root);
}

int counts_read_log(struct counts *c, const char *root)
{
	static const char words[] = "RT throttling activated";
	int size, len;
	char *log;

	c->rt_throttled = (struct count){ .err = -EOPNOTSUPP };	/* a copy has none */
	if (*root)
		return 0;
	size = klogctl(SYSLOG_SIZE_BUFFER, NULL, 0);
	c->rt_throttled.err = size < 0 ? -errno : -ENODATA;
	if (size <= 0)
		return 0;
	log = malloc((size_t)size + 1);
	if (!log)
		return -ENOMEM;
	len = klogctl(SYSLOG_READ_ALL, log, size);
	if (len >= 0) {
		log[len] = '\0';
		c->rt_throttled = (struct count){ .value = !!strstr(log, words) };
	} else {
		c->rt_throttled.err = -errno;
	}
	free(log);
	return 0;
}

void counts_free(struct counts *c)
{
	free(c->cpu);
	*c = (struct counts){ 0 };
}
