// SPDX-License-Identifier: GPL-2.0
/*
 * tlob-load: a timerlat-like workload with budgets. It charges every nanosecond
 * of every activation to one cause.
 *
 * This file is load and unload. tlob/window/window.h says which code may access what.
 */
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/module.h>

#include "tlob/base/base.h"
#include "tlob/base/options.h"
#include "tlob/base/room.h"
#include "tlob/base/steal.h"
#include "tlob/bits/bits.h"
#include "tlob/functions/functions.h"
#include "tlob/monitor/monitor.h"
#include "tlob/noise/noise.h"
#include "tlob/run/run.h"
#include "tlob/waits/waits.h"

/* In the order of their init(). Each relies only on those before it. */
const struct tlob_room * const tlob_rooms[] = {
#ifdef TLOB_HAS_MONITOR
	&tlob_monitor_room,
#endif
#ifdef TLOB_HAS_BITS
	&tlob_bits_room,
#endif
#ifdef TLOB_HAS_WAITS
	&tlob_waits_room,
#endif
#ifdef TLOB_HAS_FUNCTIONS
	&tlob_functions_room,
#endif
	NULL
};

static enum cpuhp_state tlob_cpuhp_state;

/* Ends the first @n rooms, the last one first. */
static void tlob_rooms_exit(unsigned int n)
{
	while (n--)
		if (tlob_rooms[n]->exit)
			tlob_rooms[n]->exit();
}

/* Waits for works of all rooms, which have been told to queue no more. */
static void tlob_load_forget(void)
{
	tlob_rooms_exit(ARRAY_SIZE(tlob_rooms) - 1);
	destroy_workqueue(tlob_wq);
}

static int __init tlob_rooms_init(void)
{
	unsigned int i;
	int err;

	/*
	 * With a rescuer: kthreadd, which makes other workers, may wait behind a real-time task.
	 * There is one for all works: tlob_ring_wake() says what that means.
	 */
	tlob_wq = alloc_workqueue("tlob_load", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	if (!tlob_wq)
		return -ENOMEM;
	for (i = 0; tlob_rooms[i]; i++) {
		err = tlob_rooms[i]->init ? tlob_rooms[i]->init() : 0;
		if (err) {
			tlob_rooms_exit(i);
			destroy_workqueue(tlob_wq);
			return err;
		}
	}
	return 0;
}

/* Undoes tlob_load_init(). Ends the runs and windows that users began by files. */
static void tlob_load_end(void)
{
	const struct tlob_room * const *room;

	tlob_files_remove();
	tlob_run_stop();
	for (room = tlob_rooms; *room; room++)
		if ((*room)->stop)
			(*room)->stop();
	cpuhp_remove_state_nocalls(tlob_cpuhp_state);
	tlob_run_forget();
	tlob_load_forget();
}

static int __init tlob_load_init(void)
{
	const struct tlob_room * const *room;
	int cpu, err;

	tlob_steal_init();
	for_each_possible_cpu(cpu)
		tlob_window_init(tlob_cpu(cpu), cpu);
	cpumask_copy(&tlob_config.cpus, cpu_online_mask);

	err = tlob_noise_init();
	if (!err)
		err = tlob_rooms_init();
	if (err)
		return err;
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "trace/tlob_load",
					tlob_noise_online, tlob_run_offline);
	if (err < 0) {
		tlob_load_forget();
		return err;
	}
	tlob_cpuhp_state = err;
	err = tlob_files_create();
	/*
	 * start() makes a file that users can open at once, and after that init must not
	 * fail. So it comes last, and one room at most has one. No file of
	 * tlob_files_create() can be opened before that.
	 */
	for (room = tlob_rooms; !err && *room; room++)
		if ((*room)->start)
			err = (*room)->start();
	if (err)
		tlob_load_end();
	else
		WRITE_ONCE(tlob_loaded, true);
	return err;
}

/* No file is open, because each would hold the module. */
static void __exit tlob_load_exit(void)
{
	const struct tlob_room * const *room;

	for (room = tlob_rooms; *room; room++)
		if ((*room)->shut)
			(*room)->shut();
	tlob_load_end();
}

module_init(tlob_load_init);
module_exit(tlob_load_exit);

MODULE_DESCRIPTION("Per-CPU workload with budgets that accounts for every nanosecond");
MODULE_LICENSE("GPL");
