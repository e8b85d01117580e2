/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of the rules, for --why and the JSON, and their titles, in the order of the tables. The
 * manual needs them without the tables. checks_SUBJECT.c has what each rule does.
 */
#ifndef TLOB_DOCTOR_RULES_H
#define TLOB_DOCTOR_RULES_H

/* X(id, title) */
#define RULES(X) \
	X(preempt_rt, "kernel with PREEMPT_RT") \
	X(preemption, "preemption model of a kernel without PREEMPT_RT") \
	X(threadirqs, "threaded interrupt handlers without PREEMPT_RT") \
	X(heavy_debug, "debug options that cost latency") \
	X(latency_tracers, "tracers of sections with interrupts or preemption off") \
	X(tracing, "a tracer or event that was left on") \
	X(lockup_detector, "detector of lockups") \
	X(hung_task, "detector of hung tasks") \
	X(facilities, "what this kernel offers for measuring") \
	X(isolated, "measured CPUs are isolated from the scheduler's balancing") \
	X(partition, "measured CPUs are in an isolated cpuset partition") \
	X(nohz_full, "periodic tick stays on") \
	X(rcu_nocbs, "RCU callbacks run elsewhere") \
	X(irq_default, "affinity of new interrupts") \
	X(managed_irq, "interrupts whose affinity the kernel manages") \
	X(irqs, "interrupts of devices") \
	X(workqueues, "CPUs of unbound work") \
	X(timer_migration, "timers that move to other CPUs") \
	X(housekeeping, "a CPU for everything else") \
	X(irq_threads, "priority of interrupt threads") \
	X(helpers, "priority of the threads that run timers, softirqs and RCU") \
	X(workload_priority, "priority of the workload") \
	X(rcu_priority, "RCU's callback threads are below the workload") \
	X(page_faults, "page faults of real-time threads while doctor ran") \
	X(foreign, "other real-time threads on measured CPUs") \
	X(deadline, "threads with a runtime of their own") \
	X(rt_throttling, "limit on the time of real-time threads") \
	X(cpu_limit, "limit on the CPU time of the group") \
	X(fair_server, "time that ordinary tasks get next to real-time ones") \
	X(irqbalance, "irqbalance") \
	X(daemons, "programs that tune the machine") \
	X(rights, "permission to run at real-time priority") \
	X(governor, "frequency governor") \
	X(epp, "preference between energy and performance") \
	X(epb, "bias between energy and performance") \
	X(turbo, "frequencies above the nominal one") \
	X(platform_profile, "profile of the platform's firmware") \
	X(frequency, "frequency while doctor ran") \
	X(cycles, "cycles that were executed while doctor ran") \
	X(thermal, "throttling because of heat while doctor ran") \
	X(idle_states, "depth of idle states") \
	X(pm_qos, "who limits the time to wake up") \
	X(pcie_aspm, "power saving of PCIe links") \
	X(smt, "sibling threads of the measured cores") \
	X(cache, "caches that others share") \
	X(resctrl, "partitions of caches and memory bandwidth") \
	X(clocksource, "clock") \
	X(timer_resolution, "timers of high resolution") \
	X(tsc_reliable, "the TSC is not watched") \
	X(skew_tick, "ticks of CPUs do not coincide") \
	X(smi, "system management interrupts while doctor ran") \
	X(mce, "polling for corrected machine checks") \
	X(efi, "EFI runtime services") \
	X(steal, "time that a hypervisor took while doctor ran") \
	X(vm, "virtual machine") \
	X(mitigations, "mitigations of the processor's vulnerabilities") \
	X(stat_interval, "interval of the statistics of memory") \
	X(numa_balancing, "balancing of memory between nodes") \
	X(locality, "memory near the measured CPUs") \
	X(thp, "transparent huge pages") \
	X(ksm, "merging of equal pages") \
	X(swap, "swap") \
	X(locked_memory, "permission to lock memory")

/* "preempt_rt preemption ..." */
#define RULE_WORD(id, title)	" " #id
#define RULE_WORDS	(&RULES(RULE_WORD)[1])

#define RULE_TITLE(id, title)	static const char title_##id[] __attribute__((unused)) = title;
RULES(RULE_TITLE)

/* The first members of a row of a table. The second row of one id has a title of its own. */
#define RULE(id_)	.id = #id_, .title = title_##id_

#endif /* TLOB_DOCTOR_RULES_H */
