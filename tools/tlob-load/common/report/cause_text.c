// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include "report/cause_text.h"
#include "report/parts_text.h"
#include "result/attached.h"
#include "result/parts.h"
#include "result/wait_names.h"
#include "util/markup.h"
#include "util/units.h"
#include "workspec.h"

/* Own work that takes so many times what it needs was slowed, or the CPU was taken away. */
#define FAR_TOO_LONG	2
#define STEAL_TICK_NS	10000000ULL	/* of /proc/stat */
#define STOPPED_BY	"stopped by a signal or a debugger"

/* The time of one work on a CPU, in ns, if it is always the same. 0: it varies, or is unknown. */
static uint64_t fixed_work_ns(const struct result *r)
{
	struct tlob_work work;

	if (!r->work || tlob_parse_work(r->work, &work))
		return 0;
	if (tlob_work_kinds[work.type].flags & TLOB_KIND_TIME)
		return work.type == TLOB_KIND_SLEEP ? 0 : work.amount;
	return tlob_work_kinds[work.type].flags & TLOB_KIND_FIXED ? r->all.demand_ns : 0;
}

static void put_taken(FILE *f, const char *before, uint64_t ns)
{
	char time[DURATION_LEN];

	fprintf(f, "%sa hypervisor took %s from this CPU during the run", before, duration_prose(time, ns));
}

/* Returns what is kept of @w if it is one of the worst windows of @r, else nothing. */
static const struct kept *kept_of(const struct result *r, const struct tlob_window *w)
{
	static const struct kept nothing;
	size_t i;

	for (i = 0; r && i < r->nworst; i++)
		if (r->worst[i].w.cpu == w->cpu && r->worst[i].w.t0_ns == w->t0_ns)
			return &r->worst[i].kept;
	if (r && r->stopped && window_is_same(&r->stopped->w, w))
		return &r->stopped->kept;
	return &nothing;
}

/* Where the parts are not known: prints what /proc/stat says of the hypervisor. */
static void put_stolen(FILE *f, const struct result *r, const struct tlob_window *w)
{
	const char *host = kept_of(r, w)->host;
	const struct os_counts *os;
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		os = r->cpu[i].cpu == (int)w->cpu && !strcmp(r->cpu[i].host ? r->cpu[i].host : "", host) ?
		     r->cpu[i].os : NULL;
		if (os && os->known & OS_STEAL && os->steal_ns)
			put_taken(f, "; ", os->steal_ns);
	}
}

/* Prints the counts of the machine on the CPU during the run that explain lost time. */
static void put_unseen(FILE *f, const struct result *r, uint32_t cpu)
{
	const struct findings *from = r->findings;
	const struct machine_counts *c = NULL;
	size_t i;

	for (i = 0; from && i < from->ncounts && !c; i++)
		if (from->count[i].cpu == (int)cpu)
			c = &from->count[i];
	if (c && c->value[MACHINE_STEAL])
		put_taken(f, "", c->value[MACHINE_STEAL] * STEAL_TICK_NS);
	else if (c && c->value[MACHINE_SMI])
		fprintf(f, "SMIs on this CPU during the run: %" PRIu64, c->value[MACHINE_SMI]);
	else
		fputs("something that the kernel does not see slowed or stopped the CPU: hypervisor, SMI or frequency", f);
}

static void put_own_work(FILE *f, const struct tlob_window *w, const struct result *r)
{
	uint64_t own = w->part_ns[TLOB_WORK_ON_CPU], needs = r ? fixed_work_ns(r) : 0;
	char took[DURATION_LEN], work[DURATION_LEN];

	if (!needs || own / FAR_TOO_LONG < needs) {
		fputs("in its own work", f);
		return;
	}
	fprintf(f, "on the CPU: %s, though the work takes %s; ", duration_prose(took, own),
		duration_prose(work, needs));
	put_unseen(f, r, w->cpu);
}

/* "eth0 (irq 25)". Without a pid a thread's name stands for all threads of that name. */
static const char *who_text(char *buf, size_t size, const struct cause *c, bool with_pid)
{
	struct tlob_noise n = { .kind = c->kind, .id = c->id };

	memcpy(n.name, c->name, sizeof(n.name));
	if (c->kind != TLOB_NOISE_THREAD || (with_pid && c->id))
		return noise_name(buf, size, &n);
	printable(buf, n.name, TLOB_NAME_LEN);
	return buf;
}

static void put_largest(FILE *f, const char *what, const struct cause *c, bool with_pid)
{
	char who[128];

	fputs(what, f);
	if (c->has_name)
		fprintf(f, ", the largest %s", who_text(who, sizeof(who), c, with_pid));
}

void place_text(FILE *f, unsigned int part, const struct kernel_place *place)
{
	if (*place->function && part == TLOB_WAKE_IRQ_DELAY)
		put_printable(f, ", until %s enabled interrupts", place->function);
	else if (*place->function)
		put_printable(f, " in %s%s%s", place->function, *place->entry ? ", " : "", place->entry);
	else if (*place->entry)
		put_printable(f, " somewhere in %s", place->entry);
}

/* What a limit did in the run; a backend may not know in which windows. */
static void put_times(FILE *f, const struct result_limits *limits)
{
	char n[COUNT_LEN];

	if (limits->nr_throttled && limits->by)
		fprintf(f, "; %s: it was throttled %s times in this run", limits->by,
			count_prose(n, limits->nr_throttled));
}

/*
 * Like cause_text(), for a result with @limits, of a window with @place. @own: they are the
 * thread's own, not its group's. If they throttled in the run, no task that ran is the only
 * cause.
 */
static void put_limited(FILE *f, const struct cause *c, bool of_task,
			const struct result_limits *limits, bool own,
			const struct kernel_place *place)
{
	bool waits = c->part == TLOB_WAKE_SCHED || c->part == TLOB_WAKE_THREAD ||
		     c->part == TLOB_WORK_THREAD;
	bool stopped = c->has_name && noise_is_stop(c->kind, c->id, c->name);
	bool idle = c->has_name ? noise_is_idle(c->kind, c->id) : c->part == TLOB_WAKE_SCHED;

	if (waits && c->has_name && noise_is_throttled(c->kind, c->id, c->name)) {
		fprintf(f, "throttled%s%s", own ? " by " : ": ",
			limits->by ? limits->by : "its own runtime, RT throttling or the fair server");
		return;
	}
	if (waits && idle && !stopped && limits->nr_throttled)
		fputs("the CPU was idle meanwhile", f);
	else
		cause_text(f, c, of_task, true);
	place_text(f, c->part, place);
	if (waits && !stopped)
		put_times(f, limits);
}

static void put_thread(FILE *f, const struct cause *c, bool of_task, bool with_pid)
{
	char who[128];

	if (c->has_name && noise_is_throttled(c->kind, c->id, c->name)) {
		fputs("throttled", f);
		return;
	}
	/* nobody is known to have run: it may have been woken from a sleep in the work */
	if (!c->has_name && (of_task || c->part == TLOB_WORK_THREAD)) {
		fputs(of_task ? "waiting for the CPU: others ran, or it woke up" :
				"while other threads ran or the CPU woke up", f);
		return;
	}
	if (noise_is_idle(c->kind, c->id)) {
		fputs("waiting for the CPU, which was idle: it woke up late, or the task may not run", f);
		return;
	}
	fputs(of_task ? "waiting for the CPU " : "", f);
	if (c->has_name && c->nearly_all)
		fprintf(f, "while %s ran", who_text(who, sizeof(who), c, with_pid));
	else
		put_largest(f, of_task ? "while other tasks ran" : "while other threads ran", c,
			    with_pid);
}

static void put_sleep(FILE *f, const struct cause *c, bool of_task)
{
	if (!strcmp(c->name, TLOB_STOPPED))
		fputs(STOPPED_BY, f);
	else if (!strcmp(c->name, TLOB_FROZEN))
		fputs("frozen with its group", f);
	else if (!strcmp(c->name, SLEPT_FOR_LOCK))
		fputs("sleeping for a lock", f);
	else if (!strcmp(c->name, BETWEEN_THREADS))
		fputs(BETWEEN_THREADS, f);
	else
		fputs(of_task ? "sleeping" : "blocked or stopped in the work", f);
}

/* Whom an interrupt of a timer has met, or who had the CPU while the softirq of a timer waited. */
static void put_timer(FILE *f, const struct cause *c, bool with_pid)
{
	char who[128];

	if (c->soft) {
		fputs("waiting for its timer, whose softirq ", f);
		if (*c->name)
			fprintf(f, "waited while %s ran", who_text(who, sizeof(who), c, with_pid));
		else
			fputs("was late", f);
		return;
	}
	fputs("waiting for the timer interrupt", f);
	if (!c->has_name)
		fputs(", which the hypervisor or hardware delayed", f);
	else if (noise_is_idle(c->kind, c->id))
		fputs(" while its CPU was idle", f);
	else if (*c->name)
		fprintf(f, " while %s ran", who_text(who, sizeof(who), c, with_pid));
}

void cause_text(FILE *f, const struct cause *c, bool of_task, bool with_pid)
{

	if (c->has_name && noise_is_stop(c->kind, c->id, c->name)) {
		fputs(STOPPED_BY, f);
		return;
	}
	switch (c->part) {
	case TLOB_WAKE_IRQ_DELAY:
		put_timer(f, c, with_pid);
		break;
	case TLOB_WAKE_IRQ: case TLOB_WORK_IRQ:
		put_largest(f, "in interrupts", c, with_pid);
		break;
	case TLOB_WAKE_SOFTIRQ: case TLOB_WORK_SOFTIRQ:
		put_largest(f, "in softirqs", c, with_pid);
		break;
	case TLOB_WAKE_NMI: case TLOB_WORK_NMI:
		fputs("in NMIs", f);
		break;
	case TLOB_WAKE_THREAD: case TLOB_WORK_THREAD:
		put_thread(f, c, of_task, with_pid);
		break;
	case TLOB_WAKE_SCHED:
		fputs(c->has_name ? "throttled" :
		      "idle or switching to the thread after the timer interrupt", f);
		break;
	case TLOB_WORK_ON_CPU:
		fputs(of_task ? "running" : "in its own work", f);
		break;
	case TLOB_WORK_SLEEP:
		put_sleep(f, c, of_task);
		break;
	case TLOB_WAKE_STEAL: case TLOB_WORK_STEAL:
		fputs("stolen by the hypervisor", f);
		break;
	case TLOB_WORK_HW:
		fputs("in gaps that the kernel cannot explain: SMI or hypervisor", f);
		break;
	default:
		fputs(part_meaning(c->part), f);
	}
}

/* The cause is the largest of several: who mends it alone has a late window still. */
static void put_minor(FILE *f, const struct cause *c)
{
	if (c->is_minor)
		fputs("; no cause explains half of the excess", f);
}

/* Returns whether it has printed @c: the timer was late because timers wait for a tick. */
static bool put_tick(FILE *f, const struct cause *c, uint64_t resolution_ns)
{
	char tick[DURATION_LEN];

	if (c->part != TLOB_WAKE_IRQ_DELAY || !resolution_ns)
		return false;
	fprintf(f, "waiting for a tick, every %s: there are no high-resolution timers",
		duration_prose(tick, resolution_ns));
	return true;
}

void cause_of_region_text(FILE *f, const struct result *r, const struct kept_window *k)
{
	char percent[PERCENT_LEN], holder[WAKER_LEN];
	struct cause c;

	if (!attach_cause_of(r, k, &c))
		return;
	fprintf(f, "%s ", percent_prose(percent, c.ns, k->w.response_ns));
	if (!put_tick(f, &c, r->timer_resolution_ns))
		put_limited(f, &c, true, &r->limits, false, &k->kept.place);
	if (c.part == TLOB_WORK_SLEEP && !strcmp(c.name, SLEPT_FOR_LOCK) && k->kept.holder.kind)
		fprintf(f, ", held by %s", waker_text(holder, &k->kept.holder));
	put_minor(f, &c);
}

static void put_placed(FILE *f, const struct cause *c, const struct kernel_place *place)
{
	cause_text(f, c, false, true);
	place_text(f, c->part, place);
}

static void window_text(FILE *f, const struct tlob_window *w, uint64_t usual_ns, const struct result *r,
			const struct kernel_place *place)
{
	char percent[PERCENT_LEN];
	uint64_t ns, work = w->response_ns - w->wake_ns;
	struct cause c;
	bool late;

	if (!w->response_ns)
		return;
	if (!cause_of(&c, w, usual_ns)) {
		late = w->wake_ns > work;
		ns = late ? w->wake_ns : work;
		if (w->flags & WINDOW_CONTINUED) {
			fprintf(f, "%s " STOPPED_BY, percent_prose(percent, ns, w->response_ns));
			return;
		}
		fprintf(f, "%s %s; the cause is not measured here",
			percent_prose(percent, ns, w->response_ns),
			late ? "until the thread ran" : "in the work");
		if (r) {
			put_stolen(f, r, w);
			put_times(f, &r->limits);
		}
		return;
	}
	fprintf(f, "%s ", percent_prose(percent, c.ns, w->response_ns));
	if (c.part == TLOB_WORK_ON_CPU)
		put_own_work(f, w, r);
	else if (!r)
		put_placed(f, &c, place);
	else if (w->flags & WINDOW_CONTINUED || !put_tick(f, &c, r->timer_resolution_ns))
		put_limited(f, &c, false, &r->limits,
			    r->policy && !strncmp(r->policy, "deadline:", strlen("deadline:")), place);
	put_minor(f, &c);
}

void cause_of_window_text(FILE *f, const struct tlob_window *w, uint64_t usual_ns, const struct result *r)
{
	window_text(f, w, usual_ns, r, &kept_of(r, w)->place);
}

void cause_of_late_text(FILE *f, const struct tlob_window *w, uint64_t usual_ns,
			const struct kernel_place *place)
{
	window_text(f, w, usual_ns, NULL, place);
}

const char *cause_name(char buf[PRINTABLE_NAME], const struct tlob_window *w,
		       uint64_t usual_ns)
{
	struct cause c;

	*buf = 0;
	if (!cause_of(&c, w, usual_ns))
		return buf;
	if (c.has_name)
		return printable(buf, c.name, TLOB_NAME_LEN);
	snprintf(buf, PRINTABLE_NAME, "%s",
		 c.part == TLOB_WORK_ON_CPU ? "work" : part_short_name(c.part));
	return buf;
}
