// SPDX-License-Identifier: GPL-2.0
/* Loads: they run while they are wanted, and nothing of them is left afterwards. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "machine/cpus.h"
#include "options/load_presets.h"
#include "tuning/load.h"
#include "util/file.h"

#define TRIES	60000	/* of 10 ms: a guard against a test that hangs, not a limit */

/* Writes its pid to @file and stays, whatever it is asked. */
#define STUBBORN(file) "trap '' TERM HUP; echo $$ > " file "; while :; do sleep 1000; done"

static char dir[] = "/tmp/tlob-unit.XXXXXX";
static struct cpus cpus;

/* The number that the file @name has, once it has one. */
static pid_t number_in(const char *name)
{
	char path[128], line[32];
	int tries;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (tries = 0; tries < TRIES; tries++) {
		if (!file_read_line(path, line, sizeof(line)) && *line)
			return (pid_t)strtol(line, NULL, 10);
		usleep(10000);
	}
	fail_msg("%s was never written", path);
	return 0;
}

/* A process that waits for its parent to reap it has ended. */
static bool is_there(pid_t pid)
{
	char path[64], line[512], *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read_line(path, line, sizeof(line)))
		return false;
	p = strrchr(line, ')');
	return p && p[2] != 'Z' && p[2] != 'X';
}

static void assert_ends(pid_t pid)
{
	int tries;

	for (tries = 0; is_there(pid); tries++) {
		assert_true(tries < TRIES);
		usleep(10000);
	}
}

static int start(struct loads *l, const char *spec)
{
	return loads_start(l, &spec, 1, NULL, &cpus, NULL);
}

static void clean(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

TEST(test_presets)
{
	const struct load_preset *p;

	for (p = load_presets; p->name; p++) {
		assert_ptr_equal(load_preset_find(p->name), p);
		assert_true(strlen(p->stresses) > 10);
		assert_non_null(strstr(p->made_of, "stress-ng"));
	}
	assert_null(load_preset_find("all"));
}

/* The first program that is installed is used, and the result names the second. */
TEST(test_installed)
{
	struct loads l;
	const char *program;
	const char *was = getenv("PATH");
	char *path = strdup(was ? was : ""), file[128], *text;

	assert_non_null(path);
	setenv("PATH", dir, 1);
	assert_null(load_preset_command("fork", &program));
	assert_int_equal(start(&l, "@fork"), -EOPNOTSUPP);
	loads_end(&l);
	snprintf(file, sizeof(file), "%s/hackbench", dir);
	assert_int_equal(symlink("/bin/sleep", file), 0);
	assert_non_null(strstr(load_preset_command("fork", &program), "hackbench"));
	assert_string_equal(program, "hackbench");
	assert_null(load_preset_command("cpu", &program));
	/* Its stand-in refuses the arguments, and so the preset has ended early. */
	assert_int_equal(start(&l, "@fork"), 0);
	text = loads_text(&l);
	assert_string_equal(text, "@fork (hackbench)");
	free(text);
	loads_end(&l);
	setenv("PATH", path, 1);
	free(path);
	unlink(file);
	assert_int_equal(start(&l, "@nothing"), -4096 /* -EUSAGE */);
	loads_end(&l);
}

/* Also what left the process group and does not heed SIGTERM. */
TEST(test_end)
{
	const char *spec[] = {
		"cd \"$TLOB_TEST\"; setsid sh -c \"" STUBBORN("away") "\" & " STUBBORN("own"),
		"cd \"$TLOB_TEST\"; echo \"$TLOB_LOAD_CPUS\" > ncpus; exec sleep 1000",
	};
	struct loads l;
	pid_t own, away;
	char *text;

	assert_int_equal(loads_start(&l, spec, 2, NULL, &cpus, NULL), 0);
	assert_null(l.cgroup);
	assert_non_null(l.no_cgroup);
	own = number_in("own");
	away = number_in("away");
	assert_int_equal(number_in("ncpus"), cpus.n);
	assert_true(is_there(own));
	assert_true(is_there(away));
	assert_int_equal(loads_check(&l), 0);
	text = loads_text(&l);
	assert_non_null(strstr(text, " + cd "));
	free(text);
	assert_int_equal(loads_end(&l), 0);
	assert_false(is_there(own));
	assert_false(is_there(away));
	assert_int_equal(loads_end(&l), 0);
	clean("own");
	clean("away");
	clean("ncpus");
}

TEST(test_early_end)
{
	struct loads l;
	int tries;

	assert_int_equal(start(&l, "echo first >&2; echo 'no \033[1mroom' >&2; exit 3"), 0);
	for (tries = 0; !loads_check(&l); tries++) {
		assert_true(tries < TRIES);
		usleep(10000);
	}
	assert_string_equal(l.at[0].ended, "exit status 3: no \\x1b[1mroom");
	assert_int_equal(loads_check(&l), -ECHILD);
	loads_end(&l);

	assert_int_equal(start(&l, "kill -9 $$"), 0);
	for (tries = 0; !loads_check(&l); tries++) {
		assert_true(tries < TRIES);
		usleep(10000);
	}
	assert_string_equal(l.at[0].ended, "signal 9");
	loads_end(&l);
}

/* A tool that is killed cannot end its loads. Their keepers do. */
TEST(test_killed)
{
	struct loads l;
	pid_t tool = fork(), own;

	if (!tool) {
		start(&l, "cd \"$TLOB_TEST\"; " STUBBORN("own"));
		pause();
		_exit(0);
	}
	own = number_in("own");
	kill(tool, SIGKILL);
	assert_int_equal(waitpid(tool, NULL, 0), tool);
	assert_ends(own);
	clean("own");
}

TEST(test_lists)
{
	const char *spec = "sleep 1000";
	struct loads l;

	assert_int_equal(loads_start(&l, &spec, 1, "x", &cpus, NULL), -4096);
	loads_end(&l);
	assert_int_equal(loads_start(&l, &spec, 1, "99999", &cpus, NULL), -ENODEV);
	loads_end(&l);
}

static int set_up(void **state)
{
	return !mkdtemp(dir) || setenv("TLOB_TEST", dir, 1) || cpus_choose(&cpus, NULL, NULL);
}

static int tear_down(void **state)
{
	cpus_free(&cpus);
	return rmdir(dir);
}

UNIT_MAIN(set_up, tear_down)
