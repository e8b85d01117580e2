// SPDX-License-Identifier: GPL-2.0
/* The state file of a killed run is replayed whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "machine/knobs_local.h"
#include "machine/proc_counts.h"
#include "util/file.h"

#define HEADER	"tlob-load-state 2\n"
#define OWNER	"owner 2000000000 5\n"	/* beyond pid_max: it is gone */

static char dir[] = "/tmp/tlob-unit.XXXXXX";
static char state_file[64], knob[64];

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static void assert_knob(const char *value)
{
	char text[64] = "";

	assert_int_equal(file_read_line(knob, text, sizeof(text)), 0);
	assert_string_equal(text, value);
}

/* Restores from @format, where %s is the knob's path. */
static int restore(const char *format)
{
	char text[512];

	put(knob, "-1");
	snprintf(text, sizeof(text), format, knob);
	put(state_file, text);
	return knobs_restore();
}

TEST(test_replay)
{
	assert_int_equal(restore(HEADER OWNER "file %s\t950000\n"), 0);
	assert_knob("950000");
	assert_int_not_equal(access(state_file, F_OK), 0);
	assert_int_equal(restore(""), 0);
	assert_int_equal(restore(HEADER OWNER), 0);
}

/* A file that refuses every value, and has the right one: killed before it was tried. */
TEST(test_refusing)
{
	char version[256] = "", text[512];

	assert_int_equal(file_read_line("/proc/version", version, sizeof(version)), 0);
	snprintf(text, sizeof(text), HEADER OWNER "file /proc/version\t%s\n", version);
	put(state_file, text);
	assert_int_equal(knobs_restore(), 0);
	assert_int_not_equal(access(state_file, F_OK), 0);
	put(state_file, HEADER OWNER "file /proc/version\tanother\n");
	assert_int_not_equal(knobs_restore(), 0);
	unlink(state_file);
}

/* A setting that is gone, or has its value already, is not counted as restored. */
TEST(test_not_written)
{
	char path[80], value[] = "1", version[256] = "";
	struct knob gone = { .kind = KNOB_FILE, .path = path, .saved = value };
	struct knob same = { .kind = KNOB_FILE, .path = (char *)"/proc/version", .saved = version };
	bool changed;

	snprintf(path, sizeof(path), "%s.gone", knob);
	assert_int_equal(knob_restore(&gone, &changed), 0);
	assert_false(changed);
	assert_int_equal(file_read_line("/proc/version", version, sizeof(version)), 0);
	assert_int_equal(knob_restore(&same, &changed), 0);
	assert_false(changed);
}

/* The settings of another boot are gone, and what it lists may mean another thing today. */
TEST(test_boot)
{
	char id[64] = "", text[256];

	assert_int_equal(file_read_line("/proc/sys/kernel/random/boot_id", id, sizeof(id)), 0);
	snprintf(text, sizeof(text), HEADER OWNER "boot %s\nfile %%s\t950000\n", id);
	assert_int_equal(restore(text), 0);
	assert_knob("950000");
	assert_int_equal(restore(HEADER OWNER "boot 00000000-0000-4000-8000-000000000000\nfile %s\t950000\n"), 0);
	assert_knob("-1");
	assert_int_not_equal(access(state_file, F_OK), 0);
}

/* Whatever another one may write is not replayed: a user's file, a link, a pipe. */
TEST(test_foreign)
{
	char other[80];

	snprintf(other, sizeof(other), "%s.other", state_file);
	unlink(state_file);
	put(knob, "-1");
	put(other, HEADER OWNER);
	assert_int_equal(symlink(other, state_file), 0);
	assert_int_equal(knobs_restore(), -ELOOP);
	unlink(state_file);
	assert_int_equal(mkfifo(state_file, 0600), 0);
	assert_int_equal(knobs_restore(), -EPERM);
	unlink(state_file);
	assert_int_equal(restore(HEADER OWNER), 0);
	put(state_file, HEADER OWNER);
	assert_int_equal(chmod(state_file, 0666), 0);
	assert_int_equal(knobs_restore(), -EPERM);
	assert_int_equal(chmod(state_file, 0600), 0);
	if (!geteuid()) {
		assert_int_equal(chown(state_file, 1000, 1000), 0);
		assert_int_equal(knobs_restore(), -EPERM);
	} else {
		print_message("not root: no file of another user\n");
	}
	assert_knob("-1");
	unlink(state_file);
	unlink(other);
}

/* A file that somebody put where the new state is written does not become the state. */
TEST(test_new_file)
{
	char made[80], other[80];
	struct stat st;
	struct knobs k;

	snprintf(made, sizeof(made), "%s.new", state_file);
	snprintf(other, sizeof(other), "%s.other", state_file);
	put(other, "mine");
	assert_int_equal(link(other, made), 0);
	assert_int_equal(knobs_begin(&k, false), 0);
	assert_int_equal(stat(other, &st), 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(knobs_end(&k), 0);
	unlink(other);
}

/* Holds the lock until something comes through @until. */
static pid_t hold(int until)
{
	int ready[2];
	struct knobs k;
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		c = knobs_begin(&k, false) ? 'n' : 'y';
		if (write(ready[1], &c, 1) != 1 || read(until, &c, 1) != 1 || knobs_end(&k))
			_exit(1);
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(c, 'y');
	close(ready[0]);
	return pid;
}

/* The holder lets go when it sees the message of the one that waits: on its stderr. */
TEST(test_wait)
{
	int said[2], keep = dup(2), status;
	struct knobs k;
	pid_t pid;

	assert_int_equal(pipe(said), 0);
	pid = hold(said[0]);
	assert_int_equal(knobs_begin(&k, false), -EBUSY);
	assert_int_equal(dup2(said[1], 2), 2);
	status = knobs_begin(&k, true);
	dup2(keep, 2);
	assert_int_equal(status, 0);
	assert_int_equal(knobs_end(&k), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(said[0]);
	close(said[1]);
	close(keep);
}

/* A shared knob is restored only while it has our value. */
TEST(test_shared)
{
	assert_int_equal(restore(HEADER OWNER "shared %s\t950000\t-1\n"), 0);
	assert_knob("950000");
	assert_int_not_equal(access(state_file, F_OK), 0);
	assert_int_equal(restore(HEADER OWNER "shared %s\t950000\t1\n"), 0);
	assert_knob("-1");
	assert_int_not_equal(access(state_file, F_OK), 0);
}

/* Sets the knob as a run does that is killed before its end. */
static void set_and_die(const char *wanted)
{
	int status;
	struct knobs k;
	pid_t pid = fork();

	if (!pid)
		_exit(knobs_begin(&k, false) || knobs_set(&k, knob, wanted, NULL) || knobs_are_ours(&k, 0));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_knob(wanted);
}

/* A setting may have several values, as kernel.printk does, or anything else on its line. */
TEST(test_tabs)
{
	static const char * const values[][2] = {
		/* of one length: writing to a file does not cut it */
		{ "4\t4\t1\t7", "3\t4\t1\t7" }, { "4\t4", "333" }, { "444", "3\t3" }, { "a\\x09b\\", "b\\x0a\\t" },
	};
	size_t i;

	unlink(state_file);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		put(knob, values[i][0]);
		set_and_die(values[i][1]);
		assert_int_equal(knobs_restore(), 0);
		assert_knob(values[i][0]);
		assert_int_not_equal(access(state_file, F_OK), 0);
	}
}

/* Two changes of one file: each finds what the other left, and another program's value stays. */
TEST(test_twice)
{
	static const char * const last[][2] = { { "3", "1" }, { "9", "9" } };
	struct knobs k;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(last); i++) {
		put(knob, "1");
		assert_int_equal(knobs_begin(&k, false), 0);
		assert_int_equal(knobs_set(&k, knob, "2", NULL), 0);
		assert_int_equal(knobs_set(&k, knob, "3", NULL), 0);
		assert_int_equal(knobs_are_ours(&k, 0), 0);
		put(knob, last[i][0]);
		assert_int_equal(knobs_end(&k), 0);
		assert_knob(last[i][1]);
	}
}

/* It may list what this version cannot restore. */
TEST(test_version)
{
	FILE *f = tmpfile();
	int keep = dup(2), status;
	char said[400] = "";

	assert_non_null(f);
	assert_int_equal(dup2(fileno(f), 2), 2);
	status = restore("tlob-load-state 1\n" OWNER "file %s\t1\n");
	dup2(keep, 2);
	close(keep);
	assert_int_equal(status, -EPROTO);
	rewind(f);
	assert_true(fread(said, 1, sizeof(said) - 1, f) > 0);
	fclose(f);
	assert_contains(said, "has version 1, but this tlob-load reads version 2");
	assert_knob("-1");
	assert_int_equal(access(state_file, F_OK), 0);
}

/* Nothing is written from a cut file: 950000 without its last digits is also a number. */
TEST(test_damaged)
{
	static const char * const damaged[] = {
		HEADER OWNER "file %s\t9500",
		HEADER OWNER "file %s\t950000\ninstance /sys/kernel/tra",
		HEADER OWNER "file %s\t1\nfile",
		HEADER "owner 2000000000 5",
		HEADER "owner 0 5\nfile %s\t1\n",
		HEADER "owner -5 5\nfile %s\t1\n",
		HEADER "owner 5\nfile %s\t1\n",
		HEADER "file %s\t1\n",
		"tlob-load-state 2x\n" OWNER "file %s\t1\n",
		HEADER OWNER "file %s\t4\t4\n",
		HEADER OWNER "ours %s\t4\t4\t-1\n",
		HEADER OWNER "file %s\n",
		HEADER OWNER "link %s\t1\n",
		HEADER OWNER "shared %s\n",
		HEADER OWNER "shared %s\t1\n",
		HEADER OWNER "shared %s\t1\t\n",
		HEADER OWNER "irq %s\n",
		HEADER OWNER "irq %s\t0-1\n",
		HEADER OWNER "irq %s\t0-1\t\n",
		HEADER OWNER "instance %s\t1\n",
		HEADER OWNER "cgroup %s\t1\n",
		HEADER OWNER "file x%s\t1\n",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(damaged); i++) {
		if (!restore(damaged[i]))
			fail_msg("accepted: %s", damaged[i]);
		assert_knob("-1");
		/* the file stays for a person to inspect */
		assert_int_equal(access(state_file, F_OK), 0);
	}
}

/* A directory that is made is removed at once, or with the rest. The others stay. */
TEST(test_undo)
{
	char first[80], second[80];
	struct knobs k;

	snprintf(first, sizeof(first), "%s/first", dir);
	snprintf(second, sizeof(second), "%s/second", dir);
	unlink(state_file);		/* the damaged one of the test before */
	put(knob, "1");
	assert_int_equal(knobs_begin(&k, false), 0);
	assert_int_equal(knobs_cgroup(&k, first), 0);
	assert_int_equal(knobs_set(&k, knob, "2", NULL), 0);
	assert_int_equal(knobs_cgroup(&k, second), 0);
	assert_int_equal(knobs_cgroup(&k, second), -EEXIST);
	assert_int_equal(knobs_undo(&k, first), 0);
	assert_int_equal(knobs_undo(&k, first), 0);
	assert_int_not_equal(access(first, F_OK), 0);
	assert_int_equal(access(second, F_OK), 0);
	assert_knob("2");
	assert_int_equal(knobs_end(&k), 0);
	assert_int_not_equal(access(second, F_OK), 0);
	assert_knob("1");
}

/* Leftovers of a killed run are removed, even if it was killed before its first change. */
TEST(test_cgroup)
{
	char text[256], made[80];

	snprintf(made, sizeof(made), "%s/made", dir);
	assert_int_equal(mkdir(made, 0700), 0);
	snprintf(text, sizeof(text), HEADER OWNER "cgroup %s\ncgroup %s/none\n", made, dir);
	put(state_file, text);
	assert_int_equal(knobs_restore(), 0);
	assert_int_not_equal(access(made, F_OK), 0);
	assert_int_not_equal(access(state_file, F_OK), 0);
}

static int set_up(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(state_file, sizeof(state_file), "%s/state", dir);
	snprintf(knob, sizeof(knob), "%s/knob", dir);
	return setenv("TLOB_STATE_FILE", state_file, 1);
}

static int tear_down(void **state)
{
	unlink(state_file);
	unlink(knob);
	return rmdir(dir);
}

/*
 * The owner of the state file counts as running even if nothing is locked, until it has ended: also if
 * its parent leaves it as a zombie. Waiting sees its end.
 */
TEST(test_zombie)
{
	int said[2], keep = dup(2), status;
	char path[32], *stat, text[512];
	struct knobs k;
	uint64_t start;
	siginfo_t info;
	pid_t pid;
	char c;

	assert_int_equal(pipe(said), 0);
	pid = fork();
	if (!pid) {
		close(said[1]);
		_exit(read(said[0], &c, 1) != 1);
	}
	assert_true(pid > 0);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	assert_int_equal(file_read(path, &stat), 0);
	assert_int_equal(proc_start_time(stat, &start), 0);
	free(stat);
	put(knob, "-1");
	snprintf(text, sizeof(text), HEADER "owner %d %" PRIu64 "\nfile %s\t950000\n", pid, start, knob);
	put(state_file, text);
	assert_int_equal(knobs_begin(&k, false), -EBUSY);
	assert_knob("-1");
	/* it ends when it sees the message of the one that waits */
	assert_int_equal(dup2(said[1], 2), 2);
	status = knobs_begin(&k, true);
	dup2(keep, 2);
	assert_int_equal(status, 0);
	assert_knob("950000");
	assert_int_equal(knobs_end(&k), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	put(knob, "-1");
	put(state_file, text);
	assert_int_equal(knobs_restore(), 0);
	assert_knob("950000");
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(said[0]);
	close(said[1]);
	close(keep);
}

/* A killed process keeps the lock until all of it has ended. */
TEST(test_waits)
{
	const struct timespec moment = { .tv_nsec = 100000000 };
	int locked[2], status, fd;
	pid_t pid;
	char c;

	put(knob, "-1");
	put(state_file, HEADER OWNER);
	assert_int_equal(pipe(locked), 0);
	pid = fork();
	if (!pid) {
		fd = open(state_file, O_RDWR);
		if (fd < 0 || flock(fd, LOCK_EX) || write(locked[1], "x", 1) != 1)
			_exit(1);
		nanosleep(&moment, NULL);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(read(locked[0], &c, 1), 1);
	assert_int_equal(knobs_restore(), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(locked[0]);
	close(locked[1]);
}

UNIT_MAIN(set_up, tear_down)
