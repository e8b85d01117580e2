// SPDX-License-Identifier: GPL-2.0
/*
 * Findings next to the windows over their budget that they bear on. Each sentence names
 * what the window's own record shows, and the rule that explains it: without the record
 * a finding is no cause, and without the finding a record needs no advice.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"
#include "doctor/run.h"
#include "result/findings.h"
#include "result/result.h"
#include "util/text.h"
#include "util/tree.h"

#define BEARINGS_MAX	RESULT_WORST

struct bear {
	const struct doctor *d;
	struct findings *to;
	const struct tlob_window *w;
	int	err;
};

static const struct finding *find(const struct bear *b, const char *id)
{
	size_t i;

	for (i = 0; i < b->to->n; i++)
		if (b->to->at[i].status == STATUS_FINDING && !strcmp(b->to->at[i].id, id))
			return &b->to->at[i];
	return NULL;
}

static bool is_said(const struct bear *b, const char *id)
{
	size_t i;

	for (i = 0; i < b->to->nbearings; i++)
		if (b->to->bearing[i].cpu == (int)b->w->cpu && !strcmp(b->to->bearing[i].id, id))
			return true;
	return false;
}

static void say(struct bear *b, const char *id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Each rule once for each CPU: of its longest window. */
static void say(struct bear *b, const char *id, const char *fmt, ...)
{
	struct bearing *to;
	va_list ap;

	if (b->err || is_said(b, id) || b->to->nbearings == BEARINGS_MAX)
		return;
	to = &b->to->bearing[b->to->nbearings];
	to->cpu = (int)b->w->cpu;
	to->activation = b->w->activation;
	to->id = strdup(id);
	va_start(ap, fmt);
	if (vasprintf(&to->text, fmt, ap) < 0)
		to->text = NULL;
	va_end(ap);
	b->to->nbearings++;
	if (!to->id || !to->text)
		b->err = -ENOMEM;
}

static void bear_idle(struct bear *b)
{
	char path[128], *name = NULL;
	int state = b->w->delayed_by_idle_state;

	/* state 0 polls: it is left at once */
	if (state <= 0 || !find(b, "idle_states"))
		return;
	snprintf(path, sizeof(path), CPU_DIR "/cpu%" PRIu32 "/cpuidle/state%d/name", (uint32_t)b->w->cpu, state);
	if (tree_read(b->d->root, path, &name))
		name = NULL;
	say(b, "idle_states", "CPU %" PRIu32 " slept in %s%.16s at the expiry: idle states are on",
	    (uint32_t)b->w->cpu, name ? "" : "an idle state", name ? name : "");
	free(name);
}

/*
 * Returns whether the interrupt is a device's. The record has its number, or the vector of a
 * local timer or an IPI, which may be the same number: so a device must have that name
 * there. Of a long name the record has the beginning.
 */
static bool is_device(const struct bear *b, const struct tlob_noise *n)
{
	size_t size = strnlen(n->name, sizeof(n->name) - 1), i;
	bool found = false;
	char path[64], **names;

	snprintf(path, sizeof(path), "/proc/irq/%" PRId32, (int32_t)n->id);
	if (!size || has_word_of(COUNTS_OWN_IRQS, n->name, size) || tree_list(b->d->root, path, &names))
		return false;
	for (i = 0; names[i] && !found; i++)
		found = !strncmp(names[i], n->name, size) &&
			(!names[i][size] || size == sizeof(n->name) - 1);
	tree_list_free(names);
	return found;
}

static void bear_irq(struct bear *b)
{
	const struct tlob_noise *n = &b->w->largest;
	const struct finding *irqs = find(b, "irqs");
	bool thread = n->kind == TLOB_NOISE_THREAD && begins_with(n->name, "irq/");

	if (irqs && (thread || (n->kind == TLOB_NOISE_IRQ && is_device(b, n))))
		say(b, "irqs", "%s%.*s came to CPU %" PRIu32 ": %s", thread ? "" : "interrupt ",
		    (int)sizeof(n->name), n->name, (uint32_t)b->w->cpu, irqs->found);
}

/* 1: the task of the record runs below all real-time ones; 0: not, or it has ended. */
static bool is_ordinary(const struct bear *b)
{
	struct task task = { .pid = b->w->largest.id, .tid = b->w->largest.id };
	char path[TASK_PATH_LEN];

	return b->w->largest.id > 0 && !task_read(b->d->root, &task, path) && !task_is_realtime(&task);
}

/* An ordinary task takes the CPU from a real-time thread only if the kernel makes it. */
static void bear_limit(struct bear *b)
{
	const struct finding *limit = find(b, "rt_throttling");
	const struct tlob_noise *n = &b->w->largest;
	char path[64];
	uint64_t ns;

	snprintf(path, sizeof(path), FAIR_SERVER("%d"), (int)b->w->cpu);
	if (b->to->rt_throttled == RT_THROTTLED_YES)
		say(b, "rt_throttling", "the kernel took CPU time from the real-time threads in this run: sched_rt_runtime_us is %s",
		    limit ? limit->found : "not -1");
	else if (!b->d->priority || !n->ns || n->kind != TLOB_NOISE_THREAD || !n->in_work || !is_ordinary(b))
		return;
	else if (limit)
		say(b, "rt_throttling", "%.*s, an ordinary task, ran on CPU %" PRIu32 " in the middle of the work: sched_rt_runtime_us is %s",
		    (int)sizeof(n->name), n->name, (uint32_t)b->w->cpu, limit->found);
	else if (!tree_read_number(b->d->root, path, &ns) && ns)
		say(b, "fair_server", "%.*s, an ordinary task, ran on CPU %" PRIu32 " in the middle of the work: the fair server gives such tasks %" PRIu64 " ns in each second",
		    (int)sizeof(n->name), n->name, (uint32_t)b->w->cpu, ns);
}

/*
 * Isolation keeps away what the scheduler places. It does not help against a task that was
 * pinned to the CPU, and nothing can be isolated if every CPU is measured.
 */
static void bear_isolation(struct bear *b)
{
	const struct tlob_noise *n = &b->w->largest;
	struct task task = { .pid = n->id, .tid = n->id };
	struct cpulist allowed;
	char path[TASK_PATH_LEN];
	bool pinned;

	if (cpulist_is_empty(&b->d->others)) {
		if (find(b, "housekeeping"))
			say(b, "housekeeping", "%.*s ran on CPU %" PRIu32 ": every online CPU is measured, so none is left for it",
			    (int)sizeof(n->name), n->name, (uint32_t)b->w->cpu);
		return;
	}
	/* The record's number is another task's if the first has ended, or in a container. */
	pinned = !task_read(b->d->root, &task, path) && !strncmp(task.comm, n->name, sizeof(n->name) - 1) &&
		 !task_allowed(b->d->root, &task, &allowed, path) && !cpulist_meet(&allowed, &b->d->others);
	if (pinned)
		say(b, "foreign", "%.*s ran on CPU %" PRIu32 ", to which it is pinned: taskset -pc %s %" PRId32 " moves it",
		    (int)sizeof(n->name), n->name, (uint32_t)b->w->cpu, b->d->other_cpus, (int32_t)n->id);
	else if (find(b, "isolated"))
		say(b, "isolated", "%.*s ran on CPU %" PRIu32 ", which is not isolated: the scheduler may place any task there",
		    (int)sizeof(n->name), n->name, (uint32_t)b->w->cpu);
}

static void bear_thread(struct bear *b)
{
	const struct tlob_noise *n = &b->w->largest;
	const struct finding *f;

	if (n->kind != TLOB_NOISE_THREAD)
		return;
	f = find(b, "workqueues");
	if (f && begins_with(n->name, "kworker/u"))
		say(b, "workqueues", "%.*s ran on CPU %" PRIu32 ": unbound work may run there: %s",
		    (int)sizeof(n->name), n->name, (uint32_t)b->w->cpu, f->found);
	if (n->id > 0 && !begins_with(n->name, "kworker") && !begins_with(n->name, "irq/") &&
	    !strchr(n->name, '/'))
		bear_isolation(b);
}

/* In at least half of the time over the budget nothing was seen to run. */
static bool is_unexplained(const struct tlob_window *w)
{
	if (w->unavailable & 1U << TLOB_WORK_HW)
		return true;
	return w->part_ns[TLOB_WORK_HW] + w->part_ns[TLOB_WAKE_IRQ_DELAY] >= (w->response_ns - w->budget_ns) / 2;
}

/* Says that a counter of this CPU has moved. */
static void bear_count(struct bear *b, enum machine_count which, const char *id, const char *text)
{
	size_t i;

	for (i = 0; i < b->to->ncounts; i++)
		if (b->to->count[i].cpu == (int)b->w->cpu && b->to->count[i].value[which])
			say(b, id, "CPU %" PRIu32 ": %s during the run: %" PRIu64, (uint32_t)b->w->cpu, text,
			    b->to->count[i].value[which]);
}

static void bear_window(struct bear *b)
{
	bear_idle(b);
	bear_limit(b);
	/*
	 * As in is_unexplained(): what takes 2 us of a window that is 10 us too long did not
	 * make it so. Without noise, or without a source of noise, its kind is 0: an interrupt.
	 */
	if (b->w->largest.ns && b->w->largest.ns >= (b->w->response_ns - b->w->budget_ns) / 2) {
		bear_irq(b);
		bear_thread(b);
	}
	bear_count(b, MACHINE_FAULTS, "page_faults", "page faults of the measured thread");
	if (!is_unexplained(b->w))
		return;
	bear_count(b, MACHINE_SMI, "smi", "system management interrupts");
	bear_count(b, MACHINE_THROTTLED, "thermal", "times throttled because of heat");
	bear_count(b, MACHINE_STEAL, "steal", "ticks that the hypervisor gave to others");
}

int run_doctor_bear(const struct doctor *d, struct result *r)
{
	struct bear b = { .d = d, .to = r->findings };
	size_t i;

	b.to->bearing = calloc(BEARINGS_MAX, sizeof(*b.to->bearing));
	if (!b.to->bearing)
		return -ENOMEM;
	for (i = 0; i < r->nworst && i < RESULT_WORST && !b.err; i++) {
		b.w = &r->worst[i].w;
		if (b.w->response_ns > b.w->budget_ns)
			bear_window(&b);
	}
	return b.err;
}
