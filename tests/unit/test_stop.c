// SPDX-License-Identifier: GPL-2.0
/*
 * --stop-on names the window that met its condition first, in whatever order the
 * CPUs' records are read, and no later window counts among the worst.
 */
#include "report/render.h"
#include "run/collect.c"
#include "sample.h"

#define CPUS	4U

static struct run_config config;

/* All were lost. */
static const struct tlob_timeline *no_timeline(struct backend_run *b, size_t i,
					       const struct tlob_window *w)
{
	return NULL;
}

/* As long as the response, so that it shows whose it is. */
static const struct tlob_window_wait *one_wait(struct backend_run *b, size_t i,
					       const struct tlob_window *w)
{
	static struct tlob_window_wait wait;

	wait.ns = w->response_ns;
	return &wait;
}

static int no_names(void *namer, const struct tlob_window_wait *w, struct attach_wait *to)
{
	*to = (struct attach_wait){ .ns = w->ns };
	return 0;
}

/* measures all parts */
static const struct backend table = { .timeline = no_timeline, .wait = one_wait };
static struct backend_run backend = { .backend = &table };
static struct workers *threads = (struct workers *)&config;	/* never followed */

static void begin(struct collector *c, struct result *r, const char *condition)
{
	char why[200];

	memset(&config, 0, sizeof(config));
	config.work.type = TLOB_KIND_SPIN;
	assert_int_equal(condition_parse_window(&config.stop_on[0], condition,
						why, sizeof(why)), 0);
	config.nstop_on = 1;
	config.waits = true;
	sample_empty(r, CPUS);
	backend.r = r;
	backend.config = &config;
	assert_int_equal(collect_init(c, &backend, threads), 0);
	c->name_wait = no_names;
}

/* Every window that is kept has its longest wait. */
static void end_run(struct collector *c, struct result *r)
{
	size_t i;

	stop_release(&c->stop, NULL, add_held, c);
	assert_int_equal(stop_finish(&c->stop, r), 0);
	assert_int_equal(c->wait_error, 0);
	for (i = 0; i < r->nworst; i++)
		assert_int_equal(r->worst[i].kept.wait.ns, r->worst[i].w.response_ns);
	if (r->stopped)
		assert_int_equal(r->stopped->kept.wait.ns, r->stopped->w.response_ns);
	collect_free(c);
}

/* A window that begins at @t0 and responds after @response. */
static struct tlob_window window(unsigned int cpu, uint64_t n, uint64_t t0,
				 uint64_t response)
{
	struct tlob_window w = sample_window(cpu, n);

	w.t0_ns = t0;
	w.flags = 0;
	w.part_ns[TLOB_WORK_ON_CPU] += response - w.response_ns;
	sample_close(&w);
	assert_int_equal(w.response_ns, response);
	return w;
}

/* CPU i crosses the limit in its window 3 + i, and is slower ever after. */
static void read_cpu_records(struct collector *c, size_t i)
{
	struct tlob_window w;
	uint64_t n, t0;

	for (n = 0; n < 40; n++) {
		t0 = 1000000 * n + 1000 * i;
		w = window((unsigned int)i, n, t0,
			   110000 + (n < 3 + i ? n : 50000 + 1000 * n));
		take_window(c, i, &w, 0);
	}
}

static void assert_stopped_by_cpu(size_t first, const struct result *r)
{
	char wanted[80], *text;
	size_t i;

	assert_string_equal(r->stopped_by, "response>150us");
	assert_int_equal(r->stopped->w.cpu, first);
	assert_int_equal(r->stopped->w.activation, 3 + first);
	/* three windows and more of each CPU ended before */
	assert_true(r->nworst > 3 * CPUS);
	assert_int_equal(r->worst[0].w.activation, 3 + first);
	for (i = 1; i < r->nworst; i++)
		assert_true(r->worst[i].w.response_ns < 150000);

	result_sum((struct result *)r);
	text = sample_render(render_text, r, true);
	snprintf(wanted, sizeof(wanted), "\nwindow that stopped the run: cpu %zu, activation %zu,",
		 first, 3 + first);
	assert_non_null(strstr(text, wanted));
	assert_null(strstr(text, "\nworst window:"));
	free(text);
}

TEST(every_order)
{
	unsigned int order, left, k, i;
	struct collector c;
	struct result r;
	size_t cpu[CPUS];

	for (order = 0; order < 24; order++) {
		begin(&c, &r, "response>150us");
		left = order;
		for (i = 0; i < CPUS; i++)
			cpu[i] = i;
		for (i = 0; i < CPUS; i++) {
			k = i + left % (CPUS - i);
			left /= CPUS - i;
			read_cpu_records(&c, cpu[k]);
			cpu[k] = cpu[i];
		}
		end_run(&c, &r);
		assert_stopped_by_cpu(0, &r);
		result_free(&r);
	}
}

/* Only CPU 2, whose records are read first or last, and one by one. */
TEST(one_cpu_crosses)
{
	struct collector c;
	struct result r;
	struct tlob_window w;
	unsigned int last, i;

	for (last = 0; last < 2; last++) {
		begin(&c, &r, "response>150us");
		for (i = 0; i < 2; i++)
			if (i == last) {
				w = window(2, 7, 7000000, 160000);
				take_window(&c, 2, &w, 0);
			} else {
				/* ends after it, and is no hit */
				w = window(1, 7, 7100000, 149000);
				take_window(&c, 1, &w, 0);
			}
		end_run(&c, &r);
		assert_int_equal(r.stopped->w.cpu, 2);
		assert_int_equal(r.nworst, 1);
		assert_int_equal(r.worst[0].w.cpu, 2);
		result_free(&r);
	}
}

/*
 * The kernel stops at a violation when the budget is over: CPU 0 first, although
 * CPU 1's window, which is also over its budget, ends first.
 */
TEST(violation_stops_at_the_budget)
{
	struct tlob_window w[2] = {
		window(0, 5, 5000000, 900000), window(1, 5, 5100000, 210000),
	};
	struct collector c;
	struct result r;
	unsigned int armed, i;

	for (armed = 0; armed < 2; armed++) {
		begin(&c, &r, "violations>0");
		if (armed)
			c.stop.armed_ns = 5000000;
		for (i = 0; i < 2; i++)
			take_window(&c, i, &w[i], 0);
		end_run(&c, &r);
		assert_int_equal(r.stopped->w.cpu, armed ? 0 : 1);
		assert_int_equal(r.nworst, armed ? 2 : 1);
		result_free(&r);
	}
}

TEST(warm_up_does_not_stop)
{
	struct collector c;
	struct result r;
	struct tlob_window w = window(0, 0, 1000000, 900000);

	begin(&c, &r, "response>150us");
	w.flags |= TLOB_WINDOW_WARM_UP;
	take_window(&c, 0, &w, 0);
	end_run(&c, &r);
	assert_null(r.stopped_by);
	assert_null(r.stopped);
	assert_int_equal(r.nworst, 0);
	result_free(&r);
}

static bool never_ends(void *data, size_t i)
{
	return false;
}

static int larger(const void *a, const void *b)
{
	const struct tlob_window *x = a, *y = b;

	return (x->response_ns < y->response_ns) - (x->response_ns > y->response_ns);
}

/* Against all windows that were there, sorted. With timelines violations are also kept. */
TEST(worst_are_those_before)
{
	enum { N = 3000 };
	static struct tlob_window all[N];
	struct collector c;
	struct result r;
	uint64_t seed, end_ns;
	size_t next[CPUS], i, k, n, wanted, kept, stopped = 0;

	for (seed = 1; seed <= 20; seed++) {
		uint64_t random = seed;

		begin(&c, &r, "response>900us");
		r.timed = config.timeline = seed % 4 >= 2;
		kept = r.timed ? RESULT_KEPT : RESULT_WORST;
		for (i = 0; i < N; i++) {
			all[i] = window(i % CPUS, i / CPUS, 2000000 * (i / CPUS),
					110000 + unit_random(&random) % 790200);
			all[i].flags = all[i].response_ns > all[i].budget_ns ?
				       TLOB_WINDOW_VIOLATION : 0;
		}
		/* each CPU's records in their order, the CPUs at random */
		memset(next, 0, sizeof(next));
		for (n = 0; n < N; n++) {
			do
				i = unit_random(&random) / 7 % CPUS;
			while (next[i] * CPUS + i >= N);
			take_window(&c, i, &all[next[i]++ * CPUS + i], 0);
			if (n % 50 == 0)
				stop_release(&c.stop, never_ends, add_held, &c);
		}
		if (!c.stop.by) {
			end_run(&c, &r);
			assert_int_equal(r.nworst, kept);
			result_free(&r);
			continue;
		}
		stopped++;
		end_run(&c, &r);
		end_ns = r.stopped->w.t0_ns + r.stopped->w.response_ns;
		qsort(all, N, sizeof(all[0]), larger);
		for (i = k = wanted = 0; i < N && wanted < kept; i++) {
			if (all[i].t0_ns + all[i].response_ns > end_ns ||
			    !result_keeps(wanted, &all[i], r.timed))
				continue;
			wanted++;
			assert_int_equal(r.worst[k++].w.response_ns, all[i].response_ns);
		}
		assert_int_equal(r.nworst, wanted);
		result_sum(&r);
		for (i = n = wanted = 0; i < N; i++)
			if (all[i].t0_ns + all[i].response_ns <= end_ns) {
				wanted++;
				n += !!(all[i].flags & TLOB_WINDOW_VIOLATION);
			}
		assert_int_equal(r.all.windows, wanted);
		assert_int_equal(r.all.violations, n);
		assert_int_equal(r.all.hist[TLOB_METRIC_RESPONSE].n, wanted);
		result_free(&r);
	}
	assert_true(stopped && stopped < 20);
}

#define GRID	1000000000ULL
#define PERIOD	1000000ULL

/* The kernel's own counters, which have the windows after the stop as well. */
static const struct status_cpu counted[CPUS] = {
	{ .cpu = 0, .windows = 12, .start_ns = GRID, .first_activation = 1 },
	{ .cpu = 1, .windows = 10, .missed = 3, .start_ns = GRID, .first_activation = 1 },
	{ .cpu = 2, .windows = 12, .violations = 2, .start_ns = GRID, .first_activation = 1 },
	{ .cpu = 3, .windows = 11, .missed = 1, .start_ns = GRID, .first_activation = 1 },
};

static int kernel_status(struct backend_run *b, struct status *s)
{
	*s = (struct status){ .state = "enabled", .stopped_cpu = -1, .ncpus = CPUS };
	s->cpu = malloc(sizeof(counted));
	assert_non_null(s->cpu);
	memcpy(s->cpu, counted, sizeof(counted));
	return 0;
}

/* @first ... @last on CPU @i. */
static void windows_of(struct collector *c, size_t i, uint64_t first, uint64_t last)
{
	struct tlob_window w;

	for (; first <= last; first++) {
		w = window((unsigned int)i, first, GRID + first * PERIOD, 105000);
		take_window(c, i, &w, 0);
	}
}

static void one_window(struct collector *c, size_t i, uint64_t n, uint64_t response,
		       uint64_t missed)
{
	struct tlob_window w = window((unsigned int)i, n, GRID + n * PERIOD, response);

	w.missed = missed;
	take_window(c, i, &w, 0);
}

/*
 * All that is said is of the windows that had ended when CPU 0's window 10 did: counters,
 * histograms, worst windows, causes and slices. Kernel threads' histograms do not matter.
 */
TEST(all_of_one_run)
{
	static const struct {
		uint64_t windows, violations, missed, aborted, lost;
	} wanted[CPUS] = {
		{ .windows = 10, .violations = 1 },
		{ .windows = 8, .missed = 2, .aborted = 1, .lost = 1 },
		{ .windows = 10 },
		{ .windows = 9, .violations = 1, .missed = 1 },
	};
	const struct backend with_status = { .wait = one_wait, .status = kernel_status };
	struct backend_run b = { .backend = &with_status, .config = &config };
	struct collector c;
	struct result r;
	struct tlob_window w;
	char *text;
	size_t i;

	begin(&c, &r, "wake>300us");
	c.backend = &b;
	c.workers = NULL;
	config.period_ns = PERIOD;
	config.budget_ns = 200000;

	windows_of(&c, 2, 1, 5);
	windows_of(&c, 1, 1, 4);		/* the record of 5 was lost */
	windows_of(&c, 1, 6, 8);
	stop_release(&c.stop, never_ends, add_held, &c);
	assert_int_equal(r.cpu[1].windows, 0);	/* two CPUs may still stop the run */
	windows_of(&c, 3, 1, 7);
	windows_of(&c, 0, 1, 9);
	stop_release(&c.stop, never_ends, add_held, &c);
	assert_int_equal(r.cpu[0].windows, 5);
	one_window(&c, 3, 8, 1300000, 0);
	one_window(&c, 3, 10, 105000, 1);
	windows_of(&c, 3, 11, 12);
	one_window(&c, 1, 9, 3500000, 0);	/* open at the stop */
	one_window(&c, 1, 13, 105000, 3);
	windows_of(&c, 2, 6, 10);
	one_window(&c, 2, 11, 900000, 0);	/* violations after it */
	one_window(&c, 2, 12, 900000, 0);
	w = sample_window(0, 10);
	w.t0_ns = GRID + 10 * PERIOD;
	w.part_ns[TLOB_WAKE_SCHED] += 300000;
	sample_close(&w);
	take_window(&c, 0, &w, 0);
	windows_of(&c, 0, 11, 12);
	assert_int_equal(collect_finish(&c, GRID + 20 * PERIOD), 0);

	assert_int_equal(r.stopped->w.activation, 10);
	for (i = 0; i < CPUS; i++) {
		const struct result_cpu *cpu = &r.cpu[i];

		assert_int_equal(cpu->windows, wanted[i].windows);
		assert_int_equal(cpu->violations, wanted[i].violations);
		assert_int_equal(cpu->missed, wanted[i].missed);
		assert_int_equal(cpu->aborted, wanted[i].aborted);
		assert_int_equal(cpu->lost, wanted[i].lost);
		assert_int_equal(cpu->due, 10);
		assert_int_equal(cpu->unaccounted, 0);
		assert_int_equal(cpu->hist[TLOB_METRIC_RESPONSE].n, cpu->windows - cpu->lost);
		assert_int_equal(slices_windows(cpu->slices), cpu->windows - cpu->lost);
	}
	assert_int_equal(r.all.hist[TLOB_METRIC_RESPONSE].max, 1300000);
	assert_int_equal(r.worst[0].w.response_ns, 1300000);
	assert_int_equal(r.worst[1].w.response_ns, 405000);
	text = sample_render(render_outcome, &r);
	assert_string_equal(text, "1 of 37 windows met wake>300us and stopped the run: wake 303 us, response 405 us on CPU 0, due at 1.010000: 74 % idle or switching to the thread after the timer interrupt; 2 over 200 us");
	free(text);
	result_free(&r);
	collect_free(&c);
}

UNIT_MAIN(NULL, NULL)
