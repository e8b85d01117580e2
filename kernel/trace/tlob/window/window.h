/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The windows of a run, and the state of each CPU.
 *
 * The hooks, the timers and the thread of a CPU access its struct tlob_cpu,
 * each with irqs off and on that CPU. They take no lock. Other code sends an
 * IPI (tlob_window_kill()) or uses the fields marked "any CPU". The
 * configuration is constant while a run is enabled.
 */
#ifndef _TLOB_WINDOW_H
#define _TLOB_WINDOW_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>
#include <linux/tlob.h>

#include "../base/base.h"
#include "../base/clock.h"
#include "../base/compat.h"
#include "../split/automaton.h"
#include "../split/hist.h"
#include "../split/late_limit.h"
#include "../split/policyspec.h"
#include "../split/split.h"
#include "../split/workspec.h"

#define TLOB_WORK_TEXT	64
#define TLOB_NO_PHASE	U64_MAX

enum tlob_workload { TLOB_KTHREAD, TLOB_USER };

enum tlob_source { TLOB_AUTO, TLOB_OSNOISE, TLOB_HOOKS, TLOB_BOTH };

struct tlob_config {
	struct cpumask	cpus;
	u64	workload;		/* enum tlob_workload */
	u64	period_ns;
	u64	budget_ns;
	u64	align_ns;
	u64	phase_ns;		/* after a tick, or TLOB_NO_PHASE */
	u64	warm_up;		/* windows */
	u64	noise_source;		/* enum tlob_source */
	u64	hw_threshold_ns;
	u64	timeline;		/* keep the spans of each window */
	u64	longest_wait;		/* and its longest wait */
	u64	stop_on_exceed;		/* may change during a run */
	struct tlob_policy policy;
	struct tlob_work work;
	char	work_text[TLOB_WORK_TEXT];
};

/* The life of a window on one CPU: docs/reference/kernel-interface.md, tlob_fd. */
enum tlob_state {
	TLOB_CLOSED,			/* nothing is measured here */
	TLOB_OPEN,			/* claimed, nothing armed yet */
	TLOB_ARMED,
	TLOB_FIRED,
	TLOB_IN_WINDOW,
	TLOB_ENDED,
};

/* The reasons why no window can be armed on a CPU any more. */
enum tlob_abort {
	TLOB_ABORT_NONE,
	TLOB_ABORT_DEAD,		/* disabled, offline, the task has exited */
	TLOB_ABORT_MIGRATED,
};

/* The time of nmis. Only nmi handlers write it; readers retry. */
struct tlob_nmi {
	u64	ns;			/* in open windows, since loading */
	u64	max;			/* longest since the last read */
	u32	count;
};

struct tlob_stats {
	u64	windows, violations, missed, aborted, first_activation;
	u64	sum_failures, errors, adjusted_ns, clock_steps;
	u64	migrated;
	u64	lost;			/* records; set at the end of the run */
	u64	overhead_ns;
	u64	demand_ns, demand_spread_ns, work_sum;
	u64	difference[TLOB_NR_PARTS];	/* noise_source both */
};

struct tlob_functions_cpu;
struct tlob_functions_kept;
struct tlob_lates;
struct tlob_packed;
struct tlob_place;
struct tlob_ring;
struct tlob_run_waits;
struct tlob_timelines;

struct tlob_cpu {
	/* Each hook reads these as one word: 0 on a CPU without windows. */
	union {
		struct {
			/* a window is armed or open here; any CPU may clear it */
			bool	active;
			/* the current task has windows of the monitor */
			bool	monitored;
			/* one may wait for this CPU; any CPU sets it */
			bool	awaited;
		};
		u32	watched;
	};
	struct tlob_split *hooked;	/* the split that hooks feed, or NULL */
	bool	moves;			/* split[0] gets durations */
	bool	two;			/* two splits: noise_source both */
	u8	state;			/* enum tlob_state */
	u8	abort;			/* enum tlob_abort; any CPU sets it */
	bool	exceeded;		/* the verdict was given */
	bool	armed_once;
	bool	gone;			/* was offline during this run */
	bool	busy;			/* the task publishes a window */
	int	cpu;
	s32	idle_state;		/* last entered; -1 unknown */
	bool	news;			/* from an nmi or the mailbox, for the next boundary */
	bool	met_user;		/* the timer's interrupt was late, in user code */
	const u64 *steal_at;		/* this CPU's steal clock */
	u64	steal_from;		/* that clock when it became known */
	u64	steal;			/* that clock at the run's last boundary */
	bool	extras;			/* timelines, waits or functions are not NULL */
	u32	nmi_entries;		/* changes in every nmi that is seen */
	struct task_struct *task;	/* whose windows these are */
	u64	wakeup_ns;		/* mailbox of wake-ups; any CPU; 0: empty */
	struct tlob_fd_page *page;
	struct tlob_split *end;		/* end of the one or two splits */
	struct tlob_split split[2];	/* [0] is recorded */
	struct tlob_nmi nmi[2];		/* of split[] */
	u64	nmi_ns_taken[2];
	u32	nmi_count_taken[2];
	struct tlob_place *place;	/* of the monitored task */
	struct tlob_nmi task_nmi;	/* while a monitored task ran */
	u64	task_nmi_ns_taken;
	u32	task_nmi_count_taken;
	u64	task_steal;		/* the steal clock at its last boundary */
	u64	t0, t1, t2, t3;
	struct tlob_late_times times;
	u32	looked;			/* 1 << enum tlob_late_moment, TLOB_LATE_LOOK */
	u64	looked_ns;		/* so long the next event of osnoise is too long */
	struct tlob_late_limit limit;
	u64	hw_ns;
	u64	ended_at;		/* t3, for the overhead; 0: unknown */
	u64	grid_start;
	u64	activation;
	u64	recorded;		/* activation of the last record */
	s32	delayed_by_pid, delayed_by_idle;
	char	delayed_by[TLOB_NAME_LEN];
	struct hrtimer period_timer;
	struct hrtimer budget_timer;
	struct hrtimer look_timer;

	/* Cold: life cycle and results. */
	void	*owner;			/* struct tlob_fd; under tlob_mutex */
	struct task_struct *kthread;	/* the taker by xchg() stops it */
	pid_t	pid;			/* of the last task; 0: none in this run */
	struct tlob_ring *ring;		/* until the end of the run */
	/* until the end of the run, too: */
	struct tlob_timelines *timelines; /* NULL: none are kept */
	struct tlob_lates *lates;	/* never NULL */
	struct tlob_run_waits *waits;	/* NULL: none are kept */
	struct tlob_functions_cpu *functions; /* NULL: no sets */
	struct tlob_functions_kept *functions_kept; /* until the next run */
	struct tlob_hist *hist[TLOB_NR_METRICS]; /* until they are packed; or NULL */
	struct tlob_packed *packed;	/* from the end of the run to the next run */
	void	*mem;			/* working set of the kernel thread */
	struct tlob_stats stats;
	u64	osnoise_events;		/* grows while events arrive */
	const char *ipi_name;		/* of the IPI that osnoise will report, or NULL */
};

DECLARE_PER_CPU(struct tlob_cpu, tlob_cpus);

extern struct tlob_config tlob_config;

/* A run: between two writes to `enable`. */
enum tlob_run_state { TLOB_DISABLED, TLOB_ENABLED };

extern struct tlob_run {
	enum tlob_run_state state;	/* under tlob_mutex */
	enum tlob_source source;	/* in use; AUTO: none */
	u32	unavailable;		/* 1 << enum tlob_part */
	bool	compared;		/* the last run had both sources */
	bool	stopping;		/* any CPU: no further arming */
	int	stopped_cpu;		/* -1: none */
	u64	stopped_activation;
	struct cpumask cpus;		/* of this run, or of the last one */
	void (*end)(void);		/* ends it: under tlob_mutex, while enabled */
} tlob_run;

static inline struct tlob_cpu *tlob_cpu(int cpu)
{
	return per_cpu_ptr(&tlob_cpus, cpu);
}

u64 __tlob_take_news(struct tlob_cpu *c);

/*
 * Returns whether the hypervisor had this CPU since the last boundary. It is asked after the
 * clock was read: if not, nothing was stolen until that reading.
 */
static __always_inline bool tlob_steal_moved(const struct tlob_cpu *c)
{
	return unlikely(READ_ONCE(*c->steal_at) != c->steal);
}

/* Asks for the steal clock of this CPU, which a CPU has only while it is online. Irqs off. */
void tlob_steal_ask(struct tlob_cpu *c);

/*
 * Return what the hypervisor has stolen from the CPU since its steal clock is known: it becomes
 * known while tasks may wait for the CPU. On @c with irqs off, and on any CPU.
 */
static __always_inline u64 tlob_stolen_here(const struct tlob_cpu *c)
{
	return READ_ONCE(*c->steal_at) - c->steal_from;
}

static inline u64 tlob_stolen(const struct tlob_cpu *c)
{
	/* pairs with the release in tlob_steal_ask() */
	u64 clock = READ_ONCE(*smp_load_acquire(&c->steal_at));
	u64 from = READ_ONCE(c->steal_from);

	return clock > from ? clock - from : 0;
}

/*
 * Returns the time of a boundary on this CPU, in ns. First the splits get what
 * an nmi or another CPU left since the last boundary. An nmi between the
 * reading of the clock and the reading of its account would be charged to the wrong
 * side of the boundary. So both are read again until no nmi came between them.
 */
static __always_inline u64 tlob_boundary(struct tlob_cpu *c)
{
	u64 now = tlob_clock();

	barrier();
	if (unlikely(READ_ONCE(c->news)) || tlob_steal_moved(c))
		return __tlob_take_news(c);
	return now;
}

/*
 * Like tlob_boundary(), but without a call. Returns false if something waits or the clock
 * cannot be read inline. Then nothing has changed and the caller calls
 * tlob_boundary(). The caller also calls that after a long stretch, which the split refuses.
 */
static __always_inline bool tlob_boundary_inline(const struct tlob_cpu *c,
						 u64 *now)
{
	if (unlikely(!tlob_clock_inline(now)))
		return false;
	barrier();
	return likely(!READ_ONCE(c->news));
}

/*
 * Returns whether this CPU is armed or in a window. A hook tests only this
 * before it calls the rest of itself out of line. So an unmeasured CPU pays for
 * a load and a branch but not for saving registers.
 */
static __always_inline bool tlob_active(void)
{
	return unlikely(raw_cpu_read(tlob_cpus.active));
}

/* Returns whether the current task of this CPU has windows of the monitor. */
static __always_inline bool tlob_monitored(void)
{
	return unlikely(raw_cpu_read(tlob_cpus.monitored));
}

/*
 * Returns what a hook must account for: 0 for nothing, TLOB_ONLY_ACTIVE for
 * only a run's window.
 */
static __always_inline u32 tlob_watched(void)
{
	return raw_cpu_read(tlob_cpus.watched);
}

/*
 * The value of tlob_cpu.watched with only active set, which is its first byte.
 */
#define TLOB_ONLY_ACTIVE	((__force u32)cpu_to_le32(1))

/* In the hook of a switch: returns whether @prev leaves its CPU to wait for something. */
static __always_inline bool tlob_blocked(bool preempt, const struct task_struct *prev,
					 unsigned int prev_state)
{
	return tlob_da_switch_out(preempt, prev_state,
				  READ_ONCE(prev->__state)) == sleep_tlob;
}

static __always_inline struct tlob_cpu *tlob_this_cpu(void)
{
	return raw_cpu_ptr(&tlob_cpus);
}

/* Walks the running splits: one, or two with noise_source both. Never none. */
#define tlob_for_each_split(c, s)					\
	for ((s) = (c)->split; (s) != (c)->end; (s)++)

/*
 * Changes the interference counter, which need not be exact. An nmi between its
 * load and its store loses its own step. But the interrupted reader still finds
 * a higher value than before.
 */
static __always_inline void tlob_interfere(struct tlob_cpu *c)
{
	/* data_race: an nmi of this CPU may change it between load and store */
	data_race(c->page->interference++);
}

/* window.c */
void tlob_window_init(struct tlob_cpu *c, int cpu);
int  tlob_window_claim(struct tlob_cpu *c, struct task_struct *task);
void tlob_window_measure(struct tlob_cpu *c);
u64  tlob_window_measured(struct tlob_cpu *c);
int  tlob_window_arm(struct tlob_cpu *c);
int  tlob_window_wait(struct tlob_cpu *c);
int  tlob_window_begin(struct tlob_cpu *c);
int  tlob_window_end(struct tlob_cpu *c, struct tlob_window *w, u32 flags);
void tlob_window_kill(struct tlob_cpu *c);

/*
 * Returns whether a window of @c is armed or open, and its task can end it with a record. From
 * another CPU that was so a moment ago.
 */
bool tlob_window_goes_on(const struct tlob_cpu *c);
void tlob_window_end_stopped(void);
void tlob_window_kill_local(struct tlob_cpu *c, enum tlob_abort why);
extern const struct tlob_ring_kind tlob_windows_kind;
extern const struct file_operations tlob_windows_fops;

/*
 * boundary.c, in nmi context: the source of split @i reports @ns that have just
 * passed. @count: counts the nmi; one nmi may report several handlers.
 */
void tlob_nmi_ended(struct tlob_cpu *c, unsigned int i, u64 ns, bool count);

/* hist.c */
size_t tlob_hist_bytes(u32 unavailable);
int  tlob_hist_alloc(struct tlob_cpu *c, u32 unavailable);
void tlob_hist_end(struct tlob_cpu *c);
void tlob_hist_free(struct tlob_cpu *c);
extern const struct file_operations tlob_hist_fops;

#endif /* _TLOB_WINDOW_H */
