/* SPDX-License-Identifier: GPL-2.0 */
/* Results for the tests of the renderers. */
#ifndef TLOB_SAMPLE_H
#define TLOB_SAMPLE_H

#include "unit.h"
#include "result/result.h"

/* Computes the phases from the parts, and the flag from the budget. */
static inline void sample_close(struct tlob_window *w)
{
	unsigned int i;

	w->wake_ns = 0;
	for (i = 0; i < TLOB_WORK_ON_CPU; i++)
		w->wake_ns += w->part_ns[i];
	w->response_ns = w->wake_ns;
	for (; i < TLOB_NR_PARTS; i++)
		w->response_ns += w->part_ns[i];
	if (w->response_ns > w->budget_ns)
		w->flags |= TLOB_WINDOW_VIOLATION;
}

/* An undisturbed window of 105 us: 3 us to wake up, 102 us of work. */
static inline struct tlob_window sample_window(unsigned int cpu, uint64_t n)
{
	struct tlob_window w = {
		.version = TLOB_WINDOW_VERSION,
		.size = sizeof(w),
		.cpu = cpu,
		.activation = n,
		.t0_ns = 5000000000ULL + n * 1000000,
		.irq_latency_ns = 1200,
		.budget_ns = 200000,
		.wake_count = { [TLOB_NOISE_IRQ] = 1 },
		.unavailable = 1U << TLOB_WAKE_SOFTIRQ | 1U << TLOB_WORK_SOFTIRQ,
		.largest = {
			.ns = 1300, .id = 236, .kind = TLOB_NOISE_IRQ,
			.name = "local_timer",
		},
		.delayed_by_idle_state = 1,
	};

	w.part_ns[TLOB_WAKE_IRQ_DELAY] = 900;
	w.part_ns[TLOB_WAKE_IRQ] = 1300;
	w.part_ns[TLOB_WAKE_SCHED] = 800;
	w.part_ns[TLOB_WORK_ON_CPU] = 102000;
	sample_close(&w);
	return w;
}

/* A window over its budget: a thread took the CPU, and an irq came. */
static inline struct tlob_window sample_violation(unsigned int cpu, uint64_t n)
{
	struct tlob_window w = sample_window(cpu, n);

	w.part_ns[TLOB_WORK_THREAD] = 150250;
	w.part_ns[TLOB_WORK_IRQ] = 2001;
	w.work_count[TLOB_NOISE_THREAD] = 2;
	w.work_count[TLOB_NOISE_IRQ] = 1;
	w.largest = (struct tlob_noise){
		.ns = 140000, .id = 117, .kind = TLOB_NOISE_THREAD,
		.in_work = 1, .name = "kworker/0:1",
	};
	w.delayed_by_pid = 4242;
	w.delayed_by_idle_state = -1;
	strcpy(w.delayed_by, "stress-ng");
	sample_close(&w);
	return w;
}

static inline char *sample_text(const char *text)
{
	char *s = strdup(text);

	assert_non_null(s);
	return s;
}

/* @ncpus CPUs from 0 on, without a window. */
static inline void sample_empty(struct result *r, size_t ncpus)
{
	int *cpus = calloc(ncpus, sizeof(*cpus));
	size_t i;

	assert_non_null(cpus);
	for (i = 0; i < ncpus; i++)
		cpus[i] = (int)i;
	assert_int_equal(result_init(r, cpus, ncpus), 0);
	free(cpus);
	r->command = sample_text("tlob-load run -b 200us");
	r->kernel = sample_text("6.12.48-rt #1 SMP PREEMPT_RT");
	r->machine = sample_text("x86_64");
	r->backend = sample_text("tlob");
	r->workload = sample_text("user");
	r->noise_source = sample_text("osnoise");
	r->work = sample_text("spin:100us");
	r->policy = sample_text("fifo:95");
	r->cpus = sample_text("0-1");
	r->unavailable_because = sample_text("softirqs run in threads on PREEMPT_RT");
	r->period_ns = 1000000;
	assert_int_equal(result_watch(r), 0);
	r->budget_ns = 200000;
	r->hw_threshold_ns = 5000;
	r->started = 1763613295;
	r->duration_ns = 2000123456;
	result_set_clock(r, 16);
}

/* CPU 0 has @n windows, the last a violation; the others have @n good ones. */
static inline void sample_result(struct result *r, size_t ncpus, unsigned int n)
{
	struct tlob_window w;
	unsigned int k;
	size_t i;

	sample_empty(r, ncpus);
	for (i = 0; i < ncpus; i++)
		for (k = 0; k < n; k++) {
			w = i || k + 1 < n ? sample_window((unsigned int)i, k) :
					     sample_violation(0, k);
			assert_true(result_window(r, i, &w, true));
		}
	result_sum(r);
}

/* Two CPUs with 1000 windows each, and some of everything. */
static inline void sample_golden(struct result *r)
{
	sample_result(r, 2, 1000);
	assert_int_equal(result_note(r, "nmi: without the cost of the entry"), 0);
	r->cpu[0].demand_ns = 101000;
	r->cpu[0].demand_spread_ns = 80;
	r->cpu[0].overhead_ns = 1200000;
	r->cpu[1].demand_ns = 101500;
	r->cpu[1].overhead_ns = 1200000;
	r->cpu[1].missed = 2;
	r->cpu[1].lost = 1;
	result_sum(r);
}

static inline void sample_fact(struct result *r, const char *name, const char *value)
{
	r->tuning = realloc(r->tuning, (r->ntuning + 1) * sizeof(*r->tuning));
	assert_non_null(r->tuning);
	r->tuning[r->ntuning].source = NULL;
	r->tuning[r->ntuning].name = sample_text(name);
	r->tuning[r->ntuning++].value = sample_text(value);
}

/* Counters of the operating system, all of them known. */
static inline void sample_os(struct result_cpu *c)
{
	c->os = calloc(1, sizeof(*c->os));
	assert_non_null(c->os);
	*c->os = (struct os_counts){
		.known = OS_RUN_DELAY | OS_SWITCHES | OS_STEAL | OS_IRQS | OS_SOFTIRQS | OS_GAPS,
		.run_delay_ns = 391613, .voluntary = 2087, .involuntary = 3,
		.steal_ns = 21234567, .gap_windows = 7, .gap_ns = 84213, .gap_max_ns = 15236,
	};
	os_list_add(&c->os->irq, "36 virtio1-req.0", 84);
	os_list_add(&c->os->irq, "LOC Local timer interrupts", 5851);
	os_list_add(&c->os->softirq, "TIMER", 185);
}

/* The result of a backend without privilege: no t1, no part, but counts of the run. */
static inline void sample_posix(struct result *r, unsigned int n)
{
	struct tlob_window w;
	unsigned int k;

	sample_empty(r, 1);
	free(r->backend);
	free(r->noise_source);
	free(r->unavailable_because);
	r->backend = sample_text("posix");
	r->backend_because = sample_text("not tlob: the module is not loaded: modprobe tlob_load");
	r->noise_source = sample_text("none");
	r->unavailable_because = sample_text("it does not see into the kernel");
	for (k = 0; k < n; k++) {
		w = k + 1 < n ? sample_window(0, k) : sample_violation(0, k);
		w.unavailable = (1U << TLOB_NR_PARTS) - 1;
		w.irq_latency_ns = 0;
		w.largest = (struct tlob_noise){ .ns = 0 };
		memset(w.part_ns, 0, sizeof(w.part_ns));
		assert_true(result_window(r, 0, &w, true));
	}
	sample_os(&r->cpu[0]);
	result_sum(r);
}

/*
 * Findings of doctor: a rule that was not kept, one that was not read, and a window that it
 * explains.
 */
static inline void sample_findings(struct result *r)
{
	struct findings *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	r->findings = f;
	f->rules = 41;
	f->took_ns = 2040754;
	f->rt_throttled = RT_THROTTLED_NO;
	f->at = calloc(2, sizeof(*f->at));
	f->count = calloc(1, sizeof(*f->count));
	f->bearing = calloc(1, sizeof(*f->bearing));
	assert_true(f->at && f->count && f->bearing);
	f->n = 2;
	f->at[0] = (struct finding){
		.id = sample_text("idle_states"), .severity = SEVERITY_HIGH, .path = sample_text("/sys/<cpuidle>"),
		.found = sample_text("state 2 (C6), left in 133 us on CPU 0"), .wanted = sample_text("2 us at most"),
		.now = sample_text("run --idle-state 1"), .status = STATUS_FINDING,
	};
	f->at[1] = (struct finding){
		.id = sample_text("smi"), .severity = SEVERITY_MEDIUM, .path = sample_text("/dev/cpu/0/msr"),
		.found = sample_text("/dev/cpu/0/msr: Permission denied"), .wanted = sample_text("0"), .status = STATUS_UNKNOWN,
	};
	f->ncounts = 1;
	f->count[0] = (struct machine_counts){
		.known = 1U << MACHINE_INTERRUPTS | 1U << MACHINE_FAULTS, .value = { [MACHINE_INTERRUPTS] = 12 },
	};
	f->nbearings = 1;
	f->bearing[0] = (struct bearing){
		.activation = 999, .id = sample_text("idle_states"),
		.text = sample_text("CPU 0 slept in C6 at the expiry: idle states are on"),
	};
}

/* A text that grows. On the heap: gcc takes a local pointer to it for one that is left dangling. */
struct sample_stream {
	char	*text;
	size_t	 length;
	FILE	*file;
};

static inline struct sample_stream *sample_stream_open(void)
{
	struct sample_stream *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->file = open_memstream(&s->text, &s->length);
	assert_non_null(s->file);
	return s;
}

static inline char *sample_text_of(struct sample_stream *s)
{
	char *text;

	fclose(s->file);
	text = s->text;
	free(s);
	return text;
}

/* @n assertions, whose texts are missing. */
static inline struct assertions sample_assertions(size_t n, enum condition_outcome outcome)
{
	struct assertions all = { .at = calloc(n, sizeof(*all.at)), .n = n };

	assert_non_null(all.at);
	while (n--)
		all.at[n].outcome = outcome;
	return all;
}

/* The output of @render; the caller frees it. */
#define sample_render(render, ...) ({					\
	struct sample_stream *sample_s_ = sample_stream_open();		\
									\
	assert_int_equal(render(sample_s_->file, __VA_ARGS__), 0);	\
	sample_text_of(sample_s_);					\
})

/* @text, which is freed, contains each of the other arguments. */
#define assert_shows(text, ...) \
	sample_shows(text, (const char *const []){ __VA_ARGS__, NULL })

static inline void sample_shows(char *text, const char *const *part)
{
	for (; *part; part++)
		assert_contains(text, *part);
	free(text);
}

/* @text, which is freed, is this. */
static inline void assert_prints(char *text, const char *wanted)
{
	assert_string_equal(text, wanted);
	free(text);
}

#endif /* TLOB_SAMPLE_H */
