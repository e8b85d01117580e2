// SPDX-License-Identifier: GPL-2.0
/*
 * The cell that BPF programs and the measuring thread share. Hooks come at every
 * instruction of the thread's two steps, t2 and t3: the processor single-steps, and
 * the handler of its trap runs the hook, as an interrupt would on the thread's CPU.
 */
#include <signal.h>
#include <ucontext.h>

#include <linux/types.h>

#include "unit.h"

static __u64 the_time;

/*
 * Each reading is later than the one before. There are instructions before and after
 * the moment that it returns, as in the real one.
 */
static void (*meanwhile)(void);

static inline __u64 tlob_cell_clock(void)
{
	void (*once)(void) = meanwhile;
	__u64 now;

	meanwhile = NULL;
	if (once)
		once();
	__asm__ volatile("nop; nop; nop" : : : "memory");
	now = __sync_add_and_fetch(&the_time, 10);	/* in one instruction */
	__asm__ volatile("nop; nop; nop" : : : "memory");
	return now;
}

/* The steal clock, in ns. */
static __u64 all_stolen;

struct tlob_cell;

static void (*before_steal)(void);

static inline __u64 tlob_cell_steal(const struct tlob_cell *c)
{
	void (*once)(void) = before_steal;

	(void)c;
	before_steal = NULL;
	if (once)
		once();
	return *(volatile __u64 *)&all_stolen;
}

#include "backend/bpf/cell.h"

#define OWN	100
#define OTHER	200
#define IDLE	0
#define T0	100000
#define BUDGET	1000000
#define IRQ	TLOB_NOISE_IRQ
#define SOFTIRQ	TLOB_NOISE_SOFTIRQ
#define NMI	TLOB_NOISE_NMI

#ifdef TLOB_BPF_OLDER
#define IS_OLDER	true
#else
#define IS_OLDER	false
#endif

/* Only the tests that step through code call it. */
#define UNSTEPPED	__attribute__((unused))

static struct tlob_cell cell;
/* All tests run without a timeline, and then with one. */
static struct tlob_track track;
static bool tracked;
static char other_name[TLOB_NAME_LEN] __attribute__((aligned(8))) = "other";
static char own_name[TLOB_NAME_LEN] __attribute__((aligned(8))) = "own";

static void irq(void)
{
	if (!cell.active)
		return;
	tlob_cell_enter(&cell, IRQ, 9);
	the_time += 300;
	tlob_cell_exit(&cell, IRQ, 9);
}

/* Its handler took 200 ns, all of them since the last reading. */
static void one_nmi(void)
{
	if (!cell.active)
		return;
	the_time += 200;
	tlob_cell_nmi(&cell, 200, true);
}

#define STOLEN	3000	/* more than TLOB_SHORT_NS */

static void steal_now(void)
{
	the_time += STOLEN;
	all_stolen += STOLEN;
}

static UNSTEPPED void steal_once(void)
{
	if (cell.active)
		steal_now();
}

static UNSTEPPED void stolen_irq(void)
{
	if (!cell.active)
		return;
	tlob_cell_enter(&cell, IRQ, 9);
	steal_now();
	the_time += 300;
	tlob_cell_exit(&cell, IRQ, 9);
}

static UNSTEPPED void irq_with_nmi(void)
{
	if (!cell.active)
		return;
	tlob_cell_enter(&cell, IRQ, 9);
	one_nmi();
	the_time += 300;
	tlob_cell_exit(&cell, IRQ, 9);
}

static UNSTEPPED void preemption(void)
{
	if (!cell.active)
		return;
	tlob_cell_switch(&cell, OWN, own_name, false, OTHER);
	the_time += 500;
	tlob_cell_switch(&cell, OTHER, other_name, false, OWN);
}

static void softirq(void)
{
	if (!cell.active)
		return;
	tlob_cell_open(&cell, TLOB_CELL_ENTER, SOFTIRQ, 3);
	the_time += 400;
	irq();
	tlob_cell_open(&cell, TLOB_CELL_EXIT, SOFTIRQ, 3);
}

/* A softirq whose hooks an irq interrupts: it leaves its events in the queue. */
static void interrupted_softirq(void)
{
	if (!cell.active)
		return;
	cell.busy = 1;
	irq();
	cell.busy = 0;
	softirq();
}

/* Armed, asleep, and woken by the timer at T0 + 10: the thread runs. */
static void until_t2(void)
{
	memset(&cell, 0, sizeof(cell));
	cell.pid = OWN;
	cell.steal_at = 1;
	cell.steal = all_stolen;
	cell.track = tracked ? &track : NULL;
	the_time = T0 - 1000;
	tlob_cell_arm(&cell, T0, BUDGET, 1);
	tlob_cell_switch(&cell, OWN, own_name, true, IDLE);
	the_time = T0;
	tlob_cell_enter(&cell, IRQ, -236);
	tlob_cell_open(&cell, TLOB_CELL_T1, 0, 0);
	the_time += 100;
	tlob_cell_exit(&cell, IRQ, -236);
	tlob_cell_switch(&cell, IDLE, other_name, false, OWN);
}

static UNSTEPPED __u64 timer_irq_ns(void)
{
	until_t2();
	return cell.split.part[TLOB_WAKE_IRQ];
}

static UNSTEPPED __u64 both(enum tlob_noise_kind kind)
{
	return cell.split.part[TLOB_WAKE_IRQ + kind] + cell.split.part[TLOB_WORK_IRQ + kind];
}

/* The spans follow one another up to t3, and add up to the parts. */
static void check_track(__u64 t3)
{
	__u64 part[TLOB_NR_PARTS] = { 0 }, at;
	struct tlob_timeline t;
	unsigned int i;

	tlob_track_copy(&t, &track);
	assert_int_equal(t.not_kept, 0);
	for (at = 0, i = 0; i < t.spans; at = t.span[i++].end_ns) {
		assert_true(t.span[i].end_ns > at);
		part[t.span[i].part] += t.span[i].end_ns - at;
	}
	assert_int_equal(at, t3 - T0);
	assert_memory_equal(part, cell.split.part, sizeof(part));
}

static void check_sums(__u64 t3)
{
	const struct tlob_split *s = &cell.split;

	assert_int_equal(tlob_split_sum(s->part, false), cell.t2 - T0);
	assert_int_equal(tlob_split_sum(s->part, true), t3 - cell.t2);
	assert_int_equal(s->errors, 0);
	assert_int_equal(s->steps, 0);
	assert_int_equal(s->adjusted, 0);
	assert_int_equal(cell.lost, 0);
	/* no case is plain with a timeline: a hook reads the clock once more */
	assert_int_equal(cell.t1, T0 + 20 + 10 * tracked);
	if (tracked)
		check_track(t3);
}

TEST(test_quiet)
{
	__u64 t3;

	until_t2();
	tlob_cell_begin(&cell);
	the_time += 5000;
	t3 = tlob_cell_end(&cell);
	check_sums(t3);
	assert_int_equal(cell.active, 0);
	assert_int_equal(cell.split.part[TLOB_WAKE_IRQ_DELAY], 10 + 10 * tracked);
	assert_int_equal(cell.split.part[TLOB_WORK_ON_CPU], 5010);
	assert_int_equal(cell.split.switches, 0);
}

/* An nmi is charged to the phase that it ran in, also when the nmi itself applies t2. */
TEST(test_phases)
{
	__u64 t3;

	until_t2();
	one_nmi();
	tlob_cell_begin(&cell);
	one_nmi();
	irq();
	one_nmi();
	t3 = tlob_cell_end(&cell);
	check_sums(t3);
	assert_int_equal(cell.split.part[TLOB_WAKE_NMI], 200);
	assert_int_equal(cell.split.part[TLOB_WORK_NMI], 400);
	assert_int_equal(cell.split.part[TLOB_WORK_IRQ], 310 + 10 * tracked);
	assert_int_equal(cell.split.count[0][NMI], 1);
	assert_int_equal(cell.split.count[1][NMI], 2);
	assert_int_equal(cell.split.largest.ns, 310 + 10 * tracked);
	assert_int_equal(cell.split.largest.id, 9);
}

TEST(test_queue)
{
	unsigned int i;
	__u64 t3;

	until_t2();
	tlob_cell_begin(&cell);
	interrupted_softirq();
	t3 = tlob_cell_end(&cell);
	check_sums(t3);
	assert_int_equal(cell.queued, 2);
	assert_int_equal(cell.split.count[1][IRQ], 2);
	assert_int_equal(cell.split.count[1][SOFTIRQ], 1);

	/* A full queue drops events, which is counted, and the sums still hold. */
	until_t2();
	tlob_cell_begin(&cell);
	cell.busy = 1;
	for (i = 0; i < TLOB_CELL_QUEUE; i++)
		irq();
	cell.busy = 0;
	irq();
	t3 = tlob_cell_end(&cell);
	assert_int_equal(cell.lost, TLOB_CELL_QUEUE);
	assert_true(cell.split.errors >= TLOB_CELL_QUEUE);
	assert_int_equal(tlob_split_sum(cell.split.part, true), t3 - cell.t2);
}

/* A timer that was started after t0 has no irq_delay to report. */
TEST(test_late_sleep)
{
	memset(&cell, 0, sizeof(cell));
	cell.pid = OWN;
	cell.steal_at = 1;
	cell.steal = all_stolen;
	the_time = T0 - 1000;
	tlob_cell_arm(&cell, T0, BUDGET, 1);
	the_time = T0 + 50;
	tlob_cell_switch(&cell, OWN, own_name, true, IDLE);
	tlob_cell_enter(&cell, IRQ, -236);
	tlob_cell_open(&cell, TLOB_CELL_T1, 0, 0);
	tlob_cell_exit(&cell, IRQ, -236);
	tlob_cell_switch(&cell, IDLE, other_name, false, OWN);
	tlob_cell_begin(&cell);
	tlob_cell_end(&cell);
	assert_int_equal(cell.split.errors, 1);
}

/*
 * The timer's interrupt comes @delay after T0, and the thread gets the CPU @wait later. Wake-ups are late
 * from 5000 on. @over: more is a violation.
 */
static void wake_up_after(__u64 delay, __u64 wait, __u64 over, bool late)
{
	__u64 thread;

	memset(&cell, 0, sizeof(cell));
	cell.pid = OWN;
	cell.late_ns = 5000;
	cell.over_ns = over;
	the_time = T0 - 1000;
	tlob_cell_arm(&cell, T0, BUDGET, 1);
	tlob_cell_switch(&cell, OWN, own_name, true, OTHER);
	the_time = T0 + delay;
	tlob_cell_enter(&cell, IRQ, -236);
	/* before t1 the timer is not known to be late */
	assert_false(tlob_cell_is_late(&cell, the_time));
	tlob_cell_open(&cell, TLOB_CELL_T1, 0, 0);
	tlob_cell_exit(&cell, IRQ, -236);
	the_time = T0 + delay + wait;
	tlob_cell_switch(&cell, OTHER, other_name, false, OWN);
	assert_int_equal(tlob_cell_is_late(&cell, cell.split.last), late);
	/* what looking takes belongs to the task that is looked at, and the next switch ends none of it */
	thread = cell.split.part[TLOB_WAKE_THREAD];
	the_time += 7000;
	tlob_cell_charge_thread(&cell);
	assert_true(cell.split.part[TLOB_WAKE_THREAD] >= thread + 7000);
	tlob_cell_begin(&cell);
	assert_false(tlob_cell_is_late(&cell, the_time));
	the_time += 10000;
	preemption();
	assert_false(tlob_cell_is_late(&cell, the_time));
	tlob_cell_end(&cell);
	assert_int_equal(cell.split.count[0][TLOB_NOISE_THREAD], 1);
}

TEST(test_late_wake)
{
	wake_up_after(10, 100, 0, false);
	wake_up_after(10, 4800, 0, false);
	wake_up_after(10, 5000, 0, true);
	wake_up_after(4000, 4500, 0, true);
	/* most of it was the timer's delay */
	wake_up_after(5000, 100, 0, false);
	wake_up_after(90000, 80000, 0, false);
	/* to look would make a violation */
	wake_up_after(10, 90000, 100000, false);
	wake_up_after(10, 40000, 100000, true);
	wake_up_after(10, 101000, 100000, true);
}

/* A wake-up that no hook saw is not short: the timer had expired when the thread ran. */
TEST(test_unseen_timer)
{
	__u64 t3;

	until_t2();
	tlob_cell_begin(&cell);
	tlob_cell_end(&cell);
	assert_int_equal(tlob_cell_irq_latency(&cell), cell.t1 - T0);
	assert_true(cell.t1 < cell.t2);

	memset(&cell, 0, sizeof(cell));
	cell.pid = OWN;
	cell.steal_at = 1;
	cell.steal = all_stolen;
	the_time = T0 - 1000;
	tlob_cell_arm(&cell, T0, BUDGET, 1);
	tlob_cell_switch(&cell, OWN, own_name, true, IDLE);
	the_time = T0 + 50;
	tlob_cell_switch(&cell, IDLE, other_name, false, OWN);
	tlob_cell_begin(&cell);
	t3 = tlob_cell_end(&cell);
	assert_int_equal(tlob_cell_irq_latency(&cell), cell.t2 - T0);
	assert_int_equal(cell.split.part[TLOB_WAKE_IRQ_DELAY], cell.t2 - T0);
	assert_int_equal(tlob_split_sum(cell.split.part, true), t3 - cell.t2);
	assert_true(cell.split.errors);
}

/* Armed and asleep; @early and @late are stolen before and after t0, up to the timer's irq. */
static void until_stolen_irq(__u64 early, __u64 late)
{
	memset(&cell, 0, sizeof(cell));
	cell.pid = OWN;
	cell.steal_at = 1;
	cell.steal = all_stolen;
	cell.track = tracked ? &track : NULL;
	the_time = T0 - 100000;
	tlob_cell_arm(&cell, T0, BUDGET, 1);
	all_stolen += 40000;	/* seen by the switch: before t0 */
	tlob_cell_switch(&cell, OWN, own_name, true, IDLE);
	all_stolen += early + late;
	the_time = T0 + late;
	tlob_cell_enter(&cell, IRQ, -236);
	tlob_cell_open(&cell, TLOB_CELL_T1, 0, 0);
	tlob_cell_exit(&cell, IRQ, -236);
}

/* The window has only what was stolen after t0. */
TEST(test_stolen_across_t0)
{
	__u64 t3, delay;

	until_stolen_irq(30000, 0);
	delay = cell.split.part[TLOB_WAKE_IRQ_DELAY] + cell.split.part[TLOB_WAKE_STEAL];
	until_stolen_irq(30000, 9000);
	/* the long stretch takes readings of the clock */
	assert_in_range(cell.split.part[TLOB_WAKE_IRQ_DELAY] + cell.split.part[TLOB_WAKE_STEAL],
			9000 + delay, 9020 + delay);
	assert_in_range(cell.split.part[TLOB_WAKE_STEAL], 9000, 9020);
	tlob_cell_switch(&cell, IDLE, other_name, false, OWN);
	tlob_cell_begin(&cell);
	t3 = tlob_cell_end(&cell);
	assert_int_equal(tlob_split_sum(cell.split.part, false), cell.t2 - T0);
	assert_int_equal(tlob_split_sum(cell.split.part, true), t3 - cell.t2);
	assert_int_equal(cell.split.adjusted, 0);
	assert_int_equal(cell.split.errors, 0);
}

/* Stolen in the irq, on the way to user mode, in the work, and after its last hook. */
TEST(test_stolen)
{
	__u64 wake, t3;

	until_t2();
	wake = cell.split.part[TLOB_WAKE_SCHED];
	steal_now();
	tlob_cell_begin(&cell);
	stolen_irq();
	steal_now();
	t3 = tlob_cell_end(&cell);
	check_sums(t3);
	assert_int_equal(cell.split.part[TLOB_WAKE_STEAL], STOLEN);
	assert_in_range(cell.split.part[TLOB_WAKE_SCHED], wake, wake + 20);
	assert_int_equal(cell.split.part[TLOB_WORK_STEAL], 2 * STOLEN);
	assert_in_range(cell.split.part[TLOB_WORK_IRQ], 310, 340);
	assert_int_equal(cell.split.largest.ns, cell.split.part[TLOB_WORK_IRQ]);
}

/* Another CPU wakes the thread. The hypervisor is late to run this one, and not before that. */
TEST(test_stolen_wakeup)
{
	__u64 t3;

	until_t2();
	tlob_cell_begin(&cell);
	tlob_cell_switch(&cell, OWN, own_name, true, IDLE);
	the_time += 1000;
	tlob_cell_wakeup(&cell, false);
	steal_now();
	tlob_cell_switch(&cell, IDLE, other_name, false, OWN);
	t3 = tlob_cell_end(&cell);
	check_sums(t3);
	assert_int_equal(cell.split.part[TLOB_WORK_SLEEP], 1010);
	assert_int_equal(cell.split.part[TLOB_WORK_STEAL], STOLEN);
	assert_in_range(cell.split.part[TLOB_WORK_THREAD], 10, 30);
}

/* A wake-up on the own CPU separates the noise before it from the noise after it. */
TEST(test_wakeup_here)
{
	__u64 t3;

	until_t2();
	tlob_cell_begin(&cell);
	tlob_cell_switch(&cell, OWN, own_name, true, OTHER);
	the_time += 3000;
	tlob_cell_nmi(&cell, 500, true);
	the_time += 3000;
	steal_now();
	tlob_cell_wakeup(&cell, true);
	the_time += 8000;
	tlob_cell_nmi(&cell, 2000, true);
	the_time += 1000;
	tlob_cell_switch(&cell, OTHER, other_name, false, OWN);
	t3 = tlob_cell_end(&cell);
	check_sums(t3);
	assert_int_equal(cell.split.part[TLOB_WORK_STEAL], STOLEN);
	assert_int_equal(cell.split.part[TLOB_WORK_NMI], 2500);
	assert_in_range(cell.split.part[TLOB_WORK_SLEEP], 6000 - 500, 6000 - 500 + 60);
	assert_in_range(cell.split.part[TLOB_WORK_THREAD], 9000 - 2000, 9000 - 2000 + 60);
}

static void nmi_comes(void)
{
	the_time += 500;
	tlob_cell_nmi(&cell, 500, true);
}

/* An nmi comes between the steal clock and the clock: what was stolen before is not found behind it. */
TEST(test_wakeup_here_nmi)
{
	__u64 t3;

	until_t2();
	tlob_cell_begin(&cell);
	tlob_cell_switch(&cell, OWN, own_name, true, OTHER);
	the_time += 10000;
	steal_now();
	meanwhile = nmi_comes;
	tlob_cell_wakeup(&cell, true);
	the_time += 30000;
	tlob_cell_switch(&cell, OTHER, other_name, false, OWN);
	t3 = tlob_cell_end(&cell);
	check_sums(t3);
	assert_int_equal(cell.split.part[TLOB_WORK_STEAL], STOLEN);
	assert_int_equal(cell.split.part[TLOB_WORK_NMI], 500);
	assert_in_range(cell.split.part[TLOB_WORK_SLEEP], 10000, 10060);
	assert_in_range(cell.split.part[TLOB_WORK_THREAD], 30000, 30060);
}

static void irq_comes(void)
{
	tlob_cell_enter(&cell, IRQ, 7);
	the_time += 300;
	tlob_cell_exit(&cell, IRQ, 7);
	steal_now();
}

/* In a hook with irqs on an irq comes, and then the hypervisor, before t2 is applied. */
TEST(test_stolen_after_queued)
{
	__u64 t3;

	until_t2();
	the_time += 2ULL * STOLEN;
	tlob_cell_begin(&cell);
	the_time += 5000;
	before_steal = irq_comes;
	tlob_cell_open(&cell, TLOB_CELL_ENTER, SOFTIRQ, 3);
	the_time += 1000;
	tlob_cell_open(&cell, TLOB_CELL_EXIT, SOFTIRQ, 3);
	t3 = tlob_cell_end(&cell);
	check_sums(t3);
	assert_int_equal(cell.split.part[TLOB_WORK_STEAL] + cell.split.part[TLOB_WAKE_STEAL], STOLEN);
	assert_in_range(cell.split.part[TLOB_WORK_IRQ], 300, 340);
	assert_in_range(cell.split.part[TLOB_WORK_SOFTIRQ], 1000, 1100);
	assert_int_equal(cell.split.adjusted, 0);
}

/* Woken by another CPU, then an event that a hook with irqs on leaves in the queue: the wake-up is first. */
TEST(test_wakeup_before_queued)
{
	__u64 t3;

	until_t2();
	tlob_cell_begin(&cell);
	tlob_cell_switch(&cell, OWN, own_name, true, OTHER);
	the_time += 1000;
	tlob_cell_wakeup(&cell, false);
	the_time += 5000;
	cell.busy = 1;
	tlob_cell_enter(&cell, IRQ, 7);
	the_time += 300;
	tlob_cell_exit(&cell, IRQ, 7);
	cell.busy = 0;
	the_time += 1000;
	tlob_cell_switch(&cell, OTHER, other_name, false, OWN);
	t3 = tlob_cell_end(&cell);
	check_sums(t3);
	assert_in_range(cell.split.part[TLOB_WORK_SLEEP], 1000, 1060);
	assert_in_range(cell.split.part[TLOB_WORK_IRQ], 300, 340);
	assert_in_range(cell.split.part[TLOB_WORK_THREAD], 6000, 6100);
	assert_int_equal(cell.split.adjusted, 0);
}

TEST(test_sleep_in_work)
{
	__u64 t3, left;

	until_t2();
	tlob_cell_begin(&cell);
	tlob_cell_switch(&cell, OWN, own_name, true, OTHER);
	left = the_time;
	the_time += 1000;
	tlob_cell_wakeup(&cell, false);		/* from another CPU, 1010 later */
	the_time += 500;
	tlob_cell_wakeup(&cell, true);		/* awake already */
	tlob_cell_switch(&cell, OTHER, other_name, false, OWN);
	t3 = tlob_cell_end(&cell);
	check_sums(t3);
	assert_int_equal(cell.split.part[TLOB_WORK_SLEEP], 1010);
	assert_int_equal(cell.split.part[TLOB_WORK_THREAD], the_time - 10 - left - 1010);
	assert_int_equal(cell.split.switches, 1);
	assert_string_equal(cell.split.largest.name, "other");
}

#if defined(__x86_64__)
#define TRAP_FLAG	0x100
#define MOST_STEPS	5000

#define STEPS_AFTER	8	/* the window has ended: nothing to see any more */

static unsigned int step, after, at_step[2];
static void (*event[2])(void);

static void trapped(int sig, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	unsigned int i;

	(void)sig;
	(void)info;
	step++;
	after += !cell.active;
	if (after == STEPS_AFTER)
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	for (i = 0; i < 2; i++)
		if (event[i] && step == at_step[i])
			event[i]();
}

static inline void step_on(void)
{
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i" (TRAP_FLAG) : "memory", "cc");
}

static inline void step_off(void)
{
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq" : : "i" (~TRAP_FLAG) : "memory", "cc");
}

/* The time that each event adds if it comes in the window. */
static const struct {
	void (*event)(void);
	unsigned int irqs, softirqs, nmis, threads, steals;
} kinds[] = {
	{ irq, 1, 0, 0, 0, 0 },
	{ one_nmi, 0, 0, 1, 0, 0 },
	{ irq_with_nmi, 1, 0, 1, 0, 0 },
	{ preemption, 0, 0, 0, 1, 0 },
	{ softirq, 1, 1, 0, 0, 0 },
	{ interrupted_softirq, 2, 1, 0, 0, 0 },
	{ steal_once, 0, 0, 0, 0, 1 },
	{ stolen_irq, 1, 0, 0, 0, 1 },
};

#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static unsigned int count_of(enum tlob_noise_kind kind)
{
	return cell.split.count[0][kind] + cell.split.count[1][kind];
}

static __u64 stolen_ns(void)
{
	return cell.split.part[TLOB_WAKE_STEAL] + cell.split.part[TLOB_WORK_STEAL];
}

static unsigned int events_seen(void)
{
	return count_of(IRQ) - 1 + count_of(SOFTIRQ) + count_of(NMI) +
	       count_of(TLOB_NOISE_THREAD) + !!stolen_ns();
}

/* One window, with the events at their steps. Returns the steps that there were. */
static unsigned int window(__u64 timer_ns)
{
	__u64 t3;

	until_t2();
	step = 0;
	after = 0;
	step_on();
	tlob_cell_begin(&cell);
	t3 = tlob_cell_end(&cell);
	step_off();
	check_sums(t3);
	/* irqs are 310 ns net, an nmi in one comes on top; nmis are 200 */
	assert_int_equal(both(NMI), 200 * (__u64)count_of(NMI));
	assert_in_range(both(IRQ), timer_ns + 310 * (count_of(IRQ) - 1),
			timer_ns + 360 * (count_of(IRQ) - 1));
	return step;
}

/* Each kind of event at each instruction. It is accounted for, or it came too late. */
TEST(test_each_instruction)
{
	__u64 timer_ns = timer_irq_ns();
	unsigned int k, last, in_wake, in_work, late;

	at_step[1] = 0;
	for (k = 0; k < NR_KINDS; k++) {
		event[0] = kinds[k].event;
		in_wake = in_work = late = 0;
		last = MOST_STEPS;
		for (at_step[0] = 1; at_step[0] < last; at_step[0]++) {
			last = window(timer_ns);
			assert_true(last < MOST_STEPS);
			if (!events_seen()) {
				late++;
				continue;
			}
			/* once it is too late, it stays too late */
			assert_int_equal(late, 0);
			assert_int_equal(count_of(IRQ), 1 + kinds[k].irqs);
			assert_int_equal(count_of(SOFTIRQ), kinds[k].softirqs);
			assert_int_equal(count_of(NMI), kinds[k].nmis);
			assert_int_equal(count_of(TLOB_NOISE_THREAD), kinds[k].threads);
			assert_int_equal(stolen_ns(), kinds[k].steals * STOLEN);
			if (cell.split.count[1][IRQ] + cell.split.count[1][NMI] +
			    cell.split.count[1][TLOB_NOISE_THREAD] ||
			    cell.split.part[TLOB_WORK_STEAL])
				in_work++;
			else
				in_wake++;
		}
		print_message("event %u: %u instructions: %u before t2, %u before t3, %u after\n",
			      k, last, in_wake, in_work, late);
		assert_true(in_wake > 2 && in_work > 5 && late > 2);
	}
}

/* Two events, the second up to six instructions after the first. */
TEST(test_pairs)
{
	__u64 timer_ns = timer_irq_ns();
	unsigned int a, b, seen;

	if (!tracked || IS_OLDER) {
		print_message("pairs take half a minute: those with a timeline have all that the others have\n");
		skip();
	}
	for (a = 0; a < NR_KINDS; a++)
		for (b = 0; b < NR_KINDS; b++) {
			event[0] = kinds[a].event;
			event[1] = kinds[b].event;
			at_step[0] = 0;
			do {
				at_step[0]++;
				seen = 0;
				for (at_step[1] = at_step[0] + 1; at_step[1] <= at_step[0] + 6; at_step[1]++) {
					window(timer_ns);
					seen += events_seen();
				}
			} while (seen);	/* until both come after the window */
			assert_true(at_step[0] > 10);
		}
}

static void begin_stepping(void)
{
	struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
}
#else
TEST(test_each_instruction)
{
	print_message("single-stepping is written for x86-64 only\n");
	skip();
}

TEST(test_pairs)
{
	test_each_instruction(state);
}

static void begin_stepping(void)
{
}
#endif

int main(void)
{
	begin_stepping();
	if (unit_run(NULL, NULL))
		return 1;
	tracked = true;
	return unit_run(NULL, NULL);
}
