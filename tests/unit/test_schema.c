// SPDX-License-Identifier: GPL-2.0
/*
 * Result files with all that a result may have. With --print they are printed, one on each line, and
 * test_schema.sh compares them with the schemas of docs/reference.
 */
#include "attach_sample.h"
#include "sample.h"
#include "report/render.h"

static FILE *out;

static void print(const struct result *r)
{
	char *text = sample_render(render_json, r);

	fputs(text, out);
	free(text);
}

static void print_attach(struct result *r)
{
	char *text = attach_render(render_as, r, RENDER_JSON);

	fputs(text, out);
	free(text);
}

/* A result with everything that only some results have. */
static void print_counted(void)
{
	struct tlob_window w = sample_window(0, 1);
	struct result r;
	unsigned int i;

	sample_empty(&r, 1);
	r.deterministic = r.keeps_exact = r.has_seed = r.has_phase = true;
	r.seed = UINT64_MAX;
	r.phase_ns = 9999999;
	r.host = sample_text("lab");
	r.cpu[0].host = sample_text("lab");
	r.tuning = calloc(1, sizeof(*r.tuning));
	assert_non_null(r.tuning);
	r.tuning[0].name = sample_text("clocksource");
	r.tuning[0].value = sample_text("tsc");
	r.tuning[0].source = sample_text("/sys/devices/system/clocksource/clocksource0/current_clocksource");
	r.ntuning = 1;
	for (i = 0; i < 5; i++)
		result_window(&r, 0, &w, true);
	for (i = 0; i < TLOB_NR_METRICS; i++)
		samples_sort(&r.exact[i]);
	result_sum(&r);
	assert_true(result_is_exact(&r, TLOB_METRIC_WAKE));
	assert_false(result_is_exact(&r, TLOB_METRIC_PARTS + TLOB_WAKE_SOFTIRQ));
	print(&r);
	result_free(&r);
}

static void print_results(void)
{
	struct result r;

	sample_result(&r, 2, 100);
	sample_findings(&r);
	assert_int_equal(result_note(&r, "a note"), 0);
	r.stopped_by = sample_text("cpu0 activation 99");
	r.trace_file = sample_text("t.dat");
	r.housekeeping = sample_text("0");
	r.cpu[0].demand_ns = 5;
	r.cpu[0].overhead_ns = 5;
	r.cpu[0].missed = UINT64_MAX;
	r.worst[0].w.flags = ~0U;
	r.worst[0].w.unavailable = 0;
	r.worst[0].w.largest.kind = 99;
	r.worst[1].w.largest.ns = 0;
	print(&r);
	result_free(&r);

	sample_posix(&r, 50);
	print(&r);
	result_free(&r);

	sample_empty(&r, 3);
	result_sum(&r);
	print(&r);
	result_free(&r);
}

static void print_attached(void)
{
	struct result r;

	attach_sample(&r);
	print_attach(&r);
	assert_int_equal(notes_add(&r.notes, "a note"), 0);
	r.stopped_by = sample_text("SIGINT");
	r.worst[0].kept.wait = attach_chained();
	r.attached->debug_file = sample_text("/usr/lib/debug/prog");
	r.attached->status = 11;
	r.cpu->windows = UINT64_MAX;
	r.cpu->unavailable = ~0U;
	r.worst[0].w.flags = ~0U;
	r.worst[0].w.unavailable = 0;
	r.worst[0].w.largest.kind = 99;
	r.worst[1].w.largest.ns = 0;
	memset(r.worst[1].kept.task.comm, 0xff, sizeof(r.worst[1].kept.task.comm));
	print_attach(&r);
	result_free(&r);

	attach_empty(&r);
	r.attached->ended = false;
	print_attach(&r);
	result_free(&r);
}

int main(int argc, char **argv)
{
	out = argc == 2 && !strcmp(argv[1], "--print") ? stdout : fopen("/dev/null", "w");
	assert_non_null(out);
	print_counted();
	print_results();
	print_attached();
	return fclose(out);
}
