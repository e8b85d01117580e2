/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * tlob-load: records and ioctls shared by the kernel and user space.
 *
 * All times are integers in nanoseconds of CLOCK_MONOTONIC, as the initial time
 * namespace has it. Every structure has the same layout for 32-bit and 64-bit
 * programs.
 */
#ifndef _UAPI_LINUX_TLOB_H
#define _UAPI_LINUX_TLOB_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define TLOB_WINDOW_VERSION	3
#define TLOB_EVENT_VERSION	4
#define TLOB_NAME_LEN		16	/* TASK_COMM_LEN: a name and its NUL */

/*
 * The parts of a window. The first seven fill the wake phase [t0, t2], the others
 * the work phase [t2, t3]. Each part excludes what interrupted it:
 *
 *	wake_ns               = sum of TLOB_WAKE_*
 *	response_ns - wake_ns = sum of TLOB_WORK_*
 */
enum tlob_part {
	TLOB_WAKE_IRQ_DELAY,	/* from t0 to entry of the timer's irq */
	TLOB_WAKE_IRQ,
	TLOB_WAKE_SOFTIRQ,
	TLOB_WAKE_NMI,
	TLOB_WAKE_THREAD,	/* another task ran after t1 */
	TLOB_WAKE_SCHED,	/* idle, or on the way into the own task */
	TLOB_WAKE_STEAL,	/* the hypervisor had the CPU */
	TLOB_WORK_ON_CPU,	/* the own task ran */
	TLOB_WORK_IRQ,
	TLOB_WORK_SOFTIRQ,
	TLOB_WORK_NMI,
	TLOB_WORK_THREAD,	/* the own task was runnable: another ran, or the CPU woke up */
	TLOB_WORK_SLEEP,	/* the own task was blocked or stopped */
	TLOB_WORK_STEAL,	/* the hypervisor had the CPU */
	TLOB_WORK_HW,		/* a gap in the clock that nothing here explains */
	TLOB_NR_PARTS,
};

/* The kinds of noise: the index of tlob_window.wake_count and work_count. */
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
#define TLOB_WINDOW_THROTTLED	(1U << 7)  /* a limit kept its runnable thread off the CPU */
#define TLOB_WINDOW_USER	(1U << 8)  /* the timer's interrupt was late and met user code */

/*
 * One interruption. @id depends on @kind, an enum tlob_noise_kind:
 *
 *	irq		the irq number; the vector of an interrupt without one
 *			(local timer, IPIs: see @name)
 *	softirq		the softirq's number
 *	thread		the thread's pid
 *	nmi		0
 *
 * A thread with the id 0 is idle, or what kept the task itself from running: TLOB_THROTTLED, a
 * limit; TLOB_STOPPED, a signal or a debugger; TLOB_FROZEN, the freezer of its group.
 *
 * @ns is net and covers only time in the window. @ns == 0: there was none.
 */
#define TLOB_THROTTLED	"throttled"
#define TLOB_STOPPED	"stopped"
#define TLOB_FROZEN	"frozen"

struct tlob_noise {
	__u64	ns;
	__s32	id;
	__u8	kind;
	__u8	in_work;	/* 0: counts in the wake phase; 1: work */
	__u16	reserved;
	char	name[TLOB_NAME_LEN];
};

/*
 * The record of one activation. read() on per_cpu/cpuN/tlob_fd returns one;
 * read() on per_cpu/cpuN/windows returns as many whole ones as fit. The mmap
 * ring also contains them.
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
	/* The code that ran when the timer's interrupt came: */
	__s32	delayed_by_pid;		/* 0: idle */
	__s32	delayed_by_idle_state;	/* cpuidle index; -1: not idle or unknown */
	char	delayed_by[TLOB_NAME_LEN];
	__u64	adjusted_ns;		/* reported, but not there to take */
	__u32	clock_steps;		/* steps back of the clock: charge 0 */
	__u32	errors;			/* events out of order, doubled or missing */
};

/*
 * A span of a window: the time since the span before, or since the start of the
 * timeline, was charged to @part. @id and @name are as in struct tlob_noise.
 * They are 0 and "" for parts that are no noise.
 */
struct tlob_span {
	__u64	end_ns;			/* from t0 */
	__s32	id;
	__u8	part;			/* enum tlob_part */
	__u8	reserved[3];
	char	name[TLOB_NAME_LEN];
};

#define TLOB_TIMELINE_VERSION	1
#define TLOB_TIMELINE_SPANS	64

/*
 * What happened in a window, in its order. read() on per_cpu/cpuN/timelines
 * returns whole ones, one for each record of per_cpu/cpuN/windows and of
 * tlob_fd. @cpu and @activation are as in that record. The timeline is written
 * before the record is. A full ring drops the new timeline, so some windows may
 * have none.
 *
 * The last span ends at the window's response_ns. The spans of a part add up to
 * part_ns exactly if @not_kept is 0, with one exception: TLOB_WORK_ON_CPU
 * includes TLOB_WORK_HW here. Otherwise only the last spans are here, and
 * @start_ns is where they begin.
 *
 * The time of an nmi is known, but not where in the time since the boundary
 * before it lay. Its span is at the end of that time.
 */
struct tlob_timeline {
	__u16	version;		/* TLOB_TIMELINE_VERSION */
	__u16	size;			/* sizeof(struct tlob_timeline) */
	__u32	cpu;
	__u64	activation;
	__u64	start_ns;		/* from t0; 0 if @not_kept is 0 */
	__u32	spans;			/* valid ones; others have any content */
	__u32	not_kept;		/* spans before the first one here */
	struct tlob_span span[TLOB_TIMELINE_SPANS];
};

/* The moments of a late window at which a stack may be taken. */
enum tlob_late_moment {
	TLOB_LATE_MET,		/* the timer's interrupt came late: what it has met */
	TLOB_LATE_TICK,		/* another interrupt, while the thread waits for the CPU */
	TLOB_LATE_LEFT,		/* a task leaves the CPU to the thread; see size */
	TLOB_NR_LATE,
};

#define TLOB_LATE_FRAMES	31
#define TLOB_LATE_IDLE	(-1)

/*
 * The kernel stack of the task that had the CPU. The hook that took it comes first, then
 * its caller. A stack of an interrupt continues with the code that was interrupted. arm64: a
 * function without a frame of its own, as before its first instructions, hides its caller, which
 * only the link register knows. It has that, a place in the function itself, or any other value.
 */
struct tlob_late_stack {
	/*
	 * Bytes of @frame that are valid; < 1: not known. 0 with TLOB_LATE_LEFT: the task, that of
	 * TLOB_LATE_TICK, had more than half of the wait, and left the CPU before others did.
	 */
	__s64	size;
	__s64	call;			/* number of its system call; < 0: none, or not known */
	__s32	pid;			/* of the task, or TLOB_LATE_IDLE; 0: no stack */
	__u32	blocked;		/* 1: it left because it waits for something; see @size */
	__u64	frame[TLOB_LATE_FRAMES];	/* innermost first */
	__u64	link;	/* arm64: that register where the innermost interrupt came; 0: not known */
};

struct tlob_late {
	struct tlob_late_stack at[TLOB_NR_LATE];
};

/*
 * A window whose thread got the CPU late, and what ran in the kernel meanwhile. read() on
 * per_cpu/cpuN/late_windows returns whole ones. A wake-up is late if it is longer than 50 us, and
 * than the least of the 16 longest ones of this CPU so far or the budget without the work. Other
 * windows have no record, because taking a stack takes longer than a wake-up. Windows of the
 * warm-up, and those without any stack, have none either. @window is a copy of the window's own
 * record, which is written after this one. A full ring drops the new record. Pids are from the
 * initial namespace.
 */
struct tlob_late_window {
	struct tlob_window window;
	struct tlob_late late;
};

#define TLOB_FUNCTIONS_VERSION	2
#define TLOB_FUNCTION_SETS	8

/*
 * The calls of a set of functions in a window, on the window's CPU. Each ns of
 * the window belongs to one set at most: the set of the task's innermost call
 * or interrupt that runs. While the measured task sleeps and no other call runs,
 * it is the set of the call in which it sleeps. A call inside of a call of the
 * same set adds no time. So @part_ns is never more than the window's.
 */
struct tlob_function_time {
	__u64	part_ns[TLOB_NR_PARTS];	/* net, by the part in which it lies */
	__u64	max_ns;			/* longest call, net, in this window */
	__u64	max_function;		/* its address; 0: none */
	__u32	calls;			/* that lay in the window, or in part */
	__u32	unreturned;		/* of them had not returned at its end */
};

/*
 * The functions of a window. read() on per_cpu/cpuN/functions returns whole
 * ones, one for each record of per_cpu/cpuN/windows and of tlob_fd. @cpu and
 * @activation are as in that record, which is written after this one. A full
 * ring drops the new one. The sets are in the order in which they were added.
 */
struct tlob_functions {
	__u16	version;		/* TLOB_FUNCTIONS_VERSION */
	__u16	size;			/* sizeof(struct tlob_functions) */
	__u32	cpu;
	__u64	activation;
	__u32	sets;			/* valid ones; others are 0 */
	__u32	missed;			/* calls here that were not measured */
	struct tlob_function_time set[TLOB_FUNCTION_SETS];
};

/* The state of a task with a budget: docs/explanation/monitor.md. */
enum tlob_task_state {
	TLOB_TASK_RUNNING = 1,		/* on a CPU */
	TLOB_TASK_SLEEPING = 2,		/* blocked or stopped */
	TLOB_TASK_WAITING = 3,		/* runnable, another task runs */
};

/*
 * A window over a task has exceeded its budget. The task opened it, or a
 * binding did. Times are in microseconds, rounded down; the threshold is
 * rounded up. on_cpu_us includes interruptions of the running task.
 */
struct tlob_event {
	__u32	tid;		/* in the opener's namespace; 0: not there */
	__u32	pad;		/* 0 */
	__u64	threshold_us;
	__u64	on_cpu_us;
	__u64	off_cpu_us;
	__u32	switches;	/* times the task left its CPU */
	__u32	state;		/* enum tlob_task_state, at that moment */
	__u64	tag;		/* from START, or the binding's start that was hit */
};

/* The parts of a window of the monitor. They add up to elapsed_ns. */
enum tlob_task_part {
	TLOB_TASK_PART_RUNNING,		/* on a CPU, without the next four */
	TLOB_TASK_PART_IRQ,
	TLOB_TASK_PART_SOFTIRQ,
	TLOB_TASK_PART_NMI,
	TLOB_TASK_PART_HW,		/* always 0 in the kernel */
	TLOB_TASK_PART_WAITING,
	TLOB_TASK_PART_SLEEPING,
	TLOB_TASK_PART_TIMER,		/* always 0 in the kernel; the tool's BPF has it */
	TLOB_TASK_PART_STEAL,		/* the hypervisor had the CPU */
	TLOB_NR_TASK_PARTS,
};

/* tlob_task_window.flags: without ENDED and CUT the window continues */
#define TLOB_TASK_VIOLATION	(1U << 0)  /* found over its budget */
#define TLOB_TASK_ENDED		(1U << 1)  /* ended by its task */
#define TLOB_TASK_CUT		(1U << 2)  /* taken away; may be over, unfound */
#define TLOB_TASK_INEXACT	(1U << 3)  /* see adjusted_ns, clock_steps, errors */
/* bits 4 to 6 are the tool's, in windows of its BPF programs */

#define TLOB_BINDING_LEN	32	/* a binding's name and its NUL */

/* The full record of a window of the monitor, with or without a violation. */
struct tlob_task_window {
	__u16	version;		/* TLOB_EVENT_VERSION */
	__u16	size;			/* sizeof(struct tlob_task_window) */
	__u32	flags;			/* TLOB_TASK_* */
	__u32	tid, tgid;		/* as in struct tlob_event */
	__u32	state;			/* enum tlob_task_state */
	__u32	switches;
	__u64	tag;
	__u64	start_ns;		/* CLOCK_MONOTONIC */
	__u64	elapsed_ns;		/* from start_ns until this record */
	__u64	threshold_ns;
	__u64	part_ns[TLOB_NR_TASK_PARTS];
	__u32	count[TLOB_NR_NOISE];	/* [TLOB_NOISE_THREAD] is always 0 */
	__u32	unavailable;		/* 1 << enum tlob_task_part: not measured */
	__u32	cpu;			/* the CPU that made this record */
	/*
	 * The largest single interruption. For readers with CAP_PERFMON also the task that
	 * had the CPU longest while this one waited for it, with the sum of its time in that
	 * wait; @id 0, "idle": the CPU was idle.
	 */
	struct tlob_noise largest;
	__u64	adjusted_ns;
	__u32	clock_steps;
	__u32	errors;
	char	comm[TLOB_NAME_LEN];
	char	binding[TLOB_BINDING_LEN];	/* "": none or no name */
};

/*
 * The first page of an mmap of per_cpu/cpuN/windows or /dev/tlob. The mapping
 * is shared, begins at offset 0 and has exactly data_offset + capacity *
 * record_size bytes, rounded up to a page. `status` names the length for
 * windows; TLOB_IOC_RING returns that for /dev/tlob. Any other mapping fails
 * with EINVAL.
 *
 * The indexes count records and wrap at 2^32. Record i is at data_offset + (i %
 * capacity) * record_size. A reader loads data_head with acquire, reads records
 * [data_tail, data_head), then stores data_tail with release. The kernel keeps
 * its own copies: only the kernel writes data_head, and it ignores a data_tail
 * outside [tail, head]. A full ring drops the new record and counts it in
 * dropped.
 */
struct tlob_ring_page {
	__u32	data_head;
	__u32	data_tail;
	__u32	capacity;	/* records, a power of two */
	__u32	version;	/* version of the records */
	__u32	data_offset;	/* bytes */
	__u32	record_size;	/* bytes */
	__u64	dropped;	/* records */
};

/*
 * A read-only mmap of one page of per_cpu/cpuN/tlob_fd. @interference changes
 * at every irq, softirq, nmi and context switch that the noise source saw on
 * this CPU while the window was open. A program that reads the clock in a loop
 * uses it: a gap during which @interference did not change is the hardware's
 * (SMI, hypervisor).
 */
struct tlob_fd_page {
	__u64	interference;
};

/*
 * The wait profiler. read() on the file `waits_records` returns these records,
 * as many whole ones as fit: one TLOB_WAIT_STATUS, then all tasks by descending
 * blocked time, all stacks, and the raw copies that no read has returned yet.
 * Each begins with its type and size. Pids are from the initial namespace.
 */
#define TLOB_WAIT_VERSION	1
#define TLOB_WAIT_FRAMES	16	/* of a kernel stack */
#define TLOB_WAIT_CODE		32	/* of the code words of a user stack */
#define TLOB_WAIT_COPY_MAX	4096	/* bytes of a user stack */

enum tlob_wait_type {
	TLOB_WAIT_STATUS = 1,
	TLOB_WAIT_TASK,
	TLOB_WAIT_STACK,
	TLOB_WAIT_COPY,
};

struct tlob_wait_total {
	__u64	count;		/* waits */
	__u64	total_ns;
	__u64	max_ns;
};

/* tlob_wait_status.flags */
#define TLOB_WAIT_IS_ON		(1U << 0)

struct tlob_wait_status {
	__u16	type;		/* TLOB_WAIT_STATUS */
	__u16	size;		/* sizeof(struct tlob_wait_status) */
	__u32	version;	/* TLOB_WAIT_VERSION */
	__u32	flags;
	__u32	owed;		/* stacks that tasks will note on their way to user mode */
	__u64	now_ns;		/* CLOCK_MONOTONIC */
	__u64	since_ns;	/* of on or of the last reset */
	__u64	threshold_ns;	/* shorter waits have no stack */
	__u64	tasks, stacks;	/* records that follow */
	__u64	lost_tasks;	/* sleeps of tasks that found no slot */
	__u64	lost_stacks;	/* waits over the threshold without a stack */
	__u64	evicted;	/* exited tasks whose slot was taken */
	__u64	unreadable;	/* user stacks that could not be read: only the ip */
	__u64	uncopied;	/* user stacks that found no buffer */
};

/* tlob_wait_task.flags */
#define TLOB_WAIT_KTHREAD	(1U << 0)
#define TLOB_WAIT_EXITED	(1U << 1)
#define TLOB_WAIT_OTHERS	(1U << 2)	/* all evicted tasks; tid and start_ns are 0 */

/* One task: a pid that is used again is another task. */
struct tlob_wait_task {
	__u16	type;		/* TLOB_WAIT_TASK */
	__u16	size;
	__u32	flags;
	__u64	id;		/* never used again until unload; never 0 */
	__u64	start_ns;	/* of the task */
	__u32	tid, tgid;
	struct tlob_wait_total blocked;		/* from going to sleep to wake-up */
	struct tlob_wait_total runnable;	/* from wake-up to running */
	__u64	asleep_ns;	/* of the present wait; in no total */
	char	comm[TLOB_NAME_LEN];	/* when it last went to sleep */
};

/* What woke a task. @tid, @tgid, @comm: only if it was a task. */
enum tlob_waker {
	TLOB_WAKER_UNKNOWN,	/* the wake-up came before the task slept */
	TLOB_WAKER_TASK,
	TLOB_WAKER_IRQ,
	TLOB_WAKER_SOFTIRQ,
	TLOB_WAKER_NMI,
};

struct tlob_wait_waker {
	__u32	kind;		/* enum tlob_waker */
	__u32	tid, tgid;
	__u32	reserved;
	char	comm[TLOB_NAME_LEN];
};

/*
 * The waits of a task over the threshold on one stack. @code: the instruction
 * pointer of user mode, then the words on the user stack that point into
 * executable memory. These are return addresses, and perhaps left-overs of
 * earlier calls. Records of one task whose copies unwind to the same frames
 * belong together.
 */
struct tlob_wait_stack {
	__u16	type;		/* TLOB_WAIT_STACK */
	__u16	size;
	__u16	nr_kernel, nr_code;
	__u64	id;		/* never used again until unload */
	__u64	task;		/* tlob_wait_task.id */
	struct tlob_wait_total blocked;
	struct tlob_wait_waker waker;	/* of the longest */
	__u64	kernel[TLOB_WAIT_FRAMES];	/* addresses, innermost first */
	__u64	code[TLOB_WAIT_CODE];
};

/* Indexes of tlob_wait_copy.reg */
enum tlob_wait_reg {
	TLOB_WAIT_REG_IP,
	TLOB_WAIT_REG_SP,
	/* the other registers of x86-64, or FP and LR; what an architecture lacks is 0 */
	TLOB_WAIT_REG_BP,
	TLOB_WAIT_REG_BX,
	TLOB_WAIT_REG_R12,
	TLOB_WAIT_REG_R13,
	TLOB_WAIT_REG_R14,
	TLOB_WAIT_REG_R15,
	TLOB_WAIT_NR_REGS,
	/* arm64: x29 and x30 */
	TLOB_WAIT_REG_FP = TLOB_WAIT_REG_BP,
	TLOB_WAIT_REG_LR = TLOB_WAIT_REG_BX,
};

/* tlob_wait_copy.flags */
#define TLOB_WAIT_32BIT		(1U << 0)	/* a 32-bit task: nothing copied */

/*
 * Registers and stack of user mode for one stack, from its first wait that
 * found the file open. It may hold secrets: unwind it, and do not keep it.
 */
struct tlob_wait_copy {
	__u16	type;		/* TLOB_WAIT_COPY */
	__u16	size;
	__u32	flags;
	__u64	stack;		/* tlob_wait_stack.id */
	__u32	tgid;
	__u32	length;		/* bytes from the stack pointer upwards */
	__u64	reg[TLOB_WAIT_NR_REGS];
	__u8	data[TLOB_WAIT_COPY_MAX];
};

/*
 * The longest wait of a window, while the wait profiler was on and its scope had the
 * task. A wait is there when its task runs again: one that goes
 * on is not.
 */
struct tlob_window_wait {
	__u64	ns;			/* from going to sleep to wake-up; 0: none */
	__u64	stack;			/* tlob_wait_stack.id; 0: shorter than the
					 * threshold, lost, or not yet noted
					 */
	__u32	flags;			/* TLOB_WAIT_IS_ON when this was written */
	__u32	reserved;
	struct tlob_wait_waker waker;	/* see TLOB_FORMAT_WAIT */
};

struct tlob_task_window_wait {
	struct tlob_task_window window;
	struct tlob_window_wait wait;
};

/* The calls of a set of functions in a window of the monitor: tlob_function_time. */
struct tlob_task_function_time {
	__u64	part_ns[TLOB_NR_TASK_PARTS];	/* net, by the part in which it lies */
	__u64	max_ns;			/* longest call, net, in this window */
	__u64	max_function;		/* its address; 0: none */
	__u32	calls;			/* that began in the window */
	__u32	unreturned;		/* of them had not returned at its end */
};

/*
 * The functions of a window of the monitor that has ended. The calls are those of
 * its task, and of the interrupts while it runs. While the task sleeps in a call the
 * time belongs to that call. While another task runs it belongs to none.
 */
struct tlob_task_functions {
	__u32	sets;			/* valid ones, others are 0; 0: not measured */
	__u32	missed;			/* calls here that were not measured */
	struct tlob_task_function_time set[TLOB_FUNCTION_SETS];
};

struct tlob_task_window_functions {
	struct tlob_task_window window;
	struct tlob_window_wait wait;
	struct tlob_task_functions functions;
};

#define TLOB_RUN_WAIT_VERSION	1

/*
 * The longest wait of a window of a run: how long its thread slept at once inside
 * the window. read() on per_cpu/cpuN/longest_waits returns whole ones: one for each
 * window that had such a wait while the wait profiler was on and its scope had the
 * thread. @cpu and @activation are as in the window's record, which is written
 * after this one. A full ring drops the new one. Pids are from the initial namespace.
 */
struct tlob_run_wait {
	__u16	version;		/* TLOB_RUN_WAIT_VERSION */
	__u16	size;			/* sizeof(struct tlob_run_wait) */
	__u32	cpu;
	__u64	activation;
	struct tlob_window_wait wait;	/* wait.ns is never 0 */
};

#define TLOB_IOC_MAGIC	0xB9

/*
 * Ends the running window of a tlob_fd without arming the next one, and stores
 * its record. Returns 0 within the budget. Errors:
 *
 *	EOVERFLOW	over the budget; the record is also stored
 *	ESRCH		no window is running
 *	EPERM		another thread opened the file
 *	EXDEV		the thread has migrated
 *	ENODEV		the run is over
 *	EFAULT		the window ended; the next read() returns its record
 */
#define TLOB_IOC_STOP	_IOR(TLOB_IOC_MAGIC, 3, struct tlob_window)

/*
 * /dev/tlob: a latency budget on the work of the calling thread between START
 * and STOP. Every file is its own source of events and has a ring for them.
 *
 * START: @threshold_us is 1 ... 3.6e9. @notify_fd is a file of /dev/tlob,
 * perhaps this one; its ring gets a record when the budget is over. -1: no
 * record. @flags is 0. Errors:
 *
 *	EEXIST		the thread has a window by START already
 *	EINVAL		threshold 0, unknown flags, or notify_fd is not a file of
 *			/dev/tlob
 *	ERANGE		the threshold is out of its range
 *	EBADF		notify_fd is not open
 *	ENODEV		the monitor is not enabled
 *	ENOSPC		no slot is free
 *	EDQUOT		the file was opened without CAP_SYS_RESOURCE, and its
 *			opener has all windows that one user may have; open()
 *			fails likewise for too many files
 *
 * STOP: returns 0 within the budget. EOVERFLOW: over it. ESRCH: the thread has
 * no window of this file.
 *
 * Closing the last descriptor of a file takes its windows away. So do the exit
 * of the thread and the end of the monitor. So does the exec of a set-uid
 * program, or of one that the thread may not read, unless the file was opened
 * with CAP_PERFMON.
 */
struct tlob_start {
	__u64	threshold_us;
	__u64	tag;
	__s32	notify_fd;
	__u32	flags;
};

/*
 * START in nanoseconds: 1 000 ... 3.6e12. 0 is EINVAL; other values outside are
 * ERANGE. TLOB_START_EVERY in @flags asks for a record at the end of every
 * window, too, however it ends. It is EINVAL without a @notify_fd. It is also
 * EINVAL if the ring's format is TLOB_FORMAT_EVENT, which cannot tell that
 * record from a violation.
 */
struct tlob_start_ns {
	__u64	threshold_ns;
	__u64	tag;
	__s32	notify_fd;
	__u32	flags;
};

#define TLOB_START_EVERY	(1U << 0)

/*
 * The record format of a file's ring. TLOB_FORMAT_WAIT: wakers have pids of the
 * opener's namespace. Wakers of another process have pids 0 and no name if the
 * file was opened without CAP_PERFMON, or if they are not in that namespace.
 * TLOB_FORMAT_FUNCTIONS has addresses of the kernel: it needs a file that was opened
 * with CAP_PERFMON, and `functions_monitor` for windows that have any.
 */
enum tlob_format {
	TLOB_FORMAT_EVENT,		/* struct tlob_event */
	TLOB_FORMAT_WINDOW,		/* struct tlob_task_window */
	TLOB_FORMAT_WAIT,		/* struct tlob_task_window_wait */
	TLOB_FORMAT_FUNCTIONS,		/* struct tlob_task_window_functions */
	/* 4 was another format, and stays free */
};

/*
 * Makes the ring of a file. Without this call the first use makes it: with
 * TLOB_FORMAT_WINDOW for TLOB_START_EVERY, else with TLOB_FORMAT_EVENT. @format
 * and @flags (0) are read. @length is written: the bytes of the mapping. EBUSY:
 * the ring has another format already. ENOMEM: no memory. EPERM: not for this file.
 */
struct tlob_ring_setup {
	__u32	format;
	__u32	flags;
	__u64	length;
};

/*
 * Sends the windows of a binding of the file `monitor` to this file's ring: all
 * windows with TLOB_START_EVERY, else only violations. Ends when the file is
 * closed or the binding is removed. Errors:
 *
 *	EPERM		the caller lacks CAP_SYS_ADMIN
 *	ENOENT		no binding has this name
 *	EBUSY		another file listens to it
 *	EINVAL		unknown flags, or a name without NUL
 */
struct tlob_listen {
	char	name[TLOB_BINDING_LEN];
	__u32	flags;
	__u32	reserved;		/* 0 */
};

/*
 * Registers a bit in a 32-bit word of the caller's memory. The bit is 1 while
 * the monitor is enabled. @addr is aligned to 4; a tag in it (arm64, LAM) is
 * ignored. @bit is 0 ... 31. Errors:
 *
 *	EINVAL		@addr or @bit is out of its range, or @reserved is not 0
 *	EADDRINUSE	the bit is registered already
 *	EFAULT		no writable memory
 *	ENOSPC		too many bits of this process
 *	EDQUOT		too many processes of this user have bits
 *	ENOMEM		no memory
 *
 * A forked child has the bits of its parent. exec and exit end them. To
 * unregister, pass the same values; then the bit is 0. ENOENT: not registered.
 *
 * While another thread forks, register only memory that has had no other data, and
 * unregister nothing: the child may have its copy already.
 */
struct tlob_enable {
	__u64	addr;
	__u32	bit;
	__u32	reserved;		/* 0 */
};

#define TLOB_IOC_TRACE_START	_IOW(TLOB_IOC_MAGIC, 1, struct tlob_start)
#define TLOB_IOC_TRACE_STOP	_IO(TLOB_IOC_MAGIC, 2)
#define TLOB_IOC_START_NS	_IOW(TLOB_IOC_MAGIC, 4, struct tlob_start_ns)
/* STOP, and stores the window's record. EFAULT: the window ended anyway. */
#define TLOB_IOC_STOP_NS	_IOR(TLOB_IOC_MAGIC, 5, struct tlob_task_window)
/* The same with the window's longest wait, as in TLOB_FORMAT_WAIT. */
#define TLOB_IOC_STOP_WAIT	_IOR(TLOB_IOC_MAGIC, 10, struct tlob_task_window_wait)
#define TLOB_IOC_RING		_IOWR(TLOB_IOC_MAGIC, 6, struct tlob_ring_setup)
#define TLOB_IOC_LISTEN		_IOW(TLOB_IOC_MAGIC, 7, struct tlob_listen)
#define TLOB_IOC_REGISTER	_IOW(TLOB_IOC_MAGIC, 8, struct tlob_enable)
#define TLOB_IOC_UNREGISTER	_IOW(TLOB_IOC_MAGIC, 9, struct tlob_enable)
/* 11 was another call, and stays free */

#endif /* _UAPI_LINUX_TLOB_H */
