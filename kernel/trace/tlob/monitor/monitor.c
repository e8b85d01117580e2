// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor over arbitrary tasks: it begins and goes with the module, is turned on
 * and off, and prints its line of `status`. monitor.h has the map and the locks.
 */
#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>

#include "../base/room.h"
#include "../bits/bits.h"
#include "../window/window.h"
#include "monitor_report.h"
#include "rv.h"
#include "slots.h"
#include "task_ring.h"

/* Users that want the monitor on. It is on while one of them does. */
#define TLOB_WANTED_BY_FILE	BIT(0)	/* monitor_enable */
#define TLOB_WANTED_BY_RV	BIT(1)	/* rv/monitors/tlob/enable */

void tlob_monitor_set_noise(const struct tlob_monitor_noise *noise)
{
	tlob_monitor.noise = noise;
}

static int tlob_monitor_start(void)
{
	unsigned int i;
	u32 missing;
	int err;

	err = tlob_monitor.noise->attach(&missing);
	if (err)
		return err;
	/* the kernel cannot tell the one, and no window begins at a timer */
	tlob_monitor.unavailable = 1U << TLOB_TASK_PART_HW | 1U << TLOB_TASK_PART_TIMER;
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		if (missing & (1U << tlob_task_part_of[i]))
			tlob_monitor.unavailable |= 1U << i;
	WRITE_ONCE(tlob_monitor.on, true);
	return 0;
}

/*
 * Takes all windows away. Afterwards no hook and no timer of a window runs.
 *
 * On PREEMPT_RT a real-time task may keep the CPU in the middle of a timer. It expires in a section
 * of RCU: the grace periods here wait for it as well, and RCU lends it a priority for that.
 */
static void tlob_monitor_stop(void)
{
	unsigned int i;

	WRITE_ONCE(tlob_monitor.on, false);
	/* a task may have seen it on but not yet opened its window */
	synchronize_rcu();
	tlob_monitor_close(NULL);
	/* a task may have closed its window but not yet freed the slot */
	synchronize_rcu();
	tlob_monitor_unuse();
	tlob_monitor.noise->detach();
	tlob_monitor_unhooked();
	for (i = 0; i < tlob_nr_slots; i++)
		tlob_slot_timers_cancel(&tlob_slots[i]);
}

/*
 * Turns the monitor on or off for one user. Under tlob_mutex; may sleep.
 * Returns 0, -EOPNOTSUPP or -ENOMEM. Off never fails.
 */
static int tlob_monitor_want(unsigned int who, bool on)
{
	struct tlob_monitor *m = &tlob_monitor;
	unsigned int wanted = on ? m->wanted | who : m->wanted & ~who;
	int err = 0;

	lockdep_assert_held(&tlob_mutex);
	if (wanted && !m->wanted) {
		err = tlob_monitor_start();
		if (!err) {
			tlob_device_switched(true);
			tlob_bits_update(true);
		}
	} else if (!wanted && m->wanted) {
		tlob_bits_update(false);
		tlob_monitor_stop();
		tlob_device_switched(false);
	}
	if (!err)
		WRITE_ONCE(m->wanted, wanted);
	return err;
}

/* Prints the monitor's lines of `status`. */
static void tlob_monitor_show(struct seq_file *m)
{
	static const char * const wanted_by[] = {
		[0] = "nobody",
		[TLOB_WANTED_BY_FILE] = "file",
		[TLOB_WANTED_BY_RV] = "rv",
		[TLOB_WANTED_BY_FILE | TLOB_WANTED_BY_RV] = "file,rv",
	};
	struct tlob_pool sum = {};
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct tlob_pool *pool = per_cpu_ptr(&tlob_pools, cpu);

		sum.windows += READ_ONCE(pool->windows);
		sum.violations += READ_ONCE(pool->violations);
		sum.cut += READ_ONCE(pool->cut);
		sum.no_slot += READ_ONCE(pool->no_slot);
		sum.over_quota += READ_ONCE(pool->over_quota);
		sum.sum_failures += READ_ONCE(pool->sum_failures);
		sum.errors += READ_ONCE(pool->errors);
		sum.adjusted_ns += READ_ONCE(pool->adjusted_ns);
		sum.clock_steps += READ_ONCE(pool->clock_steps);
	}
	seq_printf(m, "monitor: %s wanted_by=%s slots=%u used=%llu windows=%llu violations=%llu cut=%llu no_slot=%llu over_quota=%llu",
		   tlob_monitor_is_on() ? "enabled" : "disabled",
		   wanted_by[tlob_monitor.wanted], tlob_nr_slots,
		   tlob_monitor_open(), sum.windows, sum.violations, sum.cut, sum.no_slot,
		   sum.over_quota);
	seq_printf(m, " sum_failures=%llu errors=%llu adjusted_ns=%llu clock_steps=%llu\n",
		   sum.sum_failures, sum.errors, sum.adjusted_ns,
		   sum.clock_steps);
}

/* The monitor is off, and nothing can enable it any more. */
static void tlob_monitor_exit(void)
{
	tlob_rings_exit();
	tlob_places_exit();
	tlob_slots_exit();
}

static int tlob_monitor_init(void)
{
	unsigned int i;
	int err;

	tlob_rings_init();
	err = tlob_slots_init();
	if (!err)
		err = tlob_places_init(tlob_nr_slots);
	if (err) {
		tlob_monitor_exit();
		return err;
	}
	for (i = 0; i < tlob_nr_slots; i++)
		tlob_slot_timers_init(&tlob_slots[i]);
	return 0;
}

static int tlob_monitor_want_by_rv(bool on)
{
	int err;

	mutex_lock(&tlob_mutex);
	err = tlob_monitor_want(TLOB_WANTED_BY_RV, on);
	mutex_unlock(&tlob_mutex);
	return err;
}

static void tlob_monitor_reset(void)
{
	tlob_monitor_close(NULL);
}

static const struct tlob_rv_ops tlob_monitor_rv = {
	.want = tlob_monitor_want_by_rv,
	.reset = tlob_monitor_reset,
	.file = &tlob_bindings_fops,
};

static int tlob_monitor_come(void)
{
	int err = tlob_rv_register(&tlob_monitor_rv);

	if (err)
		return err;
	err = tlob_device_create();
	if (err)
		tlob_rv_unregister();
	return err;
}

static void tlob_monitor_shut(void)
{
	tlob_device_remove();
	tlob_rv_unregister();
}

static void tlob_monitor_end_users(void)
{
	tlob_bindings_remove_all();
	mutex_lock(&tlob_mutex);
	tlob_monitor_want(TLOB_WANTED_BY_FILE, false);
	mutex_unlock(&tlob_mutex);
}

static bool tlob_monitor_wanted_by_file(void)
{
	return READ_ONCE(tlob_monitor.wanted) & TLOB_WANTED_BY_FILE;
}

static int tlob_monitor_want_by_file(bool on)
{
	return tlob_monitor_want(TLOB_WANTED_BY_FILE, on);
}

static const struct tlob_switch tlob_file_monitor_enable = {
	.get = tlob_monitor_wanted_by_file, .set = tlob_monitor_want_by_file,
};

static const struct tlob_file_entry tlob_monitor_files[] = {
	{ "monitor", 0600, &tlob_bindings_fops },
	{ "monitor_stat", 0400, &tlob_binding_stats_fops },
	{ "monitor_enable", 0600, &tlob_switch_fops, &tlob_file_monitor_enable },
	{}
};

const struct tlob_room tlob_monitor_room = {
	.name = "monitor",
	.init = tlob_monitor_init,
	.files = tlob_monitor_files,
	.start = tlob_monitor_come,
	.show = tlob_monitor_show,
	.shut = tlob_monitor_shut,
	.stop = tlob_monitor_end_users,
	.exit = tlob_monitor_exit,
};
