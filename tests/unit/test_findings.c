// SPDX-License-Identifier: GPL-2.0
/*
 * Doctor around a run: its quick rules say what the whole of doctor says, its
 * counters are differences, and a finding stands next to a window only if the window's
 * record shows it. Then the way through a result file, and what readers see.
 */
#include "doctor/doctor.h"
#include "doctor/run.h"
#include "doctor_tree.h"
#include "read/read.h"
#include "report/render.h"
#include "report/report.h"
#include "sample.h"

static struct doctor around(const struct file *later)
{
	struct doctor d = {
		.root = tree_root, .pattern = PATTERN_PERIODIC, .of_run = true, .priority = 95,
	};

	assert_int_equal(doctor_prepare(&d, "2-3"), 0);
	assert_int_equal(doctor_before(&d), 0);
	for (; later && later->path; later++)
		tree_put(later);
	return d;
}

static const struct finding *find(const struct doctor *d, const char *id)
{
	size_t i;

	for (i = 0; i < d->report.n; i++)
		if (!strcmp(d->report.at[i].check->id, id))
			return &d->report.at[i];
	return NULL;
}

/* Each quick rule finds the same as in doctor, which also reads threads and configuration. */
TEST(test_quick_rules)
{
	static const struct file bad[] = {
		{ "/proc/sys/kernel/timer_migration", "1\n", 0 }, { CPU "/cpu3/cpufreq/scaling_governor", "powersave\n", 0 },
		{ CPU "/cpu2/cpufreq/scaling_min_freq", "1\n", 0 }, { NULL, NULL, 0 },
	};
	struct doctor whole = { .root = tree_root, .pattern = PATTERN_PERIODIC }, quick;
	const struct file *f;
	size_t i, found = 0;

	tree_make();
	for (f = bad; f->path; f++)
		tree_put(f);
	assert_int_equal(doctor_prepare(&whole, "2-3"), 0);
	assert_int_equal(doctor_examine(&whole, NULL), 0);
	quick = around(NULL);
	assert_int_equal(quick.tasks.n, 0);
	assert_null(quick.config.text);
	assert_true(quick.report.n > 30 && quick.report.n < whole.report.n);
	for (i = 0; i < quick.report.n; i++) {
		const struct finding *one = &quick.report.at[i], *same = find(&whole, one->check->id);

		assert_non_null(same);
		assert_int_not_equal(one->severity, SEVERITY_INFO);
		if (one->status != same->status || strcmp(one->found, same->found))
			fail_msg("%s: %s, in doctor %s", one->check->id, one->found, same->found);
		found += one->status == STATUS_FINDING;
	}
	assert_int_equal(found, 2);
	doctor_free(&quick);
	doctor_free(&whole);
}

/* A run on CPUs 2 and 3 whose worst window @w may be changed before the end. */
static void begin_result(struct result *r, struct tlob_window *w)
{
	static const int cpus[] = { 2, 3 };

	memset(r, 0, sizeof(*r));
	assert_int_equal(result_init(r, cpus, 2), 0);
	r->workload = sample_text("user");
	*w = sample_violation(3, 7);
	w->delayed_by_idle_state = -1;
}

static const struct machine_counts *count_of(const struct result *r, int cpu)
{
	size_t i;

	for (i = 0; i < r->findings->ncounts; i++)
		if (r->findings->count[i].cpu == cpu)
			return &r->findings->count[i];
	fail_msg("no counters of CPU %d", cpu);
	return NULL;
}

static const char *found_by(const char *id, const struct result *r)
{
	size_t i;

	for (i = 0; i < r->findings->n; i++)
		if (!strcmp(r->findings->at[i].id, id))
			return r->findings->at[i].found;
	fail_msg("no finding %s", id);
	return NULL;
}

TEST(test_counters)
{
	static const struct file later[] = {
		{ "/proc/interrupts", INTERRUPTS("9"), 0 }, { "/proc/stat", PROC_STAT("4"), 0 },
		{ "/dev/cpu/3/msr", MSRS("\3", "\4", "\2"), MSR_SIZE },
		{ CPU "/cpu3/thermal_throttle/core_throttle_count", "6\n", 0 },
		{ CPU "/cpu3/cpufreq/scaling_cur_freq", "1000000\n", 0 }, { NULL, NULL, 0 },
	};
	const struct machine_counts *c;
	struct tlob_window w;
	struct doctor d;
	struct result r;

	tree_make();
	tree_remove("/dev/cpu/2");
	d = around(later);
	begin_result(&r, &w);
	r.cpu[1].faults = 5;
	assert_int_equal(run_doctor_end(&d, &r), 0);
	c = count_of(&r, 3);
	assert_int_equal(c->known, (1U << NR_MACHINE_COUNTS) - 1);
	assert_int_equal(c->value[MACHINE_SMI], 2);
	assert_int_equal(c->value[MACHINE_THROTTLED], 1);
	assert_int_equal(c->value[MACHINE_INTERRUPTS], 2);
	assert_int_equal(c->value[MACHINE_FAULTS], 5);
	assert_int_equal(c->value[MACHINE_STEAL], 3);
	assert_int_equal(c->value[MACHINE_KHZ_BEFORE], 3000000);
	assert_int_equal(c->value[MACHINE_KHZ_AFTER], 1000000);
	assert_int_equal(c->value[MACHINE_CYCLES], 50);
	/* what cannot be read is not zero */
	c = count_of(&r, 2);
	assert_false(c->known & (1U << MACHINE_SMI | 1U << MACHINE_CYCLES));
	assert_int_equal(c->value[MACHINE_FAULTS], 0);
	assert_int_equal(r.findings->rt_throttled, RT_THROTTLED_UNKNOWN);
	assert_string_equal(found_by("page_faults", &r), "5 by the measured threads during the run");
	assert_string_equal(found_by("steal", &r), "3 ticks during the run, 5 since the boot");
	assert_int_equal(r.findings->nbearings, 0);
	result_free(&r);
	doctor_free(&d);
}

struct bear_case {
	const char *what;
	struct file bad[4], later[2];
	void (*change)(struct tlob_window *w, struct result *r);
	const char *text;		/* NULL: nothing may be said */
};

static void slept(struct tlob_window *w, struct result *r)
{
	w->delayed_by_idle_state = 2;
}

static void polled(struct tlob_window *w, struct result *r)
{
	w->delayed_by_idle_state = 0;
}

static void interrupted(struct tlob_window *w, struct result *r)
{
	w->largest = (struct tlob_noise){ .ns = 140000, .id = 24, .kind = TLOB_NOISE_IRQ, .name = "eth0" };
}

/* The window was much longer than that above its budget. */
static void touched(struct tlob_window *w, struct result *r)
{
	interrupted(w, r);
	w->largest.ns = 1000;
}

/* A source that names nothing, such as the backend posix */
static void unknown(struct tlob_window *w, struct result *r)
{
	w->largest = (struct tlob_noise){ .ns = 0 };
}

/* An IPI whose vector is the number of a device */
static void kicked(struct tlob_window *w, struct result *r)
{
	w->largest = (struct tlob_noise){ .ns = 140000, .id = 24, .kind = TLOB_NOISE_IRQ, .name = "reschedule" };
}

static void ticked(struct tlob_window *w, struct result *r)
{
	w->largest = (struct tlob_noise){ .ns = 140000, .id = 236, .kind = TLOB_NOISE_IRQ, .name = "local_timer" };
}

static void timed(struct tlob_window *w, struct result *r)
{
	w->largest = (struct tlob_noise){ .ns = 140000, .id = 11, .kind = TLOB_NOISE_IRQ, .name = "arch_timer" };
}

static void worked(struct tlob_window *w, struct result *r)
{
	w->largest = (struct tlob_noise){ .ns = 140000, .id = 117, .kind = TLOB_NOISE_THREAD, .in_work = 1, .name = "kworker/u8:1" };
}

static void preempted(struct tlob_window *w, struct result *r)
{
	w->largest = (struct tlob_noise){ .ns = 140000, .id = 100, .kind = TLOB_NOISE_THREAD, .in_work = 1, .name = "init" };
}

static void preempted_by_rt(struct tlob_window *w, struct result *r)
{
	preempted(w, r);
	w->largest.id = 30;
}

static void stood_still(struct tlob_window *w, struct result *r)
{
	w->largest.ns = 0;
	w->part_ns[TLOB_WORK_HW] = w->response_ns;
}

static void faulted(struct tlob_window *w, struct result *r)
{
	r->cpu[1].faults = 3;
}

static void kept(struct tlob_window *w, struct result *r)
{
	slept(w, r);
	w->response_ns = w->budget_ns;
}

#define DEVICE	{ { "/proc/irq/24/effective_affinity_list", "3\n", 0 }, { "/proc/irq/24/eth0/of", "", 0 } }
#define DEEP	{ { CPU "/cpu3/cpuidle/state2/disable", "0\n", 0 } }
#define LIMIT	{ { "/proc/sys/kernel/sched_rt_runtime_us", "950000\n", 0 }, { "/proc/sys/kernel/osrelease", "6.11.9\n", 0 } }
#define SERVER	"/sys/kernel/debug/sched/fair_server/cpu3/runtime"
#define NOT_ISOLATED { CPU "/isolated", "2\n", 0 }, { "/sys/fs/cgroup/cpuset.cpus.isolated", "\n", 0 }
#define HEAT	{ { CPU "/cpu3/thermal_throttle/core_throttle_count", "9\n", 0 } }
#define STEAL	{ { "/proc/stat", PROC_STAT("4"), 0 } }
#define SMI	{ { "/dev/cpu/3/msr", MSR("\3"), MSR_SIZE } }
static const struct bear_case bear_cases[] = {
	{ "idle", DEEP, { { 0 } }, slept, "CPU 3 slept in C6 at the expiry: idle states are on" },
	{ "idle, states off", { { 0 } }, { { 0 } }, slept, NULL },
	{ "polling", DEEP, { { 0 } }, polled, NULL },
	{ "within the budget", DEEP, { { 0 } }, kept, NULL },
	{ "irq", DEVICE, { { 0 } }, interrupted, "interrupt eth0 came to CPU 3: IRQ 24 on measured CPUs" },
	{ "irq, but short", DEVICE, { { 0 } }, touched, NULL },
	{ "irq, elsewhere", { { 0 } }, { { 0 } }, interrupted, NULL },
	{ "irq, but nothing is known", DEVICE, { { 0 } }, unknown, NULL },
	{ "irq, but an IPI", DEVICE, { { 0 } }, kicked, NULL },
	{ "tick", DEVICE, { { 0 } }, ticked, NULL },
	{ "timer with a number", { { "/proc/irq/24/effective_affinity_list", "3\n", 0 }, { "/proc/irq/11/arch_timer/of", "", 0 } },
	  { { 0 } }, timed, NULL },
	{ "unbound work", { { "/sys/devices/virtual/workqueue/cpumask", "f\n", 0 } }, { { 0 } }, worked,
	  "kworker/u8:1 ran on CPU 3: unbound work may run" },
	{ "work, bound", { { 0 } }, { { 0 } }, worked, NULL },
	{ "not isolated", { NOT_ISOLATED }, { { 0 } }, preempted,
	  "init ran on CPU 3, which is not isolated: the scheduler may place any task there" },
	{ "pinned", { NOT_ISOLATED, TASK(100, "init", USER, 0, 0, "3") }, { { 0 } }, preempted,
	  "init ran on CPU 3, to which it is pinned: taskset -pc 0-1 100 moves it" },
	{ "another of that number", { NOT_ISOLATED, TASK(100, "init2", USER, 0, 0, "3") }, { { 0 } }, preempted,
	  "init ran on CPU 3, which is not isolated" },
	{ "all are measured", { NOT_ISOLATED, { CPU "/online", "2-3\n", 0 } }, { { 0 } }, preempted,
	  "init ran on CPU 3: every online CPU is measured, so none is left for it" },
	{ "limit", LIMIT, { { 0 } }, preempted,
	  "init, an ordinary task, ran on CPU 3 in the middle of the work: sched_rt_runtime_us is 950000" },
	{ "limit, but a real-time task", LIMIT, { { 0 } }, preempted_by_rt, NULL },
	{ "fair server", { { SERVER, "50000000\n", 0 }, { "/proc/sys/kernel/sched_rt_runtime_us", "950000\n", 0 } }, { { 0 } }, preempted,
	  "init, an ordinary task, ran on CPU 3 in the middle of the work: the fair server gives such tasks 50000000 ns in each second" },
	{ "fair server, but a real-time task", { { SERVER, "50000000\n", 0 } }, { { 0 } }, preempted_by_rt, NULL },
	{ "no limit", { { 0 } }, { { 0 } }, preempted, NULL },
	{ "smi", { { 0 } }, SMI, stood_still, "CPU 3: system management interrupts during the run: 2" },
	{ "smi, but a thread ran", { { 0 } }, SMI, worked, NULL },
	{ "heat", { { 0 } }, HEAT, stood_still, "CPU 3: times throttled because of heat during the run: 4" },
	{ "heat, but a thread ran", { { 0 } }, HEAT, worked, NULL },
	{ "steal", { { 0 } }, STEAL, stood_still, "CPU 3: ticks that the hypervisor gave to others during the run: 3" },
	{ "steal, but a thread ran", { { 0 } }, STEAL, worked, NULL },
	{ "faults", { { 0 } }, { { 0 } }, faulted, "CPU 3: page faults of the measured thread during the run: 3" },
};

TEST(test_bearings)
{
	const struct bear_case *c;
	struct tlob_window w;
	struct doctor d;
	struct result r;
	size_t k;

	for (c = bear_cases; c < bear_cases + ARRAY_SIZE(bear_cases); c++) {
		tree_make();
		tree_put(&(struct file){ SERVER, "0\n", 0 });
		for (k = 0; k < ARRAY_SIZE(c->bad) && c->bad[k].path; k++)
			tree_put(&c->bad[k]);
		d = around(c->later[0].path ? c->later : NULL);
		begin_result(&r, &w);
		c->change(&w, &r);
		r.worst[0].w = r.worst[1].w = w;
		r.worst[1].w.activation++;
		r.nworst = 2;
		assert_int_equal(run_doctor_end(&d, &r), 0);
		if (!c->text && r.findings->nbearings)
			fail_msg("%s: %s", c->what, r.findings->bearing[0].text);
		if (c->text && (r.findings->nbearings != 1 || !strstr(r.findings->bearing[0].text, c->text)))
			fail_msg("%s: %s", c->what, r.findings->nbearings ? r.findings->bearing[0].text : "nothing");
		if (c->text)
			assert_int_equal(r.findings->bearing[0].activation, 7);
		result_free(&r);
		doctor_free(&d);
	}
}

/* Written, read and written again: the same bytes. A sum has no findings. */
TEST(test_file)
{
	struct result r, again;
	struct reader reader;
	char *json, *second, *key;

	sample_result(&r, 1, 1000);
	sample_findings(&r);
	json = sample_render(render_json, &r);
	assert_int_equal(result_parse(&again, json, &reader), 0);
	assert_non_null(again.findings);
	second = sample_render(render_json, &again);
	assert_string_equal(json, second);
	result_free(&again);
	key = strstr(json, "\"severity\":\"high\"");
	assert_non_null(key);
	key[strlen("\"severity\":\"h")] = 'u';
	assert_int_not_equal(result_parse(&again, json, &reader), 0);
	assert_non_null(strstr(reader.error, "findings.found[0].severity"));
	free(second);
	free(json);
	r.findings->rt_throttled = RT_THROTTLED_UNKNOWN;
	json = sample_render(render_json, &r);
	assert_int_equal(result_parse(&again, json, &reader), 0);
	assert_int_equal(again.findings->rt_throttled, RT_THROTTLED_UNKNOWN);
	result_free(&again);
	free(json);
	findings_free(r.findings);
	r.findings = NULL;
	json = sample_render(render_json, &r);
	assert_non_null(strstr(json, "\"findings\":null"));
	assert_int_equal(result_parse(&again, json, &reader), 0);
	assert_null(again.findings);
	result_free(&again);
	free(json);
	result_free(&r);
}

/* What validate reads is what doctor has written. */
TEST(test_examination)
{
	struct doctor d = { .root = tree_root, .pattern = PATTERN_POLLING };
	struct examination again;
	char *json, *second;

	tree_make();
	tree_put(&(struct file){ "/proc/sys/kernel/timer_migration", "1\n", 0 });
	assert_int_equal(doctor_prepare(&d, "2-3"), 0);
	assert_int_equal(doctor_examine(&d, NULL), 0);
	json = sample_render(examination_json, &d.report);
	tree_put(&(struct file){ "/report", json, 0 });
	assert_int_equal(examination_load(&again, tree_path("/report")), 0);
	assert_string_equal(again.cpus, "2-3");
	assert_int_equal(again.n, d.report.n);
	assert_string_equal(again.at[0].id, d.report.at[0].id);
	second = sample_render(examination_json, &again);
	assert_string_equal(json, second);
	free(second);
	examination_free(&again);
	/* a word that no report has, and what is none */
	*strstr(json, "polling\"") = 'b';
	tree_put(&(struct file){ "/report", json, 0 });
	assert_int_equal(examination_load(&again, tree_path("/report")), -EINVAL);
	examination_free(&again);
	tree_put(&(struct file){ "/report", "{\"format\":\"tlob-load result\",\"version\":1}", 0 });
	assert_int_equal(examination_load(&again, tree_path("/report")), -EINVAL);
	free(json);
	doctor_free(&d);
}

static void expect_part(char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static int put_page(FILE *f, const struct report *rep)
{
	return page_results(f, rep);
}

TEST(test_readers)
{
	const char *name = "one";
	struct report rep = { .name = &name, .n = 1 };
	struct result r;
	char *text;

	sample_result(&r, 1, 1000);
	sample_findings(&r);
	rep.r = &r;
	free(r.findings->bearing[0].text);
	r.findings->bearing[0].text = sample_text("CPU 0 slept in <C6>\033[31m");

	text = sample_render(render_text, &r, true);
	expect_part(text, "\ndoctor  1 high finding in 41 rules, 1 not read\n");
	expect_part(text, "\nhigh  idle_states: state 2 (C6), left in 133 us on CPU 0; wanted: 2 us at\n"
		    "         most; now: run --idle-state 1\n");
	expect_part(text, "\nbecause  CPU 0 slept in <C6>\\x1b[31m\n");
	expect_part(text, "what the machine counted during the run\n");
	free(text);

	text = sample_render(report_markdown, &rep);
	expect_part(text, "Doctor: 1 high finding in 41 rules, 1 not read.\n");
	expect_part(text, "state 2 (C6), left in 133 us on CPU 0");
	free(text);

	text = sample_render(put_page, &rep);
	expect_part(text, "\"bearings\":[\"CPU 0 slept in \\u003cC6>");
	expect_part(text, "\"title\":\"What doctor found\"");
	expect_part(text, "Not read, so neither good nor bad: smi\"");
	free(text);

	/* a command that is cut off would do something else */
	free(r.findings->at[0].found);
	r.findings->at[0].found = malloc(600);
	assert_non_null(r.findings->at[0].found);
	snprintf(r.findings->at[0].found, 600, "%0599d", 0);
	text = sample_render(render_text, &r, true);
	expect_part(text, "--idle-state 1\n");
	free(text);
	result_free(&r);
}

/* The page at the end has doctor's line only if a finding bears on what was seen. */
TEST(test_summary)
{
	struct result r;
	char *text;

	sample_result(&r, 1, 1000);
	sample_findings(&r);
	text = sample_render(render_summary, &r);
	expect_part(text, "\nbecause  CPU 0 slept in C6");
	expect_part(text, "\ndoctor: 1 high finding in 41 rules, 1 not read\n");
	free(text);
	free(r.findings->bearing[0].id);
	free(r.findings->bearing[0].text);
	r.findings->nbearings = 0;
	text = sample_render(render_summary, &r);
	assert_lacks(text, "doctor");
	free(text);
	result_free(&r);
}

UNIT_MAIN(tree_setup, tree_teardown)
