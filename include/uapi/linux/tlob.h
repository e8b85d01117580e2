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

/*
 * The first page of an mmap of per_cpu/cpuN/windows. Map it shared, at offset
 * 0, with exactly data_offset + capacity * record_size bytes rounded up to a
 * page (status names the length); anything else is EINVAL.
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
	__u32	version;	/* TLOB_WINDOW_VERSION */
	__u32	data_offset;	/* bytes */
	__u32	record_size;	/* bytes: sizeof(struct tlob_window) */
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
 * and the next read() returns its record. The numbers 1 and 2 are the monitor's.
 */
#define TLOB_IOC_STOP	_IOR(TLOB_IOC_MAGIC, 3, struct tlob_window)

#endif /* _UAPI_LINUX_TLOB_H */
