// SPDX-License-Identifier: GPL-2.0
/* The pure pieces of the backend without privilege: its grid, and what it reads. */
#include <errno.h>

#include "unit.h"

#include "backend/grid.h"
#include "machine/proc_counts.h"
#include "machine/timens.h"
#include "result/os_counts.h"

/* Each expiry since the first arming is a window, or missed exactly once. */
TEST(test_grid_conserves)
{
	struct grid g = { .start = 1000, .period = 100 };
	uint64_t seed = 7, now = 990, windows = 0, armed_missed = 0, recorded_missed = 0;
	uint64_t missed, t0, first = 0;
	unsigned int i;

	for (i = 0; i < 10000; i++) {
		t0 = grid_arm(&g, now, &missed);
		if (!i)
			first = g.activation;
		assert_true(t0 > now && t0 <= (now < 1000 ? 1100 : now + 100));
		assert_int_equal((t0 - 1000) % 100, 0);
		armed_missed += missed;
		/* some windows are cut off, and have no record */
		if (i % 13) {
			recorded_missed += grid_record(&g);
			windows++;
		}
		now = t0 + unit_random(&seed) % 350;
	}
	(void)grid_arm(&g, now, &missed);
	recorded_missed += grid_record(&g);
	windows++;
	armed_missed += missed;
	assert_int_equal(windows + recorded_missed, g.activation - first + 1);
	/* those without a record are windows for the arming */
	assert_int_equal(10001 + armed_missed, g.activation - first + 1);
}

TEST(test_grid_first)
{
	struct grid g = { .start = 1000, .period = 100 };
	uint64_t missed;

	assert_int_equal(grid_arm(&g, 10, &missed), 1100);	/* not yet begun */
	assert_int_equal(missed, 0);
	assert_int_equal(grid_record(&g), 0);
	assert_int_equal(grid_arm(&g, 1100, &missed), 1200);
	assert_int_equal(missed, 0);
	assert_int_equal(g.first, 1);

	g = (struct grid){ .start = 1000, .period = 100 };
	assert_int_equal(grid_arm(&g, 5000, &missed), 5100);	/* began long ago */
	assert_int_equal(missed, 0);
	assert_int_equal(grid_record(&g), 0);
	assert_int_equal(grid_arm(&g, 5100, &missed), 5200);
	assert_int_equal(missed, 0);
	assert_int_equal(grid_arm(&g, 5400, &missed), 5500);
	assert_int_equal(missed, 2);
	assert_int_equal(g.first, 41);
}

/* An expiry at the very end is not due. */
TEST(test_grid_end)
{
	struct grid g = { .start = 1000, .period = 100 };
	uint64_t missed;

	assert_int_equal(grid_end(&g, 5000), 0);	/* never armed */
	grid_arm(&g, 1000, &missed);
	assert_int_equal(grid_end(&g, 1150), 0);
	assert_int_equal(grid_end(&g, 1200), 0);
	assert_int_equal(grid_end(&g, 1201), 1);
	assert_int_equal(grid_end(&g, 1500), 2);
}

TEST(test_grid_start)
{
	assert_int_equal(grid_start(12345, false, 77, 1000), 12345);
	assert_int_equal(grid_start(12345, true, 77, 1000), 13077);
	assert_int_equal(grid_start(12000, true, 0, 1000), 13000);
}

/* CPU 1 is offline; the last rows are not per CPU. */
static const char before[] =
"            CPU0       CPU2       CPU3\n"
"   1:          0          9          0  IR-IO-APIC    1-edge      i8042\n"
" 131:        100          0  4294967290  IR-PCI-MSIX-0000:00:1f.6    0-edge      enp0s31f6, other\n"
" NMI:          1          2          3   Non-maskable interrupts\n"
" LOC:        500        600        700   Local timer interrupts\n"
" ERR:          7\n"
" MIS:          0\n";

/* The driver of irq 1 has gone, and the driver of irq 140 has come. */
static const char after[] =
"            CPU0       CPU2       CPU3\n"
" 131:        142          0          4  IR-PCI-MSIX-0000:00:1f.6    0-edge      enp0s31f6, other\n"
" 140:          0          0          8  IR-PCI-MSI 524288-edge      nvme0q1\n"
" NMI:          1          2          4   Non-maskable interrupts\n"
" LOC:        510        620       1700   Local timer interrupts\n"
" ERR:          9\n";

TEST(test_interrupts)
{
	static const int cpus[] = { 0, 3 };
	struct os_list list[2] = { { .n = 0 } };
	struct proc_table a, b;
	size_t i;

	assert_int_equal(proc_table_parse(&a, before, cpus, 2), 0);
	assert_int_equal(proc_table_parse(&b, after, cpus, 2), 0);
	assert_int_equal(a.n, 4);
	assert_string_equal(a.name[0], "1 i8042");
	for (i = 0; i < 2; i++)
		proc_table_since(&a, &b, i, &list[i]);
	assert_int_equal(list[0].n, 2);
	assert_string_equal(list[0].at[0].name, "131 enp0s31f6, other");
	assert_int_equal(list[0].at[0].count, 42);
	assert_string_equal(list[0].at[1].name, "LOC Local timer interrupts");
	assert_int_equal(list[0].at[1].count, 10);
	assert_int_equal(list[1].n, 4);
	assert_int_equal(list[1].at[0].count, 1000);
	assert_int_equal(list[1].at[1].count, 10);	/* the counter of 32 bits wrapped */
	assert_string_equal(list[1].at[2].name, "140 nvme0q1");
	assert_int_equal(list[1].at[2].count, 8);
	assert_int_equal(list[1].at[3].count, 1);
	proc_table_free(&a);
	proc_table_free(&b);
}

TEST(test_softirqs)
{
	static const char text[] =
		"                    CPU0       CPU1\n"
		"          HI:          3          4\n"
		"     NET_TX:          0          5\n";
	static const int cpu1 = 1, cpu7 = 7;
	struct proc_table t;

	assert_int_equal(proc_table_parse(&t, text, &cpu1, 1), 0);
	assert_int_equal(t.n, 2);
	assert_string_equal(t.name[1], "NET_TX");
	assert_int_equal(t.count[1], 5);
	proc_table_free(&t);
	assert_int_equal(proc_table_parse(&t, text, &cpu7, 1), -EINVAL);
	proc_table_free(&t);
	assert_int_equal(proc_table_parse(&t, "", &cpu1, 1), -EINVAL);
	proc_table_free(&t);
	assert_int_equal(proc_table_parse(&t, "CPUx 1\n", &cpu1, 1), -EINVAL);
	proc_table_free(&t);
}

TEST(test_numbers)
{
	static const char stat[] =
		"cpu  1 2 3 4 5 6 7 8 9 10\n"
		"cpu1 11 12 13 14 15 16 17 18 19 20\n"
		"cpu10 21 22 23 24 25 26 27 28 29 30\n"
		"cpu2 1 2 3\n"
		"intr 99\n";
	uint64_t v = 0;

	assert_int_equal(proc_steal(stat, 1, &v), 0);
	assert_int_equal(v, 18);
	assert_int_equal(proc_steal(stat, 10, &v), 0);
	assert_int_equal(v, 28);
	assert_int_equal(proc_steal(stat, 0, &v), -EINVAL);
	assert_int_equal(proc_steal(stat, 2, &v), -EINVAL);	/* cut off */
	assert_int_equal(proc_run_delay("123 456 7\n", &v), 0);
	assert_int_equal(v, 456);
	assert_int_equal(proc_run_delay("123\n", &v), -EINVAL);
	assert_int_equal(proc_run_delay("", &v), -EINVAL);
	assert_int_equal(proc_start_time("7 (a) 1 (b) S 1 2 3 0 -1 6 7 8 9 10 11 12 13 14 15 16 17 18 "
					 "4711 4096 0\n", &v), 0);
	assert_int_equal(v, 4711);
	assert_int_equal(proc_mapped("7 (a) 1 (b) S 1 2 3 0 -1 6 7 8 9 10 11 12 13 14 15 16 17 18 "
				     "4711 4096 0\n", &v), 0);
	assert_int_equal(v, 4096);
	assert_int_equal(proc_start_time("7 (a) S 1 2 3 0 -1 6", &v), -EINVAL);
	assert_int_equal(proc_start_time("", &v), -EINVAL);
	assert_true(proc_is_dead("7 (a) S b) Z 1 2 3"));
	assert_true(proc_is_dead("7 (a) X 1 2 3"));
	assert_false(proc_is_dead("7 (a) Z b) S 1 2 3"));
	assert_false(proc_is_dead(""));
}

TEST(test_os_list)
{
	struct os_counts *sum = NULL, one = { .known = OS_STEAL | OS_GAPS, .gap_max_ns = 5 };
	struct os_list list = { .n = 0 };
	char name[OS_NAME_LEN + 20];
	unsigned int i;

	for (i = 0; i < OS_NAMES; i++) {
		snprintf(name, sizeof(name), "irq%u", i);
		os_list_add(&list, name, i + 1);
	}
	os_list_add(&list, "none", 0);
	assert_int_equal(list.n, OS_NAMES);
	assert_int_equal(list.dropped, 0);
	os_list_add(&list, "irq0", 999);		/* known, so no room is needed */
	assert_string_equal(list.at[0].name, "irq0");
	assert_int_equal(list.at[0].count, 1000);
	os_list_add(&list, "rare", 1);
	os_list_add(&list, "often", 500);
	assert_int_equal(list.dropped, 2);
	assert_int_equal(list.n, OS_NAMES);
	assert_string_equal(list.at[1].name, "often");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	os_list_add(&list, name, 700);			/* a name that is cut off */
	os_list_add(&list, name, 700);
	assert_int_equal(list.at[0].count, 1400);
	for (i = 1; i < list.n; i++)
		assert_true(list.at[i - 1].count >= list.at[i].count);

	assert_int_equal(os_counts_add(&sum, NULL), 0);
	assert_null(sum);
	assert_int_equal(os_counts_add(&sum, &one), 0);
	one.known = OS_STEAL;
	one.steal_ns = 3;
	one.gap_max_ns = 4;
	assert_int_equal(os_counts_add(&sum, &one), 0);
	assert_int_equal(sum->known, OS_STEAL);		/* gaps of one are not gaps of both */
	assert_int_equal(sum->steal_ns, 3);
	assert_int_equal(sum->gap_max_ns, 5);
	free(sum);
}

TEST(test_time_namespace)
{
	assert_int_equal(timens_parse("monotonic           0         0\nboottime            0         0\n"), 0);
	assert_int_equal(timens_parse("monotonic      100000        17\nboottime           -1         5\n"),
			 100000000000017);
	assert_int_equal(timens_parse("monotonic         -10 500000000\n"), -9500000000);
	assert_int_equal(timens_parse("boottime 1 2\n"), 0);
	assert_int_equal(timens_parse(""), 0);
}

UNIT_MAIN(NULL, NULL)
