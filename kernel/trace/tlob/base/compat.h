/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All code that depends on the kernel's version, its configuration or the build
 * (module or built in). No other file of tlob-load tests for a version.
 */
#ifndef _TLOB_COMPAT_H
#define _TLOB_COMPAT_H

#include <linux/cgroup.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/security.h>
#include <linux/stacktrace.h>
#include <linux/task_work.h>
#include <linux/tracefs.h>
#include <linux/uprobes.h>
#include <linux/version.h>

#include "arch.h"

#if defined(CONFIG_X86_64) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unwind.h>
#endif

#ifndef CONFIG_64BIT
#error "tlob-load counts in 64-bit words that hooks update without a lock: it needs a 64-bit kernel"
#endif

/* hrtimer_init() became hrtimer_setup() in 6.13 and went away in 6.15. */
static inline void tlob_hrtimer_setup(struct hrtimer *timer,
				      enum hrtimer_restart (*fn)(struct hrtimer *),
				      enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = fn;
#endif
}

static inline void
tlob_hrtimer_setup_on_stack(struct hrtimer *timer,
			    enum hrtimer_restart (*fn)(struct hrtimer *))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup_on_stack(timer, fn, CLOCK_MONOTONIC,
			       HRTIMER_MODE_ABS_PINNED_HARD);
#else
	hrtimer_init_on_stack(timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_PINNED_HARD);
	timer->function = fn;
#endif
}

/* cpu_is_isolated() came in 6.4, and later to 6.1.y, where it tests the same. */
static inline bool tlob_cpu_is_isolated(int cpu)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	return cpu_is_isolated(cpu);
#else
	return !housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) ||
	       !housekeeping_test_cpu(cpu, HK_TYPE_TICK);
#endif
}

/*
 * Returns whether @cpu may be interrupted by what it has not asked for itself. Since 7.0 RCU
 * frees the mask that a cpuset replaces as it isolates a CPU.
 */
static inline bool tlob_cpu_is_housekeeping(int cpu)
{
	bool is;

	rcu_read_lock();
	is = !tlob_cpu_is_isolated(cpu) && housekeeping_test_cpu(cpu, HK_TYPE_TIMER);
	rcu_read_unlock();
	return is;
}

/*
 * Since 6.16 sched_process_exit reports whether the whole thread group is dead.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define TLOB_EXIT_PROTO	void *data, struct task_struct *p, bool group_dead
#else
#define TLOB_EXIT_PROTO	void *data, struct task_struct *p
#endif

/* Fixes the size of a mapping, so mremap() cannot enlarge it. */
static inline void tlob_vma_fixed(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
#else
	vma->vm_flags |= VM_DONTEXPAND | VM_DONTDUMP;
#endif
}

/* After this mprotect() cannot make the mapping writable. */
static inline void tlob_vma_never_writable(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_clear(vma, VM_MAYWRITE);
#else
	vma->vm_flags &= ~VM_MAYWRITE;
#endif
}

/*
 * Reads mm->mm_mt without waiting, from try, if that is true, to done. With locks of
 * single mappings (6.4) its nodes and mappings stay in memory for a grace period, so
 * RCU is enough, while another thread holds mmap_lock, too.
 */
static inline bool tlob_mappings_try(struct mm_struct *mm)
{
#ifdef CONFIG_PER_VMA_LOCK
	rcu_read_lock();
	return true;
#else
	return mmap_read_trylock(mm);
#endif
}

static inline void tlob_mappings_done(struct mm_struct *mm)
{
#ifdef CONFIG_PER_VMA_LOCK
	rcu_read_unlock();
#else
	mmap_read_unlock(mm);
#endif
}

/* Since 6.10 a string field knows its source. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define tlob_assign_str(dst, src)	__assign_str(dst)
#else
#define tlob_assign_str(dst, src)	__assign_str(dst, src)
#endif

/*
 * Gets one page of another address space. The caller holds its mmap_lock, which
 * stays held because FOLL_NOFAULT or FOLL_NOWAIT limits faults. Returns 1, 0 or
 * -errno. 6.5 removed the argument vmas.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define TLOB_GUP_REMOTE(call, mm, addr, flags, page)			\
	call(mm, addr, 1, flags, page, NULL)
#else
#define TLOB_GUP_REMOTE(call, mm, addr, flags, page)			\
	call(mm, addr, 1, flags, page, NULL, NULL)
#endif

static inline long tlob_get_page_remote(struct mm_struct *mm, unsigned long addr,
					unsigned int flags, struct page **page)
{
	return TLOB_GUP_REMOTE(get_user_pages_remote, mm, addr, flags, page);
}

static inline long tlob_pin_page_remote(struct mm_struct *mm, unsigned long addr,
					unsigned int flags, struct page **page)
{
	return TLOB_GUP_REMOTE(pin_user_pages_remote, mm, addr, flags, page);
}

/*
 * Tasks that may use the memory of a program but never return to user mode, or
 * are about to give it up. Those of vhost came in 6.4.
 */
#ifdef PF_USER_WORKER
#define TLOB_PF_NEVER_USER	(PF_KTHREAD | PF_EXITING | PF_IO_WORKER | PF_USER_WORKER)
#else
#define TLOB_PF_NEVER_USER	(PF_KTHREAD | PF_EXITING | PF_IO_WORKER)
#endif

/*
 * Returns whether a return address on the stack of @task is that of a return probe. If the task
 * is about to run, the unwinder takes it for running then, and before 6.12 it warns.
 */
static inline bool tlob_stack_is_hooked(const struct task_struct *task)
{
#ifdef CONFIG_RETHOOK
	return !llist_empty(&task->rethooks);
#else
	return false;
#endif
}

/*
 * Writes the kernel stack of @task, which is not running, to @frame, innermost
 * first. Returns the number of frames. 6.1 does not export
 * stack_trace_save_tsk(), but it exports the unwinder of x86; other
 * architectures have no stacks there. The scheduler's own functions are on top
 * only there.
 */
static inline unsigned int tlob_stack_of(struct task_struct *task,
					 unsigned long *frame, unsigned int max)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return stack_trace_save_tsk(task, frame, max, 0);
#elif defined(CONFIG_X86_64)
	struct unwind_state state;
	unsigned int nr = 0;

	if (tlob_stack_is_hooked(task))
		return 0;
	for (unwind_start(&state, task, NULL, NULL);
	     !unwind_done(&state) && nr < max; unwind_next_frame(&state)) {
		unsigned long addr = unwind_get_return_address(&state);

		if (!addr)
			break;
		frame[nr++] = addr;
	}
	return nr;
#else
	return 0;
#endif
}

/*
 * Asks for a work on the way of @task to user mode, as task_work_add(), in a
 * context that must not allocate. KASAN would, to remember the caller, and
 * 6.12 and 6.13 need a flag not to. Before 6.12 nothing keeps it from that.
 */
static inline int tlob_task_work_add(struct task_struct *task,
				     struct callback_head *work)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0) &&			\
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
	return task_work_add(task, work, TWA_RESUME | TWAF_NO_ALLOC);
#else
	return task_work_add(task, work, TWA_RESUME);
#endif
}

/*
 * Takes @work back from @task, whose struct the caller keeps. Returns false if the
 * task has run it, or is about to.
 *
 * This is task_work_cancel_match(), which is not exported. The kernel's rule since
 * 3.6: works leave task->task_works by cmpxchg, and task_work_run() passes through
 * pi_lock before it calls the first one that it took.
 */
static inline bool tlob_task_work_cancel(struct task_struct *task,
					 const struct callback_head *work)
{
	struct callback_head **link = &task->task_works, *at;
	unsigned long flags;

	raw_spin_lock_irqsave(&task->pi_lock, flags);
	at = READ_ONCE(*link);
	while (at) {
		if (at != work) {
			link = &at->next;
			at = READ_ONCE(*link);
		} else if (try_cmpxchg(link, &at, at->next)) {
			break;
		}
	}
	raw_spin_unlock_irqrestore(&task->pi_lock, flags);
	return at;
}

/* Control groups of the unified hierarchy, if the kernel has any. */
#ifdef CONFIG_CGROUPS
static inline struct cgroup *tlob_cgroup_get(const char *path)
{
	return cgroup_get_from_path(path);
}

static inline void tlob_cgroup_put(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup_put(cgroup);
}

static inline bool tlob_cgroup_has(struct cgroup *cgroup, struct task_struct *task)
{
	bool in;

	rcu_read_lock();
	in = cgroup_is_descendant(task_dfl_cgroup(task), cgroup);
	rcu_read_unlock();
	return in;
}
#else
static inline struct cgroup *tlob_cgroup_get(const char *path)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void tlob_cgroup_put(struct cgroup *cgroup)
{
}

static inline bool tlob_cgroup_has(struct cgroup *cgroup, struct task_struct *task)
{
	return false;
}
#endif

/*
 * Set if this build is also a monitor of RV. A module never is, because RV
 * exports nothing to modules; the kernel's own tlob-load may be.
 */
#if defined(CONFIG_TLOB_LOAD_RV) && !defined(MODULE)
#define TLOB_RV
#endif

/*
 * Other architectures have no counterpart of nmi:nmi_handler. There the
 * tracepoint is not found and the part is unavailable.
 */
#define TLOB_NMI_PROTO	void *data, void *handler, s64 delta_ns, int handled

/*
 * A probe in a user program. Its handler returns 0. It runs in process context
 * with irqs on, in the task that hit the probe.
 */
struct tlob_uprobe {
	struct uprobe_consumer consumer;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	struct uprobe *uprobe;
#endif
};

/* Since 6.13 the handler gets a cookie for the return probe. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define TLOB_UPROBE_PROTO						\
	struct uprobe_consumer *self, struct pt_regs *regs, __u64 *cookie
#else
#define TLOB_UPROBE_PROTO						\
	struct uprobe_consumer *self, struct pt_regs *regs
#endif

/*
 * Returns 0 or the error of the kernel's function. On an error that function
 * has already waited for handlers that ran meanwhile.
 */
static inline int tlob_uprobe_register(struct tlob_uprobe *u,
				       struct inode *inode, loff_t offset)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	u->uprobe = uprobe_register(inode, offset, 0, &u->consumer);
	return PTR_ERR_OR_ZERO(u->uprobe);
#else
	return uprobe_register(inode, offset, &u->consumer);
#endif
}

/* After tlob_uprobe_sync() no handler of @u starts or runs. */
static inline void tlob_uprobe_unregister(struct tlob_uprobe *u,
					  struct inode *inode, loff_t offset)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe_unregister_nosync(u->uprobe, &u->consumer);
#else
	uprobe_unregister(inode, offset, &u->consumer);
#endif
}

static inline void tlob_uprobe_sync(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe_unregister_sync();
#endif
	/*
	 * Before 6.12 handlers ran under a lock that uprobe_unregister() takes.
	 */
}

/*
 * Probes at the entry and the exit of kernel functions. Both mechanisms must hit
 * by a call of the function tracer: a breakpoint would make each call an nmi.
 *
 *			6.1		6.12			from 6.14
 * fprobe		-		rethook, pt_regs	fgraph, ftrace_regs
 * kretprobe		rethook		-			-
 *
 * 6.13 is like 6.12. An architecture without either in a version measures no functions.
 */
#if defined(CONFIG_FPROBE) && defined(CONFIG_DYNAMIC_FTRACE) && \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define TLOB_HAS_FPROBES
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define TLOB_FPROBE_PROTO						\
	struct fprobe *fp, unsigned long ip, unsigned long ret_ip,	\
	struct ftrace_regs *regs, void *data
#define TLOB_FPROBE_SP(regs)	ftrace_regs_get_stack_pointer(regs)
#else
#define TLOB_FPROBE_PROTO						\
	struct fprobe *fp, unsigned long ip, unsigned long ret_ip,	\
	struct pt_regs *regs, void *data
#define TLOB_FPROBE_SP(regs)	kernel_stack_pointer(regs)
#endif
typedef fprobe_entry_cb tlob_probe_entry;
typedef fprobe_exit_cb tlob_probe_exit;

/*
 * Room for @calls calls that have not returned, over all tasks. Since 6.14 each
 * task has its own.
 */
static inline void tlob_fprobe_set_room(struct fprobe *fp, int calls)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
	fp->nr_maxactive = calls;
#endif
}
#elif defined(CONFIG_KPROBES_ON_FTRACE) && defined(CONFIG_KRETPROBES)
#define TLOB_HAS_KRETPROBES
typedef kretprobe_handler_t tlob_probe_entry, tlob_probe_exit;
#else
typedef void *tlob_probe_entry, *tlob_probe_exit;
#endif

/*
 * Holds the module that exports @symbol by EXPORT_SYMBOL_GPL. Returns the address of the
 * symbol, or NULL. Nothing else gives a module a reference to another one by name.
 */
static inline void *tlob_symbol_get(const char *symbol)
{
#ifdef CONFIG_MODULES
	return __symbol_get(symbol);
#else
	return NULL;
#endif
}

static inline void tlob_symbol_put(const char *symbol)
{
#ifdef CONFIG_MODULE_UNLOAD
	__symbol_put(symbol);
#endif
}

/*
 * The files. A module must not create files in tracefs, because no exported
 * function removes them. debugfs's proxy passes neither mmap nor compat_ioctl,
 * so files that need those bypass it. They lose nothing: the proxy guards an
 * operation against the removal of its file. These files are removed only when
 * the module goes, and an open file keeps it (fops->owner).
 */
#ifdef MODULE
#define tlob_create_dir		debugfs_create_dir
#define tlob_create_file	debugfs_create_file
#define tlob_create_raw_file	debugfs_create_file_unsafe
#define tlob_remove		debugfs_remove
#else
#define tlob_create_dir		tracefs_create_dir
#define tlob_create_file	tracefs_create_file
#define tlob_create_raw_file	tracefs_create_file
#define tlob_remove		tracefs_remove
#endif

/* Returns 0, or -EPERM under lockdown=confidentiality. */
static inline int tlob_locked_down(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}

/* Since 6.18 a task of a throttled group leaves its queue by itself, on its way to user space. */
static inline bool tlob_task_throttled(const struct task_struct *p)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0) && defined(CONFIG_CFS_BANDWIDTH)
	return p->throttled;
#else
	return false;
#endif
}

#endif /* _TLOB_COMPAT_H */
