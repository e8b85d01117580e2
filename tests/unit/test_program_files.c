// SPDX-License-Identifier: GPL-2.0
/*
 * What a user has put where the wait profiler looks for a program and its debug file: none of it
 * hangs the tool, and the right file gives the function's name.
 */
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "waits/unwind.h"

#define HANGS	600	/* seconds; a FIFO without a writer would be for ever */

static char dir[] = "/tmp/tlob-unit.XXXXXX";

static void run(const char *command)
{
	if (system(command)) // NOLINT(cert-env33-c): the compiler
		fail_msg("failed: %s", command);
}

/* Begins @program, which tells where its function is, and waits. */
static pid_t begin(const char *program, uint64_t *at)
{
	char text[32] = "";
	int pipes[2];
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(pipes[1], 1);
		execl(program, program, NULL);
		_exit(1);
	}
	close(pipes[1]);
	assert_true(read(pipes[0], text, sizeof(text) - 1) > 0);
	close(pipes[0]);
	*at = strtoull(text, NULL, 16);
	return pid;
}

/* The name of the function at @at in the process, which then ends. */
static void named(char *name, size_t size, pid_t pid, uint64_t at)
{
	static struct tlob_wait_copy copy;
	const struct wait_frame *frame[UNWIND_FRAMES];
	struct unwind *u = unwind_new();

	assert_non_null(u);
	copy.tgid = (uint32_t)pid;
	copy.reg[TLOB_WAIT_REG_IP] = at;
	assert_true(unwind_innermost(u, &copy, frame) > 0);
	snprintf(name, size, "%s", frame[0]->name);
	unwind_free(u);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The stripped program, with a link to what @command makes as its debug file. */
static void with_debug_file(const char *command, const char *wanted)
{
	char name[256];
	uint64_t at;
	pid_t pid;

	run("rm -rf nap.debug && cp whole.debug nap.debug && cp stripped nap && objcopy --add-gnu-debuglink=nap.debug nap");
	run(command);
	pid = begin("./nap", &at);
	named(name, sizeof(name), pid, at);
	if (strncmp(name, wanted, strlen(wanted)))
		fail_msg("%s: %s, not %s", command, name, wanted);
}

static void test_debug_file(void **state)
{
	with_debug_file("true", "napping");
	with_debug_file("mkdir -p .debug && mv nap.debug .debug/", "napping");
	run("rm -r .debug");
	with_debug_file("rm nap.debug && mkfifo nap.debug", "nap+0x");
	with_debug_file("ln -sf nap.fifo nap.debug && mkfifo nap.fifo", "nap+0x");
	with_debug_file("rm nap.debug && mkdir nap.debug", "nap+0x");
	with_debug_file("ln -sf /dev/zero nap.debug", "nap+0x");
	/* reads would wait, though it says that it is a regular file; or read the tool's own memory */
	with_debug_file("ln -sf /proc/kmsg nap.debug", "nap+0x");
	with_debug_file("ln -sf /proc/self/mem nap.debug", "nap+0x");
	/* larger than any CRC is made of, and of another program */
	with_debug_file("truncate -s 100G nap.debug", "nap+0x");
	with_debug_file("printf x >> nap.debug", "nap+0x");
	with_debug_file("cp stripped nap.debug", "nap+0x");
}

/* Its own debug file shares parts with others: the file of that name has no such build-id. */
static void test_shared_file(void **state)
{
	char name[256];
	uint64_t at;
	pid_t pid;

	run("printf 'shared\\0aaaaaaaaaaaaaaaaaaaa' > link && objcopy --add-section .gnu_debugaltlink=link whole sharing && mkfifo shared");
	pid = begin("./sharing", &at);
	named(name, sizeof(name), pid, at);
	assert_string_equal(name, "napping");
	run("rm shared && cp whole shared");
	pid = begin("./sharing", &at);
	named(name, sizeof(name), pid, at);
	assert_string_equal(name, "napping");
}

/* The kernel calls a program whose file is gone "NAME (deleted)", and anybody may make such a file. */
static void test_deleted(void **state)
{
	static const char *const in_its_place[] = {
		"true", "mkfifo 'gone (deleted)'", "ln -s /proc/kmsg 'gone (deleted)'",
		"ln -s /dev/zero 'gone (deleted)'", "echo garbage > 'gone (deleted)'",
	};
	char name[256];
	uint64_t at;
	size_t i;
	pid_t pid;

	for (i = 0; i < ARRAY_SIZE(in_its_place); i++) {
		run("rm -f 'gone (deleted)' && cp whole gone");
		pid = begin("./gone", &at);
		run("rm gone");
		run(in_its_place[i]);
		named(name, sizeof(name), pid, at);
		assert_true(*name);
	}
}

static int set_up(void **state)
{
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	run("printf '%s' '#include <stdio.h>\n#include <unistd.h>\n"
	    "static __attribute__((noinline)) int napping(void) { return pause(); }\n"
	    "int main(void) { printf(\"%p\\n\", (void *)napping); fflush(stdout); return napping(); }' > nap.c && "
	    "gcc -O1 -g nap.c -o whole && objcopy --only-keep-debug whole whole.debug && "
	    "strip -o stripped whole && objcopy --remove-section .note.gnu.build-id stripped");
	return 0;
}

static int clean(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || system(command) ? -1 : 0; // NOLINT(cert-env33-c): a fixed command
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debug_file),
		cmocka_unit_test(test_shared_file),
		cmocka_unit_test(test_deleted),
	};

	alarm(HANGS);
	return cmocka_run_group_tests(tests, set_up, clean);
}
