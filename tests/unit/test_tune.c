// SPDX-License-Identifier: GPL-2.0
/* The rows of --tune for fake machines, and that their files are as before afterwards. */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "doctor/rules.h"
#include "doctor_tree.h"
#include "machine/knobs.h"
#include "tuning/tune.h"
#include "util/file.h"
#include "util/text.h"

#define CGROUP	"/sys/fs/cgroup"

/* The machine has CPUs 0 to 3. The tests measure CPUs 2 and 3. */
static const struct {
	const char *path, *text;
} machine[] = {
	{ "/dev/cpu_dma_latency", "" },
	{ "/sys/devices/system/cpu/isolated", "" },
	{ "/sys/devices/system/cpu/cpu2/cpuidle/state0/disable", "0" },
	{ "/sys/devices/system/cpu/cpu2/cpuidle/state1/disable", "0" },
	{ "/sys/devices/system/cpu/cpu2/cpuidle/state2/disable", "0" },
	{ "/sys/devices/system/cpu/cpu3/cpuidle/state2/disable", "1" },
	{ "/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "schedutil" },
	{ "/sys/devices/system/cpu/cpu2/cpufreq/scaling_available_governors", "performance schedutil" },
	{ "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave" },
	{ "/sys/devices/system/cpu/cpu3/cpufreq/scaling_available_governors", "powersave performance2" },
	{ "/proc/irq/default_smp_affinity", "f" },
	{ "/proc/irq/9/smp_affinity_list", "0-1" },
	{ "/proc/irq/10/smp_affinity_list", "1-2" },
	{ "/proc/irq/10/effective_affinity_list", "2" },
	{ "/proc/irq/11/smp_affinity_list", "0-3" },
	{ "/proc/irq/11/effective_affinity_list", "2" },
	{ "/proc/irq/24/smp_affinity_list", "3" },
	{ "/proc/irq/24/effective_affinity_list", "3" },
	{ "/sys/kernel/irq/10/actions", "eth0" },
	{ "/sys/kernel/irq/11/actions", "" },
	{ "/sys/devices/virtual/workqueue/cpumask", "0000000f" },
	{ "/proc/sys/kernel/timer_migration", "1" },
};

/* Interrupts come. One that does not stays on its CPU, whatever its mask is. */
static bool irqs_come = true;

/* A file of the kernel has the new value only. One of a file system must be cut for that. */
static int replace_text(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) != (ssize_t)strlen(value))
		err = -EIO;
	close(fd);
	return err;
}

/* An interrupt stays on its CPU as long as the mask has that CPU, as on x86. */
static void move_irq(const char *path, const char *mask)
{
	char file[256], now[64], cpu[16];
	struct cpulist is, may;

	if (!strstr(path, "/smp_affinity_list") || !irqs_come)
		return;
	snprintf(file, sizeof(file), "%.*s/effective_affinity_list", (int)(strrchr(path, '/') - path), path);
	if (file_read_line(file, now, sizeof(now)))
		return;
	assert_int_equal(cpulist_parse(&is, now), 0);
	assert_int_equal(cpulist_parse(&may, mask), 0);
	snprintf(cpu, sizeof(cpu), "%d", cpulist_next(&may, -1));
	if (!cpulist_meet(&is, &may))
		assert_int_equal(replace_text(file, cpu), 0);
}

int __wrap_file_write(const char *path, const char *value);
int __wrap_file_write(const char *path, const char *value)
{
	int err = replace_text(path, value);

	if (!err)
		move_irq(path, value);
	return err;
}

static void put(const char *path, const char *text)
{
	tree_put(&(struct file){ .path = path, .text = text });
}

static void assert_is(const char *path, const char *text)
{
	char line[64] = "";

	assert_int_equal(file_read_line(tree_path(path), line, sizeof(line)), 0);
	assert_string_equal(line, text);
}

static void assert_untouched(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machine); i++)
		assert_is(machine[i].path, machine[i].text);
}

static int make_for(struct tune *t, const char *measured, const char *others)
{
	struct cpulist m, o;

	assert_int_equal(cpulist_parse(&m, measured), 0);
	assert_int_equal(cpulist_parse(&o, others), 0);
	return tune_make(t, tree_root, &m, &o);
}

static int make(struct tune *t)
{
	return make_for(t, "2-3", "0-1");
}

/* The rows as people see them, without the directory. */
static void assert_rows(const struct tune *t, const char *expected)
{
	char *text, *at;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(tune_print(f, t), 0);
	fclose(f);
	while ((at = strstr(text, tree_root)))
		memmove(at, at + strlen(tree_root), strlen(at + strlen(tree_root)) + 1);
	assert_string_equal(text, expected);
	free(text);
}

/* A new machine for each test. */
static int set_up(void **state)
{
	size_t i;

	tree_clear();
	for (i = 0; i < ARRAY_SIZE(machine); i++)
		put(machine[i].path, machine[i].text);
	return setenv("TLOB_STATE_FILE", tree_path("/state"), 1);
}

TEST_WITH(test_rows, set_up, NULL)
{
	struct tune t;
	char *text;

	assert_int_equal(make(&t), 0);
	assert_rows(&t,
		"cpu_dma_latency\n"
		"  /dev/cpu_dma_latency: held at 0 during the run\n\n"
		"idle_states\n"
		"  /sys/devices/system/cpu/cpu2/cpuidle/state2/disable: 1, back to 0\n\n"
		"governor\n"
		"  /sys/devices/system/cpu/cpu2/cpufreq/scaling_governor: performance, back to schedutil\n"
		"  /sys/devices/system/cpu/cpu3/cpufreq/scaling_governor: left out: Operation not supported\n\n"
		"irq_affinity\n"
		"  /proc/irq/default_smp_affinity: 3, back to f\n"
		"  /proc/irq/10/smp_affinity_list: 1, back to 1-2\n"
		"  /proc/irq/24/smp_affinity_list: 0-1, back to 3\n\n"
		"workqueues\n"
		"  /sys/devices/virtual/workqueue/cpumask: 3, back to 0000000f\n\n"
		"timer_migration\n"
		"  /proc/sys/kernel/timer_migration: 0, back to 1\n\n"
		"cpuset_partition\n"
		"  " TUNE_CGROUP ": left out: cgroup v2 is not mounted at " CGROUP "\n");
	assert_true(tune_has(&t, "governor"));
	assert_false(tune_has(&t, "cpuset_partition"));
	assert_int_equal(tune_leave_out(&t, "governor", "not today"), 0);
	assert_false(tune_has(&t, "governor"));
	/* as another option wants it: nothing that could not be changed */
	text = tune_problems(&t);
	assert_null(strstr(text, "governor"));
	assert_non_null(strstr(text, "cpuset_partition 1"));
	free(text);
	tune_free(&t);
}

/* State 1 is C1 only behind POLL; elsewhere its latency decides, as in doctor's rule idle_states. */
TEST_WITH(test_first_state, set_up, NULL)
{
	static const struct {
		const char *name0, *latency1;
		const char *expected;
	} cases[] = {
		{ "WFI\n", "700\n", "idle_states 2" }, { "WFI\n", "10\n", "idle_states 1" },
		{ "WFI\n", "11\n", "idle_states 2" }, { "POLL\n", "700\n", "idle_states 1" },
		{ "WFI\n", "none\n", "idle_states 1" },
	};
	struct tune t;
	char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		put(CPU "/cpu2/cpuidle/state0/name", cases[i].name0);
		put(CPU "/cpu2/cpuidle/state1/latency", cases[i].latency1);
		assert_int_equal(tune_begin(&t, tree_root, &(struct cpulist){ 0 }, &(struct cpulist){ 0 }), 0);
		assert_int_equal(cpulist_parse(&t.measured, "2-3"), 0);
		assert_int_equal(tune_rows(&t, "idle_states"), 0);
		text = tune_text(&t);
		assert_string_equal(text, cases[i].expected);
		free(text);
		tune_free(&t);
	}
}

TEST_WITH(test_apply, set_up, NULL)
{
	struct tune t, again;
	struct knobs k;
	char *text;

	assert_int_equal(make(&t), 0);
	assert_int_equal(knobs_begin(&k, false), 0);
	assert_int_equal(tune_apply(&t, &k), 0);
	assert_is("/proc/irq/24/smp_affinity_list", "0-1");
	assert_is("/proc/irq/10/effective_affinity_list", "1");
	assert_is("/proc/sys/kernel/timer_migration", "0");
	text = tune_text(&t);
	assert_string_equal(text, "cpu_dma_latency 1, idle_states 1, governor 1, irq_affinity 3, workqueues 1, timer_migration 1");
	free(text);
	text = tune_problems(&t);
	assert_string_equal(text, "governor 1 (Operation not supported), cpuset_partition 1 (cgroup v2 is not mounted at " CGROUP ")");
	free(text);
	/* A second look finds what is left out only. */
	assert_int_equal(make(&again), 0);
	text = tune_text(&again);
	assert_string_equal(text, "cpu_dma_latency 1");
	free(text);
	tune_free(&again);
	assert_int_equal(knobs_end(&k), 0);
	assert_untouched();
	tune_free(&t);
}

/* Killed after any number of changes: the next start has all of them back. */
TEST_WITH(test_killed, set_up, NULL)
{
	size_t n;

	for (n = 1; n < 9; n++) {
		struct knobs k;
		struct tune t;
		pid_t pid = fork();

		if (!pid) {
			if (make(&t) || knobs_begin(&k, false))
				_exit(1);
			t.n = n;
			_exit(tune_apply(&t, &k) ? 2 : 0);
		}
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_int_equal(knobs_begin(&k, false), 0);
		assert_untouched();
		assert_int_equal(knobs_end(&k), 0);
	}
}

/*
 * Where no interrupt comes, the mask is back and the CPU is not. A mask may be all that the state
 * file knows.
 */
TEST_WITH(test_no_interrupt, set_up, NULL)
{
	char text[1200], irq[512];
	struct tune t;
	struct knobs k;

	assert_int_equal(make(&t), 0);
	assert_int_equal(knobs_begin(&k, false), 0);
	assert_int_equal(tune_apply(&t, &k), 0);
	tune_free(&t);
	irqs_come = false;
	assert_int_equal(knobs_end(&k), 0);
	irqs_come = true;
	assert_is("/proc/irq/10/smp_affinity_list", "1-2");
	assert_is("/proc/irq/10/effective_affinity_list", "1");
	assert_is("/proc/irq/24/smp_affinity_list", "3");
	snprintf(irq, sizeof(irq), "%s", tree_path("/proc/irq/10/smp_affinity_list"));
	snprintf(text, sizeof(text),
		 "tlob-load-state 2\nowner 2000000000 5\nfile %s\t2\nirq %s\t1-3\t1\n", irq, irq);
	put("/state", text);
	assert_int_equal(knobs_restore(), 0);
	assert_is("/proc/irq/10/smp_affinity_list", "2");
	assert_is("/proc/irq/10/effective_affinity_list", "2");
}

TEST_WITH(test_failures, set_up, NULL)
{
	struct knobs k;
	struct tune t;
	char *text;
	size_t i;

	/* one that cannot be written, one that cannot be read */
	tree_remove("/proc/sys/kernel/timer_migration");
	assert_int_equal(symlink("/proc/sys/kernel/osrelease",
				 tree_path("/proc/sys/kernel/timer_migration")), 0);
	tree_remove("/sys/devices/virtual/workqueue/cpumask");
	tree_make_dirs("/sys/devices/virtual/workqueue/cpumask/");
	put("/proc/irq/24/smp_affinity_list", "a-b");
	assert_int_equal(make(&t), 0);
	assert_int_equal(knobs_begin(&k, false), 0);
	assert_int_equal(tune_apply(&t, &k), 0);
	text = tune_problems(&t);
	assert_non_null(strstr(text, "irq_affinity 1 (Invalid argument), workqueues 1 (Is a directory), timer_migration 1 (Permission denied)"));
	free(text);
	tune_free(&t);
	/* None of them: the run would claim what it does not have. */
	assert_int_equal(make(&t), 0);
	for (i = 0; i < t.n; i++)
		if (strcmp(t.row[i].what, "timer_migration"))
			assert_int_equal(tune_leave_out(&t, t.row[i].what, "not here"), 0);
	assert_int_equal(tune_apply(&t, &k), -EACCES);
	tune_free(&t);
	assert_int_equal(knobs_end(&k), 0);
}

static void assert_partition(const char *measured, const char *others, const char *problem)
{
	struct tune t;
	const struct tune_row *row;

	assert_int_equal(make_for(&t, measured, others), 0);
	row = &t.row[t.n - 1];
	assert_string_equal(row->path, TUNE_CGROUP);
	if (problem)
		assert_non_null(strstr(row->problem, problem));
	else
		assert_null(row->problem);
	/* The controller is switched on before it. */
	assert_int_equal(!strcmp(t.row[t.n - 2].path, CGROUP "/cgroup.subtree_control"), !problem);
	tune_free(&t);
}

TEST_WITH(test_partition, set_up, NULL)
{
	struct tune t;

	put(CGROUP "/cgroup.controllers", "cpu memory");
	put(CGROUP "/cgroup.subtree_control", "cpu");
	assert_partition("2-3", "0-1", "not in " CGROUP "/cgroup.controllers");
	put(CGROUP "/cgroup.controllers", "cpuset cpu memory");
	assert_partition("2-3", "0-1", NULL);
	assert_partition("0-3", "", "no CPU is left");
	put("/proc/sys/kernel/osrelease", "6.1.0-56-amd64");
	assert_partition("2-3", "0-1", "needs Linux 6.2");
	put("/proc/sys/kernel/osrelease", "6.12.0");
	assert_partition("2-3", "0-1", NULL);
	put(CGROUP "/cgroup.type", "domain");
	assert_partition("2-3", "0-1", "this is a container");
	tree_remove(CGROUP "/cgroup.type");
	put("/sys/devices/system/cpu/isolated", "1-3");
	assert_int_equal(make(&t), 0);
	assert_false(tune_has(&t, "cpuset_partition"));
	tune_free(&t);
}

/* A setting whose rule got another name would satisfy none. */
TEST(test_rules)
{
#define RULE_OF(name, rule, brief)	if (*(rule) && !has_word(RULE_WORDS, rule)) fail_msg("%s", rule);
	TUNE_SETTINGS(RULE_OF)
}

UNIT_MAIN(tree_setup, tree_teardown)
