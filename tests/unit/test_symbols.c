// SPDX-License-Identifier: GPL-2.0
/*
 * Places in programs that the compiler makes here. A function's place in its file is known
 * without ELF: behind its first instruction stands a text that can be searched.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "code/symbols.h"

/* A function that jumps over its own name and returns. */
#define FUNCTION(scope, name) \
	"asm(\".text\\n" scope " " name "\\n.type " name ",@function\\n" name ":\\n" \
	"jmp 1f\\n.ascii \\\"mark:" name ".\\\"\\n1: ret\\n.size " name ",.-" name "\");\n"

#define JMP	2	/* bytes of the jump */

static char dir[] = "/tmp/tlob-unit.XXXXXX";
static char why[1024];

static void put(const char *name, const void *text, size_t size)
{
	FILE *f = fopen(name, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

static bool try(const char *command)
{
	return !system(command); // NOLINT(cert-env33-c): the compiler
}

static void run(const char *command)
{
	if (!try(command))
		fail_msg("failed: %s", command);
}

static char *contents(const char *name, size_t *size)
{
	struct stat st;
	char *text;
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	*size = (size_t)st.st_size;
	text = malloc(*size + 1);
	assert_non_null(text);
	assert_int_equal(read(fd, text, *size), *size);
	close(fd);
	return text;
}

/* The offset of function @name in @file. */
static uint64_t truth(const char *file, const char *name)
{
	char mark[64], *text, *at;
	uint64_t offset;
	size_t size;

	snprintf(mark, sizeof(mark), "mark:%s.", name);
	text = contents(file, &size);
	at = memmem(text, size, mark, strlen(mark));
	assert_non_null(at);
	offset = (uint64_t)(at - text) - JMP;
	free(text);
	return offset;
}

static int find(const char *file, const char *place, uint64_t *offset)
{
	struct symbols s;
	int err;

	why[0] = '\0';
	err = symbols_open(&s, file, "debug", why, sizeof(why));
	if (!err) {
		err = symbols_find(&s, place, offset, why, sizeof(why));
		symbols_close(&s);
	}
	assert_int_equal(!err, !*why);
	assert_null(strchr(why, '\n'));
	return err;
}

static void finds(const char *file, const char *place, uint64_t wanted)
{
	uint64_t offset = 0;

	if (find(file, place, &offset))
		fail_msg("%s: %s: %s", file, place, why);
	assert_int_equal(offset, wanted);
}

static void refuses(const char *file, const char *place, const char *reason)
{
	uint64_t offset;

	if (!find(file, place, &offset))
		fail_msg("%s: %s is accepted", file, place);
	assert_contains(why, reason);
}

static void test_kinds(void **state)
{
	static const struct {
		const char *command, *file;
	} kinds[] = {
		{ "gcc -pie -fPIE -o pie main.c work.c", "pie" },
		{ "gcc -no-pie -o fixed main.c work.c", "fixed" },
		{ "gcc -static -o static main.c work.c", "static" },
		{ "gcc -shared -fPIC -o libwork.so work.c", "libwork.so" },
		{ "gcc -Wl,-z,noseparate-code -o mixed main.c work.c", "mixed" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *file = kinds[i].file;
		uint64_t at;

		run(kinds[i].command);
		at = truth(file, "work");
		finds(file, "work", at);
		finds(file, "work+2", at + 2);
		finds(file, "work+0x3", at + 3);
		finds(file, "work+0", at);
		finds(file, "hidden", truth(file, "hidden"));
	}
	if (!try("gcc -m32 -nostdlib -shared -o lib32.so work.c 2>/dev/null"))
		skip();
	finds("lib32.so", "work", truth("lib32.so", "work"));
	finds("lib32.so", "hidden", truth("lib32.so", "hidden"));
}

static void test_offsets(void **state)
{
	uint64_t at;
	char text[32];

	run("gcc -o offsets main.c work.c");
	at = truth("offsets", "work");
	snprintf(text, sizeof(text), "0x%" PRIx64, at + 2);
	finds("offsets", text, at + 2);
	refuses("offsets", "0x", "invalid offset");
	refuses("offsets", "0xg", "invalid offset");
	refuses("offsets", "0x10", "is not in an executable segment of");
	refuses("offsets", "0x7fffffffffffffff", "is not in an executable segment of");
	refuses("offsets", "0xffffffffffffffffff", "invalid offset");
	refuses("offsets", "work+", "give a number after the +");
	refuses("offsets", "work+x", "give a number after the +");
	refuses("offsets", "work+-1", "give a number after the +");
	refuses("offsets", "work+4096", "past the end of the function, which has 0x");
	refuses("offsets", "+4", "invalid place");
	refuses("offsets", "", "invalid place");
}

/* A stripped file has only .dynsym, the functions that others may call. */
static void test_stripped(void **state)
{
	uint64_t at;

	run("gcc -shared -fPIC -o libstripped.so work.c && strip libstripped.so");
	at = truth("libstripped.so", "work");
	finds("libstripped.so", "work", at);
	refuses("libstripped.so", "hidden", "stripped");
	refuses("libstripped.so", "worm", "did you mean work?");
	run("gcc -o stripped main.c work.c && strip stripped");
	refuses("stripped", "work", "the file is stripped, and its debug symbols");
}

/* split NAME: a program without symbols, and NAME.debug with them. */
static void split(const char *name, const char *options)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "gcc %s -o %s main.c work.c && objcopy --only-keep-debug %s %s.debug && strip %s && objcopy --add-gnu-debuglink=%s.debug %s",
		 options, name, name, name, name, name, name);
	run(command);
}

static void test_debuglink(void **state)
{
	static const char * const moves[] = {
		"true",
		"mkdir -p .debug && mv linked.debug .debug",
		"mkdir -p debug$PWD && mv .debug/linked.debug debug$PWD",
	};
	uint64_t hidden;
	size_t i;

	split("linked", "-Wl,--build-id=none");
	hidden = truth("linked", "hidden");
	for (i = 0; i < ARRAY_SIZE(moves); i++) {
		run(moves[i]);
		finds("linked", "hidden", hidden);
	}
	/* the debug file of another build has another CRC */
	run("mv debug$PWD/linked.debug . && printf x >> linked.debug");
	refuses("linked", "hidden", "stripped");
	run("rm linked.debug");
	refuses("linked", "hidden", "stripped");
	/* with a link to the program, the program's own directory counts */
	split("behind", "-no-pie -Wl,--build-id=none");
	run("mkdir -p sub && ln -s ../behind sub/link");
	finds("sub/link", "hidden", truth("behind", "hidden"));
}

static void test_build_id(void **state)
{
	uint64_t hidden;

	split("identified", "-Wl,--build-id=0x1234567890abcdef");
	hidden = truth("identified", "hidden");
	run("mkdir -p debug/.build-id/12 && mv identified.debug debug/.build-id/12/34567890abcdef.debug");
	finds("identified", "hidden", hidden);
	/* a file at that place may be of another build */
	split("other", "-Wl,--build-id=0x99");
	run("mv other.debug debug/.build-id/12/34567890abcdef.debug");
	refuses("identified", "hidden", "stripped");
}

static void test_refused(void **state)
{
	run("gcc -o several main.c work.c again.c -lm");
	refuses("several", "twice", "has 2 symbols named twice: give the offset of one: 0x");
	assert_contains(why, "(again.c)");
	assert_contains(why, "(work.c)");
	refuses("several", "number", "number is data");
	refuses("several", "absolute", "absolute is a number");
	refuses("several", "writable", "not in an executable segment of");
	refuses("several", "zeroed", "not in a segment that is loaded from");
	refuses("several", "puts", "give --library PATH");
	assert_contains(why, "(libc.so.6)");
	refuses("several", "chosen", "IFUNC");
	assert_contains(why, "chosen_slow");
	refuses("several", "wrok", "did you mean work?");
	refuses("several", "Some::work", "did you mean work");
	refuses("several", "nothing_like_it", "inlined");
}

static void test_no_program(void **state)
{
	put_text("text", "hello");
	put_text("script", "#!/bin/sh\necho\n");
	put_text("empty", "");
	put_text("magic", "\177ELF\2\1\1");
	run("gcc -c work.c -o work.o && ar rc libwork.a work.o && mkfifo pipe");
	refuses("text", "work", "is not an ELF file");
	refuses("empty", "work", "is not an ELF file");
	refuses("magic", "work", "is not an ELF file");
	refuses("libwork.a", "work", "is not an ELF file");
	refuses("work.o", "work", "neither a program nor a shared library");
	refuses("script", "work", "is a script");
	refuses("missing", "work", "No such file");
	refuses(".", "work", "not a regular file");
	refuses("pipe", "work", "not a regular file");
}

/* Any beginning of a file is refused, or gives the right place. */
static void test_truncated(void **state)
{
	uint64_t at, offset;
	size_t size, n;
	char *text;

	run("gcc -shared -fPIC -nostdlib -o whole.so work.c");
	at = truth("whole.so", "work");
	text = contents("whole.so", &size);
	for (n = 0; n < size; n += n < 512 ? 1 : 61) {
		put("cut.so", text, n);
		if (!find("cut.so", "work", &offset))
			assert_true(offset == at && at < n);
	}
	free(text);
}

static int set_up(void **state)
{
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	put_text("main.c", "#include <stdio.h>\nint main(void) { puts(\"\"); return 0; }\n");
	put_text("work.c", FUNCTION(".globl", "work") FUNCTION(".local", "hidden")
		 "static void __attribute__((used, noinline)) twice(void) { asm(\"\"); }\n"
		 "int number = 7;\n"
		 "asm(\".globl absolute\\n.set absolute, 0x1234\");\n"
		 "asm(\".data\\n.globl writable\\n.type writable,@function\\nwritable: ret\\n.text\");\n"
		 "asm(\".bss\\n.globl zeroed\\n.type zeroed,@function\\nzeroed: .skip 8\\n.text\");\n");
	put_text("again.c",
		 "static void __attribute__((used, noinline)) twice(void) { asm(\"nop\"); }\n"
		 "static void chosen_slow(void) { asm(\"\"); }\n"
		 "static void *choose(void) { return chosen_slow; }\n"
		 "void chosen(void) __attribute__((ifunc(\"choose\")));\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || !try(command) ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_truncated),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
