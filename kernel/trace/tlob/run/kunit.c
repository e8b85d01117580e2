// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: tests that need the kernel. They test the life of a window without a
 * file in between, and CPUs that go while a run uses them. (User space tests
 * the pure headers; guests test the files: tests/ of tlob-load.)
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <kunit/test.h>

#include "run.h"

#define PERIOD	(10 * NSEC_PER_MSEC)

/* A function that runs as the measured thread of CPU 0, and its result. */
struct measured {
	struct kunit *test;
	void (*run)(struct kunit *test, struct tlob_cpu *c);
	struct completion done;
};

static int measured_thread(void *data)
{
	struct measured *m = data;

	m->run(m->test, tlob_cpu(0));
	complete(&m->done);
	return 0;
}

/*
 * Calls @run in a thread bound to CPU 0 and waits for its end. @run must only
 * expect: a failed KUNIT_ASSERT ends its thread, and this is not the test's
 * thread.
 */
static void measured_run(struct kunit *test,
			 void (*run)(struct kunit *test, struct tlob_cpu *c))
{
	struct measured m = { .test = test, .run = run };
	struct task_struct *task;

	init_completion(&m.done);
	task = kthread_create_on_cpu(measured_thread, &m, 0, "tlob_kunit/%u");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	/* the thread may end before it is asked to */
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&m.done);
	kthread_stop(task);
	put_task_struct(task);
}

static void begin_run(struct kunit *test, enum tlob_workload workload,
		      const struct cpumask *cpus)
{
	tlob_config.workload = workload;
	tlob_config.period_ns = PERIOD;
	tlob_config.budget_ns = PERIOD;
	tlob_config.noise_source = TLOB_HOOKS;
	cpumask_copy(&tlob_config.cpus, cpus);
	KUNIT_ASSERT_EQ(test, tlob_run_start(), 0);
}

static struct tlob_config saved_config;

static int tlob_kunit_init(struct kunit *test)
{
	if (READ_ONCE(tlob_run.state) != TLOB_DISABLED)
		kunit_skip(test, "a run is enabled");
	saved_config = tlob_config;
	return 0;
}

/* KUnit also calls this after a skip: the run that was found is somebody else's. */
static void tlob_kunit_exit(struct kunit *test)
{
	if (test->status == KUNIT_SKIPPED)
		return;
	tlob_run_stop();
	tlob_config = saved_config;
}

static void expect_counted(struct kunit *test, int cpu)
{
	const struct tlob_cpu *c = tlob_cpu(cpu);
	u64 expiries = c->armed_once ?
		       c->activation - c->stats.first_activation + 1 : 0;

	KUNIT_EXPECT_EQ(test, c->stats.windows + c->stats.missed, expiries);
	KUNIT_EXPECT_EQ(test, c->stats.sum_failures, 0);
	KUNIT_EXPECT_EQ(test, c->stats.errors, 0);
}

static void one_life(struct kunit *test, struct tlob_cpu *c)
{
	struct tlob_window w;
	unsigned int i;
	u64 sum = 0;
	int err;

	KUNIT_EXPECT_EQ(test, tlob_window_claim(c, current), 0);
	KUNIT_EXPECT_EQ(test, c->state, TLOB_OPEN);
	KUNIT_EXPECT_EQ(test, tlob_window_arm(c), 0);
	KUNIT_EXPECT_TRUE(test, c->active);
	KUNIT_EXPECT_EQ(test, tlob_window_wait(c), 0);
	KUNIT_EXPECT_EQ(test, tlob_window_begin(c), 0);
	KUNIT_EXPECT_EQ(test, c->state, TLOB_IN_WINDOW);
	usleep_range(1000, 1100);	/* sleeps in the window */
	err = tlob_window_end(c, &w, 0);
	KUNIT_EXPECT_GE(test, err, 0);
	if (err < 0)
		return;		/* there is no record */
	KUNIT_EXPECT_EQ(test, c->state, TLOB_ENDED);
	KUNIT_EXPECT_FALSE(test, c->active);

	for (i = 0; i < TLOB_NR_PARTS; i++)
		sum += w.part_ns[i];
	KUNIT_EXPECT_EQ(test, sum, w.response_ns);
	KUNIT_EXPECT_GE(test, w.part_ns[TLOB_WORK_SLEEP],
			(u64)NSEC_PER_MSEC / 2);
	KUNIT_EXPECT_EQ(test, w.errors, 0);
	KUNIT_EXPECT_EQ(test, c->stats.windows, 1);
	/* the window has ended */
	KUNIT_EXPECT_EQ(test, tlob_window_end(c, &w, 0), -ESRCH);
}

static void window_lives(struct kunit *test)
{
	begin_run(test, TLOB_USER, cpumask_of(0));
	measured_run(test, one_life);
	tlob_run_stop();
	expect_counted(test, 0);
}

static void wrong_states(struct kunit *test, struct tlob_cpu *c)
{
	int armed, begun, ended;
	struct tlob_window w;

	/* no task has claimed the CPU */
	KUNIT_EXPECT_EQ(test, tlob_window_arm(c), -ENODEV);
	KUNIT_EXPECT_EQ(test, tlob_window_begin(c), -ENODEV);
	KUNIT_EXPECT_EQ(test, tlob_window_end(c, &w, 0), -ENODEV);
	KUNIT_EXPECT_EQ(test, tlob_window_claim(c, current), 0);
	KUNIT_EXPECT_EQ(test, tlob_window_begin(c), -ENODEV);
	KUNIT_EXPECT_EQ(test, tlob_window_end(c, &w, 0), -ESRCH);
	/* With irqs off the window does not fire. A failed expectation allocates memory: later. */
	local_irq_disable();
	armed = tlob_window_arm(c);
	begun = tlob_window_begin(c);
	ended = tlob_window_end(c, &w, 0);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, armed, 0);
	KUNIT_EXPECT_EQ(test, begun, -ENODEV);
	KUNIT_EXPECT_EQ(test, ended, -ESRCH);
	/* after the end of everything */
	tlob_window_kill(c);
	KUNIT_EXPECT_EQ(test, tlob_window_arm(c), -ENODEV);
	KUNIT_EXPECT_EQ(test, tlob_window_wait(c), -ENODEV);
	KUNIT_EXPECT_FALSE(test, c->active);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&c->period_timer));
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&c->budget_timer));
}

static void window_refuses(struct kunit *test)
{
	begin_run(test, TLOB_USER, cpumask_of(0));
	measured_run(test, wrong_states);
	tlob_run_stop();
	/* without a run no task may claim */
	KUNIT_EXPECT_EQ(test, tlob_cpu(0)->state, TLOB_CLOSED);
	expect_counted(test, 0);
}

static void not_in_a_run(struct kunit *test, struct tlob_cpu *c)
{
	KUNIT_EXPECT_EQ(test, tlob_window_claim(c, current), -ENODEV);
}

static void claim_needs_a_run(struct kunit *test)
{
	measured_run(test, not_in_a_run);
}

static int other_cpu(struct kunit *test)
{
	unsigned int cpu = cpumask_next(0, cpu_online_mask);

	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	return cpu;
}

/*
 * The CPU goes and its thread ends; the others continue. A CPU that returns stays
 * out.
 */
static void cpu_goes(struct kunit *test)
{
	int cpu = other_cpu(test);
	struct cpumask both;
	u64 windows;

	cpumask_copy(&both, cpumask_of(0));
	cpumask_set_cpu(cpu, &both);
	begin_run(test, TLOB_KTHREAD, &both);
	msleep(100);
	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_EXPECT_TRUE(test, tlob_cpu(cpu)->gone);
	KUNIT_EXPECT_NULL(test, tlob_cpu(cpu)->kthread);
	KUNIT_EXPECT_FALSE(test, tlob_cpu(cpu)->active);
	windows = READ_ONCE(tlob_cpu(0)->stats.windows);
	msleep(100);
	KUNIT_EXPECT_GT(test, READ_ONCE(tlob_cpu(0)->stats.windows), windows);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_NULL(test, tlob_cpu(cpu)->kthread);
	tlob_run_stop();
	KUNIT_EXPECT_GT(test, tlob_cpu(cpu)->stats.windows, 0);
	expect_counted(test, 0);
	expect_counted(test, cpu);
	/* the next run has it */
	KUNIT_EXPECT_EQ(test, tlob_run_start(), 0);
	KUNIT_EXPECT_FALSE(test, tlob_cpu(cpu)->gone);
}

static void cpu_is_gone(struct kunit *test)
{
	int cpu = other_cpu(test);

	tlob_config.workload = TLOB_KTHREAD;
	cpumask_copy(&tlob_config.cpus, cpumask_of(cpu));
	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_EXPECT_EQ(test, tlob_run_start(), -ENODEV);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_EQ(test, tlob_run_start(), 0);
}

static struct kunit_case tlob_window_cases[] = {
	KUNIT_CASE(window_lives),
	KUNIT_CASE(window_refuses),
	KUNIT_CASE(claim_needs_a_run),
	KUNIT_CASE(cpu_goes),
	KUNIT_CASE(cpu_is_gone),
	{}
};

static struct kunit_suite tlob_window_suite = {
	.name = "tlob_window",
	.init = tlob_kunit_init,
	.exit = tlob_kunit_exit,
	.test_cases = tlob_window_cases,
};

kunit_test_suite(tlob_window_suite);
