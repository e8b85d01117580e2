// SPDX-License-Identifier: GPL-2.0
/* The commands that root runs at each boot do what the setting says, and nothing else. */
#include <unistd.h>

#include "try/machine.c"
#include "unit.h"

static char dir[] = "/tmp/tlob-unit.XXXXXX";

/* Runs the commands of the setting @text in the directory. */
static void keep(const char *text)
{
	struct setting s;
	struct machine m = { 0 };
	char why[300], *commands;

	if (setting_parse(&s, text, why, sizeof(why)))
		fail_msg("%s: %s", text, why);
	commands = commands_of(&m, &s);
	assert_non_null(commands);
	if (system(commands)) // NOLINT(cert-env33-c): what is tested
		fail_msg("%s", commands);
	free(commands);
}

static void assert_kept(const char *name, const char *value)
{
	char path[64], text[128], line[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	snprintf(text, sizeof(text), "%s=%s", path, value);
	keep(text);
	assert_int_equal(file_read_line(path, line, sizeof(line)), 0);
	assert_string_equal(line, value);
	unlink(path);
}

TEST(test_quoted)
{
	assert_kept("plain", "1");
	assert_kept("tabs", "4 4 1 7");
	assert_kept("a $(touch made); b", "it's > off");
	assert_kept("value", "1; touch made; echo '");
	assert_kept("escapes", "-n \\t %s");
	assert_int_not_equal(access("made", F_OK), 0);
}

int main(void)
{
	int failed;

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	failed = unit_run(NULL, NULL);
	unlink("made");
	return chdir("/") || rmdir(dir) || failed;
}
