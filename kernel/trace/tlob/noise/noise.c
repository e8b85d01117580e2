// SPDX-License-Identifier: GPL-2.0
/*
 * The noise source of a run: chooses it, attaches its probes and the probes of the
 * scheduler, and prints to `status` which parts it measures.
 */
#include <linux/error-injection.h>
#include <linux/seq_file.h>

#include "../base/steal.h"
#include "../monitor/hooks.h"
#include "noise.h"

static struct tlob_probe_set * const tlob_sets[] = {
	&tlob_sched_probes, &tlob_osnoise_source.set, &tlob_hooks_source.set,
};

/*
 * Detaches the probes of @user. Afterwards no probe that only @user had runs on
 * any CPU.
 */
static void tlob_sets_detach(unsigned int user)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tlob_sets); i++)
		tlob_probes_detach(tlob_sets[i], user);
	tlob_clock_detach(user);
	tracepoint_synchronize_unregister();
}

bool tlob_has_steal(void)
{
	bool has;

	preempt_disable();
	has = tlob_steal_find() != &tlob_no_steal;
	preempt_enable();
	return has;
}

static u32 tlob_noise_unavailable(const struct tlob_noise_source *source)
{
	unsigned int gives = source->gives(), kind;
	u32 mask = 0;

	if (source != &tlob_hooks_source || !tlob_has_steal())
		mask |= TLOB_STEAL_PARTS;
	for (kind = 0; kind < TLOB_NOISE_THREAD; kind++)
		if (!(gives & (1U << kind)))
			mask |= (1U << (TLOB_WAKE_IRQ + kind)) |
				(1U << (TLOB_WORK_IRQ + kind));
	return mask;
}

/*
 * Attaches the probes that @wanted needs for @cpus. Sets tlob_run.source and
 * .unavailable. Returns 0, -ENOMEM, or -EOPNOTSUPP if osnoise is wanted but
 * does not report from each of them.
 */
int tlob_noise_attach(enum tlob_source wanted, const struct cpumask *cpus)
{
	enum tlob_source source = wanted;
	int err, cpu;

	if (wanted != TLOB_HOOKS) {
		err = tlob_probes_attach(&tlob_osnoise_source.set,
					 TLOB_FOR_RUN);
		if (err)
			goto detach;
		if (tlob_osnoise_arrives(cpus)) {
			if (wanted == TLOB_AUTO)
				source = TLOB_OSNOISE;
		} else if (wanted == TLOB_AUTO) {
			source = TLOB_HOOKS;
			tlob_probes_detach(&tlob_osnoise_source.set,
					   TLOB_FOR_RUN);
		} else {
			err = -EOPNOTSUPP;
			goto detach;
		}
	}
	if (source != TLOB_OSNOISE) {
		err = tlob_probes_attach(&tlob_hooks_source.set, TLOB_FOR_RUN);
		if (err)
			goto detach;
	}
	for_each_cpu(cpu, cpus) {
		tlob_cpu(cpu)->two = source == TLOB_BOTH;
		tlob_cpu(cpu)->end = tlob_cpu(cpu)->split + 1 +
				     tlob_cpu(cpu)->two;
		tlob_cpu(cpu)->moves = source != TLOB_HOOKS;
		tlob_cpu(cpu)->hooked = source == TLOB_OSNOISE ?
					NULL : tlob_cpu(cpu)->end - 1;
	}
	tlob_run.unavailable = tlob_noise_unavailable(source == TLOB_HOOKS ?
						      &tlob_hooks_source :
						      &tlob_osnoise_source);
	err = tlob_probes_attach(&tlob_sched_probes, TLOB_FOR_RUN);
	if (err)
		goto detach;
	tlob_clock_attach(TLOB_FOR_RUN);
	tlob_run.source = source;
	tlob_run.compared = source == TLOB_BOTH;
	return 0;
detach:
	tlob_noise_detach();
	return err;
}
ALLOW_ERROR_INJECTION(tlob_noise_attach, ERRNO);

/* Afterwards no probe of the run executes on any CPU. */
void tlob_noise_detach(void)
{
	tlob_sets_detach(TLOB_FOR_RUN);
	tlob_run.source = TLOB_AUTO;
}

static void tlob_find_steal(void *unused)
{
	tlob_steal_ask(tlob_this_cpu());
}

/*
 * Only where there is such a clock, or was one: this interrupts all CPUs. To attach probes does so
 * as well, since the kernel's code is patched, but not beside a run, which has attached them.
 */
static void tlob_find_steals(void)
{
	bool any = tlob_has_steal();
	int cpu;

	for_each_online_cpu(cpu)
		any |= READ_ONCE(tlob_cpu(cpu)->steal_at) != &tlob_no_steal;
	if (any)
		on_each_cpu(tlob_find_steal, NULL, true);
}

int tlob_noise_online(unsigned int cpu)
{
	local_irq_disable();
	tlob_steal_ask(tlob_cpu(cpu));
	local_irq_enable();
	return 0;
}

/*
 * Attaches the monitor's probes on all CPUs. They are always the hooks:
 * osnoise's events come only from CPUs where its tracer is active, and that may
 * end at any time. Sets *@unavailable to a mask of 1 << enum tlob_part. Returns
 * 0 or -ENOMEM.
 */
static int tlob_noise_attach_monitor(u32 *unavailable)
{
	int err;

	tlob_find_steals();
	err = tlob_probes_attach(&tlob_hooks_source.set, TLOB_FOR_MONITOR);
	if (!err)
		err = tlob_probes_attach(&tlob_sched_probes, TLOB_FOR_MONITOR);
	if (err) {
		tlob_sets_detach(TLOB_FOR_MONITOR);
		return err;
	}
	tlob_clock_attach(TLOB_FOR_MONITOR);
	*unavailable = tlob_noise_unavailable(&tlob_hooks_source);
	return 0;
}
ALLOW_ERROR_INJECTION(tlob_noise_attach_monitor, ERRNO);

/* Afterwards no probe of the monitor executes on any CPU. */
static void tlob_noise_detach_monitor(void)
{
	tlob_sets_detach(TLOB_FOR_MONITOR);
}

static const struct tlob_monitor_noise tlob_noise_of_monitor = {
	.attach = tlob_noise_attach_monitor, .detach = tlob_noise_detach_monitor,
};

/*
 * Returns 0, or -EOPNOTSUPP if this kernel lacks a tracepoint of the scheduler.
 */
int tlob_noise_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tlob_sets); i++)
		tlob_probes_find(tlob_sets[i]);
	tlob_monitor_set_noise(&tlob_noise_of_monitor);
	/* `status` shows the clock's resolution also before the first run */
	tlob_clock_attach(TLOB_FOR_RUN);
	tlob_clock_detach(TLOB_FOR_RUN);
	return tlob_sched_check();
}

/* Prints the lines of the noise source in `status`. */
void tlob_noise_show(struct seq_file *m)
{
	static const char * const names[] = {
		[TLOB_AUTO] = "none", [TLOB_OSNOISE] = "osnoise",
		[TLOB_HOOKS] = "hooks", [TLOB_BOTH] = "both",
	};
	u32 softirq = (1U << TLOB_WAKE_SOFTIRQ) | (1U << TLOB_WORK_SOFTIRQ);
	u32 lacking = tlob_run.unavailable & ~TLOB_STEAL_PARTS;
	const char *sep = "";
	unsigned int i, j;

	seq_printf(m, "noise_source: %s\n", names[tlob_run.source]);
	seq_puts(m, "tracepoints:");
	for (i = 0; i < ARRAY_SIZE(tlob_sets); i++)
		for (j = 0; j < tlob_sets[i]->probes; j++)
			if (tlob_sets[i]->probe[j].attached)
				seq_printf(m, " %s", tlob_sets[i]->probe[j].name);
	seq_puts(m, "\nunavailable:");
	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (tlob_run.unavailable & (1U << i))
			seq_printf(m, " %s",
				   tlob_metric_names[TLOB_METRIC_PARTS + i]);
	seq_puts(m, tlob_run.unavailable ? "\n" : " none\n");
	if (tlob_run.unavailable) {
		seq_puts(m, "unavailable_because:");
		if (lacking && IS_ENABLED(CONFIG_PREEMPT_RT)) {
			seq_puts(m, " softirqs run in threads on PREEMPT_RT: see thread");
			lacking &= ~softirq;
			sep = ";";
		}
		if (lacking) {
			seq_printf(m, "%s %s", sep, TLOB_LACKING);
			sep = ";";
		}
		if (tlob_run.unavailable & TLOB_STEAL_PARTS)
			seq_printf(m, "%s %s", sep, tlob_has_steal() ?
				   "durations of osnoise include stolen time" :
				   "KVM steal time is not available");
		seq_putc(m, '\n');
	}
	if (tlob_run.source == TLOB_HOOKS || tlob_run.source == TLOB_BOTH)
		seq_printf(m, "notes: %s\n", tlob_hooks_source.note);
}
