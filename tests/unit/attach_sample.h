/* SPDX-License-Identifier: GPL-2.0 */
/* Records of the monitor and a result made of them, for the tests of attach. */
#ifndef TLOB_ATTACH_SAMPLE_H
#define TLOB_ATTACH_SAMPLE_H

#include "report/report.h"
#include "result/attached.h"
#include "sample.h"

#define SAMPLE_PID	4242
#define SAMPLE_BUDGET	5000000ULL
#define SAMPLE_BEGAN	7000000000ULL

/* A window of 2 ms that ended within its budget; the task slept 1.5 ms. */
static inline struct tlob_task_window attach_window(uint32_t tid, uint64_t n)
{
	struct tlob_task_window w = {
		.version = TLOB_EVENT_VERSION,
		.size = sizeof(w),
		.flags = TLOB_TASK_ENDED,
		.tid = tid,
		.tgid = SAMPLE_PID,
		.state = TLOB_TASK_RUNNING,
		.switches = 1,
		.start_ns = SAMPLE_BEGAN + n * 10000000,
		.elapsed_ns = 2000000,
		.threshold_ns = SAMPLE_BUDGET,
		.unavailable = 1U << TLOB_TASK_PART_HW,
		.comm = "worker",
		.binding = "attach_1",
	};

	w.part_ns[TLOB_TASK_PART_RUNNING] = 490000;
	w.part_ns[TLOB_TASK_PART_SLEEPING] = 1500000;
	w.part_ns[TLOB_TASK_PART_IRQ] = 10000;
	w.count[TLOB_NOISE_IRQ] = 2;
	w.largest = (struct tlob_noise){
		.ns = 6000, .id = 236, .kind = TLOB_NOISE_IRQ,
		.name = "local_timer",
	};
	return w;
}

/* @w as a result has it. */
static inline const struct kept_window *attach_of(const struct tlob_task_window *w)
{
	static struct kept_window k;

	attach_kept(&k, w);
	return &k;
}

/* The same window, with @more ns in which other tasks ran. */
static inline struct tlob_task_window attach_longer(uint32_t tid, uint64_t n,
						    uint64_t more)
{
	struct tlob_task_window w = attach_window(tid, n);

	w.elapsed_ns += more;
	w.part_ns[TLOB_TASK_PART_WAITING] += more;
	if (w.elapsed_ns > w.threshold_ns)
		w.flags |= TLOB_TASK_VIOLATION;
	return w;
}

static inline void attach_empty(struct result *r)
{
	assert_int_equal(attach_begin(r), 0);
	r->command = sample_text("tlob-load attach ./prog --start work --stop done -b 5ms");
	r->kernel = sample_text("6.12.48-rt #1 SMP PREEMPT_RT");
	r->backend = sample_text("tlob");
	r->machine = sample_text("x86_64");
	r->attached->file = sample_text("/tmp/prog");
	r->attached->unmeasured_most = 10000;
	r->attached->program = sample_text("/tmp/prog");
	r->attached->start = (struct attach_place){ sample_text("work"), { 1, { 0x1139 } } };
	r->attached->stop = (struct attach_place){ sample_text("0x1150"), { 1, { 0x1150 } } };
	r->attached->pid = SAMPLE_PID;
	r->attached->started_it = true;
	r->attached->ended = true;
	r->budget_ns = SAMPLE_BUDGET;
	r->started = 1763613295;
	r->attached->began_ns = SAMPLE_BEGAN;
	result_set_clock(r, 16);
	r->duration_ns = 2000123456;
}

/* Who holds a lock. */
static inline struct tlob_wait_waker attach_held_by(void)
{
	return (struct tlob_wait_waker){
		.kind = TLOB_WAKER_TASK, .tid = 812, .tgid = 810, .comm = "logger",
	};
}

/* The longest wait of the window that began at @start_ns: 1.4 ms in a queue, ended by a thread. */
static inline struct attach_wait attach_waited(void)
{
	static const struct attach_frame frame[] = {
		{ (char *)"schedule", true }, { (char *)"futex_wait", true },
		{ (char *)"do_futex", true }, { (char *)"__x64_sys_futex", true },
		{ (char *)"pthread_cond_wait", false }, { (char *)"Queue::pop", false },
		{ (char *)"reply", false }, { (char *)"serve", false }, { (char *)"main", false },
		{ (char *)"_start", false },
	};
	struct attach_wait wait = {
		.ns = 1400000, .nframe = sizeof(frame) / sizeof(frame[0]),
		.waker = { .kind = TLOB_WAKER_TASK, .tid = 482, .tgid = 480, .comm = "feeder" },
	};
	size_t i;

	wait.frame = calloc(wait.nframe, sizeof(*wait.frame));
	assert_non_null(wait.frame);
	for (i = 0; i < wait.nframe; i++)
		wait.frame[i] = (struct attach_frame){
			sample_text(frame[i].name), frame[i].kernel,
		};
	return wait;
}

/* The same with the chain behind it: 1 ms of it on a CPU, 0.3 ms asleep, 0.1 ms behind another task. */
static inline struct attach_wait attach_chained(void)
{
	static const struct chain_segment chain[] = {
		{ .kind = SEGMENT_UNKNOWN, .ns = 50000 },
		{ .kind = SEGMENT_SLEEP, .ns = 250000, .tid = 490, .comm = "reader", .by = END_IRQ, .blocked = true,
		  .other = { .kind = TLOB_NOISE_IRQ, .id = 24, .name = "nvme0q1" } },
		{ .kind = SEGMENT_WAIT, .ns = 100000, .tid = 490, .comm = "reader", .policy = "RR 7",
		  .other = { .kind = TLOB_NOISE_THREAD, .id = 60, .name = "hog", .policy = "ordinary" } },
		{ .kind = SEGMENT_RUN, .ns = 990000, .tid = 490, .comm = "reader", .policy = "RR 7" },
		{ .kind = SEGMENT_RUN, .ns = 10000, .tid = 482, .comm = "feeder" },
	};
	struct attach_wait wait = attach_waited();

	wait.nchain = sizeof(chain) / sizeof(chain[0]);
	wait.chain = calloc(wait.nchain, sizeof(*wait.chain));
	assert_non_null(wait.chain);
	memcpy(wait.chain, chain, sizeof(chain));
	return wait;
}

/* 100 windows; two over the budget, one of another process, one cut, one open. */
static inline void attach_sample(struct result *r)
{
	struct tlob_task_window w;
	unsigned int i;

	attach_empty(r);
	for (i = 0; i < 98; i++) {
		w = attach_window(SAMPLE_PID, i);
		assert_int_equal(attach_record(r, 0, &w, NULL), ATTACH_WITHIN);
	}
	for (; i < 100; i++) {
		w = attach_longer(SAMPLE_PID + 1, i, i * 1000000ULL);
		assert_int_equal(attach_record(r, 0, &w, NULL), ATTACH_VIOLATION);
	}
	w.tgid = SAMPLE_PID + 7;
	assert_int_equal(attach_record(r, 0, &w, NULL), ATTACH_OTHER);
	w = attach_window(SAMPLE_PID, 200);
	w.flags = TLOB_TASK_CUT;
	assert_int_equal(attach_record(r, 0, &w, NULL), ATTACH_WITHIN);
	w = attach_longer(SAMPLE_PID, 201, 4000000);
	w.flags = TLOB_TASK_VIOLATION;
	assert_int_equal(attach_record(r, 0, &w, NULL), ATTACH_OVER);
	attach_end(r);
}

/* 20 windows with 30 us in the set lock, and one without room for its times. */
static inline void attach_functions_sample(struct result *r)
{
	struct window_functions f = { .n = 1, .at[0] = {
		.calls = 3, .max_ns = 12000, .longest = "rt_spin_lock",
		.part_ns = { [TLOB_WORK_ON_CPU] = 20000, [TLOB_WORK_SLEEP] = 10000 },
	} };
	struct tlob_task_window w;
	unsigned int i;

	attach_empty(r);
	r->functions = calloc(1, sizeof(*r->functions));
	r->cpu->functions = function_totals_new(1);
	assert_true(r->functions && r->cpu->functions);
	*r->functions = (struct function_sets){
		.mechanism = sample_text("fprobe"), .probe_ns = 748, .of_tasks = true, .n = 1,
		.at[0] = { .name = "lock", .words = sample_text("rt_*lock"), .functions = 4 },
	};
	for (i = 0; i < 21; i++) {
		w = attach_window(SAMPLE_PID, i);
		w.elapsed_ns += 20 - i;
		w.part_ns[TLOB_TASK_PART_RUNNING] += 20 - i;
		assert_int_equal(attach_record(r, 0, &w, i < 20 ? &f : NULL),
				 ATTACH_WITHIN);
	}
}

/* Adds up @r as attach does at its end. A test may have changed it. */
static inline struct result *attach_summed(struct result *r)
{
	assert_int_equal(attach_describe(r), 0);
	result_sum(r);
	return r;
}

/* The output of @render for @a; the caller frees it. */
#define attach_render(render, a, ...) sample_render(render, attach_summed(a), ##__VA_ARGS__)

/* As @render of attach_render(). */
static inline int attach_tables(FILE *f, const struct result *r, int unused)
{
	const char *name = "attach";
	const struct report one = { .r = (struct result *)r, .name = &name, .n = 1 };

	(void)unused;
	return report_markdown(f, &one);
}

#endif /* TLOB_ATTACH_SAMPLE_H */
