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
#include "code/demangle.h"
#include "code/symbols.h"

/* A function that jumps over its own name and returns. */
#define FUNCTION(scope, name) \
	"asm(\".text\\n" scope " " name "\\n.type " name ",@function\\n" name ":\\n" \
	"jmp 1f\\n.ascii \\\"mark:" name ".\\\"\\n1: ret\\n.size " name ",.-" name "\");\n"

#define JMP	2	/* bytes of the jump */

/* A note of a static probe at @place, as <sys/sdt.h> makes it. */
#define PROBE(provider, name, place, semaphore) \
	"asm(\".pushsection .note.stapsdt,\\\"\\\",\\\"note\\\"\\n.balign 4\\n" \
	".4byte 992f-991f, 994f-993f, 3\\n991: .asciz \\\"stapsdt\\\"\\n992: .balign 4\\n" \
	"993: .8byte " place "\\n.8byte _.stapsdt.base\\n.8byte " semaphore "\\n" \
	".asciz \\\"" provider "\\\"\\n.asciz \\\"" name "\\\"\\n.asciz \\\"\\\"\\n" \
	"994: .balign 4\\n.popsection\");\n"

/* A probe at work + each of @numbers. */
#define REPEATED(numbers, name) \
	"asm(\".irp at," numbers "\");\n" \
	PROBE("shop", name, "work+\\\\at", "0") "asm(\".endr\");\n"

static char dir[] = "/tmp/tlob-unit.XXXXXX";
static char why[1024];
static char *found;			/* the name of what find() has found */
static struct tlob_offsets places;	/* and all its offsets */

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

	free(found);
	found = NULL;
	why[0] = '\0';
	err = symbols_open(&s, file, "debug", why, sizeof(why));
	if (!err) {
		err = symbols_find(&s, place, &places, &found, why, sizeof(why));
		*offset = places.at[0];
		symbols_close(&s);
	}
	assert_int_equal(!err, !*why);
	assert_int_equal(!err, !!found);
	assert_null(strchr(why, '\n'));
	return err;
}

static void finds(const char *file, const char *place, uint64_t wanted)
{
	uint64_t offset = 0;

	if (find(file, place, &offset))
		fail_msg("%s: %s: %s", file, place, why);
	assert_int_equal(offset, wanted);
	assert_int_equal(places.nr, 1);
}

static void refuses(const char *file, const char *place, const char *reason)
{
	uint64_t offset;

	if (!find(file, place, &offset))
		fail_msg("%s: %s is accepted", file, place);
	assert_contains(why, reason);
}

TEST(test_kinds)
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

TEST(test_offsets)
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
TEST(test_stripped)
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

TEST(test_debuglink)
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

TEST(test_build_id)
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

TEST(test_refused)
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

TEST(test_no_program)
{
	put_text("text", "hello");
	put_text("script", "#!/bin/sh\necho\n");
	put_text("empty", "");
	put_text("magic", "\177ELF\2\1\1");
	run("gcc -c work.c -o work.o && ar rc libwork.a work.o && mkfifo pipe");
	refuses("text", "work", "is not an ELF file");
	refuses("empty", "work", "not a regular file, or is empty");
	refuses("magic", "work", "is not an ELF file");
	refuses("libwork.a", "work", "is not an ELF file");
	refuses("work.o", "work", "neither a program nor a shared library");
	refuses("script", "work", "is a script");
	refuses("missing", "work", "No such file");
	refuses(".", "work", "not a regular file");
	refuses("pipe", "work", "not a regular file");
}

static void names(const char *file, const char *place, const char *symbol,
		  const char *name)
{
	finds(file, place, truth(file, symbol));
	assert_string_equal(found, name);
}

TEST(test_source_names)
{
	static const char process[] = "_ZN5audio6Engine7processEi";

	run("gcc -o mixed main.c names.c");
	names("mixed", "audio::Engine::process(int)", process, "audio::Engine::process(int)");
	names("mixed", "audio::Engine::process( int )", process, "audio::Engine::process(int)");
	names("mixed", "process(int)", process, "audio::Engine::process(int)");
	names("mixed", process, process, "audio::Engine::process(int)");
	names("mixed", "audio::start", "_ZN5audio5startEv", "audio::start()");
	names("mixed", "start", "_ZN5audio5startEv", "audio::start()");
	names("mixed", "audio::twice<int>", "_ZN5audio5twiceIiEET_S1_", "audio::twice<int>(int)");
	names("mixed", "operator+(int)", "_ZN5audio6EngineplEi", "audio::Engine::operator+(int)");
	names("mixed", "~Engine", "_ZN5audio6EngineD1Ev", "audio::Engine::~Engine()");
	names("mixed", "queue::push", "_ZN5queue4push17h0123456789abcdefE", "queue::push");
	names("mixed", "queue::pop", "_RNvC5queue3pop", "queue::pop");
	/* C++, although a part of it begins like the hash of a name of Rust */
	names("mixed", "seventeen::hidden_characters", "_ZN9seventeen17hidden_charactersEi",
	      "seventeen::hidden_characters(int)");
	finds("mixed", "process(int)+2", truth("mixed", process) + 2);
	assert_string_equal(found, "audio::Engine::process(int)+0x2");
	/* a symbol of C goes first, even where a name of C++ fits */
	names("mixed", "stop", "stop", "stop");

	refuses("mixed", "audio::Engine::process", "has 2 functions named audio::Engine::process: give the whole name or the offset of one: 0x");
	assert_contains(why, "(audio::Engine::process(int))");
	assert_contains(why, "(audio::Engine::process(float))");
	refuses("mixed", "rocess(int)", "did you mean audio::Engine::process(int)");
	refuses("mixed", "audio::Engine::proces(int)", "did you mean audio::Engine::process(int)");
	refuses("mixed", "audio::begin", "did you mean audio::begin() [clone .cold]");
	refuses("mixed", "operator-", "has no symbol operator-");
}

/* Rust's manglings, as rustc 1.95 makes them. A path of the source names them all. */
TEST(test_rust)
{
	static const char process[] = "_RNvMNtCsbxQjNsTKZZh_4shop5audioNtB2_6Engine7process";
	static const char play[] = "_RNvXs_NtCsbxQjNsTKZZh_4shop5audioNtB4_6EngineNtB4_4Play4play";
	static const char small[] = "_RINvNtCsbxQjNsTKZZh_4shop5audio7generichEB4_";
	static const char large[] = "_RINvNtCsbxQjNsTKZZh_4shop5audio7genericyEB4_";
	static const char inner[] = "_RNvNtNtCsbxQjNsTKZZh_4shop5audio5inner7process.llvm.17";

	run("gcc -o rust main.c rust.c");
	names("rust", "shop::audio::Engine::process", process, "<shop::audio::Engine>::process");
	names("rust", "Engine::process", process, "<shop::audio::Engine>::process");
	names("rust", "<shop::audio::Engine>::process", process, "<shop::audio::Engine>::process");
	names("rust", "shop::audio::inner::process", inner, "shop::audio::inner::process");
	names("rust", "<shop::audio::Engine as shop::audio::Play>::play", play,
	      "<shop::audio::Engine as shop::audio::Play>::play");
	names("rust", "Engine::play", play, "<shop::audio::Engine as shop::audio::Play>::play");
	names("rust", "shop::audio::generic::<u64>", large, "shop::audio::generic::<u64>");
	refuses("rust", "shop::audio::generic", "has 2 functions named shop::audio::generic: give the whole name");
	assert_contains(why, "(shop::audio::generic::<u8>)");
	refuses("rust", "process", "has 2 functions named process");
	assert_contains(why, "(<shop::audio::Engine>::process)");
	refuses("rust", "Play::play", "has no symbol Play::play");
	refuses("rust", "Engine::proces", "did you mean <shop::audio::Engine>::process");
	assert_true(truth("rust", small) != truth("rust", large));

	/* the older mangling; its whole name goes before one that only ends so, or has a type more */
	names("rust", "disk::Old::read", "_ZN4disk3Old4read17h0123456789abcdefE", "disk::Old::read");
	names("rust", "<disk::Old>::read", "_ZN4disk3Old4read17h0123456789abcdefE", "disk::Old::read");
	names("rust", "<disk::Old as disk::Read>::read",
	      "_ZN40_$LT$disk..Old$u20$as$u20$disk..Read$GT$4read17hfedcba9876543210E",
	      "<disk::Old as disk::Read>::read");
	refuses("rust", "Old::read", "has 2 functions named Old::read");
}

/* The rest of a name of Rust without its types. */
TEST(test_plain)
{
	static const struct { const char *text, *plain; } t[] = {
		{ "shop::work", "shop::work" }, { "<shop::A>::f", "shop::A::f" },
		{ "<shop::A<u8> as shop::B<u16>>::f", "shop::A::f" },
		{ "<<a::B as c::D>::E as f::G>::h", "a::B::E::h" },
		{ "<fn(u8) -> u16 as a::B>::c", "fn(u8) -> u16::c" },
		{ "a::b::<fn() -> c::D>", "a::b" }, { "a::B<c::D<e>>::f::<g>", "a::B::f" },
		{ "a::<impl b::C for d>::e", "a::e" }, { "<>::a", "::a" }, { "<a", "<a" },
		{ "a>", "a>" }, { "<a>", "" }, { "", "" }, { "<a<b>", "<a" },
		{ "a::operator<", "a::operator<" },
	};
	char text[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		snprintf(text, sizeof(text), "%s", t[i].text);
		assert_string_equal(demangle_plain(text), t[i].plain);
	}
}

TEST(test_probes)
{
	uint64_t at, first;

	run("gcc -o probed main.c work.c probes.c");
	at = truth("probed", "work");
	finds("probed", "shop:order", truth("probed", "work"));
	assert_string_equal(found, "shop:order");
	refuses("probed", "shop:ordr", "did you mean shop:order");
	refuses("probed", "other:thing_of_it", "readelf -n lists");
	if (find("probed", "shop:several", &first))
		fail_msg("shop:several: %s", why);
	assert_int_equal(places.nr, 2);
	assert_int_equal(places.at[0], at);
	assert_int_equal(places.at[1], at + 2);
	/* the same place twice is one */
	finds("probed", "shop:double", at);
	assert_int_equal(find("probed", "shop:most", &first), 0);
	assert_int_equal(places.nr, TLOB_BINDING_OFFSETS);
	refuses("probed", "shop:toomany", "at 17 places, more than the 16 that tlob-load can watch: give the offset of one: 0x");
	refuses("probed", "shop:counted", "semaphore");
	refuses("probed", "shop:partly", "semaphore");
	refuses("probed", "shop:data", "not in an executable segment");
	run("gcc -o plain main.c work.c");
	refuses("plain", "shop:order", "built without static probes");
}

/* Any beginning of a file is refused, or gives the right place. */
static void cut_everywhere(const char *file, const char *place)
{
	uint64_t at, offset;
	size_t size, n;
	char *text;

	at = truth(file, "work");
	text = contents(file, &size);
	for (n = 0; n < size; n += n < 512 ? 1 : 61) {
		put("cut.so", text, n);
		if (!find("cut.so", place, &offset))
			assert_true(offset == at && at < n);
	}
	free(text);
}

TEST(test_truncated)
{
	run("gcc -shared -fPIC -nostdlib -o whole.so work.c probes.c");
	cut_everywhere("whole.so", "work");
	cut_everywhere("whole.so", "shop:order");
}

/* Any byte of a note may be wrong. */
TEST(test_damaged_notes)
{
	char *text, *at, *end;
	uint64_t offset;
	size_t size;

	run("gcc -shared -fPIC -nostdlib -o noted.so work.c probes.c");
	text = contents("noted.so", &size);
	at = memmem(text, size, "stapsdt", 8);
	assert_non_null(at);
	for (at -= 12, end = at + 80; at < end; at++) {
		*at ^= 0x55;
		put("damaged.so", text, size);
		find("damaged.so", "shop:order", &offset);
		*at ^= 0x55;
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
	put_text("names.c",
		 FUNCTION(".globl", "_ZN5audio6Engine7processEi")
		 FUNCTION(".globl", "_ZN5audio6Engine7processEf")
		 FUNCTION(".globl", "_ZN5audio5startEv")
		 FUNCTION(".globl", "_ZN5audio5twiceIiEET_S1_")
		 FUNCTION(".globl", "_ZN5audio6EngineplEi")
		 FUNCTION(".globl", "_ZN5audio6EngineD1Ev")
		 FUNCTION(".local", "_ZN5audio5beginEv.cold")
		 FUNCTION(".globl", "_ZN5audio4stopEv") FUNCTION(".globl", "stop")
		 FUNCTION(".globl", "_ZN5queue4push17h0123456789abcdefE")
		 FUNCTION(".globl", "_RNvC5queue3pop")
		 FUNCTION(".globl", "_ZN9seventeen17hidden_charactersEi"));
	put_text("rust.c",
		 FUNCTION(".local", "_RNvMNtCsbxQjNsTKZZh_4shop5audioNtB2_6Engine7process")
		 FUNCTION(".local", "_RNvXs_NtCsbxQjNsTKZZh_4shop5audioNtB4_6EngineNtB4_4Play4play")
		 FUNCTION(".local", "_RINvNtCsbxQjNsTKZZh_4shop5audio7generichEB4_")
		 FUNCTION(".local", "_RINvNtCsbxQjNsTKZZh_4shop5audio7genericyEB4_")
		 FUNCTION(".local", "_RNvNtNtCsbxQjNsTKZZh_4shop5audio5inner7process.llvm.17")
		 FUNCTION(".local", "_ZN4disk3Old4read17h0123456789abcdefE")
		 FUNCTION(".local", "_ZN40_$LT$disk..Old$u20$as$u20$disk..Read$GT$4read17hfedcba9876543210E"));
	put_text("probes.c",
		 "asm(\".pushsection .stapsdt.base,\\\"a\\\"\\n_.stapsdt.base: .space 1\\n.popsection\");\n"
		 PROBE("shop", "order", "work", "0") PROBE("shop", "counted", "work", "number")
		 PROBE("shop", "several", "work", "0") PROBE("shop", "several", "work+2", "0")
		 PROBE("shop", "double", "work", "0") PROBE("shop", "double", "work", "0")
		 PROBE("shop", "partly", "work", "0") PROBE("shop", "partly", "work+2", "number")
		 REPEATED("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", "most")
		 REPEATED("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "toomany")
		 PROBE("shop", "data", "number", "0"));
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

UNIT_MAIN(set_up, tear_down)
