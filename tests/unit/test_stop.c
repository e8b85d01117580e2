// SPDX-License-Identifier: GPL-2.0
/*
 * --stop-on names the window that met its condition first, in whatever order the
 * CPUs' records are read, and no later window counts among the worst.
 */
#include "run/collect.c"
#include "sample.h"
#include "show/render.h"

#define CPUS	4U

static struct run_config config;

/* All were lost. */
static const struct tlob_timeline *no_timeline(struct backend_run *b, size_t i,
					       const struct tlob_window *w)
{
	return NULL;
}

/* As long as the response, so that it tells whose it is. */
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
	config.work.type = TLOB_WORK_SPIN;
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
static void end(struct collector *c, struct result *r)
{
	const struct attach_wait *wait;
	size_t i;

	assert_int_equal(stop_finish(&c->stop, r), 0);
	assert_int_equal(c->wait_error, 0);
	run_waits_tidy(r);
	for (i = 0; i < r->nworst; i++) {
		wait = run_wait_of(r, &r->worst[i]);
		assert_non_null(wait);
		assert_int_equal(wait->ns, r->worst[i].response_ns);
	}
	if (r->stopped_window)
		assert_non_null(run_wait_of(r, r->stopped_window));
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

	snprintf(wanted, sizeof(wanted), "response>150us (CPU %zu, activation %zu)",
		 first, 3 + first);
	assert_string_equal(r->stopped_by, wanted);
	assert_int_equal(r->stopped_window->cpu, first);
	assert_int_equal(r->stopped_window->activation, 3 + first);
	/* three windows and more of each CPU ended before */
	assert_true(r->nworst > 3 * CPUS);
	assert_int_equal(r->worst[0].activation, 3 + first);
	for (i = 1; i < r->nworst; i++)
		assert_true(r->worst[i].response_ns < 150000);

	result_sum((struct result *)r);
	text = sample_render(render_text, r, true);
	snprintf(wanted, sizeof(wanted), "\nwindow that stopped the run: cpu %zu, activation %zu,",
		 first, 3 + first);
	assert_non_null(strstr(text, wanted));
	assert_null(strstr(text, "\nworst window:"));
	free(text);
}

static void every_order(void **state)
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
		end(&c, &r);
		assert_stopped_by_cpu(0, &r);
		result_free(&r);
	}
}

/* Only CPU 2, whose records are read first or last, and one by one. */
static void one_cpu_crosses(void **state)
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
		end(&c, &r);
		assert_int_equal(r.stopped_window->cpu, 2);
		assert_int_equal(r.nworst, 1);
		assert_int_equal(r.worst[0].cpu, 2);
		result_free(&r);
	}
}

/*
 * The kernel stops at a violation when the budget is over: CPU 0 first, although
 * CPU 1's window, which is over its budget, too, ends first.
 */
static void violation_stops_at_the_budget(void **state)
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
		end(&c, &r);
		assert_int_equal(r.stopped_window->cpu, armed ? 0 : 1);
		assert_int_equal(r.nworst, armed ? 2 : 1);
		result_free(&r);
	}
}

static void warm_up_does_not_stop(void **state)
{
	struct collector c;
	struct result r;
	struct tlob_window w = window(0, 0, 1000000, 900000);

	begin(&c, &r, "response>150us");
	w.flags |= TLOB_WINDOW_WARM_UP;
	take_window(&c, 0, &w, 0);
	end(&c, &r);
	assert_null(r.stopped_by);
	assert_null(r.stopped_window);
	assert_int_equal(r.nworst, 0);
	result_free(&r);
}

static int larger(const void *a, const void *b)
{
	const struct tlob_window *x = a, *y = b;

	return (x->response_ns < y->response_ns) - (x->response_ns > y->response_ns);
}

/* Against all windows that were there, sorted. With timelines violations are kept, too. */
static void worst_are_those_before(void **state)
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
		}
		if (!c.stop.by) {
			end(&c, &r);
			assert_int_equal(r.nworst, kept);
			result_free(&r);
			continue;
		}
		stopped++;
		end(&c, &r);
		end_ns = r.stopped_window->t0_ns + r.stopped_window->response_ns;
		qsort(all, N, sizeof(all[0]), larger);
		for (i = k = wanted = 0; i < N && wanted < kept; i++) {
			if (all[i].t0_ns + all[i].response_ns > end_ns ||
			    !result_keeps(wanted, &all[i], r.timed))
				continue;
			wanted++;
			assert_int_equal(r.worst[k++].response_ns, all[i].response_ns);
		}
		assert_int_equal(r.nworst, wanted);
		result_free(&r);
	}
	assert_true(stopped && stopped < 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_order),
		cmocka_unit_test(one_cpu_crosses),
		cmocka_unit_test(violation_stops_at_the_budget),
		cmocka_unit_test(warm_up_does_not_stop),
		cmocka_unit_test(worst_are_those_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
