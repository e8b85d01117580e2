// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "culprit/telling.h"

const char trail_gap[] = "?";

/* A * at the end stands for any rest. */
static const char *const hooks[] = {
	"bpf_*", "__bpf_*", "__traceiter_*", "trace_event_*", "__perf_*", "perf_*", "tlob_*",
	"stack_trace_*", "arch_stack_walk*", NULL
};

static const char *const scheduler[] = {
	"__schedule*", "schedule*", "preempt_schedule*", "__preempt_schedule*",
	"dynamic_preempt_schedule*", "__cond_resched*", "_cond_resched", "dynamic_cond_resched",
	"irqentry_exit", "irqentry_exit_cond_resched", "raw_irqentry_exit_cond_resched",
	"dynamic_irqentry_exit_cond_resched", "arm64_preempt_schedule*",
	"rt_mutex_schedule", "do_sched_yield", "yield", NULL
};

/* By these a task gives its CPU away, wherever it was busy before. */
static const char *const yields[] = { "__*_sys_sched_yield", "__*_sys_rseq_slice_yield", NULL };

/* Interrupts enter the kernel here: what they have met is the next frame. */
static const char *const interrupts[] = {
	"asm_sysvec_*", "asm_common_interrupt", "asm_exc_xen_hypervisor_callback", "el1h_64_irq",
	"el0t_64_irq", "el0t_32_irq",
	"el1h_64_fiq", "el0t_64_fiq", "el0t_32_fiq", "el1_irq", "el1_fiq", "el0_irq", "el0_fiq",
	"el0_irq_compat", "el0_fiq_compat", "el0_irq_naked", NULL
};

/* Interrupts that KVM's guest had taken come here: it has run, which is user space as well. */
static const char *const guests[] = {
	"vmx_do_interrupt*", "vcpu_enter_guest", "kvm_arch_vcpu_ioctl_run", NULL
};

/* Of these, those that find callers by frame pointers. */
static const char *const by_frames[] = { "el1h_64_irq", "el1h_64_fiq", "el1_irq", "el1_fiq", NULL };

/* A tracer returns through these, in place of the caller. */
static const char *const trampolines[] = {
	"return_to_handler", "arch_rethook_trampoline", "__kretprobe_trampoline",
	"kretprobe_trampoline", "bpf_trampoline_*", NULL
};

/*
 * The handler of an interrupt, which preempts what it has met when it ends. By FRED of x86 all ways
 * into the kernel look alike, so of an interrupt that came by it nothing is said.
 */
static const char *const handlers[] = {
	"sysvec_*", "__sysvec_*", "common_interrupt", "el1_interrupt", "el1h_64_irq_handler",
	"asm_sysvec_*", "asm_common_interrupt", "xen_pv_evtchn_do_upcall",
	"exc_xen_hypervisor_callback", "asm_exc_xen_hypervisor_callback", "el1h_64_irq",
	"el1h_64_fiq_handler", "el1h_64_fiq", "el1_irq", "el1_fiq", "fred_*", "asm_fred_*", NULL
};

static const char *const to_user[] = {
	"exit_to_user_mode*", "irqentry_exit_to_user_mode", "syscall_exit_to_user_mode*",
	"do_notify_resume", "arm64_exit_to_user_mode", "xfer_to_guest_mode*", NULL
};

static const char *const calls[] = {
	"do_syscall_*", "entry_SYSCALL_*", "entry_SYSENTER_*", "x64_sys_call", "ia32_sys_call",
	"__x64_sys_*", "__ia32_*", "__arm64_*", "__se_sys_*", "__do_sys_*", "do_int80_*",
	"do_fast_syscall_*", "__do_fast_syscall_*", "__x64_compat_sys_*", "invoke_syscall*", "el0_svc*",
	"do_el0_svc*", NULL
};

static const char *const faults[] = {
	"asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault", "do_page_fault",
	"do_mem_abort", "do_translation_fault", NULL
};

static const char *const softirqs[] = { "handle_softirqs", "__do_softirq", NULL };

/* A task that enables softirqs again runs them here, on PREEMPT_RT elsewhere, in its own time. */
static const char *const pending[] = { "do_softirq", "do_softirq_own_stack", "____do_softirq", NULL };

static const char *const threads[] = { "kthread", "ret_from_fork*", NULL };
static const char *const works[] = { "process_one_work", NULL };

/* An indirect call or a return goes through these: the address on the stack is where it goes. */
static const char *const thunks[] = {
	"__x86_indirect_*", "__x86_return_thunk", "srso_*", "retbleed_return_thunk",
	"its_return_thunk", "call_depth_return_thunk", NULL
};

/* Helpers: their caller decides how long they take. */
static const char *const helpers[] = {
	"_raw_*", "__raw_*", "rt_spin_*", "__rt_spin_*", "rt_read_*", "rt_write_*", "rtlock_*",
	"queued_*", "native_*", "pv_native_*", "mutex_*", "__mutex_*", "up_read", "up_write",
	"down_read*", "down_write*", "migrate_*", "__migrate_*", "rcu_read_*", "__rcu_read_*",
	"preempt_count_*", "__local_bh_*", "local_bh_*", "memcpy*", "memset*", "memmove*",
	"memcmp*", "__memcpy*", "__memset*", "__memmove*", "clear_page*", "copy_page*",
	"copy_user_*", "rep_*", "__list_*", "list_*", "rb_*", "__rb_*", "xas_*", "xa_*", "__xa_*",
	"_find_*", "kmem_cache_*", "__kmem_cache_*", "__slab_*", "___slab_*", "fput*",
	"lock_page_*", "ftrace_*", "ktime_get*", "read_tsc", NULL
};

/* What enables interrupts for its caller. */
static const char *const enablers[] = {
	"_raw_*_unlock_irq*", "__raw_*_unlock_irq*", "pv_native_irq_enable", "pv_native_restore_fl",
	"native_irq_enable", "native_restore_fl", NULL
};

/* A compiler's pieces of a function have a suffix: foo.isra.0 and foo.cold are foo. */
static size_t length_of(const char *name)
{
	return strcspn(name, ".");
}

/* A * stands for any text, also for none. */
static bool fits(const char *pattern, const char *name, size_t n)
{
	const char *star = strchr(pattern, '*');
	size_t before = star ? (size_t)(star - pattern) : strlen(pattern), i;

	if (n < before || strncmp(pattern, name, before))
		return false;
	if (!star)
		return n == before;
	if (!star[1])
		return true;
	for (i = before; i <= n; i++)
		if (fits(star + 1, name + i, n - i))
			return true;
	return false;
}

static bool is_one(const char *const *of, const char *name)
{
	size_t n = name ? length_of(name) : 0;

	for (; name && *of; of++)
		if (fits(*of, name, n))
			return true;
	return false;
}

static bool ends_code(const char *name)
{
	return is_one(calls, name) || is_one(faults, name) || is_one(softirqs, name) ||
	       is_one(threads, name) || is_one(works, name) || is_one(interrupts, name) ||
	       is_one(to_user, name);
}

bool telling_is_interrupt(const char *name)
{
	return is_one(interrupts, name);
}

bool telling_is_thunk(const char *name)
{
	return is_one(thunks, name);
}

bool telling_hides_caller(const char *name)
{
	return is_one(by_frames, name);
}

bool telling_is_trampoline(const char *name)
{
	return is_one(trampolines, name);
}

/* The index behind the innermost frame by which an interrupt has come; t->n: none. */
static size_t behind_interrupt(const struct trail *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (telling_is_interrupt(t->name[i]))
			return i + 1;
	return t->n;
}

/*
 * The same of the outermost one: softirqs and interrupts above it are not the task's time. But what
 * the task does on its way to user space is, also behind an interrupt that came there.
 */
static size_t behind_interrupts(const struct trail *t)
{
	size_t i = t->n;

	while (i && !is_one(to_user, t->name[i - 1]))
		i--;
	i = i ? i - 1 : t->n;
	while (i && !telling_is_interrupt(t->name[i - 1]) && !is_one(pending, t->name[i - 1]))
		i--;
	return i ? i : t->n;
}

/* The outermost frame is that of an interrupt, which came in user space. */
static bool came_in_user(const struct trail *t)
{
	return t->n && telling_is_interrupt(t->name[t->n - 1]);
}

/*
 * The index where the task's own code begins in the stack of a switch: behind the scheduler, and
 * behind the interrupt that preempted it. What is before the scheduler is our own hook, which may
 * have no name. t->n: it was on its way to user space, or nothing is known.
 */
static size_t behind_switch(const struct trail *t)
{
	size_t i = 0;

	while (i < t->n && !is_one(scheduler, t->name[i]))
		i++;
	for (; i < t->n && is_one(scheduler, t->name[i]); i++)
		;
	if (i < t->n && is_one(to_user, t->name[i]))
		return t->n;
	return i < t->n && is_one(handlers, t->name[i]) ? behind_interrupt(t) : i;
}

/* The first frame from @i on that is no helper; t->n: the way into the kernel, or a gap, came first. */
static size_t find_telling(const struct trail *t, size_t i)
{
	for (; i < t->n && !ends_code(t->name[i]) && t->name[i] != trail_gap; i++)
		if (t->name[i] && !is_one(helpers, t->name[i]) && !is_one(scheduler, t->name[i]) &&
		    !telling_is_thunk(t->name[i]) && !telling_is_trampoline(t->name[i]))
			return i;
	return t->n;
}

/* The next telling frame around frame @i, also around one that is hidden; t->n: there is none. */
static size_t find_outer(const struct trail *t, size_t i)
{
	for (i++; i < t->n && !ends_code(t->name[i]); i++)
		if (find_telling(t, i) == i)
			return i;
	return t->n;
}

/* The index of @name from @i on; t->n: it is not there. */
static size_t find(const struct trail *t, size_t i, const char *name)
{
	while (i < t->n && !(t->name[i] && !strcmp(t->name[i], name)))
		i++;
	return i;
}

/* "__x64_sys_openat" without its first three words; NULL: it is another function. */
static const char *call_of(const char *function)
{
	const char *name = strstr(function, "_sys_");

	return !strncmp(function, "__", 2) && name ? name + strlen("_sys_") : NULL;
}

/*
 * The frame by which the kernel was entered, or a thread began, where @i is; of a page fault in the
 * kernel that around it. t->n: it is cut off.
 */
static size_t find_end(const struct trail *t, size_t i)
{
	size_t fault = t->n;

	for (; i < t->n; i++) {
		if (is_one(faults, t->name[i]))
			fault = i;
		/* on PREEMPT_RT a thread runs softirqs */
		else if (ends_code(t->name[i]) && !is_one(softirqs, t->name[i]))
			return i;
	}
	return fault;
}

/*
 * The calls have the same number, or none. The task left in another call, fault or work than that
 * which ends at @end of @tick; or perhaps in another call, if only a frame of all calls is there.
 */
static bool in_another_call(const struct trail *left, size_t from, size_t own,
			    const struct trail *tick, size_t end)
{
	const char *name = end < tick->n ? tick->name[end] : NULL;

	if (from == left->n || !name)
		return false;
	if (left->cut)
		return tick->call < 0;
	return find(left, from, name) == left->n ||
	       (own < left->n && (is_one(works, name) ||
				  (tick->call < 0 && is_one(calls, name) && !call_of(name))));
}

const char *telling_kept(const struct trail *left, bool blocked, const struct trail *tick,
			 const struct trail **in)
{
	size_t from = behind_switch(left), own = find_telling(left, from);
	size_t met = behind_interrupts(tick), first = find_telling(tick, met), inner = first, i, at;
	bool gave_up = blocked || (from < left->n && is_one(yields, left->name[from]));
	size_t end = find_end(tick, first);

	*in = NULL;
	/* it was in user space as well, and how long is not known */
	if (tick->n && (met == tick->n || is_one(guests, tick->name[met]) ||
			(from == left->n && came_in_user(left)) ||
			(!gave_up && left->call != tick->call)))
		return NULL;
	for (i = first, at = left->n; i < tick->n; inner = i, i = find_outer(tick, i)) {
		at = find(left, from, tick->name[i]);
		if (at < left->n)
			break;
	}
	if (i < tick->n && !gave_up) {
		*in = tick;
		/* if only helpers and what is hidden were inside of it then, that is what was before */
		return tick->name[own == left->n && at > from && left->name[at - 1] == trail_gap ?
				  inner : i];
	}
	if (first < tick->n) {
		/* what is cut off may be an interrupt, and then this was not the task's code */
		if (i == tick->n && tick->cut && end == tick->n)
			return NULL;
		if (!gave_up && in_another_call(left, from, own, tick, end))
			return NULL;
		/* it left later than where it was busy: at the next point where it may */
		*in = tick;
		return tick->name[first];
	}
	/* neither where it waits nor the call in which it does is where it was busy before */
	if (gave_up)
		return NULL;
	*in = left;
	return own < left->n ? left->name[own] : NULL;
}

const char *telling_softirq(const struct trail *tick, int32_t nr)
{
	/* by enum of linux/interrupt.h */
	static const char *const of[][4] = {
		{ "tasklet_*" }, { "run_timer_softirq", "__run_timer*" }, { "net_tx_action" },
		{ "net_rx_action" }, { "blk_*" }, { "irq_poll_softirq" }, { "tasklet_*" },
		{ "run_rebalance_domains", "sched_balance_softirq" }, { "hrtimer_run_softirq" },
		{ "rcu_core*" },
	};
	size_t from = behind_interrupt(tick), end = from, i;

	while (end < tick->n && !ends_code(tick->name[end]))
		end++;
	if (end == tick->n || end == from || !is_one(softirqs, tick->name[end]) || nr < 0 ||
	    (size_t)nr >= sizeof(of) / sizeof(of[0]) || !is_one(of[nr], tick->name[end - 1]))
		return NULL;
	i = find_telling(tick, from);
	return i < end ? tick->name[i] : NULL;
}

const char *telling_enabled(const struct trail *met)
{
	size_t i = behind_interrupt(met);

	if (i == met->n || !is_one(enablers, met->name[i]))
		return NULL;
	i = find_telling(met, i);
	return i < met->n ? met->name[i] : NULL;
}

#if defined(__x86_64__) || defined(__aarch64__)
/* System calls that may keep a CPU. Any other has its number. */
#define CALL(name) [SYS_##name] = #name
static const char *const call_names[] = {
	CALL(read), CALL(write), CALL(readv), CALL(writev), CALL(pread64), CALL(pwrite64), CALL(close),
	CALL(openat), CALL(getdents64), CALL(fsync), CALL(fdatasync), CALL(sync), CALL(syncfs),
	CALL(sync_file_range), CALL(ftruncate), CALL(truncate), CALL(fallocate), CALL(unlinkat),
	CALL(renameat2), CALL(mkdirat), CALL(linkat), CALL(symlinkat), CALL(fstat), CALL(statx),
	CALL(faccessat), CALL(readlinkat), CALL(ioctl), CALL(fcntl), CALL(flock), CALL(sendfile),
	CALL(splice), CALL(tee), CALL(vmsplice), CALL(copy_file_range), CALL(mmap), CALL(munmap),
	CALL(mremap), CALL(mprotect), CALL(madvise), CALL(msync), CALL(mlock), CALL(mlockall), CALL(brk),
	CALL(mincore), CALL(migrate_pages), CALL(move_pages), CALL(mbind), CALL(clone), CALL(clone3),
	CALL(execve), CALL(execveat), CALL(exit), CALL(exit_group), CALL(wait4), CALL(waitid), CALL(kill),
	CALL(futex), CALL(sched_yield), CALL(sched_setaffinity), CALL(sched_setattr), CALL(nanosleep),
	CALL(clock_nanosleep), CALL(ppoll), CALL(pselect6), CALL(epoll_pwait), CALL(sendto),
	CALL(recvfrom), CALL(sendmsg), CALL(recvmsg), CALL(sendmmsg), CALL(recvmmsg), CALL(connect),
	CALL(accept4), CALL(mount), CALL(umount2), CALL(init_module), CALL(finit_module),
	CALL(delete_module), CALL(bpf), CALL(perf_event_open), CALL(io_uring_enter), CALL(membarrier),
	CALL(process_vm_readv), CALL(process_vm_writev), CALL(newfstatat),
	CALL(preadv), CALL(pwritev), CALL(preadv2), CALL(pwritev2), CALL(io_setup),
	CALL(io_destroy), CALL(io_submit), CALL(io_getevents), CALL(lseek), CALL(readahead),
	CALL(fadvise64), CALL(statfs), CALL(fstatfs), CALL(getxattr), CALL(setxattr),
	CALL(listxattr), CALL(removexattr), CALL(fgetxattr), CALL(fsetxattr), CALL(fchmod),
	CALL(fchown), CALL(fchmodat), CALL(fchownat), CALL(utimensat), CALL(mknodat), CALL(dup),
	CALL(dup3), CALL(chdir), CALL(chroot), CALL(pivot_root), CALL(swapon), CALL(swapoff),
	CALL(quotactl), CALL(fanotify_mark), CALL(inotify_add_watch), CALL(inotify_rm_watch),
	CALL(name_to_handle_at), CALL(open_by_handle_at), CALL(mlock2), CALL(munlock),
	CALL(munlockall), CALL(remap_file_pages), CALL(set_mempolicy), CALL(get_mempolicy),
	CALL(memfd_create), CALL(shmat), CALL(shmdt), CALL(shmctl), CALL(semop), CALL(semtimedop),
	CALL(msgsnd), CALL(msgrcv), CALL(mq_timedsend), CALL(mq_timedreceive), CALL(pipe2),
	CALL(socket), CALL(socketpair), CALL(bind), CALL(listen), CALL(accept), CALL(shutdown),
	CALL(getsockopt), CALL(setsockopt), CALL(epoll_ctl), CALL(eventfd2), CALL(tgkill),
	CALL(tkill), CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(rt_sigtimedwait),
	CALL(rt_sigsuspend), CALL(setitimer), CALL(timer_settime), CALL(timer_delete),
	CALL(timerfd_settime), CALL(clock_gettime), CALL(clock_settime), CALL(sched_setscheduler),
	CALL(sched_setparam), CALL(setpriority), CALL(prctl), CALL(ptrace), CALL(seccomp),
	CALL(setns), CALL(unshare), CALL(kcmp), CALL(prlimit64), CALL(getrusage), CALL(sysinfo),
	CALL(syslog), CALL(reboot), CALL(kexec_load), CALL(add_key), CALL(keyctl),
	CALL(request_key), CALL(userfaultfd), CALL(getrandom), CALL(restart_syscall),
	CALL(pkey_mprotect), CALL(io_pgetevents),
	/* From here on a call has one number everywhere, also where the build's headers lack it. */
	[424] = "pidfd_send_signal", [425] = "io_uring_setup", [427] = "io_uring_register",
	[428] = "open_tree", [429] = "move_mount", [430] = "fsopen", [431] = "fsconfig",
	[432] = "fsmount", [433] = "fspick", [434] = "pidfd_open", [436] = "close_range",
	[437] = "openat2", [438] = "pidfd_getfd", [439] = "faccessat2", [440] = "process_madvise",
	[441] = "epoll_pwait2", [442] = "mount_setattr", [443] = "quotactl_fd",
	[444] = "landlock_create_ruleset", [445] = "landlock_add_rule",
	[446] = "landlock_restrict_self", [447] = "memfd_secret", [448] = "process_mrelease",
	[449] = "futex_waitv", [450] = "set_mempolicy_home_node", [451] = "cachestat",
	[452] = "fchmodat2", [453] = "map_shadow_stack", [454] = "futex_wake", [455] = "futex_wait",
	[456] = "futex_requeue", [457] = "statmount", [458] = "listmount",
	[459] = "lsm_get_self_attr", [460] = "lsm_set_self_attr", [461] = "lsm_list_modules",
	[462] = "mseal", [463] = "setxattrat", [464] = "getxattrat", [465] = "listxattrat",
	[466] = "removexattrat", [467] = "open_tree_attr", [468] = "file_getattr",
	[469] = "file_setattr", [470] = "listns", [471] = "rseq_slice_yield",
#ifdef __x86_64__
	CALL(open), CALL(stat), CALL(lstat), CALL(access), CALL(poll), CALL(select), CALL(epoll_wait),
	CALL(fork), CALL(vfork), CALL(unlink), CALL(rename), CALL(mkdir), CALL(rmdir), CALL(readlink), CALL(getdents),
#endif
};
#else
/* Other architectures have other calls. */
static const char *const call_names[] = { NULL };
#endif

static void put_call(char *buf, size_t size, const struct trail *t, size_t from, long call)
{
	const size_t known = sizeof(call_names) / sizeof(call_names[0]);
	const char *name = NULL;
	size_t i;

	for (i = from; i < t->n && !name; i++)
		name = t->name[i] && is_one(calls, t->name[i]) ? call_of(t->name[i]) : NULL;
	if (call >= 0 && (size_t)call < known && call_names[call])
		snprintf(buf, size, "%s()", call_names[call]);
	else if (name)
		snprintf(buf, size, "%.*s()", (int)length_of(name), name);
	else if (call >= 0)
		snprintf(buf, size, "system call %ld", call);
}

/* "work NAME", where NAME is the function inside of frame @i. "a work": it has ended. */
static void put_inner(char *buf, size_t size, const char *what, const struct trail *t, size_t i)
{
	const char *name = i ? t->name[i - 1] : NULL;

	if (name && name != trail_gap && !is_one(scheduler, name) && !is_one(hooks, name) &&
	    !telling_is_thunk(name) && !telling_is_trampoline(name))
		snprintf(buf, size, "%s %.*s", what, (int)length_of(name), name);
	else
		snprintf(buf, size, "a %s", what);
}

void telling_entry(char *buf, size_t size, const struct trail *t, const char *function, long call)
{
	size_t i = 0;

	*buf = 0;
	while (i < t->n && t->name[i] != function)
		i++;
	for (i = function ? i : 0; i < t->n; i++) {
		const char *name = t->name[i];

		if (is_one(works, name))
			put_inner(buf, size, "work", t, i);
		else if (is_one(threads, name))
			put_inner(buf, size, "thread", t, i);
		else if (is_one(faults, name))
			snprintf(buf, size, "page fault");
		else if (function && is_one(softirqs, name))
			snprintf(buf, size, "softirq");
		else if (function && is_one(interrupts, name))
			snprintf(buf, size, "interrupt");
		else if (name && !strcmp(name, "get_signal"))
			snprintf(buf, size, "signal");
		else if (is_one(calls, name))
			break;
		if (*buf)
			return;
	}
	put_call(buf, size, t, i < t->n ? i : 0, call);
}
