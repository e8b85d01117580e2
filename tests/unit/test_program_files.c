// SPDX-License-Identifier: GPL-2.0
/*
 * Files that a user has put where the wait profiler looks for a program and its debug file: none
 * hangs the tool, and the right file gives the function's name.
 */
#include "unit.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code/elfobj.h"
#include "waits/unwind.h"

#define HANGS	600	/* seconds; a FIFO without a writer would be for ever */

static char dir[] = "/tmp/tlob-unit.XXXXXX";

static void run(const char *command)
{
	if (system(command)) // NOLINT(cert-env33-c): the compiler
		fail_msg("failed: %s", command);
}

/*
 * Begins @program, which prints where its function is, and waits. With @file in a mount namespace
 * of its own, where @file is mounted on @place. Returns 0 if it may not have one.
 */
static pid_t begin_with(const char *program, const char *file, const char *place, uint64_t *at)
{
	char text[32] = "";
	int pipes[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (file && (unshare(CLONE_NEWUSER | CLONE_NEWNS) ||
			     mount(file, place, NULL, MS_BIND, NULL)))
			_exit(0);
		dup2(pipes[1], 1);
		execl(program, program, NULL);
		_exit(1);
	}
	close(pipes[1]);
	if (read(pipes[0], text, sizeof(text) - 1) <= 0) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		pid = 0;
	}
	close(pipes[0]);
	*at = strtoull(text, NULL, 16);
	return pid;
}

static pid_t begin(const char *program, uint64_t *at)
{
	pid_t pid = begin_with(program, NULL, NULL, at);

	assert_true(pid > 0);
	return pid;
}

/* The name of the function at @at in the process, which then ends. */
static void named(char *name, size_t size, pid_t pid, uint64_t at)
{
	static struct tlob_wait_copy copy;
	const struct wait_frame *frame[UNWIND_FRAMES];
	struct unwind *u = unwind_new(UNWIND_DWARF);

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

TEST(test_debug_file)
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
TEST(test_shared_file)
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
TEST(test_deleted)
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

/* An address in the library, known without its file being opened. */
static uint64_t in_libc(pid_t pid)
{
	unsigned long long start = 0;
	char path[64], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (!start && fgets(line, sizeof(line), f))
		if (strstr(line, " r-xp ") && strstr(line, "/libc"))
			start = strtoull(line, NULL, 16);
	fclose(f);
	assert_true(start);
	return start + 64;
}

/*
 * The name of its library is another file's outside of its mount namespace. That file must not
 * name its functions, also when the process is gone with its namespace.
 */
TEST(test_other_namespace)
{
	const struct wait_frame *frame[UNWIND_FRAMES];
	static struct tlob_wait_copy copy;
	struct unwind *u = unwind_new(UNWIND_DWARF);
	char name[256];
	uint64_t at;
	pid_t pid;

	assert_non_null(u);
	pid = begin_with("./caller", "nap.so", "place.so", &at);
	if (!pid) {
		print_message("no mount namespace of its own\n");
		skip();
	}
	named(name, sizeof(name), pid, at);
	assert_string_equal(name, "napping");

	pid = begin_with("./caller", "nap.so", "place.so", &at);
	copy.tgid = (uint32_t)pid;
	copy.reg[TLOB_WAIT_REG_IP] = in_libc(pid);
	assert_true(unwind_innermost(u, &copy, frame) > 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	copy.reg[TLOB_WAIT_REG_IP] = at;
	assert_true(unwind_innermost(u, &copy, frame) > 0);
	if (strncmp(frame[0]->name, "place.so+0x", 11))
		fail_msg("%s", frame[0]->name);
	unwind_free(u);
}

/* How often the file @name is open here. */
static int opened(const char *name)
{
	char path[64], target[PATH_MAX];
	int fd, n = 0;
	ssize_t length;

	for (fd = 0; fd < 256; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = 0;
		n += length > 0 && strrchr(target, '/') && !strcmp(strrchr(target, '/') + 1, name);
	}
	return n;
}

static void look_at(struct unwind *u, pid_t pid, uint64_t at)
{
	static struct tlob_wait_copy copy;
	const struct wait_frame *frame[UNWIND_FRAMES];

	copy.tgid = (uint32_t)pid;
	copy.reg[TLOB_WAIT_REG_IP] = at;
	assert_true(unwind_innermost(u, &copy, frame) > 0);
	assert_string_equal(frame[0]->name, "napping");
}

/* Without room for the DWARF of two processes that of the other one goes, and nothing else. */
TEST(test_bounded)
{
	static const size_t most[] = { UNWIND_DWARF, 1 };
	uint64_t at[2];
	struct unwind *u;
	pid_t pid[2];
	size_t i;

	run("cp whole first && cp whole second");
	pid[0] = begin("./first", &at[0]);
	pid[1] = begin("./second", &at[1]);
	for (i = 0; i < ARRAY_SIZE(most); i++) {
		u = unwind_new(most[i]);
		assert_non_null(u);
		look_at(u, pid[0], at[0]);
		assert_int_equal(opened("first"), 1);
		look_at(u, pid[1], at[1]);
		assert_int_equal(opened("first"), !i);
		assert_int_equal(opened("second"), 1);
		look_at(u, pid[0], at[0]);
		unwind_free(u);
	}
	for (i = 0; i < ARRAY_SIZE(pid); i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

/* Without /proc no file is opened safely. The message must not say that the file is missing. */
TEST(test_without_proc)
{
	struct elfobj o;
	char why[256];
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || mount("none", "/proc", "tmpfs", 0, NULL))
			_exit(2);
		if (!elfobj_open(&o, "whole", why, sizeof(why)))
			_exit(1);
		_exit(strcmp(why, "whole cannot be opened, because /proc is not mounted: mount it") != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status == 2 << 8) {
		print_message("no mount namespace of its own\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static int set_up(void **state)
{
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	run("printf '%s' '#include <stdio.h>\n#include <unistd.h>\n"
	    "static __attribute__((noinline)) int napping(void) { return pause(); }\n"
	    "int main(void) { printf(\"%p\\n\", (void *)napping); fflush(stdout); return napping(); }' > nap.c && "
	    "sed s/main/called/ nap.c > lib.c && sed s/napping/fooling/g lib.c > fool.c && "
	    "gcc -O1 -g -shared -fPIC lib.c -o nap.so && gcc -O1 -g -shared -fPIC fool.c -o place.so && "
	    "echo 'int called(void); int main(void) { return called(); }' > call.c && "
	    "gcc call.c place.so -Wl,-rpath,'$ORIGIN' -o caller && "
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
	alarm(HANGS);
	return unit_run(set_up, clean);
}
