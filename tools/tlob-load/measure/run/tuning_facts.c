// SPDX-License-Identifier: GPL-2.0
/* Reads the tuning from procfs and sysfs. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cpus.h"
#include "machine/kconfig.h"
#include "machine/preemption.h"
#include "result/result.h"
#include "run/tuning_facts.h"
#include "util/file.h"
#include "util/host.h"
#include "util/tree.h"

#define CPU	"/sys/devices/system/cpu/"

/* Facts that are the first line of a file. */
static const struct {
	const char *name, *path;
} files[] = {
	{ "clocksource",
	  "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
	{ "idle_driver",	CPU "cpuidle/current_driver" },
	{ "idle_governor",	CPU "cpuidle/current_governor" },
	{ "smt",		CPU "smt/control" },
	{ "isolated",		CPU "isolated" },
	{ "nohz_full",		CPU "nohz_full" },
	{ "boost",		CPU "cpufreq/boost" },
	{ "no_turbo",		CPU "intel_pstate/no_turbo" },
	{ "rt_runtime_us",	"/proc/sys/kernel/sched_rt_runtime_us" },
	{ "timer_migration",	"/proc/sys/kernel/timer_migration" },
	{ "numa_balancing",	"/proc/sys/kernel/numa_balancing" },
	{ "nmi_watchdog",	"/proc/sys/kernel/nmi_watchdog" },
	{ "transparent_hugepage",
	  "/sys/kernel/mm/transparent_hugepage/enabled" },
};

/* @source is the file that says so; NULL: no file does. */
static int add(struct result *r, const char *name, const char *value, const char *source)
{
	struct fact *f = realloc(r->tuning, (r->ntuning + 1) * sizeof(*f));

	if (!f)
		return -ENOMEM;
	r->tuning = f;
	f += r->ntuning;
	f->name = strdup(name);
	f->value = strdup(value);
	f->source = source ? strdup(source) : NULL;
	r->ntuning++;
	return f->name && f->value && (f->source || !source) ? 0 : -ENOMEM;
}

/*
 * The value without what a kernel's version changes: tsc-early is the same clock as tsc,
 * before the kernel has checked it. 6.12 prints an empty CPU list as "(null)".
 */
static const char *settled(char *value)
{
	if (!strcmp(value, "tsc-early"))
		return "tsc";
	return strcmp(value, "(null)") ? tree_chosen(value) : "";
}

/*
 * The kernel's arguments, without those that locate the kernel and its file
 * systems: these differ with each kernel.
 */
static int add_arguments(struct result *r)
{
	static const char * const where[] = {
		"BOOT_IMAGE=", "initrd=", "root=", "resume=", "UUID=",
	};
	char line[4096], kept[4096] = "", *word, *rest = NULL;
	size_t i, n = 0;

	if (file_read_line("/proc/cmdline", line, sizeof(line)))
		return 0;
	for (word = strtok_r(line, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		for (i = 0; i < sizeof(where) / sizeof(where[0]); i++)
			if (!strncmp(word, where[i], strlen(where[i])))
				break;
		if (i == sizeof(where) / sizeof(where[0]))
			n += (size_t)snprintf(kept + n, sizeof(kept) - n,
					      "%s%s", n ? " " : "", word);
	}
	return add(r, "kernel_arguments", kept, "/proc/cmdline");
}

static int add_preemption(struct result *r)
{
	struct kconfig config = { 0 };
	struct preemption p;
	int err = preemption_read(&p, "", &config);

	kconfig_free(&config);
	return err ? err : add(r, "preemption", p.model ? p.model : "unknown", p.model ? p.source : NULL);
}

/* The governor that all measured CPUs use, or "mixed". */
static int add_governor(struct result *r, const struct cpus *cpus)
{
	char path[PATH_MAX], one[2][64];
	size_t i;

	for (i = 0; i < cpus->n; i++) {
		snprintf(path, sizeof(path),
			 CPU "cpu%d/cpufreq/scaling_governor", cpus->list[i]);
		if (file_read_line(path, one[!!i], sizeof(one[0])))
			return 0;
		if (i && strcmp(one[0], one[1]))
			return add(r, "frequency_governor", "mixed", path);
	}
	return add(r, "frequency_governor", one[0], path);
}

/* The value of the first line of /proc/cpuinfo that begins with @key. */
static int add_of_first_cpu(struct result *r, const char *text, const char *key, const char *name)
{
	const char *from = strstr(text, key), *to;
	char *value;
	int err;

	from = from ? strchr(from, ':') : NULL;
	to = from ? strchr(from, '\n') : NULL;
	if (!to || to <= from + 2)
		return 0;
	value = strndup(from + 2, (size_t)(to - from - 2));
	err = value ? add(r, name, value, "/proc/cpuinfo") : -ENOMEM;
	free(value);
	return err;
}

static int add_processor(struct result *r)
{
	int err = add_of_first_cpu(r, host_processor(), "model name", "processor");

	return err ? err : add_of_first_cpu(r, host_processor(), "\nmicrocode", "microcode");
}

int tuning_read(struct result *r, const struct cpus *cpus)
{
	char value[256];
	size_t i;
	int err;

	err = add_processor(r);
	if (!err)
		err = add_arguments(r);
	if (!err)
		err = add_preemption(r);
	if (!err)
		err = add_governor(r, cpus);
	for (i = 0; !err && i < sizeof(files) / sizeof(files[0]); i++)
		if (!file_read_line(files[i].path, value, sizeof(value)))
			err = add(r, files[i].name, settled(value), files[i].path);
	return err;
}
