// SPDX-License-Identifier: GPL-2.0
/* The sources of an explanation's names: a guest, a System.map and a program. */
#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "attach/mappings.h"
#include "explain/mapped.h"
#include "explain/boot_symbols.h"
#include "explain/callers.h"
#include "explain/ksyms_names.h"
#include "unit.h"
#include "util/ksyms.h"

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* --symbols: the kernel's from a file, the modules' from the guest. */
TEST(test_symbols_of_two)
{
	static const char guest[] = "ffffffff81000000 T schedule\nffffffffc0000000 t probe\t[mine]\n";
	char map[] = "/tmp/tlob-map.XXXXXX", saved[] = "/tmp/tlob-saved.XXXXXX", *text;
	struct ksyms k;

	assert_true(mkstemp(map) >= 0);
	assert_true(mkstemp(saved) >= 0);
	/* without a newline at the end, as an editor may leave it */
	write_file(map, "ffffffff81000000 T schedule\nffffffff81000100 t inner");
	write_file(saved, guest);
	assert_int_equal(symbols_read(&(struct symbol_files){ .guest = saved, .kernel = map }, &text), 0);
	assert_int_equal(ksyms_parse(&k, text), 0);
	assert_string_equal(ksyms_at(&k, 0xffffffff81000104)->name, "inner");
	assert_string_equal(ksyms_at(&k, 0xffffffffc0000004)->module, "mine");
	ksyms_free(&k);
	free(text);
	/* a guest without kallsyms */
	write_file(saved, "");
	assert_int_equal(symbols_read(&(struct symbol_files){ .guest = saved, .kernel = map }, &text), 0);
	assert_contains(text, "inner");
	free(text);
	/* of another kernel */
	write_file(saved, guest);
	write_file(map, "ffffffff81000010 T schedule\n");
	text = NULL;
	assert_int_equal(symbols_read(&(struct symbol_files){ .guest = saved, .kernel = map }, &text), -EINVAL);
	assert_null(text);
	/* what Debian has in /boot */
	write_file(map, "ffffffffffffffff B The real System.map is in the linux-image-dbg package\n");
	assert_int_equal(symbols_read(&(struct symbol_files){ .guest = saved, .kernel = map }, &text), -EINVAL);
	assert_int_equal(remove(map), 0);
	assert_int_equal(symbols_read(&(struct symbol_files){ .guest = saved, .kernel = map }, &text), -ENOENT);
	assert_int_equal(remove(saved), 0);
}

/* The functions of a program: this one, where a guest would load it. */
#ifdef __aarch64__
#define PROGRAMS	0xaaaa		/* upper half of where they begin */
#define A_LIBRARY	0xfffff7dd0000
#else
#define PROGRAMS	0x5555
#define A_LIBRARY	0x7ffff7dd0000
#endif

TEST(test_symbols_of_a_program)
{
	char saved[] = "/tmp/tlob-saved.XXXXXX", *text = NULL;
	const struct ksym *s;
	struct ksyms k;

	assert_true(mkstemp(saved) >= 0);
	write_file(saved, "ffffffff81000000 T schedule\n");
	assert_int_equal(symbols_read(&(struct symbol_files){ .guest = saved, .program = "/proc/self/exe" }, &text), 0);
	assert_int_equal(ksyms_parse(&k, text), 0);
	s = ksyms_named(&k, "ksyms_parse");
	assert_non_null(s);
	assert_string_equal(s->module, "exe");
	assert_int_equal(s->address >> 32, PROGRAMS);
	assert_string_equal(ksyms_at(&k, s->address + 1)->name, "ksyms_parse");
	/* a library, and below the program */
	assert_string_equal(ksyms_at(&k, A_LIBRARY)->name, "[user]");
	assert_null(ksyms_at(&k, 0x1000));
	assert_string_equal(ksyms_at(&k, 0xffffffff81000004)->name, "schedule");
	ksyms_free(&k);
	free(text);
	text = NULL;
	/* not a program */
	assert_int_equal(symbols_read(&(struct symbol_files){ .guest = saved, .program = saved }, &text), -EINVAL);
	assert_null(text);
	assert_int_equal(remove(saved), 0);
}

/* In the mappings of this program and its libraries each function is found. */
static void assert_is(const struct ksyms *k, uint64_t address, const char *name, const char *module)
{
	const struct ksym *s = ksyms_at(k, address);

	assert_non_null(s);
	assert_string_equal(s->name, name);
	if (module)
		assert_string_equal(s->module, module);
}

TEST(test_symbols_of_mappings)
{
	char saved[] = "/tmp/tlob-saved.XXXXXX", mapped[] = "/tmp/tlob-mapped.XXXXXX";
	char packed[] = "/tmp/tlob-packed.XXXXXX", *text = NULL, line[4096], own[4096];
	const struct symbol_files files = { .guest = saved, .mapped = mapped, .packed = packed };
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	FILE *maps, *f;
	struct ksyms k;
	ssize_t n;
	char *path;

	assert_true(mkstemp(saved) >= 0 && mkstemp(mapped) >= 0 && mkstemp(packed) >= 0);
	write_file(saved, "ffffffff81000000 T schedule\n");
	f = fopen(mapped, "we");
	assert_non_null(f);
	mappings_before(f, getpid());
	fputs("1000-2000 r-xp 00000000 00:00 0 /a/file that is not packed\n"
	      "3000-4000 r-xp 00000000 00:00 0 //anon\n", f);
	assert_int_equal(fclose(f), 0);
	maps = fopen(mapped, "re");
	f = fopen(packed, "we");
	assert_true(maps && f);
	while (fgets(line, sizeof(line), maps)) {
		path = strchr(line, '/');
		if (path)
			fprintf(f, "%.*s\t%s", (int)strcspn(path, "\n"), path, path);
	}
	fclose(maps);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(symbols_read(&files, &text), 0);
	assert_int_equal(ksyms_parse(&k, text), 0);
	n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	assert_true(n > 0);
	own[n] = 0;
	assert_is(&k, (uint64_t)(uintptr_t)ksyms_parse, "ksyms_parse", strrchr(own, '/') + 1);
	assert_is(&k, (uint64_t)(uintptr_t)ksyms_parse + 1, "ksyms_parse", NULL);
	assert_is(&k, (uint64_t)(uintptr_t)lldiv, "lldiv", "libc.so.6");
	if (vdso)
		assert_is(&k, vdso + 64, "[vdso]", NULL);
	else
		print_message("# no vdso here, as with qemu-user: its name was not tried\n");
	assert_is(&k, 0x1000, "[file?that?is?not?packed]", "");
	assert_is(&k, 0x2000, "[user]", NULL);
	assert_is(&k, 0x3000, "[anon]", NULL);
	assert_is(&k, 0xffffffff81000004, "schedule", "");
	ksyms_free(&k);
	free(text);
	text = NULL;
	write_file(mapped, "not a mapping\n");
	assert_int_equal(symbols_read(&files, &text), -EINVAL);
	assert_null(text);
	assert_true(!remove(saved) && !remove(mapped));
	assert_int_equal(symbols_read(&files, &text), -ENOENT);
	assert_int_equal(remove(packed), 0);
}

static void assert_no_mapping(const char *line, const char *wanted)
{
	char text[200], why[100] = "";
	struct mapped m;

	snprintf(text, sizeof(text), "%s", line);
	assert_int_equal(mapped_read(&m, text, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, wanted);
	assert_null(m.mapping);
}

/* The later mapping counts. */
TEST(test_mapped)
{
	char text[] = "5000-9000 r-xp 00001000 08:01 12   /first\n"
		      "20000-21000 r-xp 00000000 08:01 0 [vdso]\n"
		      "8000-a000 r-xp 00000000 08:01 13 /above\n"
		      "4000-6000 r-xp 00002000 08:01 14 /below\n"
		      "20000-21000 r-xp 00000000 08:01 15 /instead", none[] = "", why[100];
	static const struct mapping wanted[] = {
		{ 0x4000, 0x6000, 0x2000, "/below" }, { 0x6000, 0x8000, 0x2000, "/first" },
		{ 0x8000, 0xa000, 0, "/above" }, { 0x20000, 0x21000, 0, "/instead" },
	};
	struct mapped m;
	char *host;
	size_t i;

	assert_int_equal(mapped_read(&m, text, why, sizeof(why)), 0);
	assert_int_equal(m.n, ARRAY_SIZE(wanted));
	for (i = 0; i < m.n; i++) {
		assert_int_equal(m.mapping[i].start, wanted[i].start);
		assert_int_equal(m.mapping[i].end, wanted[i].end);
		assert_int_equal(m.mapping[i].offset, wanted[i].offset);
		assert_string_equal(m.mapping[i].path, wanted[i].path);
	}
	mapped_free(&m);
	assert_int_equal(mapped_read(&m, none, why, sizeof(why)), 0);
	assert_int_equal(m.n, 0);
	assert_no_mapping("x\n", "line 1 is not a mapping");
	assert_no_mapping("1000-2000 r-xp 0 0:0 0 /a\n2000-1000 r-xp 0 0:0 0 /a\n",
			  "line 2 is not a mapping");
	assert_no_mapping("1000-fffffffffffffffff r-xp 0 0:0 0 /a\n", "line 1 is not a mapping");
	assert_no_mapping("1000-2000 r-xp\n", "line 1 is not a mapping");
	assert_no_mapping("1000-2000\n", "line 1 is not a mapping");
	host = mapped_host("/bin/a\t/x/a\n/bin/ab\t/x/ab\n/bin/a\t/y/a\n", "/bin/a");
	assert_string_equal(host, "/y/a");
	free(host);
	assert_null(mapped_host("/bin/ab\t/x\n", "/bin/a"));
	assert_null(mapped_host("", ""));
}

/* A program below, the kernel above, and neither takes what the other lacks. */
TEST(test_places)
{
	char text[] = "555555554100 t work\t[prog]\n555555556000 t [user]\nffffffff81000000 T schedule\n";
	struct segment segment[] = {
		{ .start = 0x1000 }, { .start = 0x555555554100 }, { .start = 0x555555554108 },
		{ .start = 0x7ffff7dd0000 }, { .start = 0xffffffff80000000 }, { .start = 0xffffffff81000000 },
	};
	static const char * const wanted[] = { "[user]", "work", "work", "[user]", "[unknown]", "schedule" };
	const struct profile p = { .segment = segment, .segments = ARRAY_SIZE(segment) };
	struct place *place;
	struct ksyms k;
	size_t i;

	assert_int_equal(ksyms_parse(&k, text), 0);
	place = places_of(&p, &k);
	assert_non_null(place);
	for (i = 0; i < ARRAY_SIZE(segment); i++)
		assert_string_equal(place[i].function->name, wanted[i]);
	assert_true(place[1].start);
	assert_false(place[2].start);
	free(place);
	ksyms_free(&k);
}

UNIT_MAIN(NULL, NULL)
