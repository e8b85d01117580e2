// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor over arbitrary tasks: it is turned on and off, tells the hooks
 * whether windows exist, and prints its line of `status`. monitor.h has the map
 * and the locks.
 */
#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>

#include "../base/later.h"
#include "../base/room.h"
#include "../bits/bits.h"
#include "../window/window.h"
#include "monitor_report.h"
#include "rv.h"
#include "slots.h"
#include "task_ring.h"
#include "watch.h"
#include "watch_late.h"

/* Users that want the monitor on. It is on while one of them does. */
#define TLOB_WANTED_BY_FILE	BIT(0)	/* monitor_enable */
#define TLOB_WANTED_BY_RV	BIT(1)	/* rv/monitors/tlob/enable */

static const struct tlob_monitor_noise *tlob_noise;

u32 tlob_monitor_used __read_mostly;
struct tlob_monitor tlob_monitor __read_mostly;

static DEFINE_RAW_SPINLOCK(tlob_used_lock);	/* of changes of tlob_monitor_used */
static struct tlob_later tlob_unused_later;

void tlob_monitor_set_noise(const struct tlob_monitor_noise *noise)
{
	tlob_noise = noise;
}

/*
 * Under tlob_used_lock, or while no window can begin. Hooks note switches while @used is not 0:
 * the log is complete from the moment after.
 */
static void tlob_monitor_set_used(u32 used)
{
	bool begins = used && !tlob_monitor_used;

	if (!used)
		WRITE_ONCE(tlob_turns_valid, U64_MAX);
	WRITE_ONCE(tlob_monitor_used, used);
	if (begins) {
		/* a hook that still finds 0 does so before the clock is read */
		smp_mb();
		WRITE_ONCE(tlob_turns_valid, tlob_clock());
	}
}

bool tlob_monitor_use(void)
{
	bool first;

	raw_spin_lock(&tlob_used_lock);
	first = !(tlob_monitor_used & ~TLOB_USED_WATCHES);
	tlob_monitor_set_used(TLOB_USED |
			      (tlob_monitor_used & TLOB_USED_WATCHES));
	raw_spin_unlock(&tlob_used_lock);
	return first;
}

/* Tells the hooks that watches may exist, before they do. Under tlob_mutex. */
static void tlob_monitor_use_watches(bool use)
{
	raw_spin_lock_irq(&tlob_used_lock);
	tlob_monitor_set_used(use ? tlob_monitor_used | TLOB_USED_WATCHES :
			      tlob_monitor_used & ~TLOB_USED_WATCHES);
	raw_spin_unlock_irq(&tlob_used_lock);
}

void tlob_monitor_unuse_soon(void)
{
	tlob_later_ask(&tlob_unused_later, NSEC_PER_SEC);
}

/*
 * Returns the number of open windows but those of watches, which keep a slot at rest, too. Never
 * less than there were at some moment of the call: those that ended are read first.
 */
static u64 tlob_monitor_open(void)
{
	u64 ended = 0, opened = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		ended += READ_ONCE(per_cpu_ptr(&tlob_pools, cpu)->windows[0]);
	/* no later window may be among those that ended */
	smp_rmb();
	for_each_possible_cpu(cpu)
		opened += READ_ONCE(per_cpu_ptr(&tlob_pools, cpu)->opened);
	return opened - ended;
}

/*
 * Tells the hooks, once a second at most, that no window exists any more but those of
 * watches, for which they look only at watched tasks. A
 * window that begins meanwhile finds TLOB_USED_ENDING and changes it. One that
 * had found TLOB_USED before is counted after the grace period.
 */
static void tlob_unused(struct work_struct *work)
{
	bool open, again;

	raw_spin_lock_irq(&tlob_used_lock);
	again = tlob_monitor_used & ~TLOB_USED_WATCHES;
	if (again)
		tlob_monitor_set_used(TLOB_USED_ENDING |
				      (tlob_monitor_used & TLOB_USED_WATCHES));
	raw_spin_unlock_irq(&tlob_used_lock);
	if (!again)
		return;
	synchronize_rcu();
	open = tlob_monitor_open();
	raw_spin_lock_irq(&tlob_used_lock);
	again = open || !(tlob_monitor_used & TLOB_USED_ENDING);
	tlob_monitor_set_used((again ? TLOB_USED : 0) |
			      (tlob_monitor_used & TLOB_USED_WATCHES));
	raw_spin_unlock_irq(&tlob_used_lock);
	if (again)
		tlob_monitor_unuse_soon();
}

bool tlob_monitor_is_on(void)
{
	return READ_ONCE(tlob_monitor.on);
}

static int tlob_monitor_start(void)
{
	unsigned int i;
	u32 missing;
	int err;

	err = tlob_noise->attach(&missing);
	if (err)
		return err;
	tlob_monitor.unavailable = 1U << TLOB_TASK_PART_HW;
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
	tlob_later_cancel(&tlob_unused_later);
	tlob_monitor_set_used(0);
	tlob_noise->detach();
	tlob_monitor_unhooked();
	for (i = 0; i < tlob_nr_slots; i++)
		tlob_slot_timers_cancel(&tlob_slots[i]);
}

int tlob_monitor_watch(const struct tlob_begin *b, struct task_struct *task,
		       const u32 *until, unsigned int nr_until)
{
	int err;

	mutex_lock(&tlob_mutex);
	err = tlob_monitor.on ? tlob_noise->attach_waking() : -ENODEV;
	if (!err) {
		tlob_monitor_use_watches(true);
		err = tlob_watch_begin(b, task, until, nr_until);
	}
	/* under the mutex: the monitor cannot go off and on before it */
	if (!err)
		tlob_ring_use(b->ring);
	mutex_unlock(&tlob_mutex);
	return err;
}

void tlob_monitor_unwatched(void)
{
	/* a thread that exits may have ended its watch but not yet counted that */
	if (tlob_watches())
		synchronize_rcu();
	mutex_lock(&tlob_mutex);
	/* off: they are detached, and the next watch attaches them */
	if (tlob_monitor.on && !tlob_watches()) {
		tlob_monitor_use_watches(false);
		tlob_noise->detach_waking();
	}
	mutex_unlock(&tlob_mutex);
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

		sum.windows[0] += READ_ONCE(pool->windows[0]) + READ_ONCE(pool->windows[1]);
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
		   tlob_monitor_open() + tlob_watches(), sum.windows[0],
		   sum.violations, sum.cut, sum.no_slot, sum.over_quota);
	seq_printf(m, " sum_failures=%llu errors=%llu adjusted_ns=%llu clock_steps=%llu\n",
		   sum.sum_failures, sum.errors, sum.adjusted_ns,
		   sum.clock_steps);
}

/* The monitor is off, and nothing can enable it any more. */
static void tlob_monitor_exit(void)
{
	/* a START of the past may have queued it late */
	tlob_later_cancel(&tlob_unused_later);
	tlob_rings_exit();
	tlob_places_exit();
	tlob_slots_exit();
}

static int tlob_monitor_init(void)
{
	unsigned int i;
	int err;

	tlob_rings_init();
	tlob_later_init(&tlob_unused_later, tlob_unused);
	tlob_watch_late_init();
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
