// SPDX-License-Identifier: GPL-2.0
/* Settings that the user names: what they say, and that all of them is put back. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/knobs.h"
#include "result/tried.h"
#include "tuning/setting.h"
#include "tuning/tune.h"
#include "unit.h"
#include "util/file.h"

static char dir[] = "/tmp/tlob-setting-XXXXXX";
static char knob[64], switched[64], state_file[64];

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void assert_file(const char *path, const char *text)
{
	char line[256];

	assert_int_equal(file_read_line(path, line, sizeof(line)), 0);
	assert_string_equal(line, text);
}

static void parse(struct setting *s, const char *text)
{
	char why[300];

	if (setting_parse(s, text, why, sizeof(why)))
		fail_msg("%s: %s", text, why);
}

TEST(test_parse)
{
	static const char * const wrong[] = {
		"", "governer", "governor=", "irq_affinity=1", "vm=1", "vm.swappiness", "/sys/x", "/sys/../etc/x=1",
		"mine: a", "mine: a / b / c", "mine:  / b", "mine: a / ", "a b: c / d", "mine: a\n / b",
	};
	struct setting s;
	char why[300];
	size_t i;

	parse(&s, "irq_affinity");
	assert_int_equal(s.kind, SETTING_ROWS);
	assert_null(s.value);
	parse(&s, "governor=powersave");
	assert_int_equal(s.kind, SETTING_ROWS);
	assert_string_equal(s.what, "governor");
	assert_string_equal(s.value, "powersave");
	parse(&s, "vm.stat_interval=10");
	assert_string_equal(s.path, "/proc/sys/vm/stat_interval");
	assert_string_equal(s.value, "10");
	parse(&s, "/sys/x/y=a=b");
	assert_string_equal(s.path, "/sys/x/y");
	assert_string_equal(s.value, "a=b");
	parse(&s, "mine: sh on.sh / sh off.sh");
	assert_string_equal(s.on, "sh on.sh");
	assert_string_equal(s.off, "sh off.sh");
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		if (!setting_parse(&s, wrong[i], why, sizeof(why)))
			fail_msg("'%s' is taken", wrong[i]);
}

/* Makes a file and a pair of commands; @on: the first command. Returns what tune_apply() does. */
static int make(struct tune *t, struct knobs *k, struct setting s[2], const char *on)
{
	static const struct cpulist none;
	static char text[2][256];

	put(knob, "always [madvise] never");
	put(switched, "off");
	snprintf(text[0], sizeof(text[0]), "%s=neverXX", knob);
	snprintf(text[1], sizeof(text[1]), "mine: %s / echo off > %s", on, switched);
	parse(&s[0], text[0]);
	parse(&s[1], text[1]);
	assert_int_equal(tune_begin(t, "", &none, &none), 0);
	assert_int_equal(setting_add(t, &s[0]), 0);
	assert_int_equal(setting_add(t, &s[1]), 0);
	assert_string_equal(t->row[0].saved, "madvise");
	assert_int_equal(knobs_begin(k, false), 0);
	return tune_apply(t, k);
}

TEST(test_put_back)
{
	char on[128];
	struct setting s[2];
	struct knobs k;
	struct tune t;

	snprintf(on, sizeof(on), "echo on > %s", switched);
	assert_int_equal(make(&t, &k, s, on), 0);
	assert_file(knob, "neverXX[madvise] never");
	assert_file(switched, "on");
	assert_int_equal(knobs_end(&k), 0);
	/* the word that was in force, as the kernel takes it */
	assert_file(knob, "madvise[madvise] never");
	assert_file(switched, "off");
	assert_int_equal(access(state_file, F_OK), -1);
	tune_free(&t);
}

/* A file that is named replaces its row, also by way of a link, and if it has that value already. */
TEST(test_replaces)
{
	static const struct cpulist none;
	char text[140], other[128];
	struct setting s;
	struct tune t;

	put(knob, "1");
	put(switched, "1");
	snprintf(other, sizeof(other), "%s.link", knob);
	assert_int_equal(symlink(knob, other), 0);
	snprintf(text, sizeof(text), "%s=1", other);
	parse(&s, text);
	assert_int_equal(tune_begin(&t, "", &none, &none), 0);
	assert_int_equal(tune_add_file(&t, "timer_migration", knob, "0"), 0);
	assert_int_equal(tune_add_file(&t, "another", switched, "0"), 0);
	assert_int_equal(setting_add(&t, &s), 0);
	assert_int_equal(t.n, 1);
	assert_string_equal(t.row[0].what, "another");
	tune_free(&t);
	unlink(other);
}

/* What another program has written meanwhile stays, also after a kill. */
TEST(test_foreign)
{
	struct setting s[2];
	struct knobs k;
	struct tune t;
	int status;
	pid_t pid;

	assert_int_equal(make(&t, &k, s, "true"), 0);
	put(knob, "another");
	assert_int_equal(knobs_end(&k), 0);
	assert_file(knob, "another");
	tune_free(&t);

	pid = fork();
	if (!pid) {
		/* as if killed */
		_exit(make(&t, &k, s, "true") || file_write(switched, "on ") || file_write(knob, "another"));
	}
	assert_true(waitpid(pid, &status, 0) == pid && !status);
	assert_int_equal(knobs_restore(), 0);
	assert_file(knob, "another[madvise] never");
	assert_file(switched, "off");
}

/* A command that fails may have done a part, so the other one runs as well. */
TEST(test_failing_command)
{
	char on[128];
	struct setting s[2];
	struct knobs k;
	struct tune t;

	snprintf(on, sizeof(on), "echo on > %s; false", switched);
	assert_int_equal(make(&t, &k, s, on), 0);
	assert_string_equal(tune_problem(&t, "mine"), "its command failed");
	assert_false(tune_has(&t, "mine"));
	assert_int_equal(knobs_end(&k), 0);
	assert_file(switched, "off");
	tune_free(&t);
}

static void assert_tried(const char *rule, const char *text)
{
	char *found = tried_text("", rule);

	if (text)
		assert_string_equal(found, text);
	else
		assert_null(found);
	free(found);
}

/* doctor reads what try has found; the latest counts. */
TEST(test_tried)
{
	struct tried one = { .rule = "governor", .kernel = "6.12", .text = "no difference", .when = 1700000000 };
	const struct tried two[] = {
		{ .rule = "irqs", .kernel = "6.12", .text = "hurts: p99.9", .when = 1700000000 },
		{ .rule = "governor", .kernel = "6.13", .text = "helps", .when = 1710000000 },
	};

	assert_tried("governor", NULL);
	assert_int_equal(tried_add(&one, 1), 0);
	assert_tried("governor", "no difference (2023-11-14, Linux 6.12)");
	assert_tried("gov", NULL);
	assert_int_equal(tried_add(two, 2), 0);
	assert_tried("governor", "helps (2024-03-09, Linux 6.13)");
	assert_tried("irqs", "hurts: p99.9 (2023-11-14, Linux 6.12)");
	/* the load that it names may have lines */
	one.text = "helps: stress\nworkqueues\t2030-01-01\t6.13\thelps";
	assert_int_equal(tried_add(&one, 1), 0);
	assert_tried("workqueues", NULL);
	put(tried_path(), "governor\tdamaged\n");
	assert_tried("governor", NULL);
}

int main(void)
{
	char tried[64];
	int failed;

	if (!mkdtemp(dir))
		return 1;
	snprintf(knob, sizeof(knob), "%s/knob", dir);
	snprintf(switched, sizeof(switched), "%s/switched", dir);
	snprintf(state_file, sizeof(state_file), "%s/state", dir);
	snprintf(tried, sizeof(tried), "%s/tried", dir);
	setenv("TLOB_STATE_FILE", state_file, 1);
	setenv("TLOB_TRIED_FILE", tried, 1);
	setenv("TZ", "UTC", 1);
	failed = unit_run(NULL, NULL);
	unlink(knob);
	unlink(switched);
	unlink(tried);
	return rmdir(dir) || failed;
}
