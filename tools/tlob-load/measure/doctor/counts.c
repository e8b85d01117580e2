// SPDX-License-Identifier: GPL-2.0
/* Reading the counters of CPUs. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/counts.h"
#include "util/text.h"
#include "util/tree.h"

#define CPU_FORMAT(file)	"/sys/devices/system/cpu/cpu%d/" file
#define MSR_SMI_COUNT	0x34		/* Intel's, since Nehalem; 32 bits */
#define MSR_MPERF	0xe7
#define MSR_APERF	0xe8

static void read_number(struct count *to, const char *root, const char *format, int cpu)
{
	char path[128];

	snprintf(path, sizeof(path), format, cpu);
	to->err = tree_read_number(root, path, &to->value);
}

static void read_throttled(struct count *to, const char *root, int cpu)
{
	struct count package = { 0 };

	read_number(to, root, CPU_FORMAT("thermal_throttle/core_throttle_count"), cpu);
	read_number(&package, root, CPU_FORMAT("thermal_throttle/package_throttle_count"), cpu);
	if (!to->err && !package.err)
		to->value += package.value;
}

static void read_msr(struct count *to, const char *root, int cpu, long msr)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	to->err = tree_read_at(root, path, msr, &to->value, sizeof(to->value));
}

static int read_interrupts(struct counts *c, const char *root)
{
	int *cpus = calloc(c->n ? c->n : 1, sizeof(*cpus)), err;
	char *text = NULL;
	unsigned int i;

	if (!cpus)
		return -ENOMEM;
	for (i = 0; i < c->n; i++)
		cpus[i] = c->cpu[i].cpu;
	err = tree_read(root, "/proc/interrupts", &text);
	if (!err)
		err = proc_table_parse(&c->irqs, text, cpus, c->n);
	c->irqs_err = err;
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
	for_each_cpu(cpu, cpus) {
		struct cpu_counts *to = &c->cpu[c->n++];

		to->cpu = cpu;
		read_throttled(&to->throttled, root, cpu);
		read_msr(&to->smi, root, cpu, MSR_SMI_COUNT);
		to->smi.value &= UINT32_MAX;
		/* one right after the other: what happens between the two counts for one only */
		read_msr(&to->aperf, root, cpu, MSR_APERF);
		read_msr(&to->mperf, root, cpu, MSR_MPERF);
		read_number(&to->khz, root, CPU_FORMAT("cpufreq/scaling_cur_freq"), cpu);
	}
	err = read_interrupts(c, root);
	return err ? err : read_steal(c, root);
}

static const char throttling[] = "RT throttling activated";

int counts_read_log(struct counts *c, const char *root)
{
	char *log;
	int err;

	c->rt_throttled = (struct count){ .err = -EOPNOTSUPP };	/* a copy has none */
	if (*root)
		return 0;
	err = tree_log(root, &log);
	c->rt_throttled.err = err;
	if (err)
		return err == -ENOMEM ? err : 0;
	c->rt_throttled.value = !!strstr(log, throttling);
	free(log);
	return 0;
}

int counts_log_end(const char *root)
{
	int fd = *root ? -1 : open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool counts_log_says(int fd)
{
	char record[8192 + 1];		/* the kernel's longest */
	bool says = false;
	ssize_t n;

	/* EPIPE: older ones were overwritten, and the next read gives the oldest that is left */
	while (!says && ((n = read(fd, record, sizeof(record) - 1)) > 0 || (n < 0 && errno == EPIPE))) {
		record[n > 0 ? n : 0] = '\0';
		says = strstr(record, throttling);
	}
	return says;
}

uint64_t count_since(const struct count *before, const struct count *after)
{
	return after->value >= before->value ? after->value - before->value :
	       (uint32_t)(after->value - before->value);
}

/* Of a row's name, "24 eth0". */
static bool is_device(const char *row)
{
	const char *name = strchr(row, ' ');

	return isdigit((unsigned char)*row) && !(name && has_word(COUNTS_OWN_IRQS, name + 1));
}

int counts_interrupts(const struct counts *before, const struct counts *after, unsigned int i,
		      uint64_t *n)
{
	size_t k;

	*n = 0;
	for (k = 0; k < after->irqs.n; k++)
		if (is_device(after->irqs.name[k]))
			*n += proc_row_since(&before->irqs, &after->irqs, k, i);
	return before->irqs_err ? before->irqs_err : after->irqs_err;
}

int counts_cycles(const struct cpu_counts *before, const struct cpu_counts *after)
{
	uint64_t real = after->aperf.value - before->aperf.value;
	uint64_t nominal = after->mperf.value - before->mperf.value;

	if (before->aperf.err || before->mperf.err || after->aperf.err || after->mperf.err)
		return before->aperf.err ? before->aperf.err : before->mperf.err ? before->mperf.err :
		       after->aperf.err ? after->aperf.err : after->mperf.err;
	if (!nominal)
		return -ENODATA;
	return (int)(100 * (double)real / (double)nominal + 0.5);
}

void counts_free(struct counts *c)
{
	free(c->cpu);
	proc_table_free(&c->irqs);
	*c = (struct counts){ 0 };
}
