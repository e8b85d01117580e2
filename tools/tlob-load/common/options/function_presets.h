/* SPDX-License-Identifier: GPL-2.0 */
/* The sets of --functions that have a name: the help, the list and the expansion use them. */
#ifndef TLOB_OPTIONS_FUNCTION_PRESETS_H
#define TLOB_OPTIONS_FUNCTION_PRESETS_H

/*
 * P(name, patterns, reason). A kernel lacks some of each: what matches nothing is left
 * out. None has the spinlocks that every switch takes (_raw_spin_lock): their probes
 * would cost more than they show.
 */
#define FUNCTION_PRESETS(P)						\
	P("locks",							\
	  "mutex_lock,mutex_lock_interruptible,mutex_lock_killable,__mutex_lock*slowpath," \
	  "rt_spin_lock,rt_read_lock,rt_write_lock,rt_mutex_lock*,"	\
	  "down_read*,down_write*,down,down_interruptible",		\
	  "shows who waits for a lock, including the wait itself")		\
	P("alloc",							\
	  "__alloc_pages*,alloc_pages*,kmem_cache_alloc*,__kmalloc*,kmalloc_trace*," \
	  "kfree,kmem_cache_free,vmalloc,vzalloc,vfree",		\
	  "when memory is short, the caller reclaims and compacts it") \
	P("rcu",							\
	  "call_rcu,call_rcu_hurry,synchronize_rcu,synchronize_rcu_expedited,kfree_rcu*," \
	  "rcu_core,rcu_do_batch,rcu_sched_clock_irq,rcu_note_context_switch", \
	  "callbacks run in bursts, on the CPU that queued them")	\
	P("timers",							\
	  "hrtimer_interrupt,__hrtimer_run_queues,hrtimer_start_range_ns,hrtimer_cancel," \
	  "hrtimer_try_to_cancel,run_timer_softirq,mod_timer,add_timer,timer_delete*", \
	  "timers of other tasks expire on this CPU")			\
	P("tick",							\
	  "tick_sched_timer,tick_nohz_handler,tick_sched_handle,update_process_times," \
	  "scheduler_tick,sched_tick,run_posix_cpu_timers",		\
	  "the tick fires CONFIG_HZ times a second, unless nohz_full stops it")

#endif /* TLOB_OPTIONS_FUNCTION_PRESETS_H */
