// SPDX-License-Identifier: GPL-2.0
/* The first sentence about regions and activations: what made the worst of them long. */
#include "attach_sample.h"
#include "result/assertion.h"
#include "report/render.h"

#define LIMIT	"group /work.slice has 20ms per 100ms (cpu.max)"

/* A window that is over its budget by 100 ms more in @part. */
static struct tlob_task_window late_by(unsigned int part)
{
	struct tlob_task_window w = attach_window(SAMPLE_PID, 0);

	w.part_ns[part] += 100000000;
	w.elapsed_ns += 100000000;
	w.flags |= TLOB_TASK_VIOLATION;
	return w;
}

/* The first sentence of @r ends with the cause @wanted. */
static void blames(struct result *r, const char *wanted)
{
	char *text = attach_render(render_outcome, r), *at = strstr(text, "/4242: ");

	assert_non_null(at);
	assert_string_equal(at + strlen("/4242: "), wanted);
	free(text);
}

/* The summary ends with the advice @wanted before its last line; "": with none. */
static void says_next(struct result *r, const char *wanted)
{
	char *text = attach_render(render_summary, r), *at = strstr(text, "next  ");

	if (*wanted)
		assert_non_null(at);
	else
		assert_null(at);
	if (at)
		assert_memory_equal(at, wanted, strlen(wanted));
	free(text);
}

TEST(attach_parts)
{
	static const char * const wanted[TLOB_NR_TASK_PARTS] = {
		[TLOB_TASK_PART_RUNNING] = "99 % running",
		[TLOB_TASK_PART_IRQ] = "98 % in interrupts, the largest local_timer (vector 236)",
		[TLOB_TASK_PART_SOFTIRQ] = "98 % in softirqs",
		[TLOB_TASK_PART_NMI] = "98 % in NMIs",
		[TLOB_TASK_PART_HW] = "98 % in gaps that the kernel cannot explain: SMI or hypervisor",
		[TLOB_TASK_PART_WAITING] = "98 % waiting for the CPU: others ran, or it woke up",
		[TLOB_TASK_PART_SLEEPING] = ">99 % sleeping",
		[TLOB_TASK_PART_TIMER] = "98 % waiting for the timer interrupt",
		[TLOB_TASK_PART_STEAL] = "98 % stolen by the hypervisor",
	};
	struct tlob_task_window w;
	struct result r;
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++) {
		attach_empty(&r);
		w = late_by(i);
		attach_record(&r, 0, &w, NULL);
		assert_shows(attach_render(render_outcome, &r), "1 of 1 windows over 5 ms; worst 102 ms in worker/4242: ");
		blames(&r, wanted[i]);
		result_free(&r);
	}
}

/* The task that had the CPU meanwhile is named. If the CPU was idle, the sentence says so. */
TEST(attach_waited_for)
{
	static const struct {
		struct tlob_noise other;
		const char *says;
	} at[] = {
		{ { .ns = 95000000, .id = 60, .name = "hog" }, "98 % waiting for the CPU while hog (pid 60) ran" },
		{ { .ns = 55000000, .id = 60, .name = "hog" },
		  "98 % waiting for the CPU while other tasks ran, the largest hog (pid 60)" },
		{ { .ns = 95000000, .id = 0, .name = "idle" },
		  "98 % waiting for the CPU, which was idle: it woke up late, or the task may not run" },
		{ { .ns = 45000000, .id = 0, .name = "idle" }, "98 % waiting for the CPU: others ran, or it woke up" },
	};
	struct tlob_task_window w;
	struct result r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		attach_empty(&r);
		w = late_by(TLOB_TASK_PART_WAITING);
		w.largest = at[i].other;
		w.largest.kind = TLOB_NOISE_THREAD;
		attach_record(&r, 0, &w, NULL);
		blames(&r, at[i].says);
		assert_int_equal(r.noise.n, !!at[i].other.id);
		result_free(&r);
	}
}

/* Who kept the thread that runs its timer from the CPU; without a name nobody is blamed. */
TEST(attach_soft_timer)
{
	struct tlob_task_window w = late_by(TLOB_TASK_PART_TIMER);
	struct result r;

	attach_empty(&r);
	w.flags |= TLOB_TASK_SOFT_TIMER;
	attach_record(&r, 0, &w, NULL);
	blames(&r, "98 % waiting for its timer, whose softirq was late");
	says_next(&r, "");
	result_free(&r);

	attach_empty(&r);
	w.largest = (struct tlob_noise){
		.ns = w.part_ns[TLOB_TASK_PART_TIMER], .kind = TLOB_NOISE_THREAD, .id = 60, .name = "hog",
	};
	attach_record(&r, 0, &w, NULL);
	blames(&r, "98 % waiting for its timer, whose softirq waited while hog (pid 60) ran");
	says_next(&r, "next  raise ktimers of that CPU above hog (chrt -f -p): it runs the timer\n");
	attach_record(&r, 0, &w, NULL);
	/* an interrupt that was late is another cause */
	w.flags &= ~TLOB_TASK_SOFT_TIMER;
	attach_record(&r, 0, &w, NULL);
	attach_record(&r, 0, &w, NULL);
	attach_record(&r, 0, &w, NULL);
	assert_int_equal(r.causes.n, 2);
	assert_shows(attach_render(render_outcome, &r),
		     "5 of 5 windows over 5 ms: 3 waiting for the timer interrupt while hog ran, and 2 waiting for its timer, whose softirq waited while hog ran; ");
	says_next(&r, "");
	result_free(&r);
}

/* The same of an activation. */
TEST(attach_limited)
{
	struct tlob_task_window w;
	struct result r;

	attach_empty(&r);
	w = late_by(TLOB_TASK_PART_WAITING);
	w.largest = (struct tlob_noise){
		.ns = 95000000, .kind = TLOB_NOISE_THREAD, .name = TLOB_THROTTLED,
	};
	attach_record(&r, 0, &w, NULL);
	r.limits.by = strdup(LIMIT);
	blames(&r, "98 % throttled: " LIMIT);
	assert_int_equal(r.noise.n, 0);
	result_free(&r);
}

/* Sleep for a lock of the program is named, with who ended it; what is not known is counted. */
TEST(attach_locks)
{
	struct tlob_task_window w = late_by(TLOB_TASK_PART_SLEEPING);
	const struct tlob_wait_waker holder = attach_held_by();
	struct result r, one;

	attach_empty(&r);
	attach_record(&r, 0, &w, NULL);
	attach_record(&r, 0, &w, NULL);
	assert_prints(attach_render(render_outcome, &r),
		      "2 of 2 windows over 5 ms: all sleeping; worst 102 ms in worker/4242: >99 % sleeping");
	says_next(&r, "");
	r.attached->of_threads = true;
	/* also of one */
	attach_empty(&one);
	attach_record(&one, 0, &w, NULL);
	one.attached->of_threads = true;
	says_next(&one, "next  tlob-load waits -d 10s --pid 4242: where they sleep, and who wakes them\n");
	result_free(&one);
	says_next(&r, "next  tlob-load waits -d 10s --pid 4242: where they sleep, and who wakes them\n");
	/* those of a name or a control group */
	r.attached->pid = 0;
	says_next(&r, "next  tlob-load waits -d 10s: where they sleep, and who wakes them\n");
	/* it has both */
	r.waits = true;
	says_next(&r, "");
	result_free(&r);

	attach_empty(&r);
	w.flags |= TLOB_TASK_LOCK;
	attach_record(&r, 0, &w, NULL);
	assert_prints(attach_render(render_outcome, &r),
		      "1 of 1 windows over 5 ms; worst 102 ms in worker/4242: >99 % sleeping for a lock");
	r.worst[0].kept.wait = attach_waited();
	assert_prints(attach_render(render_outcome, &r),
		      "1 of 1 windows over 5 ms; worst 102 ms in worker/4242: >99 % sleeping for a lock, woken by feeder/482");
	/* mostly the holder is who ends the wait */
	r.worst[0].kept.holder = r.worst[0].kept.wait.waker;
	assert_prints(attach_render(render_outcome, &r),
		      "1 of 1 windows over 5 ms; worst 102 ms in worker/4242: >99 % sleeping for a lock, held by feeder/482");
	/* what had most of it, instead of the waker */
	attach_wait_clear(&r.worst[0].kept.wait);
	r.worst[0].kept.wait = attach_chained();
	assert_prints(attach_render(render_outcome, &r),
		      "1 of 1 windows over 5 ms; worst 102 ms in worker/4242: >99 % sleeping for a lock, held by feeder/482, 990 us of 1.4 ms: reader/490 (RR 7) computed, then woke feeder/482, which woke it");
	attach_wait_clear(&r.worst[0].kept.wait);
	r.worst[0].kept.wait = attach_waited();
	r.worst[0].kept.holder.tid = 483;
	assert_prints(attach_render(render_outcome, &r),
		      "1 of 1 windows over 5 ms; worst 102 ms in worker/4242: >99 % sleeping for a lock, held by feeder/483, woken by feeder/482");
	result_free(&r);

	/* a window that is still open when attach ends */
	attach_empty(&r);
	w.flags &= ~TLOB_TASK_ENDED;
	attach_record(&r, 0, &w, NULL);
	attach_holder(&r, attach_of(&w), &holder);
	attach_end(&r);
	assert_prints(attach_render(render_outcome, &r),
		      "1 of 1 windows over 5 ms; worst 102 ms in worker/4242, still running: >99 % sleeping for a lock, held by logger/812");
	result_free(&r);

	attach_empty(&r);
	w = attach_window(SAMPLE_PID, 1);
	attach_record(&r, 0, &w, NULL);
	w.flags |= TLOB_TASK_UNCLEAR;
	attach_record(&r, 0, &w, NULL);
	assert_prints(attach_render(render_outcome, &r),
		      "OK: 2 windows within 5 ms, but 1 may have ended early, in the middle of a cycle; worst 2 ms, 40 % of the budget, in worker/4242");
	result_free(&r);
}

/* A stop or a freeze is a cause of its own, and no sleep. */
TEST(attach_stopped)
{
	static const struct {
		const char *name, *says;
	} at[] = {
		{ TLOB_STOPPED, "stopped by a signal or a debugger" },
		{ TLOB_FROZEN, "frozen with its group" },
	};
	struct tlob_task_window w;
	struct result r;
	char wanted[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		attach_empty(&r);
		w = late_by(TLOB_TASK_PART_SLEEPING);
		w.largest = (struct tlob_noise){ .ns = 99000000, .kind = TLOB_NOISE_THREAD };
		memcpy(w.largest.name, at[i].name, strlen(at[i].name));
		attach_record(&r, 0, &w, NULL);
		attach_record(&r, 0, &w, NULL);
		snprintf(wanted, sizeof(wanted),
			 "2 of 2 windows over 5 ms: all %s; worst 102 ms in worker/4242: >99 %% %s",
			 at[i].says, at[i].says);
		assert_prints(attach_render(render_outcome, &r), wanted);
		r.attached->of_threads = true;
		says_next(&r, "");
		result_free(&r);

		/* a short stop in a long sleep is not its cause */
		attach_empty(&r);
		w.largest.ns = 1000000;
		attach_record(&r, 0, &w, NULL);
		blames(&r, ">99 % sleeping");
		result_free(&r);
	}
}

/* Sleep because the own timer is late: the task that its interrupt has met is named, and counted. */
TEST(attach_timers)
{
	static const struct {
		uint64_t ns;
		int32_t id;
		const char *name, *who, *with_pid;
	} at[] = {
		{ 400000000, 5, "masker", " while masker ran", " while masker (pid 5) ran" },
		{ 400000000, 0, "idle", " while its CPU was idle", " while its CPU was idle" },
		/* this one had the CPU afterwards */
		{ 100000, 5, "later", "", "" },
	};
	struct tlob_task_window w;
	struct result r;
	char wanted[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		attach_empty(&r);
		w = attach_window(SAMPLE_PID, 0);
		w.part_ns[TLOB_TASK_PART_WAITING] += 100000;
		w.part_ns[TLOB_TASK_PART_TIMER] += 400000000;
		w.elapsed_ns += 400100000;
		w.flags |= TLOB_TASK_VIOLATION;
		w.largest = (struct tlob_noise){ .ns = at[i].ns, .id = at[i].id, .kind = TLOB_NOISE_THREAD };
		memcpy(w.largest.name, at[i].name, strlen(at[i].name));
		attach_record(&r, 0, &w, NULL);
		attach_record(&r, 0, &w, NULL);
		snprintf(wanted, sizeof(wanted),
			 "2 of 2 windows over 5 ms: all waiting for the timer interrupt%s; worst 402 ms in worker/4242: 99 %% waiting for the timer interrupt%s",
			 at[i].who, at[i].with_pid);
		assert_prints(attach_render(render_outcome, &r), wanted);
		assert_int_equal(r.delay.n, *at[i].who != 0);
		assert_int_equal(r.noise.n, !*at[i].who);
		r.timer_resolution_ns = 4000000;
		blames(&r, "99 % waiting for a tick, every 4 ms: there are no high-resolution timers");
		result_free(&r);
	}
}

/* The sentence of @r, whose only window is within its budget, ends with @wanted; or it is good. */
static void unpaired(struct result *r, const char *wanted)
{
	struct condition condition;
	char err[200] = "", *text;

	result_sum_counters(r);
	assert_int_equal(condition_parse_words(&condition, &condition_attach_words, "violations==0", err, sizeof(err)), 0);
	assert_int_equal(assertions_judge(&r->assertions, &condition, 1, r), 0);
	text = attach_render(render_outcome, r);
	if (wanted)
		assert_contains(text, wanted);
	assert_int_equal(strncmp(text, wanted ? "UNDECIDED 1 assertion: 1 window" : "OK: 1 window", wanted ? 31 : 12), 0);
	assert_int_equal(verdicts_exit(verdicts_of(&r->assertions, &r->said)), wanted ? EXIT_INCONCLUSIVE : EXIT_PASS);
	assert_int_equal(outcome_is_good(r), !wanted);
	free(text);
	assertions_free(&r->assertions);
}

/* A region whose starts and stops do not pair decides nothing, and says why. */
TEST(attach_unpaired)
{
	struct tlob_task_window w = attach_window(SAMPLE_PID, 0);
	struct result r;

	attach_empty(&r);
	attach_record(&r, 0, &w, NULL);
	attach_end(&r);
	unpaired(&r, NULL);
	/* the module counts those that were inside as it began */
	r.cpu->unmatched = 2;
	unpaired(&r, NULL);
	free(r.backend);
	r.backend = sample_text("bpf");
	unpaired(&r, "; but stops without a start: 2");
	r.cpu->left = 10;
	r.cpu->no_slot = 3;
	r.cpu->unfinished = 1;
	unpaired(&r, "; but windows left before their stop: 10, stops without a start: 2, windows without an end: 1, starts without a free slot: 3");
	/* while it runs, a thread may be inside */
	r.cpu->left = r.cpu->no_slot = r.cpu->unmatched = 0;
	r.attached->ended = false;
	unpaired(&r, NULL);
	r.cpu->nested = 5;
	unpaired(&r, NULL);
	result_free(&r);
}

/* The table has windows that ended; a longer one that was cut off is named as such. */
TEST(attach_cut)
{
	struct result r;
	struct tlob_task_window w = attach_window(SAMPLE_PID, 0);
	char *text;

	attach_empty(&r);
	attach_record(&r, 0, &w, NULL);
	text = attach_render(render_outcome, &r);
	assert_contains(text, "; worst 2 ms, 40 % of the budget, in worker/4242");
	assert_null(strstr(text, "cut off"));
	free(text);
	w.elapsed_ns += 1000000;
	w.part_ns[TLOB_TASK_PART_RUNNING] += 1000000;
	w.flags = TLOB_TASK_CUT;
	attach_record(&r, 0, &w, NULL);
	assert_prints(attach_render(render_outcome, &r),
		      "OK: 1 window within 5 ms; worst 3 ms, 60 % of the budget, in worker/4242, cut off");
	result_free(&r);
}

/* Both the own time and the wait exceed the budget: the longer of them counts. */
TEST(attach_waits_longer)
{
	static const struct {
		uint64_t running, waiting;
		const char *says;
	} at[] = {
		{ 6100000, 8400000, "58 % waiting for the CPU: others ran, or it woke up" },
		{ 8400000, 6100000, "58 % running" },
		{ 4900000, 500000, "91 % running" },
	};
	struct tlob_task_window w;
	struct result r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		attach_empty(&r);
		w = attach_window(SAMPLE_PID, 0);
		attach_record(&r, 0, &w, NULL);
		memset(w.part_ns, 0, sizeof(w.part_ns));
		w.part_ns[TLOB_TASK_PART_RUNNING] = at[i].running;
		w.part_ns[TLOB_TASK_PART_WAITING] = at[i].waiting;
		w.elapsed_ns = at[i].running + at[i].waiting;
		w.flags |= TLOB_TASK_VIOLATION;
		attach_record(&r, 0, &w, NULL);
		blames(&r, at[i].says);
		assert_shows(attach_render(attach_tables, &r, 0),
			     at[i].says,
			     "1 of 2 windows over 5 ms; worst ");
		result_free(&r);
	}
}

UNIT_MAIN(NULL, NULL)
