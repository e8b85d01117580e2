// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a run: enable and disable, and CPUs that go offline meanwhile.
 * window/window.h says which code may access what.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "../noise/noise.h"
#include "../ring/ring.h"
#include "../window/extra.h"
#include "run.h"

/*
 * Frees what only the run itself needs. No probe and no thread exists. An open
 * file and a mapping hold their own references to the ring and the page.
 */
static void tlob_release_cpu(struct tlob_cpu *c)
{
	c->stats.lost = tlob_ring_lost(c->ring);
	tlob_ring_put(c->ring);
	c->ring = NULL;
	tlob_extra_free(c);
	tlob_work_free(&tlob_config.work, c->mem);
	c->mem = NULL;
	free_page((unsigned long)c->page);
	c->page = NULL;
}

void tlob_run_forget(void)
{
	int cpu;

	for_each_cpu(cpu, &tlob_run.cpus) {
		tlob_release_cpu(tlob_cpu(cpu));
		tlob_hist_free(tlob_cpu(cpu));
		tlob_extra_forget(tlob_cpu(cpu));
	}
	cpumask_clear(&tlob_run.cpus);
}

static int tlob_prepare_cpu(struct tlob_cpu *c, u64 start)
{
	int node = cpu_to_node(c->cpu);
	struct page *page;
	void *mem;
	int err;

	c->abort = TLOB_ABORT_NONE;
	c->gone = false;
	c->armed_once = false;
	c->activation = 0;
	c->ended_at = 0;
	c->pid = 0;
	c->grid_start = start;
	memset(&c->stats, 0, sizeof(c->stats));

	c->ring = tlob_ring_alloc(&tlob_windows_kind, node);
	page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO, 0);
	c->page = page ? page_address(page) : NULL;
	if (!c->ring || !c->page)
		return -ENOMEM;
	c->extras = tlob_extra_is_wanted();
	err = tlob_extra_alloc(c, node);
	if (err)
		return err;
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
 * than another, so the distance to the tick must not depend on the start time of
 * a run. The tick lies on multiples of its period unless skew_tick= is set.
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

	tlob_run_forget();
	for_each_cpu(cpu, &tlob_config.cpus) {
		cpumask_set_cpu(cpu, &tlob_run.cpus);
		err = tlob_prepare_cpu(tlob_cpu(cpu),
				       start + k++ * tlob_config.align_ns);
		if (err) {
			tlob_run_forget();
			return err;
		}
	}
	return 0;
}

/*
 * Attaches the noise source and allocates histograms for the parts that it
 * measures. Returns 0 or -errno.
 */
static int tlob_prepare_noise(void)
{
	enum tlob_source source = tlob_config.noise_source;
	int cpu, err;

	/*
	 * osnoise reports how long an interruption took, but neither when it began nor how much of
	 * it the hypervisor stole: that time would be blamed on a task
	 */
	if (source == TLOB_AUTO && (tlob_extra_needs_order() || tlob_has_steal()))
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
	/* a CPU that was offline since then is also out of this run */
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

	/* no thread can claim a CPU from here on */
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
	tlob_extra_detach();
	tlob_noise_detach();
	for_each_cpu(cpu, &tlob_run.cpus) {
		tlob_extra_end(tlob_cpu(cpu));
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
	if (tlob_extra_needs_order() && (tlob_config.noise_source == TLOB_OSNOISE ||
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
		tlob_run_forget();
		goto unlock;
	}
	err = tlob_extra_attach();
	if (err) {
		tlob_noise_detach();
		tlob_run_forget();
		goto unlock;
	}

	tlob_run.end = tlob_shutdown;
	tlob_run.stopping = false;
	tlob_run.stopped_cpu = -1;
	WRITE_ONCE(tlob_run.state, TLOB_ENABLED);
	err = tlob_ring_wake_start(&tlob_run.cpus, tlob_window_end_stopped);
	if (!err)
		err = tlob_start_threads();
	if (err)
		tlob_shutdown();
unlock:
	mutex_unlock(&tlob_mutex);
	return err;
}

/* Ends the run, if there is one, and waits until nothing of it runs. */
void tlob_run_stop(void)
{
	mutex_lock(&tlob_mutex);
	if (tlob_run.state == TLOB_ENABLED)
		tlob_shutdown();
	mutex_unlock(&tlob_mutex);
}

/*
 * Runs on the CPU that goes down, in its hotplug thread, with cpu_hotplug_lock
 * held. So it must not take tlob_mutex. The CPU stays out of the run until the
 * next enable, even if it comes back, because its grid has a hole.
 */
int tlob_run_offline(unsigned int cpu)
{
	struct tlob_cpu *c = tlob_cpu(cpu);

	WRITE_ONCE(c->gone, true);
	tlob_kthread_stop(c);
	tlob_window_kill(c);
	return 0;
}
