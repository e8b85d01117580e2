// SPDX-License-Identifier: GPL-2.0
/*
 * Doctor's first look. It advises only what can be followed: not
 * with every CPU measured, and not for hardware that is missing.
 */
#include "doctor_tree.h"
#include "doctor/doctor.h"
#include "report/findings_render.h"

static const struct file bad_machine[] = {
	{ "/sys/kernel/realtime", "0\n", 0 }, { "/proc/cmdline", "quiet\n", 0 },
	{ CPU "/isolated", "\n", 0 }, { "/sys/fs/cgroup/cpuset.cpus.isolated", "\n", 0 },
	{ "/proc/irq/default_smp_affinity", "f\n", 0 }, { "/proc/irq/24/effective_affinity_list", "3\n", 0 },
	{ "/sys/devices/virtual/workqueue/cpumask", "f\n", 0 }, { "/proc/sys/kernel/watchdog", "1\n", 0 },
	{ "/proc/sys/kernel/timer_migration", "1\n", 0 }, { "/proc/sys/vm/stat_interval", "1\n", 0 },
};

static void make_bad(void)
{
	size_t i;

	tree_make();
	for (i = 0; i < ARRAY_SIZE(bad_machine); i++)
		tree_put(&bad_machine[i]);
}

static struct doctor examine(enum pattern pattern, const char *cpus)
{
	struct doctor d = { .root = tree_root, .pattern = pattern };

	assert_int_equal(doctor_prepare(&d, cpus), 0);
	assert_int_equal(doctor_examine(&d, NULL), 0);
	return d;
}

static const struct finding *find(const struct doctor *d, const char *id)
{
	size_t i;

	for (i = 0; i < d->report.n; i++)
		if (!strcmp(d->report.at[i].check->id, id))
			return &d->report.at[i];
	fail_msg("no rule %s", id);
	return NULL;
}

static char *report(const struct doctor *d, bool all)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(examination_text(f, &d->report, all, false), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* Lines that begin with two blanks and a severity are findings. */
static unsigned int count_first(const char *text)
{
	unsigned int n = 0;

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		n += !strncmp(text, "  fatal ", 8) || !strncmp(text, "  high ", 7) || !strncmp(text, "  medium ", 9);
	return n;
}

TEST(test_first_look)
{
	static const char * const in_order[] = {
		"\n  fatal preempt_rt: boot a kernel", "\n  high lockup_detector: sysctl kernel.watchdog=0\n",
		"\n  medium threadirqs: kernel argument threadirqs\n", "\n  medium isolated: ", "\n  medium partition: ",
	};
	struct doctor d;
	const char *at;
	char *text;
	size_t i;

	make_bad();
	d = examine(PATTERN_PERIODIC, "2-3");
	text = report(&d, false);
	assert_int_equal(count_first(text), 5);
	for (at = text, i = 0; i < ARRAY_SIZE(in_order); i++) {
		at = strstr(at, in_order[i]);
		if (!at)
			fail_msg("'%s' is missing or not in its place in:\n%s", in_order[i], text);
	}
	/* neither reasons nor sources, and no rule that passes */
	assert_null(strstr(text, "Documentation/"));
	assert_null(strstr(text, "as wanted"));
	assert_contains(text, " more findings: --all shows every rule");
	free(text);
	text = report(&d, true);
	for (i = 0; i < d.report.n; i++)
		assert_contains(text, d.report.at[i].check->id);
	assert_null(strstr(text, "Documentation/"));
	free(text);
	doctor_free(&d);
}

/* An advice that needs a CPU which is not measured is not given, in no form. */
TEST(test_all_measured)
{
	static const char * const without[] = {
		"isolated", "partition", "rcu_nocbs", "irq_default", "managed_irq", "irqs", "workqueues",
	};
	static const enum pattern patterns[] = { PATTERN_PERIODIC, PATTERN_POLLING };
	char *text, line[64];
	struct doctor d;
	size_t i, k;

	make_bad();
	for (k = 0; k < ARRAY_SIZE(patterns); k++) {
		d = examine(patterns[k], "all");
		for (i = 0; i < ARRAY_SIZE(without); i++) {
			const struct finding *f = find(&d, without[i]);

			assert_int_equal(f->status, STATUS_FINDING);
			if (f->now || f->for_good)
				fail_msg("%s: '%s', '%s'", without[i], f->now, f->for_good);
			assert_true(f->lacks_cpu);
		}
		assert_string_equal(find(&d, "housekeeping")->now, "measure fewer CPUs: --cpus");
		text = report(&d, true);
		assert_contains(text, "nothing: every online CPU is measured; measure fewer: --cpus\n");
		assert_null(strstr(text, "none >"));
		assert_null(strstr(text, "echo 0 >"));
		assert_null(strstr(text, "=none"));
		assert_null(strstr(text, "-pc none"));
		free(text);
		/* what cannot be mended here is not at the first look */
		text = report(&d, false);
		for (i = 0; i < ARRAY_SIZE(without); i++) {
			snprintf(line, sizeof(line), " %s:", without[i]);
			assert_null(strstr(text, line));
		}
		free(text);
		doctor_free(&d);
	}
	d = examine(PATTERN_PERIODIC, "2-3");
	assert_non_null(find(&d, "irq_default")->now);
	assert_non_null(find(&d, "partition")->now);
	doctor_free(&d);
}

/* A thread can be moved only where the kernel made one. */
TEST(test_rcu)
{
	static const struct file near = { "/proc/22/task/22/status", "Name:\trcuop/2\nCpus_allowed_list:\t0-3\n", 0 };
	struct doctor d;

	make_bad();
	d = examine(PATTERN_PERIODIC, "2-3");
	assert_null(find(&d, "rcu_nocbs")->now);
	assert_contains(find(&d, "rcu_nocbs")->for_good, "kernel argument rcu_nocbs=");
	doctor_free(&d);
	tree_make();
	tree_put(&near);
	d = examine(PATTERN_PERIODIC, "2-3");
	assert_int_equal(find(&d, "rcu_nocbs")->status, STATUS_FINDING);
	assert_contains(find(&d, "rcu_nocbs")->now, "taskset -pc 0-1 $p");
	doctor_free(&d);
}

static void expect(const char *id, enum finding_status status, const char *part)
{
	struct doctor d = examine(PATTERN_PERIODIC, "2-3");
	const struct finding *f = find(&d, id);

	if (f->status != status || !strstr(f->found, part))
		fail_msg("%s: %s '%s', expected %s with '%s'", id, status_name(f->status), f->found,
			 status_name(status), part);
	doctor_free(&d);
}

#define FLAGS(words)	{ "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu " words "\nbugs\t:\n", 0 }

TEST(test_watched_tsc)
{
	static const struct file steady = FLAGS("constant_tsc nonstop_tsc tsc_adjust"), lame = FLAGS("constant_tsc tsc_adjust"),
		vouched = FLAGS("tsc_reliable"), like = FLAGS("xtsc_reliable tsc_reliablex"),
		few = { "/sys/devices/system/node/online", "0-1\n", 0 }, many = { "/sys/devices/system/node/online", "0-3\n", 0 },
		older = { "/proc/sys/kernel/osrelease", "6.11.0\n", 0 };
	char path[96];
	size_t i;

	make_bad();
	expect("tsc_reliable", STATUS_FINDING, "tsc=reliable is missing");
	tree_put(&vouched);
	expect("tsc_reliable", STATUS_ABSENT, "does not watch it");
	tree_put(&like);
	expect("tsc_reliable", STATUS_FINDING, "");
	tree_put(&steady);
	expect("tsc_reliable", STATUS_FINDING, "");
	tree_put(&few);
	expect("tsc_reliable", STATUS_ABSENT, "does not watch it");
	tree_put(&many);
	expect("tsc_reliable", STATUS_FINDING, "");
	/* Linux 6.12 and later trusts the TSC of up to 4 packages */
	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), CPU "/cpu%zu/topology/physical_package_id", i);
		tree_put(&(struct file){ path, "1\n", 0 });
	}
	expect("tsc_reliable", STATUS_ABSENT, "does not watch it");
	tree_put(&older);
	expect("tsc_reliable", STATUS_FINDING, "");
	/* a kernel without NUMA */
	tree_remove("/sys/devices/system/node");
	expect("tsc_reliable", STATUS_ABSENT, "does not watch it");
	tree_put(&few);
	tree_put(&lame);
	expect("tsc_reliable", STATUS_FINDING, "");
	/* each argument tsc= does something of its own */
	tree_put(&(struct file){ "/proc/cmdline", "tsc=nowatchdog tsc=noirqtime\n", 0 });
	expect("tsc_reliable", STATUS_PASS, "tsc=nowatchdog");
	tree_put(&(struct file){ "/proc/cmdline", "tsc=noirqtime -- tsc=reliable\n", 0 });
	expect("tsc_reliable", STATUS_FINDING, "tsc=noirqtime");
}

TEST(test_links)
{
	static const struct file policy = { "/sys/module/pcie_aspm/parameters/policy", "[default] performance\n", 0 },
		device = { "/sys/bus/pci/devices/0000:00:01.0/class", "0x060000\n", 0 },
		link = { "/sys/bus/pci/devices/0000:00:02.0/current_link_speed", "8.0 GT/s PCIe\n", 0 };

	tree_make();
	tree_put(&policy);
	/* no bus can be seen: that proves nothing */
	expect("pcie_aspm", STATUS_FINDING, "default");
	tree_put(&device);
	expect("pcie_aspm", STATUS_ABSENT, "no device has a PCIe link");
	tree_put(&link);
	expect("pcie_aspm", STATUS_FINDING, "default");
}

/*
 * In a container the boot's isolation is read, and what may be hidden is named. The
 * scheduler's domains show it there.
 */
TEST(test_isolated)
{
	static const struct file mark = { "/.dockerenv", "", 0 },
		one = { "/proc/schedstat", "version 16\ntimestamp 1\ncpu2 0 0\ncpu3 0 0\ndomain0 00,0000000b 0\n", 0 },
		both = { "/proc/schedstat", "version 17\ncpu0 0\ndomain0 MC 3 0\ncpu2 0 0\ncpu3 0 0\n", 0 },
		none = { "/proc/schedstat", "version 16\ncpu2 0 0\ncpu3 0 0\n", 0 };

	make_bad();
	tree_put(&mark);
	tree_remove("/sys/fs/cgroup/cpuset.cpus.isolated");
	expect("isolated", STATUS_UNKNOWN, "not by isolcpus=; a partition that cannot be seen may do it");
	tree_put(&one);
	expect("isolated", STATUS_FINDING, "isolated: 2; CPU 3 is missing");
	tree_put(&both);
	expect("isolated", STATUS_PASS, "isolated: 2-3");
	tree_put(&none);
	expect("isolated", STATUS_UNKNOWN, "cannot be seen");
}

UNIT_MAIN(tree_setup, tree_teardown)
