// SPDX-License-Identifier: GPL-2.0
/* The windows over a region of a program, as attach --windows writes them. */
#include <errno.h>

#include "unit.h"
#include "explain/trace_windows.h"
#include "report/region.h"

#define HEAD	"tid,t0_ns,response_ns,ended\n"

static void assert_refused(const char *text, const char *wanted)
{
	char why[200] = "";
	struct records r;

	assert_int_equal(records_read_region(&r, text, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, wanted);
	assert_null(r.record);
}

static void write_line(FILE *f, const struct tlob_task_window *w)
{
	struct kept_window k;

	attach_kept(&k, w);
	region_windows_line(f, &k, false);
}

/* A file of attach is read; windows that have not ended are not written. */
TEST(test_round_trip)
{
	struct tlob_task_window w = {
		.flags = TLOB_TASK_ENDED | TLOB_TASK_VIOLATION, .tid = 7, .start_ns = 1000,
		.elapsed_ns = 300, .switches = 2,
		.part_ns = { [TLOB_TASK_PART_RUNNING] = 100, [TLOB_TASK_PART_SLEEPING] = 200 },
	};
	char *text, why[200] = "";
	struct records r;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	region_windows_head(f, false);
	write_line(f, &w);
	w.start_ns = 1300;
	w.flags = TLOB_TASK_VIOLATION;
	write_line(f, &w);
	w.flags = TLOB_TASK_ENDED;
	w.elapsed_ns = 12345678901;
	write_line(f, &w);
	fclose(f);
	assert_string_equal(text, "tid,t0_ns,response_ns,irq_delay_ns,on_cpu_ns,irq_ns,softirq_ns,nmi_ns,thread_ns,sleep_ns,steal_ns,switches,ended,violation,errors\n"
			    "7,1000,300,0,100,0,0,0,0,200,0,2,1,1,0\n"
			    "7,1300,12345678901,0,100,0,0,0,0,200,0,2,1,0,0\n");
	assert_int_equal(records_read_region(&r, text, why, sizeof(why)), 0);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.record[0].t0, 1000);
	assert_int_equal(r.record[0].wake, 0);
	assert_int_equal(r.record[0].response, 300);
	assert_int_equal(r.record[1].activation, 1);
	assert_int_equal(r.record[1].response, 12345678901);
	records_free(&r);
	free(text);
}

TEST(test_refused)
{
	assert_refused("", "no window");
	assert_refused(HEAD, "no window");
	assert_refused(HEAD "7,1000,300\n", "window 1 is not complete");
	assert_refused(HEAD "7,1000,,1\n", "window 1 is not complete");
	assert_refused("tid,t0_ns,ended\n7,1000,1\n", "window 1 is not complete");
	assert_refused(HEAD "7,1000,300,1\n7,1400,10,0\n",
		       "window 2 was cut: its thread ended before --stop");
	assert_refused(HEAD "7,1000,300,1\n8,1299,10,1\n",
		       "window 2 began before the one before it had ended: only one thread can be in the region at a time");
}

UNIT_MAIN(NULL, NULL)
