// SPDX-License-Identifier: GPL-2.0
/*
 * tlob-load: a timerlat-like workload with budgets. It charges every nanosecond
 * of every activation to one cause.
 *
 * This file is the life cycle: load and unload, enable and disable, and CPUs
 * that go offline meanwhile. tlob/tlob.h tells which code may access what.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "tlob/monitor.h"
#include "tlob/rv.h"
#include "tlob/tlob.h"
#include "tlob/waits.h"

/* Protects settings, life cycle and owners of files; see tlob/tlob.h */
DEFINE_MUTEX(tlob_mutex);

struct tlob_config tlob_config = {
	.workload = TLOB_KTHREAD,
	.period_ns = NSEC_PER_MSEC,
	.budget_ns = NSEC_PER_MSEC,
	.phase_ns = TLOB_NO_PHASE,
	.hw_threshold_ns = 5 * NSEC_PER_USEC,
	.policy = { .policy = SCHED_FIFO, .priority = 95 },
	.work = { .type = TLOB_WORK_SPIN, .node = TLOB_WORK_NO_NODE,
		  .amount = 100 * NSEC_PER_USEC },
	.work_text = "spin:100000",
};

struct tlob_run tlob_run = {
	.stopped_cpu = -1,
	.wait = __WAIT_QUEUE_HEAD_INITIALIZER(tlob_run.wait),
};

atomic_long_t tlob_memory;

static enum cpuhp_state tlob_cpuhp_state;

/*
 * Frees what only the run itself needs. No probe and no thread exists. An open
 * file and a mapping hold their own references to the ring and the page.
 */
static void tlob_release_cpu(struct tlob_cpu *c)
{
	c->stats.lost = tlob_ring_lost(c->ring);
	tlob_ring_put(c->ring);
	c->ring = NULL;
	tlob_timelines_free(c);
	tlob_run_waits_free(c);
	tlob_functions_free(c);
	tlob_work_free(&tlob_config.work, c->mem);
	c->mem = NULL;
	free_page((unsigned long)c->page);
	c->page = NULL;
}

/* Frees everything of this run or of the last one. */
static void tlob_release(void)
{
	int cpu;

	for_each_cpu(cpu, &tlob_run.cpus) {
		tlob_release_cpu(tlob_cpu(cpu));
		tlob_hist_free(tlob_cpu(cpu));
		tlob_functions_forget(tlob_cpu(cpu));
	}
	cpumask_clear(&tlob_run.cpus);
}

static int tlob_prepare_cpu(struct tlob_cpu *c, u64 start)
{
	int node = cpu_to_node(c->cpu);
	struct page *page;
	void *mem;

	c->abort = TLOB_ABORT_NONE;
	c->gone = false;
	c->armed_once = false;
	c->activation = 0;
	c->ended_at = 0;
	c->pid = 0;
	c->grid_start = start;
	memset(&c->stats, 0, sizeof(c->stats));

	c->ring = tlob_ring_alloc(TLOB_RING_WINDOWS, node);
	page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO, 0);
	c->page = page ? page_address(page) : NULL;
	if (!c->ring || !c->page)
		return -ENOMEM;
	c->beside = tlob_config.timeline || tlob_config.longest_wait ||
		    tlob_functions_of_run();
	if (tlob_config.timeline && tlob_timelines_alloc(c, node))
		return -ENOMEM;
	if (tlob_config.longest_wait && tlob_run_waits_alloc(c, node))
		return -ENOMEM;
	if (tlob_functions_of_run() && tlob_functions_alloc(c, node))
		return -ENOMEM;
	if (tlob_config.workload == TLOB_KTHREAD) {
		mem = tlob_work_alloc(&tlob_config.work, node);
		if (IS_ERR(mem))
			return PTR_ERR(mem);
		c->mem = mem;
	}
	return 0;
}

/*
 * Returns the start of the CPUs' grids, in ns. An expiry on the tick costs more
 * than one beside it. Whether it falls on the tick must not depend on the start
 * time of a run. The tick lies on multiples of its period unless skew_tick= is
 * set.
 */
static u64 tlob_grid_start(void)
{
	u64 now = tlob_clock();

	if (tlob_config.phase_ns == TLOB_NO_PHASE)
		return now;
	return (div64_u64(now, TICK_NSEC) + 1) * TICK_NSEC +
	       tlob_config.phase_ns;
}

static int tlob_prepare(void)
{
	u64 start = tlob_grid_start();
	int cpu, k = 0, err;

	tlob_release();
	for_each_cpu(cpu, &tlob_config.cpus) {
		cpumask_set_cpu(cpu, &tlob_run.cpus);
		err = tlob_prepare_cpu(tlob_cpu(cpu),
				       start + k++ * tlob_config.align_ns);
		if (err) {
			tlob_release();
			return err;
		}
	}
	return 0;
}

/*
 * Whether a run wants to know when an interruption began. osnoise tells only how
 * long it took.
 */
static bool tlob_needs_order(void)
{
	return tlob_config.timeline || tlob_functions_of_run();
}

/*
 * Attaches the noise source and allocates histograms for the parts that it
 * measures. Returns 0 or -errno.
 */
static int tlob_prepare_noise(void)
{
	enum tlob_source source = tlob_config.noise_source;
	int cpu, err;

	if (tlob_needs_order() && source == TLOB_AUTO)
		source = TLOB_HOOKS;
	err = tlob_noise_attach(source, &tlob_run.cpus);
	if (err)
		return err;
	for_each_cpu(cpu, &tlob_run.cpus) {
		err = tlob_hist_alloc(tlob_cpu(cpu), tlob_run.unavailable);
		if (err) {
			tlob_noise_detach();
			return err;
		}
	}
	return 0;
}

/*
 * Starts the threads after everything that they use is ready. Returns 0 or
 * -errno.
 */
static int tlob_start_threads(void)
{
	int cpu, err = 0;

	/* a CPU that is online now must stay so until its thread is known */
	cpus_read_lock();
	if (!cpumask_subset(&tlob_run.cpus, cpu_online_mask))
		err = -ENODEV;
	/* a CPU that went off and on again since is out of this run, too */
	for_each_cpu(cpu, &tlob_run.cpus)
		if (tlob_cpu(cpu)->gone)
			err = -ENODEV;
	for_each_cpu(cpu, &tlob_run.cpus) {
		if (err || tlob_config.workload != TLOB_KTHREAD)
			break;
		err = tlob_kthread_create(tlob_cpu(cpu));
	}
	cpus_read_unlock();
	return err;
}

/*
 * Ends everything that runs. Under tlob_mutex. Counters and packed histograms
 * stay until the next enable or unload; the memory of the run goes.
 */
static void tlob_shutdown(void)
{
	int cpu;

	/* nobody can claim a CPU from here on */
	WRITE_ONCE(tlob_run.state, TLOB_DISABLED);
	/*
	 * A CPU that goes offline right now stops its own thread: waits for it.
	 */
	cpus_read_lock();
	for_each_cpu(cpu, &tlob_run.cpus)
		tlob_kthread_stop(tlob_cpu(cpu));
	cpus_read_unlock();
	for_each_cpu(cpu, &tlob_run.cpus)
		tlob_fd_disown(tlob_cpu(cpu));
	if (tlob_functions_of_run())
		tlob_functions_detach();
	tlob_noise_detach();
	for_each_cpu(cpu, &tlob_run.cpus) {
		tlob_timelines_end(tlob_cpu(cpu));
		tlob_run_waits_end(tlob_cpu(cpu));
		tlob_functions_end(tlob_cpu(cpu));
		tlob_ring_end(tlob_cpu(cpu)->ring);
	}
	tlob_ring_wake_stop();
	for_each_cpu(cpu, &tlob_run.cpus) {
		tlob_hist_end(tlob_cpu(cpu));
		tlob_release_cpu(tlob_cpu(cpu));
	}
}

/*
 * Starts a run. docs/reference/kernel-interface.md, `enable`, has the errors.
 */
int tlob_run_start(void)
{
	int err = -EBUSY;

	mutex_lock(&tlob_mutex);
	if (tlob_run.state == TLOB_ENABLED)
		goto unlock;
	err = -EINVAL;
	if (tlob_needs_order() && (tlob_config.noise_source == TLOB_OSNOISE ||
				   tlob_config.noise_source == TLOB_BOTH))
		goto unlock;
	err = -ENODEV;
	if (!cpumask_subset(&tlob_config.cpus, cpu_online_mask))
		goto unlock;
	err = tlob_prepare();
	if (err)
		goto unlock;
	err = tlob_prepare_noise();
	if (err) {
		tlob_release();
		goto unlock;
	}
	if (tlob_functions_of_run())
		err = tlob_functions_attach();
	if (err) {
		tlob_noise_detach();
		tlob_release();
		goto unlock;
	}

	tlob_run.stopping = false;
	tlob_run.stopped_cpu = -1;
	WRITE_ONCE(tlob_run.state, TLOB_ENABLED);
	tlob_ring_wake_start();
	err = tlob_start_threads();
	if (err)
		tlob_shutdown();
unlock:
	mutex_unlock(&tlob_mutex);
	return err;
}

/* Ends the run, if there is one, and waits until nothing of it runs. */
void tlob_run_end(void)
{
	lockdep_assert_held(&tlob_mutex);
	if (tlob_run.state == TLOB_ENABLED)
		tlob_shutdown();
}

void tlob_run_stop(void)
{
	mutex_lock(&tlob_mutex);
	tlob_run_end();
	mutex_unlock(&tlob_mutex);
}

/*
 * Runs on the CPU that goes down, in its hotplug thread, with cpu_hotplug_lock
 * held. So it must not take tlob_mutex. The CPU stays out of the run until the
 * next enable, even if it comes back, because its grid has a hole.
 */
static int tlob_cpu_offline(unsigned int cpu)
{
	struct tlob_cpu *c = tlob_cpu(cpu);

	WRITE_ONCE(c->gone, true);
	tlob_kthread_stop(c);
	tlob_window_kill(c);
	return 0;
}

/*
 * Ends what users began by files, perhaps while the module was still loading.
 * No file remains that could begin more.
 */
static void tlob_stop_all(void)
{
	tlob_bindings_remove_all();
	tlob_run_stop();
	mutex_lock(&tlob_mutex);
	tlob_monitor_want(TLOB_WANTED_BY_FILE, false);
	tlob_functions_monitor(false);
	mutex_unlock(&tlob_mutex);
}

/* Neither a run nor a file is left. */
static void tlob_forget_all(void)
{
	tlob_release();
	mutex_lock(&tlob_mutex);
	tlob_functions_clear();
	mutex_unlock(&tlob_mutex);
}

static int __init tlob_load_init(void)
{
	int cpu, err;

	for_each_possible_cpu(cpu)
		tlob_window_init(tlob_cpu(cpu), cpu);
	cpumask_copy(&tlob_config.cpus, cpu_online_mask);

	err = tlob_noise_init();
	if (err)
		return err;
	err = tlob_monitor_init();
	if (err)
		return err;
	err = tlob_waits_init();
	if (err)
		goto monitor;
	err = tlob_bits_init();
	if (err)
		goto waits;
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "trace/tlob_load",
					NULL, tlob_cpu_offline);
	if (err < 0)
		goto words;
	tlob_cpuhp_state = err;
	err = tlob_files_create();
	if (err)
		goto cpuhp;
	err = tlob_rv_register();
	if (err)
		goto files;
	/*
	 * Must come last: a user may open it at once, and then init must not
	 * fail.
	 */
	err = tlob_device_create();
	if (!err)
		return 0;
	tlob_rv_unregister();
files:
	tlob_files_remove();
	tlob_stop_all();
cpuhp:
	cpuhp_remove_state_nocalls(tlob_cpuhp_state);
	tlob_forget_all();
	tlob_ring_flush();
words:
	tlob_bits_exit();
waits:
	tlob_waits_exit();
monitor:
	tlob_monitor_exit();
	return err;
}

/* No file is open, because each would hold the module. */
static void __exit tlob_load_exit(void)
{
	tlob_device_remove();
	tlob_rv_unregister();
	tlob_files_remove();
	tlob_stop_all();
	cpuhp_remove_state_nocalls(tlob_cpuhp_state);
	tlob_forget_all();
	tlob_ring_flush();
	tlob_bits_exit();
	tlob_waits_exit();
	tlob_monitor_exit();
}

module_init(tlob_load_init);
module_exit(tlob_load_exit);

MODULE_DESCRIPTION("Per-CPU workload with budgets that accounts for every nanosecond");
MODULE_LICENSE("GPL");
