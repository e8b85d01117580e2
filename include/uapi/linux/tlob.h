/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * tlob-load: records and ioctls shared by the kernel and user space.
 *
 * All times are integers in nanoseconds of CLOCK_MONOTONIC. Every structure
 * has the same layout for 32-bit and 64-bit programs.
 */
#ifndef _UAPI_LINUX_TLOB_H
#define _UAPI_LINUX_TLOB_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define TLOB_WINDOW_VERSION	1
#define TLOB_EVENT_VERSION	1
#define TLOB_NAME_LEN		16	/* TASK_COMM_LEN: a name and its NUL */

/*
 * The parts of a window. The first six fill the wake phase [t0, t2], the
 * others the work phase [t2, t3]; each part is net of what interrupted it:
 *
 *	wake_ns               = sum of TLOB_WAKE_*
 *	response_ns - wake_ns = sum of TLOB_WORK_*
 */
enum tlob_part {
	TLOB_WAKE_IRQ_DELAY,	/* t0 until the timer's interrupt was entered */
	TLOB_WAKE_IRQ,
	TLOB_WAKE_SOFTIRQ,
	TLOB_WAKE_NMI,
	TLOB_WAKE_THREAD,	/* another task ran after t1 */
	TLOB_WAKE_SCHED,	/* idle, or on the way into the own task */
	TLOB_WORK_ON_CPU,	/* the own task ran */
	TLOB_WORK_IRQ,
	TLOB_WORK_SOFTIRQ,
	TLOB_WORK_NMI,
	TLOB_WORK_THREAD,	/* the own task was runnable, another one ran */
	TLOB_WORK_SLEEP,	/* the own task was blocked or stopped */
	TLOB_WORK_HW,		/* a gap in the clock that nothing here explains */
	TLOB_NR_PARTS,
};

/* What interrupts a task: the index of tlob_window.wake_count, work_count. */
enum tlob_noise_kind {
	TLOB_NOISE_IRQ,
	TLOB_NOISE_SOFTIRQ,
	TLOB_NOISE_NMI,
	TLOB_NOISE_THREAD,
	TLOB_NR_NOISE,
};

/* tlob_window.flags */
#define TLOB_WINDOW_NONE	(1U << 0)  /* no window ended; only cpu is valid */
#define TLOB_WINDOW_VIOLATION	(1U << 1)  /* response_ns > budget_ns */
#define TLOB_WINDOW_STOPPED	(1U << 2)  /* ended by TLOB_IOC_STOP */
#define TLOB_WINDOW_LAST	(1U << 3)  /* no window follows: the run is over */
#define TLOB_WINDOW_WARM_UP	(1U << 4)  /* one of the first; in no histogram */
#define TLOB_WINDOW_INEXACT	(1U << 5)  /* see adjusted_ns, clock_steps, errors */
#define TLOB_WINDOW_KTHREAD	(1U << 6)  /* the workload was a kernel thread */

/*
 * One interruption. @id is the irq number, or the vector of an interrupt that
 * has none (local timer, IPIs: @name tells), the softirq's number or the
 * thread's pid; 0 for an nmi. @ns is net, and only what lies in the window.
 * @kind is an enum tlob_noise_kind; @ns == 0 says that there was none.
 */
struct tlob_noise {
	__u64	ns;
	__s32	id;
	__u8	kind;
	__u8	in_work;	/* 0: began to count in the wake phase; 1: work */
	__u16	reserved;
	char	name[TLOB_NAME_LEN];
};

/*
 * One activation, whole. Returned by read() on per_cpu/cpuN/tlob_fd (one) and
 * per_cpu/cpuN/windows (as many whole ones as fit), and found in the mmap ring.
 */
struct tlob_window {
	__u16	version;		/* TLOB_WINDOW_VERSION */
	__u16	size;			/* sizeof(struct tlob_window) */
	__u32	cpu;
	__u64	activation;		/* n of t0 = start + n * period */
	__u64	t0_ns;			/* CLOCK_MONOTONIC */
	__u64	irq_latency_ns;		/* t1 - t0 */
	__u64	wake_ns;		/* t2 - t0 */
	__u64	response_ns;		/* t3 - t0 */
	__u64	budget_ns;
	__u64	missed;			/* expiries since the window before this */
	__u64	part_ns[TLOB_NR_PARTS];
	__u32	wake_count[TLOB_NR_NOISE];
	__u32	work_count[TLOB_NR_NOISE];
	__u32	flags;			/* TLOB_WINDOW_* */
	__u32	unavailable;		/* 1 << enum tlob_part: not measured here */
	struct tlob_noise largest;	/* the largest single interruption */
	/* What ran when the timer's interrupt came: */
	__s32	delayed_by_pid;		/* 0: idle */
	__s32	delayed_by_idle_state;	/* cpuidle index; -1: not idle or unknown */
	char	delayed_by[TLOB_NAME_LEN];
	__u64	adjusted_ns;		/* charged by a source, but not there to take */
	__u32	clock_steps;		/* the clock went back: charged 0 */
	__u32	errors;			/* events out of order, doubled or missing */
};

/* Where a task with a budget is: docs/explanation/monitor.md. */
enum tlob_task_state {
	TLOB_TASK_RUNNING = 1,		/* on a CPU */
	TLOB_TASK_SLEEPING = 2,		/* blocked or stopped */
	TLOB_TASK_WAITING = 3,		/* runnable, and another one runs */
};

/*
 * A window that a task opened over itself, or that a binding opened over it, has
 * outlived its budget. Times are in microseconds, rounded down, the threshold
 * rounded up; on_cpu_us has the interrupts that came while the task ran.
 */
struct tlob_event {
	__u32	tid;		/* in the opener's pid namespace; 0: not seen there */
	__u32	pad;		/* 0 */
	__u64	threshold_us;
	__u64	on_cpu_us;
	__u64	off_cpu_us;
	__u32	switches;	/* how often it left its CPU */
	__u32	state;		/* enum tlob_task_state, at that moment */
	__u64	tag;		/* as given to START; a binding's start offset */
};

/* The parts of such a window. They add up to elapsed_ns. */
enum tlob_task_part {
	TLOB_TASK_PART_RUNNING,		/* on a CPU, net of the next four */
	TLOB_TASK_PART_IRQ,
	TLOB_TASK_PART_SOFTIRQ,
	TLOB_TASK_PART_NMI,
	TLOB_TASK_PART_HW,		/* filled in by nobody in the kernel */
	TLOB_TASK_PART_WAITING,
	TLOB_TASK_PART_SLEEPING,
	TLOB_NR_TASK_PARTS,
};

/* tlob_task_window.flags */
#define TLOB_TASK_VIOLATION	(1U << 0)  /* it was found over its budget */
#define TLOB_TASK_ENDED		(1U << 1)  /* by its task; else it goes on */
#define TLOB_TASK_CUT		(1U << 2)  /* taken away: it may be over, unfound */
#define TLOB_TASK_INEXACT	(1U << 3)  /* see adjusted_ns, clock_steps, errors */

#define TLOB_BINDING_LEN	32	/* a binding's name and its NUL */

/* A whole record of such a window, of violations and of other windows, too. */
struct tlob_task_window {
	__u16	version;		/* TLOB_EVENT_VERSION */
	__u16	size;			/* sizeof(struct tlob_task_window) */
	__u32	flags;			/* TLOB_TASK_* */
	__u32	tid, tgid;		/* as in struct tlob_event */
	__u32	state;			/* enum tlob_task_state */
	__u32	switches;
	__u64	tag;
	__u64	start_ns;		/* CLOCK_MONOTONIC */
	__u64	elapsed_ns;		/* since then */
	__u64	threshold_ns;
	__u64	part_ns[TLOB_NR_TASK_PARTS];
	__u32	count[TLOB_NR_NOISE];	/* [TLOB_NOISE_THREAD] is always 0 */
	__u32	unavailable;		/* 1 << enum tlob_task_part: not measured */
	__u32	cpu;			/* that this was found on */
	struct tlob_noise largest;	/* the largest single interruption */
	__u64	adjusted_ns;
	__u32	clock_steps;
	__u32	errors;
	char	comm[TLOB_NAME_LEN];
	char	binding[TLOB_BINDING_LEN];	/* "": none, or without a name */
};

/*
 * The first page of an mmap of per_cpu/cpuN/windows or /dev/tlob. Map it shared,
 * at offset 0, with exactly data_offset + capacity * record_size bytes rounded up
 * to a page (`status` names the length of windows; TLOB_IOC_RING that of
 * /dev/tlob); anything else is EINVAL.
 *
 * The indexes count records and wrap at 2^32; record i is at
 * data_offset + (i % capacity) * record_size. A reader loads data_head with
 * acquire, reads records [data_tail, data_head), then stores data_tail with
 * release. The kernel keeps its own copies: data_head is only ever written
 * by it, and a data_tail outside [tail, head] is ignored. A full ring drops
 * the new record and counts it in dropped.
 */
struct tlob_ring_page {
	__u32	data_head;
	__u32	data_tail;
	__u32	capacity;	/* records, a power of two */
	__u32	version;	/* of the records */
	__u32	data_offset;	/* bytes */
	__u32	record_size;	/* bytes */
	__u64	dropped;	/* records */
};

/*
 * A read-only mmap of one page of per_cpu/cpuN/tlob_fd. @interference moves
 * at every irq, softirq, nmi and context switch that the noise source saw on
 * this CPU while the window was open: a program that reads the clock in a loop
 * takes a gap during which it stood still for hardware (SMI, hypervisor).
 */
struct tlob_fd_page {
	__u64	interference;
};

#define TLOB_IOC_MAGIC	0xB9

/*
 * Ends the running window of a tlob_fd without arming the next, and stores its
 * record. 0: within budget. EOVERFLOW: over it, the record is stored too.
 * ESRCH: no window is running. EPERM: not the thread that opened the file.
 * EXDEV: it has migrated. ENODEV: the run is over. EFAULT: the window ended,
 * and the next read() returns its record.
 */
#define TLOB_IOC_STOP	_IOR(TLOB_IOC_MAGIC, 3, struct tlob_window)

/*
 * /dev/tlob: a latency budget on what the calling thread does between START and
 * STOP. Every file is a source of events of its own, and has a ring for them.
 *
 * START: @threshold_us 1 ... 3.6e9. @notify_fd: a file of /dev/tlob that gets a
 * record when the budget is over, which may be this one; -1: none. @flags: 0.
 * EEXIST: the thread has a window by START already. EINVAL: threshold 0, unknown
 * flags, notify_fd is no file of /dev/tlob. ERANGE: the threshold is out of its
 * range. EBADF: notify_fd is not open. ENODEV: the monitor is not enabled. ENOSPC:
 * no slot is free. EDQUOT: whoever opened the file did so without
 * CAP_SYS_RESOURCE, and has all windows that one user may have. (So does open(), of
 * files.)
 *
 * STOP: 0 within the budget; EOVERFLOW over it; ESRCH the thread has no window of
 * this file. Closing the last descriptor of a file takes its windows away, as
 * do the exit of the thread, the end of the monitor and, unless the file was opened
 * with CAP_SYS_RESOURCE, a set-uid program that the thread executes.
 */
struct tlob_start {
	__u64	threshold_us;
	__u64	tag;
	__s32	notify_fd;
	__u32	flags;
};

/*
 * START in nanoseconds (1 000 ... 3.6e12; 0 is EINVAL, others ERANGE). @flags:
 * TLOB_START_EVERY for a record at the end of every window, too, however it ends;
 * EINVAL without a @notify_fd, or if its ring is one of TLOB_FORMAT_EVENT, which
 * cannot tell that from a violation.
 */
struct tlob_start_ns {
	__u64	threshold_ns;
	__u64	tag;
	__s32	notify_fd;
	__u32	flags;
};

#define TLOB_START_EVERY	(1U << 0)

/* The records that a file's ring is for. */
enum tlob_format {
	TLOB_FORMAT_EVENT,		/* struct tlob_event */
	TLOB_FORMAT_WINDOW,		/* struct tlob_task_window */
};

/*
 * Makes the ring of a file, which otherwise the first use makes: with
 * TLOB_FORMAT_WINDOW for TLOB_START_EVERY, else TLOB_FORMAT_EVENT. @format and
 * @flags (0) are read, @length is written: bytes of the mapping. EBUSY: the ring has
 * another format already. ENOMEM.
 */
struct tlob_ring_setup {
	__u32	format;
	__u32	flags;
	__u64	length;
};

/*
 * Sends the windows of a binding of the file `monitor` to this file's ring: each of
 * them with TLOB_START_EVERY, else violations only. Until the file is closed or
 * the binding removed. CAP_SYS_ADMIN, else EPERM. ENOENT: no such name. EBUSY:
 * another file has it. EINVAL: flags, or a name without NUL.
 */
struct tlob_listen {
	char	name[TLOB_BINDING_LEN];
	__u32	flags;
	__u32	reserved;		/* 0 */
};

/*
 * A 32-bit word of the caller's memory, at @addr (aligned to 4, else EINVAL), whose
 * bit @bit (0 ... 31, else EINVAL) is 1 while the monitor is enabled. EADDRINUSE: it
 * is registered. EFAULT: no writable memory. ENOSPC: too many of this process. A
 * fork has the words that its parent had; exec and exit end them. To unregister: the same
 * values, and the bit is 0 afterwards; ENOENT: not registered.
 */
struct tlob_enable {
	__u64	addr;
	__u32	bit;
	__u32	reserved;		/* 0 */
};

#define TLOB_IOC_TRACE_START	_IOW(TLOB_IOC_MAGIC, 1, struct tlob_start)
#define TLOB_IOC_TRACE_STOP	_IO(TLOB_IOC_MAGIC, 2)
#define TLOB_IOC_START_NS	_IOW(TLOB_IOC_MAGIC, 4, struct tlob_start_ns)
/* STOP, and the record of the window; EFAULT: it ended all the same. */
#define TLOB_IOC_STOP_NS	_IOR(TLOB_IOC_MAGIC, 5, struct tlob_task_window)
#define TLOB_IOC_RING		_IOWR(TLOB_IOC_MAGIC, 6, struct tlob_ring_setup)
#define TLOB_IOC_LISTEN		_IOW(TLOB_IOC_MAGIC, 7, struct tlob_listen)
#define TLOB_IOC_REGISTER	_IOW(TLOB_IOC_MAGIC, 8, struct tlob_enable)
#define TLOB_IOC_UNREGISTER	_IOW(TLOB_IOC_MAGIC, 9, struct tlob_enable)

#endif /* _UAPI_LINUX_TLOB_H */
