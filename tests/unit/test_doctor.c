// SPDX-License-Identifier: GPL-2.0
/*
 * Rules of doctor on machines that are directories: each rule passes a good one, finds
 * what is bad, and calls neither good nor bad what it cannot read. A rule without these
 * three cases fails.
 */
#include "doctor_cases.h"
#include "doctor_look.h"
#include "doctor/doctor.h"
#include "options/command.h"
#include "options/option_value.h"
#include "util/tree.h"

static const struct check *rule_of(const struct rule_case *c)
{
	return check_find(c->id, c->pattern ? c->pattern : PATTERN_PERIODIC);
}

static const char *only_for(const struct check *c)
{
	return !c->only ? "" : c->only == PATTERN_PERIODIC ? " (periodic)" : " (polling)";
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
	static const enum finding_status of_missing[] = {
		[MISSING_UNKNOWN] = STATUS_UNKNOWN, [MISSING_GOOD] = STATUS_ABSENT,
		[MISSING_BAD] = STATUS_FINDING,
	};
	const struct check *rule = rule_of(c);
	const char *const *path;

	make(c);
	for (path = c->unreadable; *path; path++)
		tree_remove(*path);
	expect(c->id, c->pattern, NULL, "missing",
	       c->removed ? (enum finding_status)(c->removed - 1) : of_missing[rule->missing],
	       c->removed || !rule->missing_why ? "" : rule->missing_why);
}

TEST(test_cases)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		check_good(&cases[i]);
		check_bad(&cases[i]);
		check_unreadable(&cases[i]);
		check_missing(&cases[i]);
	}
}

TEST(test_every_rule_has_cases)
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
					 only_for(c));
			n++;
		}
	assert_int_equal(n, ARRAY_SIZE(cases));
}

/* Every row says all that a report needs, and an absence that counts has a reason and a witness. */
TEST(test_rows)
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

/* The machine of the cases has nothing to find, and nothing that cannot be read. */
TEST(test_good_machine)
{
	struct doctor d = { .root = tree_root, .pattern = PATTERN_PERIODIC, .wait = change };
	size_t i;

	tree_make();
	assert_int_equal(doctor_prepare(&d, NULL), 0);
	assert_string_equal(d.report.cpus, "2-3");
	assert_string_equal(d.other_cpus, "0-1");
	assert_string_equal(d.other_mask, "3");
	assert_null(d.report.container);
	assert_int_equal(doctor_examine(&d, NULL), 0);
	for (i = 0; i < d.report.n; i++)
		if (d.report.at[i].status == STATUS_FINDING || d.report.at[i].status == STATUS_UNKNOWN)
			fail_msg("%s: %s", d.report.at[i].check->id, d.report.at[i].found);
	assert_int_equal(d.report.outcome, EXIT_PASS);
	doctor_free(&d);
}

/* About a machine that shows its CPUs and nothing else, nothing is said. */
TEST(test_nothing_to_read)
{
	static const struct file online = { CPU "/online", "0-3\n", 0 };
	struct doctor d = { .root = tree_root, .pattern = PATTERN_POLLING, .wait = change };
	size_t i;

	tree_clear();
	tree_put(&online);
	assert_int_equal(doctor_prepare(&d, "2-3"), 0);
	assert_int_equal(doctor_examine(&d, NULL), 0);
	for (i = 0; i < d.report.n; i++) {
		const struct finding *f = &d.report.at[i];

		/* the directory has entries: the list of CPUs, so the file is missing indeed */
		if (f->check->witness && tree_has_entries(tree_root, f->check->witness))
			continue;
		if (f->status != STATUS_UNKNOWN)
			fail_msg("%s: %s: %s", f->check->id, status_name(f->status), f->found);
	}
	assert_int_equal(d.report.tally.passed, 0);
	assert_int_equal(d.report.outcome, EXIT_ERROR);
	doctor_free(&d);
}

TEST(test_exit)
{
	struct findings_tally t = { 0 };

	assert_int_equal(tally_outcome(&t), 0);
	t.findings[SEVERITY_MEDIUM] = t.unknown[SEVERITY_MEDIUM] = t.unknown[SEVERITY_INFO] = 9;
	assert_int_equal(tally_outcome(&t), 0);
	t.unknown[SEVERITY_HIGH] = 1;
	assert_int_equal(tally_outcome(&t), 1);
	t.unknown[SEVERITY_HIGH] = 0;
	t.unknown[SEVERITY_FATAL] = 1;
	assert_int_equal(tally_outcome(&t), 1);
	t.findings[SEVERITY_HIGH] = 1;
	assert_int_equal(tally_outcome(&t), 2);
	t = (struct findings_tally){ .findings = { [SEVERITY_FATAL] = 1 } };
	assert_int_equal(tally_outcome(&t), 2);
}

/* The worst first; among equals the order of the tables. */
TEST(test_order)
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
		assert_string_equal(d.report.at[i].check->id, order[i]);
	assert_int_equal(d.report.at[i].status, STATUS_NOTED);
	doctor_free(&d);
}

/* A file that a container hides is unknown, also where the same absence is good on a machine. */
TEST(test_container)
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

/* A copy does not change: no new events prove nothing. */
TEST(test_copy)
{
	static const char * const ids[] = { "irqs", "smi", "steal", "thermal", "frequency" };
	struct doctor d = { .root = tree_root, .pattern = PATTERN_PERIODIC };
	struct finding f;
	size_t i;

	tree_make();
	assert_int_equal(doctor_prepare(&d, "2-3"), 0);
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		free(d.report.at);
		d.report.n = 0;
		assert_int_equal(doctor_examine(&d, check_find(ids[i], PATTERN_PERIODIC)), 0);
		f = d.report.at[0];
		if (f.status != STATUS_UNKNOWN)
			fail_msg("%s: %s: %s", ids[i], status_name(f.status), f.found);
		finding_free(&d.report.at[0]);
	}
	d.report.n = 0;
	doctor_free(&d);
}

TEST(test_cpus)
{
	struct doctor d = { .root = tree_root, .pattern = PATTERN_PERIODIC };
	static const struct file advised[] = {
		{ CPU "/isolated", "\n", 0 }, { CGROUP_DIR "/cpuset.cpus.effective", "0-1\n", 0 }, { NULL, NULL, 0 },
	};
	static const struct file none[] = { { CGROUP_DIR "/cpuset.cpus.isolated", "\n", 0 }, { NULL, NULL, 0 } };
	static const struct file one[] = { { CPU "/online", "0\n", 0 }, { NULL, NULL, 0 } };
	static const struct file v2[] = {
		{ CGROUP_DIR "/cgroup.type", "domain\n", 0 }, { CGROUP_DIR "/cpuset.cpus.effective", "2-3\n", 0 }, { NULL, NULL, 0 },
	};
	static const struct file v1[] = { { CGROUP_DIR "/cpuset/cpuset.effective_cpus", "0,3\n", 0 }, { NULL, NULL, 0 } };

	tree_make();
	assert_int_equal(doctor_prepare(&d, "2-9"), -ENODEV);
	doctor_free(&d);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, "3-2"), -EUSAGE);
	doctor_free(&d);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, "all"), 0);
	assert_string_equal(d.report.cpus, "0-3");
	assert_string_equal(d.other_cpus, "none");
	doctor_free(&d);
	/* a partition takes its CPUs out of the real root */
	put_all(advised);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, NULL), 0);
	assert_string_equal(d.report.cpus, "2-3");
	doctor_free(&d);
	put_all(none);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, NULL), 0);
	assert_string_equal(d.report.cpus, "1-3");
	doctor_free(&d);
	/* of a container */
	put_all(v2);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, NULL), 0);
	assert_string_equal(d.report.cpus, "3");
	doctor_free(&d);
	tree_remove(CGROUP_DIR "/cpuset.cpus.effective");
	put_all(v1);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, NULL), 0);
	assert_string_equal(d.report.cpus, "3");
	doctor_free(&d);
	tree_remove(CGROUP_DIR "/cpuset/cpuset.effective_cpus");
	put_all(one);
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, NULL), 0);
	assert_string_equal(d.report.cpus, "0");
	doctor_free(&d);
	/* without /sys those that the process may use */
	tree_spoil(CPU "/online");
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, "all"), 0);
	assert_string_equal(d.report.cpus, "0-3");
	doctor_free(&d);
	tree_spoil("/proc/self/status");
	d.root = tree_root;
	assert_int_equal(doctor_prepare(&d, NULL), -ELOOP);
	doctor_free(&d);
}

/* The manual and the completion list the rules, in the order of the tables. */
TEST(test_manual_rules)
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

TEST(test_options)
{
	expect_refused("--why=goveror", NULL, "no such rule: did you mean governor?");
	expect_refused("--why=x", NULL, "man tlob-load-doctor lists them");
	expect_refused("--pattern=often", NULL, "give periodic or polling");
	expect_refused("--json=-", "--why=thp", "exclude each other");
	expect_refused("now", NULL, "extra argument 'now'");
	expect_refused("--cpus=", NULL, "--cpus is empty");
	expect_refused("--cpus=3-2", NULL, "invalid CPU list '3-2'");
}

/* docs/reference/doctor.md has this table, and the list below it. */
static void print_row(FILE *f, const struct check *c)
{
	fprintf(f, "| `%s`%s | %s | %s | %s |\n", c->id, only_for(c), severity_name(c->severity),
		c->title, c->wanted);
}

/* Lines of at most 100 columns. */
static void print_missing(FILE *f, const char *what, enum missing missing)
{
	int column = fprintf(f, "%s", what), width;
	const struct checks * const *t;
	const char *sep = "";
	char word[64];
	bool fits;
	size_t i;

	for (t = check_tables; *t; t++) {
		for (i = 0; i < (*t)->n; i++) {
			const struct check *c = &(*t)->at[i];

			if (c->missing != missing)
				continue;
			/* with the comma or full stop after it */
			width = snprintf(word, sizeof(word), "`%s`%s", c->id, only_for(c)) + 1;
			fits = column + 1 + width <= 100;
			fprintf(f, "%s%s%s", sep, fits ? " " : "\n", word);
			column = fits ? column + 1 + width : width;
			sep = ",";
		}
	}
	fputs(".\n", f);
}

static void print_table(FILE *f)
{
	const struct checks * const *t;
	size_t i;

	fputs("| rule | severity | what | wanted |\n"
	      "|---|---|---|---|\n", f);
	for (t = check_tables; *t; t++)
		for (i = 0; i < (*t)->n; i++)
			print_row(f, &(*t)->at[i]);
	fputc('\n', f);
	print_missing(f, "Absent if what they read is missing:", MISSING_GOOD);
	fputc('\n', f);
	print_missing(f, "A finding in that case:", MISSING_BAD);
}

TEST(test_docs)
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
	if (argc > 1 && !strcmp(argv[1], "table")) {
		print_table(stdout);
		return 0;
	}

	return unit_run(tree_setup, tree_teardown);
}
