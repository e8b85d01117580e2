// SPDX-License-Identifier: GPL-2.0
/*
 * Rules of doctor on machines that are directories: each rule passes a good one, finds
 * what is bad, and calls neither good nor bad what it cannot read. A rule without these
 * three cases fails.
 */
#include "doctor_cases.h"
#include "options/command.h"
#include "doctor/doctor.h"
#include "doctor/look.h"
#include "tuning/tree.h"
#include "options/option_value.h"

/* The files that change between two readings. */
static void change(void *data)
{
	const struct file *file = data;

	for (; file && file->path; file++)
		tree_put(file);
}

static void put_all(const struct file *file)
{
	change((void *)file);
}

/* The rule's findings on CPUs 2 and 3 of the tree. */
static struct finding look_at(const char *id, enum pattern pattern, const struct file *later)
{
	struct doctor d = {
		.root = tree_root, .pattern = pattern ? pattern : PATTERN_PERIODIC,
		.wait = change, .wait_data = (void *)later,
	};
	const struct check *c = check_find(id, d.pattern);
	struct finding f;

	if (!c)
		fail_msg("no rule %s", id);
	assert_int_equal(doctor_prepare(&d, "2-3"), 0);
	assert_int_equal(doctor_examine(&d, c), 0);
	assert_int_equal(d.n, 1);
	f = d.finding[0];
	assert_non_null(f.path);
	assert_non_null(f.found);
	d.n = 0;
	doctor_free(&d);
	return f;
}

static void expect(const char *id, enum pattern pattern, const struct file *later, const char *what,
		   enum status status, const char *part)
{
	struct finding f = look_at(id, pattern, later);

	if (f.status != status || !strstr(f.found, part))
		fail_msg("%s, %s: %s '%s', expected %s with '%s'", id, what, status_name(f.status), f.found,
			 status_name(status), part);
	finding_free(&f);
}

static const struct check *rule_of(const struct rule_case *c)
{
	return check_find(c->id, c->pattern ? c->pattern : PATTERN_PERIODIC);
}

static bool only_records(const struct rule_case *c)
{
	return rule_of(c)->severity == SEVERITY_INFO;
}

static void make(const struct rule_case *c)
{
	tree_make();
	put_all(c->base);
}

static void check_good(const struct rule_case *c)
{
	make(c);
	expect(c->id, c->pattern, NULL, "good", only_records(c) ? STATUS_NOTED : STATUS_PASS, c->good);
}

static void check_bad(const struct rule_case *c)
{
	make(c);
	put_all(c->bad);
	expect(c->id, c->pattern, c->later, "bad", only_records(c) ? STATUS_NOTED : STATUS_FINDING, c->found);
}

/* Each file alone, unless the rule has other ways to know. */
static void check_unreadable(const struct rule_case *c)
{
	const char *const *path;
	char what[256];

	make(c);
	for (path = c->unreadable; *path; path++) {
		if (!c->together)
			make(c);
		tree_spoil(*path);
		snprintf(what, sizeof(what), "%s is unreadable", *path);
		if (!c->together || !path[1])
			expect(c->id, c->pattern, NULL, what, STATUS_UNKNOWN, c->together ? "" : *path);
	}
}

/* A file that is missing passes nothing; the row says if its absence means something else. */
static void check_missing(const struct rule_case *c)
{
	static const enum status of_missing[] = {
		[MISSING_UNKNOWN] = STATUS_UNKNOWN, [MISSING_GOOD] = STATUS_ABSENT,
		[MISSING_BAD] = STATUS_FINDING,
	};
	const struct check *rule = rule_of(c);
	const char *const *path;

	make(c);
	for (path = c->unreadable; *path; path++)
		tree_remove(*path);
	expect(c->id, c->pattern, NULL, "missing",
	       c->removed ? (enum status)(c->removed - 1) : of_missing[rule->missing],
	       c->removed || !rule->missing_why ? "" : rule->missing_why);
}

static void test_cases(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		check_good(&cases[i]);
		check_bad(&cases[i]);
		check_unreadable(&cases[i]);
		check_missing(&cases[i]);
	}
}

static void test_every_rule_has_cases(void **state)
{
	const struct checks * const *t;
	size_t i, k, n = 0;

	for (t = check_tables; *t; t++)
		for (i = 0; i < (*t)->n; i++) {
			const struct check *c = &(*t)->at[i];

			for (k = 0; k < ARRAY_SIZE(cases) && rule_of(&cases[k]) != c; k++)
				;
			if (k == ARRAY_SIZE(cases) || !cases[k].good || !cases[k].found || !*cases[k].unreadable ||
			    !(cases[k].bad[0].path || cases[k].later[0].path))
				fail_msg("rule %s (%s) lacks a good, a bad or an unreadable machine", c->id,
					 pattern_name(c->only));
			n++;
		}
	assert_int_equal(n, ARRAY_SIZE(cases));
}

/* Every row says all that a report needs, and an absence that counts has a reason and a witness. */
static void test_rows(void **state)
{
	const struct checks * const *t;
	size_t i;

	for (t = check_tables; *t; t++)
		for (i = 0; i < (*t)->n; i++) {
			const struct check *c = &(*t)->at[i];

			if (!(c->id && c->title && c->path && c->wanted && c->why && c->source && c->look)) {
				fail_msg("row %zu is incomplete", i);
				return;
			}
			assert_int_equal(*c->path, '/');
			/* a document with the version that has it */
			if (!strstr(c->source, "Linux 7.3, Documentation/") && !strstr(c->source, "tuned (") &&
			    !strstr(c->source, "Linux man-pages 6.03, "))
				fail_msg("%s: no document with its version: %s", c->id, c->source);
			assert_true(c->severity == SEVERITY_INFO || c->now || c->for_good);
			assert_int_equal(c->missing != MISSING_UNKNOWN, c->missing_why && c->witness);
			assert_true(strlen(c->id) + strlen(c->title) < 70);
		}
}

static enum status status_of(const char *id, enum pattern pattern)
{
	struct finding f = look_at(id, pattern, NULL);
	enum status status = f.status;

	finding_free(&f);
	return status;
}

/* The machine of the cases has nothing to find, and nothing that cannot be read. */
static void test_good_machine(void **state)
{
	struct doctor d = { .root = tree_root, .pattern = PATTERN_PERIODIC, .wait = change };
	struct doctor_tally t;
	size_t i;

	tree_make();
	assert_int_equal(doctor_prepare(&d, NULL), 0);
	assert_string_equal(d.cpus, "2-3");
	assert_string_equal(d.other_cpus, "0-1");
	assert_string_equal(d.other_mask, "3");
	assert_null(d.container);
	assert_int_equal(doctor_examine(&d, NULL), 0);
	for (i = 0; i < d.n; i++)
		if (d.finding[i].status == STATUS_FINDING || d.finding[i].status == STATUS_UNKNOWN)
			fail_msg("%s: %s", d.finding[i].check->id, d.finding[i].found);
	doctor_count(&d, &t);
	assert_int_equal(doctor_exit(&t), 0);
	doctor_free(&d);
}

/* About a machine that shows its CPUs and nothing else, nothing is said. */
static void test_nothing_to_read(void **state)
{
	static const struct file online = { CPU "/online", "0-3\n", 0 };
	struct doctor d = { .root = tree_root, .pattern = PATTERN_POLLING, .wait = change };
	struct doctor_tally t;
	size_t i;

	tree_clear();
	tree_put(&online);
	assert_int_equal(doctor_prepare(&d, "2-3"), 0);
	assert_int_equal(doctor_examine(&d, NULL), 0);
	for (i = 0; i < d.n; i++) {
		const struct finding *f = &d.finding[i];

		/* the directory has entries: the list of CPUs, so the file is missing indeed */
		if (f->check->witness && tree_has_entries(tree_root, f->check->witness))
			continue;
		if (f->status != STATUS_UNKNOWN)
			fail_msg("%s: %s: %s", f->check->id, status_name(f->status), f->found);
	}
	doctor_count(&d, &t);
	assert_int_equal(t.passed, 0);
	assert_int_equal(doctor_exit(&t), 1);
	doctor_free(&d);
}

static void test_exit(void **state)
{
	struct doctor_tally t = { 0 };

	assert_int_equal(doctor_exit(&t), 0);
	t.findings[SEVERITY_MEDIUM] = t.unknown[SEVERITY_MEDIUM] = t.unknown[SEVERITY_INFO] = 9;
	assert_int_equal(doctor_exit(&t), 0);
	t.unknown[SEVERITY_HIGH] = 1;
	assert_int_equal(doctor_exit(&t), 1);
	t.unknown[SEVERITY_HIGH] = 0;
	t.unknown[SEVERITY_FATAL] = 1;
	assert_int_equal(doctor_exit(&t), 1);
	t.findings[SEVERITY_HIGH] = 1;
	assert_int_equal(doctor_exit(&t), 2);
	t = (struct doctor_tally){ .findings = { [SEVERITY_FATAL] = 1 } };
	assert_int_equal(doctor_exit(&t), 2);
}

/* The worst first; among equals the order of the tables. */
static void test_order(void **state)
{
	static const struct file bad[] = {
		{ "/sys/kernel/realtime", "0\n", 0 }, { "/proc/sys/kernel/watchdog", "1\n", 0 },
		{ "/proc/sys/vm/stat_interval", "1\n", 0 }, { "/proc/sys/kernel/timer_migration", "1\n", 0 },
		{ NULL, NULL, 0 },
	};
	static const char * const order[] = {
		"preempt_rt", "lockup_detector", "timer_migration", "stat_interval",
	};
	struct doctor d = { .root = tree_root, .pattern = PATTERN_PERIODIC, .wait = change };
	size_t i;

	tree_make();
	put_all(bad);
	assert_int_equal(doctor_prepare(&d, "2-3"), 0);
	assert_int_equal(doctor_examine(&d, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(order); i++)
		assert_string_equal(d.finding[i].check->id, order[i]);
	assert_int_equal(d.finding[i].status, STATUS_NOTED);
	doctor_free(&d);
}

#define CGROUP_DIR	"/sys/fs/cgroup"

/* A file that a container hides is unknown, also where the same absence is good on a machine. */
static void test_container(void **state)
{
	static const struct file mark[] = {
		{ "/.dockerenv", "", 0 }, { CPU "/isolated", "\n", 0 }, { NULL, NULL, 0 },
	};
	static const struct file partition[] = {
		{ CGROUP_DIR "/cgroup.controllers", "cpuset cpu\n", 0 },
		{ CGROUP_DIR "/tlob-load.measured/cpuset.cpus.partition", "isolated\n", 0 },
		{ CGROUP_DIR "/tlob-load.measured/cpuset.cpus.effective", "2-3\n", 0 }, { NULL, NULL, 0 },
	};
	static const char * const kthreads[] = { "2", "19", "20", "21", "22", "23", "30" };
	char path[64];
	size_t i;

	tree_make();
	put_all(mark);
	for (i = 0; i < ARRAY_SIZE(kthreads); i++) {
		snprintf(path, sizeof(path), "/proc/%s", kthreads[i]);
		tree_remove(path);
	}
	expect("foreign", 0, NULL, "no kernel thread", STATUS_UNKNOWN, "no kernel thread");
	expect("irqbalance", 0, NULL, "no kernel thread", STATUS_UNKNOWN, "no kernel thread");
	expect("rcu_nocbs", 0, NULL, "no kernel thread", STATUS_UNKNOWN, "no kernel thread");
	expect("helpers", 0, NULL, "no kernel thread", STATUS_UNKNOWN, "no kernel thread");
	/* an empty directory in front of the real one */
	tree_remove("/sys/firmware");
	tree_make_dirs("/sys/firmware/");
	expect("efi", 0, NULL, "masked", STATUS_UNKNOWN, "/sys/firmware/efi");
	expect("platform_profile", 0, NULL, "masked", STATUS_UNKNOWN, "platform_profile");
	tree_remove("/sys/fs/cgroup/cpuset.cpus.isolated");
	expect("isolated", 0, NULL, "own cgroup root", STATUS_UNKNOWN, "cpuset.cpus.isolated");
	tree_remove("/.dockerenv");
	tree_put(&good_tree[0]);
	put_all((const struct file[]){ TASK(2, "kthreadd", KTHREAD, 0, 0, "0-3"), { NULL, NULL, 0 } });
	expect("isolated", 0, NULL, "no partitions", STATUS_FINDING, "CPUs 2-3 are missing");
	/* Linux before 6.7: a partition is only in its own files */
	put_all(partition);
	expect("isolated", 0, NULL, "a partition", STATUS_PASS, "2-3");
	expect("partition", 0, NULL, "a partition", STATUS_PASS, "2-3");
	tree_put(&(struct file){ CGROUP_DIR "/tlob-load.measured/cpuset.cpus.partition", "isolated invalid (Cpu list in cpuset.cpus not exclusive)\n", 0 });
	expect("partition", 0, NULL, "a refused partition", STATUS_FINDING, "not exclusive");
	/* a container's root is not the root: what is next to it cannot be seen */
	tree_put(&(struct file){ CGROUP_DIR "/cgroup.type", "domain\n", 0 });
	expect("partition", 0, NULL, "a container", STATUS_UNKNOWN, "cpuset.cpus.isolated");
}

/* Each way to be good, and each to be bad, that the cases have not. */
static void test_other_ways(void **state)
{
	static const struct file arm[] = {
		{ "/sys/devices/system/clocksource/clocksource0/current_clocksource", "arch_sys_counter\n", 0 },
		{ "/proc/cmdline", "quiet efi=noruntime\n", 0 }, { NULL, NULL, 0 },
	};
	static const struct file fixed[] = {
		{ CPU "/cpu2/cpufreq/scaling_governor", "schedutil\n", 0 },
		{ CPU "/cpu2/cpufreq/scaling_min_freq", "3000000\n", 0 }, { NULL, NULL, 0 },
	};
	static const struct file interrupts[] = { { "/proc/interrupts", INTERRUPTS("8"), 0 }, { NULL, NULL, 0 } };
	static const struct file deadline[] = { TASK(104, "dl", USER, 0, 6, "3"), { NULL, NULL, 0 } };
	static const struct file nocb[] = { TASK(22, "rcuop/2", KTHREAD, 0, 0, "0-3"), { NULL, NULL, 0 } };
	static const struct file garbage[] = { { "/proc/sys/vm/stat_interval", "12x\n", 0 }, { NULL, NULL, 0 } };
	static const struct file version[] = { { "/proc/version", "Linux version 6.12 SMP PREEMPT_DYNAMIC\n", 0 }, { NULL, NULL, 0 } };

	tree_make();
	expect("threadirqs", 0, NULL, "RT", STATUS_ABSENT, "always does");
	expect("smt", 0, NULL, "off", STATUS_PASS, "off");
	expect("irqbalance", 0, NULL, "none", STATUS_PASS, "does not run");
	expect("swap", 0, NULL, "none", STATUS_PASS, "none");
	expect("irqs", 0, interrupts, "came", STATUS_FINDING, "1 interrupts of devices came");
	put_all(arm);
	expect("tsc_reliable", 0, NULL, "arm64", STATUS_ABSENT, "no TSC");
	expect("efi", 0, NULL, "off", STATUS_PASS, "efi=noruntime");
	tree_make();
	tree_remove("/sys/firmware/efi");
	expect("efi", 0, NULL, "BIOS", STATUS_ABSENT, "not booted by EFI");
	put_all(fixed);
	expect("governor", 0, NULL, "min is max", STATUS_PASS, "schedutil, 3000 to 3000 MHz on CPU 2");
	put_all(deadline);
	expect("foreign", 0, NULL, "deadline", STATUS_FINDING, "dl (pid 104, deadline)");
	put_all(nocb);
	expect("rcu_nocbs", 0, NULL, "rcuo", STATUS_FINDING, "rcuop/2");
	tree_remove("/proc/23");
	expect("rcu_nocbs", 0, NULL, "no rcuo", STATUS_FINDING,
	       "no thread rcuo for CPUs 3: the kernel is built without RCU_NOCB_CPU");
	put_all(garbage);
	expect("stat_interval", 0, NULL, "no number", STATUS_UNKNOWN, "unknown format");
	tree_remove("/sys/kernel/realtime");
	expect("preempt_rt", 0, NULL, "by its configuration", STATUS_PASS, "PREEMPT_RT");
	tree_remove("/boot/config-6.12.0-rt");
	expect("preempt_rt", 0, NULL, "by its version", STATUS_PASS, "PREEMPT_RT");
	put_all(version);
	expect("preempt_rt", 0, NULL, "by its version", STATUS_FINDING, "not PREEMPT_RT");
	tree_remove("/proc/interrupts");
	assert_int_equal(status_of("irqs", 0), STATUS_UNKNOWN);
}

/* A copy does not change: no new events prove nothing. */
static void test_copy(void **state)
{
	static const char * const ids[] = { "irqs", "smi", "steal", "thermal", "frequency" };
	struct doctor d = { .root = tree_root, .pattern = PATTERN_PERIODIC };
	struct finding f;
	size_t i;

	tree_make();
	assert_int_equal(doctor_prepare(&d, "2-3"), 0);
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		free(d.finding);
		d.n = 0;
		assert_int_equal(doctor_examine(&d, check_find(ids[i], PATTERN_PERIODIC)), 0);
		f = d.finding[0];
		if (f.status != STATUS_UNKNOWN)
			fail_msg("%s: %s: %s", ids[i], status_name(f.status), f.found);
		finding_free(&d.finding[0]);
	}
	d.n = 0;
	doctor_free(&d);
}

static void test_cpus(void **state)
{
	struct doctor d = { .root = tree_root, .pattern = PATTERN_PERIODIC };
	static const struct file none[] = { { CPU "/isolated", "\n", 0 }, { NULL, NULL, 0 } };
	static const struct file one[] = { { CPU "/online", "0\n", 0 }, { NULL, NULL, 0 } };
	static const struct file v2[] = { { "/sys/fs/cgroup/cpuset.cpus.effective", "2-3\n", 0 }, { NULL, NULL, 0 } };
	static const struct file v1[] = { { "/sys/fs/cgroup/cpuset/cpuset.effective_cpus", "0,3\n", 0 }, { NULL, NULL, 0 } };

	tree_make();
	assert_int_equal(doctor_prepare(&d, "2-9"), -ENODEV);
	doctor_free(&d);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, "3-2"), -EUSAGE);
	doctor_free(&d);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, "all"), 0);
	assert_string_equal(d.cpus, "0-3");
	assert_string_equal(d.other_cpus, "none");
	doctor_free(&d);
	put_all(none);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, NULL), 0);
	assert_string_equal(d.cpus, "1-3");
	doctor_free(&d);
	/* of a container */
	put_all(v2);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, NULL), 0);
	assert_string_equal(d.cpus, "3");
	doctor_free(&d);
	tree_remove("/sys/fs/cgroup/cpuset.cpus.effective");
	put_all(v1);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, NULL), 0);
	assert_string_equal(d.cpus, "3");
	doctor_free(&d);
	tree_remove("/sys/fs/cgroup/cpuset/cpuset.effective_cpus");
	put_all(one);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, NULL), 0);
	assert_string_equal(d.cpus, "0");
	doctor_free(&d);
	/* without /sys those that the process may use */
	tree_spoil(CPU "/online");
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, "all"), 0);
	assert_string_equal(d.cpus, "0-3");
	doctor_free(&d);
	tree_spoil("/proc/self/status");
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, NULL), -ELOOP);
	doctor_free(&d);
}

/* The manual and the completion list the rules, in the order of the tables. */
static void test_manual_rules(void **state)
{
	const struct manual_option *why = manual_option_find(&manual_doctor, "why");
	const struct manual_option *s = manual_doctor.options;
	const struct manual_entry *entry;
	const struct checks * const *t;
	const char *words = why->words;
	char last[64] = "";
	size_t i;

	while (!s->list)
		s++;
	entry = s->list;
	for (t = check_tables; *t; t++)
		for (i = 0; i < (*t)->n; i++) {
			const struct check *c = &(*t)->at[i];

			if (!strcmp(c->id, last))
				continue;
			snprintf(last, sizeof(last), "%s", c->id);
			assert_string_equal(entry->term, c->id);
			assert_string_equal(entry->meaning, c->title);
			entry++;
			assert_int_equal(strncmp(words, c->id, strlen(c->id)), 0);
			words += strcspn(words, " ");
			words += strspn(words, " ");
		}
	assert_null(entry->term);
	assert_string_equal(words, "");
}

/* The command's words on stderr for one or two arguments; it must refuse them. */
static void expect_refused(const char *a, const char *b, const char *part)
{
	char *argv[] = { (char *)"doctor", (char *)a, (char *)b, NULL }, said[512] = "";
	int argc = b ? 3 : 2, saved = dup(STDERR_FILENO), pipes[2];
	enum exit_code code;
	ssize_t n;

	assert_true(saved >= 0);
	assert_int_equal(pipe(pipes), 0);
	assert_true(dup2(pipes[1], STDERR_FILENO) >= 0);
	optind = 0;
	code = command_call(&cmd_doctor, argc, argv);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	close(pipes[1]);
	n = read(pipes[0], said, sizeof(said) - 1);
	close(pipes[0]);
	assert_true(n > 0);
	assert_int_equal(code, EXIT_USAGE);
	assert_contains(said, part);
}

static void test_options(void **state)
{
	expect_refused("--why=goveror", NULL, "no such rule: did you mean governor?");
	expect_refused("--why=x", NULL, "man tlob-load-doctor lists them");
	expect_refused("--pattern=often", NULL, "give periodic or polling");
	expect_refused("--json", "--why=thp", "exclude each other");
	expect_refused("now", NULL, "extra argument 'now'");
	expect_refused("--cpus=", NULL, "--cpus is empty");
	expect_refused("--cpus=3-2", NULL, "invalid CPU list '3-2'");
}

/* docs/reference/doctor.md has this table. */
static void print_row(FILE *f, const struct check *c)
{
	const char *only = !c->only ? "" :
			   c->only == PATTERN_PERIODIC ? " (periodic)" : " (polling)";
	const char *path = c->path;

	fprintf(f, "| `%s`%s | %s | %s |", c->id, only, severity_name(c->severity), c->title);
	for (; *path; path += strcspn(path, " "), path += *path == ' ')
		fprintf(f, " `%.*s`", (int)strcspn(path, " "), path);
	fprintf(f, " | %s | %s |\n", c->wanted, c->missing_why ? c->missing_why : "");
}

static void print_table(FILE *f)
{
	const struct checks * const *t;
	size_t i;

	fputs("| rule | severity | what | read from | wanted | if that is missing |\n"
	      "|---|---|---|---|---|---|\n", f);
	for (t = check_tables; *t; t++)
		for (i = 0; i < (*t)->n; i++)
			print_row(f, &(*t)->at[i]);
}

static void test_docs(void **state)
{
	char *table = NULL, *page;
	size_t size;
	FILE *f = open_memstream(&table, &size);

	assert_non_null(f);
	print_table(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(tree_read("..", "/../docs/reference/doctor.md", &page), 0);
	if (!strstr(page, table))
		fail_msg("docs/reference/doctor.md has another table than `test_doctor table` prints");
	free(page);
	free(table);
}

/* With the argument table it prints the one of the documentation. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_rule_has_cases),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_good_machine),
		cmocka_unit_test(test_nothing_to_read),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_container),
		cmocka_unit_test(test_other_ways),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_manual_rules),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_docs),
	};

	if (argc > 1 && !strcmp(argv[1], "table")) {
		print_table(stdout);
		return 0;
	}

	return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
