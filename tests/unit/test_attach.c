// SPDX-License-Identifier: GPL-2.0
/* attach makes the right counts, lines and summary of records. */
#include <errno.h>

#include "attach_sample.h"
#include "report/region.h"
#include "report/render.h"
#include "result/parts.h"

TEST(test_counts)
{
	struct result r;

	attach_sample(&r);
	assert_int_equal(r.cpu->windows, 100);
	assert_int_equal(r.cpu->violations, 2);
	assert_int_equal(r.cpu->missed, 1);
	assert_int_equal(r.cpu->cut, 1);
	assert_int_equal(r.cpu->open, 1);
	assert_int_equal(r.cpu->others, 1);
	assert_int_equal(r.attached->nother, 1);
	assert_int_equal(r.cpu->sum_failures, 0);
	assert_int_equal(r.cpu->hist[TLOB_METRIC_RESPONSE].n, 100);
	assert_int_equal(r.cpu->hist[TLOB_METRIC_RESPONSE].max, 101000000);
	assert_int_equal(r.cpu->hist[TLOB_METRIC_PARTS + TLOB_WORK_THREAD].max,
			 99000000);
	assert_int_equal(r.cpu->hist[TLOB_METRIC_PARTS + TLOB_WORK_HW].n, 0);
	assert_int_equal(r.nworst, RESULT_WORST);
	assert_int_equal(r.worst[0].w.response_ns, 101000000);
	assert_int_equal(r.worst[1].w.response_ns, 100000000);
	assert_int_equal(r.worst[2].w.response_ns, 6000000);
	result_free(&r);
}

/* A violation counts once, with one of its records or both. */
TEST(test_violation_once)
{
	struct tlob_task_window over = attach_longer(5, 1, 4000000);
	struct tlob_task_window end = over, other;
	struct result r;

	over.flags = TLOB_TASK_VIOLATION;
	attach_empty(&r);
	assert_int_equal(attach_record(&r, 77, &over, NULL), ATTACH_OVER);
	assert_int_equal(r.attached->nopen, 1);
	assert_int_equal(r.attached->at[0].seen_ns, 77);
	/* another thread, and another window of this one, are other windows */
	other = attach_longer(6, 1, 4000000);
	assert_int_equal(attach_record(&r, 0, &other, NULL), ATTACH_VIOLATION);
	other = attach_longer(5, 2, 4000000);
	assert_int_equal(attach_record(&r, 0, &other, NULL), ATTACH_VIOLATION);
	assert_int_equal(r.attached->nopen, 1);
	assert_int_equal(attach_late(&r), 3);
	assert_int_equal(r.cpu->missed, 1);
	assert_int_equal(attach_record(&r, 0, &end, NULL), ATTACH_VIOLATION);
	assert_int_equal(r.attached->nopen, 0);
	assert_int_equal(r.cpu->violations, 3);
	assert_int_equal(r.cpu->missed, 0);
	assert_int_equal(r.cpu->windows, 3);
	/* a window that was cut has not ended, and is not in time */
	end = attach_longer(5, 3, 4000000);
	end.flags = TLOB_TASK_CUT | TLOB_TASK_VIOLATION;
	assert_int_equal(attach_record(&r, 0, &end, NULL), ATTACH_VIOLATION);
	assert_int_equal(r.cpu->violations, 3);
	assert_int_equal(r.cpu->missed, 1);
	assert_int_equal(r.cpu->windows, 3);
	assert_int_equal(r.cpu->cut, 1);
	result_free(&r);
}

/* A window of a key was open on one thread, and ends on another: it counts once, and has both. */
TEST(test_key)
{
	struct tlob_task_window open = attach_longer(1, 3, 4000000), end;
	struct kept_window k;
	char key[] = "arg1";
	struct result r;

	attach_empty(&r);
	r.attached->key = key;
	open.flags = TLOB_TASK_VIOLATION;
	end = open;
	end.tid++;
	end.flags |= TLOB_TASK_ENDED;
	assert_int_equal(attach_record(&r, 0, &open, NULL), ATTACH_OVER);
	assert_int_equal(r.cpu->missed, 1);
	assert_int_equal(attach_record(&r, 0, &end, NULL), ATTACH_VIOLATION);
	assert_int_equal(r.cpu->missed, 0);
	attach_kept(&k, &end);
	attach_begun(&r, &k, open.tid, 1000);
	assert_int_equal(r.worst[0].kept.task.begun_by, open.tid);
	assert_int_equal(r.worst[0].kept.task.tid, end.tid);
	assert_int_equal(r.worst[0].kept.task.elsewhere_ns, 1000);
	/* that of another thread, without a key */
	r.attached->key = NULL;
	attach_record(&r, 0, &open, NULL);
	attach_record(&r, 0, &end, NULL);
	assert_int_equal(r.cpu->missed, 1);
	result_free(&r);
}

/* Violations that do not fit into the table of open windows are still counted. */
TEST(test_many_open)
{
	struct tlob_task_window w;
	struct result r;
	unsigned int i;

	attach_empty(&r);
	for (i = 0; i < ATTACH_OPEN + 10; i++) {
		w = attach_longer(i, 0, 4000000);
		w.flags = TLOB_TASK_VIOLATION;
		attach_record(&r, 0, &w, NULL);
	}
	assert_int_equal(r.attached->nopen, ATTACH_OPEN);
	assert_int_equal(r.cpu->missed, ATTACH_OPEN + 10);
	attach_end(&r);
	assert_int_equal(r.cpu->open, ATTACH_OPEN);
	result_free(&r);
}

TEST(test_others)
{
	struct tlob_task_window w;
	struct result r;
	unsigned int i;

	attach_empty(&r);
	for (i = 0; i < 3 * ATTACH_OTHERS; i++) {
		w = attach_window(i, i);
		w.tgid = 100 + i / 2;
		attach_record(&r, 0, &w, NULL);
	}
	assert_int_equal(r.cpu->others, 3 * ATTACH_OTHERS);
	assert_int_equal(r.attached->nother, ATTACH_OTHERS);
	assert_int_equal(r.cpu->windows, 0);
	r.attached->all = true;
	attach_record(&r, 0, &w, NULL);
	assert_int_equal(r.cpu->windows, 1);
	result_free(&r);
}

TEST(test_stat)
{
	static const char text[] =
		"/a b:0x1 hits=99 windows=99 nested=99 no_slot=99 off=9 unmatched=99\n"
		"attach_12 hits=9 windows=9 nested=9 no_slot=9 off=9 unmatched=9\n"
		"attach_1 hits=10 windows=5 nested=3 no_slot=2 off=0 unmatched=4 more=1\n"
		"attach_3 hits=1\n";
	struct result_cpu c = { .windows = 2, .cut = 1, .others = 1 };
	struct result r = { .cpu = &c };

	assert_int_equal(attach_stat(&r, text, "attach_1"), 0);
	assert_int_equal(r.cpu->unfinished, 1);
	assert_int_equal(r.cpu->starts, 10);
	assert_int_equal(r.cpu->nested, 3);
	assert_int_equal(r.cpu->no_slot, 2);
	assert_int_equal(r.cpu->unmatched, 4);
	/* a line of an older kernel part must not take the next line's fields */
	assert_int_equal(attach_stat(&r, text, "attach_3"), 0);
	assert_int_equal(r.cpu->unfinished, 0);
	assert_int_equal(r.cpu->starts, 1);
	assert_int_equal(r.cpu->unmatched, 0);
	assert_int_equal(attach_stat(&r, text, "attach_2"), -ENOENT);
	assert_int_equal(attach_stat(&r, "", "attach_2"), -ENOENT);
	assert_int_equal(attach_stat(&r, "attach_2", "attach_2"), -ENOENT);
}

TEST(test_doubts)
{
	struct tlob_task_window w = attach_window(1, 1);
	struct result r;

	attach_empty(&r);
	w.elapsed_ns++;
	w.adjusted_ns = 5;
	w.clock_steps = 6;
	w.flags |= TLOB_TASK_INEXACT;
	attach_record(&r, 0, &w, NULL);
	assert_int_equal(r.cpu->sum_failures, 1);
	assert_int_equal(r.cpu->inexact, 1);
	assert_int_equal(r.cpu->adjusted_ns, 5);
	assert_int_equal(r.cpu->clock_steps, 6);
	assert_int_equal(r.cpu->unmeasured, 0);
	result_free(&r);
}

/* @found: what is said of it. */
static enum condition_outcome judged(const struct result *r, const char *text, const char *found)
{
	char err[256];
	struct condition e;
	struct assertions all;
	enum condition_outcome outcome;

	assert_int_equal(condition_parse_words(&e, &condition_attach_words, text, err, sizeof(err)), 0);
	assert_int_equal(assertions_judge(&all, &e, 1, r), 0);
	outcome = all.at[0].outcome;
	assert_string_equal(all.at[0].found, found);
	assertions_free(&all);
	return outcome;
}

/* A window in which events are missing is neither late nor in time, also while it is open. */
TEST(test_unmeasured)
{
	struct tlob_task_window w = attach_longer(4242, 1, 100000000), one = attach_window(4242, 2);
	struct result r;
	unsigned int i;

	attach_empty(&r);
	w.flags &= ~TLOB_TASK_ENDED;
	assert_int_equal(attach_record(&r, 0, &w, NULL), ATTACH_OVER);
	assert_int_equal(r.cpu->missed, 1);
	w.errors = 2;
	w.flags |= TLOB_TASK_ENDED | TLOB_TASK_INEXACT;
	assert_int_equal(attach_record(&r, 0, &w, NULL), ATTACH_UNMEASURED);
	assert_int_equal(r.cpu->missed, 0);
	assert_int_equal(r.attached->nopen, 0);
	/* and so if it was known as such before it ended */
	w.start_ns++;
	w.flags &= ~TLOB_TASK_ENDED;
	assert_int_equal(attach_record(&r, 0, &w, NULL), ATTACH_UNMEASURED);
	assert_int_equal(r.cpu->unmeasured, 1);
	w.flags |= TLOB_TASK_ENDED;
	assert_int_equal(attach_record(&r, 0, &w, NULL), ATTACH_UNMEASURED);
	assert_int_equal(r.cpu->unmeasured, 2);
	assert_int_equal(r.cpu->errors, 4);
	assert_int_equal(r.cpu->inexact, 0);
	assert_int_equal(r.nworst, 0);
	assert_int_equal(attach_late(&r), 0);

	/* 2 of 199 are more than 1 % */
	for (i = 0; i < 197; i++)
		attach_record(&r, 0, &one, NULL);
	attach_end(&r);
	assert_int_equal(r.all.windows, 197);
	assert_int_equal(r.all.violations + r.all.missed + r.causes.n + r.causes.others, 0);
	assert_int_equal(judged(&r, "violations==0",
				"2 of 199 windows were not measured, more than 1 %: events of their threads are missing"),
			 CONDITION_UNDECIDED);
	assert_int_equal(judged(&r, "windows>1000", "197"), CONDITION_FALSE);
	assert_prints(attach_render(render_outcome, &r),
		      "197 windows within 5 ms, 2 not measured; worst 2 ms, 40 % of the budget, in worker/4242; but too many windows were not measured");
	/* 2 of 200 are not */
	attach_record(&r, 0, &one, NULL);
	attach_end(&r);
	assert_int_equal(judged(&r, "violations==0", "0"), CONDITION_TRUE);
	assert_prints(attach_render(render_outcome, &r),
		      "OK: 198 windows within 5 ms, 2 not measured; worst 2 ms, 40 % of the budget, in worker/4242");
	result_free(&r);
}

static bool holds(const struct result *r, const char *text)
{
	char err[256];
	struct condition e;
	uint64_t v;
	int cpu;

	if (condition_parse_words(&e, &condition_attach_words, text, err, sizeof(err)))
		fail_msg("%s: %s", text, err);
	return condition_result(&e, r, &v, &cpu) == CONDITION_TRUE;
}

TEST(test_conditions)
{
	static const char * const held[] = {
		"windows==100", "violations==2", "missed==1", "cut==1", "open==1", "others==1",
		"adjusted_ns==0", "max(response)==101ms", "min(work.sleep)==1500us",
		"p50(response)<2100us", "max(work.thread)==99ms",
	};
	static const char * const failed[] = {
		"violations==0",
		/* too few windows for this quantile */
		"p99.9(response)<1000s",
	};
	struct result r;
	size_t i;

	attach_sample(&r);
	for (i = 0; i < ARRAY_SIZE(held); i++)
		assert_true(holds(&r, held[i]));
	for (i = 0; i < ARRAY_SIZE(failed); i++)
		assert_false(holds(&r, failed[i]));
	result_free(&r);
}

/* A condition on what attach never measures is refused: it would always be undecided. */
TEST(test_refused_conditions)
{
	static const char *const refused[] = {
		"max(work.hw)<1s", "p50(wake)<1s", "max(irq)<1s", "max(wake.sched)<1s", "startup==0",
	};
	char err[400];
	struct condition e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		assert_int_equal(condition_parse_words(&e, &condition_attach_words, refused[i], err, sizeof(err)),
				 -EINVAL);
	assert_int_equal(condition_parse_words(&e, &condition_attach_words, "max(x)<1s", err, sizeof(err)), -EINVAL);
	assert_contains(err, "use response, wake.(irq_delay), work.(on_cpu irq");
	assert_int_equal(condition_parse_result(&e, "unclear==0", err, sizeof(err)), -EINVAL);
}

#define show(r, w) sample_render(show_line, r, w)

static int show_line(FILE *f, struct result *r, const struct tlob_task_window *w)
{
	const struct kept_window *worst = attach_worst_of(r, attach_of(w));

	region_line(f, r, worst ? worst : attach_of(w));
	return 0;
}

static int show_open_line(FILE *f, struct result *r,
			  const struct attach_open *open, uint64_t now_ns)
{
	region_open_line(f, r, open, now_ns);
	return 0;
}

/* Who ran while a late timer waited: for its interrupt, or for the softirq that runs it. */
TEST(test_late_timer)
{
	struct tlob_task_window w = attach_window(4243, 1);
	struct result r;

	attach_empty(&r);
	w.part_ns[TLOB_TASK_PART_TIMER] = 5310000;
	w.elapsed_ns += 5310000;
	w.flags |= TLOB_TASK_VIOLATION;
	w.largest = (struct tlob_noise){ .ns = 5310000, .kind = TLOB_NOISE_THREAD, .id = 60, .name = "hog" };
	assert_prints(show(&r, &w),
		      "    0.017s  worker/4243  7.31ms > 5ms: irq_delay 5.31ms, sleep 1.5ms, on_cpu 490us; hog ran when the timer's interrupt came\n");
	w.flags |= TLOB_TASK_SOFT_TIMER;
	assert_prints(show(&r, &w),
		      "    0.017s  worker/4243  7.31ms > 5ms: irq_delay 5.31ms, sleep 1.5ms, on_cpu 490us; hog ran while its timer's softirq waited\n");
	result_free(&r);
}

TEST(test_lines)
{
	struct result r;
	struct tlob_task_window w = attach_longer(4243, 1, 5310000), late;
	struct attach_open open;

	attach_empty(&r);
	assert_prints(show(&r, &w),
		      "    0.017s  worker/4243  7.31ms > 5ms: thread 5.31ms, sleep 1.5ms, on_cpu 490us\n");
	/* an interruption that matters is named */
	w.largest.ns = 400000;
	w.flags |= TLOB_TASK_CUT;
	strcpy(w.comm, "a\nb");
	assert_prints(show(&r, &w),
		      "    0.017s  a\\x0ab/4243  7.31ms > 5ms: thread 5.31ms, sleep 1.5ms, on_cpu 490us; irq local_timer (vector 236) took 400us; cut off\n");
	/* a violation does not look like none */
	w = attach_longer(4243, 1, 3000001);
	assert_shows(show(&r, &w), "  worker/4243  5000001ns > 5ms: ");
	late = attach_longer(4243, 1, 3000001);
	open = (struct attach_open){
		.seen_ns = SAMPLE_BEGAN + 15000000, .state = TLOB_TASK_WAITING,
		.k = *attach_of(&late),
	};
	assert_prints(sample_render(show_open_line, &r, &open, SAMPLE_BEGAN + 1015000000),
		      "    1.015s  worker/4243  over 5ms for 1s, still open; thread when the budget ran out; until then: thread 3ms, sleep 1.5ms, on_cpu 490us\n");
	/* a lock whose holder may never release it */
	open.k.w.flags |= WINDOW_LOCK;
	open.k.kept.holder = attach_held_by();
	assert_shows(sample_render(show_open_line, &r, &open, SAMPLE_BEGAN + 1015000000),
		     "sleep 1.5ms, on_cpu 490us; logger/812 held the lock\n");
	result_free(&r);
}

/* The line of a window, the tables and the first sentence have the function that made it late. */
TEST(test_places)
{
	static const struct kernel_place unknown = { .function = "" },
		deleted = { .function = "recently_deleted", .entry = "openat()", .stack = "path_openat;recently_deleted" };
	struct tlob_task_window w = attach_longer(4243, 1, 5310000);
	struct tlob_task_window within = attach_window(4242, 2);
	struct result r;

	attach_empty(&r);
	w.largest = (struct tlob_noise){ .kind = TLOB_NOISE_THREAD, .id = 60, .name = "git", .ns = 5300000 };
	attach_record(&r, 0, &w, NULL);
	attach_place(&r, attach_of(&w), &deleted);
	attach_record(&r, 0, &within, NULL);
	attach_place(&r, attach_of(&within), &deleted);	/* no violation */
	assert_int_equal(r.places.n, 1);
	assert_int_equal(r.places.at[0].windows, 1);
	assert_prints(show(&r, &w),
		      "    0.017s  worker/4243  7.31ms > 5ms: thread 5.31ms, sleep 1.5ms, on_cpu 490us; thread git (pid 60) took 5.3ms in recently_deleted, openat()\n");
	assert_shows(attach_render(render_outcome, &r),
		     "while git (pid 60) ran in recently_deleted, openat()");
	assert_shows(attach_render(render_text, &r, true), "  stack: recently_deleted < path_openat\n");
	assert_shows(attach_render(render_text, &r, true),
		     "        1  thread  git  recently_deleted  openat()\n");
	assert_shows(attach_render(attach_tables, &r, 0), "recently\\_deleted");
	w = attach_longer(4244, 4, 5310000);
	attach_record(&r, 0, &w, NULL);
	attach_place(&r, attach_of(&w), &unknown);
	assert_int_equal(r.places.n, 1);
	result_free(&r);
}

/* The longest wait: the kernel's function that says something, then the program's. */
TEST(test_waits)
{
	struct tlob_task_window w = attach_longer(4243, 1, 5310000), other;
	struct attach_wait wait = attach_waited();
	struct result r;
	size_t i;

	attach_empty(&r);
	r.waits = true;
	attach_record(&r, 0, &w, NULL);
	attach_worst_of(&r, attach_of(&w))->kept.wait = wait;
	assert_prints(show(&r, &w),
		      "    0.017s  worker/4243  7.31ms > 5ms: thread 5.31ms, sleep 1.5ms, on_cpu 490us; longest wait 1.4ms in futex_wait < pthread_cond_wait < Queue::pop < reply < serve < main < ..., woken by feeder/482\n");
	assert_shows(attach_render(render_text, &r, true),
		     "\nthe longest wait of each of these\n 0.010  worker/4243  1.4ms in futex_wait < ");
	assert_shows(attach_render(attach_tables, &r, 0), "| 1.4ms in futex\\_wait ");
	/* the same thread's next window is another one */
	other = attach_longer(4243, 2, 1);
	assert_null(attach_worst_of(&r, attach_of(&other)));
	/* without a stack, and woken by a task that the reader may not know */
	wait = (struct attach_wait){ .ns = 900000, .waker.kind = TLOB_WAKER_TASK };
	attach_record(&r, 0, &other, NULL);
	attach_worst_of(&r, attach_of(&other))->kept.wait = wait;
	assert_shows(show(&r, &other), "; longest wait 900us, woken by another process\n");
	/* waits stay with their windows, and go with them: LeakSanitizer looks for it */
	for (i = 0; i < 100; i++) {
		w = attach_longer(4243, 10 + i, i);
		attach_record(&r, 0, &w, NULL);
		if (attach_worst_of(&r, attach_of(&w)))
			attach_worst_of(&r, attach_of(&w))->kept.wait = (struct attach_wait){ .ns = 1 + i };
	}
	assert_int_equal(r.nworst, RESULT_WORST);
	for (i = 0; i < RESULT_WORST; i++)
		assert_true(r.worst[i].kept.wait.ns);
	result_free(&r);
}

TEST(test_summary)
{
	struct result r;
	char *text;

	attach_sample(&r);
	r.cpu->lost = 9;
	r.cpu->no_slot = 4;
	assert_shows(attach_render(render_text, &r, true),
		     "tlob-load  /tmp/prog from work (0x1139) to 0x1150, budget 5ms\n");
	assert_shows(attach_render(render_summary, &r),
		     "\nwindows 100, violations 2, missed 1, cut 1 (no stop), open 1 (running), lost 9\n");
	r.attached->start.at = (struct tlob_offsets){ 3, { 0x1139, 0x1160, 0x1170 } };
	text = attach_render(render_text, &r, true);
	assert_contains(text, "from work (0x1139 and 2 more) to 0x1150,");
	assert_contains(text, "process 4242, exit status 0, watched 2s\n");
	assert_contains(text, "windows  violations  missed  cut  open  lost\n    100           2       1    1     1     9\n");
	assert_contains(text, "\nresponse   2000.000");
	assert_contains(text, "\nthread ");
	assert_contains(text, "mean   response 3970.000us = ");
	assert_contains(text, "worst  response 101000.000us = thread 98.0% + sleep 1.5% + on_cpu 0.5%");
	assert_contains(text, "irq   local_timer  vector 236");
	assert_contains(text, "worst windows, us\n");
	assert_contains(text, "worker/4242, still running\n");
	assert_contains(text, "excluded: windows of 1 other process that executes the file: 1 (use --all");
	assert_contains(text, "warning: 9 records were dropped because the ring buffer was full;");
	assert_contains(text, "without a free slot in the kernel: 4;");
	assert_contains(text, "           Linux 6.12.48-rt #1 SMP PREEMPT_RT, x86_64, backend tlob\n");
	assert_lacks(text, " \n");
	/* a part that no window had, and a part that is not measured */
	assert_lacks(text, "softirq");
	assert_lacks(text, "hw");
	free(text);
	r.attached->started_it = false;
	r.cpu->unavailable |= 1U << TLOB_WORK_SOFTIRQ;
	assert_shows(attach_render(render_text, &r, true),
		     "has ended, watched",
		     "not measured  work.softirq: their time is in the others\n");
	free(r.attached->program);
	r.attached->program = sample_text("/bin/other");
	r.attached->ended = false;
	r.stopped_by = sample_text("SIGINT");
	assert_shows(attach_render(render_text, &r, true),
		     "process 4242 (/bin/other), still running, watched",
		     "stopped by  SIGINT\n");
	r.attached->started_it = true;
	r.attached->ended = true;
	r.attached->status = 11;	/* a SIGSEGV in wait()'s status */
	assert_shows(attach_render(render_text, &r, true), "killed by SIGSEGV");
	r.attached->status = 34;	/* SIGRTMIN has no abbreviation */
	free(r.machine);
	r.machine = sample_text("x86\x1b[31m");
	assert_shows(attach_render(render_text, &r, true), "killed by signal 34", "x86\\x1b[31m, backend");
	result_free(&r);
}

/* Threads whose activations never ended are no region: it has other places, and other causes. */
TEST(test_threads_that_never_rest)
{
	struct tlob_task_window w = attach_longer(SAMPLE_PID, 0, 4000000);
	struct result r;
	char *text;

	attach_empty(&r);
	free(r.attached->start.text);
	free(r.attached->stop.text);
	r.attached->start = (struct attach_place){ sample_text("wake-up"), { 1, { 0 } } };
	r.attached->stop = (struct attach_place){ sample_text("sleep"), { 1, { 0 } } };
	r.attached->of_threads = r.attached->all = true;
	w.flags = TLOB_TASK_VIOLATION;
	assert_int_equal(attach_record(&r, 0, &w, NULL), ATTACH_OVER);
	attach_end(&r);
	text = attach_render(render_text, &r, true);
	assert_contains(text, "from wake-up to sleep, budget 5ms\n           process 4242, exit");
	assert_contains(text, "note  no activation ended: does a thread");
	assert_lacks(text, "--stop");
	free(text);
	assert_shows(attach_render(render_as, &r, RENDER_JSON), "\"activations\":{\"threads\":[]");
	assert_shows(attach_render(render_as, &r, RENDER_HTML), "[\"process\",\"4242");
	/* those of a name or group belong to none */
	r.attached->pid = 0;
	text = attach_render(render_as, &r, RENDER_HTML);
	assert_contains(text, "[\"start\",");
	assert_lacks(text, "[\"process\",");
	free(text);
	result_free(&r);
}

/* The sets of a region: in its line, the table, conditions and Markdown. */
TEST(test_functions)
{
	struct result r;
	struct condition e;
	char *text, err[400];
	uint64_t value;
	int cpu;

	attach_functions_sample(&r);
	text = attach_render(render_text, &r, true);
	assert_contains(text, "func.  calls     avg  p99     max  probes    call  function\n"
			"lock     3.0  30.000    -  30.000   2.244  12.000  rt_spin_lock\n");
	assert_contains(text, "probes  fprobe, measured at 0.748us a call: 3.0 calls add about 2.244us to a window");
	assert_contains(text, "in the worst window\n  func.lock  30.000us, 3 calls in work.on_cpu 20.000us, work.sleep 10.000us;\n    the longest 12.000us in rt_spin_lock; probes add about 2.244us to the window\n");
	assert_contains(text, "warning: windows without times in functions, because more than 64 were open: 1\n");
	free(text);
	assert_shows(attach_render(attach_tables, &r, 0),
		     "| lock | 3.0 | 30.000 | - | 30.000 | 2.244 | 12.000 | rt\\_spin\\_lock |\n");
	assert_int_equal(condition_parse_words(&e, &condition_attach_words, "max(func.lock)<31us", err, sizeof(err)), 0);
	assert_true(condition_bind(&e, "lock", 0));
	assert_int_equal(condition_result(&e, &r, &value, &cpu), CONDITION_TRUE);
	assert_int_equal(value, 30000);
	result_free(&r);
}

TEST(test_empty)
{
	struct result r;
	char *text;

	attach_empty(&r);
	attach_end(&r);
	text = attach_render(render_text, &r, true);
	assert_contains(text, "      0           0       0    0     0     0\n");
	assert_lacks(text, "worst");
	assert_lacks(text, "mean");
	free(text);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
