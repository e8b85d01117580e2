// SPDX-License-Identifier: GPL-2.0
/* Rules about the kernel: its preemption, its configuration, what it traces and watches. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/look.h"
#include "doctor/rules.h"
#include "machine/preemption.h"
#include "util/tree.h"

#define TRACING		"/sys/kernel/tracing"
#define TRACING_OLD	"/sys/kernel/debug/tracing"

static void look_rt(struct doctor *d, struct finding *f)
{
	if (d->rt == KNOWN_NOT) {
		found(d, f, STATUS_UNKNOWN, "neither /sys/kernel/realtime, the configuration nor /proc/version can be read");
		return;
	}
	found_path(d, f, d->rt_path);
	found_if(d, f, d->rt == KNOWN_YES, d->rt == KNOWN_YES ? "PREEMPT_RT" : "not PREEMPT_RT");
}

/* False: the rule is for other kernels, or it is not known whether. */
static bool is_without_rt(struct doctor *d, struct finding *f)
{
	if (d->rt == KNOWN_NOT)
		found(d, f, STATUS_UNKNOWN, "it is not known whether the kernel is PREEMPT_RT");
	else if (d->rt == KNOWN_YES)
		found(d, f, STATUS_ABSENT, "a PREEMPT_RT kernel always does");
	return d->rt == KNOWN_NO;
}

static void look_preemption(struct doctor *d, struct finding *f)
{
	struct preemption p;

	if (!is_without_rt(d, f))
		return;
	if (preemption_read(&p, d->root, &d->config))
		d->err = -ENOMEM;
	else if (!p.model)
		found(d, f, STATUS_UNKNOWN, "no file says: debugfs, the arguments, the boot log or the configuration");
	else
		found_if(d, f, true, "%s", p.model);
	if (p.model)
		found_path(d, f, p.source);
}

static void look_threadirqs(struct doctor *d, struct finding *f)
{
	if (is_without_rt(d, f))
		look_arguments(d, f);
}

/* The tracers and events of all trace instances. */
struct tracing {
	FILE	*text;			/* nothing for nop without events */
	char	 path[2 * LOOK_PATH_LEN]; /* read last */
};

static int add_instance(struct doctor *d, struct tracing *t, const char *dir, const char *name)
{
	char *tracer = NULL, *events = NULL;
	int err;

	snprintf(t->path, sizeof(t->path), "%s/current_tracer", dir);
	err = tree_read(d->root, t->path, &tracer);
	if (!err) {
		snprintf(t->path, sizeof(t->path), "%s/events/enable", dir);
		err = tree_read(d->root, t->path, &events);
	}
	if (!err && strcmp(tracer, "nop"))
		fprintf(t->text, "%stracer %s%s", ftell(t->text) ? ", " : "", tracer, name);
	if (!err && strcmp(events, "0"))
		fprintf(t->text, "%sevents are on%s", ftell(t->text) ? ", " : "", name);
	free(tracer);
	free(events);
	return err;
}

static int add_instances(struct doctor *d, struct tracing *t, const char *tracing)
{
	char dir[LOOK_PATH_LEN], name[LOOK_PATH_LEN], **names, **one;
	int err = add_instance(d, t, tracing, "");

	if (err)
		return err;
	snprintf(t->path, sizeof(t->path), "%s/instances", tracing);
	err = tree_list(d->root, t->path, &names);
	if (err)
		return err;
	for (one = names; !err && *one; one++) {
		snprintf(dir, sizeof(dir), "%s/instances/%.90s", tracing, *one);
		snprintf(name, sizeof(name), " in instance %.90s", *one);
		err = add_instance(d, t, dir, name);
	}
	tree_list_free(names);
	return err;
}

static void look_tracing(struct doctor *d, struct finding *f)
{
	const char *dir = tree_has_entries(d->root, TRACING) || !tree_has_entries(d->root, TRACING_OLD) ?
			  TRACING : TRACING_OLD;
	struct tracing t = { 0 };
	char *text = NULL;
	size_t size;
	bool bad;
	int err;

	t.text = open_memstream(&text, &size);
	err = t.text ? add_instances(d, &t, dir) : 0;
	text = text_end(d, t.text, &text);
	bad = text && *text;
	found_path(d, f, dir);
	if (err && !bad)
		found_unreadable(d, f, t.path, err);
	else
		found_if(d, f, !bad, "%s", bad ? text : "tracer nop, no event");
	free(text);
}

/* The options of this kernel that tools for latencies use. */
static void look_facilities(struct doctor *d, struct finding *f)
{
	static const char * const options[] = {
		"OSNOISE_TRACER", "TIMERLAT_TRACER", "RV", "DEBUG_INFO_BTF",
	};
	char *text = NULL;
	size_t size, i;
	FILE *mem;

	if (!look_config(d, f))
		return;
	mem = open_memstream(&text, &size);
	for (i = 0; mem && i < sizeof(options) / sizeof(options[0]); i++)
		fprintf(mem, "%s%s %s", i ? ", " : "", options[i],
			kconfig_is_on(&d->config, options[i]) ? "yes" : "no");
	text = text_end(d, mem, &text);
	found(d, f, STATUS_NOTED, "%s", text ? text : "");
	free(text);
}

static const struct check rows[] = {
	{
		RULE(preempt_rt),
		.severity = SEVERITY_FATAL,
		.path = "/sys/kernel/realtime /proc/config.gz /boot/config-RELEASE /proc/version",
		.wanted = "1, or CONFIG_PREEMPT_RT=y",
		.why = "Without it softirqs, interrupt handlers and spinlock sections cannot be preempted, so no latency has a bound.",
		.for_good = "boot a kernel with CONFIG_PREEMPT_RT=y; on Debian: apt-get install linux-image-rt-amd64",
		.source = FROM_CONFIGURATION ", CONFIG_PREEMPT_RT", .look = look_rt,
	}, {
		RULE(preemption),
		.severity = SEVERITY_INFO, .path = PREEMPTION_FILES, .wanted = "full or lazy",
		.why = "With none or voluntary a system call runs to its end before the workload gets the CPU.",
		.now = "echo full > /sys/kernel/debug/sched/preempt", .for_good = "kernel argument preempt=full",
		.source = FROM_ARGUMENTS ", preempt=", .look = look_preemption,
	}, {
		RULE(threadirqs),
		.severity = SEVERITY_MEDIUM, .path = "/proc/cmdline", .wanted = "threadirqs",
		.why = "A handler in a thread has a priority. One in hard interrupt context delays every thread.",
		.for_good = "kernel argument threadirqs",
		.source = FROM_ARGUMENTS ", threadirqs; rtcqs 0.5.3", .look = look_threadirqs, .words = "threadirqs",
	}, {
		RULE(heavy_debug),
		.severity = SEVERITY_HIGH, .needs = NEEDS_CONFIG,
		.path = "/proc/config.gz /boot/config-RELEASE", .wanted = "off",
		.why = "They check every lock, allocation or memory access, also on the way from the timer to the thread.",
		.for_good = "boot a kernel without them",
		.source = FROM_CONFIGURATION ", CONFIG_PROVE_LOCKING and Kernel Debug Options",
		.look = look_config_off,
		.words = "PROVE_LOCKING LOCKDEP LOCK_STAT DEBUG_LOCK_ALLOC DEBUG_OBJECTS DEBUG_PAGEALLOC_ENABLE_DEFAULT DEBUG_KMEMLEAK SLUB_DEBUG_ON KASAN KCSAN KMSAN",
	}, {
		RULE(latency_tracers),
		.severity = SEVERITY_HIGH, .needs = NEEDS_CONFIG,
		.path = "/proc/config.gz /boot/config-RELEASE", .wanted = "off",
		.why = "They hook every place that disables interrupts or preemption, also while nothing traces.",
		.for_good = "boot a kernel without them",
		.source = FROM_CONFIGURATION ", CONFIG_IRQSOFF_TRACER and CONFIG_PREEMPT_TRACER",
		.look = look_config_off, .words = "IRQSOFF_TRACER PREEMPT_TRACER",
	}, {
		RULE(tracing),
		.severity = SEVERITY_MEDIUM,
		.path = TRACING "/current_tracer " TRACING "/events/enable " TRACING "/instances",
		.wanted = "nop and 0, in every instance",
		.why = "A forgotten trace makes every event of the kernel longer.",
		.now = "echo nop > " TRACING "/current_tracer; echo 0 > " TRACING "/events/enable",
		.for_good = "remove trace_event= and ftrace= from the kernel's arguments; end what traces",
		.source = FROM_CONFIGURATION ", CONFIG_TRACING", .look = look_tracing,
	}, {
		RULE(lockup_detector),
		.severity = SEVERITY_HIGH,
		.path = "/proc/sys/kernel/watchdog /proc/sys/kernel/nmi_watchdog /proc/sys/kernel/soft_watchdog",
		.wanted = "0 each",
		.why = "It sets a timer in hard interrupt context on every CPU, and its NMIs interrupt even sections with interrupts off.",
		.now = "sysctl kernel.watchdog=0",
		.for_good = "a line kernel.watchdog = 0 in /etc/sysctl.d/, or kernel argument nowatchdog; nosoftlockup leaves the NMIs",
		.source = FROM_CONFIGURATION ", CONFIG_LOCKUP_DETECTOR; " FROM_LATENCY,
		.look = look_value, .words = "0",
		.missing = MISSING_GOOD, .missing_why = "the kernel is built without the detector",
		.witness = "/proc/sys/kernel",
	}, {
		RULE(hung_task),
		.severity = SEVERITY_MEDIUM,
		SYSCTL("kernel", "hung_task_timeout_secs", "600"), .wanted = "600 or more, or 0",
		.why = "Its thread walks over all tasks of the machine each time.",
		.source = FROM_LATENCY "; " FROM_LINUX "admin-guide/sysctl/kernel.rst",
		.look = look_value, .words = "0", .at_least = 600,
		.missing = MISSING_GOOD, .missing_why = "the kernel is built without the detector",
		.witness = "/proc/sys/kernel",
	}, {
		RULE(facilities),
		.severity = SEVERITY_INFO, .needs = NEEDS_CONFIG,
		.path = "/proc/config.gz /boot/config-RELEASE", .wanted = "what the backend needs",
		.why = "The backend bpf needs BTF; osnoise and timerlat are other tools' sources.",
		.for_good = "boot a kernel with the options",
		.source = FROM_CONFIGURATION ", CONFIG_TRACING", .look = look_facilities,
	},
};

const struct checks checks_kernel = { rows, sizeof(rows) / sizeof(rows[0]) };
