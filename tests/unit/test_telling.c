// SPDX-License-Identifier: GPL-2.0
/* Which frame of a stack tells, and how the kernel was entered. */
#include <sys/syscall.h>

#include "culprit/culprit.h"
#include "culprit/telling.h"
#include "result/causes.h"
#include "unit.h"
#include "util/ksyms.h"

#define TRAIL(...) \
	{ .name = { __VA_ARGS__ }, \
	  .n = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(const char *) }

static const struct trail no_tick;

/* @left, and @tick: what is said of the task. NULL: no function. */
static void says(const struct trail *left, const struct trail *tick, long call, const char *function,
		 const char *entry)
{
	const struct trail *in;
	const char *found = telling_kept(left, false, tick, &in);
	char buf[64];

	if (function)
		assert_string_equal(found, function);
	else
		assert_null(found);
	*buf = 0;
	if (in)
		telling_entry(buf, sizeof(buf), in, found, call);
	assert_string_equal(buf, entry);
}

/* preempt=full: the task was preempted at the end of an interrupt, inside of the function. */
TEST(preempted)
{
	const struct trail left = TRAIL("bpf_prog_1234_sched_switch", "__traceiter_sched_switch",
		"__schedule", "preempt_schedule_irq", "raw_irqentry_exit_cond_resched",
		"sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt", "xas_load",
		"recently_deleted.isra.0", "fs_find", "do_sys_openat2", "__x64_sys_openat",
		"do_syscall_64", "entry_SYSCALL_64_after_hwframe");
	const struct trail arm64 = TRAIL("__schedule", "preempt_schedule_irq", "el1_interrupt",
		"el1h_64_irq_handler", "el1h_64_irq", "busy", "__arm64_sys_fsync", "invoke_syscall.constprop.0",
		"el0_svc", "el0t_64_sync_handler", "el0t_64_sync");

	says(&left, &no_tick, -1, "recently_deleted.isra.0", "openat()");
	says(&arm64, &no_tick, -1, "busy", "fsync()");
}

/* The function itself enabled preemption: a helper that does it for many does not tell. */
TEST(enables_preemption)
{
	const struct trail unlock = TRAIL(NULL, "a_program_of_bpf", "__schedule", "preempt_schedule", "preempt_schedule_thunk",
		"_raw_spin_unlock", "unmap_all", "exit_mmap", "do_exit", "__x64_sys_exit_group",
		"do_syscall_64");
	const struct trail resched = TRAIL("__schedule", "__cond_resched", "kmem_cache_free", "free_all", "process_one_work",
		"worker_thread", "kthread", "ret_from_fork", "ret_from_fork_asm");

	says(&unlock, &no_tick, 231, "unmap_all", "exit_group()");
	says(&resched, &no_tick, -1, "free_all", "work free_all");
}

/* Only what is around every function is left: the entry, no name. */
TEST(nothing_tells)
{
	const struct trail helpers = TRAIL("__schedule", "preempt_schedule", "_raw_spin_unlock_irqrestore",
		"__x64_sys_kill", "do_syscall_64");
	const struct trail exits = TRAIL("__schedule", "schedule", "exit_to_user_mode_loop", "do_syscall_64",
		"entry_SYSCALL_64_after_hwframe");
	const struct trail user = TRAIL("__schedule", "schedule", "exit_to_user_mode_loop", "irqentry_exit",
		"sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt");

	const struct trail cut = TRAIL(NULL, "_einittext", "busy", "__x64_sys_kill", "do_syscall_64");

	says(&helpers, &no_tick, -1, NULL, "kill()");
	says(&cut, &no_tick, -1, NULL, "kill()");
	says(&exits, &no_tick, SYS_fsync, NULL, "fsync()");
	says(&exits, &no_tick, 100000, NULL, "system call 100000");
	says(&exits, &no_tick, SYS_munlockall, NULL, "munlockall()");
	says(&exits, &no_tick, 448, NULL, "process_mrelease()");
	says(&user, &no_tick, -1, NULL, "");
	says(&no_tick, &no_tick, -1, NULL, "");
}

TEST(ways_in)
{
	const struct trail fault = TRAIL("__schedule", "preempt_schedule", "_raw_spin_unlock",
		"clear_huge", "handle_mm_fault", "do_user_addr_fault", "exc_page_fault",
		"asm_exc_page_fault");
	const struct trail thread = TRAIL("__schedule", "preempt_schedule", "compact", "kcompactd", "kthread",
		"ret_from_fork", "ret_from_fork_asm");
	const struct trail softirq = TRAIL("__schedule", "preempt_schedule", "net_poll", "handle_softirqs",
		"run_ksoftirqd", "smpboot_thread_fn", "kthread");
	const struct trail ended = TRAIL("__schedule", "__cond_resched", "process_one_work",
		"worker_thread", "kthread");

	const struct trail hidden = TRAIL("__schedule", "__cond_resched", trail_gap, "process_one_work", "worker_thread");
	const struct trail traced = TRAIL("__schedule", "schedule", "return_to_handler", "kthread");
	const struct trail killed = TRAIL("__schedule", "__cond_resched", "unmap_all", "do_exit", "do_group_exit",
		"get_signal", "arch_do_signal_or_restart", "exit_to_user_mode_loop", "do_syscall_64");

	says(&fault, &no_tick, -1, "clear_huge", "page fault");
	says(&killed, &no_tick, 202, "unmap_all", "signal");
	says(&thread, &no_tick, -1, "compact", "thread kcompactd");
	says(&softirq, &no_tick, -1, "net_poll", "softirq");
	/* which work it was is not in the stack any more */
	says(&ended, &no_tick, -1, NULL, "a work");
	says(&hidden, &no_tick, -1, NULL, "a work");
	says(&traced, &no_tick, -1, NULL, "a thread");
}

/* An interrupt came while a softirq ran. */
static const struct trail rcu = TRAIL("__sysvec_apic_timer_interrupt", "sysvec_apic_timer_interrupt",
	"asm_sysvec_apic_timer_interrupt", "kmem_cache_free", "free_one", "rcu_do_batch", "rcu_core", "handle_softirqs",
	"__irq_exit_rcu", "sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt", "busy",
	"__x64_sys_read", "do_syscall_64");

/* A tick before says where the task was; both together what lasted until the end. */
TEST(tick)
{
	const struct trail tick = TRAIL("__traceiter_hrtimer_expire_entry", "__hrtimer_run_queues",
		"hrtimer_interrupt", "sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt",
		"memcpy_orig", "copy_one", "copy_all", "__x64_sys_read", "do_syscall_64");
	const struct trail exits = TRAIL("__schedule", "schedule", "exit_to_user_mode_loop", "do_syscall_64");
	const struct trail later = TRAIL("__schedule", "preempt_schedule", "another", "copy_all",
		"__x64_sys_read", "do_syscall_64");
	const struct trail other = TRAIL("__schedule", "__cond_resched", "another", "__x64_sys_read",
		"do_syscall_64");

	/* what is hidden called another function: only what is around it was kept for sure */
	const struct trail hidden = TRAIL("__schedule", "preempt_schedule_irq", "el1_interrupt", "el1h_64_irq_handler",
		"el1h_64_irq", "another", trail_gap, "copy_all", "__x64_sys_read", "do_syscall_64");
	const struct trail helper = TRAIL("__schedule", "preempt_schedule_irq", "el1_interrupt", "el1h_64_irq_handler",
		"el1h_64_irq", "memcpy", trail_gap, "copy_all", "__x64_sys_read", "do_syscall_64");

	/* and in the stack of the tick only what is around what is hidden */
	const struct trail hides = TRAIL("hrtimer_interrupt", "el1_irq", "copy_one", "memcpy", trail_gap, "memcpy",
		"copy_all", "__x64_sys_read", "do_syscall_64");
	/* Linux 5.10; a tracer's trampoline is no code of the task */
	const struct trail older = TRAIL("__schedule", "preempt_schedule_irq", "arm64_preempt_schedule_irq", "el1_irq",
		"_raw_spin_lock", "bpf_trampoline_6442", "another", "copy_all", "__x64_sys_read", "do_syscall_64");

	const struct trail same = TRAIL("__schedule", "preempt_schedule_irq", "el1_irq", "copy_one", trail_gap,
		"__x64_sys_read", "do_syscall_64");

	says(&later, &hides, 0, "copy_all", "read()");
	says(&same, &hides, 0, "copy_one", "read()");
	says(&older, &no_tick, 0, "another", "read()");
	says(&hidden, &tick, 0, "copy_all", "read()");
	says(&helper, &tick, 0, "copy_one", "read()");
	says(&exits, &tick, 0, "copy_one", "read()");
	says(&later, &tick, 0, "copy_all", "read()");
	says(&other, &tick, 0, "copy_one", "read()");
	says(&other, &no_tick, 0, "another", "read()");

	/* a softirq and what it calls have their own time */
	says(&exits, &rcu, 0, "busy", "read()");
}

/* Two stacks of a task that contradict each other say nothing of it. */
TEST(contradictions)
{
	const struct trail in_write = TRAIL("__schedule", "preempt_schedule", "write_one", "vfs_write", "__x64_sys_write",
		"do_syscall_64");
	const struct trail from_user = TRAIL("__schedule", "schedule", "exit_to_user_mode_loop", "irqentry_exit_to_user_mode",
		"asm_sysvec_apic_timer_interrupt");
	const struct trail met_user = TRAIL("hrtimer_interrupt", "sysvec_apic_timer_interrupt",
		"asm_sysvec_apic_timer_interrupt");
	const struct trail in_read = TRAIL("asm_sysvec_apic_timer_interrupt", "copy_one", "vfs_read", "__x64_sys_read",
		"do_syscall_64");
	const struct trail work = TRAIL("__schedule", "__cond_resched", "free_all", "process_one_work", "worker_thread");
	const struct trail another = TRAIL("asm_sysvec_apic_timer_interrupt", "flush_all", "process_one_work", "worker_thread");

	/* calls at the end of a function are jumps */
	struct trail wrote = TRAIL("__schedule", "preempt_schedule", "write_one", "ksys_write", "do_syscall_64");
	struct trail read = TRAIL("asm_sysvec_apic_timer_interrupt", "copy_one", "ksys_read", "do_syscall_64");
	struct trail leaves = TRAIL("__schedule", "schedule", "exit_to_user_mode_loop", "do_syscall_64");

	struct trail entered = TRAIL("asm_sysvec_apic_timer_interrupt", "do_syscall_64");
	struct trail deep = TRAIL("__schedule", "preempt_schedule", "write_one", "a_layer", "another_layer");

	entered.call = SYS_read;
	deep.call = -1;
	deep.cut = true;
	wrote.call = leaves.call = SYS_write;
	read.call = SYS_read;
	says(&wrote, &read, -1, NULL, "");
	says(&leaves, &read, -1, NULL, "");
	leaves.call = SYS_read;
	says(&leaves, &read, SYS_read, "copy_one", "read()");
	/* nor does a stack that names nothing confirm another call */
	says(&wrote, &entered, -1, NULL, "");
	/* before Linux 5.18 BPF has no numbers, nor have programs of 32 bits */
	wrote.call = read.call = -1;
	says(&wrote, &read, -1, NULL, "");
	says(&in_write, &no_tick, 1, "write_one", "write()");
	says(&in_write, &met_user, 1, NULL, "");
	says(&in_write, &in_read, 1, NULL, "");
	says(&from_user, &in_read, -1, NULL, "");
	says(&work, &another, -1, NULL, "");
	read = another;
	read.call = -1;
	says(&deep, &read, -1, NULL, "");
}

/* A page fault in a call belongs to it. */
TEST(fault_in_a_call)
{
	const struct trail fault = TRAIL("asm_sysvec_apic_timer_interrupt", "clear_page_erms", "new_page", "handle_mm_fault",
		"do_user_addr_fault", "exc_page_fault", "asm_exc_page_fault", "copy_to_iter", "read_pages", "ksys_read",
		"do_syscall_64");
	const struct trail later = TRAIL("__schedule", "__cond_resched", "read_pages", "ksys_read", "do_syscall_64");
	const struct trail user = TRAIL("asm_sysvec_apic_timer_interrupt", "new_page", "handle_mm_fault", "do_user_addr_fault",
		"exc_page_fault", "asm_exc_page_fault");
	const struct trail leaves = TRAIL("__schedule", "schedule", "irqentry_exit_to_user_mode", "asm_exc_page_fault");

	says(&later, &fault, 0, "new_page", "page fault");
	says(&leaves, &user, -1, "new_page", "page fault");
	says(&later, &user, 0, NULL, "");
}

/* The guest of KVM is like user space, and Linux 5.10 of arm64 has other entries. */
TEST(guest_and_older)
{
	const struct trail to_guest = TRAIL("__schedule", "schedule", "xfer_to_guest_mode_handle_work",
		"kvm_arch_vcpu_ioctl_run", "__x64_sys_ioctl", "do_syscall_64");
	const struct trail guest = TRAIL("asm_sysvec_apic_timer_interrupt", "vmx_do_interrupt_irqoff", "vcpu_enter_guest",
		"kvm_arch_vcpu_ioctl_run", "__x64_sys_ioctl", "do_syscall_64");
	const struct trail older = TRAIL("el1_irq", "napi_poll", "net_rx_action", "__do_softirq", "gic_handle_irq",
		"el0_irq_naked");
	const struct trail leaves = TRAIL("__schedule", "schedule", "do_notify_resume", "work_pending");
	const struct trail *in;

	says(&to_guest, &no_tick, SYS_ioctl, NULL, "ioctl()");
	says(&to_guest, &guest, SYS_ioctl, NULL, "");
	assert_null(telling_kept(&to_guest, true, &guest, &in));
	says(&leaves, &older, -1, NULL, "");
}

/* On its way to user space a task is busy in the kernel, also where an interrupt came in user space. */
TEST(works_on_its_way)
{
	const struct trail killed = TRAIL("__schedule", "__cond_resched", "unmap_all", "do_exit", "get_signal",
		"arch_do_signal_or_restart", "exit_to_user_mode_loop", "irqentry_exit_to_user_mode",
		"asm_sysvec_reschedule_ipi");
	const struct trail met = TRAIL("hrtimer_interrupt", "asm_sysvec_apic_timer_interrupt", "unmap_one", "unmap_all",
		"do_exit", "get_signal", "arch_do_signal_or_restart", "exit_to_user_mode_loop",
		"irqentry_exit_to_user_mode", "asm_sysvec_reschedule_ipi");
	const struct trail arm64 = TRAIL("el1h_64_irq", "move_pages_of", "task_numa_work", "task_work_run", "do_notify_resume",
		"el0_interrupt", "el0t_64_irq_handler", "el0t_64_irq");
	const struct trail leaves = TRAIL("__schedule", "schedule", "exit_to_user_mode_loop", "do_syscall_64");
	const struct trail *in;

	says(&killed, &no_tick, -1, "unmap_all", "signal");
	says(&killed, &met, -1, "unmap_all", "signal");
	/* it sleeps later */
	assert_string_equal(telling_kept(&leaves, true, &arm64, &in), "move_pages_of");
}

/* A task that yields was busy before, and need not have been in the kernel. */
TEST(gives_up)
{
	const struct trail user = TRAIL("__schedule", "schedule", "do_sched_yield", "__x64_sys_sched_yield", "do_syscall_64");
	const struct trail inlined = TRAIL("__schedule", "schedule", "__do_sys_sched_yield", "do_syscall_64");
	const struct trail arm64 = TRAIL("__schedule", "schedule", "do_sched_yield", "__arm64_sys_sched_yield", "invoke_syscall");
	const struct trail slice = TRAIL("__schedule", "schedule", "__x64_sys_rseq_slice_yield", "do_syscall_64");
	const struct trail kernel = TRAIL("__schedule", "schedule", "do_sched_yield", "yield", "poll_one", "poller", "kthread");
	const struct trail met = TRAIL("asm_sysvec_apic_timer_interrupt", "copy_one", "__x64_sys_read", "do_syscall_64");

	says(&user, &no_tick, SYS_sched_yield, NULL, "");
	says(&inlined, &no_tick, SYS_sched_yield, NULL, "");
	says(&arm64, &no_tick, SYS_sched_yield, NULL, "");
	says(&slice, &no_tick, -1, NULL, "");
	says(&kernel, &no_tick, -1, "poll_one", "thread poller");
	says(&user, &met, -1, "copy_one", "read()");
}

/* Softirqs that a task runs as it enables them are not its time, nor what may be one. */
TEST(softirqs_of_a_task)
{
	const struct trail sends = TRAIL("asm_sysvec_apic_timer_interrupt", "tcp_v4_rcv", "net_rx_action", "handle_softirqs",
		"do_softirq.part.0", "__local_bh_enable_ip", "ip_finish_output2", "__x64_sys_sendto", "do_syscall_64");
	/* on PREEMPT_RT they are */
	const struct trail rt = TRAIL("asm_sysvec_apic_timer_interrupt", "tcp_v4_rcv", "net_rx_action", "handle_softirqs",
		"__local_bh_enable_ip", "ip_finish_output2", "__x64_sys_sendto", "do_syscall_64");
	const struct trail exits = TRAIL("__schedule", "schedule", "exit_to_user_mode_loop", "do_syscall_64");
	const struct trail later = TRAIL("__schedule", "preempt_schedule", "ip_finish_output2", "__x64_sys_sendto");
	struct trail cut = TRAIL("asm_sysvec_apic_timer_interrupt", "tcp_v4_rcv", "ip_finish_output2");

	says(&exits, &sends, -1, "ip_finish_output2", "sendto()");
	const struct trail thread = TRAIL("asm_sysvec_apic_timer_interrupt", "napi_poll", "net_rx_action", "handle_softirqs",
		"run_ksoftirqd", "smpboot_thread_fn", "kthread");
	const struct trail left = TRAIL("__schedule", "preempt_schedule", "smpboot_thread_fn", "kthread");
	const struct trail yielded = TRAIL("__schedule", "schedule", "do_sched_yield", "__x64_sys_sched_yield", "do_syscall_64");
	const struct trail *in;

	says(&left, &thread, -1, "napi_poll", "softirq");
	says(&exits, &rt, -1, "tcp_v4_rcv", "softirq");
	says(&exits, &cut, -1, "tcp_v4_rcv", "");
	cut.cut = true;
	says(&exits, &cut, -1, NULL, "");
	says(&later, &cut, -1, "ip_finish_output2", "");
	says(&yielded, &cut, -1, NULL, "");
	/* it sleeps in the same call, so the other stack is the task's as well */
	assert_string_equal(telling_kept(&later, true, &cut, &in), "tcp_v4_rcv");
	assert_null(telling_kept(&exits, true, &cut, &in));
}

/* FRED of x86: calls are named, what an interrupt has met is not. */
TEST(entered_by_fred)
{
	const struct trail call = TRAIL("__schedule", "preempt_schedule", "busy", "__x64_sys_fsync", "do_syscall_64",
		"fred_entry_from_user", "asm_fred_entrypoint_user");
	const struct trail left = TRAIL("__schedule", "preempt_schedule_irq", "raw_irqentry_exit_cond_resched",
		"fred_extint", "asm_fred_entrypoint_kernel", "busy", "__x64_sys_fsync", "do_syscall_64");
	const struct trail met = TRAIL("hrtimer_interrupt", "fred_sysvec_apic_timer_interrupt", "fred_extint",
		"asm_fred_entrypoint_kernel", "busy", "__x64_sys_fsync", "do_syscall_64");

	says(&call, &no_tick, SYS_fsync, "busy", "fsync()");
	says(&left, &no_tick, SYS_fsync, NULL, "fsync()");
	says(&call, &met, SYS_fsync, NULL, "");
}

/* A late timer: only a function that had just enabled interrupts had them off. */
TEST(late_interrupt)
{
	const struct trail enabled = TRAIL("__hrtimer_run_queues", "asm_sysvec_apic_timer_interrupt",
		"_raw_spin_unlock_irqrestore", "free_frozen_page_commit", "__x64_sys_munmap", "do_syscall_64");
	const struct trail on = TRAIL("__hrtimer_run_queues", "asm_sysvec_apic_timer_interrupt",
		"free_frozen_page_commit", "__x64_sys_munmap");
	const struct trail user = TRAIL("__hrtimer_run_queues", "asm_sysvec_apic_timer_interrupt");
	const struct trail fiq = TRAIL("__hrtimer_run_queues", "el1h_64_fiq_handler", "el1h_64_fiq",
		"_raw_spin_unlock_irqrestore", "free_frozen_page_commit", "__arm64_sys_munmap");

	assert_string_equal(telling_enabled(&enabled), "free_frozen_page_commit");
	assert_string_equal(telling_enabled(&fiq), "free_frozen_page_commit");
	assert_null(telling_enabled(&on));
	assert_null(telling_enabled(&user));
	assert_null(telling_enabled(&no_tick));
}

/* Where a softirq is the cause it is named, and not the task below. */
TEST(softirqs)
{
	const struct trail helper = TRAIL("asm_sysvec_apic_timer_interrupt", "memcpy", "net_rx_action",
		"__do_softirq");
	const struct trail task = TRAIL("asm_sysvec_apic_timer_interrupt", "busy", "__x64_sys_read", "do_syscall_64");
	const struct trail first = TRAIL("asm_sysvec_apic_timer_interrupt", "handle_softirqs", "__irq_exit_rcu");

	assert_string_equal(telling_softirq(&rcu, 9), "free_one");
	assert_null(telling_softirq(&rcu, 3));
	assert_null(telling_softirq(&rcu, 10));
	assert_null(telling_softirq(&rcu, -1));
	assert_string_equal(telling_softirq(&helper, 3), "net_rx_action");
	assert_null(telling_softirq(&task, 9));
	assert_null(telling_softirq(&first, 9));
	assert_null(telling_softirq(&no_tick, 9));
}

static const char symbols[] =
	"ffffffff81000000 T __schedule\n"
	"ffffffff81000100 T preempt_schedule\n"
	"ffffffff81000200 t busy.part.0\n"
	"ffffffff81000300 T __x64_sys_fsync\n"
	"ffffffff81000400 T do_syscall_64\n"
	"ffffffff81000500 T asm_sysvec_apic_timer_interrupt\n"
	"ffffffff81000600 t _raw_spin_unlock_irq\n"
	"ffffffff81000700 t the_end\n";

/* Stack @s of task 7 is at these addresses. */
static void stack(struct tlob_late_stack *s, const __u64 *frame, size_t n)
{
	memcpy(s->frame, frame, n * sizeof(*frame));
	s->size = n * sizeof(*frame);
	s->pid = 7;
	s->call = -1;
}

static void place_is(const struct cause *c, const struct tlob_late *l, const struct ksyms *k,
		     const char *function, const char *entry)
{
	struct kernel_place p;

	culprit_place(&p, c, l, k);
	assert_string_equal(p.function, function);
	assert_string_equal(p.entry, entry);
}

/* A return address may be the first one of the next function, where a call was the last thing. */
TEST(from_addresses)
{
	static const __u64 left[] = { 0xffffffff81000010, 0xffffffff81000110, 0xffffffff81000300,
				      0xffffffff81000400, 0xffffffff81000410 };
	static const __u64 seen[] = { 0xffffffff81000510, 0xffffffff81000210, 0xffffffff81000400 };
	static const __u64 met[] = { 0xffffffff81000510, 0xffffffff81000600, 0xffffffff81000220 };
	struct cause c = { .part = TLOB_WAKE_THREAD, .has_name = true, .kind = TLOB_NOISE_THREAD, .id = 7 };
	struct tlob_late l = { 0 };
	char *text = strdup(symbols);
	struct ksyms k, hidden = { 0 };
	struct kernel_place p;

	assert_non_null(text);
	assert_int_equal(ksyms_parse(&k, text), 0);
	place_is(&c, &l, &k, "", "");
	stack(&l.at[TLOB_LATE_LEFT], left, 5);
	place_is(&c, &l, &k, "busy", "fsync()");
	culprit_place(&p, &c, &l, &k);
	assert_string_equal(p.stack, "do_syscall_64;__x64_sys_fsync;busy");
	place_is(&c, &l, &hidden, "", "");
	/* where it sleeps is not where it was busy, nor is the call: it may have computed before */
	l.at[TLOB_LATE_LEFT].blocked = 1;
	l.at[TLOB_LATE_LEFT].call = SYS_clock_nanosleep;
	place_is(&c, &l, &k, "", "");
	/* an interrupt has met it in another call */
	stack(&l.at[TLOB_LATE_TICK], seen, 3);
	l.at[TLOB_LATE_TICK].call = SYS_write;
	place_is(&c, &l, &k, "busy", "write()");
	l.at[TLOB_LATE_TICK].pid = 0;
	l.at[TLOB_LATE_LEFT].blocked = 0;
	l.at[TLOB_LATE_LEFT].call = -1;
	/* another task had the CPU longest */
	c.id = 8;
	place_is(&c, &l, &k, "", "");
	c.id = 7;
	c.has_name = false;
	place_is(&c, &l, &k, "", "");

	c = (struct cause){ .part = TLOB_WAKE_IRQ_DELAY, .has_name = true, .kind = TLOB_NOISE_THREAD, .id = 7 };
	place_is(&c, &l, &k, "", "");
	stack(&l.at[TLOB_LATE_MET], met, 3);
	place_is(&c, &l, &k, "busy", "");
	l.at[TLOB_LATE_MET].frame[1] = 0xffffffff81000700;
	place_is(&c, &l, &k, "", "");
	ksyms_free(&k);
	free(text);
}

/* A retpoline has put the address of the function on the stack to which it goes. */
TEST(thunk)
{
	static const char x86[] =
		"ffffffff81000000 T asm_sysvec_apic_timer_interrupt\n"
		"ffffffff81000100 T bystander\n"
		"ffffffff81000200 t callee\n"
		"ffffffff81000300 T busy\n"
		"ffffffff81000400 T __x64_sys_fsync\n"
		"ffffffff81000500 T __x86_indirect_thunk_rax\n"
		"ffffffff81000600 t the_end\n";
	static const __u64 goes[] = { 0xffffffff81000010, 0xffffffff8100050a, 0xffffffff81000200,
				      0xffffffff81000310, 0xffffffff81000410 };
	/* a return by the same thunk */
	static const __u64 returns[] = { 0xffffffff81000010, 0xffffffff8100050a, 0xffffffff81000310,
					 0xffffffff81000410 };
	struct cause c = { .part = TLOB_WAKE_THREAD, .has_name = true, .kind = TLOB_NOISE_THREAD, .id = 7 };
	struct tlob_late l = { 0 };
	char *text = strdup(x86);
	struct ksyms k;

	assert_non_null(text);
	assert_int_equal(ksyms_parse(&k, text), 0);
	l.at[TLOB_LATE_LEFT] = (struct tlob_late_stack){ .pid = 7, .call = -1, .blocked = 1 };
	stack(&l.at[TLOB_LATE_TICK], goes, 5);
	place_is(&c, &l, &k, "busy", "fsync()");
	stack(&l.at[TLOB_LATE_TICK], returns, 4);
	place_is(&c, &l, &k, "busy", "fsync()");
	ksyms_free(&k);
	free(text);
}

/* arm64: an interrupt came where a function has no frame of its own, so its caller has none. */
TEST(caller_without_frame)
{
	static const char arm64[] =
		"ffff800080000000 t __schedule\n"
		"ffff800080000100 T preempt_schedule_irq\n"
		"ffff800080000200 t el1_interrupt\n"
		"ffff800080000300 T el1h_64_irq_handler\n"
		"ffff800080000400 t el1h_64_irq\n"
		"ffff800080000500 T _raw_spin_unlock_irqrestore\n"
		"ffff800080000600 t busy\n"
		"ffff800080000700 t outer\n"
		"ffff800080000800 T __arm64_sys_fsync\n"
		"ffff800080000900 T return_to_handler\n"
		"ffff800080000a00 t the_end\n";
	static const __u64 met[] = { 0xffff800080000410, 0xffff800080000508, 0xffff800080000710,
				     0xffff800080000810 };
	static const __u64 framed[] = { 0xffff800080000410, 0xffff800080000508, 0xffff800080000610,
					0xffff800080000710, 0xffff800080000810 };
	static const __u64 left[] = { 0xffff800080000010, 0xffff800080000110, 0xffff800080000210,
				      0xffff800080000310, 0xffff800080000410, 0xffff800080000508,
				      0xffff800080000710, 0xffff800080000810 };
	struct cause c = { .part = TLOB_WAKE_IRQ_DELAY, .has_name = true, .kind = TLOB_NOISE_THREAD, .id = 7 };
	struct tlob_late l = { 0 };
	struct tlob_late_stack *at = &l.at[TLOB_LATE_MET];
	char *text = strdup(arm64);
	struct kernel_place p;
	struct ksyms k;

	assert_non_null(text);
	assert_int_equal(ksyms_parse(&k, text), 0);
	stack(at, met, 4);
	place_is(&c, &l, &k, "", "");
	at->link = 0xffff800080000610;
	place_is(&c, &l, &k, "busy", "fsync()");
	culprit_place(&p, &c, &l, &k);
	assert_string_equal(p.stack, "__arm64_sys_fsync;outer;busy");
	/* pointer authentication has signed it */
	at->link = 0x5aff800080000610;
	place_is(&c, &l, &k, "busy", "fsync()");
	/* the function has called another one since, or uses the register itself: it has a frame */
	at->link = 0xffff800080000504;
	place_is(&c, &l, &k, "outer", "fsync()");
	at->link = 7;
	place_is(&c, &l, &k, "outer", "fsync()");
	at->link = 0x80000610;
	place_is(&c, &l, &k, "outer", "fsync()");
	/* a tracer has taken the caller's place */
	at->link = 0xffff800080000900;
	place_is(&c, &l, &k, "", "");
	/* the frame is there already */
	stack(at, framed, 5);
	at->link = 0xffff800080000610;
	culprit_place(&p, &c, &l, &k);
	assert_string_equal(p.stack, "__arm64_sys_fsync;outer;busy");

	/* where a preempted task was is not known as well */
	c.part = TLOB_WAKE_THREAD;
	stack(&l.at[TLOB_LATE_LEFT], left, 8);
	place_is(&c, &l, &k, "", "fsync()");
	at = &l.at[TLOB_LATE_TICK];
	stack(at, met, 4);
	at->link = 0xffff800080000610;
	place_is(&c, &l, &k, "busy", "fsync()");
	ksyms_free(&k);
	free(text);
}

/* Room for the innermost frames: the root is missing first. */
TEST(long_stack)
{
	char many[4096], name[64];
	struct cause c = { .part = TLOB_WAKE_THREAD, .has_name = true, .kind = TLOB_NOISE_THREAD, .id = 7 };
	__u64 frame[TLOB_LATE_FRAMES];
	struct tlob_late l = { 0 };
	struct kernel_place p;
	struct ksyms k;
	size_t i, n = 0;
	char *text;

	for (i = 0; i < TLOB_LATE_FRAMES; i++) {
		snprintf(name, sizeof(name), i ? "a_function_with_a_name_of_many_letters_%zu" : "__schedule", i);
		n += (size_t)snprintf(many + n, sizeof(many) - n, "ffffffff8100%02zx00 T %s\n", i, name);
		frame[i] = 0xffffffff81000010 + i * 0x100;
	}
	text = strdup(many);
	assert_non_null(text);
	assert_int_equal(ksyms_parse(&k, text), 0);
	stack(&l.at[TLOB_LATE_LEFT], frame, TLOB_LATE_FRAMES);
	culprit_place(&p, &c, &l, &k);
	assert_string_equal(p.function, "a_function_with_a_name_of_many_letters_1");
	n = strlen(p.stack);
	assert_true(n < sizeof(p.stack) && n > sizeof(p.stack) - 64);
	assert_string_equal(strrchr(p.stack, ';') + 1, p.function);
	assert_int_equal(strncmp(p.stack, "a_function_with", 15), 0);
	ksyms_free(&k);
	free(text);
}

UNIT_MAIN(NULL, NULL)
