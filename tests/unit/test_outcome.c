// SPDX-License-Identifier: GPL-2.0
/* The first line of a result. test_page.c has the page that it heads. */
#include "attach_sample.h"
#include "report/cause_text.h"
#include "report/places.h"
#include "report/render.h"
#include "result/meaning.h"
#include "result/parts.h"
#include "sample.h"

static char *outcome(const struct result *r)
{
	return sample_render(render_outcome, r);
}

static void says(const struct result *r, const char *wanted)
{
	assert_prints(outcome(r), wanted);
}

TEST(within)
{
	struct result r;
	unsigned int k;
	struct tlob_window w;

	sample_empty(&r, 1);
	for (k = 0; k < 1234; k++) {
		w = sample_window(0, k);
		result_window(&r, 0, &w, true);
	}
	result_sum(&r);
	says(&r, "OK: 1 234 windows within 200 us; worst 105 us, 52 % of the budget, on CPU 0");
	assert_true(outcome_is_good(&r));
	r.assertions = sample_assertions(2, CONDITION_FALSE);
	says(&r, "FAILED 2 assertions: 1 234 windows within 200 us; worst 105 us, 52 % of the budget, on CPU 0");
	assert_false(outcome_is_good(&r));
	r.assertions.at[0].outcome = CONDITION_UNDECIDED;
	says(&r, "FAILED 1 assertion: 1 234 windows within 200 us; worst 105 us, 52 % of the budget, on CPU 0");
	assert_int_equal(verdicts_exit(verdicts_of(&r.assertions, &r.said)), EXIT_ASSERTION);
	r.assertions.at[1].outcome = CONDITION_TRUE;
	says(&r, "UNDECIDED 1 assertion: 1 234 windows within 200 us; worst 105 us, 52 % of the budget, on CPU 0");
	assert_false(outcome_is_good(&r));
	assert_int_equal(verdicts_exit(verdicts_of(&r.assertions, &r.said)), EXIT_INCONCLUSIVE);
	r.assertions.at[0].outcome = CONDITION_TRUE;
	assert_true(outcome_is_good(&r));
	assertions_free(&r.assertions);
	r.cpu[0].missed = 7;
	r.cpu[0].aborted = 7;
	result_sum(&r);
	assert_true(outcome_is_good(&r));	/* the end of the run cut them off */
	r.cpu[0].missed = 8;
	result_sum(&r);
	says(&r, "1 234 windows within 200 us, but 1 expiry was missed; worst 105 us, 52 % of the budget, on CPU 0");
	assert_false(outcome_is_good(&r));
	result_free(&r);

	sample_empty(&r, 1);
	result_sum(&r);
	says(&r, "no window was measured");
	result_free(&r);
}

/* A window of 10 ms, all but @own of it in one part. */
static struct tlob_window window_of(unsigned int part, uint64_t own)
{
	struct tlob_window w = sample_window(3, 7);

	memset(w.part_ns, 0, sizeof(w.part_ns));
	w.unavailable = 0;
	w.largest = (struct tlob_noise){ .ns = 0 };
	w.delayed_by_pid = 0;
	w.part_ns[TLOB_WORK_ON_CPU] = own;
	w.part_ns[part] += 10000000 - own;
	sample_close(&w);
	return w;
}

/* The sentence of @w in @r. malloc() */
static char *cause_in(const struct tlob_window *w, const struct result *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	cause_of_window_text(f, w, 0, r);
	fclose(f);
	return text;
}

static void says_of(const struct tlob_window *w, const char *wanted)
{
	static const int cpu3 = 3;
	struct result r;
	struct tlob_window usual;
	unsigned int k;
	char *text;

	assert_int_equal(result_init(&r, &cpu3, 1), 0);
	r.period_ns = 1000000;
	r.budget_ns = 200000;
	for (k = 0; k < 99; k++) {
		usual = sample_window(3, k);
		result_window(&r, 0, &usual, true);
	}
	result_window(&r, 0, w, true);
	result_sum(&r);
	text = outcome(&r);
	assert_contains(text, "1 of 100 windows over 200 us; worst 10 ms on CPU 3: ");
	assert_string_equal(strstr(text, "CPU 3: ") + strlen("CPU 3: "), wanted);
	free(text);
	result_free(&r);
}

/* Each part alone. */
TEST(names_the_part)
{
	static const struct {
		unsigned int part;
		const char *says;
	} parts[] = {
		{ TLOB_WAKE_IRQ_DELAY, "99 % waiting for the timer interrupt while its CPU was idle" },
		{ TLOB_WAKE_IRQ, "99 % in interrupts" },
		{ TLOB_WORK_IRQ, "99 % in interrupts" },
		{ TLOB_WAKE_SOFTIRQ, "99 % in softirqs" },
		{ TLOB_WORK_SOFTIRQ, "99 % in softirqs" },
		{ TLOB_WAKE_NMI, "99 % in NMIs" },
		{ TLOB_WORK_NMI, "99 % in NMIs" },
		{ TLOB_WAKE_THREAD, "99 % while other threads ran" },
		{ TLOB_WORK_THREAD, "99 % while other threads ran or the CPU woke up" },
		{ TLOB_WAKE_SCHED, "99 % idle or switching to the thread after the timer interrupt" },
		{ TLOB_WORK_SLEEP, "99 % blocked or stopped in the work" },
		{ TLOB_WAKE_STEAL, "99 % stolen by the hypervisor" },
		{ TLOB_WORK_STEAL, "99 % stolen by the hypervisor" },
		{ TLOB_WORK_HW, "99 % in gaps that the kernel cannot explain: SMI or hypervisor" },
		{ TLOB_WORK_ON_CPU, "100 % in its own work" },
	};
	struct tlob_window w;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		w = window_of(parts[i].part, 102000);
		says_of(&w, parts[i].says);
	}
}

TEST(names_who)
{
	struct tlob_window w = window_of(TLOB_WAKE_IRQ_DELAY, 102000);

	w.delayed_by_pid = 4242;
	strcpy(w.delayed_by, "stress-ng");
	says_of(&w, "99 % waiting for the timer interrupt while stress-ng (pid 4242) ran");
	/* it cannot be guilty, unless an interrupt may have run unseen */
	w.flags |= TLOB_WINDOW_USER;
	says_of(&w, "99 % waiting for the timer interrupt, which the hypervisor or hardware delayed");
	w.unavailable = 1U << TLOB_WAKE_IRQ;
	says_of(&w, "99 % waiting for the timer interrupt while stress-ng (pid 4242) ran");

	w = window_of(TLOB_WORK_THREAD, 102000);
	w.largest = (struct tlob_noise){
		.ns = 9800000, .id = 117, .kind = TLOB_NOISE_THREAD, .name = "pollerd",
	};
	says_of(&w, "99 % while pollerd (pid 117) ran");
	w.largest.ns = 5000000;
	says_of(&w, "99 % while other threads ran, the largest pollerd (pid 117)");
	/* the largest interruption is of another kind than the largest part */
	w.largest.kind = TLOB_NOISE_NMI;
	says_of(&w, "99 % while other threads ran or the CPU woke up");

	w = window_of(TLOB_WORK_IRQ, 102000);
	w.largest = (struct tlob_noise){
		.ns = 9000000, .id = 25, .kind = TLOB_NOISE_IRQ, .name = "eth0",
	};
	says_of(&w, "99 % in interrupts, the largest eth0 (irq 25)");
}

/* Two phases count together; work counts only by what exceeds its mean, or the budget. */
TEST(chooses)
{
	struct tlob_window w = window_of(TLOB_WAKE_SCHED, 102000);

	w.part_ns[TLOB_WAKE_SCHED] = 3898000;
	w.part_ns[TLOB_WAKE_IRQ] = 3000000;
	w.part_ns[TLOB_WORK_IRQ] = 3000000;
	sample_close(&w);
	says_of(&w, "60 % in interrupts");

	w = window_of(TLOB_WAKE_SCHED, 9000000);	/* the work alone exceeds the budget */
	says_of(&w, "90 % in its own work");
	w = window_of(TLOB_WAKE_IRQ_DELAY, 4000000);	/* so does the delay, and it is longer */
	says_of(&w, "60 % waiting for the timer interrupt while its CPU was idle");

	/* usual work, and a small delay that made the difference */
	w = sample_window(3, 7);
	w.unavailable = 0;
	w.budget_ns = 9900000;
	memset(w.part_ns, 0, sizeof(w.part_ns));
	w.part_ns[TLOB_WORK_ON_CPU] = 4000000;
	w.part_ns[TLOB_WORK_HW] = 6000000;
	sample_close(&w);
	w.flags |= TLOB_WINDOW_VIOLATION;
	says_of(&w, "60 % in gaps that the kernel cannot explain: SMI or hypervisor");
}

/* Three causes: without the largest of them the window would be late still. */
TEST(several)
{
	struct tlob_window w = window_of(TLOB_WORK_THREAD, 102000);

	memset(w.part_ns, 0, sizeof(w.part_ns));
	w.part_ns[TLOB_WORK_ON_CPU] = 100000;
	w.part_ns[TLOB_WORK_IRQ] = 4900000;
	w.part_ns[TLOB_WORK_NMI] = 2500000;
	w.part_ns[TLOB_WORK_HW] = 2500000;
	sample_close(&w);
	says_of(&w, "49 % in interrupts");
	w.part_ns[TLOB_WORK_IRQ] -= 1000;
	w.part_ns[TLOB_WORK_NMI] += 1000;
	sample_close(&w);
	says_of(&w, "49 % in interrupts; no cause explains half of the excess");
}

/* A window over its budget because thread @name ran for @ns. */
static struct tlob_window late_by(const char *name, uint64_t n, uint64_t ns)
{
	struct tlob_window w = window_of(TLOB_WORK_THREAD, 102000);

	w.activation = n;
	w.part_ns[TLOB_WORK_THREAD] = ns;
	w.largest = (struct tlob_noise){
		.ns = ns, .id = (int)n, .kind = TLOB_NOISE_THREAD, .in_work = 1,
	};
	snprintf(w.largest.name, sizeof(w.largest.name), "%s", name);
	sample_close(&w);
	return w;
}

/* Two causes of different frequency, and an outlier that is the worst. None of the warm-up. */
TEST(most)
{
	static const struct {
		const char *name;
		unsigned int n;
		uint64_t ns;
	} late[] = {
		{ "rare", 30, 900000 }, { "evil_fifo99", 170, 700000 }, { "outlier", 1, 3800000 },
	};
	struct tlob_window w;
	struct result r;
	unsigned int i, k;

	sample_empty(&r, 1);
	for (k = 0; k < 400; k++) {
		w = late_by("warm-up", k, 500000);
		w.flags |= TLOB_WINDOW_WARM_UP;
		result_window(&r, 0, &w, true);
	}
	for (k = 0; k < 799; k++) {
		w = sample_window(0, k);
		result_window(&r, 0, &w, true);
	}
	for (i = 0; i < ARRAY_SIZE(late); i++)
		for (k = 0; k < late[i].n; k++) {
			w = late_by(late[i].name, 42, late[i].ns);
			result_window(&r, 0, &w, true);
		}
	result_sum(&r);
	says(&r, "201 of 1 000 windows over 200 us: 170 while evil_fifo99 ran, and 30 while rare ran; worst 3.9 ms on CPU 3: 97 % while outlier (pid 42) ran");
	assert_int_equal(r.causes.n, 3);
	assert_int_equal(r.causes.others, 0);
	result_free(&r);

	/* the two phases are one cause, and one violation needs no count */
	sample_empty(&r, 1);
	for (i = 0; i < 2; i++) {
		w = window_of(i ? TLOB_WAKE_IRQ : TLOB_WORK_IRQ, 102000);
		result_window(&r, 0, &w, true);
		result_sum(&r);
		says(&r, i ? "2 of 2 windows over 200 us: all in interrupts; worst 10 ms on CPU 3: 99 % in interrupts" :
				"1 of 1 windows over 200 us; worst 10 ms on CPU 3: 99 % in interrupts");
	}
	result_free(&r);
}

/* The sentence says where in the kernel most violations were made, and where the worst window was. */
TEST(says_where)
{
	static const struct kernel_place deleted = { .function = "recently_deleted", .entry = "openat()" },
		other = { .function = "other_function" }, entry = { .entry = "openat()" }, unknown = { .entry = "" };
	struct tlob_window w;
	struct cause git;
	struct result r;
	unsigned int k;

	sample_empty(&r, 1);
	for (k = 0; k < 7; k++) {
		w = late_by("git", 42, 500000);
		w.t0_ns += k;
		result_window(&r, 0, &w, true);
	}
	result_sum(&r);
	assert_true(cause_of(&git, &w, 0));
	says(&r, "7 of 7 windows over 200 us: all while git ran; worst 602 us on CPU 3: 83 % while git (pid 42) ran");
	causes_place(&r.places, &git, &other);
	for (k = 0; k < 2; k++)
		causes_place(&r.places, &git, &deleted);
	says(&r, "7 of 7 windows over 200 us: all while git ran, 2 of them in recently_deleted, openat(); worst 602 us on CPU 3: 83 % while git (pid 42) ran");
	for (k = 0; k < 5; k++)
		causes_place(&r.places, &git, &deleted);
	r.worst[0].kept.place = deleted;
	says(&r, "7 of 7 windows over 200 us: all while git ran in recently_deleted, openat(); worst 602 us on CPU 3: 83 % while git (pid 42) ran in recently_deleted, openat()");
	r.places.n = 0;
	r.worst[0].kept.place = entry;
	says(&r, "7 of 7 windows over 200 us: all while git ran; worst 602 us on CPU 3: 83 % while git (pid 42) ran somewhere in openat()");
	/* a place of another cause says nothing of this one */
	git.part = TLOB_WAKE_IRQ_DELAY;
	causes_place(&r.places, &git, &deleted);
	r.worst[0].kept.place = unknown;
	says(&r, "7 of 7 windows over 200 us: all while git ran; worst 602 us on CPU 3: 83 % while git (pid 42) ran");
	result_free(&r);

	sample_empty(&r, 1);
	w = window_of(TLOB_WAKE_IRQ_DELAY, 102000);
	w.delayed_by_pid = 7;
	memcpy(w.delayed_by, "jq", sizeof("jq"));
	result_window(&r, 0, &w, true);
	result_sum(&r);
	r.worst[0].kept.place = other;
	says(&r, "1 of 1 windows over 200 us; worst 10 ms on CPU 3: 99 % waiting for the timer interrupt while jq (pid 7) ran, until other_function enabled interrupts");
	result_free(&r);
}

static void prints(char *text, size_t size, const struct result *r)
{
	FILE *f = fmemopen(text, size, "w");

	assert_non_null(f);
	if (r->places.n)
		place_stack_text(f, &r->places.at[0].place);
	assert_int_equal(render_places(f, TABLE_TEXT, r, 1), 0);
	assert_int_equal(places_flame(f, &r->places), 0);
	fclose(f);
}

/* The table has the most violations first, and the flame graph each function with its windows. */
TEST(places)
{
	static const struct kernel_place rare = { .entry = "read()" },
		deleted = { .function = "deleted", .entry = "openat()", .stack = "do_syscall_64;path_openat;deleted" };
	struct cause git = { .part = TLOB_WAKE_THREAD, .has_name = true, .kind = TLOB_NOISE_THREAD, .id = 7, .name = "git" };
	static struct result r;
	static char text[16384];

	prints(text, sizeof(text), &r);
	assert_string_equal(text, "");
	causes_place(&r.places, &git, &deleted);
	causes_place(&r.places, &git, &deleted);
	causes_place(&r.places, &git, &rare);
	prints(text, sizeof(text), &r);
	assert_non_null(strstr(text, "  stack: deleted < path_openat < do_syscall_64\n"));
	assert_non_null(strstr(text, "        2  thread  git  deleted   openat()\n  and 1 more\n"));
	assert_non_null(strstr(text, "[\"do_syscall_64;path_openat;deleted\",2]"));
}

/* The sum stays, however many causes there are. */
TEST(most_of_many)
{
	struct causes all = { 0 }, twice = { 0 };
	static struct result r;
	struct tlob_window w;
	char name[TLOB_NAME_LEN];
	uint64_t sum;
	unsigned int k;
	size_t i;

	for (k = 0; k < 300; k++) {
		snprintf(name, sizeof(name), k % 3 ? "thread-%u" : "often", k);
		w = late_by(name, k, 700000);
		causes_window(&all, &w);
	}
	causes_merge(&twice, &all);
	causes_merge(&twice, &all);
	for (i = 0, sum = all.others; i < all.n; i++)
		sum += all.at[i].windows;
	assert_int_equal(sum, 300);
	for (i = 0, sum = twice.others; i < twice.n; i++)
		sum += twice.at[i].windows;
	assert_int_equal(sum, 600);
	r.causes = twice;
	r.all.violations = 600;
	assert_string_equal(outcome_cause(&r, false)->name, "often");
	assert_int_equal(outcome_cause(&r, false)->windows, 200);
	/* the next one made less than a tenth */
	assert_null(outcome_cause(&r, true));
}

/* A tick may have met any task: that is one cause, and said once. */
TEST(ticks_are_one)
{
	static struct result r;
	unsigned int k;

	r.timer_resolution_ns = 4000000;
	r.causes.n = 3;
	for (k = 0; k < 3; k++) {
		r.causes.at[k].part = k < 2 ? TLOB_WAKE_IRQ_DELAY : TLOB_WAKE_THREAD;
		r.causes.at[k].windows = k < 2 ? 2 : 3;
	}
	r.all.violations = 7;
	assert_ptr_equal(outcome_cause(&r, false), &r.causes.at[0]);
	assert_ptr_equal(outcome_cause(&r, true), &r.causes.at[2]);
}

/* Fixed work that takes far longer than it needs: the CPU was taken, unseen. */
TEST(work_too_long)
{
	struct machine_counts counts = { .cpu = 3, .known = 1U << MACHINE_STEAL };
	struct findings findings = { .count = &counts, .ncounts = 1 };
	struct tlob_window w = window_of(TLOB_WAKE_SCHED, 9500000);
	struct result r;
	char *text;

	sample_empty(&r, 1);
	result_window(&r, 0, &w, true);
	result_sum(&r);
	says(&r, "1 of 1 windows over 200 us; worst 10 ms on CPU 3: 95 % on the CPU: 9.5 ms, though the work takes 100 us; something that the kernel does not see slowed or stopped the CPU: hypervisor, SMI or frequency");
	r.findings = &findings;
	counts.value[MACHINE_STEAL] = 1;
	assert_shows(outcome(&r),
		     "the work takes 100 us; a hypervisor took 10 ms from this CPU during the run");
	counts.cpu = 2;
	assert_shows(outcome(&r), "hypervisor, SMI or frequency");
	r.findings = NULL;
	/* work that takes as long as it does */
	memcpy(r.work, "sleep:1us", sizeof("sleep:1us"));
	text = outcome(&r);
	assert_string_equal(strstr(text, ": 95"), ": 95 % in its own work");
	free(text);
	result_free(&r);
}

/* A small part is the cause only of a window that is late. */
TEST(small_part)
{
	struct tlob_window w = sample_window(3, 7);
	struct cause c;

	assert_true(cause_of(&c, &w, 102000));
	assert_int_equal(c.part, TLOB_WORK_ON_CPU);
	w.budget_ns = 104000;
	assert_true(cause_of(&c, &w, 102000));
	assert_int_equal(c.part, TLOB_WAKE_IRQ);
	w.budget_ns = 200000;
	w.part_ns[TLOB_WORK_THREAD] = 20000;
	sample_close(&w);
	assert_true(cause_of(&c, &w, 102000));
	assert_int_equal(c.part, TLOB_WORK_THREAD);
}

TEST(blind)
{
	struct tlob_window w = sample_violation(0, 200);
	struct result r;
	char *text;

	sample_posix(&r, 100);
	says(&r, "1 of 100 windows over 200 us; worst 257 us on CPU 0: 99 % in the work; the cause is not measured here; a hypervisor took 21.2 ms from this CPU during the run");
	/* both phases exceed the budget: the longer of them counts */
	w.unavailable = (1U << TLOB_NR_PARTS) - 1;
	w.wake_ns = 750000;
	w.response_ns = 1000000;
	result_window(&r, 0, &w, true);
	result_sum(&r);
	says(&r, "2 of 101 windows over 200 us; worst 1 ms on CPU 0: 75 % until the thread ran; the cause is not measured here; a hypervisor took 21.2 ms from this CPU during the run");
	/* merged: the CPU of this number is another host's */
	r.cpu[0].host = strdup("hb");
	assert_non_null(r.cpu[0].host);
	memcpy(r.worst[0].kept.host, "ha", sizeof("ha"));
	text = outcome(&r);
	assert_lacks(text, "hypervisor");
	free(text);
	memcpy(r.worst[0].kept.host, "hb", sizeof("hb"));
	assert_shows(outcome(&r), "not measured here; a hypervisor took 21.2 ms");
	result_free(&r);
}

TEST(lost_record)
{
	struct result r;

	sample_result(&r, 2, 100);
	r.cpu[1].hist[TLOB_METRIC_RESPONSE].max = 4310000;
	result_sum(&r);
	says(&r, "1 of 200 windows over 200 us; worst 4.31 ms on CPU 1");
	result_free(&r);
}

/* A policy that was refused is in the first sentence; one that was asked for is a condition. */
/* --tune left a setting out: the run still passes, and its outcome says so. */
TEST(tune_left_out)
{
	struct result r;
	char **lowered = NULL;

	sample_result(&r, 2, 100);
	r.budget_ns = 1000000000;
	r.all.violations = r.cpu[0].violations = r.cpu[1].violations = 0;
	r.tune = sample_text("timer_migration 1");
	r.tune_left_out = sample_text("irq_affinity 1 (Operation not permitted)");
	assert_prints(sample_render(render_outcome, &r),
		      "OK: 200 windows within 1 s; worst 257 us, <1 % of the budget, on CPU 0; not all settings could be changed");
	assert_int_equal(result_lowered(&r, &lowered), 0);
	assert_non_null(lowered);
	assert_string_equal(lowered[0], "settings that could not be changed: irq_affinity 1 (Operation not permitted)");
	notes_free(lowered);
	result_free(&r);
}

TEST(refused_policy)
{
	struct condition violated;
	struct result r;
	char why[400];

	sample_result(&r, 2, 100);
	free(r.policy);
	r.policy = sample_text("other");
	r.budget_ns = 1000000000;
	r.all.violations = r.cpu[0].violations = r.cpu[1].violations = 0;
	assert_null(outcome_doubt(&r));
	r.policy_asked = sample_text("fifo:95");
	assert_prints(sample_render(render_outcome, &r),
		      "200 windows within 1 s; worst 257 us, <1 % of the budget, on CPU 0; but no real-time policy was permitted");
	/* what failed without it decides nothing */
	assert_int_equal(condition_parse_result(&violated, "violations>9", why, sizeof(why)), 0);
	assert_int_equal(assertions_judge(&r.assertions, &violated, 1, &r), 0);
	assert_string_equal(r.assertions.at->found,
			    "measured with policy other, because fifo:95 was not permitted: that says nothing about fifo:95");
	assert_false(r.assertions.at->has_value);
	assert_prints(sample_render(render_outcome, &r),
		      "UNDECIDED 1 assertion: 200 windows within 1 s; worst 257 us, <1 % of the budget, on CPU 0; but no real-time policy was permitted");
	result_free(&r);
}

/* Returns the text of outcome_limits(). */
static char *limits(const struct result *r)
{
	char **lines = NULL, *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(outcome_limits(&lines, r), 0);
	for (i = 0; lines && lines[i]; i++)
		fprintf(f, "%s\n", lines[i]);
	fclose(f);
	notes_free(lines);
	return text;
}

TEST(limited)
{
	struct result r;
	char *text;

	sample_result(&r, 1, 100);
	assert_prints(limits(&r), "");
	r.cpu[0].missed = 300;
	result_sum(&r);
	r.period_ns = 100000;
	r.budget_ns = 50000;
	r.throttled = true;
	assert_prints(limits(&r),
		      "missed: 300 of 400 expiries (75 %)\n"
		"the work takes 100 us, and the period is 100 us: expiries must be missed\n"
		"RT throttling is on, and the work takes more than the share that it leaves\n");
	r.period_ns = 1000000;
	r.throttled = false;
	assert_shows(limits(&r),
		     "the work takes 100 us, and the budget is 50 us: every window must exceed it\n");
	r.budget_ns = 105000;
	assert_shows(limits(&r), "the work takes 100 us of the budget of 105 us: small delays exceed it\n");
	r.budget_ns = 120000;
	text = limits(&r);
	assert_null(strstr(text, "the work takes"));
	free(text);
	r.budget_ns = 2000000;
	assert_shows(limits(&r), "the budget of 2 ms is longer than the period of 1 ms: expiries are missed before it is exceeded\n");
	r.budget_ns = 50000;
	/* work whose length is not given: its demand */
	free(r.work);
	r.work = sample_text("loops:1000");
	r.all.demand_ns = 60000;
	assert_shows(limits(&r), "the work takes 60 us, and the budget is 50 us");
	result_free(&r);
}

/* What ran while a limit kept the thread off the CPU is not named, nor alone where that is not known. */
TEST(cause_limited)
{
#define LIMIT	"group /work.slice has 20ms per 100ms (cpu.max)"
	static const struct {
		unsigned int part;
		uint32_t flags;
		const char *policy, *by;
		uint64_t times;
		int32_t ran;
		const char *says;
	} t[] = {
		{ TLOB_WORK_THREAD, TLOB_WINDOW_THROTTLED, "other", LIMIT, 5, 60, "99 % throttled: " LIMIT },
		{ TLOB_WAKE_THREAD, TLOB_WINDOW_THROTTLED, "other", LIMIT, 5, 60, "99 % throttled: " LIMIT },
		{ TLOB_WAKE_SCHED, TLOB_WINDOW_THROTTLED, "deadline:200us/1ms/1ms", "its own runtime 200us/1ms", 0, 0,
		  "99 % throttled by its own runtime 200us/1ms" },
		{ TLOB_WORK_THREAD, TLOB_WINDOW_THROTTLED, "fifo:95", NULL, 0, 60,
		  "99 % throttled: its own runtime, RT throttling or the fair server" },
		{ TLOB_WAKE_SCHED, 0, "other", LIMIT, 5, 0,
		  "99 % the CPU was idle meanwhile; " LIMIT ": it was throttled 5 times in this run" },
		{ TLOB_WORK_THREAD, 0, "other", LIMIT, 5, 60,
		  "99 % while hog (pid 60) ran; " LIMIT ": it was throttled 5 times in this run" },
		{ TLOB_WORK_THREAD, 0, "other", LIMIT, 0, 60, "99 % while hog (pid 60) ran" },
		{ TLOB_WORK_SLEEP, TLOB_WINDOW_THROTTLED, "other", LIMIT, 5, 60, "99 % blocked or stopped in the work" },
		/* the stop counts, not who ran or what limits */
		{ TLOB_WAKE_IRQ_DELAY, WINDOW_CONTINUED, "other", LIMIT, 5, 60, "99 % stopped by a signal or a debugger" },
		{ TLOB_WORK_SLEEP, WINDOW_CONTINUED, "other", LIMIT, 5, 60, "99 % stopped by a signal or a debugger" },
		{ TLOB_WAKE_SCHED, WINDOW_CONTINUED, "other", LIMIT, 5, 0, "99 % stopped by a signal or a debugger" },
		{ TLOB_WORK_IRQ, WINDOW_CONTINUED, "other", LIMIT, 5, 0, "99 % in interrupts" },
	};
	struct result_limits held;
	struct tlob_window w;
	struct result r;
	char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		held = (struct result_limits){ .by = (char *)t[i].by, .nr_throttled = t[i].times };
		w = window_of(t[i].part, 102000);
		w.flags |= t[i].flags;
		if (t[i].ran)
			w.largest = (struct tlob_noise){
				.ns = 9800000, .id = t[i].ran, .kind = TLOB_NOISE_THREAD, .name = "hog",
			};
		r = (struct result){ .policy = (char *)t[i].policy, .limits = held };
		text = cause_in(&w, &r);
		assert_string_equal(text, t[i].says);
		free(text);
	}
}

/* Without high resolution a timer waits for a tick, whatever runs until then. */
TEST(cause_tick)
{
	struct tlob_window w = window_of(TLOB_WAKE_IRQ_DELAY, 102000);
	struct result r = { .timer_resolution_ns = 4000000 };
	char *text = cause_in(&w, &r);

	assert_string_equal(text, "99 % waiting for a tick, every 4 ms: there are no high-resolution timers");
	free(text);
}

TEST(attach)
{
	struct result r;

	attach_sample(&r);
	assert_prints(attach_render(render_outcome, &r),
		      "3 of 101 windows over 5 ms: all waiting for the CPU: others ran, or it woke up; worst 101 ms in worker/4243: 98 % waiting for the CPU: others ran, or it woke up");
	result_free(&r);

	attach_empty(&r);
	assert_prints(attach_render(render_outcome, &r), "no window was seen");
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
